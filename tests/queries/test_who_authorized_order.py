"""What came first, and on which basis: causal, one source's numbers, one clock, two clocks."""

from __future__ import annotations

import pytest

from queries.authority.findings import Finding
from tests.queries.judged import ORDER, answer, args, asked, done, found, judged, said
from tests.story import Story, instant


def basis(finding: Finding) -> tuple[str, str]:
    return finding.basis, finding.difference


# --- granted afterwards ---


def test_an_attempt_that_names_its_decision_came_after_it_whatever_the_clocks_say() -> None:
    story = asked()
    done(story, decision="dec:1", started=instant(10), ended=instant(11))
    story.decides("dec:1", action="act:1", source="gate", time=instant(500))
    assert judged(story).outcomes == ("authorized",)


def test_a_report_numbered_before_the_decision_proves_that_the_grant_came_afterwards() -> None:
    story = asked()
    done(story, started=instant(60))
    story.decides("dec:1", action="act:1", time=instant(5))
    assert basis(found(judged(story), "granted_afterwards")) == ("source_order", "")


def test_a_report_numbered_after_the_decision_does_not_prove_that_the_attempt_began_later() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", time=instant(30))
    done(story, started=instant(10), ended=instant(50), time=instant(50))
    assert basis(found(judged(story), "granted_afterwards")) == ("clock_same_source", "PT20S")


def test_numbers_of_two_epochs_order_nothing() -> None:
    story = asked()
    done(story, started=instant(60), epoch="b")
    story.decides("dec:1", action="act:1", time=instant(30), epoch="a")
    assert judged(story).outcomes == ("authorized",)


def test_a_grant_later_by_one_clock_was_granted_afterwards() -> None:
    story = Story(numbered=False)
    story.run("run:1")
    story.proposes("act:1", tool="refund", arguments={})
    done(story, started=instant(10), arguments={"body": {"json": {}}})
    story.decides("dec:1", action="act:1", time=instant(40))
    assert basis(found(judged(story), "granted_afterwards")) == ("clock_same_source", "PT30S")


def test_a_grant_later_by_two_clocks_was_possibly_granted_afterwards() -> None:
    story = asked()
    done(story, started=instant(10))
    story.decides("dec:1", action="act:1", source="gate", time=instant(12.5))
    view = judged(story)
    assert view.outcomes == ("possibly_granted_afterwards",)
    assert basis(found(view, "possibly_granted_afterwards")) == ("clock_two_sources", "PT2.5S")


def test_a_grant_earlier_by_two_clocks_authorizes_and_the_answer_says_on_what_it_rests() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", source="gate", time=instant(5))
    done(story, started=instant(60))
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    [unchecked] = [item for item in graph.unchecked if item.what == "order of dec:1 and att:1"]
    assert unchecked.why == "it rests on the clocks of gate and harness"


def test_an_attempt_without_a_start_is_judged_by_the_time_of_its_report_and_the_answer_says_so() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story)
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    assert any(item.what == "start of att:1" for item in graph.unchecked)


def test_arrival_is_no_order() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, started=instant(60))
    first = answer(story, ORDER)
    turned = Story()
    turned.events, turned.principals = story.events[::-1], {}
    again = answer(turned, ORDER)
    assert first.outcomes == again.outcomes == ("authorized",)
    assert [view.findings for view in first.writes] == [view.findings for view in again.writes]


def test_times_are_compared_as_instants_not_as_text() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", source="gate", time="2026-11-10T14:00:01.200+01:00")
    done(story, started="2026-11-10T13:00:01Z")
    assert basis(found(judged(story), "possibly_granted_afterwards")) == ("clock_two_sources", "PT0.2S")


# --- expired or revoked ---


def test_an_end_that_another_clock_set_is_possibly_expired() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", source="gate", valid={"until": instant(30)})
    done(story, decision="dec:1", started=instant(40))
    view = judged(story)
    assert view.outcomes == ("possibly_expired_or_revoked",)
    assert basis(found(view, "possibly_expired_or_revoked")) == ("clock_two_sources", "PT10S")


def test_a_revocation_by_another_clock_is_possible() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.decides("dec:2", "revoked", replaces="dec:1", action="act:1", source="gate", time=instant(30))
    done(story, decision="dec:1", started=instant(40))
    view = judged(story)
    assert view.outcomes == ("possibly_expired_or_revoked",)
    assert basis(found(view, "possibly_expired_or_revoked")) == ("clock_two_sources", "PT10S")


def test_a_revocation_reported_after_the_attempt_takes_nothing_back_whatever_its_clock_says() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", started=instant(40))
    story.decides("dec:2", "revoked", replaces="dec:1", action="act:1", time=instant(30))
    assert judged(story).outcomes == ("authorized",)


def test_an_attempt_that_names_the_revocation_itself_is_revoked_by_what_it_names() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.decides("dec:2", "revoked", replaces="dec:1", action="act:1", source="gate", time=instant(900))
    done(story, decision="dec:2", started=instant(40))
    view = judged(story)
    assert view.outcomes == ("expired_or_revoked",)
    assert {finding.basis for finding in view.findings if finding.outcome == "expired_or_revoked"} == {
        "causal"
    }


def test_an_attempt_at_the_very_end_of_a_grant_is_in_time() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", valid={"until": instant(30)})
    done(story, decision="dec:1", started=instant(30))
    assert judged(story).outcomes == ("authorized",)


# --- used up ---


def test_a_retry_under_another_key_came_after_what_it_retries() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(
        story,
        "att:1",
        decision="dec:1",
        key="k1",
        writes=[],
        outcome="unknown",
        source="a",
        started=instant(90),
    )
    done(story, "att:2", decision="dec:1", key="k2", retry_of="att:1", source="b", started=instant(10))
    assert basis(found(judged(story), "used_up")) == ("causal", "")


def test_a_use_earlier_by_two_clocks_makes_it_possibly_used_up() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(story, "att:1", decision="dec:1", writes=[], source="a", started=instant(10))
    done(story, "att:2", decision="dec:1", source="b", started=instant(20))
    view = judged(story)
    assert view.outcomes == ("possibly_used_up",)
    assert basis(found(view, "possibly_used_up")) == ("clock_two_sources", "PT10S")


def test_uses_without_starts_are_ordered_by_the_numbers_of_their_source() -> None:
    story = asked()
    story.decides("dec:1", action="act:1", scope={"kind": "once"})
    done(story, "att:1", decision="dec:1", writes=[])
    done(story, "att:2", decision="dec:1")
    assert basis(found(judged(story), "used_up")) == ("source_order", "")


# --- cancelled before ---


def test_a_cancellation_by_another_clock_is_possible() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.cancels("ann", source="console", time=instant(30))
    done(story, decision="dec:1", started=instant(33))
    view = judged(story)
    assert view.outcomes == ("possibly_cancelled_before",)
    assert basis(found(view, "possibly_cancelled_before")) == ("clock_two_sources", "PT3S")
    assert "authorized" not in {finding.outcome for finding in view.findings}


def test_a_cancellation_while_the_attempt_ran_came_too_late() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.cancels("ann", time=instant(30))
    done(story, decision="dec:1", started=instant(20), ended=instant(40), time=instant(40))
    assert judged(story).outcomes == ("authorized",)


def test_a_cancellation_reported_after_the_attempt_came_too_late() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    done(story, decision="dec:1", started=instant(60))
    story.cancels("ann", time=instant(30))
    assert judged(story).outcomes == ("authorized",)


def test_the_cancellation_of_another_run_is_no_matter() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.cancels("ann", run="run:2")
    done(story, decision="dec:1", started=instant(60))
    assert judged(story).outcomes == ("authorized",)


def test_a_withdrawn_grant_is_cancelled_in_whatever_run() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.cancels("ann", run="run:2", decisions=["dec:1"])
    done(story, decision="dec:1", started=instant(60))
    finding = found(judged(story), "cancelled_before")
    assert (finding.decision, finding.basis) == ("dec:1", "clock_same_source")


def cancelled(version: str | None, carried: str, successor: str | None, **more: object) -> Story:
    """A run of version 1 is cancelled and begun again; an attempt that carries a version begins later."""
    story = Story()
    story.run("run:1", task_version="1")
    story.proposes("act:1", tool="refund", arguments={})
    story.decides("dec:1", action="act:1")
    story.cancels("ann", task_version=version, **more)
    if successor:
        story.run("run:1", task_version=successor)
    done(story, decision="dec:1", task_version=carried, started=instant(60), arguments={"body": {"json": {}}})
    return story


def test_an_attempt_of_an_older_task_version_than_the_successor_came_before_the_cancellation() -> None:
    story = cancelled("1", "1", "2")
    graph = answer(story, ORDER)
    assert graph.outcomes == ("authorized",)
    [unchecked] = [item for item in graph.unchecked if item.what == "cancellation of run:1 and att:1"]
    assert unchecked.why == "by its clock the attempt began later, by its task version before"


def test_a_cancellation_without_a_version_has_the_next_start_as_its_successor() -> None:
    assert judged(cancelled(None, "1", "2")).outcomes == ("authorized",)


def test_without_a_successor_clocks_decide() -> None:
    assert judged(cancelled("1", "1", None)).outcomes == ("cancelled_before",)


def test_an_attempt_of_the_successor_is_not_what_was_cancelled() -> None:
    assert judged(cancelled("1", "2", "2")).outcomes == ("authorized",)


def test_an_attempt_of_the_successor_under_a_withdrawn_grant_is_cancelled_for_a_causal_reason() -> None:
    view = judged(cancelled("1", "2", "2", decisions=["dec:1"]))
    assert view.outcomes == ("cancelled_before",)
    assert basis(found(view, "cancelled_before")) == ("causal", "")


def test_task_versions_are_compared_by_number() -> None:
    assert judged(cancelled("9", "10", "10")).outcomes == ("authorized",)
    assert judged(cancelled("v9", "v9", "v10")).outcomes == ("authorized",)


def test_task_versions_that_are_names_are_ordered_by_the_starts_of_the_run() -> None:
    story = Story()
    story.run("run:1", task_version="draft")
    story.run("run:1", task_version="final")
    story.proposes("act:1", tool="refund", arguments={})
    story.decides("dec:1", action="act:1")
    story.cancels("ann", task_version="final")
    done(story, decision="dec:1", task_version="draft", started=instant(60), arguments={"body": {"json": {}}})
    assert judged(story).outcomes == ("authorized",)


# --- what the words say ---


def test_a_finding_on_two_clocks_says_so_in_words() -> None:
    story = asked()
    done(story, started=instant(10))
    story.decides("dec:1", action="act:1", source="gate", time=instant(12))
    sentences = said(story, ORDER)
    assert sentences[0].endswith("possibly with a grant that came only afterwards.")
    assert sentences[1] == (
        "dec:1 (allow, by ann): if the clocks of two sources agree, it was decided after the attempt began, "
        "by 2 s."
    )


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(1.5, "by 1.5 s"), (599, "by 599 s"), (600, "by about 10 minutes"), (23_000_483.5, "by about 266 days")],
)
def test_a_difference_of_clocks_is_told_in_the_unit_that_a_reader_counts_in(
    seconds: float, told: str
) -> None:
    story = asked()
    done(story, started=instant(10))
    story.decides("dec:1", action="act:1", source="gate", time=instant(10 + seconds))
    assert said(story, ORDER)[1].endswith(f", {told}.")


def test_a_cancellation_on_two_clocks_is_told_as_possible_only() -> None:
    story = asked()
    story.decides("dec:1", action="act:1")
    story.cancels("ann", source="console", time=instant(7))
    done(story, decision="dec:1", started=instant(10))
    assert judged(story).outcomes == ("possibly_cancelled_before",)
    words = " ".join(said(story, ORDER))
    assert "possibly after it was cancelled." in words
    assert (
        "If the clocks of two sources agree, ann had cancelled run run:1 before the attempt began, by 3 s."
        in words
    )


def test_another_decision_on_one_clock_makes_the_possible_form_needless() -> None:
    story = asked()
    done(story, started=instant(10), arguments=args())
    story.decides("dec:1", action="act:1", source="gate", time=instant(12))
    story.decides("dec:2", action="act:1", time=instant(14))
    assert judged(story).outcomes == ("granted_afterwards",)
