"""Texts that want to do harm, one for each way that is known, with the words of the refusal."""

from __future__ import annotations

MANY = 100_000
FEWER = 20_000  # where each costs a triple that is well-formed

XML = '<prov:document xmlns:prov="http://www.w3.org/ns/prov#" xmlns:ex="http://example.org/">'
PROVN = "document\nprefix ex <http://example.org/>\n"
JSON = '{"prefix":{"ex":"http://example.org/"},"entity":{'

TURTLE = "@prefix prov: <http://www.w3.org/ns/prov#> .\n@prefix ex: <http://example.org/> .\n"
_PAIRS = ", ".join(f"ex:e{n}" for n in range(1000))

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
    "attributes without end": ("prov-n", PROVN + "entity(ex:e,[" + "ex:a=1," * FEWER, "the end of the text"),
    "prefixes that nobody declared": ("prov-n", PROVN + "entity(zz:a)\n" * MANY, "'zz'"),
    "a control character in a name": ("prov-n", PROVN + "entity(ex:a\x01b)", "should be stands"),
    "blank nodes without end": ("turtle", TURTLE + "ex:e ex:p " + "[ ex:p " * FEWER, "Unexpected end"),
    "lists without end": ("turtle", TURTLE + "ex:e ex:p " + "( " * (FEWER // 2), "Unexpected end"),
    "a literal without end": ("turtle", TURTLE + 'ex:e ex:p """' + '"x' * MANY, "Unexpected end"),
    "prefixes of Turtle that nobody declared": ("turtle", TURTLE + "zz:e ex:p zz:e .\n" * MANY, "zz"),
    "triples in triples": ("turtle", TURTLE + "<< ex:a ex:b ex:c >> ex:p ex:o .", "triples within triples"),
    "triples in triples without end": ("turtle", TURTLE + "ex:s ex:p " + "<<( ex:a ex:b " * FEWER, "end"),
    "a name without a scheme": ("turtle", TURTLE + "<a> ex:p <b> .", "no absolute IRI"),
    "blanks in a name": ("turtle", TURTLE + "<http://a b> a prov:Entity .", "blanks in it"),
    "a name that ends its line": ("turtle", TURTLE + "<http://a\n_:x <p> ex:p ex:q .", "blanks in it"),
    "a name that breaks out": ("turtle", TURTLE + "<http://a\\u003E> a prov:Entity .", "no absolute IRI"),
    "pairs of all with all": (
        "turtle",
        TURTLE
        + f"_:b prov:entity {_PAIRS} .\n"
        + "".join(f"ex:a{n} prov:qualifiedUsage _:b .\n" for n in range(1000)),
        "nothing says which go together",
    ),
    "graphs in graphs without end": ("trig", TURTLE + "ex:g { " * MANY, "not a valid predicate"),
    "no quad": ("n-quads", "<http://a> <http://b> " + "x" * MANY, "line 1"),
    "graphs of JSON-LD without end": ("prov-jsonld", '{"@graph":' * MANY, "64 deep"),
    "a context from elsewhere": (
        "prov-jsonld",
        '{"@context":"http://127.0.0.1:9/c"}',
        "unknown remote context",
    ),
    "a context from a file": ("prov-jsonld", '{"@context":"file:///etc/passwd"}', "unknown remote context"),
    "a context within a context": (
        "prov-jsonld",
        '{"@context":{"x":{"@id":"http://x/y","@context":"http://127.0.0.1:9/c"}},"x":{"x":1}}',
        "no context is fetched",
    ),
    "a context of itself": ("prov-jsonld", '{"@context":{"a":"a:b"},"a:x":1}', "Cyclic"),
}
"""By what is wrong: the format, the text, and what the refusal says."""
