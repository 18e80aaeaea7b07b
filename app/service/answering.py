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

    def going_on(self, cursor: str = "cursor") -> list[str]:
        """How to ask for the next page, if there is one, by what the asker calls the cursor."""
        next_page = self.answer.graph.cursor
        return [f"To go on, ask the same with {cursor}={next_page}"] if next_page else []

    def told(self, cursor: str = "cursor") -> list[str]:
        """The sentences, how to go on, and what they hold for."""
        return [*self.sentences, *self.going_on(cursor), self.stamp]

    @property
    def stamp(self) -> str:
        """When and under which rules the answer holds."""
        graph = self.answer.graph
        evidence = ", ".join(graph.evidence.set)
        return f"As of log entry {graph.as_of}; policy {graph.policy.name}; evidence {evidence}."
