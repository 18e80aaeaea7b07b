"""The elements of PROV-XML (W3C Note, 30 April 2013), and a statement while it is read."""

from __future__ import annotations

import msgspec

from provmodel.document import DERIVATION_SUBTYPES, PROV, PROV_QUALIFIED_NAME, PROV_TYPE, Attribute, Literal
from provmodel.documents import dictionary
from provmodel.documents.lacking import required
from provmodel.formats.provxml.fragments import name_parts
from provmodel.relations import DERIVATION, TERMS, Kind, Term

# Places of children that are no argument.
TIME = END = -1
START = -2
KEY = -3
PAIR = -4

MEMBER = 1  # the place of the member in hadMember


class ElementShape(msgspec.Struct, frozen=True):
    """An element for an entity, activity or agent; ``type`` is the prov:type that its name gives."""

    kind: Kind
    type: str = ""
    places: dict[str, int] = {}


class RelationShape(msgspec.Struct, frozen=True):
    """An element for a relation: which child is which argument (or the time), and which must be there."""

    term: Term
    size: int
    places: dict[str, int]
    required: tuple[int, ...]
    type: str = ""


class DictionaryShape(msgspec.Struct, frozen=True):
    """An element for a statement of PROV-DICTIONARY."""

    shape: dictionary.Shape
    places: dict[str, int]


class Open:
    """A statement while its element is open. ``time`` is its time, or an activity's end."""

    __slots__ = (
        "attributes",
        "ends",
        "entity",
        "failed",
        "line",
        "members",
        "name",
        "pair",
        "parts",
        "shape",
        "start",
        "tag",
        "time",
    )

    def __init__(
        self,
        shape: ElementShape | RelationShape | DictionaryShape | None,
        line: int,
        tag: str,
        name: str | None,
    ) -> None:
        self.shape = shape
        self.line = line
        self.tag = tag
        self.name = name
        self.failed = False
        self.attributes: list[Attribute] = []
        self.ends: dict[int, str] = {}
        self.members: list[str] = []
        self.start: str | None = None
        self.time: str | None = None
        self.pair: list[Literal] | None = None
        self.entity: str | None = None
        self.parts: list[Literal | tuple[Literal, str]] = []

    def where(self) -> str:
        """Line, and the element with its id."""
        return f"line {self.line}, {name_parts(self.tag)[1]}{' ' if self.name else ''}{self.name or ''}"

    def typed(self, kind: str) -> tuple[Attribute, ...]:
        """The attributes, and the type that the element's own name gives ("" for none)."""
        if not kind:
            return tuple(self.attributes)
        own = PROV_TYPE, Literal(kind, PROV_QUALIFIED_NAME)
        is_given = any(
            name == PROV_TYPE and value.value == kind and value.is_name for name, value in self.attributes
        )
        return tuple(self.attributes) if is_given else (own, *self.attributes)


def _relation(term: Term, subtype: str = "") -> RelationShape:
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    places = {PROV + name: position for position, name in enumerate(names)}
    if term.timed:
        places[PROV + "time"] = TIME
    return RelationShape(term, len(names), places, required(term), subtype)


def _dictionary(shape: dictionary.Shape) -> DictionaryShape:
    places = {PROV + name: place for place, name in enumerate(shape.xml)}
    inner = {"keyEntityPair": PAIR, "entity": len(places)} if shape.pairs else {}
    return DictionaryShape(
        shape, {**places, PROV + "key": KEY, **{PROV + name: place for name, place in inner.items()}}
    )


_SUBTYPES = {
    Kind.ENTITY: ("plan", "collection", "emptyCollection", "bundle", "dictionary", "emptyDictionary"),
    Kind.AGENT: ("person", "organization", "softwareAgent"),
}
SHAPES: dict[str, ElementShape | RelationShape | DictionaryShape] = {
    PROV + "entity": ElementShape(Kind.ENTITY),
    PROV + "agent": ElementShape(Kind.AGENT),
    PROV + "activity": ElementShape(Kind.ACTIVITY, places={PROV + "startTime": START, PROV + "endTime": END}),
    **{
        PROV + name: ElementShape(kind, PROV + name[0].upper() + name[1:])
        for kind, names in _SUBTYPES.items()
        for name in names
    },
    **{PROV + term.name: _relation(term) for term in TERMS if not term.json_name},
    **{PROV + name: _relation(DERIVATION, subtype) for subtype, name in DERIVATION_SUBTYPES.items()},
    **{PROV + name: _dictionary(shape) for name, shape in dictionary.SHAPES.items()},
}
