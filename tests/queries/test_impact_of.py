"""impact-of: what came of a target, by link, by tier, and what of it is still there."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from queries.graph import Graph
from queries.questions.impact_of import Affected, Impact
from tests.story import Story, instant

QUESTION = shelf.question("impact-of")
ONE, TWO, PACK = (
    f"skill:{name}@sha256:{digit * 64}" for name, digit in (("s", "1"), ("s", "2"), ("pack", "3"))
)


def ask(graph: Graph, *targets: str, **more: Any) -> Impact:
    impact: Impact = QUESTION.answer(graph, QUESTION.read({"target": list(targets), **more})).graph
    return impact


def told(graph: Graph, target: str) -> str:
    return "\n".join(QUESTION.sentences(QUESTION.answer(graph, QUESTION.read({"target": target}))))


def by_ref(impact: Impact) -> dict[str, Affected]:
    return {entry.ref: entry for entry in impact.affected}


class TestARetractedDocument:
    """Case 143."""

    @pytest.fixture
    def graph(self) -> Graph:
        story = Story()
        story.call("m1", sees=["doc:B"], says=["draft"])
        story.call("m2", sees=["draft"], says=["report"])
        story.derives("table", "doc:B", rerunnable=True)
        story.derives("mail", "doc:B", method="guess", evidence="inferred")
        return story.graph()

    def test_everything_reached_carries_its_evidence_depth_and_path(self, graph: Graph) -> None:
        found = by_ref(ask(graph, "doc:B"))
        assert {ref: (entry.evidence, entry.depth) for ref, entry in found.items()} == {
            "table": ("verified", 1),
            "draft": ("observed", 1),
            "report": ("observed", 2),
            "mail": ("inferred", 1),
        }
        assert found["report"].path == ("doc:B", "m1", "draft", "m2", "report")
        assert found["report"].links == ("sent",)

    def test_a_filter_without_inferred_drops_only_what_was_inferred(self, graph: Graph) -> None:
        kept = ask(graph, "doc:B", evidence=["verified", "observed"])
        assert set(by_ref(kept)) == {"table", "draft", "report"}

    def test_things_are_grouped_by_link(self, graph: Graph) -> None:
        links = ask(graph, "doc:B").links
        assert links["sent"] == ("draft", "report")
        assert links["transformed"] == ("mail", "table")
        assert links["cited"] == ()

    def test_the_sentences_say_sent_to(self, graph: Graph) -> None:
        words = told(graph, "doc:B")
        assert "4 things came from doc:B." in words
        assert "sent to a model on the way to draft, report" in words
        assert "based on" not in words


def test_several_targets_are_followed_at_once() -> None:
    story = Story()
    story.call("m1", sees=["doc:A"], says=["a"])
    story.call("m2", sees=["doc:B"], says=["b"])
    assert set(by_ref(ask(story.graph(), "doc:A", "doc:B"))) == {"a", "b"}


def test_a_citation_reaches_the_write_that_the_same_call_proposed() -> None:
    story = Story()
    story.call("m1", sees=["msg:1"], says=["text"], cites={"text": ["doc:A"]})
    story.proposes("act:1", call="m1")
    story.tries("att:1", action="act:1", writes=["file:/r.md@version:1"])
    impact = ask(story.graph(), "doc:A")
    assert by_ref(impact)["file:/r.md@version:1"].links == ("cited",)
    assert impact.survivors == ("file:/r.md@version:1",)
    assert impact.cited_not_sent == ("text",)


def test_calls_that_were_sent_a_target_and_cite_it_nowhere_are_listed() -> None:
    story = Story()
    story.call("m1", sees=["doc:A"], says=["a"], cites={"a": ["doc:A"]})
    story.call("m2", sees=["doc:A"], says=["b"])
    impact = ask(story.graph(), "doc:A")
    assert impact.sent_not_cited == ("m2",)
    assert impact.cited_not_sent == ()


def test_a_draft_that_was_not_adopted_names_the_calls_it_was_sent_to() -> None:
    story = Story()
    story.call("m1", says=["draft"])
    story.adopts("adopt:1", "draft", verdict="rejected")
    story.call("m2", sees=["draft"], says=["report"])
    assert ask(story.graph(), "draft").rejected_but_sent == ("m2",)


class TestASkill:
    def graph(self) -> Graph:
        story = Story()
        story.version(ONE, "skill")
        members = [{"ref": ONE, "role": "skill"}]
        story.run("run:1", environment={"ref": "environment:1", "members": members})
        story.call("c:told", says=["t:told"], instructions=[{"ref": ONE}])
        story.call("c:loaded", says=["t:loaded"])
        story.tries("att:loaded", writes=["file:/x@version:1"])
        story.run("run:2")
        story.call("c:named", says=["t:named"], instructions=[{"ref": "skill:s"}])
        story.version(TWO, "skill")
        story.call("c:later", says=["t:later"], instructions=[{"ref": "skill:s"}])
        return story.graph()

    def test_its_reach_is_told_in_tiers(self) -> None:
        impact = ask(self.graph(), ONE)
        assert impact.in_context == ("t:told",)
        assert impact.loaded == ("file:/x@version:1", "t:loaded")
        assert impact.possibly == ("t:named",)
        assert "t:later" not in by_ref(impact)

    def test_a_name_without_a_version_is_known_by_inference_only(self) -> None:
        found = by_ref(ask(self.graph(), ONE))
        assert found["t:named"].evidence == "inferred"
        assert found["t:named"].path == ("skill:s", "c:named", "t:named")
        assert found["t:told"].evidence == "observed"

    def test_one_named_only_as_a_plan_is_reached(self) -> None:
        story = Story()
        story.call("c:1", says=["t:1"], instructions=[{"ref": ONE}])
        links = by_ref(ask(story.graph(), ONE))["t:1"].links
        assert links == ("instruction", "plan")

    def test_one_that_only_an_environment_names_is_reached(self) -> None:
        story = Story()
        story.run("run:1", environment={"ref": "environment:1", "members": [{"ref": ONE}]})
        story.call("c:1", says=["t:1"])
        impact = ask(story.graph(), ONE)
        assert impact.loaded == ("t:1",)
        assert by_ref(impact)["t:1"].path == (ONE, "environment:1", "run:1", "c:1", "t:1")

    def test_an_environment_that_is_described_is_no_thing_affected(self) -> None:
        story = Story()
        story.version("environment:1", "environment")
        story.run("run:1", environment={"ref": "environment:1", "members": [{"ref": ONE}]})
        story.call("c:1", says=["t:1"])
        assert set(by_ref(ask(story.graph(), ONE))) == {"t:1"}

    def test_what_depends_on_it_carries_it_on(self) -> None:
        story = Story()
        story.version(PACK, "skill", members=[{"ref": ONE}])
        story.call("c:1", says=["t:1"], instructions=[{"ref": PACK}])
        assert ask(story.graph(), ONE).in_context == ("t:1",)

    def test_a_thing_answers_for_its_newest_version_and_names_the_others(self) -> None:
        impact = ask(self.graph(), "skill:s")
        assert (impact.targets[0].ref, impact.targets[0].others) == (TWO, (ONE,))
        assert impact.possibly == ("t:later",)


class TestAgentsAndSources:
    def graph(self) -> Graph:
        story = Story()
        story.call("c:1", sees=["doc:1"], says=["t:1"], agent="writer")
        story.call("c:2", sees=["t:1"], says=["t:2"], agent="other", source="second")
        story.call("c:1", sees=["doc:1"], says=["t:1"], agent="writer", source="second", id="again")
        return story.graph()

    def test_a_retracted_agent_reaches_what_it_made_and_what_came_of_that(self) -> None:
        impact = ask(self.graph(), "agent:writer")
        assert {ref: entry.links for ref, entry in by_ref(impact).items()} == {
            "t:1": ("carried",),
            "t:2": ("carried",),
        }

    def test_a_retracted_model_reaches_every_call_of_it(self) -> None:
        assert set(by_ref(ask(self.graph(), "model:m-1"))) == {"t:1", "t:2"}

    def test_a_retracted_source_marks_what_it_alone_asserts(self) -> None:
        alone = ask(self.graph(), "source:second").alone
        assert {(edge.term, edge.source, edge.target) for edge in alone} == {
            ("used", "c:2", "t:1"),
            ("wasGeneratedBy", "t:2", "c:2"),
        }
        assert set(by_ref(ask(self.graph(), "source:second"))) == {"t:2"}


class TestSurvivors:
    def graph(self, *then: Any) -> Graph:
        story = Story()
        story.call("m1", sees=["doc:B"], says=["msg:1"])
        story.proposes("act:1", call="m1")
        story.tries("att:1", action="act:1", writes=["file:/r.md@version:1"], results=["res:1"])
        for step in then:
            step(story)
        return story.graph()

    def test_the_newest_written_occurrence_survives_and_messages_are_none(self) -> None:
        impact = ask(self.graph(), "doc:B")
        assert impact.survivors == ("file:/r.md@version:1",)
        assert {"msg:1", "res:1"} <= set(by_ref(impact))

    def test_a_version_that_an_event_of_its_own_says_was_made_survives_and_a_mere_result_does_not(
        self,
    ) -> None:
        def makes(story: Story) -> None:
            story.call("m2", sees=["doc:B"])
            story.version("doc:made@version:1", made_by="m2")
            story.version("doc:found@version:1")
            story.proposes("act:2", call="m2")
            story.tries("att:2", action="act:2", results=["doc:found@version:1"])

        impact = ask(self.graph(makes), "doc:B")
        assert "doc:made@version:1" in by_ref(impact)
        assert impact.returned == ("doc:found@version:1",)
        assert impact.survivors == ("doc:made@version:1", "file:/r.md@version:1")

    def test_a_later_write_supersedes_and_is_counted_apart(self) -> None:
        write = {"ref": "file:/r.md@version:2", "before": "file:/r.md@version:1", "mode": "replace"}
        impact = ask(self.graph(lambda story: story.tries("att:2", writes=[write])), "doc:B")
        assert (impact.survivors, impact.superseded) == ((), ("file:/r.md@version:1",))

    def test_an_edit_carries_on_into_what_it_kept(self) -> None:
        write = {"ref": "file:/r.md@version:2", "before": "file:/r.md@version:1", "mode": "edit"}
        impact = ask(self.graph(lambda story: story.tries("att:2", writes=[write])), "doc:B")
        assert impact.survivors == ("file:/r.md@version:2",)
        assert impact.superseded == ("file:/r.md@version:1",)

    def test_what_was_deleted_does_not_survive(self) -> None:
        write = {"ref": "file:/r.md@version:1", "mode": "delete"}
        impact = ask(self.graph(lambda story: story.tries("att:2", writes=[write])), "doc:B")
        assert (impact.survivors, impact.deleted) == ((), ("file:/r.md@version:1",))

    def test_what_was_sent_survives_whatever_is_written_later(self) -> None:
        def mails(story: Story) -> None:
            story.proposes("act:m", call="m1")
            for number in (1, 2):
                write = {"ref": f"mail:m@version:{number}", "mode": "send"}
                story.tries(f"att:m{number}", action="act:m", writes=[write])

        impact = ask(self.graph(mails), "doc:B")
        assert {"mail:m@version:1", "mail:m@version:2"} <= set(impact.survivors)

    def test_a_write_that_a_verifier_refuted_never_took_place(self) -> None:
        def refutes(story: Story) -> None:
            story.checks("ver:1", "att:1", verdict="confirmed_failed")

        impact = ask(self.graph(refutes), "doc:B")
        assert impact.survivors == ()
        assert "file:/r.md@version:1" not in by_ref(impact)
        assert [edge.refuted for edge in impact.edges if edge.source == "file:/r.md@version:1"] == [True]
        anyway = ask(self.graph(refutes), "doc:B", include_refuted="true")
        assert "file:/r.md@version:1" in by_ref(anyway)
        assert anyway.survivors == ()


def test_the_target_is_marked_as_retracted_with_who_when_and_why() -> None:
    story = Story()
    story.call("m1", sees=["doc:B"], says=["draft"])
    story.retracts("doc:B", by="ann", reason="wrong year", time=instant(60))
    impact = ask(story.graph(), "doc:B")
    (mark,) = [
        m for node in impact.nodes if not isinstance(node, str) for m in node.marks if m.kind == "retracted"
    ]
    assert (mark.by, mark.reason, mark.time, mark.event) == ("person:ann", "wrong year", instant(60), 2)


def test_nothing_that_came_of_it_is_said_so() -> None:
    story = Story()
    story.version("doc:B")
    assert "Nothing that came from doc:B is recorded: nothing that is recorded used it." in told(
        story.graph(), "doc:B"
    )
    story.call("call:1", sees=["doc:B"])
    assert "1 step that used it reports no result (call:1)." in told(story.graph(), "doc:B")


class TestManyTargets:
    """Each affected thing names the nearest of the targets, its best path, and what became of it."""

    def graph(self) -> Graph:
        story = Story()
        story.call("m1", sees=["doc:A"], says=["draft"])
        story.call("m2", sees=["draft", "doc:B"], says=["text"])
        story.derives("text", "doc:A", method="guess", evidence="inferred")
        story.proposes("act:1", call="m2")
        story.tries("att:1", action="act:1", writes=["report:r@version:1"])
        story.version("report:r@version:1", "report")
        return story.graph()

    def test_the_nearest_is_the_one_that_the_fewest_steps_lead_from(self) -> None:
        found = by_ref(ask(self.graph(), "doc:A", "doc:B"))
        assert {ref: entry.nearest for ref, entry in found.items()} == {
            "draft": "doc:A",
            "text": "doc:A",
            "report:r@version:1": "doc:B",
        }

    def test_the_path_is_the_best_from_any_of_them(self) -> None:
        entry = by_ref(ask(self.graph(), "doc:A", "doc:B"))["text"]
        assert (entry.evidence, entry.path) == ("observed", ("doc:B", "m2", "text"))

    def test_a_report_and_a_write_tell_their_kind_and_standing(self) -> None:
        entry = by_ref(ask(self.graph(), "doc:A", "doc:B"))["report:r@version:1"]
        assert (entry.kind, entry.standing, entry.evidence) == ("report", "survivor", "declared")

    def test_the_words_name_some_targets_and_count_the_rest(self) -> None:
        story = Story()
        refs = [f"doc:{number}" for number in range(10, 30)]
        story.call("m1", sees=refs, says=["text"])
        asked = QUESTION.read({"target": refs})
        words = QUESTION.sentences(QUESTION.answer(story.graph(), asked))
        assert "1 thing came from doc:10, doc:11, doc:12, doc:13, doc:14 and 15 more." in words

    def test_skills_and_sources_are_the_nearest_of_what_they_carried(self) -> None:
        story = Story()
        story.version(ONE, "skill")
        story.call("c:1", says=["t:1"], instructions=[{"ref": "skill:s"}])
        story.call("c:2", says=["t:2"], source="second")
        found = by_ref(ask(story.graph(), ONE, "source:second"))
        assert {ref: entry.nearest for ref, entry in found.items()} == {"t:1": ONE, "t:2": "source:second"}


class TestWhatAToolReturned:
    """A document that a search found was there before: it did not come of what led to the search."""

    def graph(self) -> Graph:
        story = Story()
        story.version("doc:rules@version:3")
        story.run("run:1", environment={"ref": "environment:1", "members": [{"ref": ONE}]})
        story.call("c:1", says=["t:1"])
        story.proposes("act:1", call="c:1", tool="search")
        members = [{"ref": "doc:rules@version:3"}, {"ref": "row:7"}]
        story.tries("att:1", action="act:1", tool="search", results=[{"ref": "res:1", "members": members}])
        story.call("c:2", sees=["doc:rules@version:3"], says=["t:2"])
        story.run("run:2")
        story.call("c:3", sees=["doc:rules@version:3"], says=["t:3"])
        return story.graph()

    def test_it_is_no_thing_affected_and_is_told_apart(self) -> None:
        impact = ask(self.graph(), ONE)
        assert set(by_ref(impact)) == {"t:1", "res:1", "t:2"}
        assert impact.loaded == ("res:1", "t:1", "t:2")
        assert impact.returned == ("doc:rules@version:3", "row:7")

    def test_another_run_that_used_it_by_itself_is_not_affected(self) -> None:
        assert ask(self.graph(), ONE).elsewhere == ("t:3",)

    def pages(self, graph: Graph, target: str, room: int) -> list[Impact]:
        found, cursor = list[Impact](), ""
        while not found or cursor:
            found.append(ask(graph, target, max_nodes=room, **({"cursor": cursor} if cursor else {})))
            cursor = found[-1].cursor
        return found

    @pytest.mark.parametrize("room", [1, 2, 3])
    def test_on_whichever_page_it_stands_it_is_not_affected(self, room: int) -> None:
        found = self.pages(self.graph(), ONE, room)
        assert {ref for page in found for ref in by_ref(page)} == {"t:1", "res:1", "t:2"}
        assert {ref for page in found for ref in page.elsewhere} == {"t:3"}
        assert found[-1].returned == ("doc:rules@version:3", "row:7")

    @pytest.mark.parametrize("room", [1, 2, 3])
    def test_no_page_says_that_it_was_only_found_before_a_later_page_can_deny_it(self, room: int) -> None:
        story = Story()
        story.run("run:1")
        story.tries("att:1", reads=["t:1"], tool="search", results=["doc:rules@version:3"])
        story.call("c:1", sees=["t:1"], says=["t:2"])
        story.call("c:2", sees=["t:2"], says=["t:3"])
        story.derives("doc:rules@version:3", "t:3")
        found = self.pages(story.graph(), "t:1", room)
        assert not any(page.returned for page in found)
        assert {ref for page in found for ref in by_ref(page)} == {
            "t:2", "t:3", "doc:rules@version:3",
        }  # fmt: skip
        assert any("only found" in one.what for page in found for one in page.unchecked)

    def test_the_words_say_so(self) -> None:
        words = told(self.graph(), ONE)
        assert "Only found by tools on the way, and there before: doc:rules@version:3, row:7." in words
        assert "1 thing that other runs made with what was found so are not counted." not in words
        assert "1 thing that other runs made with what was found so is not counted." in words

    def test_asked_about_itself_it_reaches_every_run(self) -> None:
        assert set(by_ref(ask(self.graph(), "doc:rules"))) == {"t:2", "t:3"}

    def test_within_the_run_it_carries_on(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("c:1", sees=["msg:task"])
        story.proposes("act:1", call="c:1", tool="search")
        story.tries("att:1", action="act:1", tool="search", results=["doc:x@version:1"])
        story.call("c:2", sees=["doc:x@version:1"], says=["t:2"])
        impact = ask(story.graph(), "msg:task")
        assert set(by_ref(impact)) == {"t:2"}
        assert by_ref(impact)["t:2"].path == (
            "msg:task",
            "c:1",
            "act:1",
            "att:1",
            "doc:x@version:1",
            "c:2",
            "t:2",
        )

    def test_what_a_tool_made_is_affected(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("c:1", sees=["msg:task"])
        story.proposes("act:1", call="c:1", tool="render")
        story.tries(
            "att:1", action="act:1", tool="render", writes=["doc:x@version:1"], results=["doc:x@version:1"]
        )
        assert set(by_ref(ask(story.graph(), "msg:task"))) == {"doc:x@version:1"}
