"""Runs to ask about: rounds of tool calls side by side, over documents that many runs share, up to a report.

Each study goes on from the notes that the one before it left, so that every report leads back through all of
them; to ``DEPTH`` these are some 500 nodes. Documents are read by many studies, a few by nearly
all; the handbook has a chain of versions, each an edit of the one before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from hashlib import sha256

from benchmarks.workload import Event, time_of

ROUNDS = 10
SIDE_BY_SIDE = 10
DEPTH = 2 * ROUNDS + 1
"""Activities from a report back to the first tool calls of its study; beyond them is the frontier."""

_DOCUMENTS = 3_000
_VERSIONS = 12
_MODEL = "model:analyst-large@version:2026-02-11.3"
_PROMPT = "prompt:analyst@sha256:" + sha256(b"prompt").hexdigest()


def report_of(study: int) -> str:
    """The version of the report that a study wrote."""
    return f"report:refunds/{study:06}@version:1"


def handbook() -> Iterator[Event]:
    """Versions of the handbook, each an edit of the one before."""
    for version in range(1, _VERSIONS + 1):
        fields = {"ref": f"document:handbook@version:{version}", "kind": "document", "mode": "create"}
        if version > 1:
            fields |= {"mode": "edit", "before": f"document:handbook@version:{version - 1}"}
        yield {
            "type": "artifact_version",
            "id": f"handbook/{version}",
            "source": "library",
            "time": time_of(version),
            **fields,
        }


def study(number: int) -> Iterator[Event]:
    """One study, in the order in which it is reported."""
    return _Study(number).events()


class _Study:
    def __init__(self, number: int) -> None:
        self.number = number
        self.run = f"run:study-{number:06}"
        self.chosen = random.Random(number)
        self.told = 0

    def events(self) -> Iterator[Event]:
        yield self._tell("run_started", agent="agent:analyst", on_behalf_of="person:kim")
        results = [self._name("message", "task")]
        for step in range(ROUNDS):
            yield self._call(step, results)
            for lane in range(SIDE_BY_SIDE):
                yield self._action(step, lane)
                yield self._attempt(step, lane)
            results = [self._name("result", f"{step}/{lane}") for lane in range(SIDE_BY_SIDE)]
        yield self._call(ROUNDS, results)
        yield self._writes()
        yield self._tell("run_ended", status="completed")

    def _tell(self, kind: str, **fields: object) -> Event:
        self.told += 1
        event = {
            "type": kind,
            "id": f"{self.number}/{self.told}",
            "source": "harness/analyst",
            "run": self.run,
        }
        return {**event, "time": time_of(self.number * 1000 + self.told), **fields}

    def _name(self, kind: str, place: object) -> str:
        return f"{kind}:study-{self.number:06}/{place}"

    def _call(self, step: int, results: list[str]) -> Event:
        return self._tell(
            "model_call",
            call=self._name("call", step),
            model=_MODEL,
            instructions=[{"ref": _PROMPT}],
            inputs=[{"ref": ref, "role": "tool"} for ref in results],
            outputs=[{"ref": self._name("message", step), "role": "assistant"}],
        )

    def _action(self, step: int, lane: int) -> Event:
        return self._tell(
            "action_proposed",
            action=self._name("action", f"{step}/{lane}"),
            call=self._name("call", step),
            tool="tool:search",
            arguments={"alg": "hmac-sha256-128-jcs", "whole": f"{self.number:08x}{step:04x}{lane:04x}"},
        )

    def _attempt(self, step: int, lane: int) -> Event:
        reads = [_document(self.chosen) for _ in range(2)]
        if step == 0:
            reads[0] = f"file:/notes.md@version:{self.number}"
        elif lane == 0:
            reads[0] = f"document:handbook@version:{1 + self.number % _VERSIONS}"
        elif lane == 1 and step % 4 == 0:
            reads[0] = "database:orders"  # without a version
        return self._tell(
            "tool_call",
            attempt=self._name("attempt", f"{step}/{lane}"),
            action=self._name("action", f"{step}/{lane}"),
            tool="tool:search",
            outcome="completed",
            reads=[{"ref": ref} for ref in reads],
            results=[{"ref": self._name("result", f"{step}/{lane}"), "state": "never_captured"}],
        )

    def _writes(self) -> Event:
        """The report, and the notes for the next study."""
        notes = f"file:/notes.md@version:{self.number + 1}"
        writes = [
            {"ref": report_of(self.number), "mode": "create"},
            {"ref": notes, "mode": "edit", "before": f"file:/notes.md@version:{self.number}"},
        ]
        return self._tell(
            "tool_call",
            attempt=self._name("attempt", "report"),
            tool="tool:write",
            outcome="completed",
            reads=[{"ref": self._name("message", ROUNDS)}],
            writes=writes,
        )


def _document(chosen: random.Random) -> str:
    number = int(_DOCUMENTS * chosen.random() ** 3)
    return f"document:orders/{number}@sha256:{sha256(b'%d' % number).hexdigest()}"
