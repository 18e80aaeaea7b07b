"""Who may see what has a label: rules of a tenant, in force as long as they stand.

A rule says which groups of readers see what is labelled so. Who belongs to none of them sees of it that
something is there. The rules of now hold for every answer, also for one as of an earlier time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from threading import Lock

import msgspec

from app.access import Act, record
from app.ledger import Ledger
from app.ledger.append import take_head
from app.ledger.labels import Labels
from app.ledger.memory import Memory
from app.ledger.reports import rfc3339
from provmodel.errors import BadQuestion, NotFound
from queries.graph import Graph
from queries.hiding import NOTHING, Hiding, Sight
from queries.restricted import RestrictedGraph

LONGEST = 200
"""Characters of a label, and of the name of a group."""
MOST_GROUPS = 100
MOST_KEPT = 100  # sets of groups for which it is remembered what is hidden

_RULES = "select r.label, r.readers, r.since, r.actor from restriction r where r.tenant = ? order by r.label"
_SET = (
    "insert into restriction (tenant, label, readers, since, actor) values (?, ?, ?, ?, ?)"
    " on conflict (tenant, label) do update set readers = excluded.readers, since = excluded.since,"
    " actor = excluded.actor"
)
_LIFT = "delete from restriction where tenant = ? and label = ?"


class Restriction(msgspec.Struct, frozen=True, kw_only=True):
    """What has this label is seen by these groups alone; by nobody's but administrators' when there is none.
    ``by`` set it so at ``since`` (RFC 3339).
    """

    label: str
    groups: tuple[str, ...]
    since: str
    by: str


class RestrictionList(msgspec.Struct, frozen=True, kw_only=True):
    """The rules in force, by label."""

    restrictions: list[Restriction]


class Readers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The groups of readers who may see what has a label."""

    groups: tuple[str, ...] = ()


class Restrictions:
    """The rules of one tenant. What is done is recorded as access (:mod:`app.access`)."""

    def __init__(self, ledger: Ledger, tenant: str) -> None:
        self._ledger = ledger
        self._store = ledger.store.of(tenant)
        self._name = tenant

    def listed(self) -> RestrictionList:
        """The rules in force."""
        rows = self._store.fetch(_RULES, (self._store.tenant,))
        return RestrictionList(
            restrictions=[
                Restriction(label=label, groups=_groups(readers), since=rfc3339(since), by=actor)
                for label, readers, since, actor in rows
            ]
        )

    def restrict(self, label: str, groups: Collection[str], actor: str) -> Restriction:
        """From now on only these groups see what has the label. Raises :class:`BadQuestion`."""
        _check(label, groups)
        readers = sorted(set(groups))
        told = f"seen by {' '.join(readers) or 'nobody'}"
        with self._store.writing() as session:
            tenant = take_head(session, self._name, Memory()).tenant
            held = msgspec.json.encode(readers).decode()
            session.run(_SET, (tenant, label, held, time.time_ns() // 1000, actor))
            record(session, tenant, actor, [Act("restrict", label, told, "done")])
        return next(rule for rule in self.listed().restrictions if rule.label == label)

    def lift(self, label: str, actor: str) -> None:
        """From now on everybody who reads sees what has the label. Raises :class:`NotFound`."""
        there = [rule.label for rule in self.listed().restrictions]
        if label not in there:
            raise NotFound(label, tuple(there[:8]))
        with self._store.writing() as session:
            tenant = take_head(session, self._name, Memory()).tenant
            if session.run(_LIFT, (tenant, label)):
                record(session, tenant, actor, [Act("restrict", label, "lifted", "done")])


def _groups(readers: str) -> tuple[str, ...]:
    return msgspec.json.decode(readers, type=tuple[str, ...])


def _check(label: str, groups: Collection[str]) -> None:
    if not label.strip() or len(label) > LONGEST or "\0" in label:
        reason = f"a label has 1 to {LONGEST} characters"
        raise BadQuestion("label", reason, "give the class of versions, or what they say under access")
    if any(not group.strip() or len(group) > LONGEST or "\0" in group for group in groups):
        reason = f"a group's name has 1 to {LONGEST} characters"
        raise BadQuestion("groups", reason, "name them as the credentials of their readers do")
    if len(groups) > MOST_GROUPS:
        raise BadQuestion("groups", f"there are {len(groups)}", f"give at most {MOST_GROUPS}")


KeyOf = Callable[[Sequence[str]], bytes]
"""The key of the names that stand for hidden ones, for readers of these groups: 32 bytes."""


class Seeing:
    """What readers of one tenant may not see, by their groups. Any number of threads may look."""

    def __init__(self, ledger: Ledger, tenant: str, key_of: KeyOf, base: str) -> None:
        self._store = ledger.store.of(tenant)
        self._name = tenant
        self._labels = Labels(ledger.store.of(tenant), tenant)
        self._key_of = key_of
        self._base = base
        self._made: dict[tuple[frozenset[str], frozenset[str]], tuple[object, int, Hiding]] = {}
        self._lock = Lock()

    def by(self, groups: frozenset[str]) -> Sight:
        """How readers of these groups look at the graph."""
        return lambda: self._look(groups)

    def _look(self, groups: frozenset[str]) -> Hiding:
        rows = self._store.fetch(_RULES, (self._store.tenant,))
        rules = {label: _groups(readers) for label, readers, *_ in rows}
        closed = frozenset([label for label, readers in rules.items() if groups.isdisjoint(readers)])
        return self._hiding(groups, closed, rules) if closed else NOTHING

    def _hiding(self, groups: frozenset[str], closed: frozenset[str], rules: Mapping[str, object]) -> Hiding:
        with self._lock:
            labelled = self._labels.labelled(frozenset(rules))
            held = self._made.get((groups, closed))
            if held is None or held[0] is not labelled or held[1] != labelled.version:
                key, hidden = self._key_of(sorted(groups)), labelled.of(closed)
                made = Hiding(key, *hidden, seq=labelled.seq, base=self._base)
                if len(self._made) >= MOST_KEPT:
                    self._made.clear()
                self._made[groups, closed] = held = labelled, labelled.version, made
            held[2].seq = labelled.seq  # what is hidden up to an earlier one is the same
            return held[2]


class SeenLedger(Ledger):
    """A ledger whose graph is as readers of some groups see it; all else is that ledger's."""

    def __init__(self, whole: Ledger, sight: Sight) -> None:
        self.__dict__.update(whole.__dict__)
        self._whole = whole
        self._sight = sight

    @property
    def whole(self) -> Ledger:
        return self._whole

    def graph(self, tenant: str) -> Graph:
        return RestrictedGraph(super().graph(tenant), self._sight)


def sentences(found: RestrictionList) -> list[str]:
    """The rules, a line each."""
    if not found.restrictions:
        return ["No label restricts anything: everybody who reads sees all there is."]
    return [_sentence(rule) for rule in found.restrictions]


def _sentence(rule: Restriction) -> str:
    seen = ", ".join(rule.groups) if rule.groups else "no group of readers"
    return f"{rule.label}: seen by {seen}; set by {rule.by} at {rule.since}."
