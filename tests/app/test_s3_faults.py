"""S3 that is down, slow, denying, full, or cuts answers off: each is told with what to do, nothing is lost
and nothing is half there.
"""

from __future__ import annotations

import http.client
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from moto.server import ThreadedMotoServer

from app.content import Vault, elsewhere, open_keys
from app.content.elsewhere import Place, place_at
from app.content.sealing import SEGMENT
from app.ledger import Ledger
from app.service import Service
from tests.app.faces import client_of, event
from tests.patience import HANGING
from tests.stores import empty_ledger

REF, OTHER = "message:1/1/in", "message:1/2/in"
CONTENT = bytes(range(256)) * (2 * SEGMENT // 256) + b"the end"
SECONDS = 0.5  # that one request to S3 may take where S3 is slow
FAULTS: dict[str, str] = {
    "down": "reached",
    "slow": "reached",
    "denying": "credentials",
    "busy": "reached",
    "full": "has room",
    "cut": "reached",
}
"""Each fault, and a word of what is said of it."""
STATUS = {"denying": (403, "AccessDenied"), "busy": (503, "SlowDown"), "full": (507, "InsufficientStorage")}


class Proxy(ThreadingHTTPServer):
    """Passes requests on to S3, unless something is wrong."""

    daemon_threads = True

    def __init__(self, s3: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.s3 = s3
        self.fault = ""
        self.asked = 0

    def handle_error(self, *_: object) -> None:
        """Whoever asked has gone: it waited too long."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Passing(BaseHTTPRequestHandler):
    server: Proxy

    def _pass(self) -> None:
        self.server.asked += 1
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.fault
        if fault in ("down", "slow"):
            time.sleep(4 * SECONDS if fault == "slow" else 0)
            self.close_connection = True
            self.connection.close()
            return
        if fault in STATUS:
            status, code = STATUS[fault]
            self._answer(status, {}, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode())
            return
        passed = http.client.HTTPConnection(self.server.s3, timeout=HANGING)
        passed.request(self.command, self.path, body, dict(self.headers))
        answer = passed.getresponse()
        self._answer(answer.status, dict(answer.getheaders()), answer.read(), cut=fault == "cut")
        passed.close()

    def _answer(self, status: int, headers: dict[str, str], body: bytes, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("transfer-encoding", "content-length", "connection", "server", "date"):
                self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(body) + cut))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = cut

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="module")
def proxy() -> Iterator[Proxy]:
    s3 = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    s3.start()
    host, port = s3.get_host_and_port()
    with urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/bodies", method="PUT")):
        made = Proxy(f"{host}:{port}")
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()
    s3.stop()


def bucket(proxy: Proxy) -> Place:
    options = {"endpoint": proxy.url, "access_key_id": "a", "secret_access_key": "b", "region": "us-east-1"}
    return place_at("s3://bodies/clew", options)


@pytest.fixture
def service(proxy: Proxy, tmp_path: Path) -> Iterator[Service]:
    place = bucket(proxy)
    ledger = Ledger.open(empty_ledger(tmp_path / "clew.db"))
    vault = Vault(open_keys(tmp_path / "k", None), place, inside=10)
    made = Service(ledger, vault, "default", "urn:x-clew:")
    proxy.fault = ""
    yield made
    proxy.fault = ""
    place.remove(list(place.names()))
    made.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_s3_is_told_and_loses_nothing(
    service: Service, proxy: Proxy, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = service.vault.place
    assert place is not None
    with client_of(service) as client:

        def said(answer: Any, verb: str) -> None:
            told = answer.json()
            assert (answer.status_code, told["type"]) == (503, "urn:x-clew:problem:store"), told
            assert answer.headers["Retry-After"]
            assert verb in told["detail"]
            assert FAULTS[fault] in told["detail"]
            assert "Signature" not in told["detail"]

        assert client.post("/v1/events", json=[event(1), event(2)]).status_code == 200
        assert client.put("/v1/content", params={"ref": REF}, content=CONTENT).status_code == 201
        [kept] = place.names()
        head = service.ledger.graph("default").head()

        proxy.fault = fault
        if fault == "slow":
            monkeypatch.setattr(elsewhere, "SECONDS", SECONDS)
            monkeypatch.setattr(service.vault, "place", bucket(proxy))
        if fault != "cut":  # what a bucket did is done, also when its answer is lost
            said(client.put("/v1/content", params={"ref": OTHER}, content=b"x" + CONTENT), "written to")
            assert service.ledger.graph("default").head() == head, "nothing is recorded that isn't kept"
        said(client.get("/v1/content", params={"ref": REF}), "read from")
        asked = {"ref": REF, "reason_class": "mistake"}
        if fault != "cut":
            said(client.delete("/v1/content", params=asked), "removed from")
            gone = client.get("/v1/content", params={"ref": REF})
            assert gone.status_code == 410
            assert [one["state"] for one in gone.json()["tombstones"]] == ["requested"]

        proxy.fault = ""
        monkeypatch.undo()
        assert client.get("/v1/content", params={"ref": OTHER}).status_code == 404
        if fault == "cut":
            assert client.get("/v1/content", params={"ref": REF}).content == CONTENT
            client.delete("/v1/content", params=asked)
        else:
            assert list(place.names()) == [kept]
            assert service.retention.sweep().finished == 1
        assert list(place.names()) == []
        gone = client.get("/v1/content", params={"ref": REF})
        assert [one["state"] for one in gone.json()["tombstones"]] == ["done"]
        assert client.put("/v1/content", params={"ref": OTHER}, content=CONTENT).status_code == 201
        assert client.get("/v1/content", params={"ref": OTHER}).content == CONTENT
