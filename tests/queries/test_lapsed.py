"""Why what a path led to is not led to any more."""

from __future__ import annotations

from provmodel.evidence import ALL_EVIDENCE, Evidence
from queries import shelf
from queries.graph import Graph
from queries.lapsed import CUT, UNKNOWN, why_gone
from queries.paths import SHOWN
from tests.story import Story

VERIFIED = frozenset({Evidence.VERIFIED})


def path_to(graph: Graph, target: str, ref: str, as_of: int) -> tuple[str, ...]:
    """The best path from a target to what came of it, as impact-of tells it."""
    question = shelf.question("impact-of")
    impact = question.answer(graph, question.read({"target": target, "as_of": str(as_of)})).graph
    return next(entry.path for entry in impact.affected if entry.ref == ref)


def test_a_step_that_was_refuted_since_says_so_and_by_whom() -> None:
    story = Story()
    story.tries("at:1", reads=["doc:a"], writes=["file:/x@version:1"])
    story.checks("check:1", "at:1", "confirmed_failed")
    graph = story.graph()
    path = path_to(graph, "doc:a", "file:/x@version:1", 1)
    assert why_gone(graph, path, 1, 2, ALL_EVIDENCE) == (
        "that file:/x@version:1 came of at:1 is refuted since, by source:harness"
    )
    assert why_gone(graph, path, 1, 2, ALL_EVIDENCE, include_refuted=True) == UNKNOWN


def test_a_step_that_was_joined_and_is_not_any_more_says_so() -> None:
    """A price that one result held stands for it; when another turns out to have held it too, for neither."""
    story = Story()
    story.run("run:1")
    story.tries("at:1", reads=["doc:a"], results=[{"ref": "res:1", "body": {"text": "12.50"}}])
    story.proposes("act:1", arguments={"price": "12.50"})
    story.tries("at:2", action="act:1", writes=["file:/x@version:1"])
    story.tries("at:0", results=[{"ref": "res:0", "body": {"text": "12.50"}}], time="2026-03-01T08:00:00Z")
    graph = story.graph()
    path = path_to(graph, "doc:a", "file:/x@version:1", 4)
    assert why_gone(graph, path, 4, graph.head(), ALL_EVIDENCE) == (
        "that act:1 came of res:1 was joined from what was recorded, and is not any more"
    )


def test_a_path_that_still_holds_leaves_it_unknown() -> None:
    story = Story()
    story.call("c:1", sees=["doc:a"], says=["t:1"])
    graph = story.graph()
    assert why_gone(graph, ("doc:a", "c:1", "t:1"), 1, 1, ALL_EVIDENCE) == UNKNOWN
    assert why_gone(graph, ("nowhere",) * SHOWN, 1, 1, ALL_EVIDENCE) == CUT


def test_a_step_that_only_other_evidence_supports_by_now_says_so() -> None:
    story = Story()
    story.tries("at:1", writes=["file:/x@sha256:aa"])
    story.call("c:1", sees=["file:/x@sha256:aa"], says=["t:1"])
    story.tries("at:0", writes=["file:/x@sha256:aa"], time="2026-03-01T08:00:00Z")
    graph = story.graph()
    told = why_gone(graph, ("file:/x@sha256:aa;by=at:1", "c:1"), 2, graph.head(), VERIFIED)
    assert told == (
        "that c:1 came of file:/x@sha256:aa;by=at:1 is known by other evidence alone than was asked for"
    )
