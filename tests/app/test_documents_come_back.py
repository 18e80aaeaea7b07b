"""What Clew exports comes back: evidence, stance, asserters, refutations, gaps, tombstones, retractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from app.service import Sent, Service
from provmodel import formats
from provmodel.comparing import difference
from provmodel.document import Document, Statement
from provmodel.errors import Refused
from provmodel.evidence import Principal
from provmodel.relations import ATTRIBUTION
from tests.app.documents import case, exported, provn
from tests.app.faces import service_at
from tests.provmodel.formats.random_documents import documents
from tests.story import Story

FORMS = ("prov-json", "turtle", "trig", "prov-n", "prov-xml", "prov-jsonld", "nquads")


def told() -> Story:
    """A run with all that an export says in Clew's own terms."""
    story = Story()
    story.run("run:q3")
    story.version("doc:A@version:1", attributes={"size": 3, "odd name": ["x", 1.5, True]})
    story.call(
        "call:1",
        sees=[{"ref": "message:task", "body": {"id": "body:1", "text": "hello"}}, "doc:A@version:1"],
        says=["report:1"],
        cites={"report:1": ["doc:A@version:1"]},
        instructions=["prompt:p"],
    )
    story.call("call:2", context={"id": "context:2", "adds": [{"ref": "report:1"}]}, says=["report:2"])
    story.proposes("act:1", call="call:1", arguments={"path": "/r.md"})
    story.decides("dec:1", "allow", action="act:1", decider="ann")
    state = "file:/r.md@sha256:" + "ab" * 32
    story.tries("att:1", action="act:1", decision="dec:1", writes=[state])
    story.checks("ver:1", "att:1", "confirmed_failed", read=state)
    story.tries("att:2", action="act:1", writes=["file:/r.md@version:2"], retry_of="att:1")
    story.checks("ver:2", "att:2", "confirmed", read="file:/r.md@version:2")
    story.retracts("doc:A@version:1", reason="it was wrong")
    story.deletes("body:1", policy="policy:privacy", actor="ann", reason_class="request")
    return story


@pytest.fixture
def first(store_url: str, tmp_path: Path) -> Iterator[Service]:
    with service_at(store_url, tmp_path, writing=False) as made:
        made.record([msgspec.json.encode(event) for event in told().events])
        yield made


@contextmanager
def empty(tmp_path: Path) -> Iterator[Service]:
    """Another store, that has nothing yet."""
    with service_at(f"sqlite:///{tmp_path / 'other.db'}", tmp_path, writing=False) as made:
        yield made


def lost(before: bytes, after: bytes, form: str) -> list[str]:
    """What a first export says in its main part and a second one doesn't.

    Which event a description of a node came from is not kept: of descriptions only what they say counts.
    """
    one, other = formats.read(before, form), formats.read(after, form)
    return [
        sentence
        for part, sentence in difference(one, other).only_first
        if not part and "about:description/" not in sentence
    ]


def descriptions(data: bytes, form: str) -> Counter[tuple[Any, ...]]:
    """What asserters say of nodes: node, what is stated, evidence, stance, asserter."""
    document = formats.read(data, form)
    asserter = {
        one.arguments[0]: one.arguments[1]
        for one in document.main.statements
        if isinstance(one, Statement) and one.term is ATTRIBUTION
    }
    found: Counter[tuple[Any, ...]] = Counter()
    for one in document.main.statements:
        said = {name.partition("#")[2]: value.value for name, value in one.attributes}
        if "stated" in said and "document_" not in said["stated"]:
            stated = msgspec.json.decode(said["stated"])
            stated.pop("clew:inBundle", None)
            for name, value in stated.items():
                key = (said["describes"], name, str(value), said["evidence"], said["stance"])
                found[*key, asserter[one.id]] = 1
    return found


@pytest.mark.parametrize("form", FORMS)
def test_an_export_comes_back_with_all_that_was_asserted(first: Service, tmp_path: Path, form: str) -> None:
    data = exported(first, form)
    with empty(tmp_path) as second:
        done = second.submit(Sent(data=data, form=form))
        after = exported(second, form)
        assert lost(data, after, form) == []
        assert not descriptions(data, form) - descriptions(after, form)
        assert (done.capped, done.notes, done.not_interpreted) == ({}, {}, {})
        assert second.check() == []


def test_evidence_is_the_same_on_every_edge(first: Service, tmp_path: Path) -> None:
    def known(service: Service) -> dict[str, Any]:
        graph = service.ask("inputs-of", {"target": ["file:/r.md@version:2"]}).answer.graph
        return {
            f"{edge.source} {edge.term} {edge.target} {edge.role}": sorted(
                (one.evidence, one.stance, one.asserter, one.method) for one in edge.assertions
            )
            for edge in graph.edges
        }

    with empty(tmp_path) as second:
        second.submit(Sent(data=exported(first)))
        assert known(second) == known(first) != {}


def test_what_a_store_took_in_goes_on_to_the_next(first: Service, tmp_path: Path) -> None:
    for number in ("043", "056", "061", "038", "039"):
        first.submit(case(number))
    first.submit(provn('used(ex:u; ex:c, ex:a, -, [prov:role="left", prov:role="right", ex:n="5"])'))
    data = exported(first)
    with empty(tmp_path) as second:
        second.submit(Sent(data=data))
        assert lost(data, exported(second), "prov-json") == []
        counted = Counter(entry.relation for entry in _assertions(exported(second)))
        before = Counter(entry.relation for entry in _assertions(data))
        assert {name: counted[name] for name in before} == before


@given(document=documents)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_document_goes_on_to_the_next_store(tmp_path_factory: Any, document: Document) -> None:
    folder = tmp_path_factory.mktemp("stores")
    with service_at(f"sqlite:///{folder / 'a.db'}", folder, writing=False) as one, empty(folder) as other:
        data = b"".join(formats.write_document(document, "prov-json")[0])
        done = one.submit(Sent(data=data, form="prov-json"))
        assert one.check() == []
        whole = exported(one)
        [inner] = [part for part in formats.read(whole, "prov-json").bundles if done.ref in (part.id or "")]
        sent = formats.read(data, "prov-json").main
        assert not difference(Document(sent), Document(replace(inner, id=None)))
        other.submit(Sent(data=whole))
        assert lost(whole, exported(other), "prov-json") == []


@pytest.mark.parametrize("form", ["prov-json", "prov-n", "prov-xml", "trig", "prov-jsonld", "nquads"])
def test_an_export_of_all_holds_each_document_in_a_bundle(service: Service, form: str) -> None:
    """Case 058: a bundle of two documents is one."""
    texts = ["wasDerivedFrom(ex:b, ex:a)", "bundle ex:inner\nentity(ex:one)\nendBundle"]
    first = service.submit(provn(*texts))
    second = service.submit(provn("bundle ex:inner\nentity(ex:two)\nendBundle"))
    whole = formats.read(exported(service, form), form)
    bundles = {part.id: part for part in whole.bundles}
    assert f"{service.base}{first.ref}" in bundles
    assert len(bundles) == 3 - (not bundles.get(f"{service.base}{second.ref}"))
    assert {one.id for one in bundles["http://example.org/inner"].statements} == {
        "http://example.org/one",
        "http://example.org/two",
    }
    [derived] = [
        one for one in bundles[f"{service.base}{first.ref}"].statements if isinstance(one, Statement)
    ]
    assert derived.arguments[:2] == ("http://example.org/b", "http://example.org/a")


class _Told(msgspec.Struct):
    relation: str


def _assertions(data: bytes) -> list[_Told]:
    """The assertions of an export, each by its relation."""
    whole = msgspec.json.decode(data)
    return [_Told(one["clew:relation"]["$"]) for one in whole["entity"].values() if "clew:relation" in one]


def test_an_export_without_assertions_keeps_the_evidence_of_relations(first: Service, tmp_path: Path) -> None:
    data = exported(first, assertions="none")
    with empty(tmp_path) as second:
        second.submit(Sent(data=data))
        assert lost(data, exported(second, assertions="none"), "prov-json") == []


def test_marks_of_retraction_and_deletion_come_back(first: Service, tmp_path: Path) -> None:
    def marks(service: Service) -> set[tuple[str, str, str, str, str]]:
        graph = service.ask("inputs-of", {"target": ["report:2"]}).answer.graph
        return {
            (node.ref, mark.kind, mark.by, mark.time, mark.reason)
            for node in graph.nodes
            for mark in node.marks
        }

    with empty(tmp_path) as second:
        second.submit(Sent(data=exported(first)))
        assert marks(second) == marks(first)
        assert {kind for _, kind, *_ in marks(second)} >= {"retracted", "deleted"}


def test_a_body_that_stayed_behind_was_never_here(first: Service, tmp_path: Path) -> None:
    with empty(tmp_path) as second:
        second.submit(Sent(data=exported(first)))
        states = {
            body.state for node in second.details(["act:1", "message:task"]).nodes for body in node.bodies
        }
        assert states == {"never_captured"}


def test_who_may_not_speak_for_a_source_brings_in_nothing_in_its_name(first: Service, tmp_path: Path) -> None:
    bound = Principal("import", frozenset({"verifier", "harness"}), frozenset({"import"}), vouches=False)
    with empty(tmp_path) as second:
        with pytest.raises(Refused, match="may not speak for 'harness'"):
            second.submit(Sent(data=exported(first)), bound)
        assert second.lists.events().total == 0


def test_a_tenant_of_another_name_gets_the_nodes_as_the_iris_that_they_are(
    first: Service, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'other.db'}"
    with service_at(url, tmp_path, tenant="other", writing=False) as second:
        second.submit(Sent(data=exported(first)))
        found = second.ask("inputs-of", {"target": ["urn:x-clew:default:report:2"]}).answer.graph
        assert "<urn:x-clew:default:doc:A@version:1>" in {node.ref for node in found.nodes}
        assert {one.evidence for edge in found.edges for one in edge.assertions} == {"observed", "declared"}
