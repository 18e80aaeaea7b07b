"""One answer, whatever holds the graph and whatever came first."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.ledger import Ledger
from queries.memory import MemoryGraph
from tests.ledgers import all_prepared
from tests.queries.judged import ORDER, QUESTION, args, asked, done
from tests.stores import empty_ledger
from tests.story import Story, instant

TARGETS = ("order:17", "att:1", "act:1", "act:2", "run:1", "email:9")


def busy() -> Story:
    """A time-out and its retry, something sent against a denial, a session grant, a cancel, a conflict."""
    story = asked(key="k1", target="order:17")
    story.reports(hooks={"all": ["authorization_decided", "tool_call", "action_proposed"]})
    story.decides("dec:1", action="act:1", shown=args(), policy={"ref": "policy:refunds", "rule": "r3"})
    story.decides("dec:2", scope={"kind": "session", "limit": 1}, valid={"until": instant(500)})
    story.decides("dec:3", "ask", action="act:2", source="gate", id="same")
    story.decides("dec:3", "deny", action="act:2", source="gate", id="same")
    done(story, "att:1", decision="dec:1", key="k1", outcome="unknown", writes=[], started=instant(20))
    done(story, "att:2", decision="dec:1", key="k1", retry_of="att:1", started=instant(30))
    story.proposes("act:2", tool="send", arguments={"to": "someone@example.org"})
    story.tries(
        "att:3", [{"ref": "email:9", "mode": "send"}], tool="send", action="act:2", started=instant(40)
    )
    story.cancels("ann", decisions=["dec:2"], time=instant(35))
    story.checks("ver:1", "act:1", read=ORDER)
    return story


def told(graph: Any, target: str) -> bytes:
    return msgspec.json.encode(QUESTION.answer(graph, QUESTION.read({"target": target})).graph)


@pytest.mark.parametrize("target", TARGETS)
def test_a_ledger_and_a_graph_in_memory_answer_alike(target: str, tmp_path: Path) -> None:
    story = busy()
    with Ledger.open(empty_ledger(tmp_path / "clew.db")) as ledger:
        ledger.append("default", all_prepared(story.events))
        assert told(ledger.graph("default"), target) == told(story.graph(), target)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_arrival_changes_no_judgement(seed: int) -> None:
    story = busy()
    order = list(range(len(story.events)))
    random.Random(seed).shuffle(order)
    shuffled = MemoryGraph.of_events(story.arrived(order))
    for target in TARGETS:
        one, other = (msgspec.json.decode(told(graph, target)) for graph in (story.graph(), shuffled))
        for key in ("outcomes", "effect", "writes", "decisions", "unexecuted", "silent", "gaps", "unchecked"):
            assert _without_seqs(one[key]) == _without_seqs(other[key]), (target, key)


def test_an_answer_as_of_a_seq_is_the_same_after_more_came() -> None:
    story = busy()
    params = QUESTION.read({"target": "order:17", "as_of": 10})
    before = msgspec.json.encode(
        QUESTION.answer(MemoryGraph.of_events(story.arrived(range(10))), params).graph
    )
    assert msgspec.json.encode(QUESTION.answer(story.graph(), params).graph) == before


def _without_seqs(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seqs(item) for key, item in value.items() if key != "event"}
    return [_without_seqs(item) for item in value] if isinstance(value, list) else value
