"""What ``ask`` gives."""

from __future__ import annotations

from typing import Any, NamedTuple

from queries.answer import Answer
from queries.question import Question


class Asked(NamedTuple):
    """A question, and the answer that it gave."""

    question: Question[Any, Any]
    answer: Answer[Any]

    @property
    def sentences(self) -> list[str]:
        """The answer in plain sentences, what is missing included."""
        return self.question.sentences(self.answer)

    @property
    def stamp(self) -> str:
        """When and under which rules the answer holds."""
        graph = self.answer.graph
        evidence = ", ".join(graph.evidence.set)
        return f"As of log entry {graph.as_of}; policy {graph.policy.name}; evidence {evidence}."
