"""What one face can be asked for the others can: a verb takes the same parameters wherever it is offered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient
from typer.main import get_command

from app.faces import mcp
from app.faces.cli import app
from app.faces.cli.lazy import Declared
from queries import shelf

OF_THE_TERMINAL = {"db", "url", "json", "text", "output"}
"""Where a command acts, and what it prints."""


class Verb(NamedTuple):
    """One verb: its command, its address, its tool, and the parameters that a command calls otherwise."""

    command: str
    address: str
    tool: str = ""
    called: Mapping[str, str] = MappingProxyType({})


VERBS = [
    *(Verb(f"ask {name}", f"get /v1/questions/{name}", name) for name in shelf.questions()),
    Verb("lineage", "get /v1/lineage", "lineage"),
    Verb("export", "get /v1/export"),
    Verb("search", "get /v1/nodes", "search", {"words": "q"}),
    Verb("documents", "get /v1/documents"),
    Verb("access", "get /v1/access"),
    Verb("case open", "post /v1/cases", "case-open"),
    Verb("case list", "get /v1/cases", "case-list"),
    Verb("case show", "get /v1/cases/{case}", "case-show"),
    Verb("case rerun", "post /v1/cases/{case}/runs", "case-rerun"),
    Verb("case ack", "post /v1/cases/{case}/actions", "case-decide", {"refs": "ref", "everything": "all"}),
    Verb("retention put", "post /v1/retention/policies", called={"what": "bodies"}),
    Verb("retention end", "delete /v1/retention/policies"),
    Verb("retention policies", "get /v1/retention/policies", "retention-policies"),
    Verb("retention hold", "post /v1/retention/holds", called={"name": "hold"}),
    Verb("retention lift", "delete /v1/retention/holds", called={"name": "hold"}),
    Verb("retention holds", "get /v1/retention/holds", "retention-holds", {"everything": "lifted"}),
    Verb("retention preview", "get /v1/retention/preview", "retention-preview"),
    Verb("retention sweep", "post /v1/retention/sweeps"),
    Verb("retention delete", "post /v1/retention/deletions", called={"why": "reason_class"}),
    Verb("retention deletions", "get /v1/retention/deletions", "retention-deletions"),
    Verb("retention erase-person", "post /v1/retention/erasures"),
    Verb("restriction list", "get /v1/restrictions"),
    Verb("restriction set", "put /v1/restrictions", called={"group": "groups"}),
    Verb("restriction lift", "delete /v1/restrictions"),
]

WRITTEN = tuple(
    f"{method} /v1/{kind}"
    for method in ("post", "put", "delete")
    for kind in ("cases", "retention", "restrictions")
)
"""What is changed over more than one face."""

OF_THE_ADDRESS = {"get /v1/nodes": {"ref"}, "post /v1/cases/{case}/actions": {"verb"}}
"""What an address takes beside: references of nodes to be looked up; the decision, which names a command."""

ALONE = {
    "get /v1/questions": "clew ask --help lists them",
    "get /v1/pictures/{question}": "positions on a screen",
    "get /v1/events": "the log, for programs",
    "get /v1/runs": "a list for the page; clew search --kind clew:Run finds them",
    "get /v1/sources": "clew ask gaps-of says what came of each",
    "get /v1/content": "a body, for programs",
    "get /v1/runs/tag-key": "for producers",
    "get /v1/me": "who a key is of",
}
"""Addresses under /v1 that read and have no command, each with the reason."""


def commands() -> dict[str, set[str]]:
    """The parameters of each command by its path, spelt as the other faces do."""
    found: dict[str, set[str]] = {}

    def look(command: Any, path: list[str]) -> None:
        if hasattr(command, "list_commands"):
            for name in command.list_commands(None):
                look(command.get_command(None, name), [*path, name])
            return
        made = command.made() if isinstance(command, Declared) else command
        found[" ".join(path)] = {one.name for one in made.params}

    look(get_command(app), [])
    return found


def addresses(openapi: Any) -> dict[str, set[str]]:
    """The parameters of each address, those of a body included."""
    schemas = openapi["components"]["schemas"]
    found = {}
    for path, methods in openapi["paths"].items():
        for method, one in methods.items():
            names = {parameter["name"] for parameter in one.get("parameters", ())}
            for content in one.get("requestBody", {}).get("content", {}).values():
                schema = content["schema"]
                schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
                names |= schema.get("properties", {}).keys()
            found[f"{method} {path}"] = names
    return found


@pytest.fixture
def rest(http: TestClient) -> dict[str, set[str]]:
    return addresses(http.get("/openapi.json").json())


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.command)
def test_a_verb_takes_the_same_parameters_on_every_face(verb: Verb, rest: dict[str, set[str]]) -> None:
    typed = {verb.called.get(name, name) for name in commands()[verb.command]} - OF_THE_TERMINAL
    assert typed == rest[verb.address] - OF_THE_ADDRESS.get(verb.address, set())
    if verb.tool:
        tool = mcp.offers()[verb.tool].tool
        assert tool.input_schema["properties"].keys() - {"verb"} == typed


def test_every_address_has_a_command_or_a_reason(rest: dict[str, set[str]]) -> None:
    offered = {address for address in rest if address.startswith(("get /v1/", *WRITTEN))}
    assert offered == {verb.address for verb in VERBS} | ALONE.keys()


def test_every_tool_has_a_command_and_an_address() -> None:
    assert mcp.offers().keys() == {verb.tool for verb in VERBS if verb.tool}
