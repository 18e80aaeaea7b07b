"""Examples of what is sent, for the OpenAPI description; the tests send each of them."""

from __future__ import annotations

import json
from typing import Any

RUN = "run:q3"
TIME = "2026-03-01T09:00:00Z"

EVENTS: list[dict[str, Any]] = [
    {
        "type": "run_started",
        "id": "e-1",
        "source": "harness",
        "epoch": "2026-03-01",
        "source_number": 1,
        "time": TIME,
        "run": RUN,
        "agent": "agent:reporter",
    },
    {
        "type": "model_call",
        "id": "e-2",
        "source": "harness",
        "epoch": "2026-03-01",
        "source_number": 2,
        "time": "2026-03-01T09:00:05Z",
        "run": RUN,
        "call": "call:1",
        "model": "model:some-model@version:7",
        "inputs": [{"ref": "message:q3/1", "role": "user", "body": {"text": "What is the fee?"}}],
        "outputs": [{"ref": "message:q3/2", "role": "assistant", "body": {"text": "The fee is 1.4 %."}}],
    },
]
NDJSON = "".join(json.dumps(event) + "\n" for event in EVENTS)
CLOUDEVENT = {
    "specversion": "1.0",
    "id": "e-3",
    "source": "harness",
    "type": "artifact_version",
    "time": TIME,
    "datacontenttype": "application/json",
    "data": {"ref": "file:/fees.csv@version:3", "kind": "file"},
}
OTLP = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "agent"}}]},
            "scopeSpans": [
                {
                    "scope": {"name": "openinference"},
                    "spans": [
                        {
                            "traceId": "0af7651916cd43dd8448eb211c80319c",
                            "spanId": "b7ad6b7169203331",
                            "name": "search",
                            "startTimeUnixNano": "1772355600000000000",
                            "endTimeUnixNano": "1772355601000000000",
                            "attributes": [
                                {"key": "openinference.span.kind", "value": {"stringValue": "TOOL"}},
                                {"key": "tool.name", "value": {"stringValue": "search"}},
                            ],
                        }
                    ],
                }
            ],
        }
    ]
}

SHORT: dict[str, dict[str, Any]] = {
    "source_reported": {
        "source": "harness",
        "state": "opened",
        "hooks": [{"name": "llm", "covers": ["model_call"]}],
    },
    "run_started": {"agent": "agent:reporter", "task": "report on the third quarter"},
    "run_ended": {"run": RUN, "status": "completed", "outputs": ["report:q3@version:1"]},
    "run_cancelled": {"run": RUN, "by": "person:amy"},
    "model_call": {
        "run": RUN,
        "model": "model:some-model",
        "inputs": [{"text": "What is the fee?"}],
        "outputs": [{"text": "The fee is 1.4 %."}],
    },
    "action_proposed": {"run": RUN, "tool": "refund", "arguments": {"order": 17, "amount": "412.60"}},
    "authorization_decided": {
        "run": RUN,
        "action": "action:refund-17",
        "verdict": "allow",
        "decider": "person:amy",
        "policy": "policy:refunds@version:4",
    },
    "tool_call": {
        "run": RUN,
        "tool": "search",
        "arguments": {"query": "fees"},
        "reads": ["file:/fees.csv@version:3"],
        "results": [{"json": {"fee": "1.4 %"}}],
    },
    "verification": {
        "subject": "action:refund-17",
        "method": "read-back",
        "verdict": "confirmed",
        "read": {"ref": "order:17@version:2"},
    },
    "artifact_version": {"ref": "file:/fees.csv@version:3", "kind": "file", "text": "name,fee\ncard,1.4 %\n"},
    "delegated": {
        "from_run": RUN,
        "to_run": "run:q3-sub",
        "agent": "agent:helper",
        "inputs": [{"text": "Draft the summary."}],
    },
    "adoption_decided": {
        "run": RUN,
        "draft": "draft:1@version:1",
        "verdict": "rejected",
        "reason": "out of date",
    },
    "derived": {
        "to": "file:/fees.json@version:1",
        "from": ["file:/fees.csv@version:3"],
        "method": "csv-to-json",
    },
    "retracted": {"what": "file:/fees.csv@version:3", "by": "person:amy", "reason": "wrong fee"},
    "content_deleted": {"body": "body:1", "policy": "policy:retention@version:1", "actor": "person:amy"},
    "content_captured": {"content": {"ref": "file:/fees.csv@version:3", "body": {"text": "name,fee\n"}}},
    "span": {"run": RUN, "kind": "CHAIN", "name": "plan", "inputs": ["Plan the report."]},
}
