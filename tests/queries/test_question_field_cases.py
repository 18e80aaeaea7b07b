"""Cases from the field about authority, attempts and versions, each with the answer that is right."""

from __future__ import annotations

from typing import Any

from queries import shelf
from queries.graph import Graph
from queries.questions.who_authorized import Who
from tests.story import Story, instant


def who(graph: Graph, target: str) -> Who:
    question = shelf.question("who-authorized")
    answer: Who = question.answer(graph, question.read({"target": target})).graph
    return answer


class TestAuthorizationShapes:
    """Case 136: none of three writes is plainly authorized, and each for another reason."""

    def graph(self) -> Graph:
        story = Story()
        story.run("run:1")
        for number, path in ((1, "x"), (2, "y"), (3, "z")):
            story.proposes(f"op{number}", arguments={"path": f"/{path}", "text": "as it was asked for"})
        other = {"body": {"json": {"path": "/x", "text": "as it was shown to the approver"}}}
        claimed = {"id": "alice", "kind": "person"}
        until = {"from": instant(0), "until": instant(600)}
        story.decides("az1", action="op1", decider=claimed, shown=other, authorized=other, valid=until)
        self._done(story, 1, "x", decision="az1", started=instant(1200), ended=instant(1201))
        story.decides("az2", "deny", action="op2", decider="bob")
        self._done(story, 2, "y", started=instant(1205), ended=instant(1206))
        self._done(story, 3, "z", started=instant(1207), ended=instant(1208))
        story.decides("az3", action="op3", decider="carol", time=instant(4800))
        return story.graph()

    def _done(self, story: Story, number: int, path: str, **more: Any) -> None:
        arguments = {"body": {"json": {"path": f"/{path}", "text": "as it was asked for"}}}
        story.tries(
            f"at{number}", [f"file:/{path}@version:2"], action=f"op{number}", arguments=arguments, **more
        )

    def test_a_name_from_the_caller_for_other_arguments_that_had_run_out(self) -> None:
        [write] = who(self.graph(), "file:/x").writes
        assert set(write.outcomes) == {
            "authorized_for_something_else",
            "expired_or_revoked",
            "claimed_not_authenticated",
        }
        [decision] = write.decisions
        assert (decision.decider.id, decision.decider.authenticated) == ("alice", "claimed")
        assert [each.pointer for each in write.differences] == ["/text"]

    def test_what_was_denied_and_done_was_authorized_by_nobody(self) -> None:
        [write] = who(self.graph(), "file:/y").writes
        assert write.outcomes == ("denied_and_done",)
        assert [(each.decider.id, each.verdict) for each in write.decisions] == [("bob", "deny")]

    def test_what_was_granted_afterwards_is_told_as_such(self) -> None:
        [write] = who(self.graph(), "file:/z").writes
        assert write.outcomes == ("granted_afterwards",)
        assert [each.decider.id for each in write.decisions] == ["carol"]


def test_a_timeout_and_its_retry_share_one_authorization() -> None:
    """Case 135: the second write was authorized by az1 under policy v3; the first is possible only."""
    story = Story()
    story.run("run:1")
    story.proposes("op1", tool="create_issue")
    decider = {"id": "policy:v3", "kind": "policy", "authenticated_by": "gate-key"}
    story.decides("az1", action="op1", decider=decider, policy={"ref": "policy:v3", "rule": "issues"})
    fields: dict[str, Any] = {"action": "op1", "decision": "az1", "tool": "create_issue"}
    story.tries("at1", outcome="unknown", started=instant(10), ended=instant(40), **fields)
    story.tries("at2", ["issue:8@version:1"], started=instant(41), ended=instant(42), **fields)
    story.checks("ob1", "op1", read="issue:7@version:1", method="list_issues")
    graph = story.graph()
    [write] = who(graph, "issue:8").writes
    assert write.outcomes == ("authorized",)
    assert [(each.decision, each.decider.id) for each in write.decisions] == [("az1", "policy:v3")]
    [other] = write.other_attempts
    assert (other.attempt, other.outcome) == ("at1", ("unknown",))
    known = shelf.question("how-known")
    answer = known.answer(graph, known.read({"target": ["issue:7", "at1"]})).graph
    assert answer.path.evidence == "inferred"


class TestInTheMiddleOfAPath:
    """Deleted, retracted, described by nobody: a path leads through, and each node says what it is."""

    def graph(self) -> Graph:
        story = Story()
        story.call("m1", sees=["in"], says=[{"ref": "mid", "body": {"id": "body:1", "text": "a secret"}}])
        story.derives("table", "mid")
        story.call("m2", sees=["table"], says=["out"])
        story.deletes("body:1", actor="job:sweeper", reason_class="expired")
        story.retracts("table", by="ann", reason="wrong year")
        return story.graph()

    def test_the_path_leads_through_and_its_nodes_are_marked(self) -> None:
        question = shelf.question("how-known")
        known = question.answer(self.graph(), question.read({"target": ["in", "out"]})).graph
        assert known.path.refs == ("in", "m1", "mid", "table", "m2", "out")
        marks = {node.ref: {mark.kind for mark in node.marks} for node in known.nodes}
        assert marks["mid"] == {"deleted"}
        assert marks["table"] == {"retracted"}
        assert marks["in"] == {"placeholder"}
        assert {gap.kind for gap in known.gaps} == {"deleted", "never_recorded"}

    def test_no_question_cuts_the_lineage_there(self) -> None:
        for name, target, far in (
            ("inputs-of", "out", "in"),
            ("expired-inputs", "out", "in"),
            ("impact-of", "in", "out"),
            ("survivors-of", "in", "out"),
        ):
            question = shelf.question(name)
            answer = question.answer(self.graph(), question.read({"target": target})).graph
            assert far in {node.ref for node in answer.nodes}, name
