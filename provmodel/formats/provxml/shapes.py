"""The elements of PROV-XML (W3C Note, 30 April 2013) by their names as the parser gives them, and a statement
while it is read.
"""

from __future__ import annotations

import msgspec

from provmodel.document import DERIVATION_SUBTYPES, PROV, PROV_QUALIFIED_NAME, PROV_TYPE, Attribute, Literal
from provmodel.documents import dictionary
from provmodel.documents.faults import SHOWN
from provmodel.documents.lacking import required
from provmodel.formats.provxml.fragments import SEPARATOR, name_parts
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
    """A statement while its element is open. ``time`` is its time, or an activity's end; ``members`` are
    those of ``hadMember`` beside the first, ``parts`` the pairs or keys of a dictionary.
    """

    failed = False
    start: str | None = None
    time: str | None = None
    pair: list[Literal] | None = None
    entity: str | None = None
    members: list[str] | None = None
    parts: list[Literal | tuple[Literal, str]] | None = None

    def __init__(
        self,
        shape: ElementShape | RelationShape | DictionaryShape | None,
        line: int,
        tag: str,
        name: str | None,
    ) -> None:
        self.shape = shape
        self.places = shape.places if shape else {}
        self.line = line
        self.tag = tag
        self.name = name
        self.attributes: list[Attribute] = []
        self.ends: dict[int, str] = {}

    def add_member(self, name: str) -> None:
        """Another member of ``hadMember``."""
        self.members = self.members or []
        self.members.append(name)

    def add_part(self, part: Literal | tuple[Literal, str]) -> None:
        """Another pair or key of a dictionary."""
        self.parts = self.parts or []
        self.parts.append(part)

    def where(self) -> str:
        """Line, and the element with its id."""
        name = f" {self.name[:SHOWN]}" if self.name else ""
        return f"line {self.line}, {name_parts(self.tag)[1]}{name}"

    def typed(self, kind: str) -> tuple[Attribute, ...]:
        """The attributes, and the type that the element's own name gives ("" for none)."""
        if not kind:
            return tuple(self.attributes)
        own = PROV_TYPE, Literal(kind, PROV_QUALIFIED_NAME)
        is_given = any(
            name == PROV_TYPE and value.value == kind and value.is_name for name, value in self.attributes
        )
        return tuple(self.attributes) if is_given else (own, *self.attributes)


def own(name: str) -> str:
    """A name of PROV's namespace as the parser gives it."""
    return f"{PROV}{SEPARATOR}{name}"


BUNDLE = own("bundle")
BUNDLE_CONTENT = own("bundleContent")
OTHER = own("other")


def _relation(term: Term, subtype: str = "") -> RelationShape:
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    places = {own(name): position for position, name in enumerate(names)}
    if term.timed:
        places[own("time")] = TIME
    return RelationShape(term, len(names), places, required(term), subtype)


def _dictionary(shape: dictionary.Shape) -> DictionaryShape:
    places = {own(name): place for place, name in enumerate(shape.xml)}
    inner = {own("keyEntityPair"): PAIR, own("entity"): len(places)} if shape.pairs else {}
    return DictionaryShape(shape, {**places, own("key"): KEY, **inner})


_SUBTYPES = {
    Kind.ENTITY: ("plan", "collection", "emptyCollection", "bundle", "dictionary", "emptyDictionary"),
    Kind.AGENT: ("person", "organization", "softwareAgent"),
}
_TIMES = {own("startTime"): START, own("endTime"): END}
SHAPES: dict[str, ElementShape | RelationShape | DictionaryShape] = {
    own("entity"): ElementShape(Kind.ENTITY),
    own("agent"): ElementShape(Kind.AGENT),
    own("activity"): ElementShape(Kind.ACTIVITY, places=_TIMES),
    **{
        own(name): ElementShape(kind, PROV + name[0].upper() + name[1:])
        for kind, names in _SUBTYPES.items()
        for name in names
    },
    **{own(term.name): _relation(term) for term in TERMS if not term.json_name},
    **{own(name): _relation(DERIVATION, subtype) for subtype, name in DERIVATION_SUBTYPES.items()},
    **{own(name): _dictionary(shape) for name, shape in dictionary.SHAPES.items()},
}
