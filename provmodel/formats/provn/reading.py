"""PROV-N text to a document. Where something is wrong, line and column say where."""

from __future__ import annotations

import re
from difflib import get_close_matches

import msgspec

from provmodel.document import (
    ABSENT_MARK,
    PROV,
    AnyStatement,
    Bundle,
    Document,
    Element,
    Statement,
)
from provmodel.documents.assembling import assembled
from provmodel.documents.faults import Faults, Remarks, Trouble, shown
from provmodel.documents.lacking import is_void, lacking, required
from provmodel.documents.scope import DEFAULT, Scope, declared
from provmodel.documents.values import Times
from provmodel.errors import Unreadable
from provmodel.formats.provn import lexing
from provmodel.formats.provn.extensions import extension
from provmodel.formats.provn.lexing import Names, Text
from provmodel.formats.provn.values import Values
from provmodel.relations import TERMS, Kind, Term

_has_blanks = re.compile(r"\s").search
_ACTIVITY_ARGUMENTS = 3  # id, start, end


class _Shape(msgspec.Struct, frozen=True):
    """A relation in PROV-N: the subject, other arguments, references to relations, and a time last.

    ``size`` counts all but the time; at least ``least`` of them stand; ``required`` may not be ``-``.
    """

    term: Term
    size: int
    least: int
    required: tuple[int, ...]
    names: tuple[str, ...]


def _shape(term: Term) -> _Shape:
    names = (term.subject, *(argument.name for argument in term.arguments), *term.references)
    places = required(term)
    return _Shape(term, len(names), max(places) + 1, places, names)


_RELATIONS = {term.name: _shape(term) for term in TERMS if not term.json_name}
_ELEMENTS = {kind.word: kind for kind in Kind if kind}


class _Call(msgspec.Struct, frozen=True):
    """A statement as it stands, up to its attributes: where its name stands, the name, the id before ``;``,
    the arguments, and whether attributes follow.
    """

    start: int
    word: str
    name: str | None
    words: list[str]
    more: bool


def read(data: bytes) -> Document:
    """The document in PROV-N text; raises :class:`Unreadable`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}", "the text is not UTF-8", "send UTF-8") from None
    return _Reader(Text(text)).document()


class _Reader:
    """Reads one text. ``names`` are those of the part that is read."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.faults = Faults()
        self.remarks = Remarks()
        self.times = Times()
        self.names = Names({}, None, lexing.local_name)
        self.values = Values(text, self.names, self.remarks)

    def document(self) -> Document:
        """Everything from ``document`` to ``endDocument``."""
        text = self.text
        if self._keyword() != "document":
            raise text.fault(f"it begins with {text.here()}", "a PROV-N text begins with the word document")
        text.at = self._after_word()
        main, prefixes = self._open(None)
        statements = self._statements()
        bundles: list[Bundle] = []
        while self._keyword() == "bundle":
            bundles.append(self._bundle(main))
            self._enter(main)
            if self._keyword() not in {"bundle", "endDocument"}:
                raise text.fault(f"after the bundle stands {text.here()}", "statements stand before bundles")
        self._expect("endDocument")
        text.skip()
        if text.at < len(text.text):
            raise text.fault(f"after endDocument stands {text.here()}", "nothing may follow")
        document = assembled(Bundle(None, prefixes, tuple(statements)), bundles, self.remarks)
        self.faults.settle()
        return document

    def _bundle(self, outer: Names) -> Bundle:
        text = self.text
        text.at = self._after_word()
        found = lexing.word(text.text, text.at)
        if not found:
            raise text.fault(f"where the bundle's name should be stands {text.here()}", "name the bundle")
        text.at = found.end()
        _, prefixes = self._open(outer)
        statements = self._statements()
        if self._keyword() == "bundle":
            raise text.fault(f"nested bundle in {found[1]}", "a bundle holds no bundle; end this one before")
        self._expect("endBundle")
        try:
            return Bundle(outer[found[1]], prefixes, tuple(statements))
        except Trouble as trouble:
            raise trouble.at(text.where(found.start(1))) from None

    # --- words that frame ---

    def _keyword(self) -> str:
        """The word that stands here when it is one of those that frame a text, else ""."""
        self.text.skip()
        found = lexing.keyword(self.text.text, self.text.at)
        return found[0] if found else ""

    def _after_word(self) -> int:
        return self.text.at + len(self._keyword())

    def _expect(self, word: str) -> None:
        if self._keyword() != word:
            text = self.text
            where = "a statement should be" if text.at < len(text.text) else f"{word} should be"
            raise text.fault(f"where {where} stands {text.here()}", f"end it with {word}")
        self.text.at = self._after_word()

    def _open(self, outer: Scope | None) -> tuple[Names, dict[str, str]]:
        """Read the declarations that open a part, and enter it."""
        text, start = self.text, self.text.at
        given: dict[str, str] = {}
        while (word := self._keyword()) in {"prefix", "default"}:
            text.at = self._after_word()
            prefix = self._prefix() if word == "prefix" else DEFAULT
            found = lexing.namespace(text.text, text.at)
            if not found:
                raise text.fault(
                    f"where a namespace should be stands {text.here()}", "write it as <http://...>"
                )
            if given.get(prefix, found[1]) != found[1]:
                raise text.fault(f"the prefix {prefix or 'default'} is declared twice", "declare it once")
            given[prefix] = found[1]
            text.at = found.end()
        try:
            prefixes = declared(given, self.remarks, lambda _: text.where(start))
        except Trouble as trouble:
            raise trouble.at(text.where(start)) from None
        names = Names(prefixes, outer, lexing.local_name)
        self._enter(names)
        return names, prefixes

    def _prefix(self) -> str:
        text = self.text
        found = lexing.word(text.text, text.at)
        if not found or not lexing.is_prefix(found[1]):
            raise text.fault(f"where a prefix should be stands {text.here()}", "write prefix ex <http://...>")
        text.at = found.end()
        return found[1]

    def _enter(self, names: Names) -> None:
        names[ABSENT_MARK] = ABSENT_MARK
        self.names = self.values.names = names

    # --- statements ---

    def _statements(self) -> list[AnyStatement]:
        """Everything up to a word that frames."""
        found: list[AnyStatement] = []
        text, faults = self.text, self.faults
        while call := self._call():
            try:
                if call.word in _RELATIONS:
                    found.append(self._relation(call, _RELATIONS[call.word]))
                elif call.word in _ELEMENTS:
                    found.append(self._element(call, _ELEMENTS[call.word]))
                else:
                    found.append(self._other(call))
            except Trouble as trouble:
                faults.add(text.where(call.start), trouble)
        return found

    def _call(self) -> _Call | None:
        """The next statement up to its attributes; None when something else is next."""
        text = self.text
        found = lexing.simple(text.text, text.at)
        if not found:
            return self._odd_call()
        word, inner, stop = found.groups()
        text.at = found.end()
        inner = inner.replace(", ", ",")  # as it is written most often
        words = inner.split(",")
        if _has_blanks(inner):
            words = [one.strip() for one in words]
        name: str | None = None
        if ";" in inner:
            name, _, first = words[0].partition(";")
            name, words[0] = name.strip(), first.strip()
        if stop == "[" and words.pop():
            raise text.fault("a comma is missing before [", "write one", found.start(3))
        return _Call(found.start(1), word, name, words, stop == "[")

    def _odd_call(self) -> _Call | None:
        """A statement with comments, escapes or other things within its arguments."""
        text = self.text
        found = lexing.head(text.text, text.at)
        if not found:
            if self._keyword():
                return None
            at_end = text.at == len(text.text)
            remedy = "end the document with endDocument" if at_end else "write name(...)"
            raise text.fault(f"where a statement should be stands {text.here()}", remedy)
        start, word = found.start(1), found[1]
        text.at = found.end()
        if self._is_extension(word):
            return _Call(start, word, None, [], more=False)
        name: str | None = None
        words: list[str] = []
        stop = ","
        while stop in ",;":
            if stop == "," and words and text.starts("["):
                return _Call(start, word, name, words, more=True)
            one = lexing.argument(text.text, text.at)
            if not one:
                raise text.fault(f"where an argument of {word} should be stands {text.here()}", self._hint())
            text.at, stop = one.end(), one[2]
            if stop == ";" and (name or words):
                raise text.fault("; stands after an argument", "it follows the id of a statement", one.end(1))
            if stop == "[":
                raise text.fault("a comma is missing before [", "write one", one.start(2))
            if stop == ";":
                name = one[1]
            else:
                words.append(one[1])
        return _Call(start, word, name, words, more=False)

    def _hint(self) -> str:
        found = self.text.text[self.text.at : self.text.at + 1]
        return "names stand without quotes" if found in {'"', "'"} else "give names, a time or -, then )"

    def _relation(self, call: _Call, shape: _Shape) -> Statement:
        words, names, term = call.words, self.names, shape.term
        count, time = len(words), None
        if count == shape.size + 1 and term.timed:
            time = words.pop()
        elif not shape.least <= count <= shape.size:
            most = shape.size + term.timed
            raise self._wrong_count(call, f"{shape.least} to {most}" if most > shape.least else f"{most}")
        attributes = self.values.attributes() if call.more else ()
        ends: list[str | None] = [names[word] for word in words]
        if count < shape.size:
            ends += [None] * (shape.size - count)
        name = None if call.name is None or call.name == ABSENT_MARK else names[call.name]
        if ABSENT_MARK in words:
            self._check(shape, ends, name, call)
        if time is not None:
            time = None if time == ABSENT_MARK else self.times[time]
        return Statement(term, name, tuple(ends), time, attributes)

    def _check(self, shape: _Shape, ends: list[str | None], name: str | None, call: _Call) -> None:
        for place in shape.required:
            if ends[place] == ABSENT_MARK:
                found = lacking(shape.term, shape.names[place])
                if is_void(shape.term, place, name):
                    raise found
                self.remarks.add("incomplete relations", self.text.where(call.start), found.reason)

    def _element(self, call: _Call, kind: Kind) -> Element:
        words, names = call.words, self.names
        timed = kind is Kind.ACTIVITY and len(words) == _ACTIVITY_ARGUMENTS
        if (len(words) != 1 and not timed) or call.name is not None:
            raise self._wrong_count(call, "1 or 3" if kind is Kind.ACTIVITY else "1")
        attributes = self.values.attributes() if call.more else ()
        if words[0] == ABSENT_MARK:
            raise Trouble(f"{call.word} has no id", "give one")
        if not timed:
            return Element(kind, names[words[0]], attributes)
        start, end = (None if word == ABSENT_MARK else self.times[word] for word in words[1:])
        return Element(kind, names[words[0]], attributes, start, end)

    def _wrong_count(self, call: _Call, wanted: str) -> Unreadable:
        given = ", ".join(call.words)
        what = f"{call.word} takes {wanted} arguments{' before its attributes' if call.more else ''}"
        if wanted == "1":
            what = f"{call.word} takes one id"
        if call.name is not None:
            given = f"{call.name}; {given}"
        remedy = (
            f"state each {call.word} by itself" if call.word in _ELEMENTS else "write - for what is unknown"
        )
        return self.text.fault(f"{what}, this one has {len(call.words)}: {given[:80]}", remedy, call.start)

    # --- statements with a prefix ---

    def _is_extension(self, word: str) -> bool:
        return ":" in word and not self._own_name(word)

    def _own_name(self, word: str) -> str:
        """The name of a statement of PROV that is written with its prefix (``prov:mentionOf``), or ""."""
        try:
            iri = self.names.expand(word)
        except Trouble:
            return ""
        name = iri.removeprefix(PROV)
        return name if iri.startswith(PROV) and (name in _RELATIONS or name in _ELEMENTS) else ""

    def _other(self, call: _Call) -> AnyStatement:
        name = self._own_name(call.word)
        if name in _RELATIONS:
            return self._relation(call, _RELATIONS[name])
        if name:
            return self._element(call, _ELEMENTS[name])
        text = self.text
        if ":" not in call.word:
            near = get_close_matches(call.word, [*_RELATIONS, *_ELEMENTS], 1)
            remedy = f"did you mean {near[0]}?" if near else "an extension's name has a prefix"
            raise text.fault(f"there is no statement {shown(call.word)}", remedy, call.start)
        head = lexing.head(text.text, call.start)
        text.at = head.end() if head else call.start
        try:
            iri = self.names[call.word]
            found = extension(iri, text, self.values)
        except Trouble as trouble:
            raise trouble.at(text.where(call.start)) from None
        what = f"{call.word} is an extension; it is carried, not interpreted"
        self.remarks.add("statements carried", text.where(call.start), what)
        return found
