"""Attempts in plain sentences, the ones that also say what is not known of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from queries.attempts.entries import Late, Operation, Retried, Tried, Twice
from queries.hiding import SCHEME
from queries.telling import counted, listed

_EFFECT = {
    "confirmed": "it took effect: that was read back",
    "confirmed_failed": "it had no effect: that was read back",
    "contradicted": "whether it took effect is contradicted: it was read back that it did, and not",
    "submitted_unconfirmed": "a tool took it, and nobody read back whether it took effect",
    "unknown": "whether it took effect is not known",
}
_WHY = {
    "action": "are at one action",
    "retry": "retry one another",
    "key": "carry one key",
    "arguments": "ran with the very same arguments",
}
_BASIS = {
    "causal": "that follows from what names what",
    "source_order": "that is the order of one source's own numbers",
    "clock_same_source": "by one clock",
    "clock_two_sources": "by two clocks, which may differ",
}


def on_operation(operation: Operation) -> str:
    """One action: how often it was tried, with which outcomes, to what effect."""
    effect = _effect(operation)
    if not operation.action:
        [alone] = operation.attempts
        return f"{alone.attempt} names no action; {_outcome(alone)}; {effect}."
    if not operation.attempts:
        return f"{operation.action} was proposed; no attempt at it is recorded."
    tried = "once" if len(operation.attempts) == 1 else f"{len(operation.attempts)} times"
    told = "; ".join(f"{each.attempt} {_outcome(each)}" for each in operation.attempts)
    return f"{operation.action} was tried {tried} ({told}); {effect}."


def _effect(operation: Operation) -> str:
    """What is known of the effect; what was written may be hidden, and with it who read it back."""
    veiled = any(write.ref.startswith(SCHEME) for each in operation.attempts for write in each.writes)
    if veiled and operation.effect == "submitted_unconfirmed":
        return "a tool took it; whether it was read back is hidden from you, for what it wrote is"
    return _EFFECT[operation.effect]


def _outcome(each: Tried) -> str:
    if not each.outcome:
        return "is named as retried and was never reported"
    words = {"unknown": "has no known outcome"}
    said = " and ".join(words.get(outcome, outcome) for outcome in each.outcome)
    error = f" ({each.error})" if each.error else ""
    return f"{said}{error}"


def on_twice(twice: Twice) -> str:
    """Several effects of one thing."""
    attempts, why = _both(twice.attempts), _WHY[twice.why]
    wrote = f" ({listed(twice.writes)})" if twice.writes else ""
    if twice.certain:
        return f"{attempts} {why}, and each of them took effect{wrote}: that was read back."
    settled = "of none is it settled that it had no effect"
    return f"{attempts} {why}, and {settled}: it may have been done twice{wrote}."


def _both(refs: Sequence[str]) -> str:
    return " and ".join(refs) if len(refs) < 3 else listed(refs)


def on_retried(retried: Retried) -> str:
    """One retry that was blind."""
    why = "nothing had verified that it failed"
    if retried.verified_later:
        why = "its failure was verified only later"
    elif retried.effect == "contradicted":
        why = "whether it failed is contradicted"
    key = ", under the same key" if retried.same_key else ""
    said = " and ".join(retried.outcome) or "not reported"
    return f"{retried.again} retried {retried.first} ({said}){key}, although {why}."


def on_late(late: Late) -> str:
    """One attempt that ran into a cancellation."""
    span = late.difference.removeprefix("PT").replace("S", " s")
    basis = _BASIS[late.basis] + (f", {span} apart" if span else "")
    what = "began after" if late.began else "was under way at, and ended after,"
    done = f" and wrote {listed(late.writes)}" if late.writes else ""
    sure = "possibly " if late.possibly else ""
    withdrawn = f", which withdrew {' and '.join(late.withdrawn)}" if late.withdrawn else ""
    return (
        f"{late.attempt} {sure}{what} the cancellation of {late.run} by {late.by}{withdrawn}{done}: {basis}."
    )


def on_nothing(targets: Sequence[str], calls: Sequence[str]) -> Iterator[str]:
    """Why no attempt is told of."""
    names = ", ".join(targets)
    if calls:
        yield f"No attempt and no action of {names} is recorded; it was made by {listed(calls)}."
    else:
        yield f"No attempt and no action of {names} is recorded: nothing says that a tool ran for it."


def on_few(operations: Sequence[Operation]) -> str:
    """How much is told of in all."""
    attempts = {each.attempt for operation in operations for each in operation.attempts}
    actions = [operation for operation in operations if operation.action]
    tried = counted(len(attempts), "attempt")
    if not actions:
        return f"{tried}; {'it names' if len(attempts) == 1 else 'they name'} no action."
    return f"{tried} at {counted(len(actions), 'action')}."
