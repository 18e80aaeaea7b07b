"""What the routes of one server share."""

from __future__ import annotations

import msgspec
from starlette.requests import Request

from app.credentials.gate import Gate
from app.credentials.rates import Rates
from app.credentials.scopes import SCOPES, Scope
from app.faces.http.intake import Intake
from app.faces.http.metrics import Metrics
from app.service import Service
from provmodel.evidence import LOCAL, Principal

ADMITTED = "clew"
"""Where the state of a request keeps the server as who asks may use it."""


class Server(msgspec.Struct, frozen=True):
    """The service behind the routes, who is at the gate, and the house's own counts.

    For a request that was admitted, ``service`` is that of its tenant and ``principal`` who asks, with his
    ``scopes`` and the ``key`` by which his rates are counted.
    """

    service: Service
    intake: Intake
    metrics: Metrics
    gate: Gate
    rates: Rates
    principal: Principal = LOCAL
    scopes: frozenset[Scope] = frozenset(SCOPES)
    key: str = ""


def house_of(request: Request) -> Server:
    """The server itself, before anybody is admitted."""
    server: Server = request.app.state.server
    return server


def server_of(request: Request) -> Server:
    """The server for who asks. A route that admits nobody is a defect, and gets none."""
    server: Server = getattr(request.state, ADMITTED)
    return server
