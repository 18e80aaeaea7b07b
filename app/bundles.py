"""What submitted documents say, as bundles of an export: each under the name of its document or its own, and
one that stands in several documents once.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from app.ledger.documents import Damage, content_of
from app.ledger.reports import decode_log
from app.ledger.store import Store
from provmodel.document import Bundle
from provmodel.documents.assembling import assembled
from provmodel.documents.faults import Remarks
from provmodel.errors import StoreTrouble
from provmodel.lexical import iri
from provmodel.submission import DocumentSubmitted

# tenant, as_of
_ABOUT = "select d.event, d.about from document d where d.tenant = ? and d.event <= ? order by d.event"
# tenant, seq
_LOG = "select e.log from event e where e.tenant = ? and e.seq = ?"


class _Held(msgspec.Struct):
    """Of what is kept about a document, what an export needs."""

    bundles: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


_about = msgspec.json.Decoder(_Held)


class Bundles:
    """The bundles of a tenant, as of one seq."""

    def __init__(self, store: Store, tenant: int, as_of: int, base: str) -> None:
        self._store = store
        self._tenant = tenant
        self._base = base
        rows = store.fetch(_ABOUT, (tenant, as_of))
        self._held = {seq: _about.decode(text) for seq, text in rows}

    def namespaces(self) -> list[str]:
        """Those of IRIs that attributes of documents name."""
        return sorted({space for one in self._held.values() for space in one.namespaces})

    def all(self) -> Iterator[Bundle]:
        """Each document's main part under the document's name, then the bundles that no earlier one had."""
        holding: dict[str, list[int]] = {}
        for seq, one in self._held.items():
            for name in one.bundles:
                holding.setdefault(name, []).append(seq)
        for seq in self._held:
            name, main, inner = self._read(seq)
            yield replace(main, id=name)
            for bundle in inner:
                seqs = holding[bundle.id or ""]
                if seqs[0] == seq:
                    yield bundle if len(seqs) == 1 else self._together(bundle.id or "", seqs)

    def _together(self, name: str, seqs: list[int]) -> Bundle:
        """A bundle that stands in several documents; blank names stay apart."""
        parts = [bundle for seq in seqs for bundle in self._read(seq)[2] if bundle.id == name]
        return assembled(Bundle(), parts, Remarks()).bundles[0]

    def _read(self, seq: int) -> tuple[str, Bundle, list[Bundle]]:
        """The IRI of a document, its main part, and its bundles, each with all prefixes that hold in it."""
        [(log,)] = self._store.fetch(_LOG, (self._tenant, seq))
        event = decode_log(log)
        assert isinstance(event, DocumentSubmitted)  # noqa: S101 (only such have a row)
        try:
            document = content_of(self._store.fetch, self._tenant, seq, event)
        except Damage as damage:
            raise StoreTrouble(f"event {seq} of the log {damage}; run `clew db fsck`") from None
        outer = document.main.prefixes
        inner = [replace(one, prefixes={**outer, **one.prefixes}) for one in document.bundles]
        return iri(event.ref, self._base), document.main, inner
