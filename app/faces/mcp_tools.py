"""A tool of MCP that is no question: what it takes, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from app.service import Service
from queries.question import Parameter

Verb = Callable[[Service, Mapping[str, Any]], tuple[Any, Sequence[str]]]


class VerbTool(NamedTuple):
    """One tool; ``verb`` takes the service and the arguments, and gives a value and sentences about it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    changes: bool
    verb: Verb
