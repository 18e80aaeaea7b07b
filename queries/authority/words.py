"""An answer in plain sentences, the ones that also name what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from queries.authority import findings as outcome
from queries.authority.entries import DecisionView, WriteView
from queries.authority.findings import POSSIBLY, Finding

_PLAIN = {
    outcome.AUTHORIZED: "authorized",
    outcome.SOMETHING_ELSE: "under an authorization for something else",
    outcome.MODIFIED: "with the arguments that the decider changed it to",
    outcome.USED_UP: "under a grant that was used up",
    outcome.EXPIRED: "under a grant that had ended",
    outcome.AFTERWARDS: "with a grant that came only afterwards",
    outcome.DENIED: "although it was denied",
    outcome.ASKED: "though the question about it was never answered",
    outcome.CANCELLED: "after it was cancelled",
    outcome.SELF: "approved by the agent itself",
    outcome.DEFAULT: "allowed by default, by nobody's decision",
    outcome.CLAIMED: "approved under a name that nothing vouches for",
    outcome.NOBODY: "with no decision on record, though decisions are recorded there",
    outcome.NOT_RECORDABLE: "with no decision on record, where none can be recorded",
    outcome.UNKNOWN_COVERAGE: "with no authorization recorded, nor is it known whether one would be",
}


_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
"""Units of time that differences of at least ten of them are told in, with their lengths in seconds."""


_TAKEN = frozenset({"accepted", "completed"})
"""Outcomes by which a tool says that it took what was to be written."""


def sentences_on(entry: WriteView) -> Iterator[str]:
    """What there is to say of one write: the judgement, then why, then the other attempts and the effect."""
    yield f"{_written(entry) if entry.write else _possible(entry)} {_judged(entry)}."
    for finding in entry.findings:
        if finding.outcome not in (outcome.AUTHORIZED, *outcome.BESIDE):
            yield _why(finding, entry)
    yield from _again(entry)
    yield _effect(entry)


def _written(entry: WriteView) -> str:
    """That it was written, or made where no report calls it a write; what was read back in vain is no more
    than reported, and what no tool says that it took may have been."""
    done = {"delete": "deleted", "send": "sent", None: "made"}.get(entry.mode, "written")
    doubted = entry.attempt_effect in ("confirmed_failed", "contradicted") or entry.refuted
    untaken = entry.outcome and not _TAKEN & set(entry.outcome) and entry.attempt_effect != "confirmed"
    was = "is reported as" if doubted else "may have been" if untaken else "was"
    return f"{entry.write} {was} {done} by {_attempt(entry.attempt)},"


def _attempt(ref: str) -> str:
    """An attempt, by a name that says what it is."""
    return ref if ref.startswith("attempt:") else f"attempt {ref}"


def _possible(entry: WriteView) -> str:
    if "unknown" in entry.outcome:
        what = entry.thing or "something"
        return f"{_upper(_attempt(entry.attempt))} has no known outcome and may have written {what}; if so,"
    return f"Attempt {entry.attempt} reports no write; it ran"


def _judged(entry: WriteView) -> str:
    """The outcomes in words; a clean authorization names the decider and the policy."""
    grant = next((decision for decision in entry.decisions if decision.covers), None)
    words = []
    for name in entry.outcomes:
        if name == outcome.AUTHORIZED and grant:
            words.append(f"authorized by {_by(grant)}")
        else:
            words.append(plain(name))
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def plain(name: str) -> str:
    """An outcome in words."""
    base = _PLAIN[name.removeprefix(POSSIBLY)]
    return f"possibly {base}" if name.startswith(POSSIBLY) else base


def _by(grant: DecisionView) -> str:
    policy = grant.policy
    under = f" under {policy.ref}" if policy else ""
    rule = f" rule {policy.rule}" if policy and policy.rule else ""
    return f"{grant.decider.id}{under}{rule}"


def _why(finding: Finding, entry: WriteView) -> str:
    """The finding after the decision that it is about, and what its order rests on."""
    basis = {
        "": "",
        "causal": "; that follows from what names what",
        "source_order": "; that is the order of one source's own numbers",
        "clock_same_source": f", by {_span(finding)} on one clock",
        "clock_two_sources": f", by {_span(finding)}",
    }[finding.basis]
    told = [decision for decision in entry.decisions if decision.decision == finding.decision]
    verdicts = " and ".join(sorted({decision.verdict for decision in told}))
    deciders = " and ".join(sorted({decision.decider.id for decision in told}))
    about = f"{finding.decision} ({verdicts}, by {deciders}): " if told else ""
    first = finding.detail.partition(" ")[0]
    detail = finding.detail if about or not first.isalpha() else _upper(finding.detail)
    return f"{about}{detail}{basis}."


def _span(finding: Finding) -> str:
    """The difference of two instants in the unit that a reader would count it in."""
    seconds = float(finding.difference.removeprefix("PT").removesuffix("S") or 0)
    for unit, length in _UNITS:
        if seconds >= 10 * length:
            return f"about {seconds / length:,.0f} {unit}"
    return finding.difference.removeprefix("PT").replace("S", " s")


def _again(entry: WriteView) -> Iterator[str]:
    """What other attempts of unknown outcome mean for the write."""
    unknown = [
        other.attempt for other in entry.other_attempts if "unknown" in other.outcome and not other.wrote
    ]
    if unknown and entry.effect != "confirmed_failed":
        times = _times(len(unknown) + (entry.write is not None))
        yield (
            f"The outcome of {' and '.join(map(_attempt, unknown))} is not known, "
            f"so {entry.thing or 'it'} may have been written {times}."
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _effect(entry: WriteView) -> str:
    """What is known of the attempt's own effect, and of the action's if another attempt may have had it."""
    told, it = entry.attempt_effect, _effected(entry)
    if entry.effect == "confirmed" != told and entry.action:
        if told == "confirmed_failed":
            failed = f"{entry.attempt} was read back too: it did not take effect"
            return f"{entry.action} was read back and confirmed; {failed}."
        done = it if entry.write and entry.mode else f"that {entry.attempt} did it"
        return f"{entry.action} was read back and confirmed, but not {done}."
    return {
        "confirmed": f"{_upper(it)} was read back and confirmed.",
        "confirmed_failed": f"{_upper(it)} was read back: it did not take effect.",
        "contradicted": f"Whether {it} took effect is contradicted: it was read back that it did, and not.",
        "submitted_unconfirmed": f"The tool took {it}; that it took effect was not read back.",
        "unknown": f"Whether {it} took effect is not known.",
    }[told]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _effected(entry: WriteView) -> str:
    """What may have taken effect, in a few words that need no sentence before them."""
    if not (entry.write and entry.mode):
        return _attempt(entry.attempt)
    noun = {"delete": "deletion", "send": "sending"}.get(entry.mode or "", "write")
    return f"the {noun} of {entry.write}"


def untold(
    targets: Sequence[str],
    writes: Sequence[WriteView],
    unexecuted: Sequence[str],
    decisions: Sequence[DecisionView],
    silent: Sequence[str],
    evidence: str = "",
) -> Iterator[str]:
    """Why there is no write to tell of, and what was decided about actions that nothing executed;
    ``evidence`` says which, where not all of it was asked for."""
    for action in unexecuted:
        said = [f"{d.decider.id} said {d.verdict} ({d.decision})" for d in decisions if d.action == action]
        decided = ", ".join(said) or "no decision about it is recorded"
        yield f"No attempt at {action} is recorded; {decided}."
    if silent:
        yield f"{', '.join(silent)} failed and reports no write, so nothing had to be authorized."
    if targets and not (writes or unexecuted or silent):
        names = ", ".join(targets)
        yield f"Nothing recorded{evidence} says that {names} was written: there is nothing to judge."
