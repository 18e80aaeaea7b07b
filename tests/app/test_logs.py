"""The log of a server: JSON lines, escaped, with nothing in them of what others sent."""

from __future__ import annotations

import json
import logging
import signal
import socket
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx
import pytest

from app import logs
from app.credentials.keys import Grant, Keys
from app.credentials.scopes import Scope
from app.main import open_service
from app.settings import Settings
from provmodel.evidence import MAY_CLAIM
from tests.app.commands import address_of, start
from tests.app.faces import event
from tests.patience import HANGING

CANARY = "canary-7f3a"
SCOPES: frozenset[Scope] = frozenset({"ingest", "graph:read", "content:read", "export", "admin"})


def test_a_log_holds_no_token_body_or_attribute_wherever_they_are_sent(tmp_path: Path) -> None:
    """A server of its own, with a line for each request; canaries in every place that a client fills."""
    shown = _key(tmp_path)
    process = start(tmp_path, "serve", "--port", "0", CLEW_LOG="info")
    try:
        address = address_of(process)
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {shown}"}) as http:
            _send_canaries(http)
        _send_raw(address)
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANGING)
    lines = [json.loads(line) for line in (out + err).splitlines()]
    assert {"GET", "POST", "PUT", "DELETE"} <= {line.get("method") for line in lines}
    assert {200, 401, 404, 422} <= {line.get("status") for line in lines}
    assert "/v1/events" in {line.get("route") for line in lines}
    assert CANARY not in out + err
    assert shown.rpartition("_")[2] not in out + err


def _key(folder: Path) -> str:
    service = open_service(Settings(f"sqlite:///{folder / 'clew.db'}", folder / "clew.keys"))
    grant = Grant(name="harness-1", scopes=SCOPES, kinds=frozenset(MAY_CLAIM))
    text, _ = Keys(service.ledger).create("default", grant)
    service.close()
    return text


def _send_canaries(http: httpx.Client) -> None:
    told = event(1, inputs=[{"ref": f"document:{CANARY}", "body": {"text": CANARY}}])
    told["outputs"] = [{"ref": "document:x@version:1", "body": {"json": {CANARY: [CANARY]}}}]
    version = event(2, "artifact_version", ref=f"file:/{CANARY}", kind="text", attributes={CANARY: CANARY})
    for body in ([told, version], [{**told, "type": CANARY}], {CANARY: CANARY}):
        http.post("/v1/events", json=body)
    http.post("/v1/events", content=f'[{{"{CANARY}'.encode())
    http.post("/v1/documents", json={"entity": {CANARY: {CANARY: CANARY}}})
    http.put("/v1/content", params={"ref": f"document:{CANARY}"}, content=CANARY.encode())
    for path in (f"/v1/{CANARY}", f"/v1/questions/{CANARY}", f"/{CANARY}", f"/v1/cases/{CANARY}"):
        http.get(path, params={CANARY: CANARY, "target": CANARY})
    http.get("/v1/content", params={"ref": f"document:{CANARY}"}, headers={"Range": f"bytes={CANARY}"})
    http.get("/v1/questions/inputs-of", params={"target": f"document:{CANARY}"})
    http.delete("/v1/content", params={"ref": CANARY})
    odd = {"Authorization": f"Bearer {CANARY}", "X-Canary": CANARY, "User-Agent": CANARY, "Accept": CANARY}
    http.get("/v1/runs", headers={**odd, "Cookie": f"{CANARY}={CANARY}", "Referer": f"http://x/{CANARY}"})


def _send_raw(address: str) -> None:
    """What no client library would send."""
    at = urlsplit(address)
    for request in (
        f"{CANARY} / HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n",
        f"GET /{CANARY}\x00\n{{}} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n",
        f"GET /{quote(chr(10) + CANARY)} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: {at.netloc}\r\n{CANARY}\r\n\r\n",
        f"POST /v1/events HTTP/1.1\r\nHost: {at.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n{CANARY}\r\n",
    ):
        with socket.create_connection((at.hostname or "", at.port or 0), timeout=HANGING) as connection:
            connection.sendall(request.encode())
            connection.shutdown(socket.SHUT_WR)
            connection.recv(4096)


@pytest.mark.parametrize(
    "record",
    [
        logging.LogRecord(
            "clew.x", logging.ERROR, "", 1, 'a "line"\n{"level":"INFO"}\x1b[31m\u2028', (), None
        ),
        logging.LogRecord("asyncio", logging.ERROR, "", 1, f"never retrieved\nfuture: {CANARY}", (), None),
        logging.LogRecord("uvicorn.error", logging.ERROR, "", 1, "said %s", (CANARY,), None),
    ],
    ids=lambda record: record.name,
)
def test_a_line_is_one_line_of_json_whatever_it_says(record: logging.LogRecord) -> None:
    line = logs.Formatter().format(record)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["level"] == "ERROR"
    assert CANARY not in line


def test_an_error_is_told_by_its_type_and_place_and_never_by_its_text() -> None:
    try:
        raise RuntimeError(CANARY)
    except RuntimeError as error:
        failed = (type(error), error, error.__traceback__)
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 1, "Exception in ASGI\n", (), failed)
    line = logs.Formatter().format(record)
    assert CANARY not in line
    assert json.loads(line)["error"] == "RuntimeError"
    assert "test_logs.py" in json.loads(line)["at"][-1]
