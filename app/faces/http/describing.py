"""Pieces of the OpenAPI description that several routes use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.faces.http.problems import MEDIA_TYPE
from app.faces.schemas import parameter_schema
from queries.question import Parameter

SCHEMAS = "#/components/schemas/"
_PROBLEM = {"content": {MEDIA_TYPE: {"schema": {"$ref": f"{SCHEMAS}Problem"}}}}


def ref(schema: str, description: str, media_type: str = "application/json") -> dict[str, Any]:
    """A response whose body has a schema by that name."""
    content = {media_type: {"schema": {"$ref": SCHEMAS + schema}}}
    return {"description": description, "content": content}


def trouble(description: str) -> dict[str, Any]:
    """A response that is a problem."""
    return {"description": description, **_PROBLEM}


TEXT: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
"""The other form of an answer: a few sentences."""

ANSWERS: dict[int | str, dict[str, Any]] = {
    404: trouble("Nothing has that name; look-alikes are named."),
    422: trouble("A parameter is out of its range, or a name fits several things."),
    503: trouble("The store can't be used now; Retry-After says when to come again."),
}
"""What every reading address may answer instead."""
DOCUMENT: dict[int | str, dict[str, Any]] = {
    406: trouble("No format that is accepted is offered; those that are offered are named."),
    413: trouble("More than is written at once in this format."),
    501: trouble("This server lacks a program that the format needs."),
    **ANSWERS,
}
"""What an address of PROV documents may answer instead."""


def query_parameters(
    parameters: Iterable[Parameter], example: Mapping[str, Any], targets: int = 0
) -> list[dict[str, Any]]:
    """Parameters of a question as OpenAPI has them; it asks about at least so many ``targets``."""
    return [
        _parameter(one, example.get(one.name), targets if one.name == "target" else 0) for one in parameters
    ]


def _parameter(parameter: Parameter, example: Any, least: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": parameter.name,
        "in": "query",
        "required": least > 0,
        "description": parameter.description,
        "schema": parameter_schema(parameter) | ({"minItems": least} if least else {}),
    }
    if example is not None:
        found["example"] = example
    return found
