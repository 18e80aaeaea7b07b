"""Commands that stay: the HTTP server, the MCP server, and the demonstration."""

from __future__ import annotations

import ipaddress
import signal
import socket
from types import FrameType

import typer
import uvicorn
from fastapi import FastAPI

from app import logs, settings
from app.credentials.keys import Keys
from app.faces.cli.outcome import tell
from app.service import Service
from app.settings import Settings, without_password
from provmodel.unhindered import search_seldom

BACKLOG = 2048
SECONDS_TO_STOP = 10
SECONDS_KEPT = 75  # an idle connection: longer than exporters pause between batches


def serve(host: str, port: int, db: str | None) -> None:
    """Serve until interrupted."""
    from app.main import http_app, open_service

    told = settings.read(db)
    service = open_service(told, writing=True)
    try:
        alone = _alone(host, service, told)
        run(http_app(service, told, alone=alone), host, port, f"ledger {without_password(told.db)}", told.log)
    finally:
        service.close()


def run(app: FastAPI, host: str, port: int, about: str, log: str) -> None:
    """Listen, say where, and serve until interrupted."""
    logs.begin(log)
    search_seldom()
    with _listening(host, port) as listener:
        bound = listener.getsockname()
        name = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        typer.echo(f"Clew listens on http://{name}:{bound[1]} ({about}). Ctrl-C ends it.", err=True)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=SECONDS_KEPT,
            timeout_graceful_shutdown=SECONDS_TO_STOP,
        )
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, _stopped)
        uvicorn.Server(config).run(sockets=[listener])


def _stopped(_: int, __: FrameType | None) -> None:
    """By then the server has stopped, and sends itself the signal again: what is left is to close."""


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise typer.Exit(
            tell(f"can't listen on {host}:{port}: {error.strerror}; choose another with --port")
        ) from None


def _alone(host: str, service: Service, told: Settings) -> bool:
    """Whether only this machine can reach the server; if not, nobody may be served unasked."""
    if is_loopback(host):
        return True
    if not told.issuers and not Keys(service.ledger).any():
        raise typer.Exit(
            tell(
                f"{host} is not this machine alone, and there is no credential yet;"
                " make one with `clew key create`, or listen on 127.0.0.1"
            )
        )
    if service.ledger.store.goes_round_isolation():
        raise typer.Exit(
            tell(
                f"the role of {without_password(told.db)} goes round row-level security;"
                " make another with `clew db role`, and let the server connect as that"
            )
        )
    return False


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address; a name counts when it is localhost."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def mcp(db: str | None) -> None:
    """Serve MCP on standard input and output until the client goes."""
    from app.main import open_service, serve_mcp

    service = open_service(settings.read(db))
    try:
        serve_mcp(service)
    finally:
        service.close()


def demo(once: bool, json: bool, host: str, port: int, db: str | None) -> None:
    """Record the sample incident in a store of its own, answer, and serve; see :mod:`app.demo`."""
    from app import demo as story
    from app.main import http_app, open_service

    told = settings.read(db or story.DEFAULT_DB)
    service = open_service(told, writing=not once)
    where = without_password(told.db)
    try:
        alone = once or _alone(host, service, told)
        story.run(service, where, json)
        if not once:
            run(http_app(service, told, alone=alone), host, port, f"the sample incident in {where}", told.log)
    finally:
        service.close()
