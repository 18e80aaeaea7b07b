"""Which values are hard to guess, and the words of a text that are.

A match of an unguessable value says that it came from there; a match of "completed", 42 or today's date
says nothing. The rule (``strong``) is deliberately simple, so that anyone can tell by looking:

- a number, or text that reads as one (sign, currency, percent and thousands commas aside): at least 5
  significant digits;
- other text: at least 12 characters, or at least 6 with a digit among them;
- but never a date or a time of day, a single word of letters and hyphens (whatever its length: languages
  have long words), or text with fewer than 4 different characters among its last 16;
- true, false, null and empty arrays and objects: never.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Any

LONG = 12
LONG_WITH_DIGIT = 6
SIGNIFICANT_DIGITS = 5
DIFFERENT_CHARACTERS = 4
_LOOKED_AT = 16  # characters, at the end (where ids differ), among which the different ones are counted
SHORTEST = 5  # nothing shorter can be strong: a number of 5 digits
LONGEST_WORD = 2048  # characters; what is longer without a blank is data, not a word

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[+-]?[$€£¥]?[+-]?((?:\d{1,3}(?:,\d{3})+|\d{1,40})(?:\.\d{1,40})?)[%€]?")
_CLOCK = r"\d{1,2}:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?"
_WHEN = re.compile(rf"\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{1,4}}([Tt ]{_CLOCK})?|{_CLOCK}")
_BEFORE_NUMBER = frozenset("0123456789+-$€£¥")
_EDGES = ".,;:!?\"'`()[]{}<>*_«»“”‘’…"
_INNER = re.compile(r"[=:,;|\"'`()\[\]{}<>\\]+")
_PLAIN = (string.ascii_letters + string.whitespace).encode()
_ASCII_RUN = re.compile(rf"[!-~]{{{SHORTEST},}}")


def strong(value: Any) -> bool:
    """Whether a JSON leaf is hard to guess, by the rule above."""
    if isinstance(value, str):
        return strong_text(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return significant_digits(repr(value)) >= SIGNIFICANT_DIGITS


def strong_text(text: str) -> bool:
    """Whether a string is hard to guess."""
    length = len(text)
    if length < SHORTEST:
        return False
    if text[0] in _BEFORE_NUMBER:
        read = _NUMBER.fullmatch(text)
        if read:
            return significant_digits(read[1]) >= SIGNIFICANT_DIGITS
        if _WHEN.fullmatch(text):
            return False
    if length >= LONG:
        return not text.replace("-", "").isalpha() and _varied(text)
    return length >= LONG_WITH_DIGIT and bool(_DIGIT.search(text)) and _varied(text)


def _varied(text: str) -> bool:
    return len(set(text[-_LOOKED_AT:])) >= DIFFERENT_CHARACTERS


def significant_digits(text: str) -> int:
    """How many digits of a decimal number carry information: without exponent, sign, point and the zeros at
    both ends.
    """
    digits = text.partition("e")[0].lstrip("+-").replace(",", "").replace(".", "")
    return len(digits.strip("0"))


def words(text: str) -> Iterator[str]:
    """The strong words of a text, without the punctuation around them; some come more than once.

    Of ``"order_id":"ORD-8841",`` come the whole and its parts; in writing without blanks, the runs of ASCII.
    """
    if text.isascii() and _is_plain(text.encode()):
        return
    for word in [word for word in text.split() if not word.isalpha() and len(word) >= SHORTEST]:
        bare = word.strip(_EDGES)
        if not bare.isalpha() and SHORTEST <= len(bare) <= LONGEST_WORD:
            yield from _in_word(bare)
        if not word.isascii():
            yield from (part for run in _ASCII_RUN.findall(word) for part in _in_word(run.strip(_EDGES)))


def _is_plain(text: bytes) -> bool:
    """Whether it is told at a glance that there are letters and ends of sentences alone."""
    if not text.translate(None, _PLAIN):
        return True
    for mark in (b". ", b", ", b".\n"):
        text = text.replace(mark, b" ")
    return not text.rstrip(b".,!?").translate(None, _PLAIN)


def _in_word(word: str) -> Iterator[str]:
    if strong_text(word):
        yield word
    if _INNER.search(word) and not _NUMBER.fullmatch(word):
        yield from filter(strong_text, [part.strip(_EDGES) for part in _INNER.split(word)])


def amounts(word: str) -> tuple[str, ...]:
    """How a word that reads as a number may be spelled as an argument: ``$4,312.50`` as ``4312.50`` (this
    comes first), and with its commas. Nothing for another word.
    """
    read = _NUMBER.fullmatch(word)
    if not read:
        return ()
    written = ("-" if "-" in word[:2] else "") + read[1]
    return written.replace(",", ""), written
