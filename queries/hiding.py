"""What a reader may not see, and the names that stand in its place.

A thing is hidden with all its versions, occurrences and what was made for it under its name (``;notice``),
since each of these tells the name. What stands for a hidden reference is made under a key of the tenant and
of the reader's groups: the same for the same readers as often as they ask, and of no use to guess a name by.
It has the shape of what it stands for, so that versions of one thing are known for such, and no more.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from provmodel import names

SCHEME = "restricted:"
"""Begins every reference that stands for a hidden one."""

_DIGEST = "sha256"
_TAG = 16  # bytes of a keyed name
_NUMBER = 8  # bytes of a keyed relation, of which one bit is dropped
_WORD = re.compile(r"[^\s'\"(),]+[^\s'\"(),.:;]")
_REMEMBERED = 200_000  # names, about 200 bytes each
_PINS = {
    **dict.fromkeys(names.CONTENT_PINS, "tag"),
    **dict.fromkeys(names.OCCURRENCE_PINS, "version"),
    **dict.fromkeys(names.WEAK_PINS, "observed"),
}


class Hiding:
    """What is hidden from readers of one set of groups, in one tenant, as of one seq of the log.

    ``things`` are the names of hidden things, ``nodes`` the references of hidden nodes by their integers,
    and ``bodies`` the ids of what these hold. ``key`` is 32 bytes of the tenant and the groups. ``base``
    begins the IRIs of the tenant's nodes.
    """

    def __init__(
        self,
        key: bytes = b"",
        things: Collection[str] = (),
        nodes: Mapping[int, str] | None = None,
        bodies: Collection[str] = (),
        seq: int = 2**63 - 1,
        base: str = "",
    ) -> None:
        self.things = frozenset(things)
        self.nodes = dict(nodes or {})
        self.bodies = frozenset(bodies)
        self.seq = seq
        self._key = key
        self._base = base
        self._aliases: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.things)

    def hides(self, ref: str) -> bool:
        """Whether a reference tells the name of what is hidden."""
        thing = names.split(ref).thing
        return thing in self.things or (";" in thing and thing.partition(";")[0] in self.things)

    def shown(self, ref: str) -> str:
        """The reference as the reader sees it."""
        return self.alias(ref) if self.hides(ref) else ref

    def alias(self, ref: str) -> str:
        """What stands for a hidden reference."""
        made = self._aliases.get(ref)
        if made is None:
            name = names.split(ref)
            made = SCHEME + self._tag(name.thing)
            if name.pin:
                made += f"@{_PINS[name.pin]}:{self._tag(f'{name.thing}@{name.pin}:{name.value}')}"
            if name.by:
                made += names.BY + self.shown(name.by)
            if len(self._aliases) >= _REMEMBERED:
                self._aliases.clear()
            self._aliases[ref] = made
        return made

    def covered(self, text: str) -> str:
        """A text that may be a reference, an IRI, or neither, as the reader sees it."""
        for spelt in (text, f"<{text}>", text.removeprefix(self._base)):
            if self.hides(spelt):
                return self.alias(spelt)
        return text

    def covers(self, text: str) -> bool:
        """Whether a text names, as a reference or IRI, what is hidden."""
        return self.covered(text) != text

    def real(self, alias: str) -> str | None:
        """The hidden reference that a name stands for; None for any other name."""
        return self._reals.get(alias) if alias.startswith(SCHEME) else None

    def asked(self, ref: str) -> str:
        """Under which name a store is asked for what the reader names: for a hidden one under a name that
        nothing has, so that the store does what it does for what is not there.
        """
        return self.real(ref) or (self.alias(ref) if ref in self.bodies else self.shown(ref))

    def named(self, what: str) -> str:
        """A reference, or the id of a body, as the reader sees it."""
        return self.alias(what) if what in self.bodies else self.covered(what)

    def told(self, text: str) -> str:
        """A sentence, or any text of several words, with the names of what is hidden replaced."""
        return _WORD.sub(lambda found: self.covered(found[0]), text) if self else text

    def relation(self, *parts: int) -> int:
        """What stands for the key of a relation (63 bits), which could be tried against guesses."""
        return int.from_bytes(self._hash(repr(parts), _NUMBER)) >> 1

    def ending(self, tail: str) -> int:
        """How many hidden nodes have this last path segment."""
        return self._tails[tail]

    @cached_property
    def _reals(self) -> dict[str, str]:
        known = (*self.nodes.values(), *self.things)
        return {self.alias(ref): ref for ref in known}

    @cached_property
    def _tails(self) -> Counter[str]:
        return Counter(names.tail(ref) for ref in self.nodes.values())

    def _tag(self, text: str) -> str:
        return self._hash(text, _TAG).hex()

    def _hash(self, text: str, size: int) -> bytes:
        return hmac.digest(self._key, text.encode(), _DIGEST)[:size]


NOTHING = Hiding()
"""Hides nothing."""

Sight = Callable[[], Hiding]
"""Looks what is hidden by now."""
