"""What of the attempts should not have been: doubled effects, blind retries, commits after a cancellation.

An attempt that was not verified to have failed may have taken effect, whatever its tool said of it (model,
section 5, "Effect"); two attempts that name one and the same version as written made it once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from provmodel.events import RunCancelled, ToolCall, Verification
from provmodel.times import nanoseconds
from queries.attempts.entries import Late, Operation, Retried, Tried, Twice
from queries.attempts.gathering import Gathered
from queries.authority import order
from queries.authority.cancels import cancelled
from queries.authority.findings import Finding
from queries.authority.order import CAUSAL, TWO_CLOCKS, Timing
from queries.authority.views import Attempt, Case, cancellation
from queries.graph import Report, Unchecked

FAILED = "failed"
SAME_ACTION, SAME_CHAIN, SAME_KEY, SAME_ARGUMENTS = "action", "retry", "key", "arguments"


class Judged:
    """The doubts about some operations."""

    def __init__(self, gathered: Gathered, operations: Sequence[Operation]) -> None:
        self.gathered = gathered
        self.operations = operations
        self.tried: dict[str, Tried] = {each.attempt: each for op in operations for each in op.attempts}
        self.actions = _actions_of(operations)
        self.targets: defaultdict[str, list[str]] = defaultdict(list)
        for op in operations:
            for each in op.attempts:
                self.targets[each.attempt].append(op.target)
        self.meant = {a.attempt for op in operations if op.target or op.stake for a in op.attempts}

    # Twice

    def twice(self) -> tuple[Twice, ...]:
        """Attempts at one thing of which several took effect, or may have; each set once, the closest reason
        first."""
        found: dict[tuple[str, ...], Twice] = {}
        for why, attempts in self._alike():
            one = self._twice(why, attempts)
            if one and not any(set(one.attempts) <= set(known) for known in found):
                found[one.attempts] = one
        return tuple(sorted(found.values(), key=lambda each: each.attempts))

    def _alike(self) -> Iterator[tuple[str, list[str]]]:
        for operation in self.operations:
            if operation.action:
                yield SAME_ACTION, [each.attempt for each in operation.attempts]
        yield from ((SAME_CHAIN, chain) for chain in self._chains())
        yield from ((SAME_KEY, alike) for alike in self._by(_keys))
        for alike in self._by(_arguments):
            yield from ((SAME_ARGUMENTS, attempts) for attempts in self._at_one_target(alike))

    def _chains(self) -> list[list[str]]:
        """Attempts that retry one another, over one or several actions."""
        chain = {ref: frozenset({ref}) for ref in self.tried}
        for ref, each in self.tried.items():
            for first in each.retry_of:
                whole = chain[ref] | chain.get(first, frozenset())
                chain.update(dict.fromkeys(whole, whole))
        return [sorted(whole) for whole in set(chain.values()) if len(whole) > 1]

    def _by(self, names: Callable[[Attempt], Iterable[Hashable]]) -> list[list[str]]:
        alike: defaultdict[Hashable, list[str]] = defaultdict(list)
        for ref in sorted(self.tried):
            for name in names(self.gathered.attempts[ref]):
                alike[name].append(ref)
        return [refs for refs in alike.values() if len(refs) > 1]

    def _at_one_target(self, refs: Sequence[str]) -> Iterator[list[str]]:
        """Those whose actions are declared to be about one thing, with those that declare nothing."""
        declared = {ref: {target for target in self.targets[ref] if target} for ref in refs}
        for target in sorted(set().union(*declared.values())) or [""]:
            yield [ref for ref in refs if not declared[ref] or target in declared[ref]]

    def _twice(self, why: str, refs: Iterable[str]) -> Twice | None:
        """Whether several of these took effect. Those that report the same writes made them once."""
        attempts = [self.tried[ref] for ref in refs]
        sure = _apart([each for each in attempts if each.effect == "confirmed"])
        may = _apart([each for each in attempts if _may_have(each) and self._writes(each)])
        if why == SAME_ARGUMENTS:
            may = [each for each in may if each.writes]
        if len(may) < 2:
            return None
        told = sure if len(sure) > 1 else may
        return Twice(
            attempts=tuple(sorted(each.attempt for each in told)),
            actions=tuple(sorted({a for each in told for a in self.actions[each.attempt] if a})),
            certain=len(sure) > 1,
            why=why,
            writes=tuple(sorted({w.ref for each in told for w in each.writes if not w.refuted})),
        )

    def _writes(self, each: Tried) -> bool:
        """Whether an attempt changed something, or was to: a search that ran twice did nothing twice."""
        lasting = each.writes or each.effect == "confirmed" or "unknown" in each.outcome
        return bool(lasting) or each.attempt in self.meant

    # Again

    def retried(self) -> tuple[Retried, ...]:
        """Attempts made again before the earlier one was verified to have failed."""
        pairs: dict[tuple[str, str], Timing] = {}
        for operation in self.operations:
            if operation.action:
                pairs |= {
                    (a.attempt, b.attempt): self._order(a.attempt, b.attempt)
                    for a, b in pairwise(operation.attempts)
                }
        for ref, each in self.tried.items():
            pairs |= {(first, ref): Timing(True, CAUSAL) for first in each.retry_of if first in self.tried}
        found = [self._retried(first, again, timing) for (first, again), timing in sorted(pairs.items())]
        return tuple([each for each in found if each])

    def _order(self, first: str, again: str) -> Timing:
        attempts = self.gathered.attempts
        return order.best(
            order.began_first(one, other)
            for one in attempts[first].reports
            for other in attempts[again].reports
        )

    def _retried(self, first: str, again: str, timing: Timing) -> Retried | None:
        one, other = self.tried[first], self.tried[again]
        failed = one.effect == "confirmed_failed"
        if failed and self._known_before(one, again):
            return None
        return Retried(
            first=first,
            again=again,
            outcome=one.outcome,
            effect=one.effect,
            basis=timing.basis,
            same_key=bool(one.key) and one.key == other.key,
            verified_later=failed,
            difference=timing.difference,
        )

    def _known_before(self, one: Tried, again: str) -> bool:
        """Whether a verdict that the attempt failed came before the other began."""
        checks = {check.verification for check in one.checks if check.verdict == "confirmed_failed"}
        later = self.gathered.attempts[again].reports
        reports = [report for ref in sorted(checks) for report in self.gathered.reading.reports.get(ref, ())]
        found = [report for report in reports if isinstance(report.event, Verification)]
        return not later or any(order.before_start(report, later).holds for report in found)

    # Late

    def late(self) -> tuple[tuple[Late, ...], tuple[Unchecked, ...]]:
        """Attempts that may have committed after a cancellation, and what could not be told of others."""
        late: list[Late] = []
        unchecked: list[Unchecked] = []
        for ref in sorted(self.tried):
            if _may_have(self.tried[ref]):
                found = list(_late(self.gathered.cases.case(ref), self.tried[ref]))
                late += [item for item in found if isinstance(item, Late)]
                unchecked += [item for item in found if isinstance(item, Unchecked)]
        return tuple(late), tuple(dict.fromkeys(unchecked))


def _actions_of(operations: Iterable[Operation]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for operation in operations:
        for each in operation.attempts:
            found[each.attempt].append(operation.action)
    return found


def _may_have(each: Tried) -> bool:
    """Whether an attempt took effect, or may have: a tool's own "failed" is taken at its word here."""
    if each.effect == "unknown":
        return bool(set(each.outcome) - {FAILED}) or not each.outcome
    return each.effect != "confirmed_failed"


def _apart(attempts: Sequence[Tried]) -> list[Tried]:
    """One of those that report the very same writes, and all others."""
    found: dict[object, Tried] = {}
    for each in attempts:
        writes = frozenset(write.ref for write in each.writes)
        found.setdefault(writes or each.attempt, each)
    return list(found.values())


def _keys(attempt: Attempt) -> list[tuple[str, ...]]:
    """A key is that of one tool, in one run."""
    return [
        (run, tool, key)
        for run in attempt.runs or ("",)
        for tool in sorted(attempt.tools)
        for key in sorted(attempt.keys)
    ]


def _arguments(attempt: Attempt) -> list[tuple[str | None, ...]]:
    """The whole of the arguments, by its tag: tags are equal only under one key."""
    return [
        (tags.run, tags.alg, tool, tags.whole)
        for tags in attempt.executed
        for tool in sorted(attempt.tools)
        if tags.whole and tags.run is not None
    ]


def _late(case: Case, each: Tried) -> Iterator[Late | Unchecked]:
    runs, named = set(case.runs()), case.attempt.named
    for report in case.cancels:
        event = cancellation(report)
        withdrawn = tuple(sorted(named & set(event.decisions)))
        if event.run not in runs and not withdrawn:
            continue
        found = list(cancelled(msgspec.structs.replace(case, cancels=(report,)), named))
        yield from (item for item in found if isinstance(item, Unchecked))
        began = next((item for item in found if isinstance(item, Finding)), None)
        told = _told(began) if began else _under_way(case, report)
        if told:
            yield Late(
                attempt=each.attempt,
                run=event.run,
                by=event.by,
                began=began is not None,
                possibly=told.basis == TWO_CLOCKS,
                basis=told.basis,
                event=report.seq,
                difference=told.difference,
                withdrawn=withdrawn,
                writes=tuple([write.ref for write in each.writes if not write.refuted]),
            )


class _Basis(NamedTuple):
    """What an order rests on, and by how much two clocks differ."""

    basis: str
    difference: str


def _told(finding: Finding) -> _Basis:
    return _Basis(finding.basis, finding.difference)


def _under_way(case: Case, report: Report) -> _Basis | None:
    """How it is known that an attempt, begun before, ended after a cancellation; None when it did not. One
    that carries a newer task version than the cancelled one is not meant."""
    cancelled_version = cancellation(report).task_version
    if cancelled_version and any(
        order.older(cancelled_version, carried, case.starts) for carried in case.attempt.versions
    ):
        return None
    ended = order.best(_ended_after(report, told) for told in case.attempt.reports)
    return _Basis(ended.basis, ended.difference) if ended.holds else None


def _ended_after(notice: Report, told: Report) -> Timing:
    """Whether an attempt ended after a cancellation; a report that came before it tells of an earlier end."""
    call, cancel = told.event, notice.event
    assert isinstance(call, ToolCall)  # noqa: S101 - attempts are described by tool calls alone
    assert isinstance(cancel, RunCancelled)  # noqa: S101 - read by that type
    if order.reported_first(call, cancel):
        return Timing(False, order.SOURCE_ORDER)
    by = nanoseconds(call.ended) - nanoseconds(cancel.time) if call.ended else 0
    return Timing(by > 0, order.clock(cancel, call), by)
