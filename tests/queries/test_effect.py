"""The effect of an action, from its attempts and what was read back."""

from __future__ import annotations

from typing import Any, Literal

from provmodel.events import ToolCall, Verification, Write
from queries.effect import effect_of_action, effect_of_attempt

TIME = "2026-01-01T00:00:00Z"
Outcome = Literal["accepted", "completed", "failed", "unknown"]


def call(attempt: str, outcome: Outcome = "completed", *writes: str) -> ToolCall:
    written = tuple(Write(ref=ref, mode="create") for ref in writes)
    fields: dict[str, Any] = {"id": attempt, "source": "s", "time": TIME, "tool": "t"}
    return ToolCall(**fields, attempt=attempt, outcome=outcome, writes=written)


def check(subject: str, verdict: Any = "confirmed", attempt: str | None = None) -> Verification:
    fields: dict[str, Any] = {"id": "v", "source": "s", "time": TIME, "method": "read"}
    return Verification(**fields, verification="v", subject=subject, verdict=verdict, attempt=attempt)


def of_action(calls: list[ToolCall], *checks: Verification) -> str:
    return effect_of_action({c.attempt: [c] for c in calls}, checks, "act")


def test_an_action_is_confirmed_if_any_attempt_is() -> None:
    calls = [call("a1", "unknown"), call("a2")]
    assert of_action(calls, check("a1", "confirmed_failed"), check("a2")) == "confirmed"


def test_an_action_has_confirmedly_failed_only_if_all_its_attempts_have() -> None:
    calls = [call("a1", "failed"), call("a2", "failed")]
    assert of_action(calls, check("a1", "confirmed_failed")) == "unknown"
    failed = (check("a1", "confirmed_failed"), check("a2", "confirmed_failed"))
    assert of_action(calls, *failed) == "confirmed_failed"


def test_an_action_is_submitted_if_any_attempt_was_taken() -> None:
    assert of_action([call("a1", "unknown"), call("a2", "accepted")]) == "submitted_unconfirmed"


def test_a_failure_that_nothing_verified_is_unknown() -> None:
    assert of_action([call("a1", "failed")]) == "unknown"


def test_an_action_without_attempts_is_unknown() -> None:
    assert of_action([]) == "unknown"


def test_a_verdict_on_the_action_is_about_all_its_attempts() -> None:
    calls = [call("a1"), call("a2")]
    assert of_action(calls, check("act")) == "confirmed"
    assert of_action(calls, check("act", "confirmed_failed")) == "confirmed_failed"


def test_an_unconfirmed_check_tells_nothing() -> None:
    assert of_action([call("a1")], check("a1", "unconfirmed")) == "submitted_unconfirmed"


def test_a_verdict_on_a_write_is_about_the_one_attempt_that_has_it() -> None:
    calls = [call("a1", "unknown"), call("a2", "completed", "order:1")]
    assert of_action(calls, check("order:1;by=a2")) == "confirmed"
    assert of_action(calls, check("order:1")) == "confirmed"


def test_a_verdict_on_a_write_that_two_attempts_have_is_about_neither() -> None:
    calls = [call("a1", "completed", "order:1"), call("a2", "completed", "order:1")]
    assert of_action(calls, check("order:1")) == "submitted_unconfirmed"
    assert of_action(calls, check("order:1", attempt="a2")) == "confirmed"


def test_a_confirmed_action_confirms_the_attempt_that_alone_wrote() -> None:
    calls = {"a1": [call("a1", "unknown")], "a2": [call("a2", "completed", "order:1")]}
    assert effect_of_attempt("a2", calls, [check("act")], "act") == "confirmed"
    assert effect_of_attempt("a1", calls, [check("act")], "act") == "unknown"


def test_a_confirmed_action_of_two_writers_confirms_neither_attempt() -> None:
    calls = {name: [call(name, "completed", "order:1")] for name in ("a1", "a2")}
    assert effect_of_attempt("a1", calls, [check("act")], "act") == "submitted_unconfirmed"
    assert effect_of_attempt("a1", calls, [check("act", "confirmed_failed")], "act") == "confirmed_failed"
