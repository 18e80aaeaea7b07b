"""A document as PROV-N: a statement a line, in the order of the document.

Names are first written as they are, between marks. A batch of lines then has each namespace replaced by its
prefix in one go, which is several times faster than spelling name by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
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
from provmodel.documents.faults import Losses
from provmodel.documents.lacking import required
from provmodel.documents.naming import Minter, Namer, minter_for, scopes, skolem
from provmodel.documents.scope import BLANK, DEFAULT, RESERVED
from provmodel.formats.provn.lexing import BLANKS, KEYWORDS
from provmodel.relations import MENTION, TERMS, Kind

BATCH = 512  # statements between two chunks
_OPEN, _CLOSE, _DONE = (
    "\x00",
    "\x01",
    "\x02",
)  # around names; no text of PROV-N that is written here holds them
_BETWEEN = f"{_CLOSE}, {_OPEN}"
_MARKED = re.compile(f"{_OPEN}([^{_CLOSE}]*+){_CLOSE}").sub
_SAFE = r"A-Za-z0-9_/@~&+*?#$!%"
# A spelt name whose local part needs escapes, or a closer look.
_ODD = re.compile(
    f"{_DONE}([^:{_CLOSE}]*+:)(?![{_SAFE}][{_SAFE}.-]*+(?<!\\.){_CLOSE})([^{_CLOSE}]*+){_CLOSE}"
).sub
_has_blank = re.compile(f"[{BLANKS}]").search  # legal in an IRI, but in no word of PROV-N
_DELIMITERS = re.compile(r"[='(),:;\[\]]").sub
_MOST_HEADS = 32  # prefixes up to which replacing is faster than looking each name up
_CONTROL = re.compile(r"(?<!\\)(?:\\\\)*\\u00").search
_is_prefix = re.compile(r"[^\W\d_](?:[\w.-]*[\w-])?").fullmatch
_is_int = re.compile(r"-?(?:0|[1-9][0-9]{0,9})").fullmatch
_INT = XSD + "int"
_REQUIRED = {term.index: len(required(term)) for term in TERMS}
_REQUIRED[MENTION.index] = 3  # its bundle is written as - when it isn't known


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as PROV-N; what it can't hold is added to ``told``."""
    losses = Losses(told)
    minter = minter_for(document)
    spaces = scopes(document, _is_legal_prefix)
    parts = [
        _Part(part, number, space, minter, losses)
        for number, (part, space) in enumerate(zip(document.parts, spaces, strict=True))
    ]
    batches = [part.batches() for part in parts]
    names = [parts[0].spelt(_marked(part.id or "")) for part in document.bundles]
    made = {prefix: space for space, prefix in minter.made.items()}
    yield f"document\n{_declarations({**_legal(document.main), **made})}".encode()
    yield from _encoded(batches[0])
    for name, bundle, lines in zip(names, document.bundles, batches[1:], strict=True):
        yield f"bundle {name}\n{_declarations(_legal(bundle))}".encode()
        yield from _encoded(lines)
        yield b"endBundle\n"
    yield b"endDocument\n"
    losses.tell()


def _encoded(batches: list[str]) -> Iterator[bytes]:
    for batch in batches:
        yield batch.encode(errors="backslashreplace")


def _is_legal_prefix(prefix: str) -> bool:
    return prefix == DEFAULT or (_is_prefix(prefix) is not None and prefix not in KEYWORDS)


def _legal(part: Bundle) -> dict[str, str]:
    """The prefixes to declare; PROV-N has the reserved ones without a declaration."""
    return {
        prefix: space
        for prefix, space in part.prefixes.items()
        if _is_legal_prefix(prefix) and prefix not in RESERVED
    }


def _declarations(prefixes: dict[str, str]) -> str:
    return "".join(
        f"default <{space}>\n" if prefix == DEFAULT else f"prefix {prefix} <{space}>\n"
        for prefix, space in prefixes.items()
    )


def _marked(name: str | None) -> str:
    return f"{_OPEN}{name}{_CLOSE}" if name and name != ABSENT_MARK else ABSENT_MARK


def _spell(prefix: str, local: str) -> str | None:
    if not local.isascii() and _has_blank(local):
        return None
    escaped = _escaped(local)
    if prefix:
        return f"{prefix}:{escaped}"
    return None if not local or local[0] == "/" else escaped


def _escaped(local: str) -> str:
    """A local part with the escapes that PN_LOCAL needs."""
    text = _DELIMITERS(r"\\\g<0>", local)
    if local[:1] in {"-", "."}:
        text = "\\" + text
    return f"{text[:-1]}\\." if len(local) > 1 and local[-1] == "." else text


def _other_ends(one: Statement) -> str:
    """The arguments of a statement: all, or those that PROV-DM requires when there is nothing beyond them."""
    term, arguments = one.term, one.arguments
    least = _REQUIRED[term.index]
    if not one.time and arguments[least:].count(None) == len(arguments) - least:
        return ", ".join([_marked(end) for end in arguments[:least]])
    ends = ", ".join([_marked(end) for end in arguments])
    return f"{ends}, {one.time or ABSENT_MARK}" if term.timed else ends


class _Part:
    """One part of a document; ``number`` is 0 for the main one."""

    def __init__(
        self, part: Bundle, number: int, spaces: dict[str, str], minter: Minter, losses: Losses
    ) -> None:
        self.part = part
        self.number = number
        self.losses = losses
        self.names = Namer(spaces, _spell, minter, self._of_blank)
        known = [(f"{_OPEN}{space}", f"{_DONE}{prefix}:") for space, prefix in self.names.spaces if prefix]
        self._keys: dict[str, str] = {}
        self._tails: dict[str, str] = {}
        self._heads = known if len(known) <= _MOST_HEADS else []

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

    def batches(self) -> list[str]:
        """The lines, spelt, some hundred at a time."""
        statement, element, extension = self._statement, self._element, self._extension
        statements = self.part.statements
        return [
            self.spelt(
                "".join(
                    [
                        statement(one)
                        if isinstance(one, Statement)
                        else element(one)
                        if isinstance(one, Element)
                        else extension(one)
                        for one in statements[at : at + BATCH]
                    ]
                )
            )
            for at in range(0, len(statements), BATCH)
        ]

    def spelt(self, text: str) -> str:
        """``text`` with its names spelt."""
        for head, done in self._heads:
            text = text.replace(head, done)
        text = _ODD(self._odd, text)
        if _OPEN in text:
            text = _MARKED(lambda found: self.names[found[1]], text)
        if "\\u00" in text and _CONTROL(text):
            why = "PROV-N has no escape for them; they are written as \\u and four digits"
            self.losses.add("a value", "control characters, for other readers", why)
        return text.replace(_DONE, "").replace(_CLOSE, "")

    def _odd(self, found: re.Match[str]) -> str:
        """A name of a known prefix with escapes, or with another prefix when none would do."""
        prefix, local = found.groups()
        if local.isascii() or not _has_blank(local):
            return str(prefix + _escaped(local))
        space = next(space for space, name in self.names.spaces if name == prefix[:-1])
        return self.names[space + local]

    def _of_blank(self, name: str) -> str:
        iri = skolem(name, self.number)
        why = f"PROV-N has no blank names; it is written as <{iri}>, which Clew reads as blank"
        self.losses.add(name, "that the name is blank, for other readers", why)
        return self.names[iri]

    def _statement(self, one: Statement) -> str:
        term, arguments, name, time = one.term, one.arguments, one.id, one.time
        first, second, *others = arguments
        if first and second and first != ABSENT_MARK != second and others.count(None) == len(others):
            ends = f"{_OPEN}{first}{_BETWEEN}{second}{_CLOSE}"
            if term.timed:
                ends += f", -, {time or ABSENT_MARK}" if others else f", {time or ABSENT_MARK}"
            elif others and _REQUIRED[term.index] != 2:
                ends += ", -"
        else:
            ends = _other_ends(one)
        if not term.attributes:
            return self._bare(one, ends)
        more = self._attributes(one.attributes) if one.attributes else ""
        if name and (name[0] != "_" or name in self._referred):
            return f"{term.name}({_OPEN}{name}{_CLOSE}; {ends}{more})\n"
        return f"{term.name}({ends}{more})\n"

    def _bare(self, one: Statement, ends: str) -> str:
        """A relation that has neither id nor attributes in PROV-N, telling what is lost of it."""
        why = f"{one.term.name} has neither id nor attributes in PROV-N"
        where = one.id or str(one.arguments[0])
        if one.attributes:
            self.losses.add(where, "its attributes", why)
        if one.id and (not one.id.startswith(BLANK) or one.id in self._referred):
            self.losses.add(where, "its id", why)
        return f"{one.term.name}({ends})\n"

    def _element(self, one: Element) -> str:
        more = self._attributes(one.attributes) if one.attributes else ""
        times = ""
        if one.kind is Kind.ACTIVITY and (one.start or one.end):
            times = f", {one.start or ABSENT_MARK}, {one.end or ABSENT_MARK}"
        return f"{one.kind.word}({_OPEN}{one.id}{_CLOSE}{times}{more})\n"

    def _attributes(self, attributes: tuple[Attribute, ...]) -> str:
        keys, tails = self._keys, self._tails
        texts: list[str] = []
        for name, value in attributes:
            key = keys.get(name) or self._key(name)
            datatype = value.datatype
            if value.language:
                texts.append(f"{key}{quoted(value.value)}@{value.language}")
            elif not datatype:
                texts.append(f"{key}{quoted(value.value)}")
            elif datatype in tails:
                texts.append(f"{key}{quoted(value.value)}{tails[datatype]}")
            else:
                texts.append(key + self._value(value))
        return f", [{', '.join(texts)}]"

    def _key(self, name: str) -> str:
        """A name with ``=`` after it."""
        self._keys[name] = key = f"{self.names[name]}="
        return key

    def _value(self, value: Literal) -> str:
        if value.language:
            return f"{quoted(value.value)}@{value.language}"
        datatype = value.datatype
        if datatype == PROV_QUALIFIED_NAME:
            return f"'{_OPEN}{value.value}{_CLOSE}'"
        if not datatype:
            return quoted(value.value)
        if datatype == _INT:
            return value.value if _is_int(value.value) else f"{quoted(value.value)} %% {self.names[_INT]}"
        tail = f" %% {self.names[value.spelling or datatype]}"
        if not value.spelling:
            self._tails[datatype] = tail
        return quoted(value.value) + tail

    # --- extensions ---

    def _extension(self, one: Extension) -> str:
        if not one.arguments:
            self.losses.add(one.id or one.name, f"the statement <{one.name}>", "it has no form in PROV-N")
            return ""
        head = f"{_marked(one.id)}; " if one.id and not one.id.startswith(BLANK) else ""
        more = self._attributes(one.attributes) if one.attributes else ""
        arguments = ", ".join([self._carried(argument, 0) for argument in one.arguments])
        return f"{_OPEN}{one.name}{_CLOSE}({head}{arguments}{more})\n"

    def _carried(self, place: Carried, depth: int) -> str:
        """An argument; a set stands in braces, and what stands together in it in parentheses."""
        if isinstance(place, tuple):
            inner = ", ".join([self._carried(one, depth + 1) for one in place])
            return f"{{{inner}}}" if depth == 0 else f"({inner})"
        return self._value(place) if isinstance(place, Literal) else _marked(place)
