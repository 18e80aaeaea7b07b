"""Sets of events that touch each other in every way that matters to joining, for tests about order and
repetition.

The same seed gives the same set: reads and writes of a few states, the same content written again, retries,
verdicts, values that travel from results into arguments and messages, conflicting variants of one id, and ids
that one event uses as an entity and another as an activity.
"""

from __future__ import annotations

import random
from typing import Any

STATES = ("file:/a@sha256:0a", "file:/a@sha256:0b", "file:/b@sha256:0c", "report:r@sha256:0d", "db@etag:7")
VALUES = ("ok", "INV-2026-00117", "kim@example.org", "4f9d1c22-77aa", "12.50")
RUN_COUNT = 2

Fields = dict[str, Any]


class Scramble:
    """Builds one set of events, as JSON-able objects."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.events: list[Fields] = []

    def build(self, size: int) -> list[Fields]:
        makers = (self.call, self.action, self.attempt, self.attempt, self.verdict, self.decision, self.other)
        while len(self.events) < size:
            self.random.choice(makers)(len(self.events))
        self._conflicts()
        self._clashes()
        return self.events

    def add(self, type_: str, number: int, **fields: Any) -> None:
        second = self.random.randrange(60)
        self.events.append(
            {
                "type": type_,
                "id": f"e{number}",
                "source": self.random.choice(("harness", "gateway")),
                "time": f"2026-03-01T09:{number % 60:02}:{second:02}Z",
                "run": f"r{self.random.randrange(RUN_COUNT)}",
                **{name: value for name, value in fields.items() if value not in (None, [], ())},
            }
        )

    def text(self) -> Fields:
        """A body that holds one of the values, alone, in a sentence, or in JSON."""
        value = self.random.choice(VALUES)
        shapes: tuple[Fields, ...] = (
            {"text": value},
            {"text": f"please see {value} today"},
            {"json": {"id": value, "n": 3}},
        )
        return self.random.choice(shapes)

    def ref(self, prefix: str, number: int, **more: Any) -> Fields:
        return {"ref": f"{prefix}:{number}", "body": self.text(), **more}

    def state(self) -> str:
        return self.random.choice(STATES)

    def call(self, number: int) -> None:
        inputs = [self.ref("message", number), {"ref": self.state()}]
        outputs = [self.ref("answer", number)]
        cited = [{"output": f"answer:{number}", "source": self.state()}] if self.random.random() < 0.5 else []
        self.add(
            "model_call",
            number,
            call=f"c{number}",
            model="m",
            inputs=inputs,
            outputs=outputs,
            citations=cited,
        )

    def action(self, number: int) -> None:
        self.add(
            "action_proposed",
            number,
            action=f"op{number % 9}",
            tool="pay",
            key=self.random.choice(("k1", "k2", None)),
            call=f"c{number % 11}",
            arguments={"body": {"json": {"to": self.random.choice(VALUES)}}},
        )

    def attempt(self, number: int) -> None:
        mode = self.random.choice(("create", "edit", "replace", "delete"))
        before = self.state() if mode in ("edit", "replace") else None
        write = {"ref": self.state(), "mode": mode} | ({"before": before} if before else {})
        if before == write["ref"]:
            write.pop("before")
        self.add(
            "tool_call",
            number,
            attempt=f"at{number}",
            tool="pay",
            outcome=self.random.choice(("accepted", "completed", "failed", "unknown")),
            action=self.random.choice((f"op{number % 9}", None)),
            key=self.random.choice(("k1", "k2", None)),
            reads=[{"ref": self.state(), "body": self.text()}],
            results=[self.ref("result", number)],
            writes=[write] if self.random.random() < 0.8 else [],
        )

    def verdict(self, number: int) -> None:
        subject = self.random.choice((f"op{number % 9}", f"at{number - 1}", self.state()))
        self.add(
            "verification",
            number,
            verification=f"v{number}",
            subject=subject,
            method="read-back",
            verdict=self.random.choice(("confirmed", "confirmed_failed", "unconfirmed")),
            read={"ref": self.state()},
        )

    def decision(self, number: int) -> None:
        self.add(
            "authorization_decided",
            number,
            decision=f"d{number}",
            action=f"op{number % 9}",
            verdict=self.random.choice(("allow", "deny")),
            decider={"id": "kim", "kind": "person"},
        )

    def other(self, number: int) -> None:
        match self.random.randrange(4):
            case 0:
                self.add("retracted", number, what=self.state(), by="kim")
            case 1:
                accepted = {"accepted": f"accepted:{number}"}
                self.add(
                    "adoption_decided",
                    number,
                    decision=f"ad{number}",
                    draft=self.state(),
                    verdict="adopted",
                    **accepted,
                )
            case 2:
                self.add("artifact_version", number, ref=self.state(), kind="file", label=f"label {number}")
            case _:
                self.add(
                    "derived",
                    number,
                    to=f"derived:{number}",
                    method="join",
                    **{"from": [{"ref": self.state()}]},
                )

    def _conflicts(self) -> None:
        """A few events come again under the same source and id, with other content."""
        for event in self.random.sample(self.events, 4):
            self.events.append({**event, "time": "2026-03-01T10:00:00Z"})

    def _clashes(self) -> None:
        """What one event uses as an entity, another uses as an activity."""
        number = len(self.events)
        self.add("derived", number, to="clash", method="join", **{"from": [{"ref": self.state()}]})
        self.add("model_call", number + 1, call="clash", model="m", inputs=[{"ref": self.state()}])


def scrambled(events: list[Fields], seed: int) -> list[Fields]:
    """The same events in another order, some of them several times."""
    chosen = random.Random(seed)
    again = chosen.choices(events, k=len(events) // 4)
    order = [*events, *again]
    chosen.shuffle(order)
    return order
