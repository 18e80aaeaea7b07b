"""Which things have labels that restrict who may see them, as far as the log goes; kept up to date in memory.

A label is the class of a version (``clew:class``), or what a producer says under ``access`` of anything. One
that was ever stated holds for good, whoever states another thing later: a log forgets nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from threading import Lock

from app.ledger.store import Store
from provmodel import names

ATTRIBUTES = ("clew:class", "attr:access")
BODIES = ("clew:body", "prov:label")
"""The attributes whose values may be ids of bodies."""

_HEAD = "select t.tenant, t.seq, t.node from tenant t where t.name = ?"
# names, tenant
_WORDS = "select w.word from texts(?) i cross join word w where w.tenant = ? and same(w.text, i.value)"
# tenant, after, until, words, labels
_LABELLED = (
    "select distinct t.node, t.value from attribute t by(attribute_event)"
    " where t.tenant = ? and t.event > ? and t.event <= ? and t.name in (select i.value from ints(?) i)"
    " and t.value in (select i.value from texts(?) i)"
)
# nodes, tenant, names
_BODIES = (
    "select t.node, t.value from ints(?) i cross join attribute t where t.tenant = ? and t.node = i.value"
    " and t.name in (select i.value from ints(?) i)"
)
# tenant, after, until, names
_NEW_BODIES = (
    "select t.node, t.value from attribute t by(attribute_event) where t.tenant = ? and t.event > ?"
    " and t.event <= ? and t.name in (select i.value from ints(?) i)"
)
# nodes, tenant
_REFS = "select n.node, n.ref from ints(?) i cross join node n where n.tenant = ? and n.node = i.value"
# spans, tenant, last node
_WITHIN = (
    "select n.node, n.ref from spans(?) s cross join node n"
    " where n.tenant = ? and within(n.ref, s.a, s.b) and n.node <= ?"
)
# tenant, after, until
_NEW = "select n.node, n.ref from node n where n.tenant = ? and n.node > ? and n.node <= ?"


class Labelled:
    """The things that have some labels, and the nodes that tell their names, up to ``seq``.

    ``version`` counts how often there was something new.
    """

    def __init__(self, labels: frozenset[str]) -> None:
        self.labels = labels
        self.things: dict[str, set[str]] = {label: set() for label in labels}
        self.nodes: dict[str, dict[int, str]] = {}
        self.bodies: dict[int, set[str]] = {}
        self.seq = 0
        self.node = 0
        self.version = 0

    def of(self, labels: Collection[str]) -> tuple[set[str], dict[int, str], set[str]]:
        """The things that have one of these labels, their nodes, and the ids of these nodes' bodies."""
        things = {thing for label in labels for thing in self.things[label]}
        nodes = {node: ref for thing in things for node, ref in self.nodes[thing].items()}
        return things, nodes, {body for node in nodes for body in self.bodies[node]}


class Labels:
    """What is labelled in one tenant. Any number of threads may ask."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._name = tenant
        self._known = Labelled(frozenset())
        self._lock = Lock()

    def labelled(self, labels: frozenset[str]) -> Labelled:
        """What has these labels by now; what is given grows when others ask."""
        with self._lock:
            if self._known.labels != labels:
                self._known = Labelled(labels)
            found = self._store.fetch(_HEAD, (self._name,))
            if found:
                self._catch_up(self._known, *found[0])
            return self._known

    def _catch_up(self, known: Labelled, tenant: int, seq: int, node: int) -> None:
        words, bodies = (self._words(tenant, names) for names in (ATTRIBUTES, BODIES))
        fresh, before = self._newly_labelled(known, tenant, seq, words), set(known.bodies)
        for thing in fresh:
            known.nodes.setdefault(thing, {})
        if known.nodes and node > known.node > 0:
            self._take(known, self._store.fetch(_NEW, (tenant, known.node, node)))
        if fresh:
            spans = [span for thing in fresh for span in _spans(thing)]
            self._take(known, self._store.fetch(_WITHIN, (self._store.spans(spans), tenant, node)))
            known.version += 1
        came = self._store.ints(sorted(known.bodies.keys() - before))
        self._take_bodies(known, self._store.fetch(_BODIES, (came, tenant, self._store.ints(bodies))))
        if before:
            given = (tenant, known.seq, seq, self._store.ints(bodies))
            self._take_bodies(known, self._store.fetch(_NEW_BODIES, given))
        known.seq, known.node = seq, node

    def _words(self, tenant: int, texts: Collection[str]) -> list[int]:
        return [word for (word,) in self._store.fetch(_WORDS, (self._store.texts(list(texts)), tenant))]

    def _newly_labelled(self, known: Labelled, tenant: int, seq: int, words: list[int]) -> set[str]:
        """Things that have a label since the log was last looked at, and are not known yet."""
        given = (self._store.ints(words), self._store.texts(sorted(known.labels)))
        found = self._store.fetch(_LABELLED, (tenant, known.seq, seq, *given))
        labelled_nodes = self._store.ints(sorted({node for node, _ in found}))
        refs: dict[int, str] = dict(self._store.fetch(_REFS, (labelled_nodes, tenant)))
        fresh: set[str] = set()
        for labelled, label in found:
            thing = names.split(refs[labelled]).thing
            if thing not in known.nodes:
                fresh.add(thing)
            if thing not in known.things[label]:
                known.things[label].add(thing)
                known.version += 1
        return fresh

    def _take(self, known: Labelled, nodes: Iterable[tuple[int, str]]) -> None:
        for node, ref in nodes:
            thing = names.split(ref).thing
            for name in (thing, thing.partition(";")[0]):
                if name in known.nodes and known.nodes[name].get(node) != ref:
                    known.nodes[name][node] = ref
                    known.bodies.setdefault(node, set())
                    known.version += 1

    def _take_bodies(self, known: Labelled, found: Iterable[tuple[int, str]]) -> None:
        for node, body in found:
            held = known.bodies.get(node)
            if held is not None and body not in held:
                held.add(body)
                known.version += 1


def _spans(thing: str) -> list[tuple[str, str]]:
    """Where the names of a thing, its versions and its occurrences lie among references."""
    return [(thing, f"{thing}\x01"), (f"{thing}@", f"{thing}A"), (f"{thing};", f"{thing}<")]
