"""Who authorized a write: one story for each outcome."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.evidence import Evidence, Principal
from queries.authority.findings import OUTCOMES
from tests.queries.judged import ARGUMENTS, ORDER, answer, args, asked, done, found, judged, said
from tests.story import Story, instant

ANN = Principal("person:ann", frozenset({"person", "harness"}), None, vouches=False, cap=Evidence.VERIFIED)
HARNESS = Principal("harness", frozenset({"harness"}), None, vouches=False)


def test_a_grant_that_covers_the_write_authorizes_it() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", policy={"ref": "policy:refunds", "rule": "r3", "revision": "9"})
    done(story, decision="dec:1")
    view = judged(story)
    assert view.outcomes == ("authorized",)
    assert view.findings[0].decision == "dec:1"
    [decision] = view.decisions
    assert (decision.covers, decision.named, decision.verdict) == (True, True, "allow")
    assert (decision.decider.id, decision.decider.authenticated) == ("ann", "authenticated")
    assert decision.policy is not None
    assert (decision.policy.ref, decision.policy.rule, decision.policy.revision) == (
        "policy:refunds",
        "r3",
        "9",
    )


def test_a_grant_authorizes_though_the_attempt_does_not_name_it() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, started=instant(10))
    assert judged(story).outcomes == ("authorized",)


def test_other_arguments_than_those_granted_are_authorized_for_something_else() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", shown=args())
    done(story, decision="dec:1", arguments=args(amount=900))
    view = judged(story)
    assert view.outcomes == ("authorized_for_something_else",)
    finding = found(view, "authorized_for_something_else")
    assert (finding.side, finding.pointers) == ("pointer", ("/amount",))
    [difference] = view.differences
    assert (difference.pointer, difference.decision) == ("/amount", "dec:1")
    assert (difference.proposed, difference.shown, difference.authorized, difference.executed) == (
        "A",
        "A",
        "",
        "B",
    )


def test_arguments_that_ran_as_proposed_but_not_as_shown_are_authorized_for_something_else() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", shown=args(note="another note"))
    done(story, decision="dec:1")
    assert found(judged(story), "authorized_for_something_else").pointers == ("/note",)


def test_an_argument_added_or_left_out_is_a_difference() -> None:
    story = asked()
    story.decides(
        "dec:1", action="act:1", authorized={"body": {"json": {"path": "/orders/17", "amount": 120}}}
    )
    done(
        story,
        decision="dec:1",
        arguments={"body": {"json": {"path": "/orders/17", "amount": 120, "to": "x"}}},
    )
    assert found(judged(story), "authorized_for_something_else").pointers == ("/to",)


def test_another_object_than_that_granted_is_authorized_for_something_else() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", object="order:18")
    done(story, decision="dec:1")
    finding = found(judged(story), "authorized_for_something_else")
    assert (finding.side, finding.decision) == ("object", "dec:1")
    assert "order:18" in finding.detail


def test_a_decision_for_another_action_that_is_named_is_authorized_for_something_else() -> None:
    story = asked()
    story.proposes("act:0", tool="refund", arguments=ARGUMENTS)
    story.decides("dec:0", action="act:0")
    done(story, decision="dec:0")
    view = judged(story)
    assert view.outcomes == ("authorized_for_something_else",)
    assert found(view, "authorized_for_something_else").side == "scope"


def test_modified_arguments_that_ran_are_modified() -> None:
    story = asked()
    story.decides("dec:1", "modify", action="act:1", shown=args(), authorized=args(amount=80))
    done(story, decision="dec:1", arguments=args(amount=80))
    assert judged(story).outcomes == ("modified",)


def test_arguments_that_ran_unmodified_are_authorized_for_something_else() -> None:
    story = asked()
    story.decides("dec:1", "modify", action="act:1", shown=args(), authorized=args(amount=80))
    done(story, decision="dec:1")
    view = judged(story)
    assert view.outcomes == ("authorized_for_something_else",)
    assert found(view, "authorized_for_something_else").pointers == ("/amount",)


def test_a_modification_that_was_not_recorded_is_told_only_from_the_proposal() -> None:
    story = asked()
    story.decides("dec:1", "modify", action="act:1")
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized_for_something_else",)
    other = asked()
    other.decides("dec:1", "modify", action="act:1")
    done(other, decision="dec:1", arguments=args(amount=80))
    assert judged(other).outcomes == ("modified",)
    assert any("what it modified" in item.why for item in answer(other, ORDER).unchecked)


def test_a_second_use_of_a_grant_for_one_is_used_up() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(story, "att:1", decision="dec:1", started=instant(10), writes=["order:17@version:1"])
    done(story, "att:2", decision="dec:1", started=instant(20))
    assert judged(story, "order:17@version:1").outcomes == ("authorized",)
    view = judged(story)
    assert view.outcomes == ("used_up",)
    assert (found(view, "used_up").basis, found(view, "used_up").difference) == ("clock_same_source", "PT10S")


def test_a_grant_past_its_end_is_expired_or_revoked() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", valid={"until": instant(100)})
    done(story, decision="dec:1", started=instant(160))
    view = judged(story)
    assert view.outcomes == ("expired_or_revoked",)
    finding = found(view, "expired_or_revoked")
    assert (finding.basis, finding.difference) == ("clock_same_source", "PT60S")


@pytest.mark.parametrize("verdict", ["revoked", "expired"])
def test_a_grant_that_a_later_decision_ended_is_expired_or_revoked(verdict: str) -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.decides("dec:2", verdict, action="act:1", replaces="dec:1")
    done(story, decision="dec:1", started=instant(60))
    view = judged(story)
    assert view.outcomes == ("expired_or_revoked",)
    assert "dec:2" in found(view, "expired_or_revoked").detail


def test_a_revocation_after_the_attempt_began_takes_nothing_back() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.decides("dec:2", "revoked", action="act:1", replaces="dec:1", time=instant(90))
    done(story, decision="dec:1", started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_grant_after_a_revocation_is_a_new_one() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.decides("dec:2", "revoked", action="act:1", replaces="dec:1")
    story.decides("dec:3", action="act:1")
    done(story, decision="dec:3", started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_revocation_without_a_grant_on_record_is_told() -> None:
    story = asked()
    story.decides("dec:2", "revoked", action="act:1")
    done(story, started=instant(60))
    assert judged(story).outcomes == ("expired_or_revoked",)


def test_a_grant_after_the_attempt_is_granted_afterwards() -> None:
    story = asked()
    done(story, started=instant(10), ended=instant(11), time=instant(11))
    story.decides("dec:1", action="act:1", time=instant(71))
    view = judged(story)
    assert view.outcomes == ("granted_afterwards",)
    assert found(view, "granted_afterwards").basis == "source_order"


def test_a_grant_that_does_not_hold_yet_is_granted_afterwards() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", valid={"from": instant(100)})
    done(story, decision="dec:1", started=instant(60))
    finding = found(judged(story), "granted_afterwards")
    assert (finding.basis, finding.difference) == ("clock_same_source", "PT40S")


def test_a_write_against_a_denial_is_denied_and_done() -> None:
    story = asked()
    story.decides("dec:1", "deny", action="act:1")
    done(story)
    assert judged(story).outcomes == ("denied_and_done",)


def test_a_denial_needs_no_order_and_no_grant_outweighs_it() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1")
    story.decides("dec:2", "deny", action="act:1")
    assert judged(story).outcomes == ("denied_and_done",)


def test_a_question_without_an_answer_is_asked_not_answered() -> None:
    story = asked()
    story.decides("dec:1", "ask", action="act:1", decider={"id": "gate", "kind": "policy"})
    done(story)
    assert judged(story).outcomes == ("asked_not_answered",)


def test_a_question_that_lapsed_is_asked_not_answered() -> None:
    story = asked()
    story.decides("dec:1", "ask", action="act:1")
    story.decides("dec:2", "expired", action="act:1", replaces="dec:1")
    done(story, started=instant(60))
    assert judged(story).outcomes == ("asked_not_answered",)


def test_a_question_that_was_answered_is_no_finding() -> None:
    story = asked()
    story.decides("dec:1", "ask", action="act:1")
    story.decides("dec:2", action="act:1")
    done(story, decision="dec:2")
    assert judged(story).outcomes == ("authorized",)


def test_an_attempt_in_a_run_cancelled_before_is_cancelled_before() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.cancels("ann")
    done(story, decision="dec:1", started=instant(60))
    view = judged(story)
    assert view.outcomes == ("cancelled_before",)
    assert found(view, "cancelled_before").basis == "clock_same_source"


def test_a_grant_that_the_agent_gave_itself_is_self_approved_beside_authorized() -> None:
    story = asked()
    own = {"id": "reporter", "kind": "agent", "authenticated_by": "token"}
    story.decides("dec:1", action="act:1", decider=own)
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized", "self_approved")


def test_a_model_that_approves_its_own_call_approved_itself() -> None:
    story = asked()
    own = {"id": "model:m-1", "kind": "agent", "authenticated_by": "token"}
    story.decides("dec:1", action="act:1", decider=own)
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized", "self_approved")


@pytest.mark.parametrize(
    "decider",
    [
        {"id": "default", "kind": "default"},
        {"id": "config:auto-approve", "kind": "policy", "authenticated_by": "deploy"},
    ],
)
def test_a_default_or_a_configuration_without_a_rule_allows_by_default(decider: dict[str, Any]) -> None:
    story = asked()
    story.decides("dec:1", action="act:1", decider=decider)
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized", "allowed_by_default")


@pytest.mark.parametrize(
    ("decider", "policy"),
    [
        ({"id": "policy:v3", "kind": "policy", "authenticated_by": "deploy"}, None),
        ({"id": "gate", "kind": "policy", "authenticated_by": "deploy"}, {"ref": "policy:v3", "rule": "r1"}),
        (
            {"id": "gate", "kind": "policy", "authenticated_by": "deploy"},
            {"ref": "config:gate", "rule": "r1"},
        ),
    ],
)
def test_a_policy_or_a_rule_is_no_default(decider: dict[str, Any], policy: dict[str, Any] | None) -> None:
    story = asked()
    story.decides("dec:1", action="act:1", decider=decider, policy=policy)
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized",)


def test_a_name_that_nothing_vouches_for_is_claimed_not_authenticated() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", decider={"id": "ann", "kind": "person"})
    done(story, decision="dec:1")
    view = judged(story)
    assert view.outcomes == ("authorized", "claimed_not_authenticated")
    assert view.decisions[0].decider.authenticated == "claimed"


def test_a_check_that_only_the_deliverer_names_is_worth_what_its_credential_vouches_for() -> None:
    story = asked()
    person = {"id": "ann", "kind": "person", "authenticated_by": "login"}
    story.tell(
        "authorization_decided", by=HARNESS, decision="dec:1", verdict="allow", decider=person, action="act:1"
    )
    done(story, decision="dec:1")
    assert judged(story).outcomes == ("authorized", "claimed_not_authenticated")


def test_a_decision_that_the_deciders_own_credential_delivered_is_authenticated() -> None:
    story = asked()
    person = {"id": "ann", "kind": "person"}
    story.tell(
        "authorization_decided", by=ANN, decision="dec:1", verdict="allow", decider=person, action="act:1"
    )
    done(story, decision="dec:1")
    view = judged(story)
    assert view.outcomes == ("authorized",)
    assert view.decisions[0].decider.authenticated == "authenticated"


def test_no_decision_where_decisions_are_recorded_is_nobody_recorded() -> None:
    story = asked()
    story.reports(hooks={"gate": ["authorization_decided", "tool_call"]})
    done(story)
    assert judged(story).outcomes == ("nobody_recorded",)


def test_no_decision_where_no_hook_covers_them_is_not_recordable() -> None:
    story = asked()
    story.reports(hooks={"tools": ["tool_call"]})
    done(story)
    assert judged(story).outcomes == ("not_recordable",)


def test_no_decision_where_a_source_never_said_is_coverage_unknown() -> None:
    story = asked()
    story.reports(hooks={"tools": ["tool_call"]})
    done(story, source="gateway")
    view = judged(story)
    assert view.outcomes == ("coverage_unknown",)
    assert "gateway" in view.findings[0].detail


def test_a_decision_that_is_named_and_never_described_authorizes_nothing() -> None:
    story = asked()
    done(story, decision="dec:lost")
    graph = answer(story, ORDER)
    assert graph.outcomes == ("coverage_unknown",)
    assert "dec:lost" in graph.writes[0].findings[0].detail
    assert [item.what for item in graph.unchecked] == ["dec:lost"]
    assert ("never_recorded", "dec:lost") in [(gap.kind, gap.example) for gap in graph.gaps]


def test_every_outcome_has_a_word_of_its_own() -> None:
    assert len(set(OUTCOMES)) == 15


def test_an_answer_says_who_under_which_rule_and_what_a_time_out_means() -> None:
    story = asked(key="k1")
    story.decides("dec:1", action="act:1", policy={"ref": "policy:refunds", "rule": "r3"})
    done(story, "att:1", decision="dec:1", key="k1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1", key="k1", retry_of="att:1")
    sentences = said(story, "order:17")
    assert [sentence for sentence in sentences if not sentence.startswith("For ")][:3] == [
        "order:17@version:2 was written by attempt att:2, authorized by ann under policy:refunds rule r3.",
        "The outcome of attempt att:1 is not known, so order:17 may have been written twice.",
        "The tool took the write of order:17@version:2; that it took effect was not read back.",
    ]


def test_what_was_confirmed_of_an_action_is_not_said_of_an_attempt_of_unknown_outcome() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1", retry_of="att:1")
    story.checks("check:1", "act:1")
    first, second = answer(story, "act:1").writes
    assert (first.attempt, first.effect, first.attempt_effect) == ("att:1", "confirmed", "unknown")
    assert (second.attempt, second.effect, second.attempt_effect) == ("att:2", "confirmed", "confirmed")
    told = said(story, "act:1")
    assert "act:1 was read back and confirmed, but not that att:1 did it." in told
    assert "The write of order:17@version:2 was read back and confirmed." in told


def test_an_attempt_that_was_read_back_and_failed_stays_failed_when_the_action_is_confirmed() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, "att:1", decision="dec:1", outcome="unknown", writes=[])
    done(story, "att:2", decision="dec:1", retry_of="att:1")
    story.checks("check:1", "att:1", "confirmed_failed")
    story.checks("check:2", "att:2")
    told = said(story, "act:1")
    assert "act:1 was read back and confirmed; att:1 was read back too: it did not take effect." in told


def test_nothing_is_judged_of_what_nobody_wrote() -> None:
    story = Story()
    story.run("run:1")
    story.call("call:1", sees=["doc:1"], says=["msg:1"])
    graph = answer(story, "doc:1")
    assert (graph.writes, graph.outcomes) == ((), ())
    assert "Nothing recorded says that doc:1 was written" in said(story, "doc:1")[0]


def test_what_was_read_back_and_is_not_there_is_no_more_than_reported() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1")
    story.checks("check:1", ORDER, "confirmed_failed", attempt="att:1")
    told = said(story, ORDER)
    assert told[0].startswith(f"{ORDER} is reported as written by attempt att:1,")
    assert f"The write of {ORDER} was read back: it did not take effect." in told
