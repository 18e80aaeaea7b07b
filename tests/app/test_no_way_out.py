"""For an input no connection is made and no file outside the store is opened: an audit hook listens."""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.app.commands import address_of
from tests.app.faces import event
from tests.app.hostile_inputs import VALUES
from tests.patience import HANGING
from tests.provmodel.formats.hostile_texts import HOSTILE

ROOT = Path(__file__).parents[2]
OWN_CODE = (ROOT / "app", ROOT / "queries", ROOT / "provmodel", *map(Path, {
    sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"),
    sys.base_prefix + "/lib",
}))  # fmt: skip
"""What a server reads of itself, whatever is asked: its code, which is loaded when it is first needed."""
SYSTEM = (
    "/dev/null",
    "/dev/urandom",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/etc/mime.types",
    "/proc/self",
)
SERVING = {"socket.__new__", "socket.bind", "socket.listen", "socket.accept"}
REFERENCES = ("file:///etc/passwd", "http://127.0.0.1:9/x", "../../../../etc/passwd", "/etc/passwd",
              "jar:file:///etc/passwd!/x", "\\\\127.0.0.1\\x", "s3://bucket/x")  # fmt: skip


def test_hostile_inputs_open_no_connection_and_no_file_outside_the_store(tmp_path: Path) -> None:
    store, notes = tmp_path / "store", tmp_path / "notes"
    store.mkdir()
    process = _start(store, notes)
    try:
        address = address_of(process)
        with httpx.Client(base_url=address, timeout=HANGING) as http:
            http.get("/v1/runs")  # by then the server has loaded what it serves with
            before = notes.stat().st_size
            _send(http)
            http.post("/v1/events", json=[event(1)])
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANGING)
    lines = notes.read_bytes()[before:].decode().splitlines()
    seen = [json.loads(line) for line in lines]
    assert len(seen) > 3, "the hook listens"
    assert [one for one in seen if not _allowed(one[0], one[1], store)] == []


def test_the_hook_sees_a_connection_and_a_file(tmp_path: Path) -> None:
    code = (
        "import sys, runpy, socket\n"
        "sys.argv = ['x', sys.argv[1], 'version']\n"
        "try: runpy.run_module('tests.app.audited', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "open('/etc/passwd').close()\n"
        "socket.socket().connect_ex(('127.0.0.1', 9))\n"
    )
    notes = tmp_path / "notes"
    subprocess.run([sys.executable, "-c", code, notes], cwd=ROOT, check=True, capture_output=True)
    seen = [json.loads(line) for line in notes.read_text().splitlines()]
    refused = [event for event, arguments in seen if not _allowed(event, arguments, tmp_path)]
    assert {"open", "socket.connect"} <= set(refused)


def _start(store: Path, notes: Path) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.app.audited", str(notes), "serve", "--port", "0", "--db", "clew.db"],
        cwd=store,
        env={**clean, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _send(http: httpx.Client) -> None:
    for form, text, _ in HOSTILE.values():
        data = text if isinstance(text, bytes) else text.encode()
        http.post("/v1/documents", params={"format": form}, content=data[:200_000])
    told = [event(100 + n, inputs=[{"ref": ref, "body": {"text": ref}}]) for n, ref in enumerate(REFERENCES)]
    http.post("/v1/events", json=told)
    for value in (*REFERENCES, *VALUES.values()):
        sent = value.encode("utf-8", "replace").decode()[:2000]
        for path in ("/v1/content", "/v1/nodes", "/v1/export", "/v1/questions/inputs-of", "/prov/query"):
            http.get(
                path, params={"ref": sent, "target": sent, "format": sent} if "q" in path else {"ref": sent}
            )
        http.put("/v1/content", params={"ref": sent}, content=b"x")
        http.post("/v1/events", json=[event(200, specversion="1.0", dataschema=sent, datacontenttype=sent)])
    for link in REFERENCES:
        http.post("/prov/pingback", content=link, headers={"Content-Type": "text/uri-list"})
        http.get("/v1/runs", headers={"Referer": link, "X-Forwarded-Host": link, "Link": f"<{link}>"})
    at = urlsplit(str(http.base_url))
    for path in (
        "/page/../../../../etc/passwd",
        "/page/%2e%2e/%2e%2e/settings.py",
        "/page//etc/passwd",
        "/v1%252fruns",
        "/v1/%252e%252e/v1/runs",
    ):
        with socket.create_connection((at.hostname or "", at.port or 0), timeout=HANGING) as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {at.netloc}\r\n\r\n".encode())
            assert connection.recv(65536).split()[1] == b"404", path


def _allowed(event: str, arguments: list[str], store: Path) -> bool:
    """Whether a server may do this while it answers: read its own code, use its store, be connected to."""
    if event != "open":
        return event in SERVING
    try:
        named = ast.literal_eval(arguments[0])
    except (ValueError, SyntaxError):
        return False
    if isinstance(named, int):
        return True  # what is open already
    path = Path(os.path.normpath(store / os.fsdecode(named)))
    if path.is_relative_to(store):
        return True
    reads = "w" not in arguments[1] and "a" not in arguments[1] and "+" not in arguments[1]
    own = any(path.is_relative_to(folder) for folder in OWN_CODE)
    return reads and (own or str(path).startswith(SYSTEM))
