"""A document in triples: a subject with what is said of it at a time, spelt.

A relation has its plain triple, and its qualified form where it has more to say than that. It has one, too,
where another relation of the same ends has one: the plain triple would be taken for that of the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

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
from provmodel.relations import DERIVATION, MENTION, Kind, Term

Row = tuple[str, list[str]]
"""A subject, and properties with a value each ("prov:used ex:e")."""

BATCH = 1024  # statements between two batches of rows
_SAME = frozenset({PROV + "atLocation"})  # compared as prov:location
_WHY = "in PROV-O it would say something else"
_OWN_TIMES = frozenset({STARTED, ENDED})
_NO_NAMES: frozenset[str] = frozenset()
_OWN = {name: frozenset({*properties, INFLUENCER, AT_TIME}) for name, properties in ARGUMENTS.items()}
# Names that some statement or other must not have as attributes, or has under another name.
_SPECIAL = frozenset({PROV_TYPE, STARTED, ENDED, *MOMENTS, *RELATING, *ATTRIBUTES}).union(*_OWN.values())


class _Shape(NamedTuple):
    """How a term is spelt: properties each with the space after it, and the type of the qualified node."""

    plain: str
    leading: str
    typed: str
    arguments: tuple[str, ...]


class Encoder:
    """Makes the triples of one part. ``a`` is how the text spells rdf:type."""

    def __init__(self, part: Bundle, names: Names, losses: Losses, a: str) -> None:
        self.part = part
        self.names = names
        self.losses = losses
        self.a = a
        self._shapes: dict[str, _Shape] = {}
        self._heads: dict[str, str] = {}
        self._at = {name: f'{names[name]} "' for name in (STARTED, ENDED, AT_TIME)}
        self._moment = f'"^^{names[XSD_DATETIME]}'
        self._classes = {kind: f"{a} {names[class_]}" for kind, class_ in CLASS_OF.items()}
        self._referred = _referred(part)
        self._calls: dict[str, tuple[object, ...]] = {}
        self._described: set[str] = set()
        self._kinds = self._kinds_of()
        self._bare: list[bool] = []
        self._mentions: set[str] = set()
        self._qualified = self._pairs()
        self._ambiguous = bool(self._qualified or self._mentions)

    def batches(self) -> Iterator[list[Row]]:
        """The triples, in the order of the statements, some thousand at a time."""
        rows: list[Row] = []
        relation = self._statement
        for number, (one, bare) in enumerate(zip(self.part.statements, self._bare, strict=True), 1):
            if isinstance(one, Statement):
                relation(one, bare, rows)
            elif isinstance(one, Element):
                rows.append(self._element(one))
            else:
                rows.extend(self._extension(one))
            if not number % BATCH:
                yield rows
                rows = []
        yield rows

    # --- elements ---

    def _kinds_of(self) -> dict[str, int]:
        """The kinds of those names that have several; notes, too, of which more is said than their kind."""
        seen: dict[str, int] = {}
        for one in self.part.statements:
            if isinstance(one, Element):
                seen[one.id] = seen.get(one.id, 0) | one.kind
                if one.attributes or one.start or one.end:
                    self._described.add(one.id)
        return {name: mask for name, mask in seen.items() if mask & (mask - 1)}

    def _element(self, one: Element) -> Row:
        said = [self._classes[one.kind]]
        if one.start and one.start != ABSENT_MARK:
            said.append(self._at[STARTED] + one.start + self._moment)
        if one.end and one.end != ABSENT_MARK:
            said.append(self._at[ENDED] + one.end + self._moment)
        if one.attributes:
            own = _OWN_TIMES if one.kind is Kind.ACTIVITY else _NO_NAMES
            self._attributes(one.id, one.attributes, own, said)
            self.tell_kinds(one)
        return self.names[one.id], said

    def tell_kinds(self, one: Element) -> None:
        """Tell where a reader of RDF would take an attribute of one kind for one of another."""
        mask = self._kinds.get(one.id) if self._kinds else None
        for name, value in one.attributes:
            if name == PROV_TYPE and value.is_name:
                kind = KINDS.get(value.value) or SUBKINDS.get(value.value)
                if kind and (kind is not one.kind or value.value in KINDS):
                    self.losses.add(one.id, f"that it is of type <{value.value}>, but no more", _WHY)
                if value.value in CLASSES:
                    what = f"that it is of type <{value.value}>, and no relation"
                    self.losses.add(one.id, what, _WHY)
                if kind or value.value in CLASSES:
                    continue
            if mask and one.kind is not _first(mask):
                why = "in RDF an attribute is the subject's, whichever kind it is"
                self.losses.add(one.id, f"that attributes are those of the {one.kind.word}", why)

    # --- relations ---

    def _pairs(self) -> set[tuple[str, str, str]]:
        """The plain triples that qualified forms say, too.

        Of terms that stand both ways alone: others have no plain triple that could be taken for another.
        """
        statements, is_bare = self.part.statements, self._is_bare
        self._bare = [isinstance(one, Statement) and is_bare(one) for one in statements]
        relations = [one for one in zip(statements, self._bare, strict=True) if isinstance(one[0], Statement)]
        ways = {(one.term.index, bare) for one, bare in relations if isinstance(one, Statement)}
        both = {index for index, bare in ways if bare and (index, False) in ways}
        if (MENTION.index, True) in ways:
            self._mentions = _repeated(self.part)
        said: set[tuple[str, str, str]] = set()
        for one, bare in relations if both else ():
            if isinstance(one, Statement) and not bare and one.term.index in both:
                subject, end = one.subject, one.nodes[0]
                if subject and end:
                    said.update((plain, subject, end) for plain in plains(one.term, _types(one)))
        return said

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
        if one.attributes and not (one.term is DERIVATION and len(one.attributes) == 1 and _subtypes(one)):
            return False
        return bool(one.subject and one.nodes[0])

    def _statement(self, one: Statement, bare: bool, rows: list[Row]) -> None:
        names, term = self.names, one.term
        shape = self._shapes.get(term.name) or self._shape(term)
        arguments = one.arguments
        subject, end = arguments[0], arguments[1]
        if subject == ABSENT_MARK or end == ABSENT_MARK:
            subject, end = one.subject, one.nodes[0]
        plain, leading, typed = shape.plain, shape.leading, shape.typed
        subtypes = _subtypes(one) if term is DERIVATION else ()
        if subtypes:
            leading, typed = f"{names[QUALIFIED_OF_SUBTYPE[subtypes[0]]]} ", ""
        said = [plain + names[end]] if subject and end else []
        if said and subtypes:
            said = [f"{names[name]} {names[str(end)]}" for name in plains(term, _types(one))[1:]]
        if bare and subject and end and not (self._ambiguous and self._is_ambiguous(one, subject, end)):
            if term is MENTION and one.nodes[1]:
                said.append(f"{names[MENTION_BUNDLE]} {names[one.nodes[1]]}")
            rows.append((names[subject], said))
            return
        node = (self.node(one) if one.id else "") or names.blank()
        if subject:
            said.append(leading + node)
            rows.append((names[subject], said))
        form = [typed] if typed else []
        for head, argument in zip(shape.arguments, arguments[1:], strict=False):
            if argument and argument != ABSENT_MARK:
                form.append(head + names[argument])
        if one.time and one.time != ABSENT_MARK:
            form.append(self._at[AT_TIME] + one.time + self._moment)
        if one.attributes:
            self._attributes(one.id or node, one.attributes, _OWN[term.name], form)
        rows.append((node, form))

    def _shape(self, term: Term) -> _Shape:
        names = self.names
        leading, class_ = QUALIFIED_OF[term.name]
        found = _Shape(
            f"{names[PROV + term.name]} ",
            f"{names[leading]} ",
            f"{self.a} {names[class_]}",
            tuple(f"{names[name]} " for name in ARGUMENTS[term.name]),
        )
        self._shapes[term.name] = found
        return found

    def _is_ambiguous(self, one: Statement, subject: str, end: str) -> bool:
        """True where a plain triple would be taken for that of another relation."""
        if one.term is MENTION:
            return subject in self._mentions
        return (_plain(one), subject, end) in self._qualified

    def node(self, one: Statement) -> str:
        """How the node of a relation is called; "" for one that nothing names."""
        if not one.id or (one.id[0] == "_" and one.id not in self._referred):
            return ""
        call = (one.term.index, one.time, *one.arguments)
        why = "in RDF all that is said of one node belongs together"
        if self._calls.setdefault(one.id, call) != call:
            self.losses.add(one.id, "which of several relations of one id says what", why)
        if one.id in self._described:
            self.losses.add(
                one.id, "what is said of the relation, and what of the thing of the same name", why
            )
        return self.names[one.id]

    # --- attributes ---

    def _attributes(
        self, where: str, attributes: tuple[Attribute, ...], own: frozenset[str], said: list[str]
    ) -> None:
        """Add the attributes to what is ``said``."""
        value_of, heads = self.names.value, self._heads
        for name, value in attributes:
            head = heads.get(name)
            if head is None:
                head = heads[name] = "" if name in _SPECIAL else f"{self.names[name]} "
            if head:
                said.append(head + value_of(value))
            else:
                self._special(where, name, value, own, said)

    def _special(self, where: str, name: str, value: Literal, own: frozenset[str], said: list[str]) -> None:
        """Add an attribute that PROV-O has another name for, or that would be taken for something else."""
        names = self.names
        if name == PROV_TYPE:
            said.append(f"{self.a} {names.value(value)}")
            return
        if value.is_name and (name in RELATING or name in own):
            self.losses.add(where, f"the attribute <{name}>", _WHY)
            return
        if name in ATTRIBUTES and name not in _SAME:
            what = f"that it was called <{name}>, not <{ATTRIBUTES[name]}>"
            self.losses.add(where, what, "PROV-O has one property for both")
        elif (name in own or name in MOMENTS) and is_datetime(value.value):
            self.losses.add(where, f"that <{name}> is an attribute", _WHY)
        said.append(f"{names[PROPERTIES.get(name, name)]} {names.value(value)}")

    # --- extensions ---

    def _extension(self, one: Extension) -> Iterator[Row]:
        if one.name == DESCRIPTION and len(one.arguments) == 1 and isinstance(one.arguments[0], str):
            subject = one.arguments[0]
            if subject != ABSENT_MARK and one.attributes:
                said: list[str] = []
                self._attributes(subject, one.attributes, _NO_NAMES, said)
                yield self.names[subject], said
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


def _referred(part: Bundle) -> set[str]:
    """Blank names that keep their node; none need to where no relation has one."""
    ids = [one.id for one in part.statements if isinstance(one, Statement) and one.id]
    return referred(part) if any(name[0] == "_" for name in ids) else set()


def _repeated(part: Bundle) -> set[str]:
    """The subjects of several mentions."""
    counts = Counter(
        one.subject for one in part.statements if isinstance(one, Statement) and one.term is MENTION
    )
    return {name for name, count in counts.items() if name and count > 1}


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
