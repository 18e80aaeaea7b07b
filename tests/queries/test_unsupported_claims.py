"""What models cite, held against what they were sent."""

from __future__ import annotations

from typing import Any

import pytest

from queries.questions.unsupported_claims import Claims, UnsupportedClaims
from tests.story import Story, instant

QUESTION = UnsupportedClaims()


def ask(story: Story, **given: Any) -> Claims:
    return QUESTION.answer(story.graph(), QUESTION.read(given)).graph


def said(story: Story, **given: Any) -> list[str]:
    return QUESTION.sentences(QUESTION.answer(story.graph(), QUESTION.read(given)))


def refs(claims: Any) -> list[str]:
    return [claim.ref for claim in claims]


def cites(*sources: str, sees: tuple[str, ...] = ("doc:B",), **more: Any) -> Story:
    story = Story()
    story.run("run:1", agent="writer")
    story.call("call:1", sees=sees, says=["report:1"], cites={"report:1": list(sources)}, **more)
    return story


class TestWhatIsCited:
    def test_a_source_that_was_never_sent_and_one_that_is_not_cited(self) -> None:
        """Case 142: the report cites A and B; its call was sent B and the user's message."""
        graph = ask(cites("doc:A", "doc:B", sees=("msg:u1", "doc:B")), target="report:1")
        [claim] = graph.cited_not_sent
        assert (claim.ref, claim.output, claim.call, claim.run) == ("doc:A", "report:1", "call:1", "run:1")
        assert claim.evidence == "declared"
        assert refs(graph.sent_not_cited) == ["msg:u1"]
        assert (graph.supported, graph.calls, graph.unclear) == (1, 1, ())
        stated = {
            (edge.target, edge.term, assertion.evidence)
            for edge in graph.edges
            for assertion in edge.assertions
            if edge.target == "doc:B"
        }
        assert stated == {("doc:B", "used", "observed"), ("doc:B", "wasDerivedFrom", "declared")}

    def test_another_version_of_it_was_sent(self) -> None:
        graph = ask(cites("doc:a@version:2", sees=("doc:a@version:1",)), run="run:1")
        [claim] = graph.cited_not_sent
        assert claim.other_versions == ("doc:a@version:1",)

    @pytest.mark.parametrize(
        ("cited", "sent"),
        [
            ("doc:a", "doc:a@version:1"),
            ("doc:a@version:1", "doc:a"),
            ("document:a@sha256:aa", "document:a@version:1"),
        ],
    )
    def test_versions_that_can_not_be_compared_are_unclear_never_unsupported(
        self, cited: str, sent: str
    ) -> None:
        graph = ask(cites(cited, sees=(sent,)), run="run:1")
        assert (refs(graph.unclear), graph.cited_not_sent) == ([cited], ())
        assert [item.what for item in graph.unchecked] == [f"whether call:1 was sent {cited}"]
        assert not graph.complete

    def test_a_call_that_reports_nothing_it_was_sent_leaves_its_claims_unclear(self) -> None:
        graph = ask(cites("doc:A", sees=()), run="run:1")
        assert refs(graph.unclear) == ["doc:A"]
        assert graph.unclear[0].why == "call:1 reports nothing that it was sent"

    def test_a_call_whose_outputs_cite_nothing_makes_no_claim(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:A"], says=["msg:1"])
        graph = ask(story)
        assert (graph.uncited, graph.sent_not_cited, graph.cited_not_sent) == (("call:1",), (), ())


class TestWhatIsSent:
    def test_members_of_a_result_are_sent_with_it(self) -> None:
        story = Story()
        story.tries("att:1", results=[{"ref": "result:1", "members": [{"ref": "doc:A"}, {"ref": "doc:B"}]}])
        story.call("call:1", sees=["result:1"], says=["report:1"], cites={"report:1": ["doc:A"]})
        graph = ask(story)
        assert (graph.cited_not_sent, refs(graph.sent_not_cited), graph.supported) == ((), ["doc:B"], 1)

    def test_an_extended_context_holds_what_the_earlier_one_held(self) -> None:
        story = Story()
        story.call("call:1", context={"id": "ctx:1", "adds": [{"ref": "doc:A"}]})
        cited = {"report:1": ["doc:A", "doc:C"]}
        later = {"id": "ctx:2", "extends": "ctx:1", "adds": [{"ref": "doc:B"}]}
        story.call("call:2", context=later, says=["report:1"], cites=cited)
        graph = ask(story)
        assert (refs(graph.cited_not_sent), refs(graph.sent_not_cited)) == (["doc:C"], ["doc:B"])

    def test_what_was_omitted_from_an_earlier_context_was_not_sent_and_the_rest_was(self) -> None:
        story = Story()
        story.call("call:1", context={"id": "ctx:1", "adds": [{"ref": "doc:A"}, {"ref": "doc:B"}]})
        later = {"id": "ctx:2", "extends": "ctx:1", "omits": ["doc:B"]}
        story.call("call:2", context=later, says=["report:1"], cites={"report:1": ["doc:A", "doc:B"]})
        graph = ask(story)
        assert (refs(graph.cited_not_sent), graph.supported) == (["doc:B"], 1)

    def test_a_context_that_extends_one_nobody_recorded_leaves_claims_unclear(self) -> None:
        story = Story()
        later = {"id": "ctx:2", "extends": "ctx:1", "adds": [{"ref": "doc:B"}]}
        story.call("call:2", context=later, says=["report:1"], cites={"report:1": ["doc:A"]})
        graph = ask(story)
        assert refs(graph.unclear) == ["doc:A"]
        assert graph.unclear[0].why == "what ctx:1 holds was never recorded"


class TestWhatIsAskedAbout:
    @pytest.fixture
    def story(self) -> Story:
        story = cites("doc:A")
        story.proposes("act:1", call="call:1")
        story.tries("att:1", action="act:1", writes=["file:/r@version:1"])
        story.run("run:2", agent="other")
        story.call(
            "call:2", sees=["doc:X"], says=["report:2"], cites={"report:2": ["doc:Y"]}, ended=instant(90)
        )
        return story

    @pytest.mark.parametrize(
        ("given", "found"),
        [
            ({}, ["doc:A", "doc:Y"]),
            ({"target": "file:/r"}, ["doc:A"]),
            ({"target": "run:2"}, ["doc:Y"]),
            ({"target": "call:2"}, ["doc:Y"]),
            ({"agent": "writer"}, ["doc:A"]),
            ({"since": instant(60)}, ["doc:Y"]),
            ({"source": "harness", "until": instant(60)}, ["doc:A"]),
            ({"target": "doc:A"}, []),
            ({"target": "file:/r", "run": "run:1"}, ["doc:A"]),
            ({"target": "file:/r", "run": "run:2"}, []),
            ({"target": ["file:/r", "call:2"], "agent": "other"}, ["doc:Y"]),
        ],
    )
    def test_reports_runs_agents_and_times(
        self, story: Story, given: dict[str, Any], found: list[str]
    ) -> None:
        assert refs(ask(story, **given).cited_not_sent) == found

    def test_pages_go_through_the_log(self, story: Story) -> None:
        first = ask(story, max_nodes=1)
        assert (refs(first.cited_not_sent), first.truncated) == (["doc:A"], True)
        assert refs(ask(story, max_nodes=1, cursor=first.cursor).cited_not_sent) == ["doc:Y"]

    def test_the_words_name_what_is_missing(self, story: Story) -> None:
        told = said(story, run="run:1")
        assert told[0] == "report:1 cites doc:A, which call:1 was never sent."
        assert "Sent but not cited: doc:B." in told
        nothing = said(story, target="doc:A")
        assert nothing[0].startswith("No model call of what was asked about is recorded")
