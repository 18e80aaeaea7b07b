"""Small blobs merged to larger ones, so that their number stays a logarithm of the number of commits."""

from __future__ import annotations

from app import tables
from app.ledger import blobs
from app.ledger.append import take_head
from app.ledger.memory import Memory
from app.ledger.store import Session, Store

_FULL = (
    "select level from blob where tenant = ? and edges <= ?"
    " group by level having count(*) >= ? order by level limit 1"
)
_OLDEST = (
    "select first_seq, last_seq, edges, data from blob where tenant = ? and level = ? and edges <= ?"
    " order by first_seq limit ?"
)
_MOST = blobs.LARGEST // blobs.FAN
"""Edges in a blob beyond which it stays as it is."""


def compact(store: Store, name: str) -> int:
    """Merge a tenant's blobs, level by level, each merge in its own transaction; how many were merged."""
    merged = 0
    while True:
        with store.writing() as session:
            tenant = take_head(session, name, Memory()).tenant
            found = session.fetch(_FULL, (tenant, _MOST, blobs.FAN))
            if not found:
                return merged
            _merge(session, tenant, found[0][0])
            merged += blobs.FAN


def _merge(session: Session, tenant: int, level: int) -> None:
    """The oldest of a level become one of the next; they follow on each other."""
    parts = session.fetch(_OLDEST, (tenant, level, _MOST, blobs.FAN))
    first, last = parts[0][0], parts[-1][1]
    session.run(
        "delete from blob where tenant = ? and level = ? and first_seq between ? and ?",
        (tenant, level, first, last),
    )
    data = blobs.pack(blobs.merge(blobs.unpack(part) for *_, part in parts))
    edges = sum(part[2] for part in parts)
    session.insert(tables.blob, [(tenant, first, last, level + 1, edges, data)])
