"""Feeds of what goes wrong: odd references, labels and values, clashing kinds, refuted relations."""

from __future__ import annotations

from hypothesis import strategies as st

from provmodel import names
from provmodel.errors import Refused
from provmodel.feeds import ListFeed
from provmodel.records import relation_key
from provmodel.relations import TERMS, Term
from provmodel.statements import ExportAssertion, ExportAttribute, ExportNode, ExportRelation

BASE = names.base_iri("urn:x-clew:", "default")

REFS = (
    "call-1",
    "file:/reports/Q3 – final (2).pdf@sha256:ab12",
    "file:/a b/100%.txt",
    "doc:row[3]#x#y",
    "run-1/msg/é̀\u2028",
    "\u0300mark-first",
    "emoji:😀/\u202egnp.exe",
    "-dash.",
    "a:b:c=;by=attempt'1",
    "rel/0123456789abcdef",
    "言語:文書",
    "x" * 300,
)
ABSOLUTE = (
    "<http://example.org/a/b#c>",
    "<http://example.org/ns/>",
    "<urn:uuid:7d8a1c0e-0000-4000-8000-000000000000>",
    "<http://[::1]:8080/x?q=1&r=%20>",
    "<mailto:someone@example.org>",
)
LABELS = (
    "",
    "plain",
    'quotes " and \\ backslash \\n',
    "line\nbreak\r\ttab\x00\x1f\x7f\x85",
    "bidi \u202e\u2066 separators \u2028\u2029 \ufeff",
    "😀 \U000e0041 言語",
    '"""',
    "2026-03-01T09:00:00Z",
    "true",
    "t:call-1",
    "x" * 70_000,
)


def kept(text: str) -> str:
    """A reference as it is kept, or "" for what is refused."""
    try:
        return names.clean(text, "ref")
    except Refused:
        return ""


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(LABELS[:-1])
refs = st.one_of(
    st.sampled_from([names.clean(ref, "ref") for ref in REFS]),
    st.sampled_from(ABSOLUTE),
    st.text(min_size=1, max_size=8).map(kept).filter(bool),
)
lexical: dict[str, st.SearchStrategy[str]] = {
    "string": text,
    "integer": st.integers().map(str) | st.sampled_from(["+5", "007", "", "1.5", "9" * 40]),
    "double": st.floats().map(repr) | st.sampled_from(["INF", "-INF", "NaN", "-0.0", "1e400", "1,5"]),
    "boolean": st.sampled_from(["true", "false", "1", "0", "yes"]),
    "dateTime": st.datetimes().map(lambda moment: moment.isoformat() + "Z")
    | st.sampled_from(
        [
            "2016-12-31T23:59:60Z",
            "2026-02-30T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "2026-03-01",
            "soon",
            "2026-03-01T09:00:00.123456789+05:30",
            "2024-02-29T00:00:00-14:00",
            "2024-02-29T00:00:00+15:00",
        ]
    ),
    "qname": st.sampled_from(["clew:ModelCall", "prov:Plan", "ex:thing", "clew:a b", "clew:"]),
    "json": st.sampled_from(['{"a":[1,null]}', "[]", '"\\"\u2028"']),
}
# Several datatypes under one name would meet in the sets of `prov`, where True and 1 are one value.
free_names = st.sampled_from(
    ["attr:colour", 'attr:"a b"', "attr:été\u2028", "x:y", "prov:entity", "clew:a/b"]
)
weights = st.tuples(st.integers(1, 4), st.sampled_from([1, 1, 1, 0]))
sayers = st.sampled_from(
    [
        ("source:a", "a", "e-1"),
        ("source:a", "a", 'e-2"\u2028'),
        (names.clean("agent:é b", "asserter"), "https://b", "e-1"),
        ("agent:clew", "", ""),
    ]
)
more = st.sampled_from(
    [
        "",
        '{"clew:part":"char:0-5","clew:position":3}',
        '{"clew:method":"x","attr:é":[true,"y"],"clew:argument":{"a":1}}',
    ]
)
times = st.sampled_from(["", "", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z", "2016-12-31T23:59:60Z"])
methods = st.sampled_from(["", "equal-value/1", 'odd "\x1f'])


@st.composite
def attributes(draw: st.DrawFn) -> ExportAttribute:
    datatype = draw(st.sampled_from(sorted(lexical)))
    named = {"string": ["prov:label", "clew:status"], "qname": ["prov:type"], "dateTime": ["prov:startTime"]}
    name = draw(st.sampled_from([f"clew:{datatype}Value", *named.get(datatype, [])]))
    if datatype == "string" and draw(st.booleans()):
        name = draw(free_names)
    return (name, draw(lexical[datatype]), datatype, *draw(weights), *draw(sayers))


@st.composite
def assertions(draw: st.DrawFn) -> ExportAssertion:
    asserter, source, event = draw(sayers)
    return (*draw(weights), asserter, draw(methods), source, event, draw(times), draw(more))


@st.composite
def relations(draw: st.DrawFn, ref: st.SearchStrategy[str]) -> ExportRelation:
    term: Term = draw(st.sampled_from(TERMS))
    arguments = tuple(
        draw(ref | st.none()) if argument.optional else draw(ref) for argument in term.arguments
    )
    role = draw(st.sampled_from(["", "instruction", 'odd "role" / é']))
    subject = draw(ref)
    key = relation_key(term.name, subject, arguments, role)
    said = draw(st.lists(assertions(), min_size=1, max_size=3))
    return ExportRelation(term, subject, arguments, role, draw(st.integers(0, 4)), key, said)


@st.composite
def feeds(draw: st.DrawFn) -> ListFeed:
    """Nodes with any kinds, of each ref that a relation names, and relations of every term."""
    known = draw(st.lists(refs, min_size=1, max_size=6, unique=True))
    links = draw(st.lists(relations(st.sampled_from(known)), max_size=8))
    return ListFeed(BASE, [draw(nodes(ref)) for ref in known], links)


@st.composite
def nodes(draw: st.DrawFn, ref: str) -> ExportNode:
    said = draw(st.lists(attributes(), max_size=5))
    return ExportNode(ref, draw(st.integers(0, 7)), said, placeholder=draw(st.booleans()))
