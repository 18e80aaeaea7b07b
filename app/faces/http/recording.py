"""POST: events in bulk, events of one type in short form, traces. Plain routes; msgspec reads and writes.

A request costs one hand-over to a thread, where all of it happens: inflating, splitting, decoding, mapping,
and the wait for the commit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.faces.http.admitting import admit
from app.faces.http.guard import COUNTED_AS
from app.faces.http.intake import UNSAID, Unsupported, inflate, media_type
from app.faces.http.minimal import fill
from app.faces.http.problems import Problem, problem, respond
from app.faces.http.server import Server, server_of
from app.service import ItemResult
from provmodel import cloudevents
from provmodel.decoding import split_items
from provmodel.events import TYPES, plural
from provmodel.sources import Reading, Remark

LINES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"}
)
_JSON = UNSAID | {"application/json", "text/plain"}
_TYPED = frozenset({cloudevents.STRUCTURED, cloudevents.BATCHED})
TAKEN = ", ".join(("application/json", "application/x-ndjson", cloudevents.STRUCTURED, cloudevents.BATCHED))
_encode = msgspec.json.Encoder().encode
Answer = Callable[[Server, bytes, str], tuple[int, Any]]


class Recorded(msgspec.Struct, frozen=True):
    """What became of each item of a delivery, in its order, and how many came to what."""

    counts: dict[str, int]
    results: list[ItemResult]


class Made(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What became of one event in short form. ``refs`` has by JSON pointer the ids and refs made for it."""

    status: str
    id: str
    source: str
    time: str
    seq: int | None
    refs: dict[str, str]
    epoch: str = ""
    source_number: int | None = None
    first_seq: int | None = None
    content_compared: bool | None = None
    warnings: tuple[str, ...] = ()


class PartialSuccess(msgspec.Struct, frozen=True, rename="camel"):
    """How many spans were rejected, and why (OTLP 1.x, "Partial Success")."""

    rejected_spans: int = 0
    error_message: str = ""


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """The reply of OTLP, and beside it what became of the events that the spans are, and what was not
    understood.
    """

    partial_success: PartialSuccess = msgspec.field(name="partialSuccess")
    items: int
    counts: dict[str, int]
    not_understood: list[Remark]
    notes: list[Remark]


def routes() -> list[BaseRoute]:
    """The addresses that take events."""
    answers = {"events": post_events, "traces": post_traces, **{plural(tag): _post_one(tag) for tag in TYPES}}
    return [_route(f"/v1/{path}", answer) for path, answer in answers.items()]


def _route(path: str, answer: Answer) -> Route:
    """An address that reads the body within its limits and answers in a thread."""

    async def endpoint(request: Request) -> Response:
        request.scope[COUNTED_AS] = path
        await admit(request, "ingest")
        server = server_of(request)
        data = await server.intake.read(request)
        try:
            return await run_in_threadpool(_answered, server, answer, request, data)
        finally:
            server.intake.done(len(data))

    return Route(path, endpoint, methods=["POST"])


def _answered(server: Server, answer: Answer, request: Request, data: bytes) -> Response:
    plain = inflate(data, request.headers.get("content-encoding", ""), server.intake.limit)
    if not request.headers.get("content-length"):
        server.rates.spend(server.key, "bytes", len(data))
    status, reply = answer(server, plain, media_type(request))
    if isinstance(reply, Problem):
        return respond(reply)
    return Response(_encode(reply), status, media_type="application/json")


def post_events(server: Server, data: bytes, kind: str) -> tuple[int, Any]:
    """Events as a JSON array, NDJSON, CloudEvents or a single object."""
    if kind not in _JSON | LINES | _TYPED:
        raise Unsupported(kind, f"send {TAKEN}", ("Accept", TAKEN))
    results = server.service.record(
        split_items(data, lines=kind in LINES, limit=server.intake.items), server.principal
    )
    _counted(server, [result.status for result in results])
    if len(results) == 1:
        alone = _alone(results[0])
        if alone:
            return alone.status, alone
    return 200, Recorded(_counts(results), results)


def _post_one(tag: str) -> Answer:
    def post(server: Server, data: bytes, kind: str) -> tuple[int, Any]:
        if kind not in _JSON | {cloudevents.STRUCTURED}:
            raise Unsupported(kind, "send application/json", ("Accept", "application/json"))
        filled = fill(data, tag, server.principal.name)
        result, number = server.service.record_one(
            filled.raw, server.principal, numbered=filled.sourced, timed=filled.timed
        )
        _counted(server, [result.status])
        alone = _alone(result)
        if alone:
            return alone.status, alone
        return 200, Made(
            status=result.status,
            id=result.id,
            source=result.source,
            time=result.time,
            seq=result.seq,
            refs=filled.made,
            epoch=number.epoch if number else "",
            source_number=number.number if number else None,
            first_seq=result.first_seq,
            content_compared=result.content_compared,
            warnings=result.warnings,
        )

    return post


def post_traces(server: Server, data: bytes, kind: str) -> tuple[int, Any]:
    """OTLP/HTTP in JSON."""
    if kind not in _JSON:
        remedy = "set the exporter to http/json (OTEL_EXPORTER_OTLP_PROTOCOL), or put a collector in between"
        raise Unsupported(kind, remedy, ("Accept", "application/json"))
    reading, results = server.service.record_trace(data, server.principal, "otlp")
    _counted(server, [result.status for result in results])
    return 200, Traced(
        partial_success=_partial(reading, results),
        items=reading.items,
        counts=_counts(results),
        not_understood=reading.not_understood,
        notes=reading.notes,
    )


def _counted(server: Server, statuses: list[str]) -> None:
    server.metrics.items(statuses)
    server.rates.spend(server.key, "events", len(statuses))


def _partial(reading: Reading, results: list[ItemResult]) -> PartialSuccess:
    reasons = [f"{rejection.where}: {rejection.reason}" for rejection in reading.rejected]
    reasons += [f"{r.id}: {r.error.field} {r.error.reason}" for r in results if r.error]
    return PartialSuccess(len(reasons), "; ".join(reasons[:20]))


def _counts(results: list[ItemResult]) -> dict[str, int]:
    counts = dict.fromkeys(("recorded", "duplicate", "conflict", "refused"), 0)
    for result in results:
        counts[result.status] += 1
    return counts


def _alone(result: ItemResult) -> Problem | None:
    """What a single item that was not simply taken answers: 422, 400, or 409 although it is kept."""
    members = {"item": result.item, "id": result.id, "source": result.source}
    if result.error:
        name, status = ("unreadable", 400) if result.undecodable else ("refused", 422)
        detail = f"{result.error.field}: {result.error.reason}; {result.error.remedy}"
        return problem(name, status, detail, **members, **msgspec.structs.asdict(result.error))
    if result.status == "conflict":
        detail = (
            f"event {result.first_seq} has this source and id, and other content; both are kept and flagged"
        )
        remedy = "give each event an id of its own"
        return problem(
            "conflict", 409, detail, **members, remedy=remedy, seq=result.seq, first_seq=result.first_seq
        )
    return None
