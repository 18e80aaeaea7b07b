"""A document as PROV-JSON: a record a line, each section once, statements of one id in an array.

Names are first written as they are, with a mark before them. A batch of lines then has each namespace
replaced by its prefix in one go, which is several times faster than spelling name by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring as quoted

from provmodel.document import (
    ABSENT_MARK,
    PROV,
    PROV_QUALIFIED_NAME,
    XSD,
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
from provmodel.documents.naming import Minter, Namer, minter_for, scopes
from provmodel.documents.scope import BLANK, DEFAULT
from provmodel.relations import TERMS, Kind, Term

BATCH = 512  # records between two chunks
_DEFAULT = "default"  # how PROV-JSON calls the prefix of the default namespace
_NATIVE = frozenset({XSD + "int", XSD + "integer", XSD + "double", XSD + "boolean"})
_MARK = "\x00"  # before a name that is to be spelt, which a quotation mark ends: no JSON text holds it
_MARKED = re.compile(f'{_MARK}([^"]*)"').sub
_MOST_HEADS = 32  # prefixes up to which replacing is faster than looking each name up


def _keys(term: Term) -> tuple[str, ...]:
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    return tuple(f'"prov:{name}":' for name in names)


_KEYS = {term.index: _keys(term) for term in TERMS}


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as PROV-JSON; what it can't hold is added to ``told``."""
    losses = Losses(told)
    minter = minter_for(document)
    spaces = scopes(document, lambda prefix: prefix != _DEFAULT and ":" not in prefix)
    parts = [
        _Part(part, Namer(space, _spell, minter, quoted), losses)
        for part, space in zip(document.parts, spaces, strict=True)
    ]
    main, *bundles = parts
    names = [main.names[bundle.part.id or ""] for bundle in bundles]
    yield f'{{"prefix":{_prefixes(document.main, minter)}'.encode()
    yield from main.sections("")
    before = ',\n"bundle":{\n'
    for name, bundle in zip(names, bundles, strict=True):
        yield f'{before}{name}:{{"prefix":{_prefixes(bundle.part, None)}'.encode()
        yield from bundle.sections(" ")
        yield b"}"
        before = ",\n"
    yield b"}\n}\n" if bundles else b"}\n"
    losses.tell()


def _spell(prefix: str, local: str) -> str | None:
    """A qualified name as a JSON text. Without a prefix it may hold no colon."""
    if prefix:
        return quoted(f"{prefix}:{local}")
    return None if not local or ":" in local else quoted(local)


def _times(one: Element) -> str:
    times = (("startTime", one.start), ("endTime", one.end))
    return ",".join([f'"prov:{name}":{quoted(time)}' for name, time in times if time and time != ABSENT_MARK])


def _joined(one: str, other: str) -> str:
    return f"{one},{other}" if one and other else one or other


def _free_head(taken: set[str | None]) -> str:
    """How the blank names begin that are made for relations without an id: as none in the part does."""
    head = f"{BLANK}n"
    while any(name.startswith(head) for name in taken if name):
        head += "n"
    return head


def _gathered(keys: list[str | None], records: list[str]) -> tuple[list[str | None], list[str]]:
    """Records of one key together, in an array."""
    found: dict[str | int, list[str]] = {}
    for number, (key, record) in enumerate(zip(keys, records, strict=True)):
        found.setdefault(number if key is None else key, []).append(record)
    whole = [texts[0] if len(texts) == 1 else f"[{','.join(texts)}]" for texts in found.values()]
    return [key if isinstance(key, str) else None for key in found], whole


def _prefixes(part: Bundle, minter: Minter | None) -> str:
    declared = {
        (_DEFAULT if prefix == DEFAULT else prefix): space
        for prefix, space in part.prefixes.items()
        if prefix != _DEFAULT and ":" not in prefix
    }
    if minter:
        declared |= {prefix: space for space, prefix in minter.made.items()}
    return f"{{{','.join(f'{quoted(prefix)}:{quoted(space)}' for prefix, space in declared.items())}}}"


class _Spelling:
    """Turns marked names into qualified names, batch by batch."""

    def __init__(self, names: Namer) -> None:
        self.names = names
        known = [(f"{_MARK}{space}", f'"{prefix}:') for space, prefix in names.spaces if prefix]
        self._heads = [(f"{_MARK}{BLANK}", f'"{BLANK}'), *(known if len(known) <= _MOST_HEADS else [])]

    def spelt(self, text: str) -> str:
        """``text`` with its names spelt."""
        for head, spelt in self._heads:
            text = text.replace(head, spelt)
        if _MARK in text:
            text = _MARKED(lambda found: self.names[found[1]], text)
        return text


class _Part:
    """One part as text, by section. All is spelt before anything is written, so that it is known which
    prefixes that takes.
    """

    def __init__(self, part: Bundle, names: Namer, losses: Losses) -> None:
        self.part = part
        self.names = names
        self.losses = losses
        self._spelling = _Spelling(names)
        self._sections: dict[str, list[str]] = {}
        self._keys: dict[str, str] = {}
        self._tails: dict[str, str] = {}
        self._count = 0
        self._new = _free_head({one.id for one in part.statements})
        self._spell_all()

    def sections(self, indent: str) -> Iterator[bytes]:
        """The sections that have records, each with the comma before it."""
        for name, batches in self._sections.items():
            before = f',\n{indent}"{name}":{{\n'
            for batch in batches:
                yield f"{before}{batch}".encode(errors="backslashreplace")
                before = ",\n"
            yield b"\n}"

    def _spell_all(self) -> None:
        elements: dict[Kind, list[Element]] = {}
        relations: dict[int, list[Statement]] = {}
        extensions: dict[str, list[Extension]] = {}
        for one in self.part.statements:
            if isinstance(one, Statement):
                relations.setdefault(one.term.index, []).append(one)
            elif isinstance(one, Element):
                elements.setdefault(one.kind, []).append(one)
            else:
                extensions.setdefault(one.name, []).append(one)
        for kind, group in sorted(elements.items()):
            self._put(kind.word, self._elements(group), group)
        for index, statements in sorted(relations.items()):
            self._put(TERMS[index].name, self._relations(TERMS[index], statements), statements)
        for name, carried in sorted(extensions.items()):
            self._extensions(name, carried)

    def _put(
        self, section: str, records: list[str], group: Sequence[Element | Statement | Extension]
    ) -> None:
        """Keep the records of a section, each the text after its key, in batches that are spelt."""
        keys = [one.id for one in group]
        if len(set(keys)) < len(keys) and len({key for key in keys if key}) < len(keys) - keys.count(None):
            keys, records = _gathered(keys, records)
        new = self._new
        lines = [
            f'{_MARK}{key}":{record}' if key else f'"{new}{number}":{record}'
            for number, (key, record) in enumerate(zip(keys, records, strict=True), self._count + 1)
        ]
        self._count += len(lines)
        if lines:
            self._sections[section] = [
                self._spelling.spelt(",\n".join(lines[at : at + BATCH])) for at in range(0, len(lines), BATCH)
            ]

    def _elements(self, group: list[Element]) -> list[str]:
        attributes = self._attributes
        return [
            (f"{{{attributes(one.attributes)}}}" if one.attributes else "{}")
            if one.start is None and one.end is None
            else f"{{{_joined(_times(one), attributes(one.attributes))}}}"
            for one in group
        ]

    def _relations(self, term: Term, group: list[Statement]) -> list[str]:
        first, second, *_ = keys = _KEYS[term.index]
        absent = (None,) * (len(keys) - 2)
        attributes = self._attributes
        found = []
        for one in group:
            arguments, time = one.arguments, one.time
            more = f",{attributes(one.attributes)}" if one.attributes else ""
            if time and time != ABSENT_MARK:
                more = f',"prov:time":{quoted(time)}{more}'
            one_end, other_end = arguments[0], arguments[1]
            if one_end and other_end and one_end != ABSENT_MARK != other_end and arguments[2:] == absent:
                found.append(f'{{{first}{_MARK}{one_end}",{second}{_MARK}{other_end}"{more}}}')
            else:
                ends = zip(keys, arguments, strict=True)
                body = ",".join([f'{key}{_MARK}{end}"' for key, end in ends if end and end != ABSENT_MARK])
                found.append(f"{{{body}{more}}}" if body else f"{{{more[1:]}}}")
        return found

    def _attributes(self, attributes: tuple[Attribute, ...]) -> str:
        """Attributes as members; several values of a name stand in an array."""
        keys, tails = self._keys, self._tails
        texts: list[str] = []
        for name, value in attributes:
            key = keys.get(name) or self._key(name)
            datatype = value.datatype
            tail = tails.get(datatype)
            if not datatype and not value.language:
                texts.append(f"{key}{quoted(value.value)}")
            elif tail and not value.native and not value.language:
                texts.append(f'{key}{{"$":{quoted(value.value)}{tail}')
            else:
                texts.append(key + self._value(value))
        if len(texts) > 1 and len(dict(attributes)) < len(texts):
            return self._gathered_attributes(attributes)
        return ",".join(texts)

    def _gathered_attributes(self, attributes: tuple[Attribute, ...]) -> str:
        found: dict[str, list[str]] = {}
        for name, value in attributes:
            found.setdefault(self._keys[name], []).append(self._value(value))
        return ",".join(
            [key + (texts[0] if len(texts) == 1 else f"[{','.join(texts)}]") for key, texts in found.items()]
        )

    def _key(self, name: str) -> str:
        """A name with the colon after it, as the key of a member."""
        self._keys[name] = key = f"{self.names[name]}:"
        return key

    def _value(self, value: Literal) -> str:
        datatype = value.datatype
        if value.language:
            return f'{{"$":{quoted(value.value)},"lang":{quoted(value.language)}}}'
        if not datatype:
            return quoted(value.value)
        if value.native and datatype in _NATIVE:
            return value.value
        spelling = self.names[value.spelling or datatype]
        if datatype == PROV_QUALIFIED_NAME:
            return f'{{"$":{_MARK}{value.value}","type":{spelling}}}'
        if not value.spelling:
            self._tails[datatype] = f',"type":{spelling}}}'
        return f'{{"$":{quoted(value.value)},"type":{spelling}}}'

    # --- extensions ---

    def _extensions(self, name: str, group: list[Extension]) -> None:
        kept, records = [], []
        for one in group:
            apart = dictionary.taken_apart(one)
            if apart:
                kept.append(one)
                records.append(self._dictionary(one, *apart))
            else:
                self.losses.add(one.id or name, f"the statement <{name}>", "PROV-JSON has no extensions")
        self._put(name.removeprefix(PROV), records, kept)

    def _dictionary(
        self,
        one: Extension,
        shape: dictionary.Shape,
        leading: tuple[str | None, ...],
        rows: list[tuple[Carried, ...]],
    ) -> str:
        ends = zip(shape.json, leading, strict=True)
        members = [f'"{key}":{_MARK}{end}"' for key, end in ends if end and end != ABSENT_MARK]
        if rows:
            key = dictionary.KEY_ENTITY_SET if shape.pairs else dictionary.KEY_SET
            members.append(f'"{key}":[{",".join([self._dictionary_part(row) for row in rows])}]')
        return f"{{{_joined(','.join(members), self._attributes(one.attributes))}}}"

    def _dictionary_part(self, row: tuple[Carried, ...]) -> str:
        key, *entity = row
        text = self._value(key) if isinstance(key, Literal) else ""
        return f'{{"key":{text},"$":{_MARK}{entity[0]}"}}' if entity else text
