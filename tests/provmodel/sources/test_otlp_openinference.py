"""What model calls in OpenInference become, with their candidate actions; and what is reported."""

import json

import pytest

from provmodel.events import (
    ActionProposed,
    Args,
    Body,
    ModelCall,
    Ref,
    RunEnded,
    RunStarted,
    Span,
    ToolCall,
)
from tests.provmodel.sources.otlp_story import TRACE, every, notes, only, read, span, unread

PATH = f"{TRACE}/a000000000000001"
ANSWER = "llm.output_messages.0.message"
FIRST = "llm.input_messages.0.message"
PART = "message.contents.0.message_content"


def texts(refs: tuple[Ref, ...]) -> list[object]:
    return [ref.body.text if ref.body else None for ref in refs]


# --- the envelope ---


def test_an_event_is_named_after_its_span_and_belongs_to_its_trace() -> None:
    call = only(read(span("LLM", parentSpanId="b000000000000002")), ModelCall)
    assert call.id == f"{PATH}/0"
    assert call.source == "otlp:agent-svc"
    assert call.run == f"trace:{TRACE}"
    assert call.call == f"span:{PATH}"
    assert call.parent == f"span:{TRACE}/b000000000000002"
    assert (call.started, call.ended, call.time) == (
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.01Z",
        call.ended,
    )
    assert (call.asserter, call.evidence, call.epoch, call.source_number) == (None, None, None, None)


def test_a_span_that_did_not_end_is_reported_at_its_start() -> None:
    for end in (None, "0", 0):
        call = only(read(span("LLM", endTimeUnixNano=end)), ModelCall)
        assert (call.ended, call.time) == (None, "2026-01-01T00:00:00Z")


def test_a_span_without_times_starts_and_ends_nowhere() -> None:
    reading = read(span("LLM", startTimeUnixNano=None, endTimeUnixNano=None))
    call = only(reading, ModelCall)
    assert (call.started, call.ended, call.time) == (None, None, "1970-01-01T00:00:00Z")
    assert notes(reading) == {"no times: 1970-01-01T00:00:00Z stands as the time of report": 1}


def test_no_span_says_that_the_run_began_or_ended() -> None:
    reading = read(span("AGENT"), span("AGENT", spanId="b000000000000002"))
    assert [type(event) for event in reading.events] == [Span, Span]
    assert not every(reading, RunStarted)
    assert not every(reading, RunEnded)


# --- model calls ---


def test_a_model_call_has_its_messages_in_their_places() -> None:
    call = only(
        read(
            span(
                "LLM",
                {
                    "llm.model_name": "gpt-x",
                    f"{FIRST}.role": "system",
                    f"{FIRST}.content": "Be brief.",
                    "llm.input_messages.1.message.role": "user",
                    "llm.input_messages.1.message.content": "",
                    f"{ANSWER}.role": "assistant",
                    f"{ANSWER}.content": "Yes.",
                    "llm.finish_reason": "stop",
                },
                status={"code": 1},
            )
        ),
        ModelCall,
    )
    assert call.model == "model:gpt-x"
    assert call.inputs == (
        Ref(ref=f"message:{PATH}/in/0", role="system", position=0, body=Body(text="Be brief.")),
        Ref(ref=f"message:{PATH}/in/1", role="user", position=1, body=Body(text="")),
    )
    assert call.outputs == (
        Ref(ref=f"message:{PATH}/out/0", role="assistant", position=0, body=Body(text="Yes.")),
    )
    assert (call.finish, call.status) == ("stop", "ok")


@pytest.mark.parametrize(
    ("attributes", "model"),
    [
        ({"llm.model_name": "a", "llm.response.model_name": "b"}, "model:a"),
        ({"llm.response.model_name": "b", "llm.request.model_name": "c"}, "model:b"),
        ({"llm.invocation_parameters": '{"model": "d"}'}, "model:d"),
        ({"llm.invocation_parameters": '{"model_id": "e"}', "llm.model_name": ""}, "model:e"),
        ({"llm.invocation_parameters": "['model']"}, "model:unknown"),
        ({}, "model:unknown"),
    ],
)
def test_the_model_is_the_one_that_answered_as_far_as_is_known(
    attributes: dict[str, object], model: str
) -> None:
    assert only(read(span("LLM", attributes)), ModelCall).model == model


def test_without_messages_the_values_stand_for_them() -> None:
    reading = read(span("LLM", {"input.value": "q", "input.mime_type": "text/plain", "output.value": "a"}))
    call = only(reading, ModelCall)
    body = Body(text="q", media_type="text/plain")
    assert call.inputs == (Ref(ref=f"message:{PATH}/in/0", position=0, body=body),)
    assert call.outputs == (Ref(ref=f"message:{PATH}/out/0", position=0, body=Body(text="a")),)
    assert reading.not_understood[:-1] == []


def test_with_messages_the_values_are_left_aside_and_reported() -> None:
    reading = read(span("LLM", {"input.value": "q", f"{FIRST}.content": "q", "output.value": "a"}))
    assert texts(only(reading, ModelCall).inputs) == ["q"]
    assert texts(only(reading, ModelCall).outputs) == ["a"]
    assert unread(reading)["attribute input.value: messages were read instead"] == 1


def test_the_older_completions_interface_has_prompts_and_choices() -> None:
    reading = read(
        span("LLM", {"llm.prompts.0.prompt.text": "def f", "llm.choices.0.completion.text": "(): ..."})
    )
    call = only(reading, ModelCall)
    assert (texts(call.inputs), texts(call.outputs)) == (["def f"], ["(): ..."])


def test_a_message_of_one_text_part_is_that_text() -> None:
    plain = only(read(span("LLM", {f"{FIRST}.content": "hi"})), ModelCall)
    parted = only(
        read(
            span(
                "LLM",
                {f"llm.input_messages.0.{PART}.type": "text", f"llm.input_messages.0.{PART}.text": "hi"},
            )
        ),
        ModelCall,
    )
    assert parted.inputs == plain.inputs


def test_parts_that_are_null_stay_null_and_are_not_empty() -> None:
    contents = "llm.input_messages.0.message.contents"
    call = only(
        read(
            span(
                "LLM",
                {
                    f"{contents}.0.message_content.type": "text",
                    f"{contents}.0.message_content.text": "look",
                    f"{contents}.1.message_content.type": "image",
                    f"{contents}.1.message_content.image": {},
                    f"{contents}.2.message_content.type": "text",
                    f"{contents}.2.message_content.text": {},
                    f"{contents}.10.message_content.image.image.url": "https://example.org/a.png",
                    "llm.input_messages.1.message.content": {},
                    "llm.input_messages.2.message.content": "",
                    "llm.input_messages.3.message.role": "user",
                },
            )
        ),
        ModelCall,
    )
    parts, null, empty, absent, _ = call.inputs
    assert parts.body == Body(
        json={
            "contents": [
                {"type": "text", "text": "look"},
                {"type": "image", "image": None},
                {"type": "text", "text": None},
                {"image": {"url": "https://example.org/a.png"}},
            ]
        }
    )
    assert (null.body, null.state) == (Body(json=None), None)
    assert (empty.body, empty.state) == (Body(text=""), None)
    assert (absent.body, absent.state) == (None, "never_captured")


def test_what_stands_at_an_address_was_sent_and_not_captured() -> None:
    parts = "llm.input_messages.0.message.contents"
    flat = {
        "llm.input_messages.0.message.role": "user",
        f"{parts}.0.message_content.image.image.url": "https://example.org/a.png?v=1@tag:2",
        f"{parts}.1.message_content.image.image.url": "data:image/png;base64,AAAA",
        f"{parts}.2.message_content.text": "see https://example.org/b.png",
        f"{parts}.3.message_content.image.image.url": "https://user:word@example.org/a.png",
    }
    listed = [
        {"role": "user", "content": [{"type": "file", "data": "https://example.org/a.png?v=1@tag:2"}]},
        {"role": "user", "content": "see https://example.org/b.png"},
    ]
    for attributes in (flat, {"ai.prompt.messages": json.dumps(listed)}):
        *said, picture = only(read(span("LLM", attributes)), ModelCall).inputs
        assert (picture.ref, picture.role) == ("http-response:https://example.org/a.png?v=1%40tag:2", "user")
        assert (picture.body, picture.state) == (None, "never_captured")
        assert all(one.body for one in said)


@pytest.mark.parametrize("text", ["", "[]", "[1]", '{"content": "x"}', '[{"role": "user"}]', "[" * 9000])
def test_a_text_that_is_no_list_of_messages_is_left_and_told(text: str) -> None:
    reading = read(span("LLM", {"ai.prompt.messages": text}))
    assert only(reading, ModelCall).inputs == ()
    assert "attribute ai.prompt.messages" in unread(reading)


def test_lists_within_a_message_that_lack_numbers_are_noted() -> None:
    calls = f"{ANSWER}.tool_calls"
    reading = read(
        span("LLM", {f"{calls}.1.tool_call.function.name": "f", f"{calls}.4.tool_call.function.name": "g"})
    )
    assert notes(reading) == {
        "possibly dropped attributes: llm.output_messages.0 lacks tool_calls 0, 2 to 3": 1
    }
    assert [action.action for action in every(reading, ActionProposed)] == [
        f"action:{PATH}/0/1",
        f"action:{PATH}/0/4",
    ]


def test_what_instrumentation_hid_was_never_captured() -> None:
    hidden = "__REDACTED__"
    parts = "llm.input_messages.1.message.contents"
    call = only(
        read(
            span(
                "LLM",
                {
                    f"{FIRST}.content": hidden,
                    f"{parts}.0.message_content.text": "see",
                    f"{parts}.1.message_content.image.image.url": hidden,
                    "output.value": hidden,
                },
            )
        ),
        ModelCall,
    )
    assert [(ref.body is None, ref.state) for ref in call.inputs] == [
        (True, "never_captured"),
        (False, "partial"),
    ]
    assert [(ref.body, ref.state) for ref in call.outputs] == [(None, "never_captured")]


def test_offered_tools_are_named_once_each() -> None:
    schemas = [
        '{"type": "function", "function": {"name": "search"}}',
        '{"name": "read", "input_schema": {}}',
        '{"toolSpec": {"name": "write"}}',
        '{"type": "function", "function": {"name": "search"}}',
        "not JSON",
    ]
    attributes: dict[str, object] = {
        f"llm.tools.{n}.tool.json_schema": schema for n, schema in enumerate(schemas)
    }
    reading = read(span("LLM", attributes | {"llm.tools.9.tool.name": "list"}))
    assert only(reading, ModelCall).tools == ("tool:search", "tool:read", "tool:write", "tool:list")
    assert unread(reading)["attribute llm.tools.*.tool.json_schema"] == 1


def test_a_prompt_template_is_an_instruction_only_when_named_with_a_version() -> None:
    template = {"llm.prompt_template.template": "Answer {q}", "prompt.vendor": "shop"}
    named = {"prompt.id": "answer", "llm.prompt_template.version": "v 1"}
    call = only(read(span("LLM", template | named)), ModelCall)
    assert call.instructions == (
        Ref(ref="prompt:shop/answer@version:v%201", role="template", body=Body(text="Answer {q}")),
    )
    for missing in named:
        reading = read(span("LLM", template | {key: given for key, given in named.items() if key != missing}))
        assert only(reading, ModelCall).instructions == ()
        assert unread(reading)["attribute llm.prompt_template.template"] == 1


def test_the_agent_that_a_span_names_is_associated() -> None:
    assert only(read(span("LLM", {"agent.name": "writer"})), ModelCall).agent == "agent:writer"
    assert only(read(span("AGENT", {"agent.name": "writer"})), Span).agent == "agent:writer"


# --- candidate actions ---


def test_each_tool_call_of_an_answer_is_a_candidate_action() -> None:
    call = f"{ANSWER}.tool_calls.0.tool_call"
    reading = read(
        span(
            "LLM",
            {
                f"{call}.id": "call_7",
                f"{call}.function.name": "pay",
                f"{call}.function.arguments": '{"amount": 12.5, "to": "kim"}',
            },
        )
    )
    action = only(reading, ActionProposed)
    assert action.id == f"{PATH}/1"
    assert action.action == f"action:{PATH}/0/0"
    assert (action.call, action.tool, action.key) == (f"span:{PATH}", "tool:pay", "call_7")
    assert action.arguments == Args(body=Body(json={"amount": 12.5, "to": "kim"}))
    [answer] = only(reading, ModelCall).outputs
    assert answer.body is not None
    assert answer.body.json == {
        "tool_calls": [
            {"id": "call_7", "function": {"name": "pay", "arguments": '{"amount": 12.5, "to": "kim"}'}}
        ]
    }


def test_a_provider_that_repeats_its_ids_does_not_merge_actions() -> None:
    calls = f"{ANSWER}.tool_calls"
    same: dict[str, object] = {f"{calls}.{n}.tool_call.id": "call_0" for n in range(2)}
    actions = every(read(span("LLM", same)), ActionProposed)
    assert [(action.action, action.key) for action in actions] == [
        (f"action:{PATH}/0/0", "call_0"),
        (f"action:{PATH}/0/1", "call_0"),
    ]
    assert {action.tool for action in actions} == {"tool:unknown"}


def test_tool_calls_in_the_context_are_history_and_propose_nothing() -> None:
    reading = read(span("LLM", {f"{FIRST}.tool_calls.0.tool_call.function.name": "pay"}))
    assert every(reading, ActionProposed) == []


def test_the_function_call_of_older_interfaces_is_a_candidate_action() -> None:
    older: dict[str, object] = {
        f"{ANSWER}.function_call_name": "pay",
        f"{ANSWER}.function_call_arguments_json": "{}",
    }
    action = only(read(span("LLM", older)), ActionProposed)
    assert (action.action, action.tool) == (f"action:{PATH}/0/function_call", "tool:pay")
    assert action.arguments == Args(body=Body(json={}))


@pytest.mark.parametrize(
    "raw",
    [
        '{"amount": 1, "amount": 2}',
        '{"amount": NaN}',
        '{"id": 123456789012345678901234567890}',
        '{"a": ' * 600 + "1" + "}" * 600,
        '{"text": "\\ud83d"}',
        "{'amount': 1}",
        "[1]",
        " ",
    ],
)
def test_arguments_that_programs_read_differently_stay_text_byte_for_byte(raw: str) -> None:
    call = f"{ANSWER}.tool_calls.0.tool_call.function"
    reading = read(span("LLM", {f"{call}.name": "pay", f"{call}.arguments": raw}))
    assert only(reading, ActionProposed).arguments == Args(body=Body(text=raw))


def test_absent_and_hidden_arguments_have_no_body() -> None:
    call = f"{ANSWER}.tool_calls.0.tool_call.function"
    assert only(read(span("LLM", {f"{call}.name": "f"})), ActionProposed).arguments == Args()
    hidden = read(span("LLM", {f"{call}.name": "f", f"{call}.arguments": "__REDACTED__"}))
    assert only(hidden, ActionProposed).arguments == Args()


# --- nothing is silent ---


@pytest.mark.parametrize("kind", ["LLM", "TOOL", "RETRIEVER", "CHAIN"])
def test_every_attribute_is_used_or_reported(kind: str) -> None:
    odd: dict[str, object] = {
        "gen_ai.request.model": "m",
        "llm.input_messages.x.message.content": "no number",
        "llm.input_messages.01.message.content": "no number either",
        f"llm.input_messages.{'9' * 40}.message.content": "too many digits",
        "llm.input_messages.0.message.mood": "calm",
        "retrieval.documents.0.document.colour": "red",
        "k" * 5000: 1,
    }
    reported = unread(read(span(kind, odd)))
    reported.pop("scope field name")
    assert sum(reported.values()) == len(odd)
    assert max(len(what) for what in reported) < 250


def test_names_that_no_reference_may_hold_are_kept_percent_encoded() -> None:
    attempt = only(read(span("TOOL", {"tool.name": "a\tb\u0085"}), service="s\n1"), ToolCall)
    assert (attempt.tool, attempt.source) == ("tool:a%09b%C2%85", "otlp:s%0A1")


def test_a_name_too_long_for_a_reference_rejects_its_span() -> None:
    reading = read(span("TOOL", {"tool.name": "x" * 3000}))
    assert (reading.events, len(reading.rejected)) == ([], 1)
    assert "2048" in reading.rejected[0].reason


def test_words_that_are_too_long_are_left_out_and_reported() -> None:
    reading = read(
        span("LLM", {f"{FIRST}.role": "r" * 300, f"{FIRST}.content": "x", "llm.finish_reason": "f" * 300})
    )
    call = only(reading, ModelCall)
    assert (call.inputs[0].role, call.finish) == (None, None)
    assert {what.partition(":")[0] for what in unread(reading)} >= {"message.role", "llm.finish_reason"}


def test_json_within_values_is_not_taken_apart() -> None:
    messages = json.dumps([{"role": "user", "content": "hi"}])
    call = only(
        read(span("LLM", {"input.value": messages, "input.mime_type": "application/json"})), ModelCall
    )
    assert [ref.body for ref in call.inputs] == [Body(text=messages, media_type="application/json")]
