"""PROV-XML to a document, element by element. A document type is refused, so no entity is ever expanded and
nothing is fetched. Where something is wrong, the line and the statement say where.
"""

from __future__ import annotations

from typing import NoReturn
from xml.parsers import expat  # a document type is refused

from provmodel.document import (
    PROV,
    PROV_QUALIFIED_NAME,
    XSD,
    AnyStatement,
    Bundle,
    Document,
    Element,
    Extension,
    Literal,
    Statement,
)
from provmodel.documents import dictionary
from provmodel.documents.assembling import assembled
from provmodel.documents.faults import Faults, Remarks, Trouble, shown
from provmodel.documents.lacking import is_void, lacking
from provmodel.documents.scope import BLANK, RESERVED, Scope, is_iri
from provmodel.documents.values import Times
from provmodel.errors import Unreadable
from provmodel.formats.provxml.fragments import SEPARATOR, XML, Fragment, name_parts
from provmodel.formats.provxml.shapes import (
    BUNDLE,
    BUNDLE_CONTENT,
    KEY,
    MEMBER,
    OTHER,
    PAIR,
    SHAPES,
    START,
    DictionaryShape,
    ElementShape,
    Open,
    RelationShape,
    own,
)
from provmodel.formats.provxml.values import XSD_IN_XML, XSI, value
from provmodel.relations import MEMBERSHIP

_ID, _REF = f"{PROV}{SEPARATOR}id", f"{PROV}{SEPARATOR}ref"
_XSI_TYPE, _LANG = f"{XSI}{SEPARATOR}type", f"{XML}{SEPARATOR}lang"
_DEEPEST = 200  # elements within each other
_FORMAT = "prov-xml"


def read(data: bytes) -> Document:
    """The document in PROV-XML; raises :class:`Unreadable`."""
    if not data.strip():
        raise Unreadable("line 1 column 1", "there is nothing in it", "send an element prov:document")
    return _Reader().document(data)


class _Reader:
    """Takes what the parser finds. ``base`` is the level of the statements of the part that is read;
    ``scope`` holds the prefixes at the place that is read.
    """

    def __init__(self) -> None:
        self.faults, self.remarks, self.times = Faults(), Remarks(), Times()
        self.level, self.base = 0, 1
        self.scope = Scope({}, reserved=False)
        self.scopes: list[tuple[int, Scope]] = []
        self.scope_level = -1
        self.is_argument = False
        self.spaces: list[tuple[int, dict[str, str]]] = []
        self.pending: dict[str, str] = {}
        self.iris: dict[str, str] = {}
        self.main: list[AnyStatement] = []
        self.prefixes: dict[str, str] = {}
        self.bundles: list[Bundle] = []
        self.bundle: tuple[str | None, dict[str, str], list[AnyStatement]] | None = None
        self.found = self.main
        self.statement = Open(None, 0, "", None)
        self.unnamed = 0
        self.child = ""
        self.place: int | None = None
        self.given: dict[str, str] = {}
        self.characters: list[str] = []
        self.fragment: Fragment | None = None
        self.parser = self._parser()

    def _parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate(namespace_separator=SEPARATOR)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        return parser

    def document(self, data: bytes) -> Document:
        """Everything."""
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            where = f"line {error.lineno} column {error.offset + 1}"
            what = f"this is not XML: {expat.ErrorString(error.code)}"
            raise Unreadable(where, what, "correct it") from None
        except (LookupError, ValueError) as error:  # what the parser raises for an encoding it can't read
            raise Unreadable("line 1 column 1", f"its encoding: {error}", "send UTF-8") from None
        document = assembled(Bundle(None, self.prefixes, tuple(self.main)), self.bundles, self.remarks)
        self.faults.settle()
        return document

    # --- what the parser finds ---

    def _refuse_doctype(self, *_: object) -> NoReturn:
        raise Unreadable(
            self._place(), "it has a document type (DOCTYPE), which may hide anything", "leave it out"
        )

    def _declare(self, prefix: str | None, space: str | None) -> None:
        self.pending[prefix or ""] = space or ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        level = self.level
        self.level = level + 1
        if self.pending:
            self._open_scope(level)
        depth = level - self.base
        try:
            if self.fragment is not None:
                self._start_in_fragment(self.fragment, name, attributes)
            elif depth == 1:
                # most children are an argument that stands once
                statement = self.statement
                place = self.place = statement.places.get(name)
                if place is None or place in statement.ends or statement.pair is not None or place < 0:
                    self._start_child(name, attributes)
                elif _REF in attributes:
                    self.is_argument = True
                    statement.ends[place] = self.scope[attributes[_REF]]
                else:
                    raise Trouble(f"{name_parts(name)[1]} has no prov:ref", "give the name that it refers to")
            elif depth == 0:
                self._start_statement(name, attributes)
            elif depth > 1:
                self._start_content(name, attributes)
            else:
                self._start_root(name)
        except Trouble as trouble:
            self._fault(trouble)

    def _end(self, _: str) -> None:
        self.level = level = self.level - 1
        depth = level - self.base
        try:
            if self.is_argument:
                self.is_argument = False
            elif self.fragment is not None:
                self._end_in_fragment(self.fragment)
            elif depth == 1:
                self._end_child()
            elif depth == 0:
                self._end_statement()
            elif level:
                self._end_bundle()
        except Trouble as trouble:
            self._fault(trouble)
        if level == self.scope_level:
            self._close_scope()

    def _text(self, data: str) -> None:
        if self.fragment is not None:
            self.fragment.text(data)
        elif self.level - self.base == 2 and not self.is_argument:  # within an attribute or a time
            self.characters.append(data)
        elif not data.isspace():
            raise Unreadable(
                self._place(), f"the text {shown(data.strip())} stands between elements", "remove it"
            )

    # --- places and names ---

    def _place(self) -> str:
        return f"line {self.parser.CurrentLineNumber} column {self.parser.CurrentColumnNumber + 1}"

    def _where(self) -> str:
        return self.statement.where() if self.statement.tag else self._place()

    def _fault(self, trouble: Trouble) -> None:
        self.faults.add(self._where(), trouble)
        self.statement.failed = True

    def _open_scope(self, level: int) -> None:
        self.scopes.append((self.scope_level, self.scope))
        self.scope_level = level
        self.spaces.append((level, self.pending))
        given = {prefix: XSD if space == XSD_IN_XML else space for prefix, space in self.pending.items()}
        self.scope = Scope(given, self.scope, reserved=False)
        self.pending = {}

    def _close_scope(self) -> None:
        self.scope_level, self.scope = self.scopes.pop()
        self.spaces.pop()

    def _declared(self, level: int) -> dict[str, str]:
        """The prefixes that the element of this level declares, without those that PROV-XML itself needs."""
        if not self.spaces or self.spaces[-1][0] != level:
            return {}
        found = {}
        for prefix, space in self.spaces[-1][1].items():
            meant = XSD if space == XSD_IN_XML else space
            if space != XSI and RESERVED.get(prefix) != meant and is_iri(meant + "x"):
                found[prefix] = meant
        return found

    def _prefix_of(self, space: str, default: bool) -> str:
        for _, declared in reversed(self.spaces):
            for prefix, meant in declared.items():
                if meant == space and (prefix or default):
                    return prefix
        return "" if default and not space else "xml" if space == XML else "ns"

    def _iri(self, name: str) -> str:
        """The IRI of an element's name."""
        space, local = name_parts(name)
        if not space:
            raise Trouble(f"the element {shown(local)} has no namespace", "declare one for it")
        if not is_iri(space + local):
            raise Trouble(f"<{space}{local}> is no absolute IRI (RFC 3987)", "name the element otherwise")
        self.iris[name] = space + local
        return space + local

    # --- the frame ---

    def _start_root(self, name: str) -> None:
        space, local = name_parts(name)
        if space + local != PROV + "document":
            what = f"the root element is {local}" + (f" of <{space}>" if space else "")
            raise Unreadable(self._place(), what, "a PROV-XML document is an element prov:document")
        self.prefixes = self._declared(0)

    def _start_bundle(self, attributes: dict[str, str], level: int) -> None:
        if self.bundle is not None:
            what = f"nested bundle {attributes.get(_ID, '')} in {self.bundle[0]}"
            raise Unreadable(self._place(), what, "a bundle holds no bundle (PROV-DM 5.4)")
        self.found = []
        self.bundle = (None, self._declared(level), self.found)
        self.base = 2
        if _ID not in attributes:
            raise Trouble("a bundleContent has no prov:id", "give it one")
        self.bundle = (self.scope[attributes[_ID]], *self.bundle[1:])

    def _end_bundle(self) -> None:
        if self.bundle is not None:
            name, prefixes, found = self.bundle
            self.bundles.append(Bundle(name, prefixes, tuple(found)))
        self.bundle, self.found, self.base = None, self.main, 1
        self.statement = Open(None, 0, "", None)

    # --- statements ---

    def _start_statement(self, name: str, attributes: dict[str, str]) -> None:
        shape = SHAPES.get(name)
        if name == BUNDLE_CONTENT:
            self._start_bundle(attributes, self.base)
            return
        line = self.parser.CurrentLineNumber
        self.statement = statement = Open(shape, line, name, attributes.get(_ID))
        if shape is None:
            if name.startswith(own("")) and name != OTHER:
                raise Unreadable(statement.where(), "PROV-XML has no such statement", "correct its name")
            self.fragment = Fragment(self._prefix_of)
            self.fragment.start(name, attributes)
        elif attributes and (len(attributes) > 1 or _ID not in attributes):
            self._remark_on(attributes)

    def _remark_on(self, attributes: dict[str, str]) -> None:
        for key in attributes:
            if key not in (_ID, f"{XSI}{SEPARATOR}schemaLocation"):
                what = f"the XML attribute {name_parts(key)[1]} says nothing in PROV; it was left out"
                self.remarks.add("XML attributes", self._where(), what)

    def _end_statement(self) -> None:
        one = self.statement
        shape = one.shape
        if one.pair is not None:
            self._end_pair(one)
        elif one.failed or shape is None:
            return
        elif isinstance(shape, RelationShape):
            self._end_relation(one, shape)
        elif isinstance(shape, ElementShape):
            attributes = one.typed(shape.type)
            name = self.scope[one.name] if one.name else self._unnamed()
            self.found.append(Element(shape.kind, name, attributes, one.start, one.time))
        else:
            self._end_dictionary(one, shape)

    def _unnamed(self) -> str:
        self.remarks.add(
            "elements without prov:id", self._where(), "it has no prov:id; it was given a blank name"
        )
        self.unnamed += 1
        return f"{BLANK}unnamed{self.unnamed}"

    def _end_relation(self, one: Open, shape: RelationShape) -> None:
        name = self.scope[one.name] if one.name else None
        ends = [one.ends.get(place) for place in range(shape.size)]
        attributes = one.typed(shape.type)
        for place in shape.required:
            if ends[place] is None:
                argument = next(name for name, position in shape.places.items() if position == place)
                found = lacking(shape.term, f"prov:{name_parts(argument)[1]}")
                if is_void(shape.term, place, name):
                    raise found
                self.remarks.add("incomplete relations", self._where(), found.reason)
        self.found.append(Statement(shape.term, name, tuple(ends), one.time, attributes))
        for member in one.members or ():
            self.found.append(Statement(shape.term, name, (ends[0], member), None, attributes))

    def _end_dictionary(self, one: Open, shape: DictionaryShape) -> None:
        leading = tuple(one.ends.get(place) for place in range(len(shape.shape.xml)))
        name = self.scope[one.name] if one.name else None
        made = dictionary.statements(
            shape.shape, name, leading, tuple(one.parts or ()), tuple(one.attributes)
        )
        self.found.extend(made)
        what = f"{shape.shape.name} of PROV-DICTIONARY is carried, not interpreted"
        self.remarks.add("statements carried", self._where(), what)

    # --- what stands in a statement ---

    def _start_child(self, name: str, attributes: dict[str, str]) -> None:
        """A child that isn't an argument standing once."""
        self.child, self.given = name, attributes
        self.characters.clear()
        statement, place = self.statement, self.place
        if place is None or place < 0:
            if place == PAIR and statement.pair is None:
                statement.pair = []
                self.base += 1
            elif statement.tag == BUNDLE and name in SHAPES:
                self._start_draft_bundle(statement, name, attributes)
            return
        if _REF not in attributes:
            raise Trouble(f"{name_parts(name)[1]} has no prov:ref", "give the name that it refers to")
        end = self.scope[attributes[_REF]]
        if statement.pair is not None:
            statement.entity = end
        elif (
            place == MEMBER
            and isinstance(statement.shape, RelationShape)
            and statement.shape.term is MEMBERSHIP
        ):
            statement.add_member(end)
        else:
            raise Trouble(f"{name_parts(name)[1]} stands twice in one relation", "state two relations")

    def _start_draft_bundle(self, statement: Open, name: str, attributes: dict[str, str]) -> None:
        """In drafts of PROV-XML the element that holds a bundle's statements was prov:bundle."""
        self._start_bundle({_ID: statement.name} if statement.name else {}, self.base)
        self.remarks.add("bundles", statement.where(), "prov:bundle holds statements; read as bundleContent")
        self._start_statement(name, attributes)

    def _end_child(self) -> None:
        place = self.place
        if place is not None and place >= 0:
            return
        statement = self.statement
        text = "".join(self.characters)
        if place is None:
            statement.attributes.append(
                (self.iris.get(self.child) or self._iri(self.child), self._value(text))
            )
        elif place == KEY:
            key = self._value(text)
            if statement.pair is None:
                statement.add_part(key)
            else:
                statement.pair.append(key)
        elif place == START:
            statement.start = self._time(statement.start, text)
        else:
            statement.time = self._time(statement.time, text)

    def _time(self, before: str | None, text: str) -> str:
        time = self.times[text.strip()]
        if before not in (None, time):
            raise Trouble(f"two times stand in it: {before} and {time}", "state one")
        return time

    def _end_pair(self, one: Open) -> None:
        self.base -= 1
        pair, one.pair = one.pair, None
        if not pair or one.entity is None:
            raise Trouble("a keyEntityPair lacks its key or its entity", "give both")
        one.add_part((pair[0], one.entity))
        one.entity = None

    def _value(self, text: str) -> Literal:
        given = self.given
        if not given:
            return Literal(text)
        if _REF in given and _XSI_TYPE not in given:
            return self._referred(text)
        return value(text, given.get(_XSI_TYPE), given.get(_LANG), self.scope, self.remarks, self._where)

    def _referred(self, text: str) -> Literal:
        """An attribute that names something by prov:ref."""
        if text.strip():
            raise Trouble("an attribute has both prov:ref and a text", "give one of them")
        return Literal(self.scope[self.given[_REF]], PROV_QUALIFIED_NAME)

    # --- XML that is kept as it is ---

    def _start_in_fragment(self, fragment: Fragment, name: str, attributes: dict[str, str]) -> None:
        if fragment.depth > _DEEPEST:
            what = f"elements stand in each other over {_DEEPEST} deep"
            raise Unreadable(self._place(), what, "flatten it")
        fragment.start(name, attributes)

    def _start_content(self, name: str, attributes: dict[str, str]) -> None:
        """An element within the value of an attribute."""
        if self.place is not None:
            raise Trouble(f"{name_parts(self.child)[1]} has elements in it", "it holds none")
        self.fragment = Fragment(self._prefix_of)
        for text in self.characters:
            self.fragment.text(text)
        self.fragment.start(name, attributes)

    def _end_in_fragment(self, fragment: Fragment) -> None:
        """An element in a fragment ends, or the one that holds the fragment."""
        if fragment.depth:
            fragment.end()
        if self.level == self.base and not self.statement.shape:
            self._carry(fragment)
        elif self.level - self.base == 1 and self.statement.shape:
            self.fragment = None
            self.characters = [fragment.whole()]
            self._end_child()

    def _carry(self, fragment: Fragment) -> None:
        self.fragment = None
        name = self._iri(self.statement.tag)
        self.found.append(Extension(name, raw=fragment.whole(), format=_FORMAT))
        what = f"<{name}> is no statement of PROV; it is carried, not interpreted"
        self.remarks.add("statements carried", self._where(), what)
