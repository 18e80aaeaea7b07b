"""Validation by PROV-CONSTRAINTS (W3C Recommendation, 30 April 2013): is a document valid, and why not?

The main part and each bundle are judged each by itself (section 7.2). Nothing is concluded from what isn't
stated: a document is invalid only for what it says. Beside the verdict stand the contradictions of clocks,
which never make a document invalid. The work grows with n log n at most, and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from provmodel.constraints import agreeing, kinds
from provmodel.constraints.clock import Clock
from provmodel.constraints.events import Events
from provmodel.constraints.facts import Facts
from provmodel.constraints.merging import Merging
from provmodel.constraints.ordering import Order
from provmodel.constraints.rules import RULES, Rule, order_of
from provmodel.constraints.specializing import Specializing
from provmodel.constraints.telling import Teller
from provmodel.constraints.verdict import MOST_TOLD, Reason, Step, Untimely, Verdict, Violation
from provmodel.document import AnyStatement, Bundle, Document
from provmodel.relations import DERIVATION, Kind
from provmodel.unhindered import no_collections

__all__ = ["MOST_TOLD", "RULES", "Rule", "Step", "Untimely", "Verdict", "Violation", "validate"]


def validate(document: Document, made: str = "") -> Verdict:
    """Judge a document: whether each of its parts is valid, and each reason why not.

    The order of statements and repeated ones never change ``valid``. Ends for every document.
    Ids of relations that begin with the IRI ``made`` are left out where statements are told.
    """
    violations: list[Violation] = []
    clock: list[Untimely] = []
    untold = 0
    for part in _parts(document):
        with no_collections():
            found, times, more = _judge(part, {**document.main.prefixes, **part.prefixes}, made)
        violations.extend(found)
        clock.extend(times)
        untold += more
    violations.sort(key=lambda one: (one.bundle or "", order_of(one.constraint), one.message))
    clock.sort(key=lambda one: (one.bundle or "", order_of(one.constraint), one.message))
    untold += max(0, len(violations) - MOST_TOLD) + max(0, len(clock) - MOST_TOLD)
    return Verdict(not violations, tuple(violations[:MOST_TOLD]), tuple(clock[:MOST_TOLD]), untold)


def _parts(document: Document) -> Iterator[Bundle]:
    """The main part and the bundles; what stands under one bundle's name several times is one bundle."""
    named: dict[str | None, list[Bundle]] = {}
    for part in document.parts:
        named.setdefault(part.id, []).append(part)
    for name, parts in named.items():
        if len(parts) == 1:
            yield parts[0]
        else:
            prefixes: dict[str, str] = {}
            statements: list[AnyStatement] = []
            for part in parts:
                prefixes.update(part.prefixes)
                statements.extend(part.statements)
            yield Bundle(name, prefixes, tuple(statements))


def _judge(
    part: Bundle, prefixes: Mapping[str, str], made: str
) -> tuple[list[Violation], list[Untimely], int]:
    facts = Facts(part.statements)
    merging = Merging(facts)
    specializing = Specializing(facts, merging)
    teller = Teller(facts, prefixes, made)
    reasons: list[Iterator[Reason]] = [
        kinds.impossibilities(facts, merging, specializing, teller),
        agreeing.disagreements(facts, merging, teller),
        specializing.cycles(teller),
    ]
    clock: list[Untimely] = []
    untold = 0
    timed = _has_times(facts)
    if timed or facts.of[DERIVATION.index]:
        events = Events(facts, merging, specializing, ends=timed)
        order = Order(facts, merging, events, teller)
        reasons.append(order.contradictions())
        if timed:
            watch = Clock(facts, merging, order, teller)
            clock.extend(watch.findings())
            untold = watch.untold
    found = chain.from_iterable(reasons)
    violations = [_within(reason(), part.id) for reason in islice(found, MOST_TOLD)]
    return violations, [_untimely(one, part.id) for one in clock], untold + sum(1 for _ in found)


def _within(one: Violation, bundle: str | None) -> Violation:
    return Violation(one.constraint, one.message, one.statements, one.chain, bundle) if bundle else one


def _untimely(one: Untimely, bundle: str | None) -> Untimely:
    if bundle is None:
        return one
    return Untimely(
        one.kind, one.constraint, one.message, one.earlier, one.later, one.statements, one.chain, bundle
    )


def _has_times(facts: Facts) -> bool:
    return any(facts.relations[number].time is not None for numbers in facts.of for number in numbers) or any(
        facts.things[number].start is not None or facts.things[number].end is not None
        for number in facts.elements[Kind.ACTIVITY]
    )
