"""What a document says in Clew's own terms (docs/vocabulary.md): who asserts a relation, how well it is
known, what refutes it, and who describes a node.

An export writes all of that as entities and attributes, for PROV has no place for it. Here it is recognised
again, by the published terms alone: whatever the base of the store that wrote it. What an export takes apart
for a format is together again when it was read (:mod:`provmodel.documents.own`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from provmodel.document import PROV, PROV_TYPE, Attribute, Bundle, Element, Literal, Statement
from provmodel.evidence import Evidence, Stance
from provmodel.lexical import CLEW
from provmodel.relations import ATTRIBUTION, BY_NAME, Term

ASSERTION = CLEW + "Assertion"
DESCRIPTION = CLEW + "Description"
REFUTED = CLEW + "RefutedRelation"
_PLACEHOLDER = CLEW + "placeholder"
_OWN_TYPES = frozenset({ASSERTION, DESCRIPTION, REFUTED})
_TIMES = (PROV + "time", PROV + "atTime")
_ABOUT = re.compile(r";about[:/](?:rel/([0-9a-f]{16})|(attr|name)/(.*))$").search
_EVIDENCE = {evidence.word: evidence for evidence in Evidence}
_STANCE = {stance.word: stance for stance in Stance}

Attributes = tuple[Attribute, ...]


class Claim(NamedTuple):
    """One assertion about a relation, as an entity tells it; ``asserter`` is an IRI."""

    evidence: Evidence
    stance: Stance
    asserter: str
    attributes: Attributes


class Description(NamedTuple):
    """What one asserter says of a node: names to one or several lexical forms."""

    evidence: Evidence
    stance: Stance
    asserter: str
    stated: dict[str, Any]


class Told:
    """What a part of a document says in Clew's terms.

    ``claims`` are those about each relation, by its id; ``said`` the descriptions of each node, by its IRI.
    ``placeholders`` are nodes that nothing described, ``relations`` the refuted ones, which stand as
    entities. ``taken`` are the entities and attributions that say nothing else.
    """

    def __init__(self, part: Bundle) -> None:
        self.claims: dict[str, list[Claim]] = {}
        self.said: dict[str, list[Description]] = {}
        self.relations: list[Statement] = []
        self.taken: set[str] = set()
        self.placeholders = {
            one.id
            for one in part.statements
            if isinstance(one, Element) and any(name == _PLACEHOLDER for name, _ in one.attributes)
        }
        own = _own_entities(part)
        if own:
            self._read(part, own)

    def _read(self, part: Bundle, own: dict[str, tuple[str, Attributes]]) -> None:
        asserters = _asserters(part, own)
        for name, (kind, attributes) in own.items():
            if kind == REFUTED:
                self._relation(name, attributes)
        known = {one.id for one in (*part.statements, *self.relations) if isinstance(one, Statement)}
        for name, (kind, attributes) in own.items():
            if kind == ASSERTION:
                self._assertion(name, attributes, asserters.get(name), known)
            elif kind == DESCRIPTION:
                self._description(name, attributes, asserters.get(name))

    def _relation(self, name: str, attributes: Attributes) -> None:
        term = _term(attributes)
        if term is None:
            return
        places = [f"{CLEW}subject", f"{CLEW}argument", *(CLEW + one.name for one in term.arguments[1:])]
        subject, *arguments = (_name(attributes, place) for place in places)
        if subject is None:
            return
        time = next((value for place in _TIMES if (value := _text(attributes, place))), None)
        used = {*places, CLEW + "term", PROV_TYPE, *_TIMES}
        kept = tuple(one for one in attributes if one[0] not in used)
        absent = (None,) * len(term.references)
        self.relations.append(Statement(term, name, (subject, *arguments, *absent), time, kept))
        self.taken.add(name)

    def _assertion(
        self, name: str, attributes: Attributes, asserter: str | None, known: set[str | None]
    ) -> None:
        relation = _name(attributes, CLEW + "relation")
        evidence, stance = _how(attributes)
        if relation in known and relation and asserter and evidence and stance is not None:
            used = {PROV_TYPE, CLEW + "relation", CLEW + "evidence", CLEW + "stance"}
            kept = tuple(one for one in attributes if one[0] not in used)
            self.claims.setdefault(relation, []).append(Claim(evidence, stance, asserter, kept))
            self.taken.add(name)

    def _description(self, name: str, attributes: Attributes, asserter: str | None) -> None:
        node = _name(attributes, CLEW + "describes")
        evidence, stance = _how(attributes)
        try:
            stated = msgspec.json.decode(_text(attributes, CLEW + "stated") or "", type=dict[str, Any])
        except msgspec.DecodeError:
            return
        if node and asserter and evidence and stance is not None:
            self.said.setdefault(node, []).append(Description(evidence, stance, asserter, stated))
            self.taken.add(name)


def _own_entities(part: Bundle) -> dict[str, tuple[str, Attributes]]:
    """The entities of a type that only says something about others, with all that is said of them."""
    found: dict[str, tuple[str, Attributes]] = {}
    for one in part.statements:
        if isinstance(one, Element) and one.attributes:
            kind = next((v.value for n, v in one.attributes if n == PROV_TYPE and v.value in _OWN_TYPES), "")
            if kind:
                found[one.id] = kind, (*found.get(one.id, ("", ()))[1], *one.attributes)
    return found


def _asserters(part: Bundle, own: dict[str, tuple[str, Attributes]]) -> dict[str, str]:
    """To whom these entities are attributed."""
    found: dict[str, str] = {}
    for one in part.statements:
        if isinstance(one, Statement) and one.term is ATTRIBUTION and one.arguments[0] in own:
            agent = one.nodes[0]
            if one.subject and agent:
                found.setdefault(one.subject, agent)
    return found


def _how(attributes: Attributes) -> tuple[Evidence | None, Stance | None]:
    return (
        _EVIDENCE.get(_text(attributes, CLEW + "evidence") or ""),
        _STANCE.get(_text(attributes, CLEW + "stance") or ""),
    )


def _term(attributes: Attributes) -> Term | None:
    name = _name(attributes, CLEW + "term") or ""
    return BY_NAME.get(name.removeprefix(PROV)) if name.startswith(PROV) else None


def _values(attributes: Attributes, name: str) -> Iterator[Literal]:
    return (value for given, value in attributes if given == name)


def _text(attributes: Attributes, name: str) -> str | None:
    return next((value.value for value in _values(attributes, name)), None)


def _name(attributes: Attributes, name: str) -> str | None:
    return next((value.value for value in _values(attributes, name) if value.is_name), None)


def is_made(name: str | None) -> bool:
    """True for the name that an export makes for a relation out of all that tells it apart."""
    found = _ABOUT(name) if name else None
    return found is not None and found[1] is not None


def free_name(iri: str) -> str | None:
    """What a producer called an attribute that an export names under ``about:``; None for another IRI."""
    found = _ABOUT(iri)
    if not found or not found[2]:
        return None
    name = unquote(found[3])
    return f"attr:{name}" if found[2] == "attr" else name
