"""how-known: why an edge is believed, and the best path between two nodes."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from provmodel.errors import BadQuestion, NotFound
from provmodel.events import Event
from provmodel.evidence import Principal
from queries import shelf
from queries.graph import Graph
from queries.questions.how_known import Known, KnownPath
from tests.scramble import Scramble, scrambled
from tests.story import Story, instant

QUESTION = shelf.question("how-known")
SKILL = "skill:s@sha256:" + "1" * 64
HARNESS = Principal("night-shift", frozenset({"harness"}), None, vouches=False)


def ask(graph: Graph, *targets: str, **more: Any) -> Known:
    known: Known = QUESTION.answer(graph, QUESTION.read({"target": list(targets), **more})).graph
    return known


def path(graph: Graph, *targets: str, **more: Any) -> KnownPath:
    found = ask(graph, *targets, **more).path
    assert found is not None
    return found


def told(graph: Graph, *targets: str, **more: Any) -> str:
    return "\n".join(
        QUESTION.sentences(QUESTION.answer(graph, QUESTION.read({"target": list(targets), **more})))
    )


class TestAnEdge:
    """Case 142: an observed input and a declared citation stay two edges with an assertion each."""

    @pytest.fixture
    def graph(self) -> Graph:
        story = Story()
        story.call("call:1", sees=["doc:B"], says=["report"], cites={"report": ["doc:A", "doc:B"]})
        return story.graph()

    def test_each_assertion_names_evidence_stance_asserter_reporter_method_and_event(
        self, graph: Graph
    ) -> None:
        [claim] = [claim for claim in ask(graph, "report").claims if claim.target == "doc:A"]
        [behind] = claim.assertions
        assert (claim.term, claim.role, claim.evidence) == ("wasDerivedFrom", "citation", "declared")
        assert (behind.evidence, behind.stance, behind.asserter) == ("declared", "supports", "model:m-1")
        assert (behind.reporter, behind.method, behind.event) == ("local", "", 1)
        assert (behind.type, behind.source, behind.id) == ("model_call", "harness", "1")

    def test_sent_and_cited_are_told_apart(self, graph: Graph) -> None:
        claims = ask(graph, "doc:B").claims
        assert {(claim.term, claim.source, claim.evidence) for claim in claims} == {
            ("used", "call:1", "observed"),
            ("wasDerivedFrom", "report", "declared"),
        }

    def test_one_is_asked_for_by_the_id_that_answers_give(self, graph: Graph) -> None:
        [wanted] = [claim for claim in ask(graph, "report").claims if claim.target == "doc:A"]
        for end in ("report", "doc:A"):
            assert ask(graph, end, relation=wanted.relation).claims == (wanted,)

    @pytest.mark.parametrize("relation", ["0123456789abcdef", "the citation"])
    def test_one_that_the_target_does_not_have_is_refused(self, graph: Graph, relation: str) -> None:
        with pytest.raises(BadQuestion) as refused:
            ask(graph, "report", relation=relation)
        assert refused.value.parameter == "relation"

    def test_the_words_say_who_says_so_and_in_which_event(self, graph: Graph) -> None:
        assert (
            "report cites doc:A: declared, says model:m-1 (model_call harness/1, seq 1, delivered by local)."
            in told(graph, "report")
        )

    def test_the_reporter_is_the_credential_that_delivered_it(self) -> None:
        story = Story()
        story.tell("model_call", call="call:1", model="m", outputs=[{"ref": "report"}], by=HARNESS)
        assert {b.reporter for c in ask(story.graph(), "report").claims for b in c.assertions} == {
            "night-shift"
        }

    def test_what_is_said_of_the_node_carries_its_evidence_too(self) -> None:
        story = Story()
        story.tries("att:1", tool="mailer", outcome="completed")
        [outcome] = [said for said in ask(story.graph(), "att:1").said if said.name == "clew:outcome"]
        assert (outcome.value, outcome.behind.evidence, outcome.behind.asserter) == (
            "completed",
            "declared",
            "tool:mailer",
        )


class TestAVerdict:
    def graph(self, verdict: str) -> Graph:
        story = Story()
        story.call("call:1", sees=["doc:1"])
        story.proposes("act:1", call="call:1")
        story.tries("att:1", action="act:1", tool="files", writes=["file:/r@version:1"])
        story.checks("check:1", "file:/r@version:1", verdict, source="auditor")
        return story.graph()

    def test_what_speaks_for_it_and_against_it_stands_side_by_side(self) -> None:
        claims = ask(self.graph("confirmed_failed"), "file:/r@version:1", "att:1").claims
        [made] = [claim for claim in claims if claim.term == "wasGeneratedBy"]
        assert made.refuted
        assert [(b.evidence, b.stance, b.asserter, b.method) for b in made.assertions] == [
            ("verified", "refutes", "source:auditor", "read-back"),
            ("declared", "supports", "tool:files", ""),
        ]

    def test_a_path_over_what_is_refuted_is_told_as_such_and_is_no_path(self) -> None:
        graph = self.graph("confirmed_failed")
        known = ask(graph, "doc:1", "file:/r@version:1")
        assert known.path is None
        assert known.refuted_path is not None
        assert known.refuted_path.refs == ("doc:1", "call:1", "act:1", "att:1", "file:/r@version:1")
        assert "goes over what is refuted" in told(graph, "doc:1", "file:/r@version:1")

    def test_a_confirmed_write_makes_the_path_as_good_as_what_else_is_on_it(self) -> None:
        found = path(self.graph("confirmed"), "doc:1", "file:/r@version:1")
        assert (found.evidence, found.steps) == ("observed", 4)
        assert [claim.evidence for claim in found.claims] == ["observed", "observed", "observed", "verified"]


class TestThePath:
    def test_its_weakest_edge_is_best_whatever_its_length(self) -> None:
        story = Story()
        story.derives("report", "doc:1", method="guess", evidence="inferred")
        story.derives("table", "doc:1", rerunnable=True)
        story.derives("report", "table", rerunnable=True)
        found = path(story.graph(), "doc:1", "report")
        assert (found.refs, found.evidence) == (("doc:1", "table", "report"), "verified")

    def test_of_two_as_good_the_shorter_and_then_the_first_by_reference(self) -> None:
        story = Story()
        for between in ("b", "a", "c"):
            story.derives(between, "doc:1")
            story.derives("report", between)
        story.derives("long", "doc:1")
        story.derives("longer", "long")
        story.derives("report", "longer")
        assert path(story.graph(), "doc:1", "report").refs == ("doc:1", "a", "report")

    def test_it_is_found_whichever_end_is_named_first(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:1"], says=["report"])
        graph = story.graph()
        assert path(graph, "report", "doc:1") == path(graph, "doc:1", "report")

    def test_it_is_the_one_that_inputs_of_tells(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:1"], says=["draft"])
        story.call("call:2", sees=["draft"], says=["report"])
        graph, inputs = story.graph(), shelf.question("inputs-of")
        links = inputs.answer(graph, inputs.read({"target": "report"})).graph.links
        [entry] = [entry for entry in links.sent if entry.ref == "doc:1"]
        found = path(graph, "doc:1", "report")
        assert (found.refs, found.steps, found.evidence) == (entry.path, entry.steps, entry.evidence)

    def test_it_keeps_to_the_evidence_asked_for(self) -> None:
        story = Story()
        story.call("call:1", sees=["msg:1"], says=["report"], cites={"report": ["doc:A"]})
        graph = story.graph()
        assert path(graph, "doc:A", "report").evidence == "declared"
        assert ask(graph, "doc:A", "report", evidence="observed").path is None

    def test_it_leads_over_the_citation_on_a_text_of_the_same_call(self) -> None:
        story = Story()
        story.call("call:1", sees=["msg:1"], says=["text"], cites={"text": ["doc:A"]})
        story.proposes("act:1", call="call:1")
        story.tries("att:1", action="act:1", writes=["file:/r.md@version:1"])
        found = path(story.graph(), "doc:A", "file:/r.md@version:1")
        assert found.refs == ("doc:A", "text", "call:1", "act:1", "att:1", "file:/r.md@version:1")
        assert found.evidence == "declared"

    def test_it_begins_at_a_skill_that_only_an_environment_names(self) -> None:
        story = Story()
        story.run("run:1", environment={"ref": "environment:1", "members": [{"ref": SKILL}]})
        story.call("call:1", says=["text"])
        assert path(story.graph(), SKILL, "text").refs == (SKILL, "environment:1", "run:1", "call:1", "text")

    def test_it_begins_at_an_instruction_and_at_an_agent(self) -> None:
        story = Story()
        story.call("call:1", says=["text"], instructions=[{"ref": SKILL}], agent="writer")
        graph = story.graph()
        assert path(graph, SKILL, "text").refs == (SKILL, "call:1", "text")
        assert path(graph, "agent:writer", "text").refs == ("agent:writer", "call:1", "text")

    def test_a_skill_named_without_a_version_is_known_by_inference(self) -> None:
        story = Story()
        story.version(SKILL, "skill")
        story.call("call:1", says=["text"], instructions=[{"ref": "skill:s"}])
        found = path(story.graph(), SKILL, "text")
        assert (found.refs, found.evidence) == (("skill:s", "call:1", "text"), "inferred")

    def test_it_leads_from_who_decided_to_what_was_written(self) -> None:
        story = Story()
        story.proposes("act:1")
        story.decides("dec:1", action="act:1", decider="ann")
        story.tries("att:1", action="act:1", decision="dec:1", writes=["file:/r@version:1"])
        found = path(story.graph(), "person:ann", "file:/r@version:1")
        assert found.refs[0] == "person:ann"
        assert found.refs[-2:] == ("att:1", "file:/r@version:1")

    def test_before_is_not_because(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", says=["draft"], started=instant(1), ended=instant(2))
        story.call("call:2", says=["report"], started=instant(3), ended=instant(4))
        graph = story.graph()
        assert ask(graph, "draft", "report").path is None
        assert "No recorded path leads from draft to report, nor back." in told(graph, "draft", "report")

    def test_where_the_walk_was_cut_none_found_is_not_none(self) -> None:
        story = Story()
        for number in range(10):
            story.derives(f"e:{number + 1}", f"e:{number}")
        graph = story.graph()
        known = ask(graph, "e:0", "e:10", depth="4")
        assert known.path is None
        assert known.truncated
        assert not known.complete
        assert [item.what for item in known.unchecked] == ["whether a longer path leads there"]


@pytest.mark.parametrize("seed", range(3))
def test_from_both_ends_and_by_a_whole_walk_the_same_path_is_found(seed: int) -> None:
    """A depth below the usual one is kept to by walking."""
    story = Story()
    story.events = [msgspec.convert(item, type=Event) for item in scrambled(Scramble(seed).build(60), seed)]
    graph = story.graph()
    refs = graph.all_refs()[::9]
    found = 0
    for one, other in itertools.combinations(refs, 2):
        for evidence in ([], ["observed", "verified"]):
            by_meeting = ask(graph, one, other, evidence=evidence, policy="why").path
            by_walking = ask(graph, one, other, evidence=evidence, policy="why", depth="39").path
            assert by_meeting == by_walking, (one, other)
            found += by_meeting is not None
    assert found > 5


def test_a_hub_among_the_causes_is_met_from_the_effect() -> None:
    story = Story()
    for number in range(1100):
        story.call(f"call:{number}", sees=["doc:hub"], says=[f"text:{number}"])
    assert path(story.graph(), "doc:hub", "text:7").refs == ("doc:hub", "call:7", "text:7")


def test_a_hub_shows_some_of_its_edges_and_says_how_many_are_left() -> None:
    story = Story()
    for number in range(250):
        story.call(f"call:{number}", sees=["doc:hub"])
    known = ask(story.graph(), "doc:hub")
    assert len(known.claims) == 200
    assert known.truncated
    assert [(stop.ref, stop.way, stop.count, stop.exact) for stop in known.frontier] == [
        ("doc:hub", "in", 50, True)
    ]


@pytest.mark.parametrize("targets", [("a", "b", "c")])
def test_a_path_has_two_ends(targets: tuple[str, ...]) -> None:
    story = Story()
    story.call("call:1", sees=["a", "b", "c"])
    with pytest.raises(BadQuestion, match="two ends"):
        ask(story.graph(), *targets)


def test_an_end_that_is_nowhere_is_not_found() -> None:
    story = Story()
    story.call("call:1", sees=["a"])
    with pytest.raises(NotFound):
        ask(story.graph(), "a", "doc:nowhere")


def test_a_path_from_a_name_without_a_version_says_what_that_is_taken_for() -> None:
    story = Story()
    story.version("doc:z@version:1")
    story.call("call:1", sees=["doc:z"], says=["message:o"])
    answer = QUESTION.answer(story.graph(), QUESTION.read({"target": ["doc:z@version:1", "message:o"]}))
    path = answer.graph.path
    assert (path.cause, path.meant, path.evidence) == ("doc:z", "doc:z@version:1", "inferred")
    words = QUESTION.sentences(answer)
    assert words[1] == (
        "doc:z was named without a version while doc:z@version:1 was current, so it possibly stood for that: "
        "inferred."
    )
