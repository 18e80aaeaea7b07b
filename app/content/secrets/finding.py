"""Finding secrets in bytes, in one pass over all rules.

A text is first asked which rules may match at all, by one small automaton; most match none, and are done
with. Where a line is broken within a word, as in a wrapped terminal or a string over several lines of code,
the text is read once more without the break; what may be base64 is read once more decoded.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import re2  # type: ignore[import-untyped]

from app.content.secrets.rules import HINTS, Rule, quiet

MEMORY = 64 * 2**20  # bytes for the automaton of all rules
DEPTH = 2  # of base64 in base64
DIFFERENT = 8  # characters of a value that is random
_WRAPPED = re2.compile(rb"[A-Za-z0-9+/_-]{28,}={0,2}")
# Base64 of a key has letters of both cases; most paths and digests do not.
_MIXED = re.compile(rb"(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])")
_NEWLINE = re.compile(rb"\n|\\n")
_BEFORE = re.compile(rb"[\"']?[ \t]{0,4}+[+\\]?(?:\r|\\r)?\Z")
_AFTER = re.compile(rb"[ \t>|+]{0,40}+[\"']?")
_LOOKED_BACK = 8  # bytes: what can stand between a word and the end of its line
_IN_A_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/+=.-")
_EDGES = b" \t\r>|+\\\"'"  # what stands between a word and the break that goes through it


class Found(NamedTuple):
    """A secret: where it stands (bytes), and the name of its kind."""

    start: int
    end: int
    name: str


class Finder:
    """Rules, ready to be looked for. Any number of threads may use it at once."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._patterns = [re2.compile(rule.pattern.encode(), quiet()) for rule in rules]
        hints = [HINTS.get(rule.name, rule.pattern) for rule in rules]
        self._all = _automaton(hints)
        self._wrapped = _automaton([_WRAPPED.pattern.decode()])
        self._any = _automaton([*hints, _WRAPPED.pattern.decode()])

    def suspicious(self, text: bytes) -> bool:
        """Whether anything in it is worth a closer look."""
        if self._any.Match(text):
            return True
        return (b"\n" in text or b"\\n" in text) and self._is_broken(text)

    def _is_broken(self, text: bytes) -> bool:
        """Whether something may go over a break, told quickly."""
        plain = text.replace(b"\\r", b"").replace(b"\\n", b"\n") if b"\\n" in text else text
        joined = b"".join([line.strip(_EDGES) for line in plain.split(b"\n")])
        return any(self._rules[number].firm for number in self._all.Match(joined) or ())

    def find(self, text: bytes, depth: int = 0) -> list[Found]:
        """The secrets in a text, in their order and apart from each other."""
        found = self._plain(text)
        if b"\n" in text or b"\\n" in text:
            found += self._over_breaks(text)
        if depth < DEPTH and self._wrapped.Match(text):
            found += self._decoded(text, depth)
        return _apart(found)

    def _plain(self, text: bytes, firm_only: bool = False) -> list[Found]:
        found = []
        for number in self._all.Match(text) or ():
            rule = self._rules[number]
            if firm_only and not rule.firm:
                continue
            for match in self._patterns[number].finditer(text):
                group = 1 if match.re.groups and match.start(1) >= 0 else 0
                value = match.group(group)
                if rule.firm or is_random(value):
                    found.append(Found(match.start(group), match.end(group), rule.name))
        return found

    def _over_breaks(self, text: bytes) -> Iterator[Found]:
        """Secrets that a broken line goes through: found where the break is left out."""
        if not self._is_broken(text):
            return
        joined, places = _without_breaks(text)
        for found in self._plain(joined, firm_only=True):
            start, end = _place(places, found.start), _place(places, found.end - 1) + 1
            if end - start > found.end - found.start:
                yield Found(start, end, found.name)

    def _decoded(self, text: bytes, depth: int) -> Iterator[Found]:
        """Secrets in base64: all that is wrapped with one is taken out."""
        for match in _WRAPPED.finditer(text):
            run = match.group()
            if not _MIXED.match(run):
                continue
            inner = _from_base64(run)
            if inner and (hidden := self.find(inner, depth + 1)):
                yield Found(match.start(), match.end(), hidden[0].name)


def is_random(value: bytes) -> bool:
    """Whether a value looks as if nobody had thought of it: letters and digits, and many different ones."""
    has_digit = any(48 <= byte <= 57 for byte in value)
    has_letter = any(65 <= byte <= 90 or 97 <= byte <= 122 for byte in value)
    return has_digit and has_letter and len(set(value)) >= min(DIFFERENT, len(value) - 1)


def _automaton(patterns: Iterable[str]) -> Any:
    options = quiet()
    options.max_mem = MEMORY
    made = re2.Set.SearchSet(options)
    for pattern in patterns:
        made.Add(pattern)
    made.Compile()
    return made


def _without_breaks(text: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The text without the breaks within words (an optional backslash, or the end of a string and the start
    of the next), and for each piece of it (start here, start there).
    """
    pieces: list[bytes] = []
    places: list[tuple[int, int]] = []
    at = length = 0
    for newline in _NEWLINE.finditer(text):
        before = _BEFORE.search(text, max(at, newline.start() - _LOOKED_BACK), newline.start())
        after = _AFTER.match(text, newline.end())
        start = before.start() if before else newline.start()
        end = after.end() if after else newline.end()
        if start > 0 and end < len(text) and text[start - 1] in _IN_A_WORD and text[end] in _IN_A_WORD:
            pieces.append(text[at:start])
            places.append((length, at))
            length += start - at
            at = end
    return b"".join([*pieces, text[at:]]), [*places, (length, at)]


def _place(places: Sequence[tuple[int, int]], at: int) -> int:
    """Where a byte of the joined text stands in the text itself."""
    low, high = 0, len(places)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if places[middle][0] <= at else (low, middle)
    here, there = places[low]
    return there + at - here


def _from_base64(run: bytes) -> bytes:
    plain = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    usable = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    try:
        return base64.b64decode(usable + b"=" * (-len(usable) % 4))
    except binascii.Error:
        return b""


def _apart(found: list[Found]) -> list[Found]:
    """In order; where two overlap, one from the start of the first to the end of the last."""
    apart: list[Found] = []
    for one in sorted(found):
        if apart and one.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Found(last.start, max(last.end, one.end), last.name)
        else:
            apart.append(one)
    return apart
