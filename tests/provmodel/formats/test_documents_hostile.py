"""Texts that want to do harm: refused soon, in little memory, with a place and a reason."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from provmodel import formats
from provmodel.errors import Unreadable

MANY = 100_000
SECONDS = 10  # of this process's own time: a reader that grows faster than its text would take minutes
BYTES = 50_000_000

XML = '<prov:document xmlns:prov="http://www.w3.org/ns/prov#" xmlns:ex="http://example.org/">'
PROVN = "document\nprefix ex <http://example.org/>\n"
JSON = '{"prefix":{"ex":"http://example.org/"},"entity":{'

HOSTILE: dict[str, tuple[str, str | bytes, str]] = {
    "arrays without end": ("prov-json", "[" * MANY, "nested too deep"),
    "objects without end": ("prov-json", '{"a":' * MANY, "nested too deep"),
    "a bomb that is closed": ("prov-json", '{"entity":' + "[" * 5000 + "]" * 5000 + "}", "nested too deep"),
    "no number": ("prov-json", JSON + '"ex:e":{"ex:v":NaN}}}', "NaN is no JSON number"),
    "half a character": ("prov-json", JSON + r'"ex:e":{"ex:v":"\ud800"}}}', "surrogate"),
    "a key twice among many": (
        "prov-json",
        "{" + ",".join(f'"k{n}":1' for n in range(10_000)) + ',"k7":1}',
        "'k7' stands twice",
    ),
    "bad names without end": (
        "prov-json",
        JSON + ",".join(f'"ex:a {n}":{{}}' for n in range(10_000)) + "}}",
        "'ex:a 0' is no legal name",
    ),
    "another encoding": ("prov-json", '{"entity":{}}'.encode("utf-16"), "not UTF-8"),
    "entities that grow": (
        "prov-xml",
        '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' + XML,
        "DOCTYPE",
    ),
    "a document type from elsewhere": (
        "prov-xml",
        '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d.dtd">' + XML + "</prov:document>",
        "DOCTYPE",
    ),
    "elements without end": ("prov-xml", XML + "<prov:entity>" * MANY, "stand in each other"),
    "values without end": (
        "prov-xml",
        XML + '<prov:entity prov:id="ex:e"><ex:v>' + "<ex:a>" * MANY,
        "stand in each other",
    ),
    "an encoding that nobody has": (
        "prov-xml",
        '<?xml version="1.0" encoding="x-odd"?>' + XML + "</prov:document>",
        "encoding",
    ),
    "text where none is": ("prov-xml", XML + "x" * MANY + "</prov:document>", "stands between elements"),
    "a name that is a text": (
        "prov-xml",
        XML + f'<prov:entity prov:id="ex:{"a " * MANY}"/></prov:document>',
        "is no legal name",
    ),
    "an unknown statement": ("prov-xml", XML + "<prov:wasEatenBy/></prov:document>", "no such statement"),
    "parentheses without end": ("prov-n", PROVN + "(" * MANY, "where a statement should be"),
    "calls without end": ("prov-n", PROVN + "entity(" * MANY, "where an argument of entity should be"),
    "sets without end": ("prov-n", PROVN + "ex:f(" + "{(" * MANY, "more than 8 deep"),
    "arguments without end": ("prov-n", PROVN + "entity(" + "ex:a," * MANY + "ex:a)", "entity takes one id"),
    "escapes without end": ("prov-n", PROVN + 'entity(ex:e,[ex:v="' + "\\\\" * MANY, "isn't closed"),
    "quotes without end": ("prov-n", PROVN + 'entity(ex:e,[ex:v="""' + '"' * MANY + "x", "after a value"),
    "a comment without end": ("prov-n", PROVN + "/*" + "*" * MANY, "a comment that isn't closed"),
    "comments and then something": ("prov-n", PROVN + "/**/" * MANY + "x", "where a statement should be"),
    "blanks and then nothing": ("prov-n", PROVN + "entity(" + " " * MANY, "the end of the text"),
    "attributes without end": ("prov-n", PROVN + "entity(ex:e,[" + "ex:a=1," * MANY, "the end of the text"),
    "prefixes that nobody declared": ("prov-n", PROVN + "entity(zz:a)\n" * MANY, "'zz'"),
    "a control character in a name": ("prov-n", PROVN + "entity(ex:a\x01b)", "should be stands"),
}


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_is_refused_soon_with_a_reason(name: str) -> None:
    format_name, text, reason = HOSTILE[name]
    data = text if isinstance(text, bytes) else text.encode()
    began = time.process_time()
    with pytest.raises(Unreadable, match=reason) as caught:
        formats.read(data, format_name)
    assert time.process_time() - began < SECONDS
    assert len(str(caught.value)) < 10_000


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_takes_little_memory(name: str) -> None:
    format_name, text, _ = HOSTILE[name]
    data = text if isinstance(text, bytes) else text.encode()
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable):
            formats.read(data, format_name)
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_text_is_refused_too_when_its_format_is_not_named(name: str) -> None:
    _, text, _ = HOSTILE[name]
    with pytest.raises(Unreadable):
        formats.read(text if isinstance(text, bytes) else text.encode())
