"""Where a server answers a question."""

from __future__ import annotations

from typing import Any

from queries.lineage import LINEAGE
from queries.question import Question


def address_of(question: Question[Any, Any]) -> str:
    """The path of a question, or of plain lineage."""
    return f"/v1/{'' if question is LINEAGE else 'questions/'}{question.name}"
