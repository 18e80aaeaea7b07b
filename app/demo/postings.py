"""Who authorized what was posted to the three accounts: asked, allowed, tried, done."""

from __future__ import annotations

from collections.abc import Iterator

from app.demo import missing
from app.demo.layout import Screen, clock, spoken
from queries.answer import Answer
from queries.authority.entries import DecisionView, Difference, WriteView
from queries.questions.who_authorized import Who

TITLE = "2. Who authorized what was posted?"
_DONE = {
    "confirmed": "yes, read back and confirmed",
    "confirmed_failed": "no: it was read back, and had no effect",
    "submitted_unconfirmed": "said to be done by the tool; nobody read it back",
    "unknown": "not known",
}
_VERDICTS = {"allow": "allowed", "deny": "denied", "modify": "allowed with changes", "ask": "passed on"}


def show(screen: Screen, answer: Answer[Who]) -> None:
    """Print the answer."""
    graph = answer.graph
    screen.label("What the record shows")
    screen.text(f"{_count(len(graph.writes))} postings, with a judgement of each. Times are in UTC.")
    for write in graph.writes:
        screen.blank()
        screen.text(f"{write.write or write.attempt}: {outcome(write)}", "bold")
        screen.pairs(_steps(write), indent=6)
    missing.show(screen, graph)


def _count(number: int) -> str:
    return {1: "One", 2: "Two", 3: "Three"}.get(number, str(number))


def outcome(write: WriteView) -> str:
    """The outcomes by name, in words."""
    return spoken([name.replace("_", " ") for name in write.outcomes])


def _steps(write: WriteView) -> Iterator[tuple[str, str]]:
    for asked in write.asked:
        yield "asked", f"by {spoken(asked.by)} at {clock(asked.time)}, with {asked.tool}"
    for decision in write.decisions:
        yield "allowed?", _decision(decision)
    if not write.decisions:
        yield "allowed?", "no decision is recorded"
    yield "tried", _tried(write)
    for difference in write.differences:
        yield "differs", _difference(difference)
    yield "done?", _DONE[write.effect]


def _decision(decision: DecisionView) -> str:
    verdict = _VERDICTS.get(decision.verdict, decision.verdict)
    words = [
        f"{verdict} by {decision.decider.id} at {clock(decision.time)}",
        "signed in" if decision.decider.authenticated == "authenticated" else "a name that nobody checked",
    ]
    if decision.policy:
        words.append(f"under {decision.policy.ref}, rule {decision.policy.rule}")
    return ", ".join(words) + (f': "{decision.reason}"' if decision.reason else "")


def _tried(write: WriteView) -> str:
    tries = [
        (other.started or "", f"{other.attempt} at {clock(other.started)}, {_word(other.outcome)}")
        for other in write.other_attempts
    ]
    named = any(decision.named for decision in write.decisions)
    grant = "" if named or not write.decisions else ", naming no decision"
    own = f"{write.attempt} at {clock(write.started)}, {_word(write.outcome)}{grant}"
    told = [text for _, text in sorted([*tries, (write.started or "", own)])]
    return ("twice under one key: " if len(told) > 1 and _one_key(write) else "") + "; ".join(told)


def _one_key(write: WriteView) -> bool:
    keys = {other.key for other in write.other_attempts} | {asked.key for asked in write.asked}
    return len(keys) == 1 and "" not in keys


def _word(outcomes: tuple[str, ...]) -> str:
    """An outcome in words: a time-out is not a failure."""
    return spoken(["no reply" if outcome == "unknown" else outcome for outcome in outcomes])


def _difference(difference: Difference) -> str:
    """Which of the four values are equal; the values themselves are not shown, only that they differ."""
    steps = {
        "asked for": difference.proposed,
        "shown": difference.shown,
        "allowed": difference.authorized,
        "sent": difference.executed,
    }
    groups: dict[str, list[str]] = {}
    for step, letter in steps.items():
        groups.setdefault(letter, []).append(step)
    told = [f"was {spoken(words)}" for letter, words in groups.items() if letter]
    return f"{difference.pointer or 'the whole'}: one value {', another '.join(told)}"
