"""survivors-of: what is still there of what came from a retracted skill or input."""

from __future__ import annotations

from typing import Any

import pytest

from queries import forward, shelf
from queries.questions.survivors_of import Still, Survivor
from tests.story import Story

QUESTION = shelf.question("survivors-of")
SKILL, OTHER, PACK = (
    f"skill:{name}@sha256:{digit * 64}" for name, digit in (("s", "1"), ("s", "2"), ("pack", "3"))
)


def ask(story: Story, *targets: str, **more: Any) -> Still:
    asked = QUESTION.read({"target": list(targets), **more})
    still: Still = QUESTION.answer(story.graph(), asked).graph
    return still


def told(story: Story, *targets: str) -> str:
    answer = QUESTION.answer(story.graph(), QUESTION.read({"target": list(targets)}))
    return "\n".join(QUESTION.sentences(answer))


def by_ref(still: Still) -> dict[str, Survivor]:
    return {each.ref: each for each in still.survivors}


def wrote(story: Story, number: int, ref: str, mode: str = "create", **more: Any) -> None:
    """A call proposes an action, and an attempt writes."""
    story.proposes(f"act:{number}", call=more.pop("call", "call:1"))
    write = {"ref": ref, "mode": mode, **more}
    story.tries(f"att:{number}", action=f"act:{number}", writes=[write])


class TestARetractedSkill:
    """In tiers: in the context of a call, loaded in its run, or possibly meant by a bare name."""

    @pytest.fixture
    def story(self) -> Story:
        story = Story()
        story.version(SKILL, "skill")
        story.version(PACK, "skill", members=[{"ref": SKILL}])
        story.run("run:1", environment={"ref": "environment:1", "members": [{"ref": SKILL}]})
        story.call("call:1", says=["text:1"], instructions=[{"ref": PACK}])
        wrote(story, 1, "file:/told@version:1")
        story.call("call:2", says=["text:2"])
        wrote(story, 2, "file:/loaded@version:1", call="call:2")
        story.run("run:2")
        story.call("call:3", says=["text:3"], instructions=[{"ref": "skill:s"}])
        wrote(story, 3, "file:/named@version:1", call="call:3")
        story.version(OTHER, "skill")
        story.call("call:4", says=["text:4"], instructions=[{"ref": "skill:s"}])
        wrote(story, 4, "file:/later@version:1", call="call:4")
        return story

    def test_each_survivor_stands_in_its_best_tier_through_dependents_too(self, story: Story) -> None:
        still = ask(story, SKILL)
        assert still.in_context == ("file:/told@version:1",)
        assert still.loaded == ("file:/loaded@version:1",)
        assert still.possibly == ("file:/named@version:1",)
        assert "file:/later@version:1" not in by_ref(still)

    def test_messages_and_results_are_counted_and_are_no_survivors(self, story: Story) -> None:
        still = ask(story, SKILL)
        assert still.other == 3
        assert not {"text:1", "text:2", "text:3"} & set(by_ref(still))

    def test_each_names_how_it_is_known(self, story: Story) -> None:
        survivor = by_ref(ask(story, SKILL))["file:/named@version:1"]
        assert (survivor.evidence, survivor.exists, survivor.nearest) == ("inferred", "declared", SKILL)
        assert survivor.path == ("skill:s", "call:3", "act:3", "att:3", "file:/named@version:1")

    def test_impact_of_tells_the_same_survivors(self, story: Story) -> None:
        impact = shelf.question("impact-of")
        reached = impact.answer(story.graph(), impact.read({"target": SKILL})).graph
        assert reached.survivors == tuple(by_ref(ask(story, SKILL)))

    def test_the_words_go_by_tier(self, story: Story) -> None:
        words = told(story, SKILL)
        assert f"3 things that came from {SKILL} are still there." in words
        assert "It was an instruction of the calls behind file:/told@version:1." in words
        assert "so possibly file:/named@version:1." in words
        assert "That it was written was never verified" in words


class TestARetractedInput:
    def story(self) -> Story:
        story = Story()
        story.call("call:1", sees=["doc:B"], says=["text"])
        wrote(story, 1, "file:/r@version:1")
        return story

    def test_what_data_leads_to_is_told_apart_from_tiers(self) -> None:
        still = ask(self.story(), "doc:B")
        assert still.by_data == ("file:/r@version:1",)
        assert still.in_context == still.loaded == still.possibly == ()

    def test_a_replaced_version_is_counted_apart_and_an_edited_one_lives_on(self) -> None:
        replaced = self.story()
        replaced.tries(
            "att:9", writes=[{"ref": "file:/r@version:2", "before": "file:/r@version:1", "mode": "replace"}]
        )
        still = ask(replaced, "doc:B")
        assert (still.survivors, still.superseded) == ((), ("file:/r@version:1",))
        assert "Nothing that was written and came from doc:B is still there." in told(replaced, "doc:B")
        edited = self.story()
        edited.tries(
            "att:9", writes=[{"ref": "file:/r@version:2", "before": "file:/r@version:1", "mode": "edit"}]
        )
        still = ask(edited, "doc:B")
        assert (tuple(by_ref(still)), still.superseded) == (("file:/r@version:2",), ("file:/r@version:1",))

    def test_what_was_deleted_is_gone(self) -> None:
        story = self.story()
        story.tries("att:9", writes=[{"ref": "file:/r@version:1", "mode": "delete"}])
        still = ask(story, "doc:B")
        assert (still.survivors, still.deleted) == ((), ("file:/r@version:1",))

    @pytest.mark.parametrize(("source", "sure"), [("harness", True), ("other", False)])
    def test_what_was_made_again_after_it_was_deleted_is_still_there(self, source: str, sure: bool) -> None:
        story = self.story()
        story.tries("att:9", writes=[{"ref": "file:/r@version:1", "mode": "delete"}])
        story.tries("att:10", ["file:/r@version:1"], source=source)
        still = ask(story, "doc:B")
        assert (set(by_ref(still)), still.deleted) == ({"file:/r@version:1"}, ())
        assert (not any("is still there" in one.what for one in still.unchecked)) == sure

    def test_what_was_written_later_under_a_lower_number_may_be_the_newest(self) -> None:
        story = Story()
        story.tries("att:1", reads=["doc:B"], writes=["file:/r@version:10"])
        story.tries("att:2", reads=["doc:B"], writes=["file:/r@version:2"])
        still = ask(story, "doc:B")
        assert set(by_ref(still)) == {"file:/r@version:2", "file:/r@version:10"}
        whether = "whether file:/r@version:10 is the newest of its thing"
        assert whether in [one.what for one in still.unchecked]
        asked = shelf.question("who-authorized")
        answer = asked.answer(story.graph(), asked.read({"target": "file:/r"}))
        assert f"Not checked: {whether}" in "\n".join(asked.sentences(answer))

    def test_what_no_tool_says_that_it_took_may_be_there(self) -> None:
        story = Story()
        story.tries("att:1", reads=["doc:B"], writes=["file:/r@version:1"], outcome="failed")
        words = told(story, "doc:B")
        assert "1 thing that came from doc:B may be still there." in words
        assert "It was tried, and no tool says that it was written: file:/r@version:1." in words
        asked = shelf.question("who-authorized")
        answer = asked.answer(story.graph(), asked.read({"target": "file:/r"}))
        assert "file:/r@version:1 may have been written by" in "\n".join(asked.sentences(answer))

    def test_what_was_sent_can_not_be_taken_back(self) -> None:
        story = self.story()
        wrote(story, 2, "mail:m@version:1", mode="send")
        wrote(story, 3, "mail:m@version:2", mode="send", before="mail:m@version:1")
        still = ask(story, "doc:B")
        assert still.sent == ("mail:m@version:1", "mail:m@version:2")
        assert "no new version takes it back: mail:m@version:1, mail:m@version:2." in told(story, "doc:B")

    def test_a_refuted_write_never_was(self) -> None:
        story = self.story()
        story.checks("check:1", "att:1", "confirmed_failed")
        still = ask(story, "doc:B")
        assert (still.survivors, still.refuted) == ((), ("file:/r@version:1",))
        assert "Never written, as was read back: file:/r@version:1." in told(story, "doc:B")

    def test_a_verified_write_is_known_to_exist(self) -> None:
        story = self.story()
        story.checks("check:1", "att:1")
        assert by_ref(ask(story, "doc:B"))["file:/r@version:1"].exists == "verified"

    def test_of_several_targets_the_nearest_is_named(self) -> None:
        story = self.story()
        story.call("call:0", sees=["doc:A"], says=["doc:B"])
        still = ask(story, "doc:A", "doc:B")
        assert by_ref(still)["file:/r@version:1"].nearest == "doc:B"

    def test_nothing_written_says_what_came_instead(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:B"], says=["text"])
        assert "Nothing that was written came from doc:B; 1 message or result came from it." in told(
            story, "doc:B"
        )


def test_a_write_that_was_read_back_as_failed_is_none_whatever_led_to_what_it_wrote() -> None:
    """The document was derived from the source; the attempt to write it did not come of that."""
    story = Story()
    story.tries("at:1", writes=["doc:w@version:1"])
    story.checks("check:1", "at:1", "confirmed_failed")
    story.derives("doc:w@version:1", "doc:source")
    still = ask(story, "doc:source")
    assert (by_ref(still), still.refuted) == ({}, ("doc:w@version:1",))


def test_of_very_many_things_each_is_held_against_its_newest_version() -> None:
    story = Story()
    for number in range(600):
        target = f"file:/{number:03}@version"
        story.tries(f"att:{number}", reads=["doc:in"], writes=[{"ref": f"{target}:1", "mode": "create"}])
    for number in (1, 599):
        target = f"file:/{number:03}@version"
        story.tries(
            f"late:{number}", writes=[{"ref": f"{target}:2", "mode": "edit", "before": f"{target}:1"}]
        )
    still = ask(story, "doc:in")
    assert still.superseded == ("file:/001@version:1", "file:/599@version:1")
    assert (len(still.survivors), still.unchecked) == (600, ())


def test_of_a_source_that_states_very_much_only_the_first_is_followed_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forward, "ALONE", 3)
    story = Story()
    for number in range(9):
        story.derives(f"note:{number}", "doc:in")
    words = told(story, "source:harness")
    assert "was found among the first 3 relations" in words
    assert "is recorded" not in words
    impact = shelf.question("impact-of")
    answer = impact.answer(story.graph(), impact.read({"target": "source:harness"}))
    said = " ".join(impact.sentences(answer))
    assert "At least 3 things came from source:harness." in said
    assert "On this source alone rest at least 3 relations." in said
