"""The FastAPI application: routes, what surrounds them, and the problem that each error becomes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from app import logs
from app.credentials.gate import Gate
from app.credentials.keys import Keys
from app.credentials.rates import Rates
from app.faces.http import (
    accessing,
    asking,
    cases,
    content,
    exporting,
    health,
    identifying,
    listing,
    openapi,
    picturing,
    provaq,
    recording,
    restricting,
    retaining,
    searching,
    submitting,
    vocabulary,
)
from app.faces.http.admitting import PUBLIC
from app.faces.http.guard import COUNTED_AS, Guard
from app.faces.http.intake import Intake
from app.faces.http.metrics import Metrics
from app.faces.http.problems import problem, problem_of, respond
from app.faces.http.server import Server
from app.service import Service
from provmodel.errors import ClewError

WEB = Path(__file__).parents[2] / "web"
log = logging.getLogger("clew.http")


class ClewApp(FastAPI):
    """FastAPI inside the guard, so that the answers of its own error handling are guarded, too."""

    def __init__(self, server: Server, hosts: Collection[str] | None, **more: Any) -> None:
        super().__init__(**more)
        self.state.server = server
        self._hosts = hosts

    def build_middleware_stack(self) -> ASGIApp:
        return Guard(super().build_middleware_stack(), self.state.server.metrics, self._hosts)

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            self.openapi_schema = openapi.described(self)
        return self.openapi_schema


def create_app(
    service: Service,
    *,
    intake: Intake | None = None,
    hosts: Collection[str] | None = None,
    gate: Gate | None = None,
    rates: Rates | None = None,
    on_stop: Callable[[], None] | None = None,
) -> FastAPI:
    """The application over a service.

    ``hosts`` are the only names that it answers to (None: any). ``gate`` knows who may do what; without one,
    the keys of the service's ledger decide; ``rates`` say how fast, without them the service's limits.
    ``on_stop`` is called when the server goes down.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        if on_stop:
            on_stop()

    server = Server(
        service,
        intake or Intake(service.limits),
        Metrics(),
        gate or Gate(Keys(service.ledger), None, service.tenant),
        rates or Rates(service.limits),
    )
    app = ClewApp(
        server,
        hosts,
        title="Clew",
        version=version("clew-prov"),
        summary="What AI agents did, as a W3C PROV graph in which every edge says how well it is known.",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.router.routes.extend([*recording.routes(), *submitting.routes(), *content.routes()])
    for area in _areas():
        app.include_router(area)
    app.add_api_route("/", first_page, dependencies=[PUBLIC], include_in_schema=False)
    app.mount("/page", GZipMiddleware(StaticFiles(directory=WEB), minimum_size=1000), name="page")
    _handle_errors(app)
    return app


@cache
def _areas() -> tuple[APIRouter, ...]:
    """The routes of each area. They find their server by the request, so every application can have them."""
    areas = (
        asking, picturing, listing, searching, cases, exporting, content, provaq, vocabulary, health,
        accessing, identifying, restricting, retaining,
    )  # fmt: skip
    return tuple(area.router() for area in areas)


def first_page() -> FileResponse:
    """What this server is, and how to begin."""
    return FileResponse(WEB / "index.html")


def _handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(ClewError, _clew_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _parameter_error)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _defect)


async def _clew_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, ClewError)  # noqa: S101 (registered for it)
    found, headers = problem_of(error)
    return respond(found, headers)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (registered for it)
    details = {
        404: f"there is nothing at {request.url.path}; /openapi.json lists what there is",
        405: f"{request.method} is not offered at {request.url.path}",
    }
    detail = details.get(error.status_code, error.detail)
    return respond(problem("", error.status_code, detail), error.headers)


_IN_WORDS = {
    "int_parsing": "it is no whole number",
    "greater_than_equal": "it is less than {ge}",
    "less_than_equal": "it is more than {le}",
    "missing": "it is missing",
}
"""What FastAPI finds wrong with a parameter."""


async def _parameter_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 (registered for it)
    first = error.errors()[0]
    field, bounds = str(first["loc"][-1]), first.get("ctx", {})
    reason = _IN_WORDS.get(first["type"], str(first["msg"])).format(**bounds)
    return respond(
        problem(
            "bad-question",
            422,
            f"{field}: {reason}",
            field=field,
            reason=reason,
            remedy="see /openapi.json",
        )
    )


async def _gone(_: Request, __: Exception) -> Response:
    """Whoever sent this went away before it was all here: there is nobody to answer, and nothing to log."""
    return respond(problem("unreadable", 400, "the request ended before all of it was here"))


async def _defect(request: Request, error: Exception) -> Response:
    """Only its type and place are logged: the text of a stray error may hold what a producer sent."""
    route = getattr(request.scope.get("route"), "path", request.scope.get(COUNTED_AS, ""))
    told = {"route": route, **logs.of_error(type(error), error.__traceback__)}
    log.error("a defect: %s", type(error).__name__, extra={"fields": told})
    return respond(problem("", 500, "a defect of this server; its log names it"))
