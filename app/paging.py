"""Pages of lists: each stands at one seq of the log, and its cursor fits the same list alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from provmodel.errors import BadQuestion
from queries import cursor as cursors
from queries.graph import Graph
from queries.question import read_as_of


class Sheet(NamedTuple):
    """One page of a list: the seq at which it stands, what is listed, and the last entry before it."""

    as_of: int
    asked: bytes
    place: str = ""

    def cursor(self, place: str) -> str:
        """The cursor with which the list goes on after the entry at ``place``."""
        return cursors.write_list(self.as_of, self.asked, place)


def open_sheet(
    graph: Graph, name: str, as_of: str | int, cursor: str, filters: Mapping[str, object]
) -> Sheet:
    """Where a page stands. Raises :class:`BadQuestion` for a cursor that is damaged, forged, of another list
    or other filters, or of a log that went further than this one.
    """
    asked = cursors.digest_of_list(name, graph.tenant, filters)
    if not cursor:
        return Sheet(read_as_of(graph, as_of), asked)
    stands, place = cursors.read_list(cursor, asked)
    if stands > graph.head():
        reason = f"it goes on as of {stands}, and the log ends at {graph.head()}"
        raise BadQuestion("cursor", reason, "begin again without it")
    if as_of != "" and read_as_of(graph, as_of) != stands:
        raise BadQuestion("cursor", f"it goes on as of {stands}", "leave as_of out, or give that seq")
    return Sheet(stands, asked, place)
