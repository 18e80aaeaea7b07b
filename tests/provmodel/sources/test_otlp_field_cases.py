"""Traces as they come in the field: what their events are, and that it does not matter how they come."""

import json
import random
from typing import Any

import msgspec
import pytest

from provmodel.events import ActionProposed, Args, Body, ModelCall, Span, ToolCall
from provmodel.evidence import LOCAL
from provmodel.mapping import project
from provmodel.relations import COMMUNICATION, USAGE
from tests.provmodel.sources.otlp_story import CASES, TRACE, every, notes, only, read_bytes, read_case, unread

TRACES = sorted(folder.name for folder in CASES.iterdir() if (folder / "batch-1.json").exists())


def deliveries(case: str) -> list[dict[str, Any]]:
    """Each span of a case in a document of its own."""
    return [
        {"resourceSpans": [resource | {"scopeSpans": [scope | {"spans": [one]}]}]}
        for file in sorted((CASES / case).glob("batch-*.json"))
        for resource in json.loads(file.read_bytes())["resourceSpans"]
        for scope in resource["scopeSpans"]
        for one in scope["spans"]
    ]


def canonical(data: list[dict[str, Any]]) -> set[bytes]:
    return {
        msgspec.json.encode(event, order="deterministic")
        for event in read_bytes(json.dumps(data).encode()).events
    }


@pytest.mark.parametrize("case", TRACES)
def test_spans_shuffled_repeated_and_one_at_a_time_give_the_same_events(case: str) -> None:
    whole = {msgspec.json.encode(event, order="deterministic") for event in read_case(case).events}
    alone = deliveries(case)
    assert set().union(*(canonical([document]) for document in alone)) == whole
    for seed in range(5):
        shuffled = alone * 2
        random.Random(seed).shuffle(shuffled)
        assert canonical(shuffled) == whole


@pytest.mark.parametrize("case", TRACES)
def test_no_two_events_of_a_delivery_share_an_id(case: str) -> None:
    ids = [event.id for event in read_case(case).events]
    assert len(set(ids)) == len(ids)


def test_a_child_that_comes_first_only_names_its_parent() -> None:
    child = only(read_case("101-otlp-child-before-parent", "batch-1.json"), ToolCall)
    assert child.parent == f"span:{TRACE}/a000000000000001"
    parent = only(read_case("101-otlp-child-before-parent", "batch-2.json"), Span)
    assert (parent.span, parent.parent) == (child.parent, None)


def test_a_parent_that_never_comes_has_no_times_and_no_name() -> None:
    reading = read_case("102-otlp-parent-never-arrives")
    records = project(only(reading, Span), (), LOCAL)
    parent = f"span:{TRACE}/ffffffffffffffff"
    assert parent in records.nodes
    assert [attribute for attribute in records.attributes if attribute.node == parent] == []


def test_two_roots_are_two_steps_of_one_run_that_neither_speaks_for() -> None:
    reading = read_case("110-two-roots-one-trace")
    roots = every(reading, Span)
    assert [root.parent for root in roots] == [None, None]
    assert {root.run for root in roots} == {f"trace:{TRACE}"}
    assert {root.source for root in roots} == {"otlp:agent-svc", "otlp:flight-svc"}
    assert len(reading.events) == 2


def test_arguments_are_kept_byte_for_byte_unless_they_are_an_object() -> None:
    reading = read_case("111-tool-arguments-not-json")
    assert [(action.key, action.arguments) for action in every(reading, ActionProposed)] == [
        ("c1", Args(body=Body(text='"SELECT * FROM t"'))),
        ("c2", Args(body=Body(text='{"path": "/data/a'))),
        ("c3", Args(body=Body(text="{'path': None}"))),
        ("c4", Args(body=Body(text=""))),
    ]
    assert {action.call for action in every(reading, ActionProposed)} == {only(reading, ModelCall).call}


def test_tools_that_lost_their_parent_stay_in_their_own_traces() -> None:
    reading = read_case("116-parallel-tools-lose-parent")
    attempts = every(reading, ToolCall)
    assert len({event.run for event in reading.events}) == 3
    assert [(attempt.key, attempt.action, attempt.parent) for attempt in attempts] == [
        ("c1", None, None),
        ("c2", None, None),
    ]
    assert [action.key for action in every(reading, ActionProposed)] == ["c1", "c2"]


def test_a_draft_that_was_not_sent_is_used_by_nobody() -> None:
    reading = read_case("118-subagent-draft-not-used")
    call = only(reading, ModelCall)
    assert [ref.body for ref in call.inputs] == [Body(text="source B text")]
    draft = f"value:{TRACE}/b000000000000002/out"
    used = [
        assertion.relation.arguments[0]
        for event in reading.events
        for assertion in project(event, (), LOCAL).assertions
        if assertion.relation.term is USAGE
    ]
    assert draft not in used
    assert [ref.ref for step in every(reading, Span) for ref in step.outputs] == [draft]


def test_messages_stand_in_the_order_of_their_numbers_and_gaps_are_noted() -> None:
    reading = read_case("120-openinference-index-order")
    call = only(reading, ModelCall)
    assert [ref.position for ref in call.inputs] == [0, 1, 2, 9, 10, 11]
    assert [ref.body for ref in call.inputs] == [Body(text=f"m{number}") for number in (0, 1, 2, 9, 10, 11)]
    assert notes(reading) == {"possibly dropped attributes: llm.input_messages lacks 3 to 8": 1}


def test_an_interrupted_stream_has_no_end_and_a_partial_answer() -> None:
    call = only(read_case("126-stream-interrupted"), ModelCall)
    assert (call.started, call.ended) == ("2026-01-01T00:00:00Z", None)
    [answer] = call.outputs
    assert (answer.body, answer.state) == (Body(text="The answer is"), "partial")


def test_an_end_before_its_start_is_kept_as_sent_and_noted() -> None:
    reading = read_case("127-end-before-start")
    attempt = only(reading, ToolCall)
    assert (attempt.started, attempt.ended) == ("2026-01-01T00:00:00.05Z", "2026-01-01T00:00:00.04Z")
    assert notes(reading) == {"end before start": 1}


def test_times_years_ahead_and_at_zero_are_kept_as_sent() -> None:
    reading = read_case("129-events-from-the-future")
    assert [(attempt.started, attempt.ended) for attempt in every(reading, ToolCall)] == [
        ("2029-03-03T09:46:40Z", "2029-03-03T09:46:40.005Z"),
        ("1970-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z"),
    ]
    assert notes(reading) == {"start at 0 nanoseconds, the year 1970": 1}


def test_a_link_is_communication_and_no_use_of_data() -> None:
    reading = read_case("132-span-links")
    [merge] = [step for step in every(reading, Span) if step.name == "merge"]
    assert merge.informed_by == (
        f"span:{TRACE}/b000000000000002",
        "span:1bf7651916cd43dd8448eb211c80319d/e000000000000005",
    )
    terms = [assertion.relation.term for assertion in project(merge, (), LOCAL).assertions]
    assert terms.count(COMMUNICATION) == 2
    assert USAGE not in terms


def test_conventions_that_are_not_read_here_are_kept_as_steps_and_reported() -> None:
    reading = read_case("147-gen-ai-and-openinference-mixed")
    assert [(step.name, step.kind) for step in every(reading, Span)] == [
        ("chat m", "unspecified"),
        ("x", "WHATEVER"),
        ("chat old", "unspecified"),
    ]
    assert {what for what in unread(reading) if "gen_ai" in what} == {
        "attribute gen_ai.input.messages",
        "attribute gen_ai.operation.name",
        "attribute gen_ai.prompt.*.content",
        "attribute gen_ai.prompt.*.role",
        "attribute gen_ai.request.model",
        "attribute gen_ai.system",
    }


def test_a_bad_span_is_named_and_the_good_ones_stand() -> None:
    reading = read_case("150-partial-success", "batch-1.json")
    assert [attempt.tool for attempt in every(reading, ToolCall)] == ["tool:ok", "tool:ok2"]
    [rejection] = reading.rejected
    assert rejection.where == "[0].resourceSpans[0].scopeSpans[0].spans[1] (spanId 'xyz')"
    assert rejection.reason.startswith("spanId: 'xyz' is no id")
