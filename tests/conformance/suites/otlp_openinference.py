"""Real agent traces in OTLP/JSON with OpenInference attributes: what is in them, however they come."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from provmodel.events import ActionProposed, Event, ModelCall, ToolCall
from provmodel.sources import Reading, detect, named
from tests.conformance.case import Case, expect

FOLDER = "traces/otlp_openinference"
SPEAKS_OTLP = ("otlp_openinference", "otlp_json")
SHUFFLES = 20

Document = dict[str, Any]


def cases(folder: Path) -> Iterator[Case]:
    for trace in sorted(folder.glob("*.json")):
        data = trace.read_bytes()
        yield Case(f"{trace.stem} is read whole", partial(read_whole, data))
        yield Case(f"{trace.stem} gives the same events however it comes", partial(comes_anyhow, data))
        yield Case(f"{trace.stem} leaves no attribute unaccounted for", partial(accounts, data))
        if trace.stem in CONTENTS:
            yield Case(f"{trace.stem} holds what is in it", partial(CONTENTS[trace.stem], data))
    yield Case("no trace of another shape is taken for OTLP", partial(no_other, folder.parent))
    yield Case(
        "the example of the OTLP specification is a step", partial(example, folder.parent / "otlp_json")
    )


def read(data: bytes) -> Reading:
    return detect(data).read(data)


def spans(data: bytes) -> list[Document]:
    """Each span in a document of its own."""
    return [
        {"resourceSpans": [resource | {"scopeSpans": [scope | {"spans": [span]}]}]}
        for document in json.loads(data)
        for resource in document["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def canonical(reading: Reading) -> set[bytes]:
    return {msgspec.json.encode(event, order="deterministic") for event in reading.events}


def read_whole(data: bytes) -> None:
    reading = read(data)
    expect(reading.rejected, [], "rejected")
    expect(reading.items, len(spans(data)), "spans")
    strict = msgspec.json.Decoder(Event)
    for event in reading.events:
        expect(strict.decode(msgspec.json.encode(event)), event, "the event as the strict decoder has it")


def comes_anyhow(data: bytes) -> None:
    """Twice, shuffled, as lines, and one span at a time."""
    whole, alone = canonical(read(data)), [json.dumps(document) for document in spans(data)]
    one_by_one = [canonical(read(document.encode())) for document in alone]
    expect(set().union(*one_by_one), whole, "events of single spans")
    for seed in range(SHUFFLES):
        shuffled = alone * 2
        random.Random(seed).shuffle(shuffled)
        expect(canonical(read("\n".join(shuffled).encode())), whole, "events of shuffled lines")


def accounts(data: bytes) -> None:
    """Each attribute is used or reported: without it, or with another value, the reading is another one."""
    for document in spans(data):
        span = document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
        whole, attributes = told(document), span["attributes"]
        for number, attribute in enumerate(attributes):
            others = attributes[:number], attributes[number + 1 :]
            changed = attribute | {"value": {"stringValue": "another"}}
            readings = []
            for instead in ([], [changed]):
                span["attributes"] = [*others[0], *instead, *others[1]]
                readings.append(told(document))
            expect(readings != [whole, whole], True, f"{attribute['key']} is used or reported")


def told(document: Document) -> tuple[object, ...]:
    reading = read(json.dumps(document).encode())
    return reading.events, reading.not_understood


def no_other(traces: Path) -> None:
    others = [path for path in traces.glob("*/*") if path.parent.name not in SPEAKS_OTLP]
    expect(len(others) > 0, True, "there are others")
    expect([path for path in others if named("otlp").detect(path.read_bytes())], [], "taken for OTLP")


def example(folder: Path) -> None:
    reading = read((folder / "trace.json").read_bytes())
    expect([type(event).__name__ for event in reading.events], ["Span"], "events")


def rag_earnings_agent(data: bytes) -> None:
    """One question to one model, and a retrieval of three documents."""
    reading = read(data)
    [call] = [event for event in reading.events if isinstance(event, ModelCall)]
    expect([ref.role for ref in call.inputs], ["user"], "roles of the inputs")
    [answer] = call.outputs
    expect("$40.1 billion" in str(answer.body and answer.body.text), True, "the answer names the revenue")
    [retrieval] = [event for event in reading.events if isinstance(event, ToolCall)]
    [result] = retrieval.results
    expect(len(result.members), 3, "documents")
    expect({member.body is None for member in result.members}, {False}, "documents without text")


def smol_deep_research_agent(data: bytes) -> None:
    """Six model calls that ask for two tools, whose execution nobody recorded."""
    reading = read(data)
    kinds = Counter(type(event).__name__ for event in reading.events)
    expect(reading.items, 8, "spans")
    expect(kinds, {"ModelCall": 6, "ActionProposed": 2, "Span": 2}, "events")
    calls = [event for event in reading.events if isinstance(event, ModelCall)]
    expect(sum(len(call.inputs) for call in calls), 22, "input messages")
    actions = [event for event in reading.events if isinstance(event, ActionProposed)]
    expect(
        sorted(action.tool for action in actions), ["tool:final_answer", "tool:web_search"], "tools asked for"
    )
    expect({bool(action.key) for action in actions}, {True}, "the provider's ids are there")


CONTENTS: dict[str, Callable[[bytes], None]] = {
    "rag_earnings_agent": rag_earnings_agent,
    "smol_deep_research_agent": smol_deep_research_agent,
}
