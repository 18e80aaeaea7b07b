"""What an event becomes: nodes, relations, the assertions that state them, attributes, and facts for joining.

Everything here is named by references (text), never by store integers, so that it can be computed, compared
and exported without a store.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Literal

import msgspec
from msgspec.structs import force_setattr as _set

from provmodel.evidence import Evidence, Stance
from provmodel.relations import Flow, Kind, Term

Datatype = str
"""How a lexical form is to be read: ``string``, ``qname`` (a term such as ``clew:ModelCall``), ``dateTime``,
``integer``, ``double``, ``boolean``, ``json``; and in what documents say also ``iri`` (a reference),
``@tag`` (a text in a language) and ``<iri>`` (any other datatype). ``body``: it is the id of the body that
holds the value.
"""


class Node(msgspec.Struct, frozen=True):
    """An entity, activity or agent: its reference and the sum of the PROV kinds it was used as."""

    ref: str
    kind: int


class Attribute(msgspec.Struct, frozen=True, gc=False):
    """One statement about a node: a qualified name and a value, with its evidence and asserter like an edge.

    ``value`` is the lexical form; ``datatype`` says how to read it.
    """

    node: str
    name: str
    value: str
    datatype: Datatype
    evidence: Evidence
    asserter: str
    stance: Stance = Stance.SUPPORTS


class Relation(msgspec.Struct, frozen=True, gc=False):
    """One PROV relation with all its arguments.

    ``arguments`` stand in the order of ``term.arguments``; an absent one is ``None``. ``flow`` overrides the
    flow class of the first argument where the role decides it (an instruction is used as control). ``id`` is
    the name that a document gives the relation ("" for none). ``key`` is the relation's identity as a 63-bit
    integer, made from the term, all arguments, the role and that name; it is made here, so that no writer
    makes it while others wait for him.
    """

    term: Term
    subject: str
    arguments: tuple[str | None, ...]
    role: str = ""
    flow: Flow | None = None
    key: int = 0
    id: str = ""

    def __post_init__(self) -> None:
        role = f"{self.role}\x1f{self.id}" if self.id else self.role
        _set(self, "key", relation_key(self.term.name, self.subject, self.arguments, role))

    def nodes(self) -> Iterator[tuple[str, Kind]]:
        """Each node that stands in the relation, with the kind that its place gives it."""
        yield self.subject, self.term.subject_kind
        for argument, ref in zip(self.term.arguments, self.arguments, strict=False):
            if ref is not None:
                yield ref, argument.kind

    def code(self, position: int) -> int:
        """The row code of the argument at ``position``."""
        return self.term.code(position, self.flow if position == 0 else None)


_start = blake2b(digest_size=8).copy
_number = int.from_bytes


def relation_key(term: str, subject: str, arguments: tuple[str | None, ...], role: str) -> int:
    """63 bits of BLAKE2b over the parts; unit separators can't occur in a reference, so no two lists collide
    by joining.
    """
    if len(arguments) == 1:
        text = "\x1f".join((term, subject, arguments[0] or "", role))
    else:
        text = "\x1f".join((term, subject, *[argument or "" for argument in arguments], role))
    digest = _start()  # a copy is cheaper than a new one
    digest.update(text.encode())
    return _number(digest.digest()) >> 1


class Assertion(msgspec.Struct, frozen=True, gc=False):
    """One statement that a relation holds, or does not. Its evidence has no default: whoever states it must
    say.

    ``asserter`` is the reference of the agent who says so; ``method`` says how it was concluded ("" when the
    event itself says it); ``attributes`` are canonical JSON text of qualified names to values ("" for none).
    """

    relation: Relation
    evidence: Evidence
    asserter: str
    stance: Stance = Stance.SUPPORTS
    method: str = ""
    time: str = ""
    attributes: str = ""


class Fact(msgspec.Struct, frozen=True, gc=False):
    """What one event offers to, or needs from, the events that share ``key`` (see :mod:`provmodel.joining`).

    ``key`` is text such as ``state:file:/a@sha256:..``; ``side`` is "need", "offer" or "listed"; ``node`` is
    the reference it is about; ``data`` is what the join reads, as JSON text.
    """

    key: str
    side: Literal["need", "offer", "listed"]
    node: str
    data: str = ""


class Records(msgspec.Struct, frozen=True, gc=False):
    """All that one event becomes by itself.

    ``subject`` is the reference of the node that the event describes; ``lookup`` is a key under which the
    event can be found without knowing a node ("" for none; ``sticky:<thing>`` or ``session:<run>`` for a
    grant that reaches beyond the actions it names).
    """

    subject: str
    nodes: dict[str, int]
    assertions: list[Assertion]
    attributes: list[Attribute]
    facts: list[Fact]
    lookup: str = ""


class Tombstone(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What stays of a deleted body: when, under which policy, by whom, why, and from which places it went.

    ``state`` is requested until key and bytes are gone from everywhere Clew put them, then done. ``reason``
    is the id of the body that says why in words. ``backups`` are copies that Clew made while it was there,
    and until when each is kept. ``provable`` is what can still be shown without it, ``lost`` what no longer
    can.
    """

    body: str
    state: Literal["requested", "done"]
    done: str = ""
    requested: str
    policy: str
    actor: str
    reason_class: str
    reason: str = ""
    places: tuple[str, ...]
    backups: tuple[str, ...] = ()
    provable: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
