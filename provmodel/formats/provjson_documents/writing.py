"""A document as PROV-JSON: a record a line, each section once, statements of one id in an array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from json.encoder import encode_basestring as quoted

from provmodel.document import (
    ABSENT_MARK,
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
from provmodel.documents.scope import DEFAULT
from provmodel.relations import TERMS, Kind, Term

BATCH = 512  # records between two chunks
_DEFAULT = "default"  # how PROV-JSON calls the prefix of the default namespace
_NATIVE = frozenset({XSD + "int", XSD + "integer", XSD + "double", XSD + "boolean"})
_SECTIONS = [*(kind.word for kind in Kind if kind), *(term.name for term in TERMS), *dictionary.SHAPES]


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
        _Part(part, _Names(space, minter), losses) for part, space in zip(document.parts, spaces, strict=True)
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


def _time(time: str, before: str) -> str:
    return "" if time == ABSENT_MARK else f'{"," if before else ""}"prov:time":{quoted(time)}'


def _prefixes(part: Bundle, minter: Minter | None) -> str:
    declared = {
        (_DEFAULT if prefix == DEFAULT else prefix): space
        for prefix, space in part.prefixes.items()
        if prefix != _DEFAULT and ":" not in prefix
    }
    if minter:
        declared |= {prefix: space for space, prefix in minter.made.items()}
    return f"{{{','.join(f'{quoted(prefix)}:{quoted(space)}' for prefix, space in declared.items())}}}"


class _Names(Namer):
    """IRIs to qualified names in quotes. Most are found at once by a prefix; the others as in any format."""

    def __init__(self, spaces: Mapping[str, str], minter: Minter) -> None:
        super().__init__(spaces, _spell, minter, quoted)
        self._heads = [(space, len(space), f"{prefix}:") for space, prefix in self.spaces if prefix]

    def __missing__(self, iri: str) -> str:
        for space, size, head in self._heads:
            if iri.startswith(space):
                self[iri] = text = quoted(head + iri[size:])
                return text
        return super().__missing__(iri)


class _Section:
    """The records of one section: keys, and lines that each begin with their key."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.lines: list[str] = []

    def whole(self) -> list[str]:
        """The lines; records of one key stand in one line, as an array."""
        if len(set(self.keys)) == len(self.keys):
            return self.lines
        found: dict[str, list[str]] = {}
        for key, line in zip(self.keys, self.lines, strict=True):
            found.setdefault(key, []).append(line[len(key) + 1 :])
        whole = {key: f"[{','.join(texts)}]" if len(texts) > 1 else texts[0] for key, texts in found.items()}
        return [f"{key}:{text}" for key, text in whole.items()]


class _Part:
    """One part as text, by section. All is spelt before anything is written, so that it is known which
    prefixes that takes.
    """

    def __init__(self, part: Bundle, names: Namer, losses: Losses) -> None:
        self.part = part
        self.names = names
        self.losses = losses
        taken = {one.id for one in part.statements}
        self._fresh = (f'"{name}"' for number in count(1) if (name := f"_:n{number}") not in taken)
        self._sections = {name: _Section() for name in _SECTIONS}
        self._spell_all()

    def sections(self, indent: str) -> Iterator[bytes]:
        """The sections that have records, each with the comma before it."""
        for name, section in self._sections.items():
            before = f',\n{indent}"{name}":{{\n'
            lines = section.whole()
            for at in range(0, len(lines), BATCH):
                yield (before + ",\n".join(lines[at : at + BATCH])).encode(errors="backslashreplace")
                before = ",\n"
            if lines:
                yield b"\n}"

    def _spell_all(self) -> None:
        elements: dict[Kind, list[Element]] = {}
        relations: dict[int, list[Statement]] = {}
        for one in self.part.statements:
            if isinstance(one, Statement):
                relations.setdefault(one.term.index, []).append(one)
            elif isinstance(one, Element):
                elements.setdefault(one.kind, []).append(one)
            else:
                self._extension(one)
        for kind, group in elements.items():
            self._elements(kind, group)
        for index, statements in relations.items():
            self._relations(TERMS[index], statements)

    def _elements(self, kind: Kind, group: list[Element]) -> None:
        names, attributes = self.names, self._attributes
        section = self._sections[kind.word]
        add_key, add_line = section.keys.append, section.lines.append
        for one in group:
            key = names[one.id]
            more = attributes(one.attributes) if one.attributes else ""
            if one.start is not None or one.end is not None:
                more = _times(one) + ("," if more else "") + more
            add_key(key)
            add_line(f"{key}:{{{more}}}")

    def _relations(self, term: Term, group: list[Statement]) -> None:
        names, attributes, fresh = self.names, self._attributes, self._fresh
        section = self._sections[term.name]
        add_key, add_line = section.keys.append, section.lines.append
        first, second, *_ = keys = _KEYS[term.index]
        absent = len(keys) - 2
        for one in group:
            ends, name = one.arguments, one.id
            one_end, other_end = ends[0], ends[1]
            if one_end and other_end and other_end != ABSENT_MARK != one_end and ends.count(None) == absent:
                body = f"{first}{names[one_end]},{second}{names[other_end]}"
            else:
                pairs = zip(keys, ends, strict=True)
                body = ",".join([key + names[end] for key, end in pairs if end and end != ABSENT_MARK])
            if one.time:
                body += _time(one.time, body)
            if one.attributes:
                body = f"{body},{attributes(one.attributes)}" if body else attributes(one.attributes)
            key = quoted(name) if name and name[0] == "_" else names[name] if name else next(fresh)
            add_key(key)
            add_line(f"{key}:{{{body}}}")

    def _attributes(self, attributes: tuple[Attribute, ...]) -> str:
        """Attributes as members; several values of a name stand in an array."""
        if len(attributes) == 1:
            name, value = attributes[0]
            return f"{self.names[name]}:{self._value(value)}"
        found: dict[str, str] = {}
        several: set[str] = set()
        for name, value in attributes:
            key = self.names[name]
            if key in found:
                several.add(key)
                found[key] = f"{found[key]},{self._value(value)}"
            else:
                found[key] = self._value(value)
        if not several:
            return ",".join([f"{key}:{text}" for key, text in found.items()])
        return ",".join(
            [f"{key}:[{text}]" if key in several else f"{key}:{text}" for key, text in found.items()]
        )

    def _value(self, value: Literal) -> str:
        if value.language:
            return f'{{"$":{quoted(value.value)},"lang":{quoted(value.language)}}}'
        datatype = value.datatype
        if not datatype:
            return quoted(value.value)
        if datatype == PROV_QUALIFIED_NAME:
            spelling = self.names[value.spelling or PROV_QUALIFIED_NAME]
            return f'{{"$":{self.names[value.value]},"type":{spelling}}}'
        if value.native and datatype in _NATIVE:
            return value.value
        return f'{{"$":{quoted(value.value)},"type":{self.names[value.spelling or datatype]}}}'

    # --- extensions ---

    def _extension(self, one: Extension) -> None:
        apart = dictionary.taken_apart(one)
        if apart is None:
            self.losses.add(one.id or one.name, f"the statement <{one.name}>", "PROV-JSON has no extensions")
            return
        shape, leading, rows = apart
        ends = zip(shape.json, leading, strict=True)
        members = [f'"{key}":{self.names[end]}' for key, end in ends if end and end != ABSENT_MARK]
        parts = [self._dictionary_part(row) for row in rows]
        if parts:
            key = dictionary.KEY_ENTITY_SET if shape.pairs else dictionary.KEY_SET
            members.append(f'"{key}":[{",".join(parts)}]')
        if one.attributes:
            members.append(self._attributes(one.attributes))
        section = self._sections[shape.name]
        section.keys.append(self.names[one.id] if one.id else next(self._fresh))
        section.lines.append(f"{section.keys[-1]}:{{{','.join(members)}}}")

    def _dictionary_part(self, row: tuple[Carried, ...]) -> str:
        key, *entity = row
        text = self._value(key) if isinstance(key, Literal) else ""
        return f'{{"key":{text},"$":{self.names[str(entity[0])]}}}' if entity else text
