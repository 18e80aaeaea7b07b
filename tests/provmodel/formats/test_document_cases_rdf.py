"""Cases from the field through RDF as well, and whatever order sets have."""

from __future__ import annotations

import os
import subprocess
import sys

import pyoxigraph
import pytest
import rdflib

from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import PROV_TYPE, Element
from provmodel.relations import Kind
from tests.provmodel.formats.documents import (
    CASES,
    EX,
    PROV,
    elements,
    read_case,
    through,
    values,
    written,
)
from tests.provmodel.formats.test_document_cases import READABLE

RDF = ("turtle", "trig", "n-quads", "prov-jsonld")
MORE = [
    *((case, "input.ttl") for case in ("001", "003", "005", "007", "040", "065", "073", "076")),
    ("009", "input.jsonld"),
    ("010", "input.jsonld"),
    ("064", "input-3.ttl"),
    ("079", "input.provn"),
]
FORCED = {
    **{(case, "turtle"): "named graphs" for case in ("013", "015", "058", "061")},
    **{("043", target): "of one node belongs together" for target in RDF},
    ("057", "prov-jsonld"): "it has no form there",
    ("080", "prov-jsonld"): "PROV-JSONLD has no form of it",
}
"""What no text of a format can hold of a case, in the words of the loss."""


@pytest.mark.parametrize("target", [*RDF, "prov-json", "prov-n", "prov-xml"])
@pytest.mark.parametrize(("case", "name"), [*READABLE, *MORE])
def test_a_case_comes_back_or_what_rdf_can_not_hold_is_told(case: str, name: str, target: str) -> None:
    document = read_case(case, name)
    back, losses = through(document, target)
    told = [loss for loss in losses if "xsd:QName" not in loss.what]
    forced = FORCED.get((case, target))
    assert all(forced and forced in loss.why for loss in told)
    assert bool(told) == bool(forced)
    assert forced or not difference(document, back)


PROGRAM = """
import sys
from pathlib import Path
from hashlib import sha256
from provmodel import formats
for line in sys.stdin.read().splitlines():
    path = Path(line)
    document = formats.read(path.read_bytes(), None, path.name)
    for name, form in formats.documents().items():
        if form.read and form.write:
            data = b"".join(formats.write_document(document, name)[0])
            print(path.parent.name, name, sha256(data).hexdigest())
"""


def under_seed(seed: str) -> str:
    """What the program prints, of every case that is read."""
    paths = [next(CASES.glob(f"{case}-*")) / name for case, name in (*READABLE, *MORE)]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(map(str, paths)),
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def test_three_hash_seeds_write_every_case_to_the_same_bytes() -> None:
    first, *others = [under_seed(seed) for seed in ("0", "1", "2")]
    assert first.count("\n") == 7 * len([*READABLE, *MORE])
    assert [one == first for one in others] == [True, True]


def test_an_entity_that_is_an_agent_stands_under_both_in_prov_json() -> None:
    """Case 005."""
    document = through(read_case("005", "input.ttl"), "prov-json")[0]
    found = [one for one in document.main.statements if isinstance(one, Element)]
    assert [one.kind for one in found] == [Kind.ENTITY, Kind.AGENT]
    assert values(document, PROV_TYPE) == []


@pytest.mark.parametrize("target", RDF)
def test_odd_names_keep_every_character_in_rdf_too(target: str) -> None:
    """Case 019."""
    document = read_case("019")
    assert list(elements(through(document, target)[0])) == list(elements(document))


def test_two_parsers_of_turtle_read_the_odd_names() -> None:
    """Case 019."""
    text = written(read_case("019"), "turtle")
    graph = rdflib.Graph().parse(data=text, format="turtle")
    quads = pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE)
    assert {str(one) for one in graph.subjects()} == {str(one.subject).strip("<>") for one in quads}
    assert {str(one) for one in graph.subjects()} == set(elements(read_case("019")))


@pytest.mark.parametrize("name", ["input-1.json", "input-2.provn", "input-3.ttl", "input-5.xml"])
def test_an_empty_document_can_be_written_in_every_format(name: str) -> None:
    """Case 064."""
    document = read_case("064", name)
    for target, form in formats.documents().items():
        if form.read and form.write:
            back, losses = through(document, target)
            assert (back.main.statements, back.bundles, losses) == ((), (), [])


def test_a_byte_order_mark_is_no_text_in_turtle() -> None:
    """Case 065."""
    assert list(elements(read_case("065", "input.ttl"))) == [EX + "e"]


def test_the_location_stands_once_in_turtle() -> None:
    """Case 078."""
    text = written(read_case("078"), "turtle")
    assert text.count("prov:atLocation") == 1
    assert PROV + "location" not in text
    assert "prov:location" not in text
