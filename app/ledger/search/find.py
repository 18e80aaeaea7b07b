"""Nodes by their words and by what else is known of them, in one order on either database.

The nodes that hold the words best come first: a word of the reference counts 3, of a label 2, of another
attribute 1. Among equals references decide, by code point. Every condition is one of what was said by as_of,
so a page that follows fits to the one before while events keep coming.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.ledger.search.index import NAME, TYPE
from app.ledger.search.words import Wanted, word_of_type
from app.ledger.store import Store
from provmodel import names

ALIKE = 400  # nodes whose names share a beginning, for each word


class Narrowed(NamedTuple):
    """What else must be so of a node.

    ``kinds`` is a sum of PROV kinds and ``types`` are values of prov:type, of which one will do. With one of
    ``evidence`` something must be said of it, and something by an event of between ``since`` and ``until``
    (microseconds since 1970). ``among`` are the only nodes, ``prefix`` begins their references. ``hidden``
    are nodes (with their references) that are not found; of those that name one in an attribute only their
    own names are looked at.
    """

    kinds: int = 0
    types: Sequence[str] = ()
    evidence: Sequence[int] = ()
    since: int | None = None
    until: int | None = None
    among: Sequence[int] | None = None
    prefix: str = ""
    hidden: Mapping[int, str] = {}


class Place(NamedTuple):
    """Where a page ended: what its last node counted, and its reference."""

    score: int
    ref: str


class Line(NamedTuple):
    """A node found. ``total`` is how many are found in all, on whatever page."""

    node: int
    ref: str
    score: int
    total: int


_KINDS = (
    "(n.kind | coalesce((select sum(k.kind) from node_kind k where k.tenant = n.tenant and k.node = n.node"
    " and k.event <= ?), 0)) & ? <> 0"
)
_TYPED = (
    "exists (select 1 from attribute t join word w on w.tenant = t.tenant and w.word = t.name"
    " where t.tenant = n.tenant and t.node = n.node and t.event <= ? and w.text = 'prov:type'"
    " and t.value in (select i.value from texts(?) i))"
)
_KNOWN = (
    "exists (select 1 from attribute t where t.tenant = n.tenant and t.node = n.node and t.event <= ?"
    " and t.evidence in (select i.value from ints(?) i))"
)
_SAID = (
    "exists (select 1 from search_text s by(search_text_node) where s.tenant = n.tenant and s.node = n.node"
    " and s.event <= ? and s.at >= ? and s.at < ?)"
)
_MATCHED = (
    "select d.node as node, max(d.field) as best from matching(?) d where d.tenant = ? and d.event <= ?"
)
_WITH = " and (d.evidence = 0 or d.evidence in (select i.value from ints(?) i))"
_NOT_HIDDEN = "n.node not in (select i.value from ints(?) i)"
# names of hidden nodes
_TOLD = (
    f" and (d.field = {NAME} or not exists (select 1 from attribute t where t.tenant = d.tenant"
    " and t.node = d.node and t.value in (select i.value from texts(?) i)))"
)
_FOREVER = 2**63 - 1
BEYOND = "\U0010ffff"


def find(
    store: Store,
    tenant: int,
    wanted: Sequence[Wanted],
    narrowed: Narrowed,
    as_of: int,
    after: Place | None,
    limit: int,
) -> list[Line]:
    """A page of nodes, the best first; without words by reference alone."""
    lists = _lists(store, tenant, wanted, narrowed, as_of)
    source, given = _in_all(lists) if lists else ("", [])
    conditions, more = _conditions(store, narrowed, as_of)
    score = "h.score" if lists else "0"
    found = (
        f"select n.node, n.ref, {score} as score, count(*) over () as total"
        f" from {source}{'spans(?) p cross join ' if narrowed.prefix else ''}node n"
        f" where n.tenant = ? and coalesce(n.joined, n.event) <= ?"
        f"{' and n.node = h.node' if lists else ''}{conditions}"
    )
    spans = [store.spans([(narrowed.prefix, narrowed.prefix + BEYOND)])] if narrowed.prefix else []
    parameters = [*given, *spans, tenant, as_of, *more]
    beyond = ""
    if after is not None:
        beyond = " where f.score < ? or (f.score = ? and f.ref > ?)"
        parameters += [after.score, after.score, after.ref]
    listed_so = f"({found}) f{beyond} order by f.score desc, f.ref limit ?"
    rows = store.fetch(f"select f.node, f.ref, f.score, f.total from {listed_so}", (*parameters, limit))
    return [Line(*row) for row in rows]


class _Listed(NamedTuple):
    """Nodes with what they count, each once, as a query and its parameters."""

    query: str
    given: list[object]


def _lists(
    store: Store, tenant: int, wanted: Sequence[Wanted], narrowed: Narrowed, as_of: int
) -> list[_Listed]:
    """The lists of nodes in all of which a node must be: those that hold a word, are of a type, or are among
    the only ones.
    """
    known = _WITH if narrowed.evidence else ""
    evidence: list[object] = [store.ints(narrowed.evidence)] if narrowed.evidence else []
    told, hidden = "", list[object]()
    if narrowed.hidden:
        told, hidden = _TOLD, [store.texts(_names_of(narrowed.hidden))]
    lists = [
        _Listed(
            f"{_MATCHED} and d.field <> {TYPE}{known}{told} group by d.node",
            [store.matching(f"{tenant}.{word.word}", word.prefix), tenant, as_of, *evidence, *hidden],
        )
        for word in wanted
    ]
    if narrowed.types and not narrowed.kinds:
        one = "select distinct d.node as node from matching(?) d where d.tenant = ? and d.event <= ?"
        every = " union ".join([one] * len(narrowed.types))
        names = [store.matching(f"{tenant}.{word_of_type(name)}", False) for name in narrowed.types]
        given: list[object] = [value for name in names for value in (name, tenant, as_of)]
        lists.append(_Listed(f"select t.node as node, 0 as best from ({every}) t", given))
    if narrowed.among is not None:
        query = "select i.value as node, 0 as best from ints(?) i"
        lists.append(_Listed(query, [store.ints(narrowed.among)]))
    return lists


def _names_of(hidden: Mapping[int, str]) -> list[str]:
    """How an attribute may name hidden nodes: by their references or those of their things."""
    return sorted({name for ref in hidden.values() for name in (ref, names.split(ref).thing)})


def _in_all(lists: Sequence[_Listed]) -> tuple[str, list[object]]:
    """Nodes that are in every list, with the sum of what they count, as a table ``h``.

    One group by over all lists: joining a list with a list compares each with each, where the database may
    not make a hash of one.
    """
    every = " union all ".join(each.query for each in lists)
    summed = f"select u.node as node, sum(u.best) as score from ({every}) u group by u.node"
    given = [value for each in lists for value in each.given]
    return f"({summed} having count(*) = ?) h cross join ", [*given, len(lists)]


def _conditions(store: Store, narrowed: Narrowed, as_of: int) -> tuple[str, list[object]]:
    told: list[str] = []
    given: list[object] = []
    if narrowed.prefix:
        told.append("within(n.ref, p.a, p.b)")
    if narrowed.hidden:
        told.append(_NOT_HIDDEN)
        given.append(store.ints(sorted(narrowed.hidden)))
    either: list[str] = []
    if narrowed.kinds:
        either.append(_KINDS)
        given += [as_of, narrowed.kinds]
    if narrowed.types and narrowed.kinds:
        either.append(_TYPED)
        given += [as_of, store.texts(narrowed.types)]
    if either:
        told.append(f"({' or '.join(either)})")
    if narrowed.evidence:
        told.append(_KNOWN)
        given += [as_of, store.ints(narrowed.evidence)]
    if narrowed.since is not None or narrowed.until is not None:
        told.append(_SAID)
        until = _FOREVER if narrowed.until is None else narrowed.until
        given += [as_of, -_FOREVER if narrowed.since is None else narrowed.since, until]
    return "".join(f" and {condition}" for condition in told), given


def named_alike(store: Store, tenant: int, words: Sequence[str], as_of: int) -> list[str]:
    """References that share the beginnings of words with a name, those that share most first."""
    one = (
        "select * from (select d.node as node from matching(?) d where d.tenant = ? and d.event <= ?"
        f" and d.field = {NAME} order by d.doc desc limit {ALIKE}) a{{}}"
    )
    every = " union all ".join(one.format(n) for n in range(len(words)))
    given: list[object] = []
    for word in words:
        given += [store.matching(f"{tenant}.{word}", True), tenant, as_of]
    found = store.fetch(
        f"select n.ref, count(*) from ({every}) u cross join node n where n.tenant = ? and n.node = u.node"
        f" group by n.ref order by 2 desc, 1 limit {ALIKE}",
        (*given, tenant),
    )
    return [ref for ref, _ in found]
