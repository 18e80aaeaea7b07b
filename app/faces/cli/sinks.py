"""Where ``clew ingest`` brings what it reads: a service in this process, or a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import msgspec

from app.faces.cli.remote import Remote, Server
from app.service import ItemError, ItemResult, Sent, Service, Submitted
from app.service.results import refused
from provmodel import formats
from provmodel.errors import BadQuestion, Refused, Unreadable
from provmodel.evidence import Principal
from provmodel.sources import Rejection, Remark

_ALONE = {400: "refused", 409: "conflict", 422: "refused"}


class Traced(msgspec.Struct, frozen=True):
    """What became of a trace: its items, the events made of them by status, and what was left aside."""

    items: int
    counts: dict[str, int]
    refused: list[ItemResult]
    rejected: list[Rejection]
    not_understood: list[Remark]
    notes: list[Remark]


class Delivered(msgspec.Struct, frozen=True):
    """What became of a document: as an item, and unless it was refused (or a server only told of a conflict)
    what was made of it.
    """

    result: ItemResult
    submitted: Submitted | None = None


class Sink(Protocol):
    """Takes events, traces and PROV documents."""

    def events(self, items: Sequence[bytes]) -> list[ItemResult]:
        """Record events; a result each, in their order."""

    def trace(self, data: bytes, source: str) -> Traced:
        """Record a trace of a named source; raises Unreadable."""

    def document(self, sent: Sent) -> Delivered:
        """Submit a PROV document."""


class Here:
    """A service in this process."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service = service
        self._principal = principal

    def events(self, items: Sequence[bytes]) -> list[ItemResult]:
        return self._service.record(items, self._principal)

    def trace(self, data: bytes, source: str) -> Traced:
        reading, results = self._service.record_trace(data, self._principal, source)
        return Traced(
            reading.items,
            Counter(result.status for result in results),
            [result for result in results if result.error],
            reading.rejected,
            reading.not_understood,
            reading.notes,
        )

    def document(self, sent: Sent) -> Delivered:
        try:
            done = self._service.submit(sent, self._principal)
        except (Refused, Unreadable) as error:
            return Delivered(refused(0, (sent.name, sent.source, ""), error))
        return Delivered(_result(done), done)


class _Recorded(msgspec.Struct):
    results: list[ItemResult]


class _Partial(msgspec.Struct, rename="camel"):
    rejected_spans: int = 0
    error_message: str = ""


class _TraceReply(msgspec.Struct):
    items: int
    counts: dict[str, int]
    not_understood: list[Remark]
    notes: list[Remark]
    partial: _Partial = msgspec.field(name="partialSuccess", default_factory=_Partial)


class There:
    """A server."""

    def __init__(self, server: Server, cap: str = "") -> None:
        self._server = server
        self._cap = cap

    def _uncapped(self) -> None:
        if self._cap:
            remedy = "leave it out with --url"
            raise BadQuestion("evidence-cap", "a server bounds evidence by its credentials", remedy)

    def events(self, items: Sequence[bytes]) -> list[ItemResult]:
        self._uncapped()
        lines = b"\n".join(
            item.replace(b"\n", b" ") for item in items
        )  # only blanks: strings hold no line end
        try:
            raw = self._server.post("/v1/events", lines, "application/x-ndjson")
        except Remote as error:
            if len(items) == 1 and error.status in _ALONE:
                return [_alone(error)]
            raise
        return msgspec.json.decode(raw, type=_Recorded).results

    def trace(self, data: bytes, source: str) -> Traced:
        self._uncapped()
        if source != "otlp":
            raise Remote(f"a server takes no {source}; record it with --db, or send its events")
        reply = msgspec.json.decode(
            self._server.post("/v1/traces", data, "application/json"), type=_TraceReply
        )
        rejected = [Rejection("server", reply.partial.error_message)] if reply.partial.rejected_spans else []
        return Traced(reply.items, reply.counts, [], rejected, reply.not_understood, reply.notes)

    def document(self, sent: Sent) -> Delivered:
        given = {"name": sent.name, "format": sent.form, "evidence_cap": self._cap}
        try:
            raw = self._server.post("/v1/documents", sent.data, _media_type(sent.file), given)
        except Remote as error:
            if error.status in _ALONE:
                return Delivered(_alone(error))
            raise
        done = msgspec.json.decode(raw, type=Submitted)
        return Delivered(_result(done), done)


def _media_type(file: str) -> str:
    """What a file's name says of its format, as far as it says something."""
    named = formats.by_ending(file)
    return named.media_types[0] if named else "application/octet-stream"


def _result(done: Submitted) -> ItemResult:
    return ItemResult(
        item=0,
        status=done.status,
        id=done.document,
        source=done.source,
        seq=done.seq,
        first_seq=done.first_seq if done.status == "conflict" else None,
    )


def _alone(error: Remote) -> ItemResult:
    """What a server says of a single item, as the result that it would have been among others."""
    said = error.problem
    why = None
    if error.status != 409:
        why = ItemError(said.get("field", ""), said.get("reason", str(error)), said.get("remedy", ""))
    return ItemResult(
        item=0,
        status="conflict" if why is None else "refused",
        id=said.get("id", ""),
        source=said.get("source", ""),
        seq=said.get("seq"),
        first_seq=said.get("first_seq"),
        error=why,
    )
