"""Retention as MCP tools: what would go and what was deleted, policies and holds. They only look: a model
deletes nothing, and neither holds nor lets go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from app.faces.mcp_tools import Verb, VerbTool
from app.keeping.forms import Everything, Holding, Listing, Looking
from app.keeping.telling import deletions_told, holds_told, policies_told, preview_told
from app.keeping.work import Keeping
from app.service import Service
from queries.question import parameters_of, read_params


def _preview(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    found = Keeping(service).preview(read_params(Looking, given))
    return found, preview_told(found)


def _policies(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    read_params(Everything, given)
    found = Keeping(service).policies()
    return found, policies_told(found)


def _holds(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    found = Keeping(service).holds(read_params(Holding, given))
    return found, holds_told(found)


def _deletions(service: Service, given: Mapping[str, Any]) -> tuple[Any, Sequence[str]]:
    found = Keeping(service).deletions(read_params(Listing, given))
    return found, deletions_told(found)


def _tool(name: str, description: str, form: type[msgspec.Struct], verb: Verb) -> VerbTool:
    return VerbTool(f"retention-{name}", description, parameters_of(form), False, verb)


TOOLS = (
    _tool(
        "preview",
        "Say what a sweep, or the deletion of one thing, would delete, and which reports could then no longer"
        " be re-checked. Nothing is changed.",
        Looking,
        _preview,
    ),
    _tool("policies", "List how long content is kept.", Everything, _policies),
    _tool("holds", "List the legal holds: what must not be deleted, and why.", Holding, _holds),
    _tool(
        "deletions",
        "List what was deleted or is to be: when, by whom, why, from where, and what backups still hold.",
        Listing,
        _deletions,
    ),
)
