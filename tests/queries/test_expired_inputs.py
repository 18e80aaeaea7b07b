"""expired-inputs: what can no longer be read, why, and what can still be proved."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest

from queries import shelf
from queries.answer import Answer
from queries.questions.expired_inputs import Expired, Held
from tests.story import Named, Story, instant

QUESTION = shelf.question("expired-inputs")
PINNED = "document:tariff@sha256:" + hashlib.sha256(b"a text").hexdigest()


def answered(story: Story, target: str, **more: Any) -> Answer[Expired]:
    return QUESTION.answer(story.graph(), QUESTION.read({"target": target, **more}))


def ask(story: Story, target: str = "report", **more: Any) -> Expired:
    return answered(story, target, **more).graph


def told(story: Story, target: str = "report") -> str:
    return "\n".join(QUESTION.sentences(answered(story, target)))


def held(story: Story, ref: str) -> Held:
    [one] = [each for each in ask(story).inputs if each.ref == ref]
    return one


def body(number: int, text: str = "a secret of some length") -> dict[str, Any]:
    return {"id": f"body:{number}", "text": text}


class TestEachWayNotToBeReadable:
    @pytest.fixture
    def story(self) -> Story:
        story = Story()
        inputs: list[Named] = [
            {"ref": "msg:kept", "body": body(1)},
            {"ref": "msg:deleted", "body": body(2)},
            {"ref": "msg:expired", "body": body(3)},
            {"ref": "msg:asked", "body": body(4)},
            {"ref": "msg:part", "body": body(5), "state": "partial"},
            {"ref": "msg:never", "state": "never_captured"},
            {"ref": "msg:named"},
        ]
        story.call("call:1", sees=inputs, says=["report"])
        story.deletes("body:2", actor="ann", reason_class="request", done=instant(60), places=["database"])
        story.deletes("body:3", actor="sweeper", policy="policy:r@version:1", reason_class="expired")
        story.deletes("body:4", done=None, requested=instant(70), reason_class="request")
        return story

    def test_they_are_told_apart(self, story: Story) -> None:
        answer = ask(story)
        assert (answer.deleted, answer.expired) == (("msg:deleted",), ("msg:expired",))
        assert answer.deletion_requested == ("msg:asked",)
        assert (answer.partial, answer.never_captured) == (("msg:part",), ("msg:never",))
        assert answer.not_recorded == ("msg:named",)
        assert answer.unreadable == 4

    def test_what_can_not_be_read_comes_first(self, story: Story) -> None:
        states = [each.state for each in ask(story).inputs]
        assert set(states[:4]) == {"deleted", "expired", "never_captured", "not_recorded"}
        assert held(story, "msg:kept").state == "present"

    def test_a_deletion_says_when_by_whom_under_which_policy_and_from_where(self, story: Story) -> None:
        [gone] = held(story, "msg:deleted").bodies
        assert gone.deletion is not None
        assert (gone.body, gone.deletion.by, gone.deletion.done) == ("body:2", "agent:ann", instant(60))
        assert (gone.deletion.reason_class, gone.deletion.places) == ("request", ("database",))
        assert held(story, "msg:expired").bodies[0].deletion.policy == "policy:r@version:1"  # type: ignore[union-attr]

    def test_the_words_name_each(self, story: Story) -> None:
        words = told(story)
        assert "Of 7 inputs of report the log has content of 3." in words
        assert f"msg:deleted was deleted on {instant(60)} by agent:ann (request)." in words
        assert "The deletion of msg:asked was asked for" in words
        assert "Captured in part only: msg:part." in words
        assert "Never captured, though it was there: msg:never." in words
        assert "Named, and no content of it was ever sent to Clew: msg:named." in words


class TestWhatIsStillProvable:
    def test_that_it_was_used_always_is(self) -> None:
        story = Story()
        story.call("call:1", sees=["msg:1"], says=["report"])
        assert held(story, "msg:1").proved == ("use",)

    def test_a_pin_by_digest_shows_that_a_copy_is_the_same(self) -> None:
        story = Story()
        story.version(PINNED, body={"id": "body:1", "text": "a text"})
        story.call("call:1", sees=[PINNED], says=["report"])
        story.deletes("body:1")
        assert held(story, PINNED).proved == ("use", "digest", "size")
        assert "by its SHA-256, that a copy is the same" in told(story)

    def test_tags_of_its_values_outlive_it(self) -> None:
        story = Story()
        result = {"ref": "result:1", "body": {"id": "body:1", "json": {"iban": "DE02120300000000202051"}}}
        story.run("run:1")
        story.tries("att:1", results=[result])
        story.call("call:1", sees=["result:1"], says=["report"])
        story.deletes("body:1")
        assert "values" in held(story, "result:1").proved


class TestThenAndNow:
    def story(self) -> Story:
        story = Story()
        story.call("call:1", sees=[{"ref": "msg:1", "body": body(1)}], says=["report"])
        story.deletes("body:1")
        return story

    def test_as_of_before_the_deletion_the_log_has_it_and_availability_does_not(self) -> None:
        answer = answered(self.story(), "report", as_of="1")
        assert answer.graph.inputs[0].state == "present"
        assert [(one.ref, one.state) for one in answer.availability.bodies] == [("msg:1", "deleted")]
        assert "Deleted since then, so that it can't be read now: msg:1." in "\n".join(
            QUESTION.sentences(answer)
        )

    def test_a_hold_is_of_now_and_is_told_with_its_reason(self) -> None:
        story = Story()
        story.call("call:1", sees=[{"ref": "msg:1", "body": body(1)}], says=["report"])
        answer = answered(story, "report")
        [now] = answer.availability.bodies
        kept = msgspec.structs.replace(now, expires=instant(9), hold="case 12 before the court")
        availability = msgspec.structs.replace(answer.availability, bodies=(kept,))
        words = "\n".join(QUESTION.sentences(msgspec.structs.replace(answer, availability=availability)))
        assert "Kept by a legal hold, whatever its time: msg:1 (case 12 before the court)." in words

    def test_what_was_deleted_in_the_middle_still_leads_on(self) -> None:
        """Case 144."""
        story = Story()
        story.call("m1", sees=["in"], says=[{"ref": "mid", "body": body(1)}])
        story.call("m2", sees=["mid"], says=["report"])
        story.deletes("body:1", actor="job:sweeper", reason_class="expired")
        answer = ask(story)
        assert {each.ref: each.state for each in answer.inputs} == {"mid": "expired", "in": "not_recorded"}


def test_a_second_copy_keeps_it_readable() -> None:
    story = Story()
    story.call("call:1", sees=[{"ref": "msg:1", "body": body(1)}], says=["report"])
    story.call("call:2", sees=[{"ref": "msg:1", "body": body(2, "another text")}])
    story.deletes("body:1")
    one = held(story, "msg:1")
    assert one.state == "present"
    assert [each.state for each in one.bodies] == ["deleted", "present"]


def test_no_input_at_all_is_said() -> None:
    story = Story()
    story.version("report")
    assert "No input of report is recorded" in told(story)
