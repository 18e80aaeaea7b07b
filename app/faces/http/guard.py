"""What surrounds every response, also those of errors: security headers, a check of the name asked for, and
the counts.

A server without credentials must not be talked to by web pages of others. It listens on loopback, answers
only to loopback names (a page could make its own name point here), and takes no writing request that a page
of another origin sends.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import logs
from app.faces.http.metrics import Metrics
from app.faces.http.problems import problem, respond

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
COUNTED_AS = "clew.route"
"""Where a plain route writes its pattern into the scope, as FastAPI's own do."""
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """Outermost in the stack. ``hosts`` are the only names that are answered to; None is any."""

    def __init__(self, app: ASGIApp, metrics: Metrics, hosts: Collection[str] | None) -> None:
        self.app = app
        self.metrics = metrics
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 500
        method = scope["method"]
        if method == "HEAD":  # answered as GET is, without the body (RFC 9110, 9.3.2)
            scope = {**scope, "method": "GET"}

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif method == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        try:
            await (self._refusal(scope) or self.app)(scope, receive, send_guarded)
        finally:
            route = str(scope.get(COUNTED_AS) or getattr(scope.get("route"), "path", ""))
            seconds, named = time.perf_counter() - start, method if method in _METHODS else "other"
            self.metrics.count(named, route, status, seconds)
            logs.request(named, route, status, seconds)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts is not None and _name_of(host) not in self.hosts:
            detail = f"this server does not answer to the name {_name_of(host)!r}; use 127.0.0.1 or localhost"
            return respond(problem("misdirected", 421, detail))
        if not _is_utf8(scope["query_string"]):
            return respond(problem("unreadable", 400, "the query is not UTF-8; percent-encode it as UTF-8"))
        origin = headers.get("origin")
        if origin and scope["method"] not in _READING and origin.partition("://")[2] != host:
            return respond(problem("", 403, f"a page of {origin} may not write here"))
        return None


def _is_utf8(query: bytes) -> bool:
    """Whether it names what it seems to name: what is not UTF-8 would be read as other characters."""
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True


def _name_of(host: str) -> str:
    """The name in a Host header, without its port; an address in brackets stays in them."""
    return host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
