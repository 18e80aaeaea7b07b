"""The story that ships: the three answers over it have the right values, and the demonstration tells them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app import demo, settings
from app.main import open_service
from app.service import Service
from queries.answer import Graphed
from queries.questions.impact_of import Impact
from queries.questions.inputs_of import Inputs
from queries.questions.who_authorized import Who

REPORT = "report:late-fees-february@version:1"
TEXT = "message:late-fees/report-text"
TASK, COMPLAINT = "message:late-fees/task", "message:late-fees/complaint"
LETTER, PHOTO = "message:late-fees/letter", "message:late-fees/photo"
FEES = "result:fees-of-february"
RULING = "document:court-ruling-88"
DRAFT = "draft:summary"
NEWSLETTER = "document:newsletter-2019@version:1"
POSTED = tuple(
    f"ledger:account-{number}" for number in ("4711@version:18", "4712@version:9", "4713@version:4")
)


def pinned(start: str) -> str:
    """The reference of the story that begins so."""
    [ref] = set(re.findall(rf'"({re.escape(start)}@[^"]+)"', demo.STORY.read_text()))
    return str(ref)


TARIFF, MEMO = pinned("document:tariff-2025"), pinned("document:memo-reminders")
FILE = pinned("file:/ledger/february.csv")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    opened = open_service(settings.read(str(tmp_path_factory.mktemp("story") / "story.db"), {}))
    demo.load(opened)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def answers(service: Service) -> dict[str, Any]:
    return demo.answers(service)


@pytest.fixture
def inputs(answers: dict[str, Any]) -> Inputs:
    graph: Inputs = answers["inputs_of"].graph
    return graph


@pytest.fixture
def who(answers: dict[str, Any]) -> Who:
    graph: Who = answers["who_authorized"].graph
    return graph


@pytest.fixture
def impact(answers: dict[str, Any]) -> Impact:
    graph: Impact = answers["impact_of"].graph
    return graph


def known(entries: Any) -> dict[str, str]:
    """How well each of some inputs is known."""
    return {entry.ref: entry.evidence for entry in entries}


def refs(graph: Graphed) -> set[str]:
    return {node if isinstance(node, str) else node.ref for node in graph.nodes}


def gaps(graph: Graphed) -> dict[str, tuple[int, str]]:
    return {gap.kind: (gap.count, gap.example) for gap in graph.gaps}


def marks(graph: Graphed, ref: str) -> set[str]:
    return {
        mark.kind
        for node in graph.nodes
        if not isinstance(node, str) and node.ref == ref
        for mark in node.marks
    }


# Which inputs the report had


def test_the_report_had_what_was_sent_to_the_model_and_what_the_model_cites(inputs: Inputs) -> None:
    assert known(inputs.links.sent) == dict.fromkeys(
        (TASK, COMPLAINT, LETTER, PHOTO, TARIFF, MEMO, FEES), "observed"
    )
    assert set(known(inputs.links.cited)) == {TARIFF, FEES, RULING}
    assert known(inputs.links.cited)[RULING] == "declared"
    assert set(known(inputs.links.transformed)) == {TEXT}


def test_the_search_is_known_by_what_it_returned_and_the_file_by_what_was_read(inputs: Inputs) -> None:
    assert set(known(inputs.links.read)) == {FILE}
    assert {"attempt:search-1", "attempt:read-1"} <= refs(inputs)
    assert gaps(inputs)["not_joined"] == (1, NEWSLETTER)


def test_cited_and_sent_are_told_apart(inputs: Inputs) -> None:
    assert [cited.ref for cited in inputs.cited_not_sent] == [RULING]
    assert set(inputs.sent_not_cited) == {TASK, COMPLAINT, LETTER, PHOTO, MEMO}


def test_a_draft_that_was_not_adopted_is_no_input(inputs: Inputs) -> None:
    assert DRAFT not in refs(inputs)
    assert inputs.rejected_but_sent == ()


def test_a_retracted_source_and_bodies_that_are_not_there_are_marked(inputs: Inputs) -> None:
    assert "retracted" in marks(inputs, TARIFF)
    assert "deleted" in marks(inputs, COMPLAINT)
    assert gaps(inputs)["deleted"] == (2, COMPLAINT)
    assert gaps(inputs)["never_captured"] == (1, PHOTO)


# Who authorized what was posted


def test_the_refund_was_authorized_tried_twice_under_one_key_and_read_back(who: Who) -> None:
    refund = who.writes[0]
    assert (refund.write, refund.outcomes, refund.effect, refund.evidence) == (
        POSTED[0],
        ("authorized",),
        "confirmed",
        "verified",
    )
    [grant] = refund.decisions
    assert (grant.decider.id, grant.decider.authenticated) == ("person:duty-manager", "authenticated")
    assert grant.policy
    assert (grant.policy.ref, grant.policy.rule) == ("policy:refunds@version:7", "one-person-up-to-50")
    [first] = refund.other_attempts
    assert (first.outcome, first.key, refund.asked[0].key) == (("unknown",), "refund-4711", "refund-4711")


def test_the_waiver_went_ahead_against_a_denial(who: Who) -> None:
    waiver = who.writes[1]
    assert (waiver.write, waiver.outcomes) == (POSTED[1], ("denied_and_done",))
    assert (waiver.effect, waiver.evidence) == ("submitted_unconfirmed", "declared")


def test_the_other_refund_was_authorized_for_another_amount(who: Who) -> None:
    other = who.writes[2]
    assert (other.write, other.outcomes) == (POSTED[2], ("authorized_for_something_else",))
    [difference] = other.differences
    assert difference.pointer == "/amount"
    assert difference.proposed == difference.executed != difference.shown == difference.authorized


def test_one_event_of_the_gateway_is_missing(service: Service, who: Who) -> None:
    count, example = gaps(who)["never_recorded"]
    assert (count, example) == (1, "gateway/2026-03-09#7")
    states = {state.source: state.state for state in service.ledger.graph("default").sources(None, who.as_of)}
    assert states == {
        "gateway": "gaps",
        "harness": "contiguous",
        "approvals": "contiguous",
        "records-office": "open",
        "matcher": "open",
    }


def test_every_run_of_the_story_ended(inputs: Inputs, who: Who, impact: Impact) -> None:
    assert all(not {"open_run", "incomplete_run"} & set(gaps(graph)) for graph in (inputs, who, impact))


# What came from the tariff


def test_what_came_from_the_tariff_is_still_there(impact: Impact) -> None:
    assert {one.ref for one in impact.affected} == {TEXT, REPORT, *POSTED}
    assert set(impact.survivors) == {REPORT, *POSTED}
    assert "retracted" in marks(impact, TARIFF)


def test_what_only_the_tool_says_was_written_is_known_no_better(impact: Impact) -> None:
    evidence = known(impact.affected)
    assert (evidence[POSTED[0]], evidence[POSTED[1]], evidence[POSTED[2]]) == (
        "observed",
        "declared",
        "declared",
    )


def test_the_sub_agent_was_never_sent_the_tariff(impact: Impact) -> None:
    assert not {DRAFT, "call:summarise"} & refs(impact)


def test_a_skill_that_only_the_run_names_reaches_what_the_run_wrote(service: Service) -> None:
    graph: Impact = service.ask("impact-of", {"target": ["skill:late-fee-rules"]}).answer.graph
    assert {REPORT, *POSTED} <= set(graph.loaded)
    assert graph.in_context == ()


# The demonstration


def test_loading_the_story_again_adds_nothing(service: Service) -> None:
    again = demo.load(service)
    assert (again.new, again.sources) == (0, 5)
    assert again.events == service.ledger.graph("default").head()


def test_a_store_that_holds_another_story_is_told_and_left_alone(tmp_path: Path) -> None:
    opened = open_service(settings.read(str(tmp_path / "other.db"), {}))
    first = msgspec.json.decode(demo.STORY.read_bytes())[0]
    opened.record([msgspec.json.encode({**first, "state": "alive"})])
    with pytest.raises(demo.OtherStory, match="choose a new one with --db"):
        demo.load(opened)
    opened.close()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_demonstration_fits_its_terminal_and_leaves_nothing_out(
    service: Service, answers: dict[str, Any], columns: int, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    demo.run(service, "sqlite:///clew-demo.db")
    printed: str = capsys.readouterr().out
    assert "\x1b" not in printed
    lines = printed.splitlines()
    assert max(map(len, lines)) <= columns
    assert not [line for line in lines if line != line.rstrip()]
    told = " ".join(printed.split())
    for ref in (TEXT, RULING, COMPLAINT, *POSTED):
        assert ref in told
    for words in (
        "authorized",
        "denied and done",
        "authorized for something else",
        "retracted",
        "not adopted",
    ):
        assert words in told
    count = sum(len(answer.graph.gaps) for answer in answers.values())
    assert len(re.findall(r"^  - \d+ [a-z ]+:", printed, re.MULTILINE)) == count


def test_the_command_prints_one_object_and_keeps_the_story_beside_it(tmp_path: Path) -> None:
    command = (Path(sys.executable).parent / "clew", "demo", "--once", "--json")
    runs = [subprocess.run(command, cwd=tmp_path, capture_output=True, check=True) for _ in range(2)]
    assert [run.stderr for run in runs] == [b"", b""]
    first, second = (json.loads(run.stdout) for run in runs)
    assert list(first) == ["inputs_of", "who_authorized", "impact_of"]
    assert [answer["question"] for answer in first.values()] == ["inputs-of", "who-authorized", "impact-of"]
    assert [answer["graph"] for answer in first.values()] == [answer["graph"] for answer in second.values()]
    assert {path.name for path in tmp_path.iterdir()} >= {"clew-demo.db", "clew-demo.keys"}
