"""How Clew cuts text into words, for both databases alike: neither of theirs cuts paths or Chinese as meant.

A word is a run of letters, marks and digits, so paths, names in snake_case and digests fall apart at their
punctuation; a name in camelCase is a word, and so is each of its humps. Chinese, Japanese and Korean, which
do not put blanks between words, are cut into overlapping pairs of characters. Words are folded: compatibility
forms (NFKC), case and accents make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote

MOST_LETTERS = 64
"""Of a longer word only its beginning counts, when it is indexed and when it is asked for."""

_BEYOND_MARKS = 0x1F000  # code points up to which scripts have marks
_PLAIN = re.compile(r"[A-Za-z0-9]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HUMPED = re.compile(r"[a-z0-9][A-Z]")
_PAIRED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_RUNS = re.compile(f"([{_PAIRED}]+)|[^{_PAIRED}]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")


class Wanted(NamedTuple):
    """A word that is asked for; with ``prefix`` every word that begins with it will do."""

    word: str
    prefix: bool = False


def words_of(text: str) -> set[str]:
    """The words under which a text is found."""
    found: set[str] = set()
    for run, paired in _runs(text):
        if paired:
            found.update(run[i : i + 2] for i in range(len(run)))
        else:
            found.add(_fold(run)[:MOST_LETTERS])
            if _HUMPED.search(run):
                found.update(hump.lower()[:MOST_LETTERS] for hump in _HUMPS.findall(run))
    return found


def asked_for(query: str) -> list[Wanted]:
    """The words of a query, each once, in its order; a ``*`` after a word asks for all that begin with it."""
    wanted: dict[Wanted, None] = {}
    for piece in query.split():
        runs = list(_runs(piece))
        for place, (run, paired) in enumerate(runs):
            last = place == len(runs) - 1 and piece.endswith("*")
            wanted.update(dict.fromkeys(_pairs(run) if paired else [Wanted(_fold(run)[:MOST_LETTERS], last)]))
    return list(wanted)


def word_of_type(name: str) -> str:
    """The word under which nodes of a type are found; no text has it, since it is none of letters alone."""
    return f"type.{blake2b(name.encode(), digest_size=8).hexdigest()}"


def _pairs(run: str) -> list[Wanted]:
    """Neighbours are found as they were indexed; one character alone begins a pair, or ends a run."""
    return [Wanted(run[i : i + 2]) for i in range(len(run) - 1)] or [Wanted(run, prefix=True)]


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Runs of letters and digits, and whether they are to be cut into pairs."""
    if _ESCAPED.search(text):
        text = unquote(text)
    if text.isascii():
        for run in _PLAIN.findall(text):
            yield run, False
        return
    for run in _any_letters().findall(unicodedata.normalize("NFKC", text)):
        for part in _RUNS.finditer(run):
            yield part[0], part[1] is not None


def _fold(run: str) -> str:
    if run.isascii():
        return run.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", run.casefold()))
    return unicodedata.normalize("NFC", bare)


@cache
def _any_letters() -> re.Pattern[str]:
    """Letters and digits, and the marks that belong to them, which Python's ``\\w`` leaves out."""
    marks, first = [], -1
    for code in range(0x300, _BEYOND_MARKS):
        is_mark = unicodedata.category(chr(code))[0] == "M"
        if is_mark and first < 0:
            first = code
        elif not is_mark and first >= 0:
            marks.append(f"{chr(first)}-{chr(code - 1)}")
            first = -1
    return re.compile(rf"[^\W_](?:[^\W_]|[{''.join(marks)}])*")
