"""What may be asked about, and which writes an answer then judges."""

from __future__ import annotations

import msgspec
import pytest

from provmodel.errors import BadQuestion, NotFound
from queries.answer import encode
from queries.memory import MemoryGraph
from queries.questions.unverified_writes import UnverifiedWritesQuestion
from tests.queries.judged import ORDER, QUESTION, answer, args, asked, done, found, judged, said
from tests.story import Story, instant


def granted() -> Story:
    story = asked(key="k1", target="order:17")
    story.decides("dec:1", action="act:1")
    return story


# --- versions and things ---


def test_a_thing_is_judged_by_its_newest_write() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", writes=["order:17@version:1"])
    done(story, "att:2", decision="dec:none", writes=[ORDER])
    graph = answer(story, "order:17")
    assert [view.write for view in graph.writes] == [ORDER]
    assert graph.targets[0].others == ("order:17@version:1",)


def test_a_content_state_is_judged_by_every_write_that_made_it() -> None:
    story = granted()
    state = "file:/a@sha256:" + "0" * 64
    done(story, "att:1", decision="dec:1", writes=[state])
    done(story, "att:2", decision="dec:1", writes=[state])
    writes = [view.write for view in answer(story, state).writes]
    assert writes == [f"{state};by=att:1", f"{state};by=att:2"]
    assert judged(story, f"{state};by=att:2").attempt == "att:2"


def test_a_deletion_is_a_write_of_the_version_deleted() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", writes=[ORDER])
    story.proposes("act:2", tool="delete_order", arguments={})
    story.decides("dec:2", "deny", action="act:2")
    story.tries("att:2", tool="delete_order", action="act:2", writes=[{"ref": ORDER, "mode": "delete"}])
    views = {view.mode: view for view in answer(story, ORDER).writes}
    assert views["create"].outcomes == ("authorized",)
    assert views["delete"].outcomes == ("denied_and_done",)
    view = judged(story, "order:17")
    assert (view.write, view.mode, view.attempt) == (ORDER, "delete", "att:2")
    assert f"{ORDER} was deleted by attempt att:2, although it was denied." in said(story, "order:17")


def test_a_deletion_of_a_thing_without_a_version_is_its_newest_write() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", writes=["file:/a@version:1"])
    done(story, "att:2", decision="dec:1", writes=[{"ref": "file:/a", "mode": "delete"}])
    view = judged(story, "file:/a")
    assert (view.write, view.mode) == ("file:/a", "delete")


def test_a_version_named_by_its_suffix_is_that_version_though_the_thing_was_deleted() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", writes=["file:/docs/a.md@version:1"])
    done(story, "att:2", decision="dec:1", writes=[{"ref": "file:/docs/a.md", "mode": "delete"}])
    assert judged(story, "a.md@version:1").attempt == "att:1"
    assert judged(story, "a.md").attempt == "att:2"


def test_what_a_model_said_is_nothing_that_was_written() -> None:
    story = Story()
    story.run("run:1")
    story.call("call:1", sees=["doc:1"], says=["msg:1"])
    story.adopts("ado:1", "msg:1", accepted="msg:2")
    assert answer(story, "msg:1").writes == ()
    assert answer(story, "msg:2").writes == ()


def test_an_activity_that_no_event_describes_is_judged_by_what_it_made() -> None:
    story = Story()
    story.version("doc:out@version:1", made_by="write")
    view = judged(story, "write")
    assert (view.write, view.outcomes) == ("doc:out@version:1", ("coverage_unknown",))


def test_an_attempt_that_is_only_spoken_of_wrote_nothing_that_is_known() -> None:
    story = granted()
    done(story, "att:2", decision="dec:1", retry_of="att:1")
    assert answer(story, "att:1").writes == ()
    assert "Nothing recorded says that att:1 was written" in said(story, "att:1")[0]


def test_a_version_that_only_its_own_event_describes_is_judged_too() -> None:
    story = granted()
    done(story, decision="dec:1", writes=[])
    story.version(ORDER, made_by="att:1", mode="create")
    view = judged(story)
    assert (view.attempt, view.mode, view.outcomes) == ("att:1", "create", ("authorized",))


def test_what_was_read_back_after_a_time_out_is_a_write_that_is_only_inferred() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1", writes=["issue:8"])
    story.checks("ver:1", "act:1", read="issue:7")
    story.checks("ver:2", "att:1", read="issue:7")
    view = judged(story, "issue:7;by=att:1")
    assert (view.evidence, view.mode, view.outcomes) == ("inferred", None, ("authorized",))


# --- attempts and actions ---


def test_an_attempt_is_judged_by_each_of_its_writes() -> None:
    story = granted()
    done(story, decision="dec:1", writes=[ORDER, "email:1"])
    assert [view.write for view in answer(story, "att:1").writes] == ["email:1;by=att:1", ORDER]


def test_an_action_is_judged_by_all_its_attempts() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1", writes=[ORDER])
    views = answer(story, "act:1").writes
    assert [(view.attempt, view.write, view.possible) for view in views] == [
        ("att:1", None, True),
        ("att:2", ORDER, False),
    ]
    assert views[0].thing == "order:17"


def test_an_attempt_of_unknown_outcome_without_writes_is_a_possible_write() -> None:
    story = asked(target="order:17")
    story.decides("dec:1", "deny", action="act:1")
    done(story, outcome="unknown", writes=[])
    view = judged(story, "att:1")
    assert (view.write, view.possible, view.outcomes) == (None, True, ("denied_and_done",))
    assert said(story, "att:1")[0] == (
        "Attempt att:1 has no known outcome and may have written order:17; if so, although it was denied."
    )


def test_a_failed_attempt_without_writes_wrote_nothing() -> None:
    story = granted()
    done(story, decision="dec:1", outcome="failed", writes=[])
    graph = answer(story, "att:1")
    assert (graph.writes, graph.silent) == ((), ("att:1",))
    assert said(story, "att:1")[0].startswith("att:1 failed and reports no write")


def test_an_attempt_that_ran_and_reports_no_write_is_judged_when_it_is_asked_about() -> None:
    story = asked()
    story.decides("dec:1", "deny", action="act:1")
    done(story, writes=[])
    assert judged(story, "att:1").outcomes == ("denied_and_done",)


def test_an_action_that_nothing_executed_is_told_with_what_was_decided_about_it() -> None:
    story = asked()
    story.decides("dec:1", "deny", action="act:1")
    graph = answer(story, "act:1")
    assert (graph.writes, graph.unexecuted) == ((), ("act:1",))
    assert [decision.decision for decision in graph.decisions] == ["dec:1"]
    assert ("execution_not_recorded", "act:1") in [(gap.kind, gap.example) for gap in graph.gaps]
    assert said(story, "act:1")[0] == "No attempt at act:1 is recorded; ann said deny (dec:1)."


def test_a_run_is_judged_by_what_its_attempts_wrote() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", writes=[ORDER])
    done(story, "att:2", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:3", decision="dec:1", writes=[])
    assert [view.attempt for view in answer(story, "run:1").writes] == ["att:2", "att:1"]


def test_a_run_is_judged_by_what_its_attempts_wrote_although_its_start_was_not_told() -> None:
    story = Story()
    story.current = "run:1"
    story.tries("attempt:1", ["file:/x@version:1"])
    assert [view.attempt for view in answer(story, "run:1").writes] == ["attempt:1"]


def test_an_attempt_that_names_no_action_is_judged_by_the_action_of_its_key() -> None:
    story = granted()
    done(story, action=None, key="k1", started=instant(30))
    view = judged(story)
    assert (view.action, view.outcomes) == ("act:1", ("authorized",))


def test_an_attempt_that_names_only_a_decision_is_judged_by_the_action_that_was_decided_about() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.tries("att:1", tool="refund", decision="dec:1", writes=[ORDER], arguments=args(amount=7))
    assert found(judged(story), "authorized_for_something_else").pointers == ("/amount",)


def test_a_result_that_was_asked_about_is_judged_by_the_attempt_that_returned_it() -> None:
    story = granted()
    done(story, decision="dec:1", writes=[], results=[{"ref": "issue:8"}])
    view = judged(story, "issue:8")
    assert (view.attempt, view.outcomes) == ("att:1", ("authorized",))
    assert "issue:8 was made by attempt att:1" in said(story, "issue:8")[0]


def test_what_a_tool_only_found_was_not_written() -> None:
    story = Story()
    story.run("run:1")
    story.version("price-list@version:3")
    hits = [{"ref": "hits:1", "members": [{"ref": "page:faq"}]}, {"ref": "price-list@version:3"}]
    story.tries("att:find", tool="search", results=hits)
    for found_only in ("price-list@version:3", "page:faq"):
        who = answer(story, found_only)
        assert (who.writes, who.outcomes, who.returned) == ((), (), (found_only,))
        assert said(story, found_only)[0] == (
            f"Nothing recorded says that {found_only} was written: a tool only found it."
        )
    unverified = UnverifiedWritesQuestion()
    asked_about = unverified.read({"target": "price-list@version:3"})
    assert unverified.answer(story.graph(), asked_about).graph.writes == ()


def test_what_its_own_event_says_a_tool_made_was_written_although_the_tool_returned_it() -> None:
    story = granted()
    done(story, decision="dec:1", writes=[], results=["report:4@version:1"])
    story.version("report:4@version:1", kind="report", made_by="att:1")
    assert judged(story, "report:4@version:1").mode == "create"


def test_a_decision_is_nothing_that_was_written() -> None:
    story = granted()
    done(story, decision="dec:1")
    assert answer(story, "dec:1").writes == ()


# --- nodes that no event describes ---


def imported() -> MemoryGraph:
    """A version made by an activity that no event describes, as a PROV document may leave it."""
    story = Story()
    story.version("doc:out@version:1", made_by="write")
    return story.graph()


def test_no_authorization_recorded_is_told_apart_from_denied_and_from_not_found() -> None:
    graph = imported()
    answered = QUESTION.answer(graph, QUESTION.read({"target": "doc:out@version:1"}))
    [view] = answered.graph.writes
    assert (view.attempt, view.outcomes) == ("write", ("coverage_unknown",))
    assert "with no authorization recorded" in QUESTION.sentences(answered)[0]
    with pytest.raises(NotFound):
        QUESTION.answer(graph, QUESTION.read({"target": "doc:elsewhere"}))
    story = asked()
    story.decides("dec:1", "deny", action="act:1")
    done(story)
    assert judged(story).outcomes == ("denied_and_done",)


# --- cases from the field ---


def test_a_time_out_and_its_retry_are_one_action_under_one_decision() -> None:
    story = Story()
    story.run("run:1")
    story.proposes("op1", tool="create_issue")
    story.decides(
        "az1", action="op1", decider={"id": "policy:v3", "kind": "policy", "authenticated_by": "gate"}
    )
    more = {"tool": "create_issue", "action": "op1", "decision": "az1"}
    story.tries(
        "at1", outcome="unknown", **more, started="2026-01-01T00:00:00Z", ended="2026-01-01T00:00:30Z"
    )
    story.tries(
        "at2", writes=["issue:8"], **more, started="2026-01-01T00:00:31Z", ended="2026-01-01T00:00:32Z"
    )
    story.checks("ob1", "op1", verdict="unconfirmed", read="issue:8")
    view = judged(story, "issue:8")
    assert (view.attempt, view.outcomes, view.action) == ("at2", ("authorized",), "op1")
    [decision] = view.decisions
    assert (decision.decision, decision.decider.id) == ("az1", "policy:v3")
    assert [(other.attempt, other.outcome) for other in view.other_attempts] == [("at1", ("unknown",))]
    assert any("may have been written twice" in sentence for sentence in said(story, "issue:8"))


def test_none_of_three_odd_shapes_reads_as_plainly_authorized() -> None:
    story = Story()
    story.run("run:1")
    day = "2026-01-01T0"
    for action, tag in (("op1", "aa"), ("op2", "cc"), ("op3", "dd")):
        arguments = {"alg": "sha256", "whole": tag}
        story.tell("action_proposed", action=action, tool="write_file", arguments=arguments)
    story.decides(
        "az1",
        action="op1",
        decider={"id": "alice", "kind": "person"},
        authorized={"alg": "sha256", "whole": "bb"},
        valid={"until": f"{day}0:10:00Z"},
        time=f"{day}0:00:00Z",
    )
    story.decides(
        "az2", "deny", action="op2", decider={"id": "bob", "kind": "person", "authenticated_by": "sso"}
    )
    for number, minute in ((1, "20:00"), (2, "00:05"), (3, "00:05")):
        story.tries(
            f"at{number}",
            action=f"op{number}",
            decision="az1" if number == 1 else None,
            arguments={"alg": "sha256", "whole": ("aa", "cc", "dd")[number - 1]},
            time=f"{day}0:{minute}Z",
            writes=[f"file:{'xyz'[number - 1]}@version:2"],
        )
    carol = {"id": "carol", "kind": "person", "authenticated_by": "sso"}
    story.decides("az3", action="op3", decider=carol, time=f"{day}1:00:00Z")
    x, y, z = (judged(story, f"file:{name}@version:2") for name in "xyz")
    assert x.outcomes == ("authorized_for_something_else", "expired_or_revoked", "claimed_not_authenticated")
    assert y.outcomes == ("denied_and_done",)
    assert z.outcomes == ("granted_afterwards",)


# --- effect ---


@pytest.mark.parametrize(
    ("verdict", "effect"),
    [
        ("confirmed", "confirmed"),
        ("confirmed_failed", "confirmed_failed"),
        ("unconfirmed", "submitted_unconfirmed"),
    ],
)
def test_the_effect_is_what_was_read_back(verdict: str, effect: str) -> None:
    story = granted()
    done(story, decision="dec:1")
    story.checks("ver:1", ORDER, verdict=verdict, read=ORDER)
    graph = answer(story, ORDER)
    assert (graph.effect, graph.outcomes) == (effect, ("authorized",))
    assert graph.writes[0].refuted == (verdict == "confirmed_failed")


def test_a_confirmed_action_with_two_attempts_is_one_effect() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1")
    story.checks("ver:1", "act:1", read=ORDER)
    assert answer(story, ORDER).effect == "confirmed"


# --- variants and evidence ---


def test_variants_of_one_decision_are_all_judged_and_none_wins() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", id="same")
    story.decides("dec:1", "deny", action="act:1", id="same")
    done(story, decision="dec:1")
    graph = answer(story, ORDER)
    assert graph.outcomes == ("denied_and_done",)
    assert [(d.verdict, d.conflict) for d in graph.writes[0].decisions] == [("allow", True), ("deny", True)]
    assert any(item.what == "dec:1" and "variants" in item.why for item in graph.unchecked)


def test_one_decision_told_as_allow_and_as_deny_is_said_to_be_told_so() -> None:
    story = asked()
    story.decides("dec:1", "allow", action="act:1")
    story.decides("dec:1", "deny", action="act:1")
    done(story, decision="dec:1")
    graph = answer(story, ORDER)
    assert graph.writes[0].outcomes == ("denied_and_done",)
    why = "it is told as allow and as deny; each was judged, none preferred"
    assert ("dec:1", why) in [(item.what, item.why) for item in graph.unchecked]
    assert not graph.complete
    assert "dec:1 (allow and deny, by ann): it denied what was done." in " ".join(said(story, ORDER))


def test_variants_of_one_attempt_are_all_judged() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", shown=args())
    done(story, decision="dec:1", id="same")
    done(story, decision="dec:1", id="same", arguments=args(amount=900))
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized_for_something_else",)
    assert graph.writes[0].differences[0].executed == "AB"
    assert any(item.what == "att:1" and "variants" in item.why for item in graph.unchecked)


def test_two_sources_that_report_one_attempt_complete_each_other() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.tries("att:1", tool="refund", action="act:1", decision="dec:1", source="gateway")
    done(story, action=None)
    view = judged(story)
    assert (view.action, view.outcomes) == ("act:1", ("authorized",))


def test_only_writes_that_the_evidence_asked_for_supports_are_judged() -> None:
    story = granted()
    done(story, decision="dec:1")
    assert answer(story, ORDER, evidence="declared").writes
    assert answer(story, ORDER, evidence="verified").writes == ()


# --- the form of the answer ---


def test_the_walk_shows_write_attempt_decision_decider_policy_and_capability() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", policy={"ref": "policy:refunds"}, capability="capability:refund")
    done(story, decision="dec:1")
    graph = answer(story, ORDER)
    refs = {node if isinstance(node, str) else node.ref for node in graph.nodes}
    wanted = {ORDER, "att:1", "act:1", "dec:1", "person:ann", "policy:refunds", "capability:refund"}
    assert wanted <= refs
    edges = {(edge.source, edge.target, edge.role) for edge in graph.edges}
    assert {("att:1", "act:1", "arguments"), ("att:1", "dec:1", "authorization")} <= edges
    assert graph.policy.name == "who"


def test_the_graph_part_is_the_same_whatever_the_order_of_arrival() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1")
    story.checks("ver:1", "act:1", read=ORDER)
    forward = MemoryGraph.of_events(story.arrived())
    backward = MemoryGraph.of_events(story.arrived(reversed(range(len(story.events)))))
    params = QUESTION.read({"target": "order:17"})
    one, other = (QUESTION.answer(graph, params).graph for graph in (forward, backward))
    assert [view.outcomes for view in one.writes] == [view.outcomes for view in other.writes]
    assert [view.findings for view in one.writes] == [view.findings for view in other.writes]
    assert [view.effect for view in one.writes] == [view.effect for view in other.writes]
    assert (one.gaps, one.unchecked) == (other.gaps, other.unchecked)


def test_as_of_an_earlier_seq_what_came_later_is_not_known() -> None:
    story = asked()
    done(story, started=instant(10))
    story.decides("dec:1", action="act:1", time=instant(90))
    assert judged(story).outcomes == ("granted_afterwards",)
    assert judged(story, as_of="4").outcomes == ("coverage_unknown",)


def test_an_answer_with_a_gap_or_something_unchecked_is_not_complete() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story)
    graph = answer(story, ORDER)
    assert graph.gaps
    assert graph.unchecked
    assert graph.complete is False


def test_the_answer_is_json_with_the_same_keys_for_every_write() -> None:
    story = granted()
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1")
    text = msgspec.json.decode(encode(QUESTION.answer(story.graph(), QUESTION.read({"target": "act:1"}))))
    first, second = text["graph"]["writes"]
    assert first.keys() == second.keys() >= {"write", "thing", "mode", "attempt", "action", "run", "tool"}
    assert text["graph"]["outcomes"] == ["authorized"]


def test_references_alone_may_be_asked_for() -> None:
    story = granted()
    done(story, decision="dec:1")
    graph = answer(story, ORDER, view="ids")
    assert ORDER in graph.nodes
    assert graph.writes[0].outcomes == ("authorized",)


def test_a_part_is_refused_since_an_authorization_is_for_a_whole_write() -> None:
    story = granted()
    done(story, decision="dec:1")
    with pytest.raises(BadQuestion, match="part"):
        answer(story, ORDER, part="/total")


@pytest.mark.parametrize("target", ["run:1", "att:1", "act:1", ORDER])
def test_a_write_that_nobody_read_back_is_a_gap_whatever_was_asked_about(target: str) -> None:
    story = asked()
    done(story)
    graph = answer(story, target)
    assert [(gap.count, gap.example) for gap in graph.gaps if gap.kind == "not_verified"] == [(1, ORDER)]
    [node] = [node for node in graph.nodes if not isinstance(node, str) and node.ref == ORDER]
    assert [mark.kind for mark in node.marks] == ["not_verified"]


def test_a_version_that_a_run_deleted_is_no_write_that_lacks_a_check() -> None:
    story = asked()
    done(story, writes=[{"ref": ORDER, "mode": "delete"}])
    assert "not_verified" not in [gap.kind for gap in answer(story, "run:1").gaps]
