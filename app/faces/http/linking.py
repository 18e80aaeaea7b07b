"""Link headers (RFC 8288): those by which PROV-AQ says where provenance is, written and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from provmodel.document import PROV
from provmodel.errors import Unreadable

HAS_PROVENANCE = PROV + "has_provenance"
HAS_QUERY_SERVICE = PROV + "has_query_service"
PINGBACK = PROV + "pingback"
SERVICE = "/prov/service"
QUERY = "/prov/query"
PINGBACKS = "/prov/pingback"

MOST_LINKED = 20  # nodes of one response that have links: a header is no place for more
LONGEST = 65536  # characters of Link headers that are read
_IN_URI = "%/:=&?~#+!$,;'@()*[]"  # what may stand in a URI beside letters and digits
_TARGET = re.compile(r"\s*<([^<>\s]*)>").match
_PARAMETER = re.compile(r'\s*;\s*([\w!#$%&\'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?').match


class Link(NamedTuple):
    """One link: where it leads, its relations, and the resource that it is about ("": the one asked for)."""

    uri: str
    relations: tuple[str, ...]
    anchor: str


def of_nodes(iris: Iterable[str]) -> dict[str, str]:
    """The header that says of nodes, by their IRIs, where their provenance is, what can be asked, and where
    to tell of more (PROV-AQ, sections 3.1 and 5).
    """
    found: list[str] = []
    for iri in list(iris)[:MOST_LINKED]:
        anchor, target = quote(iri, safe=_IN_URI), quote(iri, safe="")
        found += [
            f'<{QUERY}?target={target}>; rel="{HAS_PROVENANCE}"; anchor="{anchor}"',
            f'<{SERVICE}>; rel="{HAS_QUERY_SERVICE}"; anchor="{anchor}"',
            f'<{PINGBACKS}?target={target}>; rel="{PINGBACK}"; anchor="{anchor}"',
        ]
    return {"Link": ", ".join(found)} if found else {}


def read(headers: Iterable[str]) -> Iterator[Link]:
    """The links in Link headers; raises :class:`Unreadable` for what is none."""
    text = ", ".join(headers)
    if len(text) > LONGEST:
        raise Unreadable("Link", f"it has more than {LONGEST} characters", "send fewer links at once")
    at = 0
    while at < len(text):
        target = _TARGET(text, at)
        if target is None:
            raise Unreadable("Link", f"at {text[at : at + 40]!r} begins no link", "write <URI>; rel=...")
        given: dict[str, str] = {}
        at = target.end()
        while found := _PARAMETER(text, at):
            at = found.end()
            value = found[3] if found[2] is None else re.sub(r"\\(.)", r"\1", found[2])
            given.setdefault(found[1].lower(), value or "")
        yield Link(target[1], tuple(given.get("rel", "").split()), given.get("anchor", ""))
        rest = text[at:].lstrip()
        if rest and rest[0] != ",":
            raise Unreadable("Link", f"after a link stands {rest[:40]!r}", "put a comma between links")
        at = len(text) - len(rest) + 1
