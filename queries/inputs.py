"""What went into a target, grouped by tie: pure functions over a walk backward.

Ties are read from the edges next to an input; a member is tied as the collection that holds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from provmodel.evidence import Evidence
from provmodel.relations import DERIVATION, MEMBERSHIP, USAGE, Flow, Kind
from queries.building import Found
from queries.graph import RESTRICTED, Row, Way
from queries.marks import GENERATED
from queries.paths import SHOWN, Paths, neighbours
from queries.ties import INNER, MODEL_CALL, SILENT_TYPES, TIES, TYING, UNTOLD, Tie, tie_of
from queries.walk import Trip

USED = USAGE.code(0, Flow.DATA)
MEMBER = MEMBERSHIP.code(0, Flow.DATA)
DERIVED = DERIVATION.code(0, Flow.DATA)
CITATION = "citation"
SIBLING = "sibling"
_INPUTS = Kind.ENTITY | RESTRICTED

Citation = tuple[int, int, int]
"""(cited source, the output that cites it, the call that gave the output)."""


class Known(msgspec.Struct, frozen=True, gc=False):
    """How a tie is best known: the evidence of the path that ends with it, its method, and what it leads
    over.

    ``near`` is the node next to it toward the target, ``through`` what a bridge leads over on the way there.
    """

    evidence: int
    method: str
    near: int
    through: tuple[int, ...] = ()


class Grouped:
    """The inputs of a walk. ``ties`` holds, for each tie, the entities reached by it and how that is
    known. ``earlier`` are those that the page before knew of: a thing may stand on one page, and what it is
    tied to on a later one, which tells of it then.
    """

    def __init__(self, trip: Trip, found: Found) -> None:
        self.found = found
        before = found.earlier(trip.policy.way)
        self.earlier = Grouped(trip, before) if before else None
        self.starts = frozenset(trip.starts)
        self.links = found.walked.crossed
        self.bridges = found.walked.bridges
        self.steps = neighbours(self.links, self.bridges, Way.OUT)
        self.paths = self._paths()
        self.best = self.paths.best
        self._ends: dict[tuple[int, int, tuple[int, ...]], tuple[int, tuple[str, ...]]] = {}
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        self.used: defaultdict[int, list[int]] = defaultdict(list)
        self.ties: dict[Tie, dict[int, Known]] = {tie: {} for tie in (*TIES, UNTOLD)}
        self._tie()
        self.inputs = self._inputs()

    def _paths(self) -> Paths:
        """Best paths over plain edges; over bridges only to what nothing else leads to."""
        roots, refs = dict.fromkeys(self.starts, int(Evidence.VERIFIED)), self.found.refs
        if not self.bridges:
            return Paths(roots, self.steps, refs)
        plain = Paths(roots, neighbours(self.links, (), Way.OUT), refs)
        wanting = [bridge for bridge in self.bridges if bridge.far not in plain.best]
        return Paths(roots, neighbours(self.links, wanting, Way.OUT), refs) if wanting else plain

    def _tie(self) -> None:
        type_of, best, ties = self.found.types.get, self.best, self.ties
        for link in self.links:
            code, near, far = link.code, link.source, link.target
            evidence = best.get(near, 0)
            if not evidence:  # a bridge led over it before it was reached
                continue
            if code == MEMBER:
                self.members[near].append(far)
            elif code == USED:
                self.used[near].append(far)
            tie = tie_of(code, link.role, type_of(near, "")) if code in TYING else None
            if tie is None:
                continue
            tied = ties[tie]
            rows = link.rows
            if link.supporting < evidence:
                evidence = link.supporting
            known = Known(evidence, rows[0].method if len(rows) == 1 else _method(rows), near)
            held = tied.get(far)
            if held is None or self._rank(known) < self._rank(held):
                tied[far] = known
        for bridge in self.bridges:
            evidence = min(bridge.evidence, best[bridge.near])
            self._add(bridge.far, "cited", Known(evidence, SIBLING, bridge.near, bridge.through))
        if self.members:
            self._inherit()

    def _add(self, node: int, tie: Tie, known: Known) -> bool:
        """Keep the best known of a tie: by evidence, then without a bridge, then the shortest, then by
        reference."""
        held = self.ties[tie].get(node)
        if held is None or self._rank(known) < self._rank(held):
            self.ties[tie][node] = known
            return True
        return False

    def _rank(self, known: Known) -> tuple[int, int, int, str]:
        return -known.evidence, len(known.through), self.steps_of(known), self.found.refs[known.near]

    def _inherit(self) -> None:
        """Members are tied as what holds them; those of a target itself as what a tool returns."""
        waiting = sorted(self.members, key=self.found.ref)
        while waiting:
            holder = waiting.pop(0)
            ties = [
                tie
                for tie in self.ties
                if holder in self.ties[tie] or (tie == "read" and holder in self.starts)
            ]
            for member in self.members[holder]:
                grew = [self._add(member, tie, self._held(holder, member, tie)) for tie in ties]
                if any(grew) and member in self.members:
                    waiting.append(member)

    def _held(self, holder: int, member: int, tie: Tie) -> Known:
        known = self.ties[tie].get(holder)
        evidence = known.evidence if known else int(Evidence.VERIFIED)
        return Known(min(evidence, self.best[member]), known.method if known else "", holder)

    def _inputs(self) -> set[int]:
        """Entities that were tied, and are more than a step's own wrapping."""
        infos, type_of = self.found.infos, self.found.types.get
        tied = set().union(*self.ties.values()) - self.starts
        return {node for node in tied if infos[node].kind & _INPUTS and type_of(node, "") not in INNER}

    def told(self) -> list[int]:
        """The inputs that this page tells of."""
        return self.found.newly(self.inputs, self.earlier.inputs if self.earlier else ())

    def told_as(self, tie: Tie) -> list[int]:
        """The inputs that this page tells of under a tie."""
        earlier = self.earlier.ties[tie].keys() & self.earlier.inputs if self.earlier else ()
        return self.found.newly(self.ties[tie].keys() & self.inputs, earlier)

    def direct(self) -> set[int]:
        """Inputs that a path leads to over steps, candidates and contexts alone, and their members."""
        seen, inputs = set(self.starts), self.inputs
        waiting = list(self.starts)
        while waiting:
            for far, _ in self.steps.get(waiting.pop(), ()):
                if far not in seen:
                    seen.add(far)
                    if far not in inputs:
                        waiting.append(far)
        direct = seen & inputs
        return direct | self._held_by(direct)

    def direct_before(self) -> set[int]:
        """Those that the page before knew to be direct."""
        return self.earlier.direct() if self.earlier else set()

    def _held_by(self, holders: Iterable[int]) -> set[int]:
        held: set[int] = set()
        waiting = list(holders) if self.members else []
        while waiting:
            fresh = [member for member in self.members.get(waiting.pop(), ()) if member not in held]
            held.update(fresh)
            waiting += fresh
        return held

    def steps_of(self, known: Known) -> int:
        """How many edges the path is long that ends with this tie."""
        return self.paths.search(known.evidence).length[known.near] + 1 + len(known.through)

    def way_of(self, known: Known) -> tuple[int, tuple[str, ...]]:
        """How many edges the path is long that ends with this tie, and the references on it from cause to
        effect, without the cause."""
        end = (known.evidence, known.near, known.through)  # that of many things
        return self._ends.get(end) or self._toward(known)

    def _toward(self, known: Known) -> tuple[int, tuple[str, ...]]:
        refs, over = self.found.refs, known.through
        steps = self.steps_of(known)
        toward = (*[refs[each] for each in over], *self.paths.search(known.evidence).shown(known.near))
        end = self._ends[known.evidence, known.near, over] = (steps, toward[: SHOWN - 1])
        return end

    # What does not fit together

    def citations(self) -> Iterator[Citation]:
        """Those of all pages so far."""
        cited = [link for link in self.links if link.role == CITATION and link.code == DERIVED]
        makers: defaultdict[int, list[int]] = defaultdict(list)
        for link in self.links if cited else ():
            if link.code == GENERATED:
                makers[link.source].append(link.target)
        for link in cited:
            for call in makers[link.source]:
                yield link.target, link.source, call
        for bridge in self.bridges:
            yield bridge.far, *bridge.through

    def citations_told(self) -> set[Citation]:
        """The citations that this page tells of."""
        earlier = set(self.earlier.citations()) if self.earlier else set()
        page, before = self.found.depths, self.found.walked.before
        return {
            one for one in self.citations() if one[0] in page or (one[0] in before and one not in earlier)
        }

    def uncited(self) -> list[int]:
        """What was sent and is cited nowhere on the way. Only the page that comes to the end of it can tell,
        and tells so of the inputs of all pages."""
        if self.found.walked.cut:
            return []
        ties = self.ties
        return self.found.newly((ties["sent"].keys() - ties["cited"].keys()) & self.inputs, ())

    def sent_to(self, call: int) -> set[int]:
        """All that a call had in its context."""
        used = self.used.get(call, ())
        return {*used, *self._held_by(used)}

    def sent(self) -> Iterator[tuple[int, int]]:
        """(thing, model call that was sent it)."""
        for call in self.used:
            if self.found.types.get(call) == MODEL_CALL:
                for thing in self.sent_to(call):
                    yield thing, call

    def silent(self) -> list[int]:
        """Steps that report nothing they read or were sent."""
        stopped = self.found.walked.frontier
        return [
            node
            for node in self.found.order
            if self.found.types.get(node, "") in SILENT_TYPES
            and node not in self.steps
            and node not in stopped
        ]


def _method(rows: list[Row]) -> str:
    """The method of the best supporting assertion; a plain statement comes before a conclusion."""
    return max(rows, key=lambda row: (row.stance, row.evidence, not row.method)).method
