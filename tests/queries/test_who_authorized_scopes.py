"""How far a grant reaches: once, listed calls, sticky, session; limits; and what stands beside what."""

from __future__ import annotations

from tests.queries.judged import ARGUMENTS, ORDER, answer, args, asked, done, found, judged
from tests.story import Story, instant

SESSION = {"kind": "session"}
STICKY = {"kind": "sticky"}


def twice(**more: object) -> Story:
    """A run in which two actions are asked for: ``act:0``, which decisions are about, and ``act:1``."""
    story = Story()
    story.run("run:1", agent="reporter")
    story.proposes("act:0", tool="refund", arguments={"path": "/orders/16"}, target="order:17")
    story.proposes("act:1", tool="refund", arguments=ARGUMENTS, target="order:17", **more)
    return story


# --- session ---


def test_a_session_grant_covers_other_actions_of_its_run() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=SESSION)
    done(story, started=instant(60))
    view = judged(story)
    assert view.outcomes == ("authorized",)
    assert view.decisions[0].decision == "dec:1"


def test_a_session_grant_covers_no_other_run() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=SESSION)
    story.run("run:2")
    story.proposes("act:2", tool="refund", arguments=ARGUMENTS)
    done(story, action="act:2", started=instant(60))
    assert judged(story).outcomes == ("coverage_unknown",)


def test_a_session_grant_of_another_run_that_is_named_is_for_something_else() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=SESSION)
    story.run("run:2")
    story.proposes("act:2", tool="refund", arguments=ARGUMENTS)
    done(story, action="act:2", decision="dec:1")
    finding = found(judged(story), "authorized_for_something_else")
    assert (finding.side, finding.detail) == ("scope", "it holds for run run:1, not for run:2")


def test_a_session_grant_on_one_object_does_not_bear_on_another() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=SESSION, object="order:16")
    done(story, started=instant(60))
    assert judged(story).outcomes == ("coverage_unknown",)


def test_a_session_grant_needs_no_action() -> None:
    story = twice()
    story.decides("dec:1", scope=SESSION)
    done(story, started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_session_grant_given_later_was_granted_afterwards() -> None:
    story = twice()
    done(story, started=instant(5))
    story.decides("dec:1", action="act:0", scope=SESSION)
    assert judged(story).outcomes == ("granted_afterwards",)


def test_a_denial_for_the_session_denies_what_the_run_does() -> None:
    story = twice()
    story.decides("dec:1", "deny", scope=SESSION)
    done(story)
    assert judged(story).outcomes == ("denied_and_done",)


def test_a_session_that_was_revoked_ends_its_grants() -> None:
    story = twice()
    story.decides("dec:1", scope=SESSION)
    story.decides("dec:2", "revoked", scope=SESSION)
    done(story, started=instant(60))
    assert judged(story).outcomes == ("expired_or_revoked",)


def test_a_revocation_that_names_only_the_grant_ends_it_in_whatever_run() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=STICKY, object="order:17")
    story.decides("dec:2", "revoked", scope=STICKY, replaces="dec:1", run="run:9")
    done(story, started=instant(60))
    view = judged(story)
    assert view.outcomes == ("expired_or_revoked",)
    assert [decision.decision for decision in view.decisions] == ["dec:1", "dec:2"]


def test_a_session_grant_is_good_for_so_many_uses() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope={"kind": "session", "limit": 1})
    done(story, "att:0", action="act:0", decision="dec:1", writes=[], started=instant(50))
    done(story, "att:1", decision="dec:1", started=instant(60))
    assert judged(story).outcomes == ("used_up",)


# --- sticky ---


def test_a_sticky_grant_covers_the_same_tool_and_object_asked_by_the_same_agent() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=STICKY, object="order:17")
    done(story, started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_sticky_grant_reaches_the_agents_next_run() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=STICKY, object="order:17")
    story.run("run:2", agent="reporter")
    story.proposes("act:2", tool="refund", arguments=ARGUMENTS)
    done(story, action="act:2", started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_sticky_grant_covers_no_other_tool() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=STICKY, object="order:17")
    story.proposes("act:2", tool="cancel_order", arguments=ARGUMENTS)
    done(story, action="act:2", tool="cancel_order", started=instant(60))
    assert judged(story).outcomes == ("coverage_unknown",)
    story.events.pop()
    done(story, action="act:2", tool="cancel_order", decision="dec:1")
    finding = found(judged(story), "authorized_for_something_else")
    assert (finding.side, finding.detail) == ("scope", "it is for tool tool:refund, not tool:cancel_order")


def test_a_sticky_grant_covers_no_other_agent() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=STICKY, object="order:17")
    story.run("run:2", agent="helper")
    story.proposes("act:2", tool="refund", arguments=ARGUMENTS)
    done(story, action="act:2", decision="dec:1")
    finding = found(judged(story), "authorized_for_something_else")
    assert (finding.side, finding.detail) == ("scope", "it is for agent agent:reporter, not agent:helper")


def test_a_sticky_grant_covers_no_other_object() -> None:
    story = twice()
    story.decides("dec:1", action="act:0", scope=STICKY, object="order:18")
    done(story, decision="dec:1")
    assert found(judged(story), "authorized_for_something_else").side == "object"


def test_a_sticky_grant_without_an_action_says_what_could_not_be_checked() -> None:
    story = twice()
    story.decides("dec:1", scope=STICKY, object="order:17")
    done(story, started=instant(60))
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    assert "tool of dec:1" in [item.what for item in graph.unchecked]


# --- listed calls, once, keys ---


def test_a_grant_for_listed_calls_covers_these() -> None:
    story = twice()
    story.decides("dec:1", scope={"kind": "calls", "calls": ["act:0", "act:1"]})
    done(story, started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_grant_for_listed_calls_covers_no_other() -> None:
    story = twice()
    story.decides("dec:1", action="act:1", scope={"kind": "calls", "calls": ["act:0"]})
    done(story, started=instant(60))
    finding = found(judged(story), "authorized_for_something_else")
    assert (finding.side, finding.detail) == ("scope", "it lists act:0, not act:1")


def test_listed_calls_share_a_limit() -> None:
    story = twice()
    story.decides("dec:1", scope={"kind": "calls", "calls": ["act:0", "act:1"], "limit": 1})
    done(story, "att:0", action="act:0", writes=[], started=instant(50))
    done(story, started=instant(60))
    assert judged(story).outcomes == ("used_up",)


def test_attempts_of_one_action_under_one_key_share_a_grant() -> None:
    story = asked(key="k1")
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(story, "att:1", decision="dec:1", key="k1", outcome="unknown", writes=[], started=instant(10))
    done(story, "att:2", decision="dec:1", key="k1", started=instant(20))
    assert judged(story).outcomes == ("authorized",)


def test_the_key_of_the_action_is_that_of_attempts_that_give_none() -> None:
    story = asked(key="k1")
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(story, "att:1", outcome="unknown", writes=[], started=instant(10))
    done(story, "att:2", started=instant(20))
    assert judged(story).outcomes == ("authorized",)


def test_a_retry_after_the_grant_was_used_elsewhere_still_shares_the_first_use() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(story, "att:1", decision="dec:1", key="k1", outcome="unknown", writes=[], started=instant(10))
    done(story, "att:2", decision="dec:1", key="k2", writes=["order:17@version:1"], started=instant(20))
    done(story, "att:3", decision="dec:1", key="k1", started=instant(30))
    assert judged(story).outcomes == ("authorized",)
    assert judged(story, "order:17@version:1").outcomes == ("used_up",)


def test_a_grant_without_a_scope_is_good_for_every_attempt_at_its_action() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[], started=instant(10))
    done(story, "att:2", decision="dec:1", started=instant(20))
    assert judged(story).outcomes == ("authorized",)


def test_an_attempt_under_another_grant_is_no_use_of_this_one() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    story.decides("dec:2", action="act:1", scope={"kind": "once"})
    done(story, "att:1", decision="dec:2", writes=[], started=instant(10))
    done(story, "att:2", decision="dec:1", started=instant(20))
    assert judged(story).outcomes == ("authorized",)


# --- what the grant was about: tool, definition, state ---


def test_another_tool_than_was_asked_for_is_something_else() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", tool="cancel_order")
    finding = found(judged(story), "authorized_for_something_else")
    assert (finding.side, finding.detail) == ("scope", "tool:refund was asked for; tool:cancel_order ran")


def test_another_definition_of_the_tool_is_something_else() -> None:
    story = asked(tool_binding="tool:refund@version:1")
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", tool_binding="tool:refund@version:2")
    assert found(judged(story), "authorized_for_something_else").side == "scope"


def test_the_state_that_was_replaced_must_be_the_one_that_was_asked_about() -> None:
    story = asked(target="order:17", target_before="order:17@version:1")
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", writes=[{"ref": ORDER, "mode": "edit", "before": "order:17@version:1"}])
    assert judged(story).outcomes == ("authorized",)
    story.events.pop()
    done(
        story,
        decision="dec:1",
        writes=[{"ref": "order:17@version:4", "mode": "edit", "before": "order:17@version:3"}],
    )
    finding = found(judged(story, "order:17"), "authorized_for_something_else")
    assert finding.side == "object"
    assert (
        finding.detail
        == "the target was order:17@version:1 when it was asked for; order:17@version:3 was replaced"
    )


def test_states_under_unlike_pins_are_not_compared() -> None:
    story = asked(target="order:17", target_before="order:17@etag:aa")
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", writes=[{"ref": ORDER, "mode": "edit", "before": "order:17@version:1"}])
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    assert any(item.what == f"state before {ORDER}" for item in graph.unchecked)


def test_an_object_with_a_version_is_that_version() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", object="order:17@version:1")
    done(story, decision="dec:1", writes=[{"ref": ORDER, "mode": "edit", "before": "order:17@version:1"}])
    assert judged(story).outcomes == ("authorized",)
    story.events.pop()
    done(story, decision="dec:1", writes=[{"ref": ORDER, "mode": "edit", "before": "order:17@version:7"}])
    assert found(judged(story), "authorized_for_something_else").side == "object"


def test_each_write_of_an_attempt_is_judged_by_itself() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", object="order:17")
    done(story, decision="dec:1", writes=[ORDER, "order:18@version:1"])
    views = answer(story, "att:1").writes
    assert [(view.write, view.outcomes) for view in views] == [
        (ORDER, ("authorized",)),
        ("order:18@version:1", ("authorized_for_something_else",)),
    ]
    assert answer(story, "att:1").outcomes == ("authorized", "authorized_for_something_else")


# --- arguments that can't be compared ---


def test_tags_of_unlike_algorithms_are_not_comparable_never_different() -> None:
    story = asked()
    tags = {"alg": "sha256-canonical", "whole": "aa", "by_pointer": {"/amount": "bb"}}
    story.decides("dec:1", action="act:1", authorized=tags)
    done(story, decision="dec:1")
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    assert any(item.what == "arguments of att:1 under dec:1" for item in graph.unchecked)


def test_tags_that_a_producer_sends_are_compared_with_each_other() -> None:
    story = asked()
    story.decides(
        "dec:1", action="act:1", authorized={"alg": "x", "whole": "aa", "by_pointer": {"/a": "1", "/b": "2"}}
    )
    done(story, decision="dec:1", arguments={"alg": "x", "whole": "bb", "by_pointer": {"/a": "1", "/b": "3"}})
    assert found(judged(story), "authorized_for_something_else").pointers == ("/b",)


def test_arguments_that_nobody_reported_are_named_as_unchecked() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", arguments=None)
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    assert any(item.why == "no arguments were reported" for item in graph.unchecked)


# --- what stands beside what ---


def test_what_keeps_a_grant_from_covering_is_no_outcome_when_another_covers() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", valid={"until": instant(20)})
    story.decides("dec:2", action="act:1")
    done(story, started=instant(60))
    view = judged(story)
    assert view.outcomes == ("authorized",)
    assert {(d.decision, d.covers) for d in view.decisions} == {("dec:1", False), ("dec:2", True)}


def test_a_named_decision_that_does_not_cover_is_told_though_another_would() -> None:
    story = asked()
    story.proposes("act:0", tool="refund", arguments={})
    story.decides("dec:0", action="act:0")
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:0", started=instant(60))
    assert judged(story).outcomes == ("authorized_for_something_else",)


def test_all_that_keeps_one_grant_from_covering_is_told_together() -> None:
    story = asked()
    claimed = {"id": "alice", "kind": "person"}
    story.decides(
        "dec:1", action="act:1", decider=claimed, authorized=args(amount=1), valid={"until": instant(20)}
    )
    done(story, decision="dec:1", started=instant(60))
    assert judged(story).outcomes == (
        "authorized_for_something_else",
        "expired_or_revoked",
        "claimed_not_authenticated",
    )


def test_a_denial_and_a_later_grant_are_told_together_without_authorized() -> None:
    story = asked()
    story.decides("dec:1", "deny", action="act:1", decider={"id": "gate", "kind": "policy"})
    done(story, started=instant(10), time=instant(12))
    claimed = {"id": "release manager", "kind": "person"}
    story.decides("dec:2", action="act:1", source="chat", decider=claimed, time=instant(703))
    assert judged(story).outcomes == (
        "possibly_granted_afterwards",
        "denied_and_done",
        "claimed_not_authenticated",
    )


def test_a_cancelled_attempt_without_a_decision_is_both() -> None:
    story = asked()
    story.reports(hooks={"gate": ["authorization_decided"]})
    story.cancels("ann")
    done(story, started=instant(60))
    assert judged(story).outcomes == ("cancelled_before", "nobody_recorded")


def test_a_clean_grant_makes_what_is_said_of_another_decider_needless() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", decider={"id": "default", "kind": "default"})
    story.decides("dec:2", action="act:1")
    done(story, started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_what_is_said_of_the_named_decider_stands_though_another_grant_is_clean() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", decider={"id": "ann", "kind": "person"})
    story.decides("dec:2", action="act:1")
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized", "claimed_not_authenticated")


def test_claimed_self_approved_and_default_may_stand_together() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", decider={"id": "reporter", "kind": "agent"})
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized", "self_approved", "claimed_not_authenticated")
