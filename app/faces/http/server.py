"""What the routes of one server share."""

from __future__ import annotations

import msgspec
from starlette.requests import Request

from app.faces.http.intake import Intake
from app.faces.http.metrics import Metrics
from app.service import Service
from provmodel.evidence import LOCAL, Principal


class Server(msgspec.Struct, frozen=True):
    """The service behind the routes, who is taken to speak (until credentials are asked for), and the house's
    own counts.

    ``open`` says that it may be reached from other machines although everyone may do everything.
    """

    service: Service
    intake: Intake
    metrics: Metrics
    principal: Principal = LOCAL
    open: bool = False


def server_of(request: Request) -> Server:
    server: Server = request.app.state.server
    return server
