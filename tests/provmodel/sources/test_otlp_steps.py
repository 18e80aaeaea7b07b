"""What spans that call no model become: attempts of tools, retrievals, and every other step of a trace."""

import pytest

from provmodel.events import Args, ArtifactVersion, Body, ModelCall, Ref, Span, ToolCall
from tests.provmodel.sources.otlp_story import TRACE, every, notes, only, read, span, unread

PATH = f"{TRACE}/a000000000000001"

# --- attempts ---


def test_a_tool_span_is_an_attempt_that_knows_its_key_but_not_its_action() -> None:
    attempt = only(
        read(
            span(
                "TOOL",
                {
                    "tool.name": "pay",
                    "tool.id": "call_7",
                    "input.value": '{"amount": 1}',
                    "output.value": "ok",
                    "output.mime_type": "text/plain",
                },
                name="run tool",
            )
        ),
        ToolCall,
    )
    assert (attempt.attempt, attempt.tool) == (f"span:{PATH}", "tool:pay")
    assert (attempt.action, attempt.key, attempt.outcome) == (None, "call_7", "completed")
    assert attempt.arguments == Args(body=Body(json={"amount": 1}))
    [result] = attempt.results
    assert (result.ref, result.body, result.state) == (
        f"result:{PATH}",
        Body(text="ok", media_type="text/plain"),
        None,
    )
    assert attempt.writes == ()


def test_a_tool_span_without_a_tool_name_is_of_the_tool_it_is_named_after() -> None:
    assert only(read(span("TOOL", name="list files")), ToolCall).tool == "tool:list files"
    assert only(read(span("TOOL", name=None)), ToolCall).tool == "tool:unknown"


def test_a_failed_attempt_says_why() -> None:
    exception = {
        "name": "exception",
        "attributes": [
            {"key": "exception.type", "value": {"stringValue": "HTTPError"}},
            {"key": "exception.message", "value": {"stringValue": "402"}},
            {"key": "exception.stacktrace", "value": {"stringValue": "at pay.py"}},
        ],
    }
    reading = read(span("TOOL", status={"code": 2}, events=[exception]))
    attempt = only(reading, ToolCall)
    assert (attempt.outcome, attempt.error) == ("failed", "HTTPError: 402")
    assert unread(reading)["attribute exception.stacktrace of event exception"] == 1
    told = read(span("TOOL", status={"code": "STATUS_CODE_ERROR", "message": "no funds"}, events=[exception]))
    assert only(told, ToolCall).error == "no funds"
    assert unread(told)["exception: one before it stands as the error"] == 1


def test_an_attempt_that_never_ended_may_have_done_anything() -> None:
    attempt = only(read(span("TOOL", {"output.value": "half"}, endTimeUnixNano="0")), ToolCall)
    assert (attempt.outcome, attempt.ended) == ("unknown", None)
    assert [result.state for result in attempt.results] == ["partial"]


def test_an_error_text_is_cut_where_texts_end_and_shows_nul() -> None:
    reading = read(span("TOOL", status={"code": 2, "message": "\0" + "x" * 70000}))
    error = only(reading, ToolCall).error
    assert error is not None
    assert (len(error), error[:2]) == (65536, "\u2400x")
    assert len(notes(reading)) == 2


# --- retrieval ---


def test_a_retriever_returns_documents_as_members_of_its_result() -> None:
    documents = "retrieval.documents"
    reading = read(
        span(
            "RETRIEVER",
            {
                "input.value": "revenue?",
                "output.value": "[...]",
                f"{documents}.0.document.content": "A",
                f"{documents}.0.document.id": 17,
                f"{documents}.0.document.score": 0.5,
                f"{documents}.0.document.metadata": '{"source": "a.txt", "page": 3}',
                f"{documents}.1.document.content": "B",
                f"{documents}.1.document.metadata": "{'source': 'b.txt'}",
                f"{documents}.2.document.id": "c",
            },
            name="VectorStore",
        )
    )
    attempt = only(reading, ToolCall)
    assert attempt.tool == "tool:VectorStore"
    assert attempt.arguments == Args(body=Body(text="revenue?"))
    [result] = attempt.results
    assert result.body == Body(text="[...]")
    assert result.members == (
        Ref(ref=f"retrieved:{PATH}/0", role="document", position=0, body=Body(text="A")),
        Ref(ref=f"retrieved:{PATH}/1", role="document", position=1, body=Body(text="B")),
        Ref(ref=f"retrieved:{PATH}/2", role="document", position=2, state="never_captured"),
    )
    assert [(version.id, version.ref, version.attributes) for version in every(reading, ArtifactVersion)] == [
        (
            f"{PATH}/1",
            f"retrieved:{PATH}/0",
            {
                "document.id": 17,
                "document.score": 0.5,
                "document.metadata.source": "a.txt",
                "document.metadata.page": 3,
            },
        ),
        (f"{PATH}/2", f"retrieved:{PATH}/2", {"document.id": "c"}),
    ]
    assert unread(reading)["attribute retrieval.documents.*.document.metadata"] == 1


def test_a_retriever_that_returned_nothing_has_no_result() -> None:
    assert only(read(span("RETRIEVER")), ToolCall).results == ()


# --- every other step ---


@pytest.mark.parametrize(
    "kind",
    [
        "CHAIN",
        "AGENT",
        "EMBEDDING",
        "RERANKER",
        "GUARDRAIL",
        "EVALUATOR",
        "PROMPT",
        "UNKNOWN",
        "WHATEVER",
        "chain",
    ],
)
def test_any_other_kind_is_a_step_and_keeps_its_word(kind: str) -> None:
    step = only(read(span(kind, {"input.value": "q", "output.value": "a"}, name="n")), Span)
    assert (step.span, step.kind, step.name) == (f"span:{PATH}", kind, "n")
    assert step.inputs == (Ref(ref=f"value:{PATH}/in", body=Body(text="q")),)
    assert step.outputs == (Ref(ref=f"value:{PATH}/out", body=Body(text="a")),)


@pytest.mark.parametrize("kind", [None, ""])
def test_a_step_without_a_kind_is_unspecified(kind: str | None) -> None:
    assert only(read(span(kind)), Span).kind == "unspecified"


def test_kinds_are_known_in_lower_case_too() -> None:
    assert only(read(span("llm")), ModelCall).call == f"span:{PATH}"


def test_a_step_keeps_what_is_short_and_about_the_step_alone() -> None:
    reading = read(
        span(
            "EMBEDDING",
            {
                "embedding.model_name": "embed-3",
                "llm.token_count.total": 9,
                "llm.cost.total": 0.25,
                "tag.tags": ["a", "b"],
                "session.id": "s" * 2000,
                "user.id": "kim",
                "metadata": "{}",
                "embedding.embeddings.0.embedding.vector": [0.5, 0.25],
            },
            kind=3,
        )
    )
    assert only(reading, Span).attributes == {
        "embedding.model_name": "embed-3",
        "llm.cost.total": 0.25,
        "llm.token_count.total": 9,
        "otel.span.kind": "client",
        "tag.tags": ["a", "b"],
    }
    assert set(unread(reading)) == {
        "attribute embedding.embeddings.*.embedding.vector",
        "attribute metadata",
        "attribute session.id",
        "attribute user.id",
        "scope field name",
    }


def test_values_that_are_no_text_are_kept_as_json_or_bytes() -> None:
    pair = {"kvlistValue": {"values": [{"key": "k", "value": {"bytesValue": "AAE="}}]}}
    step = only(read(span("CHAIN", {"input.value": pair, "output.value": {"bytesValue": "AAE="}})), Span)
    assert step.inputs[0].body == Body(json={"k": "AAE="})
    assert step.outputs[0].body == Body(base64="AAE=")


def test_links_inform_a_step_and_are_no_data() -> None:
    link = {"traceId": TRACE, "spanId": "b000000000000002", "attributes": [{"key": "why", "value": {}}]}
    reading = read(span("CHAIN", links=[link]))
    step = only(reading, Span)
    assert step.informed_by == (f"span:{TRACE}/b000000000000002",)
    assert step.inputs == ()
    assert unread(reading)["link attribute why"] == 1
    for kind in ("LLM", "TOOL"):
        assert unread(read(span(kind, links=[link])))["link of a model or tool call"] == 1
