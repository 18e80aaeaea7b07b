"""What two documents say differently.

Two documents are the same when they make the same statements in the same bundles, whatever the order, the
prefixes, the blank names, and how often each statement is made. In particular:

- What is said of one element in several places is taken together; so is what is said of one named relation
  with the same arguments and time.
- ``-`` and an absent argument say the same (PROV-CONSTRAINTS, definition 2).
- The id of a relation that is blank and named nowhere else says nothing.
- Values are compared by value within their datatype (``1`` and ``1.0`` as xsd:float; one instant in two
  zones), a text by its characters, languages without regard to case. ``xsd:string`` is a plain text, and
  ``xsd:QName`` and ``prov:QUALIFIED_NAME`` are one. White space between the tags of an rdf:XMLLiteral doesn't
  count, since writers indent.
- ``prov:atLocation`` (the property of PROV-O) and ``prov:location`` (the attribute of PROV-DM) are one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b

import msgspec

from provmodel.document import (
    PROV,
    PROV_LOCATION,
    RDF,
    XSD,
    XSD_STRING,
    AnyStatement,
    Attribute,
    Bundle,
    Carried,
    Document,
    Element,
    Extension,
    Literal,
    Statement,
    named,
)
from provmodel.documents.scope import BLANK
from provmodel.documents.values import TEXT_TYPES, normal_time

Said = tuple[str, ...]
"""One thing that a bundle says, as text: what kind, of what, and what. Blank names start with ``_:``. What
stands between the first part and the last has no order of its own, and is sorted once names are settled.
"""


class Difference(msgspec.Struct, frozen=True):
    """What only the one and only the other of two documents says; each entry is (bundle, sentence), sorted,
    where the main part is the bundle "".
    """

    only_first: tuple[tuple[str, str], ...]
    only_second: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.only_first or self.only_second)


def same(first: Document, second: Document) -> bool:
    """True when the two say the same."""
    return _facts(first) == _facts(second)


def difference(first: Document, second: Document) -> Difference:
    """What only one of the two says; false when they say the same."""
    one, other = _facts(first), _facts(second)
    return Difference(_only(one, other), _only(other, one))


def _only(one: dict[str, set[Said]], other: dict[str, set[Said]]) -> tuple[tuple[str, str], ...]:
    found = [
        (name, " ".join(part for part in said if part))
        for name, facts in one.items()
        for said in facts - other.get(name, set())
    ]
    missing = [(name, "bundle") for name in one if name and name not in other]
    return tuple(sorted(missing + found))


def _facts(document: Document) -> dict[str, set[Said]]:
    """What each part says: the main one under ""."""
    found: dict[str, set[Said]] = {"": set(_said(document.main))}
    for bundle in document.bundles:
        found.setdefault(bundle.id or "", set()).update(_said(bundle))
    return found


def _said(bundle: Bundle) -> Iterable[Said]:
    """What a bundle says, with blank names replaced by what is said of them."""
    facts = [fact for statement in bundle.statements for fact in _of_any(statement)]
    places = _places(facts)
    if not places:
        return [_painted_fact(fact, {}) if len(fact) > _ORDERED else fact for fact in facts]
    silent = {name: "" for name, said in places.items() if _says_nothing(name, said)}
    facts = list(dict.fromkeys(part for fact in _repainted(facts, silent) for part in _apart(fact)))
    return _repainted(facts, _colours(_places(facts)))


def _apart(fact: Said) -> Iterator[Said]:
    """A fact; of a relation whose blank name others know, each attribute by itself, as of a named one."""
    call, *attributes, last = fact
    if not (attributes and last.startswith("id ") and _MARK in last):
        yield fact
        return
    yield call, last
    for attribute in attributes:
        yield call, last, attribute


def _of_any(statement: AnyStatement) -> Iterator[Said]:
    if isinstance(statement, Element):
        yield from _of_element(statement)
    elif isinstance(statement, Statement):
        yield from _of_statement(statement)
    else:
        yield _of_extension(statement)


def _of_element(element: Element) -> Iterator[Said]:
    word, name = element.kind.word, _name(element.id)
    yield word, name
    for time, kind in ((element.start, "startTime"), (element.end, "endTime")):
        if time and named(time):
            yield word, name, f"prov:{kind} {_time(time)}"
    for attribute in element.attributes:
        yield word, name, _attribute(attribute)


def _of_statement(statement: Statement) -> Iterator[Said]:
    """One fact; a named relation's attributes are facts of their own, so that they can come together."""
    ends = [_name(end) if end and named(end) else "-" for end in statement.arguments]
    time = _time(statement.time) if statement.time and named(statement.time) else ""
    attributes = dict.fromkeys(map(_attribute, statement.attributes))
    call = f"{statement.term.name}({', '.join(ends)}{', ' if time else ''}{time})"
    if not statement.id:
        yield (call, *attributes, "")
        return
    name = _name(statement.id)
    if statement.id.startswith(BLANK):
        yield (call, *attributes, f"id {name}")
        return
    yield call, f"id {name}"
    for attribute in attributes:
        yield call, f"id {name}", attribute


def _of_extension(statement: Extension) -> Said:
    arguments = ", ".join("{}" if isinstance(one, tuple) else _carried(one) for one in statement.arguments)
    within = [
        f"{number}: {_carried(one)}"
        for number, place in enumerate(statement.arguments, 1)
        if isinstance(place, tuple)
        for one in place
    ]
    attributes = dict.fromkeys((*within, *map(_attribute, statement.attributes)))
    name = f"id {_name(statement.id)}" if statement.id else ""
    raw = "" if statement.arguments else f" {statement.raw.replace(_MARK, '')}"
    return (f"{_name(statement.name)}({arguments}){raw}", *attributes, name)


def _carried(place: Carried) -> str:
    """A part of an extension."""
    if isinstance(place, tuple):
        return f"({', '.join(map(_carried, place))})"
    if isinstance(place, Literal):
        return _value(place)
    return _name(place) if place and named(place) else "-"


def _name(name: str) -> str:
    """A name as it stands in a fact: blank ones in marks, so that they are found in it."""
    return f"{_MARK}{name}{_MARK}" if name.startswith(BLANK) else f"<{name}>"


def _attribute(attribute: Attribute) -> str:
    name, value = attribute
    return f"<{PROV_LOCATION if name == _AT_LOCATION else name}> {_value(value)}"


_AT_LOCATION = PROV + "atLocation"
_MARK = "\x00"  # stands in no name and no value
_MARKED = re.compile(f"{_MARK}({BLANK}[^{_MARK}]*){_MARK}")


# --- values ---


def _value(value: Literal) -> str:
    if value.is_name:
        return _name(value.value)
    text = value.value.replace(_MARK, "")
    if value.language:
        return f'"{text}"@{value.language.lower()}'
    if value.datatype in TEXT_TYPES:
        return f'"{text}"'
    return f'"{_canonical(text, value.datatype)}"^^<{value.datatype}>'


@lru_cache(maxsize=1 << 14)
def _canonical(text: str, datatype: str) -> str:
    form = _FORMS.get(datatype)
    if form:
        return form(text.strip())
    return " ".join(text.split()) if datatype.startswith(XSD) and datatype not in _SPACED else text


def _time(text: str) -> str:
    return f'"{_canonical(text, XSD + "dateTime")}"'


def _integer(text: str) -> str:
    found = re.fullmatch(r"([+-]?)0*([0-9]+)", text)
    if not found:
        return text
    return ("-" if found[1] == "-" and found[2] != "0" else "") + found[2]


def _decimal(text: str) -> str:
    found = re.fullmatch(r"([+-]?)0*([0-9]*)(?:\.([0-9]*?)0*)?", text)
    if not found or not (found[2] or found[3]):
        return "0" if found and "0" in text else text
    fraction = f".{found[3]}" if found[3] else ""
    return f"{'-' if found[1] == '-' else ''}{found[2] or '0'}{fraction}"


def _double(text: str) -> str:
    if not re.fullmatch(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text):
        return text.removeprefix("+") if text.endswith("INF") else text
    return repr(float(text))


def _float(text: str) -> str:
    wide = _double(text)
    try:
        return repr(struct.unpack("<f", struct.pack("<f", float(wide)))[0])
    except ValueError:
        return text
    except OverflowError:
        return "-INF" if wide.startswith("-") else "INF"


def _boolean(text: str) -> str:
    return {"1": "true", "0": "false"}.get(text, text)


_SPACED = frozenset({XSD_STRING, XSD + "normalizedString"})  # their blanks count


def _xml(text: str) -> str:
    return re.sub(r">\s+<", "><", text)


_WHOLE = (
    "integer int long short byte nonNegativeInteger nonPositiveInteger positiveInteger negativeInteger"
    " unsignedInt unsignedLong unsignedShort unsignedByte"
)
_FORMS: dict[str, Callable[[str], str]] = {
    **{XSD + name: _integer for name in _WHOLE.split()},
    XSD + "decimal": _decimal,
    XSD + "double": _double,
    XSD + "float": _float,
    XSD + "boolean": _boolean,
    XSD + "dateTime": normal_time,
    RDF + "XMLLiteral": _xml,
}


# --- blank names ---


def _blanks(fact: Said) -> Iterator[str]:
    for part in fact:
        if _MARK in part:
            yield from _MARKED.findall(part)


def _places(facts: list[Said]) -> dict[str, list[Said]]:
    """For each blank name the facts that hold it."""
    places: dict[str, list[Said]] = {}
    for fact in facts:
        for name in dict.fromkeys(_blanks(fact)):
            places.setdefault(name, []).append(fact)
    return places


def _colours(places: dict[str, list[Said]]) -> dict[str, str]:
    """For each blank name a text that depends on what is said of it alone, not on the name.

    What is said of it is looked at again with the colours of its neighbours until no more names are told
    apart. Names that nothing near them tells apart have one colour.
    """
    colours = dict.fromkeys(places, "")
    kinds = 0
    for _ in range(_FARTHEST):
        colours = {name: _colour(name, said, colours) for name, said in places.items()}
        told = len(set(colours.values()))
        if told <= kinds:
            break
        kinds = told
    return colours


_ORDERED = 3  # a fact of so many parts has at most one in the middle
_FARTHEST = 16  # steps from a blank name at which something still tells it apart


def _colour(name: str, said: list[Said], colours: dict[str, str]) -> str:
    seen = {**{one: colours[one] for fact in said for one in _blanks(fact)}, name: "self"}
    lines = sorted("\x1f".join(_painted_fact(fact, seen)) for fact in said)
    return blake2b("\x1e".join(lines).encode(errors="replace"), digest_size=8).hexdigest()


def _says_nothing(name: str, said: list[Said]) -> bool:
    """True for the id of relations that nothing else names."""
    mark = f"{_MARK}{name}{_MARK}"
    return all(part == f"id {mark}" for fact in said for part in fact if mark in part)


def _repainted(facts: list[Said], colours: dict[str, str]) -> list[Said]:
    return [_painted_fact(fact, colours) for fact in facts]


def _painted_fact(fact: Said, colours: dict[str, str]) -> Said:
    first, *others, last = [_painted(part, colours) for part in fact]
    return (first, *sorted(others), last)


def _painted(part: str, colours: dict[str, str]) -> str:
    """A part of a fact with the names that have colours in them; a name of no colour leaves nothing."""
    if _MARK not in part:
        return part
    painted = _MARKED.sub(lambda found: _colour_mark(found, colours), part)
    return "" if painted == "id " else painted


def _colour_mark(found: re.Match[str], colours: dict[str, str]) -> str:
    colour = colours.get(found[1])
    return found[0] if colour is None else f"{BLANK}{colour}" if colour else ""
