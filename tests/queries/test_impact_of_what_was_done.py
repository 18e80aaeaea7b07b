"""What came of a call, an attempt, a run or an agent: what it made, and what came of that."""

from __future__ import annotations

from typing import Any

import pytest

from queries import shelf
from tests.story import Story


def ask(story: Story, question: str, target: str, **more: Any) -> Any:
    asked = shelf.question(question)
    return asked.answer(story.graph(), asked.read({"target": target, **more})).graph


def said(story: Story, target: str) -> str:
    asked = shelf.question("impact-of")
    return "\n".join(asked.sentences(asked.answer(story.graph(), asked.read({"target": target}))))


@pytest.fixture
def story() -> Story:
    """A run plans in one call and writes in an attempt; another run reads what was written."""
    story = Story()
    story.run("run:plan", agent="agent:planner")
    story.call("call:plan", sees=["brief:1"], says=["plan:1"])
    story.proposes("act:1", call="call:plan")
    story.tries("att:write", action="act:1", reads=["plan:1"], writes=["file:/plan@version:1"])
    story.ends(outputs=["summary:1"])
    story.run("run:other", agent="agent:other")
    story.call("call:other", sees=["file:/plan@version:1"], says=["reply:1"])
    return story


@pytest.mark.parametrize(
    ("target", "made"),
    [
        ("call:plan", {"plan:1", "file:/plan@version:1", "reply:1"}),
        ("att:write", {"file:/plan@version:1", "reply:1"}),
        ("run:plan", {"plan:1", "summary:1", "file:/plan@version:1", "reply:1"}),
        ("agent:planner", {"plan:1", "summary:1", "file:/plan@version:1", "reply:1"}),
        ("agent:other", {"reply:1"}),
    ],
)
def test_what_it_made_is_affected_and_what_came_of_that(story: Story, target: str, made: set[str]) -> None:
    impact = ask(story, "impact-of", target)
    assert {each.ref for each in impact.affected} == made
    assert all("carried" in each.links for each in impact.affected)
    still = {each.ref for each in ask(story, "survivors-of", target).survivors}
    assert still == made & {"file:/plan@version:1"}


def test_a_path_leads_from_the_agent_over_its_run(story: Story) -> None:
    [entry] = [each for each in ask(story, "impact-of", "agent:planner").affected if each.ref == "plan:1"]
    assert entry.path == ("agent:planner", "run:plan", "call:plan", "plan:1")


def test_the_pages_of_a_run_together_hold_all_of_it(story: Story) -> None:
    whole = {each.ref for each in ask(story, "impact-of", "run:plan").nodes}
    found: list[str] = []
    cursor = ""
    while not found or cursor:
        page = ask(story, "impact-of", "run:plan", max_nodes=2, cursor=cursor)
        found += [node.ref for node in page.nodes]
        cursor = page.cursor
    assert sorted(found) == sorted(whole)


def test_what_a_sub_run_gave_is_not_the_runs_own_and_it_is_said_that_there_is_one(story: Story) -> None:
    story.run("run:helper", agent="agent:helper", parent_run="run:plan")
    story.call("call:helper", says=["draft:1"])
    impact = ask(story, "impact-of", "run:plan")
    assert "draft:1" not in {each.ref for each in impact.affected}
    [unchecked] = [one for one in impact.unchecked if "sub-run" in one.what]
    assert "run:helper" in unchecked.what
    assert not impact.complete
    story.current = "run:plan"
    story.adopts("dec:1", "draft:1", accepted="plan:2")
    assert "plan:2" in {each.ref for each in ask(story, "impact-of", "run:plan").affected}


def test_of_a_run_that_did_nothing_it_is_not_said_that_nothing_used_it() -> None:
    story = Story()
    story.run("run:idle")
    assert "is recorded, nor anything that was made there." in said(story, "run:idle")


def test_an_attempt_that_only_found_something_made_nothing() -> None:
    story = Story()
    story.run("run:1")
    story.tries("att:find", tool="search", results=["price@version:3"])
    impact = ask(story, "impact-of", "att:find")
    assert (impact.affected, impact.returned) == ((), ("price@version:3",))


@pytest.mark.parametrize("question", ["inputs-of", "expired-inputs"])
@pytest.mark.parametrize("target", ["run:plan", "agent:planner"])
def test_what_went_into_the_steps_of_a_run_or_an_agent_is_not_denied(
    story: Story, question: str, target: str
) -> None:
    asked = shelf.question(question)
    answer = asked.answer(story.graph(), asked.read({"target": target}))
    words = "\n".join(asked.sentences(answer))
    assert f"No input of {target} as a whole is recorded" in words
    assert f"Not checked: what went into the steps of {target}" in words
    assert not answer.graph.complete


@pytest.fixture
def derived() -> Story:
    """A run derives one thing from another and a third from that; a version is reported in it, by no step."""
    story = Story()
    story.run("run:1", agent="agent:a")
    story.derives("extract:1", "file:/in@version:1")
    story.derives("table:1", "extract:1")
    story.version("report:r@version:1", "report")
    return story


@pytest.mark.parametrize("target", ["run:1", "agent:a"])
def test_what_was_derived_in_a_run_came_of_it_although_no_step_is_told(derived: Story, target: str) -> None:
    impact = ask(derived, "impact-of", target)
    assert [each.ref for each in impact.affected] == ["extract:1", "table:1"]
    assert set(impact.links["carried"]) == {"extract:1", "table:1"}
    assert {each.evidence for each in impact.affected} == {"observed"}


@pytest.mark.parametrize("target", ["run:1", "agent:a"])
def test_of_what_was_only_reported_in_a_run_it_is_not_denied_that_it_was_made_there(
    derived: Story, target: str
) -> None:
    unchecked = "Not checked: whether what was reported there was made there (report:r@version:1)"
    assert unchecked in said(derived, target)
    assert said(derived, target).startswith(f"At least 2 things came from {target}.")
    derived.version("report:r@version:1", "report", made_by="attempt:1")
    derived.tries("attempt:1")
    assert ask(derived, "impact-of", target).unchecked == ()


def test_what_a_run_derived_from_is_not_denied_to_have_gone_into_its_steps(derived: Story) -> None:
    assert any("the steps of run:1" in one.what for one in ask(derived, "inputs-of", "run:1").unchecked)
