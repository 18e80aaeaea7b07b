"""A document as PROV-XML: a statement a line, in the order of the document, valid under the published schema
as far as the document is.

Names are first written as they are, between marks. A batch of lines then has each namespace replaced by its
prefix in one go, which is several times faster than spelling name by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, count, islice
from xml.sax.saxutils import escape, quoteattr  # they only write

from provmodel.document import (
    ABSENT_MARK,
    PROV,
    PROV_LABEL,
    PROV_QUALIFIED_NAME,
    RDF,
    XSD,
    XSD_QNAME,
    Attribute,
    Bundle,
    Carried,
    Document,
    Element,
    Extension,
    Literal,
    Loss,
    Statement,
)
from provmodel.documents import dictionary
from provmodel.documents.faults import Losses
from provmodel.documents.naming import scopes, skolem
from provmodel.documents.scope import BLANK, DEFAULT, RESERVED
from provmodel.formats.provxml.fragments import same_when_read
from provmodel.formats.provxml.naming import Spelling, is_ncname
from provmodel.relations import TERMS, Kind, Term

BATCH = 512  # statements between two chunks
_OPEN, _CLOSE, _DONE = "\x00", "\x01", "\x02"  # around names; XML holds no such characters
_NCNAME = r"[A-Za-z_][A-Za-z0-9_.-]*+"
_is_odd = re.compile(f"{_DONE}[^:{_CLOSE}]*+:(?!{_NCNAME}{_CLOSE})").search
# A name with what stands before it: there a declaration can be put in.
_NAMED = re.compile(
    rf'( prov:(?:id|ref)="| xsi:type="xsd:QName">)(?:{_DONE}([^:{_CLOSE}]*+):(?!{_NCNAME}{_CLOSE})|{_OPEN})'
    rf"([^{_CLOSE}]*+){_CLOSE}"
).sub
_needs_escape = re.compile("[&<>\r\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]").search
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_MOST_HEADS = 32  # prefixes up to which replacing is faster than looking each name up
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XSD = "http://www.w3.org/2001/XMLSchema"  # the namespace in XML, without the # that RDF adds
_OWN = {"prov": PROV, "xsd": XSD, "xsi": _XSI}
_NO_PREFIX = frozenset({"xml", "xmlns", "xsi", "_"})
_QNAME = ' xsi:type="xsd:QName"'
_INTERNATIONAL = ' xsi:type="prov:InternationalizedString"'
# The order in which the schema has them; those of other namespaces follow.
_RANKS = {PROV + name: rank for rank, name in enumerate(("label", "location", "role", "type", "value"))}
_OTHER = len(_RANKS)


def _heads(term: Term) -> tuple[str, ...]:
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    return tuple(f'<prov:{name} prov:ref="{_OPEN}' for name in names)


_HEADS = {term.index: _heads(term) for term in TERMS}
_TAIL = f'{_CLOSE}"/>'


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as PROV-XML; what it can't hold is added to ``told``."""
    losses = Losses(told)
    taken = {prefix for part in document.parts for prefix in part.prefixes}
    local = islice((prefix for number in count(1) if (prefix := f"n{number}") not in taken), 2)
    new = next(local), next(local)
    spaces = scopes(document, _is_legal_prefix)
    own = {prefix: space for prefix, space in _legal(document.main).items() if prefix not in _OWN}
    declared = _declarations({**_OWN, **own})
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<prov:document{declared}>\n'.encode()
    for number, (bundle, known) in enumerate(zip(document.parts, spaces, strict=True)):
        part = _Part(bundle, number, known, new, losses)
        if not number:
            yield from part.batches()
            continue
        declared = _declarations(
            {prefix: space for prefix, space in _legal(bundle).items() if prefix not in _OWN}
        )
        head = f'<prov:bundleContent{declared} prov:id="{_OPEN}{bundle.id}{_CLOSE}">\n'
        yield part.spelt(head).encode()
        yield from part.batches()
        yield b"</prov:bundleContent>\n"
    yield b"</prov:document>\n"
    losses.tell()


def _is_legal_prefix(prefix: str) -> bool:
    return prefix == DEFAULT or (is_ncname(prefix) is not None and prefix not in _NO_PREFIX)


def _legal(part: Bundle) -> dict[str, str]:
    return {prefix: space for prefix, space in part.prefixes.items() if _is_legal_prefix(prefix)}


def _declarations(prefixes: dict[str, str]) -> str:
    meant = {prefix: _XSD if space == XSD else space for prefix, space in prefixes.items()}
    return "".join(
        f" xmlns{':' if prefix else ''}{prefix}={quoteattr(space)}" for prefix, space in meant.items()
    )


class _Part:
    """One part of a document; ``number`` is 0 for the main one. ``new`` are two prefixes that no part has:
    one for names, one for the elements that hold them.
    """

    def __init__(
        self, part: Bundle, number: int, spaces: dict[str, str], new: tuple[str, str], losses: Losses
    ) -> None:
        self.part = part
        self.number = number
        self.losses = losses
        order = sorted({**spaces, **RESERVED}.items(), key=lambda one: (-len(one[1]), one[0] == DEFAULT))
        self._spaces = dict(order)
        self._spelling = Spelling(
            [(space, prefix) for prefix, space in order], new[0], self._of_blank, self._broken
        )
        self._inner_prefix = new[1]
        known = [(f"{_OPEN}{space}", f"{_DONE}{prefix}:") for prefix, space in order if prefix]
        self._heads = known if len(known) <= _MOST_HEADS else []
        self._tags: dict[str, tuple[str, str] | None] = {}
        self._types: dict[str, str] = {}

    @cached_property
    def _referred(self) -> set[str]:
        """The blank names that something refers to: ids that are among them can't be left out."""
        ends = chain.from_iterable(
            one.arguments for one in self.part.statements if isinstance(one, Statement)
        )
        found = {end for end in set(ends) if end and end.startswith(BLANK)}
        attributes = chain.from_iterable(one.attributes for one in self.part.statements)
        found.update(
            value.value for _, value in attributes if value.is_name and value.value.startswith(BLANK)
        )
        return found

    def batches(self) -> Iterator[bytes]:
        """The statements, some hundred at a time."""
        statements = self.part.statements
        for at in range(0, len(statements), BATCH):
            lines = [
                self._statement(one)
                if isinstance(one, Statement)
                else self._element(one)
                if isinstance(one, Element)
                else self._extension(one)
                for one in statements[at : at + BATCH]
            ]
            yield self.spelt("".join(lines)).encode()

    def spelt(self, text: str) -> str:
        """``text`` with its names spelt."""
        for head, done in self._heads:
            text = text.replace(head, done)
        if _OPEN in text or _is_odd(text):
            text = _NAMED(self._declared, text)
        return text.replace(_DONE, "").replace(_CLOSE, "")

    def _declared(self, found: re.Match[str]) -> str:
        before, prefix, rest = found.groups()
        spelt = self._spelling.name(rest if prefix is None else self._spaces[prefix] + rest)
        return f"{spelt.declaration}{before}{spelt.name}"

    def _of_blank(self, name: str) -> str:
        iri = skolem(name, self.number)
        why = f"PROV-XML has no blank names; it is written as <{iri}>, which Clew reads as blank"
        self.losses.add(name, "that the name is blank, for other readers", why)
        return iri

    def _broken(self, iri: str) -> None:
        why = "no part of it is an XML name; Clew and most tools read it all the same"
        self.losses.add(iri, "that the name is an xsd:QName, for readers that check it", why)

    # --- statements ---

    def _id(self, name: str | None) -> str:
        if not name or (name[0] == "_" and name not in self._referred):
            return ""
        return f' prov:id="{_OPEN}{name}{_CLOSE}"'

    def _statement(self, one: Statement) -> str:
        term, time = one.term, one.time
        tag = term.name
        ends = "".join(
            [
                f"{head}{end}{_TAIL}"
                for head, end in zip(_HEADS[term.index], one.arguments, strict=True)
                if end and end != ABSENT_MARK
            ]
        )
        if not term.attributes:
            self._bare(one)
            return f"<prov:{tag}>{ends}</prov:{tag}>\n"
        if time and time != ABSENT_MARK:
            ends += f"<prov:time>{time}</prov:time>"
        more = self._attributes(one.attributes) if one.attributes else ""
        return f"<prov:{tag}{self._id(one.id) if one.id else ''}>{ends}{more}</prov:{tag}>\n"

    def _bare(self, one: Statement) -> None:
        """Tell what is lost of a relation that has neither id nor attributes in PROV-XML."""
        why = f"{one.term.name} has neither id nor attributes in PROV-XML"
        where = one.id or str(one.arguments[0])
        if one.attributes:
            self.losses.add(where, "its attributes", why)
        if self._id(one.id):
            self.losses.add(where, "its id", why)

    def _element(self, one: Element) -> str:
        tag = one.kind.word
        more = self._attributes(one.attributes) if one.attributes else ""
        if one.kind is Kind.ACTIVITY and (one.start or one.end):
            times = (("startTime", one.start), ("endTime", one.end))
            stated = [
                f"<prov:{name}>{time}</prov:{name}>" for name, time in times if time and time != ABSENT_MARK
            ]
            more = "".join(stated) + more
        if not more:
            return f'<prov:{tag} prov:id="{_OPEN}{one.id}{_CLOSE}"/>\n'
        return f'<prov:{tag} prov:id="{_OPEN}{one.id}{_CLOSE}">{more}</prov:{tag}>\n'

    # --- attributes ---

    def _attributes(self, attributes: tuple[Attribute, ...]) -> str:
        if len(attributes) > 1:
            ranks = [_RANKS.get(name, _OTHER) for name, _ in attributes]
            if ranks != sorted(ranks):
                attributes = tuple(sorted(attributes, key=lambda one: _RANKS.get(one[0], _OTHER)))
        found = []
        for name, value in attributes:
            tag = self._tags.get(name) or self._tag(name)
            if tag is None:
                continue
            start, end = tag
            text = value.value
            if value.datatype or value.language:
                found.append(f"{start}{self._typed(name, value)}{end}")
            else:
                found.append(f"{start}>{self._escaped(text) if _needs_escape(text) else text}{end}")
        return "".join(found)

    def _tag(self, name: str) -> tuple[str, str] | None:
        """The beginning (without its ``>``) and the end of an attribute's element."""
        spelt = self._spelling.valid(name, self._inner_prefix)
        if spelt is None:
            why = "no part of its name is an XML name, which an element needs"
            self.losses.add(name, f"the attribute <{name}>", why)
            return None
        found = self._tags[name] = f"<{spelt.name}{spelt.declaration}", f"</{spelt.name}>"
        return found

    def _typed(self, name: str, value: Literal) -> str:
        """What stands in an attribute's element between its name and its end."""
        text, datatype = value.value, value.datatype
        if value.language:
            kind = "" if name == PROV_LABEL else _INTERNATIONAL
            return f" xml:lang={quoteattr(value.language)}{kind}>{self._escaped(text)}"
        if datatype == PROV_QUALIFIED_NAME:
            return f"{_QNAME}>{_OPEN}{text}{_CLOSE}"
        if datatype == RDF + "XMLLiteral" and same_when_read(text):
            return f"{self._type(datatype)}>{text}"
        if datatype == XSD_QNAME:
            return f"{_QNAME}>{self._escaped(text)}"
        return f"{self._types.get(datatype) or self._type(datatype)}>{self._escaped(text)}"

    def _type(self, datatype: str) -> str:
        spelt = self._spelling.name(datatype)
        found = self._types[datatype] = f'{spelt.declaration} xsi:type="{spelt.name}"'
        return found

    def _escaped(self, text: str) -> str:
        if not _needs_escape(text):
            return text
        if _NO_XML.search(text):
            why = "XML has no such characters; U+FFFD stands for them"
            self.losses.add("a value", "control characters", why)
            text = _NO_XML.sub("\ufffd", text)
        return escape(text, {"\r": "&#13;"})

    # --- extensions ---

    def _extension(self, one: Extension) -> str:
        apart = dictionary.taken_apart(one)
        if apart is not None:
            return self._dictionary(one, *apart)
        if one.format == "prov-xml" and one.raw:
            return f"{one.raw}\n"
        self.losses.add(one.id or one.name, f"the statement <{one.name}>", "it has no form in PROV-XML")
        return ""

    def _dictionary(
        self,
        one: Extension,
        shape: dictionary.Shape,
        leading: tuple[str | None, ...],
        rows: list[tuple[Carried, ...]],
    ) -> str:
        ends = [
            f'<prov:{name} prov:ref="{_OPEN}{end}{_TAIL}'
            for name, end in zip(shape.xml, leading, strict=True)
            if end and end != ABSENT_MARK
        ]
        parts = [self._dictionary_part(row) for row in rows]
        head = self._id(one.id) if shape.attributes else ""
        if one.attributes and not shape.attributes:
            why = f"{shape.name} has no attributes in PROV-XML"
            self.losses.add(one.id or shape.name, "its attributes", why)
        more = self._attributes(one.attributes) if one.attributes and shape.attributes else ""
        return f"<prov:{shape.name}{head}>{''.join(ends + parts)}{more}</prov:{shape.name}>\n"

    def _dictionary_part(self, row: tuple[Carried, ...]) -> str:
        key, *entity = row
        value = key if isinstance(key, Literal) else Literal("")
        typed = self._typed(PROV + "key", value) if value.datatype or value.language else None
        text = f"<prov:key{typed or f'>{self._escaped(value.value)}'}</prov:key>"
        if not entity:
            return text
        return (
            f'<prov:keyEntityPair>{text}<prov:entity prov:ref="{_OPEN}{entity[0]}{_TAIL}</prov:keyEntityPair>'
        )
