"""Names and literals as Turtle, TriG and N-Quads spell them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring as quoted  # every escape of JSON is one of Turtle

from provmodel.document import PROV_QUALIFIED_NAME, XSD_STRING, Literal
from provmodel.documents.scope import BLANK, DEFAULT, RESERVED
from provmodel.lexical import INVISIBLE

_is_prefix = re.compile(r"(?:[A-Za-z](?:[A-Za-z0-9_-]*))?").fullmatch
_is_local = re.compile(r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?)?").fullmatch


class Names(dict[str, str]):
    """Absolute IRIs and blank names to their spelling, each worked out once.

    ``prefixes`` are those that may be used; the longest namespace that fits is taken. ``labels`` count the
    blank nodes of the whole text, so that blank names of two parts don't become one.
    """

    def __init__(self, prefixes: Mapping[str, str], labels: Iterator[int]) -> None:
        super().__init__()
        order = sorted(prefixes.items(), key=lambda one: (-len(one[1]), one[0] == DEFAULT))
        self._spaces = [(space, f"{prefix}:") for prefix, space in order]
        self._labels = labels

    def __missing__(self, name: str) -> str:
        self[name] = found = self._spelt(name)
        return found

    def _spelt(self, name: str) -> str:
        if name.startswith(BLANK):
            return self.blank()
        for space, head in self._spaces:
            if name.startswith(space) and _is_local(name[len(space) :]):
                return head + name[len(space) :]
        return f"<{visible(name)}>"

    def blank(self) -> str:
        """The label of a new node."""
        return f"{BLANK}b{next(self._labels)}"

    def value(self, value: Literal) -> str:
        """A value of an attribute."""
        datatype = value.datatype
        if datatype == PROV_QUALIFIED_NAME:
            return self[value.value]
        text = quoted(value.value)
        if not text.isascii() or "\x7f" in text:
            text = visible(text)
        if value.language:
            return f"{text}@{value.language}"
        if not datatype or datatype == XSD_STRING:
            return text
        return f"{text}^^{self[datatype]}"


def usable(prefixes: Mapping[str, str]) -> dict[str, str]:
    """The prefixes of a document that Turtle can spell, and those that PROV reserves."""
    kept = {prefix: space for prefix, space in prefixes.items() if _is_prefix(prefix) and ">" not in space}
    return {**kept, **RESERVED}


def visible(text: str) -> str:
    """``text`` with the characters escaped that can't be seen: literals and IRIs have the same escapes."""
    if text.isascii() and "\x7f" not in text:
        return text
    return INVISIBLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}"
