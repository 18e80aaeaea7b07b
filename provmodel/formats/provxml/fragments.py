"""XML that is kept as it is: the content of an rdf:XMLLiteral, and statements of other vocabularies."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat  # reads only what this module wrapped in an element of its own
from xml.sax.saxutils import escape, quoteattr  # they only write

SEPARATOR = " "  # between namespace and local name, as the parser gives them
XML = "http://www.w3.org/XML/1998/namespace"

PrefixOf = Callable[[str, bool], str]
"""The prefix that the text has for a namespace; the default namespace counts when the second is True."""


def name_parts(name: str) -> tuple[str, str]:
    """Namespace ("" for none) and local name of a name as the parser gives it."""
    space, separator, local = name.rpartition(SEPARATOR)
    return (space, local) if separator else ("", name)


class Fragment:
    """Puts an element together again. It declares each prefix where it is first used in it, so that it stands
    by itself.
    """

    def __init__(self, prefix_of: PrefixOf) -> None:
        self.depth = 0
        self._prefix_of = prefix_of
        self._text: list[str] = []
        self._open = False
        self._tags: list[str] = []
        self._scopes: list[dict[str, str]] = [{"xml": XML}]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self._close_tag()
        self.depth += 1
        scope = dict(self._scopes[-1])
        new: dict[str, str] = {}
        tag = self._name(name, scope, new, is_element=True)
        given = [(self._name(key, scope, new), value) for key, value in attributes.items()]
        spelt = [f"xmlns{':' if prefix else ''}{prefix}={quoteattr(space)}" for prefix, space in new.items()]
        spelt += [f"{key}={quoteattr(value)}" for key, value in given]
        self._scopes.append(scope)
        self._tags.append(tag)
        self._text.append(f"<{' '.join([tag, *spelt])}")
        self._open = True

    def end(self) -> None:
        """The element that was begun last ends."""
        tag = self._tags.pop()
        self._text.append("/>" if self._open else f"</{tag}>")
        self._open = False
        self._scopes.pop()
        self.depth -= 1

    def text(self, data: str) -> None:
        """Characters."""
        self._close_tag()
        self._text.append(escape(data, {"\r": "&#13;"}))

    def whole(self) -> str:
        """What was put together."""
        return "".join(self._text)

    def _close_tag(self) -> None:
        if self._open:
            self._text.append(">")
            self._open = False

    def _name(self, name: str, scope: dict[str, str], new: dict[str, str], is_element: bool = False) -> str:
        space, local = name_parts(name)
        if not space and not is_element:
            return local
        prefix = self._prefix_of(space, is_element)
        if scope.get(prefix, "") != space:
            scope[prefix] = new[prefix] = space
        return f"{prefix}:{local}" if prefix else local


class _Rebuilt:
    """Takes a text apart and puts it together again."""

    def __init__(self) -> None:
        self._spaces: dict[str, list[str]] = {}
        self.fragment = Fragment(self._prefix_of)
        self.parser = expat.ParserCreate(namespace_separator=SEPARATOR)
        self.parser.StartNamespaceDeclHandler = self._declare
        self.parser.StartElementHandler = self.fragment.start
        self.parser.EndElementHandler = lambda _: self.fragment.end()
        self.parser.CharacterDataHandler = self.fragment.text

    def _declare(self, prefix: str | None, space: str | None) -> None:
        self._spaces.setdefault(space or "", []).append(prefix or "")

    def _prefix_of(self, space: str, default: bool) -> str:
        fits = [prefix for prefix in self._spaces.get(space, ()) if prefix or default]
        return fits[-1] if fits else "xml" if space == XML else ""


def same_when_read(text: str) -> bool:
    """True when ``text`` is XML content that a reader gives back character by character."""
    whole = f"<x>{text}</x>"
    rebuilt = _Rebuilt()
    try:
        rebuilt.parser.Parse(whole, True)
    except expat.ExpatError:
        return False
    return rebuilt.fragment.whole() == whole
