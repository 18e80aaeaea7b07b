"""What a target reached, by tie and by tier: pure functions over a walk forward."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from provmodel.evidence import Evidence
from provmodel.relations import DERIVATION, MEMBERSHIP, USAGE, Flow, Kind, flow_of
from queries.building import Found
from queries.graph import RESTRICTED, Way
from queries.links import Link
from queries.marks import GENERATED
from queries.paths import Paths, Steps, neighbours, origins
from queries.returned import Followed, Makers
from queries.skills import POSSIBLY, SET_UP, TIERS, Seeds, Tier
from queries.ties import INNER, MODEL_CALL, tie_of
from queries.walk import Trip

MEMBER = MEMBERSHIP.code(0, Flow.DATA)
USED = USAGE.code(0, Flow.DATA)
DERIVED = DERIVATION.code(0, Flow.DATA)
CARRIED = "carried"
"""The link of what an agent, model or source, a run or a step of one made or carried."""


class Reached:
    """What a walk forward found. ``ties`` names, for each thing affected, how the target stands to it: by
    tie, or by the role in which a condition was used (instruction, policy, tool). ``earlier`` is what the
    page before knew of it: a thing may stand on one page, and lead to it by one tie more on a later one."""

    def __init__(self, trip: Trip, found: Found, seeds: Seeds, makers: Callable[[], Makers]) -> None:
        self.found = found
        before = found.earlier(trip.policy.way)
        self.earlier = Reached(trip, before, seeds, makers) if before else None
        self.starts = frozenset(trip.starts)
        self.seeds = seeds
        roots = self.starts | seeds.things | seeds.carried.keys()
        self.followed = Followed(found, found.walked.crossed, found.walked.bridges, roots, makers)
        self.links = self.followed.links
        self.bridges = self.followed.bridges
        self.steps = neighbours(self.links, self.bridges, Way.IN)
        self.paths = self._paths()
        self.best = self.paths.best
        self.first = self._first()
        self.ties = self._spread(self.first)
        self.tiers = self._tiers()

    def _paths(self) -> Paths:
        """Best paths over plain edges; over bridges only to what nothing else leads to."""
        refs = self.found.refs
        roots = dict.fromkeys(self.starts, int(Evidence.VERIFIED))
        roots |= {thing: POSSIBLY for thing in self.seeds.things if thing in self.found.infos}
        carried = {node: known for node, known in self.seeds.carried.items() if node in self.found.infos}
        roots = carried | roots
        plain = Paths(roots, neighbours(self.links, (), Way.IN), refs)
        wanting = [bridge for bridge in self.bridges if bridge.far not in plain.best]
        return Paths(roots, neighbours(self.links, wanting, Way.IN), refs) if wanting else plain

    def _first(self) -> dict[str, set[int]]:
        """Where each tie of the targets leads: the nodes on its other side.

        What holds a target is tied as the target is.
        """
        holders = self.starts | self.seeds.things
        for _ in range(len(self.found.infos)):
            more = {x.source for x in self.links if x.code == MEMBER and x.target in holders} - holders
            if not more:
                break
            holders |= more
        first: defaultdict[str, set[int]] = defaultdict(set, {CARRIED: set(self.seeds.carried)})
        for link in self.links:
            if link.target in holders:
                tie = self._tie(link)
                if tie:
                    first[tie].add(link.source)
        for bridge in self.bridges:
            if bridge.near in holders:
                first["cited"].add(bridge.far)
        return dict(first)

    def _tie(self, link: Link) -> str | None:
        flow = flow_of(link.code)
        if flow is Flow.CONTROL:
            return "environment" if link.code == SET_UP else link.role or "plan"
        if flow is Flow.RESPONSIBILITY or self.found.infos[link.target].kind & Kind.ACTIVITY:
            return CARRIED
        return tie_of(link.code, link.role, self.found.types.get(link.source, ""))

    def _spread(self, first: Mapping[str, set[int]]) -> dict[int, list[str]]:
        ties: defaultdict[int, list[str]] = defaultdict(list)
        for tie in sorted(first):
            for node in reach(first[tie], self.steps):
                ties[node].append(tie)
        return ties

    def _tiers(self) -> dict[int, Tier]:
        """The best tier of each node that data alone does not lead to."""
        data = [link for link in self.links if flow_of(link.code) is Flow.DATA]
        steps = neighbours(data, self.bridges, Way.IN)
        seen = reach(self.starts, steps)
        tiers: dict[int, Tier] = {}
        for tier in TIERS:
            fresh = reach(self.seeds.tiers.get(tier, ()), steps) - seen
            tiers |= dict.fromkeys(fresh, tier)
            seen |= fresh
        return tiers

    @cached_property
    def reached(self) -> set[int]:
        """Entities reached, but for targets and what only carries others on."""
        infos, type_of = self.found.infos, self.found.types.get
        aside = self.starts | self.seeds.things | self._environments() | self.followed.returned
        return {
            node
            for node in (self.best.keys() & self.ties.keys()) - aside
            if infos[node].kind & (Kind.ENTITY | RESTRICTED) and type_of(node, "") not in INNER
        }

    def affected(self) -> list[int]:
        """Those that this page tells of, by depth and reference."""
        return self.found.newly(self.reached, self.earlier.reached if self.earlier else ())

    def by_tie(self) -> dict[str, list[int]]:
        """Those that this page tells of by each tie."""
        earlier = self.earlier.tied if self.earlier else {}
        return {tie: self.found.newly(nodes, earlier.get(tie, ())) for tie, nodes in self.tied.items()}

    @cached_property
    def tied(self) -> dict[str, set[int]]:
        """Entities reached, by tie."""
        tied: defaultdict[str, set[int]] = defaultdict(set)
        for node in self.reached:
            for tie in self.ties[node]:
                tied[tie].add(node)
        return dict(tied)

    def returned(self) -> list[int]:
        """What tools only found. Whether nothing else leads to it the page can tell that comes to the end of
        the way, and it tells so of all pages.
        """
        return [] if self.found.walked.cut else sorted(self.followed.returned, key=self.found.ref)

    def elsewhere(self) -> list[int]:
        """Entities that only other runs made, with what was returned to this one; told on the same page."""
        infos, type_of = self.found.infos, self.found.types.get
        if self.found.walked.cut:
            return []
        return [
            node
            for node in self.followed.elsewhere
            if infos[node].kind & Kind.ENTITY and type_of(node, "") not in INNER
        ]

    def _environments(self) -> set[int]:
        return {link.source for link in (*self.seeds.links, *self.links) if link.code == SET_UP}

    def nearest(self) -> dict[int, int]:
        """The target that is nearest to each node, in steps."""
        if len(self.starts) == 1:
            return dict.fromkeys(self.best, *self.starts)
        steps = dict(self.steps)
        for node, far in sorted(self.seeds.leads):
            steps[node] = [*steps.get(node, ()), (far, POSSIBLY)]
        return origins(sorted(self.starts), steps, self.found.refs)

    # What does not fit together

    def cited_not_sent(self) -> list[int]:
        """Outputs that cite a target which their call was not sent, or sent by no name with a version."""
        unnamed = {link.source for link in self.links if link.target in self.seeds.things}
        sent = self._outputs_of(self._sent() - unnamed)
        citing = {
            x.source
            for x in self.links
            if x.code == DERIVED and x.role == "citation" and x.target in self.starts
        }
        return sorted(citing - sent, key=self.found.ref)

    def sent_not_cited(self) -> list[int]:
        """Model calls that were sent a target, none of whose outputs cites it; none whose outputs are further
        on.
        """
        citing = {
            x.source
            for x in self.links
            if x.code == DERIVED and x.role == "citation" and x.target in self.starts
        }
        calls = {call for call in self._sent() if not citing & self._outputs_of({call})}
        calls -= self.found.walked.frontier.keys()
        return sorted(calls, key=self.found.ref)

    def _sent(self) -> set[int]:
        return {call for call in self.first.get("sent", ()) if self.found.types.get(call) == MODEL_CALL}

    def _outputs_of(self, calls: set[int]) -> set[int]:
        return {link.source for link in self.links if link.code == GENERATED and link.target in calls}


def reach(starts: Iterable[int], steps: Steps) -> set[int]:
    """Everything that steps lead to from ``starts``, themselves included."""
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for far, _ in steps.get(waiting.pop(), ()):
            if far not in seen:
                seen.add(far)
                waiting.append(far)
    return seen
