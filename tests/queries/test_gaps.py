"""Every kind of gap has a case, and so has what could not be checked."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from queries import shelf
from queries.answer import Graphed, Mark, Node
from queries.gaps import KINDS
from queries.graph import Gap, Graph
from queries.lineage import LINEAGE
from queries.telling import missing_told, targets_told
from tests.story import Story, instant


def ask(graph: Graph, target: str, **more: Any) -> Graphed:
    return LINEAGE.answer(graph, LINEAGE.read({"target": target, **more})).graph


def gaps(graph: Graph, target: str, **more: Any) -> dict[str, tuple[int, str]]:
    return {gap.kind: (gap.count, gap.example) for gap in ask(graph, target, **more).gaps}


def marks(graph: Graph, target: str, of: str) -> list[Mark]:
    nodes = [node for node in ask(graph, target).nodes if isinstance(node, Node)]
    return [mark for node in nodes if node.ref == of for mark in node.marks]


def test_nothing_missing_is_complete() -> None:
    story = Story()
    story.run("run:1")
    story.version("doc:1")
    story.call("c:1", sees=["doc:1"], says=["msg:1"])
    story.ends()
    story.reports(state="closed", last_number=4)
    answer = ask(story.graph(), "msg:1")
    assert answer.gaps == ()
    assert answer.complete
    assert missing_told(answer) == ["Nothing is known to be missing."]


class TestNeverRecorded:
    def test_what_is_only_named(self) -> None:
        story = Story()
        story.tries("att:1", decision="dec:lost", action="act:lost", writes=["file:/r@version:1"])
        found = gaps(story.graph(), "file:/r@version:1")
        assert found["never_recorded"] == (1, "act:lost")
        assert [m.kind for m in marks(story.graph(), "file:/r@version:1", "act:lost")] == ["placeholder"]

    def test_a_text_with_content_or_an_origin_was_recorded(self) -> None:
        story = Story()
        story.call("c:0", says=["msg:0"])
        story.call("c:1", sees=["msg:0", {"ref": "msg:user", "body": {"text": "hello"}}], says=["msg:1"])
        assert "never_recorded" not in gaps(story.graph(), "msg:1")
        assert "never_recorded" not in gaps(story.graph(), "msg:0", direction="forward")
        assert "never_recorded" not in gaps(story.graph(), "msg:1", evidence=["verified"])

    def test_numbers_of_a_source_whose_events_belong_to_no_run(self) -> None:
        story = Story()
        story.version("doc:x@version:1", source="norun", source_number=1)
        story.derives("doc:y@version:1", "doc:x@version:1", source="norun", source_number=5)
        for name, target in (("why", "doc:y"), ("impact", "doc:x")):
            answer = ask(story.graph(), target, policy=name)
            assert {gap.kind: (gap.count, gap.example) for gap in answer.gaps}["never_recorded"] == (
                3, "norun#2"
            )  # fmt: skip
            assert not answer.complete

    @pytest.mark.parametrize("name", ["unverified-writes", "unsupported-claims"])
    def test_numbers_of_a_source_in_whose_events_it_was_looked_and_nothing_found(self, name: str) -> None:
        story = Story()
        story.run("run:1")
        story.loses(3)
        story.ends()
        question = shelf.question(name)
        for given in ({}, {"run": "run:1"}, {"source": "harness"}):
            answer = question.answer(story.graph(), question.read(given))
            assert [(gap.kind, gap.count) for gap in answer.graph.gaps] == [("never_recorded", 3)]
            assert not answer.graph.complete

    def test_numbers_of_a_source_that_never_came(self) -> None:
        story = Story()
        story.run("run:1")
        story.loses(2)
        story.call("c:1", says=["msg:1"])
        assert gaps(story.graph(), "msg:1")["never_recorded"] == (2, "harness#2")

    def test_what_a_source_says_it_dropped(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("c:1", says=["msg:1"])
        story.reports(state="alive", dropped=3)
        assert gaps(story.graph(), "msg:1")["never_recorded"] == (3, "harness dropped 3")


@pytest.mark.parametrize("state", ["never_captured", "partial"])
def test_content_that_was_not_captured_or_in_part(state: str) -> None:
    story = Story()
    story.call("c:1", sees=[{"ref": "doc:1", "state": state}], says=["msg:1"])
    assert gaps(story.graph(), "msg:1")[state] == (1, "doc:1")


def test_a_deleted_body_and_one_that_is_to_be_deleted() -> None:
    story = Story()
    story.call("c:1", sees=[{"ref": "doc:1", "body": {"id": "body:1", "text": "x"}}], says=["msg:1"])
    story.deletes("body:1", done=None, requested=instant(5))
    assert "deleted" not in gaps(story.graph(), "msg:1")
    assert [m.kind for m in marks(story.graph(), "msg:1", "doc:1")] == ["deletion_requested"]
    story.deletes("body:1", done=instant(9))
    assert gaps(story.graph(), "msg:1")["deleted"] == (1, "doc:1")


def test_a_thing_that_changes_named_without_its_version() -> None:
    story = Story()
    sees = ["file:/a", "file:/b@observed:2026", "file:/c@etag:1", "msg:x"]
    story.call("c:1", sees=sees, says=["msg:1"])
    assert gaps(story.graph(), "msg:1")["unpinned"] == (2, "file:/a")


class TestNotVerified:
    def test_a_write_that_only_the_tool_tells_of(self) -> None:
        story = Story()
        story.tries("att:1", writes=["file:/r@version:1"])
        assert gaps(story.graph(), "file:/r@version:1")["not_verified"] == (1, "file:/r@version:1")

    @pytest.mark.parametrize("verdict", ["confirmed", "confirmed_failed"])
    def test_one_that_was_checked_either_way_is_none(self, verdict: str) -> None:
        story = Story()
        story.tries("att:1", writes=["file:/r@version:1"])
        story.checks("ver:1", "att:1", verdict=verdict)
        assert "not_verified" not in gaps(story.graph(), "file:/r@version:1")

    def test_a_check_that_could_not_tell_leaves_it(self) -> None:
        story = Story()
        story.tries("att:1", writes=["file:/r@version:1"])
        story.checks("ver:1", "att:1", verdict="unconfirmed")
        assert "not_verified" in gaps(story.graph(), "file:/r@version:1")
        verdicts = [(m.kind, m.verdict) for m in marks(story.graph(), "file:/r@version:1", "att:1")]
        assert verdicts == [("verified", "unconfirmed")]


class TestOfTheRun:
    def test_results_that_nothing_used_and_actions_without_an_attempt(self) -> None:
        """A retriever returned three documents that the model was never shown."""
        story = Story()
        story.run("run:1")
        members = [{"ref": f"doc:{number}"} for number in range(3)]
        story.tries("att:1", results=[{"ref": "res:1", "members": members}])
        story.call("c:1", sees=["msg:user"], says=["msg:1"])
        story.proposes("act:1", call="c:1")
        found = gaps(story.graph(), "msg:1")
        assert found["not_joined"] == (3, "doc:0")
        assert found["execution_not_recorded"] == (1, "act:1")

    def test_a_run_without_an_end_is_open_and_incomplete_when_its_source_closed(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("c:1", says=["msg:1"])
        assert gaps(story.graph(), "msg:1")["open_run"] == (1, "run:1")
        story.reports(state="closed", last_number=2)
        found = gaps(story.graph(), "msg:1")
        assert (found["open_run"], found["incomplete_run"]) == ((1, "run:1"), (1, "run:1"))
        story.ends()
        assert "open_run" not in gaps(story.graph(), "msg:1")

    def test_a_source_that_numbers_nothing(self) -> None:
        story = Story(numbered=False)
        story.run("run:1")
        story.call("c:1", says=["msg:1"])
        assert gaps(story.graph(), "msg:1")["coverage_unknown"] == (1, "harness")


class TestUnchecked:
    def test_arguments_that_came_as_tags_of_another_algorithm(self) -> None:
        story = Story()
        story.proposes("act:1", arguments=None, call="c:1")
        tags = {"alg": "hmac-sha512", "whole": "ab", "by_pointer": {"/x": "cd"}}
        story.tell("action_proposed", action="act:2", tool="t", arguments=tags)
        story.tries("att:1", action="act:2", writes=["file:/r@version:1"])
        answer = ask(story.graph(), "file:/r@version:1")
        (item,) = answer.unchecked
        assert item.what == "where the arguments of act:2 came from"
        assert "hmac-sha512" in item.why
        assert not answer.complete

    def test_content_too_large_to_look_into(self) -> None:
        story = Story()
        words = " ".join(f"A-{number}-{number * 7}" for number in range(3000))
        story.call("c:1", sees=[{"ref": "doc:1", "body": {"text": words}}], says=["msg:1"])
        (item,) = ask(story.graph(), "msg:1").unchecked
        assert item.what == "which values doc:1 holds"
        assert item.why

    def test_more_runs_than_are_looked_at(self) -> None:
        story = Story()
        for number in range(102):
            story.run(f"run:{number:03}")
            story.call(f"c:{number}", sees=["doc:1"], says=[f"msg:{number}"])
        (item,) = ask(story.graph(), "doc:1", direction="forward").unchecked
        assert (item.what, item.why) == (
            "2 more runs of these activities",
            "only the first 100 runs are looked at",
        )


def test_a_conflict_of_the_target_is_marked_on_both_variants() -> None:
    story = Story()
    story.version("doc:1", label="one", id="same")
    story.version("doc:1", label="two", id="same")
    assert [(m.kind, m.event) for m in marks(story.graph(), "doc:1", "doc:1")] == [
        ("conflict", 1),
        ("conflict", 2),
    ]


class TestNotices:
    def test_a_retraction_that_was_taken_back_reads_withdrawn(self) -> None:
        story = Story()
        story.version("doc:1")
        story.retracts("doc:1", id="ret:1", reason="typo")
        story.retracts("doc:1", id="ret:2", withdraws="ret:1")
        found = marks(story.graph(), "doc:1", "doc:1")
        assert [(m.kind, m.by) for m in found] == [("withdrawn", "person:ann")]

    @pytest.mark.parametrize(("back", "kind"), [(1, "withdrawn"), (2, "retracted"), (3, "withdrawn")])
    def test_whoever_takes_back_a_taking_back_retracts_again(self, back: int, kind: str) -> None:
        story = Story()
        story.version("doc:1")
        story.retracts("doc:1", id="ret:0", reason="typo")
        for number in range(back):
            story.retracts("doc:1", id=f"ret:{number + 1}", withdraws=f"ret:{number}")
        assert [mark.kind for mark in marks(story.graph(), "doc:1", "doc:1")] == [kind]

    def test_of_retractions_that_take_each_other_back_none_stands(self) -> None:
        story = Story()
        story.version("doc:1")
        story.retracts("doc:1", id="ret:1")
        story.retracts("doc:1", id="ret:2", withdraws="ret:3")
        story.retracts("doc:1", id="ret:3", withdraws="ret:2")
        story.retracts("doc:1", id="ret:4", withdraws="ret:1")
        story.retracts("doc:1", id="ret:5", withdraws="ret:5")
        assert [mark.kind for mark in marks(story.graph(), "doc:1", "doc:1")] == ["withdrawn"]

    def test_a_cancelled_run_and_a_revoked_grant_are_marked(self) -> None:
        story = Story()
        story.run("run:1")
        story.decides("dec:1", object="x")
        story.decides("dec:2", "revoked", replaces="dec:1")
        story.cancels(decisions=["dec:1"])
        kinds = {m.kind for m in marks(story.graph(), "dec:1", "dec:1")}
        assert kinds == {"replaced", "withdrawn"}
        assert [m.kind for m in marks(story.graph(), "run:1", "run:1")] == ["cancelled"]

    def test_an_adoption_decision_is_marked_on_the_draft(self) -> None:
        story = Story()
        story.call("c:1", says=["draft"])
        story.adopts("adopt:1", "draft", verdict="superseded")
        assert [(m.kind, m.verdict) for m in marks(story.graph(), "draft", "draft")] == [
            ("adoption", "superseded")
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_gap_has_words(kind: str) -> None:
    story = Story()
    story.version("doc:1")
    graphed = msgspec.structs.replace(ask(story.graph(), "doc:1"), gaps=(Gap(kind, 2, "example"),))
    [told, *_] = [*targets_told(graphed), *missing_told(graphed)]
    assert "(such as example)." in told
