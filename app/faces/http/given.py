"""The words of a request."""

from __future__ import annotations

from fastapi import Request


def given_by(request: Request) -> dict[str, list[str]]:
    """The query string as the words of a question."""
    return {name: request.query_params.getlist(name) for name in request.query_params}
