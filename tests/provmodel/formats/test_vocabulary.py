"""The published terms, against the program that uses them."""

from __future__ import annotations

import re
from pathlib import Path

import rdflib

from provmodel.evidence import Evidence
from provmodel.relations import Flow
from queries import gaps

ROOT = Path(__file__).parents[3]
CLEW = "urn:x-clew:ns#"
# Written by f-strings: the kinds of an argument's source, the further arguments of a refuted relation, and
# what a derivation goes by; and what queries.graph puts in the place of an erased attribute.
COMPOSED = {
    "erased",
    "generation",
    "usage",
    "sourced",
    "assumed",
    "invented",
    "plan",
    "activity",
    "starter",
    "ender",
    "bundle",
}


def defined() -> set[str]:
    graph = rdflib.Graph().parse(ROOT / "docs" / "vocabulary.ttl")
    return {str(term)[len(CLEW) :] for term in graph.subjects(rdflib.RDFS.isDefinedBy, rdflib.URIRef(CLEW))}


def used() -> set[str]:
    """Every ``clew:`` name in the model that has a part in what is exported."""
    model = ROOT / "provmodel"
    paths = [*model.glob("*.py"), *(model / "mapping").glob("*.py"), *(model / "formats").glob("*.py")]
    paths += [ROOT / "app" / "export.py", ROOT / "app" / "redacted.py"]
    code = "\n".join(path.read_text() for path in paths)
    return COMPOSED | set(re.findall(r"\bclew:([A-Za-z]+)", code.replace("urn:x-clew:", "")))


def test_every_term_that_is_written_is_defined_and_every_one_that_is_defined_is_written() -> None:
    assert used() == defined()


def test_every_kind_of_gap_is_named() -> None:
    graph = rdflib.Graph().parse(ROOT / "docs" / "vocabulary.ttl")
    comment = str(graph.value(rdflib.URIRef(CLEW + "gapKind"), rdflib.RDFS.comment))
    assert set(gaps.KINDS) == set(re.findall(r"[a-z]+_[a-z_]+|partial|deleted|unpinned|hidden", comment))


def test_every_word_of_evidence_and_flow_is_named() -> None:
    graph = rdflib.Graph().parse(ROOT / "docs" / "vocabulary.ttl")
    for name, words in (("evidence", [one.word for one in Evidence]), ("flow", [one.word for one in Flow])):
        comment = str(graph.value(rdflib.URIRef(CLEW + name), rdflib.RDFS.comment))
        assert set(words) <= set(re.findall(r"[a-z]+", comment))


def test_the_page_explains_every_term() -> None:
    page = (ROOT / "docs" / "vocabulary.md").read_text()
    assert set(re.findall(r"^\| `clew:([A-Za-z]+)` \|", page, re.MULTILINE)) == defined()
