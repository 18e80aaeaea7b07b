"""MCP: a real client over standard input and output, and the same answers as REST gives."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from app.faces.mcp import DEFECT
from queries import answer as answers
from queries import shelf
from tests.app.faces import array, client_of, event, service_at
from tests.patience import HANGING

TARGET = "message:1/2/out"
EVENTS = [event(1), event(2, inputs=[{"ref": "message:1/1/out"}])]


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    """The URL of a ledger with two calls in it."""
    url = f"sqlite:///{tmp_path / 'clew.db'}"
    with service_at(url, tmp_path, writing=False) as service:
        service.record([json.dumps(one).encode() for one in EVENTS])
    return url


class Told:
    """What the server said in one session."""

    tools: dict[str, Any]
    instructions: str | None
    answers: list[CallToolResult]


def converse(url: str, *calls: tuple[str, dict[str, Any]]) -> Told:
    """List the tools, and call some, in one session with ``clew mcp``."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from app.faces.cli import main; main()", "mcp", "--db", url],
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    told = Told()

    async def session() -> None:
        async with Client(stdio_client(server)) as client:
            told.tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            told.instructions = client.instructions
            told.answers = [await client.call_tool(name, arguments) for name, arguments in calls]

    anyio.run(session)
    return told


def test_each_question_is_a_tool_with_the_parameters_of_the_question(ledger: str) -> None:
    told = converse(ledger)
    assert told.tools.keys() >= shelf.questions().keys()
    for name, question in shelf.questions().items():
        tool = told.tools[name]
        assert tool.description == question.sentence
        properties = tool.input_schema["properties"]
        assert list(properties) == [parameter.name for parameter in question.parameters()]
        assert all(one["description"] for one in properties.values())
        assert properties["target"] | {"type": "array", "items": {"type": "string"}} == properties["target"]
        assert properties["depth"]["type"] == "integer"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations.read_only_hint
    assert told.instructions
    assert "evidence" in told.instructions


def test_mcp_rest_and_the_service_give_equal_answers(ledger: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"target": [TARGET], "as_of": "2", "depth": 3}
    of_nodes = [name for name, question in shelf.questions().items() if not question.of_runs]
    told = converse(ledger, *((name, asked) for name in of_nodes))
    with service_at(ledger, tmp_path) as service, client_of(service) as http:
        for name, given in zip(of_nodes, told.answers, strict=True):
            rest = http.get(f"/v1/questions/{name}", params=asked).json()
            own = service.ask(name, asked)
            assert not given.is_error
            assert given.structured_content
            assert given.structured_content["graph"] == rest["graph"]
            assert given.structured_content["graph"] == json.loads(answers.encode(own.answer))["graph"]
            words, whole = (part.text for part in given.content if isinstance(part, TextContent))
            assert words == "\n".join([*own.sentences, own.stamp])
            assert json.loads(whole) == given.structured_content


def test_what_can_not_be_asked_is_told_to_the_one_who_asks(ledger: str) -> None:
    told = converse(
        ledger,
        ("inputs-of", {"target": ["nothing"]}),
        ("inputs-of", {"target": [TARGET], "colour": "red"}),
        ("inputs-of", {"target": [TARGET], "depth": "deep"}),
        ("inputs-of", {}),
        ("who-knows", {}),
        ("inputs-of", {"target": TARGET}),
    )
    texts = [part.text for one in told.answers for part in one.content[:1] if isinstance(part, TextContent)]
    assert [bool(one.is_error) for one in told.answers] == [True] * 5 + [False]
    for text, names in zip(texts, ("nothing", "colour", "depth", "target", "who-knows"), strict=False):
        assert names in text


def test_a_session_sees_what_is_recorded_beside_it(ledger: str, tmp_path: Path) -> None:
    with service_at(ledger, tmp_path) as service, client_of(service) as http:
        http.post("/v1/events", content=array([event(3, inputs=[{"ref": TARGET}])]))
    [answer] = converse(ledger, ("impact-of", {"target": [TARGET]})).answers
    assert answer.structured_content
    assert "call:3" in [node["ref"] for node in answer.structured_content["graph"]["nodes"]]


# --- lines that are no messages ---

CALL = '{"jsonrpc": "2.0", "id": %s, "method": "tools/call", "params": {"name": "%s", "arguments": {}}}'
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}


NO_MESSAGES = [
    ("{bad", None, -32700),
    (CALL % (7, "\\ud800"), 7, -32700),
    (CALL % ('"\\udfff"', "search"), None, -32700),
    (CALL % ("9" * 4000, "\\ud800"), int("9" * 4000), -32700),
    ("[" * 100_000, None, -32700),
    ('{"id": "a"}', "a", -32600),
    ('{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": 5}', 8, -32600),
    ("[1]", None, -32600),
    ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
    ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, -32600),
    ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, -32600),
    ("5", None, -32600),
]


def test_lines_that_are_no_messages_are_answered_each_and_the_next_one_too(ledger: str) -> None:
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    sent = [json.dumps(hello), "", *(line for line, _, _ in NO_MESSAGES), json.dumps(ping)]
    with subprocess.Popen(
        [sys.executable, "-c", "from app.faces.cli import main; main()", "mcp", "--db", ledger],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        said, _ = process.communicate("".join(f"{one}\n" for one in sent), timeout=HANGING)
    answers = [json.loads(line) for line in said.splitlines()]
    assert process.returncode == 0
    assert [(one["id"], one["error"]["code"]) for one in answers if "error" in one] == [
        (known, code) for _, known, code in NO_MESSAGES
    ]


def test_a_defect_is_told_in_words_that_hold_nothing_of_what_is_recorded(ledger: str) -> None:
    with sqlite3.connect(ledger.removeprefix("sqlite:///")) as damaged:
        damaged.execute("update event set log = 'ruined'")
    with pytest.raises(ExceptionGroup) as told:
        converse(ledger, ("attempts-of", {"target": [TARGET]}))
    assert told.group_contains(MCPError, match=re.escape(DEFECT))
