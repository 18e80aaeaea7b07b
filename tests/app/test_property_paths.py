"""What a SPARQL query finds in a Turtle export is what Clew answers (docs/how-to/query-with-sparql.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyoxigraph
import pytest
import rdflib

from app import demo
from app.service import Service
from docs.generate.transcripts import File, read
from queries.inputs import SIBLING
from queries.lineage import LINEAGE
from queries.ties import TIES
from tests.app.faces import service_at
from tests.scramble import Scramble
from tests.story import Story

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "query-with-sparql.md"
REPORT = "report:late-fees-february@version:1"
ALL = ("verified", "observed", "declared", "inferred")
SETS = ((), ("verified", "observed"), ("declared",), ("observed", "inferred"))
PREFIX = "PREFIX prov: <http://www.w3.org/ns/prov#> "
PATH = "(prov:wasDerivedFrom|prov:wasGeneratedBy/prov:used|prov:hadMember)+"
STEPS = "<urn:example:from>+"
STEERING = {"decision:publish", "prompt:reports@version:5"}


def on_page(name: str) -> str:
    """The query of the how-to that stands in the file of this name."""
    [found] = [step.text for step in read(PAGE.read_text()) if isinstance(step, File) and step.name == name]
    return found


class Exported:
    """A ledger and its export, in a store that answers SPARQL."""

    def __init__(self, service: Service, evidence: tuple[str, ...] = ()) -> None:
        self.service, self.evidence = service, list(evidence)
        self.store = pyoxigraph.Store()
        self.store.load(b"".join(service.export("turtle", "all")[1]), format=pyoxigraph.RdfFormat.TURTLE)
        words = ", ".join(f'"{word}"' for word in evidence or ALL)
        self.store.update(on_page("steps.ru").replace(", ".join(f'"{word}"' for word in ALL), words))

    def found(self, ref: str, path: str) -> set[str]:
        """References of the entities that a property path leads to, but where it began."""
        base = self.service.base
        query = f"SELECT DISTINCT ?x {{ <{base}{ref}> {path} ?x . ?x a prov:Entity }}"
        rows: Any = self.store.query(PREFIX + query)
        return {str(row["x"].value).removeprefix(base) for row in rows} - {ref}

    def entities(self) -> list[str]:
        """Every entity of the ledger but those that are activities as well, and have uses of their own."""
        query = "SELECT DISTINCT ?x { ?x a prov:Entity FILTER NOT EXISTS { ?x a prov:Activity } }"
        rows: Any = self.store.query(PREFIX + query)
        base = self.service.base
        names = [str(row["x"].value) for row in rows]
        return sorted(name.removeprefix(base) for name in names if name.startswith(base))

    def walked(self, ref: str, policy: str) -> set[str]:
        """Entities to which the edges of a walk lead that carry data, but where it began."""
        given = {"target": [ref], "evidence": self.evidence, "policy": policy}
        graph = self.service.answer(LINEAGE, given).answer.graph
        sources: dict[str, list[str]] = {}
        for edge in graph.edges:
            if edge.flow == "data" and not edge.refuted:
                sources.setdefault(edge.source, []).append(edge.target)
        reached = {ref}
        waiting = [ref]
        while waiting:
            fresh = set(sources.get(waiting.pop(), ())) - reached
            reached |= fresh
            waiting += fresh
        return {node.ref for node in graph.nodes if "entity" in node.kinds and node.ref in reached} - {ref}

    def inputs(self, ref: str) -> set[str]:
        """What ``inputs-of`` lists, but for citations that count for a write beside them. Of a record none:
        asked about one it tells of what that is about.
        """
        given = {"target": [ref], "evidence": self.evidence}
        graph = self.service.ask("inputs-of", given).answer.graph
        if graph.targets[0].record:
            return set()
        links = graph.links
        tied = [each for tie in TIES for each in getattr(links, tie)]
        return {each.ref for each in tied if each.method != SIBLING}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("story")
    with service_at(f"sqlite:///{folder}/story.db", folder, writing=False) as service:
        demo.load(service)
        yield service


@pytest.fixture(params=range(2))
def scramble(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    with service_at(f"sqlite:///{tmp_path}/random.db", tmp_path, writing=False) as service:
        service.record([msgspec.json.encode(event) for event in Scramble(request.param).build(30)])
        yield service


def agree(exported: Exported) -> None:
    """Each query finds what it should, from every entity of a ledger."""
    for ref in exported.entities():
        inputs, walked = exported.inputs(ref), exported.walked(ref, "why")
        assert exported.found(ref, STEPS) == walked, ref
        assert inputs <= walked, ref
        assert inputs <= exported.found(ref, PATH), ref
        if not exported.evidence:
            assert exported.found(ref, "prov:wasDerivedFrom+") == exported.walked(ref, "derivation"), ref


@pytest.mark.parametrize("evidence", SETS, ids=str)
def test_queries_of_the_page_find_over_the_story_what_inputs_of_finds(
    story: Service, evidence: tuple[str, ...]
) -> None:
    agree(Exported(story, evidence))


@pytest.mark.parametrize("evidence", SETS, ids=str)
def test_queries_of_the_page_find_over_any_events_what_inputs_of_finds(
    scramble: Service, evidence: tuple[str, ...]
) -> None:
    agree(Exported(scramble, evidence))


def test_the_paths_of_the_page_are_those_that_are_tested() -> None:
    assert PATH in on_page("inputs.rq")
    assert STEPS in on_page("exactly.rq")
    assert "prov:wasDerivedFrom+" in on_page("derivation.rq")


def test_another_library_finds_the_same(story: Service) -> None:
    graph = rdflib.Graph()
    graph.parse(b"".join(story.export("turtle", "none")[1]), format="turtle")
    rows: Any = graph.query(on_page("inputs.rq"))
    found = {str(row["input"]).removeprefix(story.base) for row in rows}
    exported = Exported(story)
    assert found == exported.found(REPORT, PATH)
    assert exported.inputs(REPORT) < found
    assert found - exported.walked(REPORT, "why") > STEERING


def test_what_replaced_a_version_is_not_made_from_it(tmp_path: Path) -> None:
    told = Story()
    told.run("run:1")
    told.tries("at:1", writes=["file:/a@version:1"])
    told.tries(
        "at:2", writes=[{"ref": "file:/a@version:2", "mode": "replace", "before": "file:/a@version:1"}]
    )
    told.tries("at:3", writes=[{"ref": "file:/a@version:3", "mode": "edit", "before": "file:/a@version:2"}])
    with service_at(f"sqlite:///{tmp_path}/story.db", tmp_path, writing=False) as service:
        service.record([msgspec.json.encode(event) for event in told.events])
        exported = Exported(service)
        assert exported.found("file:/a@version:3", "prov:wasDerivedFrom+") == {"file:/a@version:2"}
        assert exported.found("file:/a@version:3", "prov:wasRevisionOf+") == {
            "file:/a@version:1",
            "file:/a@version:2",
        }


def test_a_refuted_step_is_in_no_path(tmp_path: Path) -> None:
    told = Story()
    told.run("run:1")
    told.call("call:1", sees=["doc:a"], says=["text:1"], cites={"text:1": ["doc:b"]})
    told.tries("at:1", writes=["file:/a@version:1"], reads=["text:1"])
    told.checks("check:1", subject="file:/a@version:1", verdict="confirmed_failed", read="file:/a@version:0")
    with service_at(f"sqlite:///{tmp_path}/story.db", tmp_path, writing=False) as service:
        service.record([msgspec.json.encode(event) for event in told.events])
        exported = Exported(service)
        assert exported.found("file:/a@version:1", PATH) == exported.inputs("file:/a@version:1") == set()
        assert exported.found("text:1", PATH) == {"doc:a", "doc:b"}
