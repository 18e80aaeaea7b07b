"""Which writes nobody verified: of runs, sources, agents and times, and what of that is known."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.errors import BadQuestion, NotFound
from queries.questions.unverified_writes import UnverifiedWrites, UnverifiedWritesQuestion
from tests.story import Story, instant

QUESTION = UnverifiedWritesQuestion()


def ask(story: Story, **given: Any) -> UnverifiedWrites:
    return QUESTION.answer(story.graph(), QUESTION.read(given)).graph


def said(story: Story, **given: Any) -> list[str]:
    return QUESTION.sentences(QUESTION.answer(story.graph(), QUESTION.read(given)))


def why(graph: UnverifiedWrites) -> dict[str, str]:
    return {write.write or write.attempt: write.why for write in graph.writes}


def gap(graph: UnverifiedWrites, kind: str) -> tuple[int, str] | None:
    return next(((gap.count, gap.example) for gap in graph.gaps if gap.kind == kind), None)


@pytest.fixture
def story() -> Story:
    """Two runs of two agents that write, and a verifier that reads some of it back."""
    story = Story()
    story.run("run:1", agent="clerk")
    story.tries("att:1", writes=["file:/a@version:1"])
    story.tries("att:2", writes=["file:/b@version:1"])
    story.tries("att:3", writes=["file:/c@version:1"])
    story.tries("att:4", writes=["file:/d@version:1"])
    story.checks("ver:2", "att:2")
    story.checks("ver:3", "file:/c@version:1", "confirmed_failed")
    story.checks("ver:4", "att:4", "unconfirmed")
    story.run("run:2", agent="other")
    story.tries("att:5", writes=["file:/e@version:1"], source="gateway", ended=instant(100))
    return story


class TestWhatNobodyVerified:
    def test_what_was_confirmed_and_what_was_confirmed_to_have_failed_is_left_out(self, story: Story) -> None:
        graph = ask(story, run="run:1")
        assert why(graph) == {"file:/a@version:1": "nobody_looked", "file:/d@version:1": "looked_in_vain"}
        assert (graph.verified, graph.confirmed_failed) == (1, 1)
        assert gap(graph, "not_verified") == (2, "file:/a@version:1")
        assert graph.writes[1].checks == ("ver:4",)

    def test_without_anything_named_it_is_about_all(self, story: Story) -> None:
        graph = ask(story)
        assert list(why(graph)) == ["file:/a@version:1", "file:/d@version:1", "file:/e@version:1"]
        assert graph.by_run == {"run:1": 2, "run:2": 1}

    @pytest.mark.parametrize(
        ("given", "found"),
        [
            ({"source": "gateway"}, ["file:/e@version:1"]),
            ({"agent": "other"}, ["file:/e@version:1"]),
            ({"agent": "agent:clerk", "source": "gateway"}, []),
            ({"since": instant(50)}, ["file:/e@version:1"]),
            ({"until": instant(3)}, ["file:/a@version:1"]),
            ({"target": "run:2"}, ["file:/e@version:1"]),
            ({"target": "source:gateway"}, ["file:/e@version:1"]),
            ({"target": "agent:clerk"}, ["file:/a@version:1", "file:/d@version:1"]),
            ({"target": "att:4"}, ["file:/d@version:1"]),
            ({"target": "file:/a"}, ["file:/a@version:1"]),
            ({"target": ["file:/b", "file:/e"]}, ["file:/e@version:1"]),
            ({"target": ["file:/a", "file:/e"], "run": "run:2"}, ["file:/e@version:1"]),
        ],
    )
    def test_it_is_asked_by_run_source_agent_time_and_thing(
        self, story: Story, given: dict[str, Any], found: list[str]
    ) -> None:
        assert list(why(ask(story, **given))) == found

    def test_an_attempt_of_unknown_outcome_may_have_written(self) -> None:
        story = Story()
        story.proposes("act:1", target="ledger:7")
        story.tries("att:1", action="act:1", outcome="unknown")
        story.tries("att:2", action="act:1", writes=["ledger:7@version:2"])
        story.checks("ver:1", "act:1", attempt="att:2")
        graph = ask(story)
        [write] = graph.writes
        assert (write.write, write.possible, write.attempt, write.thing) == (None, True, "att:1", "ledger:7")
        assert (write.why, write.effect) == ("operation_only", "unknown")

    def test_an_action_confirmed_does_not_verify_which_of_two_attempts_wrote(self) -> None:
        """Case 135: the first attempt timed out, the retry answered, and both may have landed."""
        story = Story()
        story.proposes("act:1", tool="issues")
        for attempt in ("att:1", "att:2"):
            story.tries(attempt, tool="issues", action="act:1", writes=["file:/8@sha256:aa"])
        story.checks("ver:1", "act:1")
        assert why(ask(story)) == {
            "file:/8@sha256:aa;by=att:1": "operation_only",
            "file:/8@sha256:aa;by=att:2": "operation_only",
        }

    def test_a_verdict_that_is_only_declared_verifies_nothing(self) -> None:
        story = Story()
        story.tries("att:1", writes=["file:/a@version:1"])
        story.checks("ver:1", "att:1", evidence="declared")
        assert why(ask(story)) == {"file:/a@version:1": "evidence_lowered"}

    def test_a_deletion_is_a_write(self) -> None:
        story = Story()
        story.tries("att:1", writes=[{"ref": "file:/a@version:1", "mode": "delete"}])
        [write] = ask(story).writes
        assert (write.write, write.mode) == ("file:/a@version:1", "delete")
        story.checks("ver:1", "att:1")
        assert ask(story).writes == ()

    def test_a_version_that_only_its_own_event_tells_of_is_a_write_and_a_models_answer_is_none(self) -> None:
        story = Story()
        story.tries("att:1", results=["result:1"])
        story.version("file:/a@version:1", made_by="att:1")
        story.version("result:1", made_by="att:1")
        story.call("call:1", says=["draft:1"])
        story.version("draft:1", made_by="call:1")
        assert list(why(ask(story))) == ["file:/a@version:1"]

    def test_two_reports_of_one_attempt_are_one_write(self) -> None:
        story = Story()
        story.tries("att:1", writes=["file:/a@version:1"])
        story.tries("att:1", writes=["file:/a@version:1"], source="gateway")
        assert [write.sources for write in ask(story).writes] == [("gateway", "harness")]
        assert len(ask(story, source="gateway").writes) == 1


class TestPages:
    def test_pages_show_each_write_once_and_say_that_there_is_more(self) -> None:
        story = Story()
        for number in range(5):
            story.tries(f"att:{number}", writes=[f"file:/{number}@version:1"])
        found, cursor, pages = [], "", 0
        while pages == 0 or cursor:
            graph = ask(story, max_nodes=2, cursor=cursor)
            found += list(why(graph))
            cursor, pages = graph.cursor, pages + 1
            assert graph.truncated == bool(cursor)
            assert ("writes later in the log" in [one.what for one in graph.unchecked]) == bool(cursor)
        assert (found, pages) == ([f"file:/{number}@version:1" for number in range(5)], 3)

    def test_as_of_then_what_was_verified_later_was_not(self, story: Story) -> None:
        early = ask(story, run="run:1", as_of=5)
        assert len(early.writes) == 4


class TestWords:
    def test_they_name_the_writes_and_why(self, story: Story) -> None:
        told = said(story, run="run:1")
        assert told[0] == "Of 3 writes, 2 were verified by nobody."
        assert "Nobody looked whether it took effect: file:/a@version:1 (by att:1)." in told
        assert "1 reported write was confirmed not to have taken place: it is not counted as written." in told
        assert "2 writes were verified by nobody (such as file:/a@version:1)." in told

    def test_an_attempt_that_may_have_written_is_counted_beside_the_writes(self) -> None:
        story = Story()
        story.run("run:1")
        story.tries("att:sure", writes=["file:/a@version:1"])
        story.tries("att:lost", outcome="unknown")
        told = said(story, run="run:1")
        assert told[0] == "Of 1 write, 1 was verified by nobody."
        assert told[1] == "1 attempt of unknown outcome reported no write and may have written all the same."

    def test_nothing_written_is_said(self) -> None:
        story = Story()
        story.run("run:1")
        assert said(story, run="run:1")[0] == "No write of what was asked about is recorded."

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"run": "run:9"}, NotFound),
            ({"source": "nobody"}, NotFound),
            ({"agent": "nobody"}, NotFound),
            ({"since": "yesterday"}, BadQuestion),
            ({"until": "2026-02-30T00:00:00Z"}, BadQuestion),
            ({"part": "/a", "run": "run:1"}, BadQuestion),
        ],
    )
    def test_what_can_not_be_meant_is_refused(
        self, story: Story, given: dict[str, Any], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            ask(story, **given)


def test_what_a_condition_was_taken_for_is_told() -> None:
    story = Story()
    story.run("run:fees", agent="clerk")
    story.tries("att:1", writes=["file:/a@version:1"])
    words = said(story, run=["fees"], agent=["clerk"])
    assert "For fees this answers what ends so, run:fees." in words
    graph = ask(story, run=["fees"], agent=["clerk"])
    assert [(one.asked, one.ref) for one in graph.targets] == [
        ("fees", "run:fees"),
        ("agent:clerk", "agent:clerk"),
    ]


@pytest.mark.parametrize("first", ["run:g", "run:h"])
def test_a_write_reported_in_two_runs_is_of_the_one_asked_about_whichever_came_first(first: str) -> None:
    story = Story()
    for run in sorted(("run:g", "run:h"), key=lambda run: run != first):
        story.run(run)
        story.tries("att:gh", ["file:/gh@version:1"])
    for asked in ("run:g", "run:h"):
        assert ask(story, run=[asked]).by_run == {asked: 1}
    assert ask(story).by_run == {"run:g": 1}
