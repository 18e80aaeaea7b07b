"""IRIs as qualified names in what is written: by the prefixes that the document has, and by new ones only for
what these don't reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from provmodel.document import Bundle, Carried, Document, Element, Extension, Literal
from provmodel.documents.scope import BLANK, BLANK_SPACE, DEFAULT, RESERVED
from provmodel.lexical import split_iri

Spell = Callable[[str, str], str | None]
"""Spells a prefix ("" for the default namespace) and a local part; None when the format can't."""

_NEW = "ns"  # with a number: a prefix that no document declared
_NEW_FOR_BLANK = "blank"


class Minter:
    """New prefixes for namespaces that have none, in the order in which they are asked for."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.made: dict[str, str] = {}
        """Namespaces to prefixes."""

    def prefix(self, space: str) -> str:
        """The new prefix of a namespace."""
        if space not in self.made:
            self.made[space] = self._free(_NEW_FOR_BLANK if space == BLANK_SPACE else _NEW)
        return self.made[space]

    def _free(self, word: str) -> str:
        number = len(self.made) + 1
        name = word if word == _NEW_FOR_BLANK else f"{word}{number}"
        while name in self._taken:
            number += 1
            name = f"{word}{number}"
        self._taken.add(name)
        return name


class Namer(dict[str, str]):
    """IRIs to qualified names within one part of a document, each spelt once.

    The longest namespace that fits is taken, and of several prefixes for it the one declared first, the
    default namespace last. ``blank`` says how a blank name is spelt, or which IRI stands for it.
    """

    def __init__(
        self,
        spaces: Mapping[str, str],
        spell: Spell,
        minter: Minter,
        blank: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__()
        order = sorted(({**spaces, **RESERVED}).items(), key=lambda one: (-len(one[1]), one[0] == DEFAULT))
        self.spaces = [(space, prefix) for prefix, space in order]
        self._spell = spell
        self._minter = minter
        self._blank = blank

    def __missing__(self, iri: str) -> str:
        self[iri] = found = self._spelt(iri)
        return found

    def _spelt(self, iri: str) -> str:
        if self._blank and iri.startswith(BLANK):
            return self._blank(iri)
        for space, prefix in self.spaces:
            if iri.startswith(space):
                found = self._spell(prefix, iri[len(space) :])
                if found is not None:
                    return found
        space, local = (
            (BLANK_SPACE, iri[len(BLANK_SPACE) :]) if iri.startswith(BLANK_SPACE) else split_iri(iri)
        )
        found = self._spell(self._minter.prefix(space), local)
        if found is None:
            raise ValueError(f"a name that no format can hold: {iri!r}")
        return found


def minter_for(document: Document) -> Minter:
    """A minter that makes no prefix which some part of the document has."""
    taken = {prefix for part in document.parts for prefix in part.prefixes}
    return Minter(taken | RESERVED.keys() | {DEFAULT, "_", "default"})


def scopes(document: Document, legal: Callable[[str], bool]) -> list[dict[str, str]]:
    """For each part of the document the prefixes that hold in it and that the format allows."""
    outer = {prefix: space for prefix, space in document.main.prefixes.items() if legal(prefix)}
    inner = (
        {**outer, **{prefix: space for prefix, space in bundle.prefixes.items() if legal(prefix)}}
        for bundle in document.bundles
    )
    return [outer, *inner]


def referred(part: Bundle) -> set[str]:
    """The blank names of a part that name more than a relation: they can't be left out."""
    found: set[str] = set()
    for statement in part.statements:
        if isinstance(statement, Element):
            if statement.id.startswith(BLANK):
                found.add(statement.id)
        elif isinstance(statement, Extension):
            found.update(chain.from_iterable(map(_blanks, statement.arguments)))
        else:
            found.update([one for one in statement.arguments if one and one[0] == "_"])
        for _, value in statement.attributes:
            if value.value.startswith(BLANK) and value.is_name:
                found.add(value.value)
    return found


def _blanks(place: Carried) -> Iterator[str]:
    """The blank names in a part of an extension, however deep they stand."""
    if isinstance(place, tuple):
        yield from chain.from_iterable(map(_blanks, place))
    elif isinstance(place, Literal):
        if place.is_name and place.value.startswith(BLANK):
            yield place.value
    elif place and place.startswith(BLANK):
        yield place


def skolem(name: str, part: int) -> str:
    """The IRI for a blank name of the part with this number (0 is the main one): no two parts share one."""
    local = name[len(BLANK) :]
    mark = f"{part}."
    return BLANK_SPACE + (local if not part or local.startswith(mark) else mark + local)
