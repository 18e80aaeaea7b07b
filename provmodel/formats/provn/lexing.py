"""The words of PROV-N (W3C Recommendation, 30 April 2013, section 3.7), and what a text says of its faults.

Every pattern is possessive: reading takes time in proportion to the text, whatever is in it.
"""

from __future__ import annotations

import re

from provmodel.documents.faults import Trouble, shown
from provmodel.documents.scope import DEFAULT, Scope
from provmodel.errors import Unreadable

KEYWORDS = ("document", "prefix", "default", "bundle", "endBundle", "endDocument")
# Blanks and comments.
SPACE = r"(?:\s++|//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
# All blanks by their characters: a set of those is looked up at once, one with \s character by character.
BLANKS = r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# A qualified name, a marker, a number or a time; which of them is told by the place. Wider than the grammar,
# which a name need not follow in order to be understood; narrower than what would swallow a delimiter.
WORD = rf"(?:[^{BLANKS},;()\[\]{{}}\"'=\\<>|^`%]++|%[0-9A-Fa-f]{{2}}|\\[=\"'(),\-:;\[\].])++"
_LONG = r'"""((?:[^"\\]++|\\.|"(?!""))*+)"""'
_SHORT = r'"((?:[^"\\\r\n]++|\\.)*+)"'
_NAME = r"'((?:[^'\\\r\n]++|\\.)*+)'"
_INTEGER = r"(-?[0-9]++)(?![^\s,\])}])"
_LANGUAGE = r"@([A-Za-z]++(?:[-_][A-Za-z0-9]++)*+)"
# Groups of a value: long text, short text, name, integer, datatype, language.
VALUE = rf"(?:(?:(?s:{_LONG})|(?s:{_SHORT}))(?:{SPACE}%%{SPACE}({WORD})|{_LANGUAGE})?|{_NAME}|{_INTEGER})"

skip = re.compile(SPACE).match
word = re.compile(f"{SPACE}({WORD})").match
value = re.compile(f"{SPACE}{VALUE}").match
namespace = re.compile(rf"{SPACE}<([^<>\"{{}}|^`\\\x00-\x20]*+)>").match
is_word = re.compile(WORD).fullmatch
is_prefix = re.compile(r"[^\s:,;()\[\]{}\"'=\\<>|^`%]+").fullmatch
# A statement up to its attributes, or to its end: name, arguments as they stand, and what ends them.
simple = re.compile(rf"{SPACE}({WORD}){SPACE}\(((?:[^\"'\[\](){{}}\\<>=%/]++|/(?![/*]))*+)([)\[])").match
keyword = re.compile(rf"(?:{'|'.join(KEYWORDS)})(?![\w:.-])").match
head = re.compile(rf"{SPACE}({WORD}){SPACE}\(").match
argument = re.compile(rf"{SPACE}({WORD}){SPACE}([,;)\[])").match
# One attribute: its name, the groups of its value, and what ends it.
pair = re.compile(rf"{SPACE}({WORD}){SPACE}={SPACE}{VALUE}{SPACE}([,\]])").match
close = re.compile(rf"{SPACE}\)").match
empty = re.compile(rf"{SPACE}\]").match

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL).sub
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_IN_NAME = re.compile(r"\\(.)").sub


def unescaped(text: str) -> str:
    """A text without its escapes; raises :class:`Trouble` for one that PROV-N doesn't have. ``\\u`` and four
    hex digits are understood beside them: there is no other way to write a control character.
    """
    return _ESCAPE(_escaped, text) if "\\" in text else text


def _escaped(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    character = _ESCAPES.get(found[2])
    if character is None:
        raise Trouble(f"\\{found[2]} stands for nothing in a PROV-N text", "escape with t b n r f \" ' or \\")
    return character


def local_name(text: str) -> str:
    """The local part of a name without its escapes."""
    return _IN_NAME(r"\1", text)


class Names(Scope):
    """Qualified names as PROV-N spells them."""

    def __missing__(self, text: str) -> str:
        if not is_word(text):
            raise Trouble(f"{shown(text)} is no qualified name", "escape what PN_LOCAL needs escaped")
        return super().__missing__(text)

    def apart(self, text: str) -> tuple[str, str]:
        """Prefix and local part; a colon that is escaped stands in a local part that has no prefix."""
        prefix, local = super().apart(text)
        return (prefix, local) if "\\" not in prefix else (DEFAULT, text)


class Text:
    """A text that is read from front to back; ``at`` is where the reader stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def where(self, at: int | None = None) -> str:
        """Line and column of a place, both from 1."""
        place = self.at if at is None else at
        line = self.text.count("\n", 0, place) + 1
        column = place - self.text.rfind("\n", 0, place)
        return f"line {line} column {column}"

    def fault(self, reason: str, remedy: str, at: int | None = None) -> Unreadable:
        """The error that says what is wrong here, or at ``at``."""
        return Unreadable(self.where(at), reason, remedy)

    def here(self) -> str:
        """What stands here, for a message."""
        self.skip()
        rest = self.text[self.at : self.at + 40].split("\n")[0]
        if rest.startswith("/*"):
            return "a comment that isn't closed with */"
        return shown(rest.strip()) if rest.strip() else "the end of the text" if not rest else "a line's end"

    def skip(self) -> None:
        """Go over blanks and comments."""
        found = skip(self.text, self.at)
        self.at = found.end() if found else self.at

    def starts(self, mark: str) -> bool:
        """True, and the reader stands after it, when ``mark`` is next."""
        self.skip()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True
