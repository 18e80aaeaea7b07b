"""MCP: each question of the shelf is a tool, with the parameters of the question and no others.

A tool answers with the sentences, and with the answer that REST and the command line give, as structured
content (and, as MCP asks for old clients, once more as text).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import anyio
import msgspec
from anyio.to_thread import run_sync
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from app.faces.schemas import parameter_schema
from app.service import Service
from provmodel.errors import ClewError
from queries import answer as answers
from queries import shelf
from queries.question import Question

INSTRUCTIONS = (
    "Clew records what AI agents did as a provenance graph in which every edge says how well it is known:"
    " verified, observed, declared or inferred. An answer leads with sentences and names what is missing:"
    " gaps, unchecked, and the frontier where the walk stopped. 'Sent to' is not 'based on': do not claim"
    " more than an edge's evidence."
)


class Tools:
    """The tools over one service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def listed(
        self, _: ServerRequestContext[Any], __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[_tool(question) for question in shelf.questions().values()])

    async def called(self, _: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        return await run_sync(self.call, params.name, params.arguments or {})

    def call(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Ask; what the asker must put right is told as the tool's error."""
        try:
            asked = self._service.ask(name, arguments)
        except ClewError as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
        raw = answers.encode(asked.answer)
        texts = ("\n".join(asked.sentences), raw.decode())
        return CallToolResult(
            content=[TextContent(type="text", text=text) for text in texts],
            structured_content=msgspec.json.decode(raw),
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
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def _tool(question: Question[Any, Any]) -> Tool:
    return Tool(
        name=question.name,
        description=question.sentence,
        input_schema={
            "type": "object",
            "properties": {
                one.name: {"description": one.description, **parameter_schema(one)}
                for one in question.parameters()
            },
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
