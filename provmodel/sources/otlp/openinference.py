"""OpenInference attributes -> events (its Semantic Conventions, "Span Kinds" and "Reserved Attributes").

===============  =========================================================================================
span kind        becomes
===============  =========================================================================================
LLM              ``model_call``, and one ``action_proposed`` for each tool call that its answer lists
TOOL             ``tool_call``; which action it executes is unknown to the span but for the provider's id,
                 its key
RETRIEVER        ``tool_call`` of the tool that the span is named after; the documents are members of its
                 result, and one ``artifact_version`` for each of which more is known than its text
any other, none  ``span``: what its wrapper was given and gave back
===============  =========================================================================================

Every event is made from its own span alone: spans that come twice, shuffled or one at a time give the same
events. So nothing is said of the run but its id, a parent is only named, and a link is communication. An
attribute that no event has room for is reported.
"""

from __future__ import annotations

from urllib.parse import quote

from provmodel.events import (
    ActionProposed,
    ArtifactVersion,
    Attributes,
    Event,
    ModelCall,
    Ref,
    Result,
    Span,
    ToolCall,
)
from provmodel.sources import Margin
from provmodel.sources.otlp import contents, messages
from provmodel.sources.otlp.bag import Item, missing
from provmodel.sources.otlp.contents import NOTHING, Content, content
from provmodel.sources.otlp.messages import UNKNOWN, Message
from provmodel.sources.otlp.sheet import MOST_WORD, Sheet, attribute, scalar
from provmodel.sources.otlp.spans import WireSpan
from provmodel.sources.otlp.wire import Value

_PROMPT = "ai.prompt.messages"
"""Where the Vercel AI SDK writes all messages in one text."""
# Provider's ids of the tool call that a TOOL span executes.
_CALL_IDS = ("tool.id", "tool_call.id", "gen_ai.tool.call.id")
# Attributes that a plain span keeps: short, about the step and not about its content or about a person.
_KEPT = frozenset(
    {
        "llm.provider",
        "llm.system",
        "llm.model_name",
        "llm.finish_reason",
        "embedding.model_name",
        "reranker.model_name",
        "reranker.top_k",
        "decision.system",
        "decision.provider",
        "decision.model_name",
        "session.id",
        "tag.tags",
        "tool.name",
        "graph.node.id",
        "graph.node.name",
        "graph.node.parent_id",
    }
)
_KEPT_UNDER = ("llm.token_count.", "llm.cost.", "decision.token_count.")
_MODELS = ("llm.model_name", "llm.response.model_name", "llm.request.model_name")
_PARAMETERS = "llm.invocation_parameters"
_DOCUMENTS = "retrieval.documents"


def events_of(span: WireSpan, margin: Margin) -> list[Event]:
    """The events of one span, the one about the span itself first."""
    sheet = Sheet(span, margin)
    kind = sheet.bag.pop_text("openinference.span.kind") or ""
    match kind.upper():
        case "LLM":
            made = _llm(sheet)
        case "TOOL":
            made = [_tool(sheet)]
        case "RETRIEVER":
            made = _retriever(sheet)
        case _:
            made = [_step(sheet, kind)]
    sheet.report()
    return made


# --- model calls ---


def _llm(sheet: Sheet) -> list[Event]:
    given = _messages(sheet, "input", "llm.prompts", "prompt.text")
    answered = _messages(sheet, "output", "llm.choices", "completion.text", cut=not sheet.span.end)
    inputs = [sheet.message("in", message) for message in given]
    inputs = inputs or sheet.value_refs("message", "in", "input")
    inputs += sheet.addressed(given)
    outputs = [sheet.message("out", message) for message in answered]
    outputs = outputs or sheet.value_refs("message", "out", "output")
    sheet.superseded("input", bool(given))
    sheet.superseded("output", bool(answered))
    call = ModelCall(
        **sheet.envelope(0),
        **sheet.activity(),
        call=sheet.ref,
        model=sheet.named("model", _model(sheet)),
        agent=sheet.agent(),
        inputs=tuple(inputs),
        instructions=_instructions(sheet),
        tools=_tools(sheet),
        outputs=tuple(outputs),
        status=sheet.status(),
        finish=sheet.word("llm.finish_reason"),
    )
    sheet.unread_links()
    sheet.unread_problem()
    return [call, *_actions(sheet, answered)]


def _messages(sheet: Sheet, way: str, older: str, older_key: str, cut: bool = False) -> list[Message]:
    """Chat messages, or the texts of the older completions interface."""
    prefix = f"llm.{way}_messages"
    found = messages.read(sheet.bag, prefix, cut)
    if not found:
        prefix, found = older, messages.read_texts(sheet.bag, older, older_key, cut)
    if not found and way == "input":
        prefix, found = _PROMPT, messages.read_list(sheet.bag, _PROMPT, cut)
    sheet.possibly_dropped(prefix, missing(message.index for message in found))
    for message in found:
        for gap in message.gaps:
            sheet.possibly_dropped(f"{prefix}.{message.index}", gap)
    return found


def _model(sheet: Sheet) -> str:
    name = sheet.bag.pop_text(*_MODELS)
    if name is None and isinstance(parameters := sheet.bag.peek(_PARAMETERS), str):
        given = contents.json_object(parameters) or {}
        named = (given.get(key) for key in ("model", "model_name", "model_id"))
        name = next((name for name in named if isinstance(name, str) and name), None)
    return name or UNKNOWN


def _instructions(sheet: Sheet) -> tuple[Ref, ...]:
    """A prompt template counts when it is named with a version; else the next one can't be told from it."""
    bag = sheet.bag
    if "prompt.id" not in bag or "llm.prompt_template.version" not in bag:
        return ()
    named, version = bag.pop_text("prompt.id"), bag.pop_text("llm.prompt_template.version")
    if not named or not version:
        return ()
    vendor = bag.pop_text("prompt.vendor")
    ref = sheet.named("prompt", f"{vendor}/{named}" if vendor else named)
    template = bag.pop("llm.prompt_template.template")
    said = NOTHING if template is None else content(template)
    return (said.as_ref(f"{ref}@version:{quote(version, safe='')}", role="template"),)


def _tools(sheet: Sheet) -> tuple[str, ...]:
    """The tools that the model was offered, by name. Their schemas are read for the name alone."""
    found: dict[str, None] = {}
    for item in sheet.bag.items("llm.tools"):
        schema = item.fields.get("tool.json_schema")
        name = item.pop_text("tool.name") or _tool_name(schema)
        if name:
            item.fields.pop("tool.json_schema", None)
            found[sheet.named("tool", name)] = None
    return tuple(found)


def _tool_name(schema: Value) -> str | None:
    parsed = contents.json_object(schema) if isinstance(schema, str) else None
    for holder in (parsed, (parsed or {}).get("function"), (parsed or {}).get("toolSpec")):
        if isinstance(holder, dict) and isinstance(name := holder.get("name"), str) and name:
            return name
    return None


def _actions(sheet: Sheet, answered: list[Message]) -> list[Event]:
    calls = [(message, call) for message in answered for call in message.calls]
    return [
        ActionProposed(
            **sheet.envelope(number),
            action=f"action:{sheet.span.path}/{message.index}/{call.place}",
            tool=sheet.named("tool", call.tool),
            arguments=call.arguments,
            call=sheet.ref,
            key=sheet.short(call.key, "tool_call.id"),
        )
        for number, (message, call) in enumerate(calls, 1)
    ]


# --- tool calls ---


def _tool(sheet: Sheet) -> ToolCall:
    name = sheet.bag.pop_text("tool.name") or sheet.span.name or UNKNOWN
    output = sheet.value("output")
    results = () if output is None else (output.as_result(f"result:{sheet.span.path}"),)
    return _attempt(sheet, name, results, key=_call_id(sheet))


def _call_id(sheet: Sheet) -> str | None:
    return sheet.short(sheet.bag.pop_text(*_CALL_IDS), "tool.id")


def _attempt(sheet: Sheet, name: str, results: tuple[Result, ...], key: str | None = None) -> ToolCall:
    kind = contents.media_type(sheet.bag.pop("input.mime_type"))
    given = sheet.bag.pop("input.value")
    sheet.unread_links()
    return ToolCall(
        **sheet.envelope(0),
        **sheet.activity(),
        attempt=sheet.ref,
        tool=sheet.named("tool", name),
        outcome=sheet.outcome(),
        key=key,
        arguments=None if given is None else contents.arguments(given, kind),
        error=sheet.error(),
        results=results,
    )


def _retriever(sheet: Sheet) -> list[Event]:
    documents = sheet.bag.items(_DOCUMENTS)
    sheet.possibly_dropped(_DOCUMENTS, missing(item.index for item in documents))
    members = tuple(_document(sheet, item) for item in documents)
    output = sheet.value("output")
    results: tuple[Result, ...] = ()
    if members or output is not None:
        results = ((output or Content(None)).as_result(f"result:{sheet.span.path}", members),)
    attempt = _attempt(sheet, sheet.bag.pop_text("tool.name") or sheet.span.name or UNKNOWN, results)
    described = [(item, attributes) for item in documents if (attributes := _about(item))]
    return [attempt, *(_version(sheet, n, item, about) for n, (item, about) in enumerate(described, 1))]


def _document_ref(sheet: Sheet, item: Item) -> str:
    """A retrieved text is what this call returned; from which version of a file it is, no one has said."""
    return f"retrieved:{sheet.span.path}/{item.index}"


def _document(sheet: Sheet, item: Item) -> Ref:
    there = "document.content" in item.fields
    said = content(item.fields.pop("document.content", None), cut=not sheet.span.end) if there else NOTHING
    return said.as_ref(_document_ref(sheet, item), role="document", position=item.index)


def _about(item: Item) -> Attributes:
    """What is known of a document beside its text: id, score and the entries of its metadata."""
    found: Attributes = {}
    for key in ("document.id", "document.score"):
        value = scalar(item.fields.get(key))
        if value is not None:
            found[key] = value
            del item.fields[key]
    metadata = item.fields.get("document.metadata")
    parsed = contents.json_object(metadata) if isinstance(metadata, str) else None
    entries = {f"document.metadata.{key}": scalar(value) for key, value in (parsed or {}).items()}
    if entries and all(value is not None and len(key) <= MOST_WORD for key, value in entries.items()):
        del item.fields["document.metadata"]
        found.update({key: value for key, value in entries.items() if value is not None})
    return found


def _version(sheet: Sheet, number: int, item: Item, attributes: Attributes) -> ArtifactVersion:
    return ArtifactVersion(
        **sheet.envelope(number),
        ref=_document_ref(sheet, item),
        kind="retrieved-document",
        attributes=attributes,
    )


# --- everything else ---


def _step(sheet: Sheet, kind: str) -> Span:
    span = sheet.span
    return Span(
        **sheet.envelope(0),
        **sheet.activity(),
        span=sheet.ref,
        kind=sheet.short(kind, "openinference.span.kind") or "unspecified",
        name=sheet.text(span.name, "span name") or None,
        agent=sheet.agent(),
        informed_by=tuple(f"span:{trace}/{other}" for trace, other in span.links),
        status=sheet.status(),
        inputs=tuple(sheet.value_refs("value", "in", "input")),
        outputs=tuple(sheet.value_refs("value", "out", "output")),
        attributes=_kept(sheet) or None,
    )


def _kept(sheet: Sheet) -> Attributes:
    found: Attributes = {}
    if sheet.span.kind != "unspecified":
        found["otel.span.kind"] = sheet.span.kind
    for key, value in list(sheet.bag.flat()):
        if key in _KEPT or key.startswith(_KEPT_UNDER):
            kept = attribute(value)
            if kept is not None and len(key) <= MOST_WORD:
                found[key] = kept
                sheet.bag.pop(key)
    return found
