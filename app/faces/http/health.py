"""Whether the server lives, whether it can do its work, and what it has done."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from app.faces.http.admitting import PUBLIC, needs
from app.faces.http.describing import ref, trouble
from app.faces.http.metrics import MEDIA_TYPE
from app.faces.http.problems import problem, respond
from app.faces.http.server import house_of, server_of


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """``status`` is ok."""

    status: str
    version: str = ""
    head: int | None = None


def router() -> APIRouter:
    made = APIRouter(tags=["operation"])
    made.add_api_route(
        "/healthz",
        healthz,
        dependencies=[PUBLIC],
        responses={200: ref("Health", "The process answers.")},
    )
    made.add_api_route(
        "/readyz",
        readyz,
        dependencies=[PUBLIC],
        responses={200: ref("Health", "The store answers."), 503: trouble("The store can't be used now.")},
    )
    made.add_api_route(
        "/metrics",
        metrics,
        dependencies=[needs("admin")],
        responses={
            200: {"description": "Prometheus text.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}
        },
    )
    return made


async def healthz(request: Request) -> Response:
    """The process answers."""
    return _json(Health("ok", request.app.version))


def readyz(request: Request) -> Response:
    """The store answers; ``head`` is the newest seq of the log, for a server that asks nobody for a key."""
    server = server_of(request)
    head = server.service.ledger.graph(server.service.tenant).head()
    return _json(Health("ok", request.app.version, head=None if server.gate.required else head))


def metrics(request: Request) -> Response:
    """Counts in the text format of Prometheus, of the whole server: for a key of its own tenant."""
    server = server_of(request)
    if server.service.tenant != house_of(request).service.tenant:
        return respond(
            problem("not-allowed", 403, "metrics are of the whole server; use a key of its tenant")
        )
    writer = server.service.writer
    gauges = {
        "clew_commits_total": ("Commits of the writer.", float(writer.counts.commits)),
        "clew_events_committed_total": ("Events in those commits.", float(writer.counts.events)),
        "clew_turned_away_total": (
            "Requests turned away because too many waited.",
            float(writer.counts.turned_away),
        ),
        "clew_events_waiting": ("Events that wait for a commit.", float(writer.waiting)),
        "clew_log_head": (
            "The newest seq of the log.",
            float(server.service.ledger.graph(server.service.tenant).head()),
        ),
    }
    return Response(server.metrics.text(gauges), media_type=MEDIA_TYPE)


def _json(health: Health) -> Response:
    return Response(msgspec.json.encode(health), media_type="application/json")
