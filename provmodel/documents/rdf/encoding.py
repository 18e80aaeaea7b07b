"""A document in triples: a subject with what is said of it at a time, spelt.

A relation has its plain triple, and its qualified form where it has more to say than that. It has one, too,
where another relation of the same ends has one: the plain triple would be taken for that of the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from provmodel.document import (
    ABSENT_MARK,
    PROV,
    PROV_QUALIFIED_NAME,
    PROV_TYPE,
    XSD_DATETIME,
    Attribute,
    Bundle,
    Carried,
    Element,
    Extension,
    Literal,
    Statement,
)
from provmodel.documents import dictionary
from provmodel.documents.faults import Losses
from provmodel.documents.naming import referred
from provmodel.documents.rdf.spelling import Names
from provmodel.documents.rdf.vocabulary import (
    ARGUMENTS,
    AT_TIME,
    ATTRIBUTES,
    CLASS_OF,
    CLASSES,
    DESCRIPTION,
    ENDED,
    INFLUENCER,
    KINDS,
    MENTION_BUNDLE,
    MOMENTS,
    PROPERTIES,
    QUALIFIED_OF,
    QUALIFIED_OF_SUBTYPE,
    RELATING,
    STARTED,
    SUBKINDS,
    plains,
)
from provmodel.documents.values import is_datetime
from provmodel.relations import DERIVATION, MENTION, Kind

Row = tuple[str, list[str]]
"""A subject, and properties with a value each ("prov:used ex:e")."""

_SAME = frozenset({PROV + "atLocation"})  # compared as prov:location
_WHY = "in PROV-O it would say something else"


class Encoder:
    """Makes the triples of one part. ``a`` is how the text spells rdf:type."""

    def __init__(self, part: Bundle, names: Names, losses: Losses, a: str) -> None:
        self.part = part
        self.names = names
        self.losses = losses
        self.a = a
        self._referred = referred(part)
        self._calls: dict[str, tuple[object, ...]] = {}
        self._kinds = self._kinds_of()
        self._qualified, self._mentions = self._pairs()

    def rows(self) -> Iterator[Row]:
        """The triples, in the order of the statements."""
        for one in self.part.statements:
            if isinstance(one, Statement):
                yield from self._statement(one)
            elif isinstance(one, Element):
                yield self._element(one)
            else:
                yield from self._extension(one)

    # --- elements ---

    def _kinds_of(self) -> dict[str, int]:
        """The kinds of those names that have several."""
        seen: dict[str, int] = {}
        for one in self.part.statements:
            if isinstance(one, Element):
                seen[one.id] = seen.get(one.id, 0) | one.kind
        return {name: mask for name, mask in seen.items() if mask & (mask - 1)}

    def _element(self, one: Element) -> Row:
        said = [f"{self.a} {self.names[CLASS_OF[one.kind]]}"]
        for name, time in ((STARTED, one.start), (ENDED, one.end)):
            if time and time != ABSENT_MARK:
                said.append(f'{self.names[name]} "{time}"^^{self.names[XSD_DATETIME]}')
        if one.attributes:
            own = frozenset({STARTED, ENDED} if one.kind is Kind.ACTIVITY else ())
            said += self._attributes(one.id, one.attributes, own)
            self.tell_kinds(one)
        return self.names[one.id], said

    def tell_kinds(self, one: Element) -> None:
        """Tell where a reader of RDF would take an attribute of one kind for one of another."""
        mask = self._kinds.get(one.id)
        for name, value in one.attributes:
            if name == PROV_TYPE and value.is_name:
                kind = KINDS.get(value.value) or SUBKINDS.get(value.value)
                if kind and (kind is not one.kind or value.value in KINDS):
                    self.losses.add(one.id, f"that it is of type <{value.value}>, but no more", _WHY)
                if kind or value.value in CLASSES:
                    continue
            if mask and one.kind is not _first(mask):
                why = "in RDF an attribute is the subject's, whichever kind it is"
                self.losses.add(one.id, f"that attributes are those of the {one.kind.word}", why)

    # --- relations ---

    def _pairs(self) -> tuple[set[tuple[str, str, str]], set[str]]:
        """The plain triples that qualified forms say, too; and the subjects of several mentions."""
        said: set[tuple[str, str, str]] = set()
        mentions: dict[str, int] = {}
        for one in self.part.statements:
            if isinstance(one, Statement) and one.subject:
                if one.term is MENTION:
                    mentions[one.subject] = mentions.get(one.subject, 0) + 1
                end = one.nodes[0]
                if end and not self._is_bare(one):
                    said.update((plain, one.subject, end) for plain in plains(one.term, _types(one)))
        return said, {name for name, count in mentions.items() if count > 1}

    def _is_bare(self, one: Statement) -> bool:
        """True for a relation whose plain triple says all of it."""
        if one.id and (one.id[0] != "_" or one.id in self._referred):
            return False
        if one.time and one.time != ABSENT_MARK:
            return False
        arguments = one.arguments
        if len(arguments) > 2 and one.term is not MENTION:
            for end in arguments[2:]:
                if end and end != ABSENT_MARK:
                    return False
        if not one.attributes:
            return True
        return one.term is DERIVATION and len(one.attributes) == 1 and bool(_subtypes(one))

    def _statement(self, one: Statement) -> Iterator[Row]:
        subject, end = one.subject, one.nodes[0]
        names = self.names
        bare = bool(subject and end) and self._is_bare(one)
        if subject and end:
            properties = [_plain(one)] if bare else plains(one.term, _types(one))
            if not bare and len(properties) > 1:
                del properties[0]  # a subtype says it
            if bare and (properties[0], subject, end) in self._qualified:
                bare = False
            if one.term is MENTION and subject in self._mentions:
                bare = False
            said = [f"{names[name]} {names[end]}" for name in properties]
            if bare and one.term is MENTION and one.nodes[1]:
                said.append(f"{names[MENTION_BUNDLE]} {names[one.nodes[1]]}")
            if bare:
                yield names[subject], said
                return
        else:
            said = []
        node = self.node(one) or names.blank()
        subtypes = _subtypes(one)
        leading = QUALIFIED_OF_SUBTYPE[subtypes[0]] if subtypes else QUALIFIED_OF[one.term.name][0]
        if subject:
            yield names[subject], [*said, f"{names[leading]} {node}"]
        yield node, self._qualified_form(one, node)

    def node(self, one: Statement) -> str:
        """How the node of a relation is called; "" for one that nothing names."""
        if not one.id or (one.id[0] == "_" and one.id not in self._referred):
            return ""
        call = (one.term.index, one.time, *one.arguments)
        if self._calls.setdefault(one.id, call) != call:
            why = "in RDF all that is said of one node belongs together"
            self.losses.add(one.id, "which of several relations of one id says what", why)
        return self.names[one.id]

    def _qualified_form(self, one: Statement, node: str) -> list[str]:
        names = self.names
        properties = ARGUMENTS[one.term.name]
        said = [] if _subtypes(one) else [f"{self.a} {names[QUALIFIED_OF[one.term.name][1]]}"]
        said += [
            f"{names[name]} {names[end]}"
            for name, end in zip(properties, one.arguments[1:], strict=False)
            if end and end != ABSENT_MARK
        ]
        if one.time and one.time != ABSENT_MARK:
            said.append(f'{names[AT_TIME]} "{one.time}"^^{names[XSD_DATETIME]}')
        if one.attributes:
            own = frozenset({*properties, INFLUENCER, AT_TIME})
            said += self._attributes(one.id or node, one.attributes, own)
        return said

    # --- attributes ---

    def _attributes(self, where: str, attributes: tuple[Attribute, ...], own: frozenset[str]) -> list[str]:
        names, said = self.names, []
        for name, value in attributes:
            if name == PROV_TYPE:
                said.append(f"{self.a} {names.value(value)}")
                continue
            known = PROPERTIES.get(name, name)
            if value.is_name and (name in RELATING or name in own):
                self.losses.add(where, f"the attribute <{name}>", _WHY)
                continue
            if name in ATTRIBUTES and name not in _SAME:
                what = f"that it was called <{name}>, not <{ATTRIBUTES[name]}>"
                self.losses.add(where, what, "PROV-O has one property for both")
            elif (name in own or name in MOMENTS) and is_datetime(value.value):
                self.losses.add(where, f"that <{name}> is an attribute", _WHY)
            said.append(f"{names[known]} {names.value(value)}")
        return said

    # --- extensions ---

    def _extension(self, one: Extension) -> Iterator[Row]:
        if one.name == DESCRIPTION and len(one.arguments) == 1 and isinstance(one.arguments[0], str):
            subject = one.arguments[0]
            if subject != ABSENT_MARK and one.attributes:
                yield self.names[subject], self._attributes(subject, one.attributes, frozenset())
            return
        apart = dictionary.taken_apart(one)
        if apart is None:
            self.losses.add(one.id or one.name, f"the statement <{one.name}>", "PROV-O has no form of it")
            return
        yield from self._dictionary(one, *apart)

    def _dictionary(
        self,
        one: Extension,
        shape: dictionary.Shape,
        leading: tuple[str | None, ...],
        rows: list[tuple[Carried, ...]],
    ) -> Iterator[Row]:
        names = self.names
        heads = [head for head in leading if head and head != ABSENT_MARK]
        if len(heads) < len(leading) or one.attributes or (shape.single and one.id):
            self.losses.add(
                one.id or one.name, "what it says beside its dictionaries", "PROV-O has no form of it"
            )
        if len(heads) < len(leading):
            return
        prov = PROV
        word = "Insertion" if shape.pairs else "Removal"
        parts: list[str] = []
        for key, *entity in rows:
            text = names.value(key) if isinstance(key, Literal) else ""
            if not shape.pairs:
                parts.append(f"{names[prov + 'removedKey']} {text}")
                continue
            pair = names.blank()
            yield (
                pair,
                [
                    f"{self.a} {names[prov + 'KeyEntityPair']}",
                    f"{names[prov + 'pairKey']} {text}",
                    f"{names[prov + 'pairEntity']} {names[str(entity[0])]}",
                ],
            )
            parts.append(f"{names[prov + 'insertedKeyEntityPair']} {pair}")
            if shape.single:
                yield names[heads[0]], [f"{names[prov + 'hadDictionaryMember']} {pair}"]
        if shape.single:
            return
        node = names[one.id] if one.id else names.blank()
        yield names[heads[0]], [f"{names[prov + 'qualified' + word]} {node}"]
        yield (
            node,
            [f"{self.a} {names[prov + word]}", f"{names[prov + 'dictionary']} {names[heads[1]]}", *parts],
        )


def _first(mask: int) -> Kind:
    return next(kind for kind in Kind if kind and mask & kind)


def _subtypes(one: Statement) -> list[str]:
    if one.term is not DERIVATION or not one.attributes:
        return []
    types = _types(one)
    return [subtype for subtype in QUALIFIED_OF_SUBTYPE if subtype in types]


def _types(one: Statement) -> frozenset[str]:
    return frozenset(
        value.value
        for name, value in one.attributes
        if name == PROV_TYPE and value.datatype == PROV_QUALIFIED_NAME
    )


def _plain(one: Statement) -> str:
    return plains(one.term, _types(one))[-1]
