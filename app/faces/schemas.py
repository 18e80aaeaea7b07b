"""A question's parameter as JSON Schema, for the faces that describe themselves in it."""

from __future__ import annotations

from typing import Any

from queries.question import Parameter

_KINDS = {"text": "string", "integer": "integer", "flag": "boolean"}


def parameter_schema(parameter: Parameter) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the values that a parameter takes."""
    schema: dict[str, Any] = {"type": _KINDS[parameter.kind]}
    if parameter.allowed:
        schema["enum"] = list(parameter.allowed)
    if parameter.minimum is not None:
        schema["minimum"] = parameter.minimum
    if parameter.maximum is not None:
        schema["maximum"] = parameter.maximum
    if parameter.repeatable:
        return {"type": "array", "items": schema}
    if parameter.default not in (None, ""):
        schema["default"] = parameter.default
    return schema
