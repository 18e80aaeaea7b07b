"""``reference/rest.md``: every address of the server, from its own OpenAPI description."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.main import http_app, open_service
from app.settings import read
from docs.generate.markdown import document, made, prose, table

_METHODS = ("get", "post", "put", "delete")


def page() -> str:
    """The page."""
    return document(_lines(description()))


def description() -> dict[str, Any]:
    """What the server answers at ``/openapi.json``."""
    with TemporaryDirectory() as folder:
        told = read(str(Path(folder) / "empty.db"), {})
        service = open_service(told)
        try:
            return http_app(service, told).openapi()
        finally:
            service.close()


def _lines(described: dict[str, Any]) -> Iterator[str]:
    yield made("the OpenAPI description of the server")
    yield from (*_HEAD.splitlines(), "")
    by_tag: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, operations in described["paths"].items():
        for method in _METHODS:
            if method in operations:
                operation = operations[method]
                tag = next(iter(operation.get("tags", ())), "other")
                by_tag[tag].append((f"`{method.upper()} {path}`", _does(operation)))
    for tag in described["tags"]:
        if tag["name"] in by_tag:
            yield from (f"## {tag['name'].capitalize()}", "", tag["description"], "")
            yield from table(("address", "does"), by_tag.pop(tag["name"]))
    for name, rows in by_tag.items():
        yield from (f"## {name.capitalize()}", "")
        yield from table(("address", "does"), rows)


def _does(operation: dict[str, Any]) -> str:
    """What an address does: its summary, or of one that has only a name the first sentence about it."""
    summary, described = operation.get("summary", ""), operation.get("description", "")
    return summary if len(summary.split()) > 2 or not described else prose(described).partition(". ")[0]


_HEAD = """
# REST

`GET /openapi.json` of a running server describes each address in full: parameters, schemas, examples,
errors. This is the list.

Errors are problem details (RFC 9457): `title`, `status`, `detail`, and for a refused item its `field`,
`reason` and `remedy`. Node ids travel as query parameters.
"""
