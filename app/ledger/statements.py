"""The queries of :mod:`app.ledger.read`, each with its parameters in order; :mod:`app.ledger.store` spells
them.
"""

from __future__ import annotations

from functools import cache

from queries.graph import Way

_AT = "a.since <= ? and (a.until is null or a.until > ?)"
_ROW = (
    "a.source, a.code, a.target, a.relation, a.evidence, a.stance, a.event, a.since,"
    " a.role, a.asserter, a.method, a.time, a.attributes"
)
_ENDS = {Way.OUT: ("source", "target"), Way.IN: ("target", "source")}

# --- The log ---

RECEIVED = "select e.received from event e where e.tenant = ? and e.seq = ?"

_REPORT = (
    "e.seq, e.received, w.text, exists (select 1 from event o by(event_id) where o.tenant = e.tenant"
    " and o.source = e.source and same(o.id, e.id) and o.seq <> e.seq and o.seq <= ?),"
    " e.vouched, e.log, e.computed"
)
_REPORTER = "join word w on w.tenant = e.tenant and w.word = e.reporter"

# tenant, as_of, as_of
CONFLICTS = (
    "select distinct o.seq from event e by(event_variant) join event o by(event_id) on o.tenant = e.tenant"
    " and o.source = e.source and same(o.id, e.id)"
    " where e.tenant = ? and e.marks >= 8 and e.seq <= ? and o.seq <= ?"
)
# as_of, nodes, tenant, as_of
REPORTS_OF_NODES = (
    f"select e.node, {_REPORT} from ints(?) i cross join event e by(event_node) {_REPORTER}"
    " where e.tenant = ? and e.node = i.value and e.seq <= ? order by e.seq"
)
# as_of, seqs, tenant, as_of
REPORTS_AT = (
    f"select {_REPORT} from ints(?) i cross join event e {_REPORTER}"
    " where e.tenant = ? and e.seq = i.value and e.seq <= ?"
)
# as_of, tenant, after, last, types, limit
LOG = (
    f"select {_REPORT} from event e {_REPORTER} where e.tenant = ? and e.seq > ? and e.seq <= ?"
    " and e.type in (select i.value from ints(?) i) order by e.seq limit ?"
)
# as_of, tenant, after, last, source, types, limit; the plus keeps SQLite on the key, whose order is wanted
LOG_OF_SOURCE = LOG.replace(" and e.type", " and +e.source = ? and e.type")
# as_of, types, tenant, run, as_of, limit
REPORTS_OF_RUN = (
    f"select e.node, {_REPORT} from ints(?) i cross join event e by(event_run) {_REPORTER}"
    " where e.tenant = ? and e.run = ? and e.type = i.value and e.seq <= ? order by e.seq limit ?"
)
# as_of, keys, tenant, as_of, limit
REPORTS_BY_LOOKUP = (
    f"select i.value, {_REPORT} from texts(?) i cross join event e by(event_lookup) {_REPORTER}"
    " where e.tenant = ? and e.lookup is not null and same(e.lookup, i.value) and e.seq <= ?"
    " order by e.seq limit ?"
)

# --- Nodes ---

_SEEN = "coalesce(n.joined, n.event) <= ?"

# refs, tenant, as_of
IDS = (
    "select n.ref, n.node from texts(?) i cross join node n"
    f" where n.tenant = ? and same(n.ref, i.value) and {_SEEN}"
)
# as_of, as_of, nodes, tenant, as_of
INFOS = (
    "select n.node, n.ref, n.kind, n.described <= ?, (select sum(k.kind) from node_kind k"
    " where k.tenant = n.tenant and k.node = n.node and k.event <= ?)"
    f" from ints(?) i cross join node n where n.tenant = ? and n.node = i.value and {_SEEN}"
)
# seen, nodes, tenant, seen; of later kinds the sum (three bits), and above it the last event that gave one
INFOS_EVER = (
    "select n.node, n.ref, n.kind, n.event, n.described,"
    " (select sum(k.kind) + 8 * max(k.event) from node_kind k where k.tenant = n.tenant and k.node = n.node"
    " and k.event <= ?) from ints(?) i cross join node n"
    " where n.tenant = ? and n.node = i.value and n.event <= ?"
)
# spans, tenant, as_of
WITHIN = (
    "select n.node, n.ref from spans(?) s cross join node n"
    f" where n.tenant = ? and within(n.ref, s.a, s.b) and {_SEEN}"
)
# tails, tenant, as_of, limit
BY_TAIL = (
    "select n.node, n.ref from texts(?) i cross join node n by(node_tail)"
    f" where n.tenant = ? and n.tail is not null and same(n.tail, i.value) and {_SEEN} order by n.ref limit ?"
)

# --- Rows ---

# nodes, tenant, first code, last code, as_of, as_of, limit
ROWS = {
    way: f"select {_ROW} from ints(?) i cross join assertion a where a.tenant = ? and a.{near} = i.value"
    f" and a.code between ? and ? and a.target <> 0 and {_AT} limit ?"
    for way, (near, _) in _ENDS.items()
}
# nodes, tenant, seen
ROWS_EVER = {
    way: f"select {_ROW}, a.until from ints(?) i cross join assertion a where a.tenant = ?"
    f" and a.{near} = i.value and a.target <> 0 and a.since <= ?"
    for way, (near, _) in _ENDS.items()
}
# tenant, node, code and neighbour, last code, as_of, as_of, limit
PAIRS = {
    way: f"select distinct a.code, a.{far} from assertion a where a.tenant = ? and a.{near} = ?"
    f" and (a.code, a.{far}) > (?, ?) and a.code <= ? and a.target <> 0 and {_AT}"
    f" order by a.code, a.{far} limit ?"
    for way, (near, far) in _ENDS.items()
}
# (node, code, neighbour) triples, tenant, as_of, as_of
OF_PAIRS = {
    way: f"select {_ROW} from triples(?) t cross join assertion a where a.tenant = ? and a.{near} = t.a"
    f" and a.code = t.b and a.{far} = t.c and {_AT}"
    for way, (near, far) in _ENDS.items()
}
# tenant, asserter, codes, as_of, as_of, as_of, limit
STATED_BY = (
    f"select {_ROW} from assertion a by(assertion_asserter) where a.tenant = ? and a.asserter = ?"
    f" and a.code in (select i.value from ints(?) i) and a.target <> 0 and a.event <= ? and {_AT}"
    " order by a.event, a.relation, a.code limit ?"
)
# nodes, tenant, first code, last code, as_of, as_of
USED = (
    "select i.value from ints(?) i where exists (select 1 from assertion a where a.tenant = ?"
    f" and a.target = i.value and a.code between ? and ? and a.stance = 1 and {_AT})"
)


@cache
def degrees(way: Way, ranges: int) -> str:
    """For each range: tenant, first code, last code, as_of, as_of; then cap, nodes."""
    near, far = _ENDS[way]
    one = (
        f"select a.{far} as other from assertion a where a.tenant = ? and a.{near} = i.value"
        f" and a.code between ? and ? and a.target <> 0 and {_AT}"
    )
    every = " union all ".join([one] * ranges)
    return (
        f"select i.value, (select count(*) from (select distinct u.other from ({every}) u limit ?) d)"
        " from ints(?) i"
    )


# --- What is said of nodes ---

# nodes, tenant, as_of
ATTRIBUTES = (
    "select t.node, t.name, t.value, t.datatype, t.evidence, t.stance, t.asserter, t.event"
    " from ints(?) i cross join attribute t where t.tenant = ? and t.node = i.value and t.event <= ?"
)
# nodes, tenant, as_of, words
NAMED_ATTRIBUTES = f"{ATTRIBUTES} and t.name in (select w.value from ints(?) w)"
# bodies, tenant
BODIES = (
    "select b.body, b.state, b.media_type, b.size from texts(?) i cross join body b"
    " where b.tenant = ? and b.body = i.value order by b.event"
)
# bodies, tenant, as_of
KEPT = (
    "select t.body from texts(?) i cross join tombstone t where t.tenant = ? and t.body = i.value"
    " and (t.done is null or t.event > ?)"
)
# keys, tenant, side, as_of
LISTED = (
    "select f.node, f.data from triples(?) t cross join fact f where f.tenant = ? and f.place = t.a"
    " and f.key = t.b and f.side = ? and f.event <= ?"
)

# --- Sources ---

# runs, tenant, as_of
RUN_SOURCES = (
    "select r.text, w.text from ints(?) i cross join run_source s"
    " join word r on r.tenant = s.tenant and r.word = s.run"
    " join word w on w.tenant = s.tenant and w.word = s.source"
    " where s.tenant = ? and s.run = i.value and s.seq <= ?"
)

# --- The dictionaries ---

# texts, tenant
WORDS = "select w.text, w.word from texts(?) i cross join word w where w.tenant = ? and same(w.text, i.value)"
# words, tenant
TEXTS = "select w.word, w.text from ints(?) i cross join word w where w.tenant = ? and w.word = i.value"
# nodes, tenant
REFS = "select n.node, n.ref from ints(?) i cross join node n where n.tenant = ? and n.node = i.value"
