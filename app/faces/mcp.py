"""MCP: each question of the shelf is a tool, with the parameters of the question and no others; lineage,
search, cases and a look at retention are tools, too.

A tool answers with the sentences, and with the answer that REST and the command line give, as structured
content (and, as MCP asks for old clients, once more as text).
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple, cast

import anyio
import msgspec
from anyio.to_thread import run_sync
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from app.faces import mcp_cases, mcp_retention
from app.faces.mcp_tools import VerbTool
from app.faces.schemas import parameter_schema
from app.searching import SearchAsked, sentences
from app.service import Service
from provmodel.errors import BadQuestion, ClewError
from queries import answer as answers
from queries import shelf
from queries.question import Parameter, Question, parameters_of

INSTRUCTIONS = (
    "Clew records what AI agents did as a provenance graph in which every edge says how well it is known:"
    " verified, observed, declared or inferred. An answer leads with sentences and names what is missing:"
    " gaps, unchecked, and the frontier where the walk stopped. 'Sent to' is not 'based on': do not claim"
    " more than an edge's evidence."
)


SEARCH = "Find nodes by words, kind, run, agent, time and evidence, when their references are not known."


DEFECT = "a defect of this server, which wrote it to its standard error; please report it"


class Told(NamedTuple):
    """What a tool answers: sentences, and the JSON that REST gives."""

    sentences: Sequence[str]
    raw: bytes


Call = Callable[[Service, Mapping[str, Any]], Told]


class Offer(NamedTuple):
    """One tool, and what it does with its arguments."""

    tool: Tool
    call: Call


def offers() -> dict[str, Offer]:
    """The tools by name: the questions of the shelf, lineage, search, cases, and retention."""
    made = [_of_question(question) for question in shelf.everything().values()]
    made.append(Offer(_described("search", SEARCH, parameters_of(SearchAsked)), _search))
    made += [_of_verb(tool) for tool in (*mcp_cases.TOOLS, *mcp_retention.TOOLS)]
    return {offer.tool.name: offer for offer in made}


class Tools:
    """The tools over one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._offers = offers()

    async def listed(
        self, _: ServerRequestContext[Any], __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[offer.tool for offer in self._offers.values()])

    async def called(self, _: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        return await run_sync(self.call, params.name, params.arguments or {})

    def call(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Do what a tool does; what the asker must put right is told as the tool's error."""
        try:
            if name not in self._offers:
                raise BadQuestion(
                    "name", f"there is no tool {name!r}", f"use one of {', '.join(self._offers)}"
                )
            told = self._offers[name].call(self._service, arguments)
        except ClewError as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
        texts = ("\n".join(told.sentences), told.raw.decode())
        return CallToolResult(
            content=[TextContent(type="text", text=text) for text in texts],
            structured_content=msgspec.json.decode(told.raw),
        )


def create_server(service: Service) -> Server[Any]:
    """The MCP server over a service."""
    tools = Tools(service)
    return Server(
        "clew",
        version=version("clew-prov"),
        instructions=INSTRUCTIONS,
        on_list_tools=tools.listed,
        on_call_tool=tools.called,
    )


def serve(service: Service) -> None:
    """Serve one client on standard input and output, until it goes."""
    anyio.run(_serve, create_server(service))


async def _serve(server: Server[Any]) -> None:
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", _Lines())) as (reader, writer):
        heard, passed = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        said, spoken = anyio.create_memory_object_stream[SessionMessage](0)

        async def hear() -> None:
            """Pass messages on, and answer what is none, which the server itself drops in silence."""
            async with heard:
                async for item in reader:
                    if isinstance(item, Exception):
                        await _answer(item, writer.send)
                    else:
                        await heard.send(item)

        async def tell() -> None:
            """Send what the server says, to the last word."""
            async with writer:
                async for item in spoken:
                    await writer.send(_in_words(item))

        async with anyio.create_task_group() as telling:
            telling.start_soon(tell)
            async with anyio.create_task_group() as group:
                group.start_soon(hear)
                await server.run(passed, said, server.create_initialization_options())
                group.cancel_scope.cancel()


def _in_words(item: SessionMessage) -> SessionMessage:
    """What the SDK says; of a stray error, that there was one: in some versions of the protocol the SDK gives
    the error's bare text, which may be empty, or hold what was recorded.
    """
    message = item.message
    if not isinstance(message, JSONRPCError) or message.error.code not in (0, INTERNAL_ERROR):
        return item
    return SessionMessage(
        JSONRPCError(jsonrpc="2.0", id=message.id, error=ErrorData(code=INTERNAL_ERROR, message=DEFECT))
    )


class _Lines:
    """The lines of standard input."""

    async def __aiter__(self) -> AsyncIterator[str]:
        lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
        async for line in anyio.wrap_file(lines):
            yield _unmasked(line)


def _unmasked(line: str) -> str:
    """The line; of a request with an id by which it can't be answered only the id, so that it is refused.

    The SDK takes such a request (``"id": 1.5``, ``"id": null``) for a notification, and drops it in silence.
    """
    read = _tolerantly(line) if '"id"' in line else None
    if isinstance(read, dict) and "method" in read and "id" in read and not _is_id(read["id"]):
        return json.dumps({"id": read["id"]})
    return line


async def _answer(error: Exception, send: Callable[[SessionMessage], Awaitable[None]]) -> None:
    """Tell that a line is no message; of a blank one, nothing."""
    problems = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    read = [one["input"] for one in problems]
    unread = [one for one in problems if one["type"] == "json_invalid"]
    if unread:
        if not str(read[0]).strip():
            return
        said = ErrorData(code=PARSE_ERROR, message=f"this line can't be read: {unread[0]['msg']}")
        read = [_tolerantly(str(read[0]))]
    else:
        message = "this line is no message of JSON-RPC 2.0, or its id is neither a string nor an integer"
        said = ErrorData(code=INVALID_REQUEST, message=message)
    asked = next((one["id"] for one in read if isinstance(one, dict) and _is_id(one.get("id"))), None)
    await send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=asked, error=said)))


def _tolerantly(line: str) -> Any:
    """What Python takes for JSON all the same, such as half a character: so its request is answered by id."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_id(value: Any) -> bool:
    """Whether a request can be known by this, and an answer can say it."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, int) and not isinstance(value, bool)


def _of_question(question: Question[Any, Any]) -> Offer:
    def call(service: Service, arguments: Mapping[str, Any]) -> Told:
        asked = service.ask(question.name, arguments)
        return Told(asked.told(), answers.encode(asked.answer))

    return Offer(_described(question.name, question.sentence, question.parameters()), call)


def _search(service: Service, arguments: Mapping[str, Any]) -> Told:
    hits = service.search(arguments)
    return Told(sentences(hits), msgspec.json.encode(hits))


def _of_verb(tool: VerbTool) -> Offer:
    def call(service: Service, arguments: Mapping[str, Any]) -> Told:
        value, told = tool.verb(service, arguments)
        return Told(told, msgspec.json.encode(value))

    return Offer(_described(tool.name, tool.description, tool.parameters, tool.changes), call)


def _described(name: str, description: str, parameters: Iterable[Parameter], changes: bool = False) -> Tool:
    return Tool(
        name=name,
        description=description,
        input_schema={
            "type": "object",
            "properties": {
                one.name: {"description": one.description, **parameter_schema(one)} for one in parameters
            },
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(
            read_only_hint=not changes,
            destructive_hint=False,
            idempotent_hint=not changes,
            open_world_hint=False,
        ),
    )
