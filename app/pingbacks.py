"""Links that others send about what was recorded: provenance of their own, or a service to ask (PROV-AQ,
section 5). They are kept and shown, never fetched, and are no part of the graph: whoever sends one says
that more is known elsewhere, and nothing about what happened.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from app.ledger import Ledger
from app.ledger.append import take_head
from app.ledger.memory import Memory
from app.ledger.reports import rfc3339
from app.listing import Page
from app.paging import open_sheet
from provmodel.errors import TooLarge
from queries.restricted import hiding_of
from queries.targets import choose

MOST_OF_ONE = 1000
"""Links that are kept of one node."""

# targets, tenant
_COUNTS = (
    "select p.target, count(*) from texts(?) i cross join pingback p"
    " where p.tenant = ? and same(p.target, i.value) group by p.target"
)
# targets, tenant
_OF_ONE = (
    "select p.relation, p.uri, p.anchor from texts(?) i cross join pingback p"
    " where p.tenant = ? and same(p.target, i.value)"
)
# tenant, after, hidden targets, limit
_ALL = (
    "select p.pingback, p.target, p.relation, p.uri, p.anchor, p.received, p.reporter from pingback p"
    " where p.tenant = ? and p.pingback > ?{but} order by p.pingback limit ?"
)
_BUT = " and p.target not in (select i.value from texts(?) i)"
# targets, tenant, after, hidden targets, limit
_SOME = _ALL.replace("from pingback p where", "from texts(?) i cross join pingback p where").replace(
    "and p.pingback", "and same(p.target, i.value) and p.pingback"
)
# tenant, hidden targets
_COUNT = "select count(*) from pingback p where p.tenant = ?{but}"
_INSERT = (
    "insert into pingback (tenant, pingback, target, relation, uri, anchor, received, reporter)"
    " values (?, ?, ?, ?, ?, ?, ?, ?)"
)


class SentLink(msgspec.Struct, frozen=True):
    """One link as it was sent: ``relation`` is has_provenance or has_query_service, ``anchor`` what it calls
    the node ("" when it says nothing).
    """

    relation: str
    uri: str
    anchor: str = ""


class Pingback(msgspec.Struct, frozen=True, kw_only=True):
    """A link that somebody sent about a node, when, and who delivered it. Nobody has looked behind it."""

    target: str
    relation: str
    uri: str
    anchor: str
    received: str
    reporter: str


class PingbackList(Page, frozen=True, kw_only=True):
    """Links in the order in which they came."""

    pingbacks: list[Pingback]


class Pingbacks:
    """What others sent about the nodes of one tenant."""

    def __init__(self, ledger: Ledger, tenant: str) -> None:
        self._store = ledger.store.of(tenant)
        self._graph = ledger.graph(tenant)
        self._name = tenant

    def add(self, target: str, links: Sequence[SentLink], reporter: str) -> int:
        """Keep the links of which there are none like them about this node yet; how many these were.

        Raises NotFound or Ambiguous, and TooLarge when there are too many about the node.
        """
        [chosen] = choose(self._graph, [target], self._graph.head())
        ref = hiding_of(self._graph).real(chosen.ref) or chosen.ref
        with self._store.writing() as session:
            tenant = take_head(session, self._name, Memory()).tenant
            kept = {SentLink(*row) for row in session.fetch(_OF_ONE, (self._store.texts([ref]), tenant))}
            new = [link for link in dict.fromkeys(links) if link not in kept]
            if len(kept) + len(new) > MOST_OF_ONE:
                raise TooLarge(
                    f"the links about {chosen.ref}", str(MOST_OF_ONE), "send those that matter most"
                )
            last = session.fetch(
                "select coalesce(max(pingback), 0) from pingback where tenant = ?", (tenant,)
            )
            now = time.time_ns() // 1000
            for number, link in enumerate(new, last[0][0] + 1):
                sent = (link.relation, link.uri, link.anchor)
                session.run(_INSERT, (tenant, number, ref, *sent, now, reporter))
        return len(new)

    def page(self, target: str = "", cursor: str = "", limit: int = 100) -> PingbackList:
        """The links about one node, or all of them; raises NotFound, Ambiguous or BadQuestion."""
        ref = choose(self._graph, [target], self._graph.head())[0].ref if target else ""
        sheet = open_sheet(self._graph, "pingbacks", "", cursor, {"target": ref})
        named = (self._store.texts([ref]),) if ref else ()
        but, hidden = self._but()
        given = (*named, self._tenant, int(sheet.place or 0), *hidden, limit + 1)
        rows = self._store.fetch((_SOME if ref else _ALL).format(but=but), given)
        more = sheet.cursor(str(rows[limit - 1][0])) if len(rows) > limit else ""
        found = [_entry(row) for row in rows[:limit]]
        return PingbackList(as_of=sheet.as_of, total=self._total(ref), cursor=more, pingbacks=found)

    def counts(self, refs: Sequence[str]) -> dict[str, int]:
        """How many links there are about each of these nodes that has any."""
        return dict(self._store.fetch(_COUNTS, (self._store.texts(refs), self._tenant)))

    def _total(self, ref: str) -> int:
        if ref:
            return self.counts([ref]).get(ref, 0)
        but, hidden = self._but()
        return int(self._store.fetch(_COUNT.format(but=but), (self._tenant, *hidden))[0][0])

    def _but(self) -> tuple[str, tuple[Any, ...]]:
        """The condition that leaves out what is hidden from the reader, if anything is."""
        hidden = sorted(hiding_of(self._graph).nodes.values())
        return (_BUT, (self._store.texts(hidden),)) if hidden else ("", ())

    @property
    def _tenant(self) -> int:
        return self._store.tenant


def _entry(row: Sequence[Any]) -> Pingback:
    _, target, relation, uri, anchor, received, reporter = row
    return Pingback(
        target=target,
        relation=relation,
        uri=uri,
        anchor=anchor,
        received=rfc3339(received),
        reporter=reporter,
    )
