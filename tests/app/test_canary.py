"""A canary is recorded, kept in every way that there is, and deleted: no byte of it is left anywhere."""

import base64
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
import zstandard
from moto.server import ThreadedMotoServer

from app.content.elsewhere import place_at
from tests.app.commands import address_of
from tests.postgres import PostgresServer

CANARY = 'the cänary "sings" at noon, 4711'
WHY = "the canary's owner wrote to us on Monday"
ZSTD = re.compile(rb"\x28\xb5\x2f\xfd")
ACTIONS: list[dict[str, object]] = [
    {"type": "model_call", "id": "1", "run": "r", "call": "c", "model": "m",
     "inputs": [{"ref": "message:1", "body": {"id": "body:short", "text": CANARY}},
                {"ref": "message:2", "body": {"id": "body:long", "text": CANARY + " and on" * 4000}}]},
    {"type": "action_proposed", "id": "2", "run": "r", "action": "a", "call": "c", "tool": "t",
     "arguments": {"body": {"id": "body:arguments", "json": {"said": CANARY}}}},
    {"type": "tool_call", "id": "3", "run": "r", "attempt": "t1", "action": "a", "tool": "t",
     "outcome": "completed", "results": [{"ref": "result:put"}]},
]  # fmt: skip


def forms(text: str) -> dict[str, bytes]:
    """How a text may stand somewhere: as it is, escaped, encoded, or as a digest of it."""
    raw = text.encode()
    found = {
        "as it is": raw,
        "as JSON": json.dumps(text)[1:-1].encode(),
        "as JSON in JSON": json.dumps(json.dumps(text, ensure_ascii=False)[1:-1], ensure_ascii=False)[
            1:-1
        ].encode(),
        "in a URL": urlencode({"": text})[1:].encode(),
        "in hex": raw.hex().encode(),
        "in UTF-16": text.encode("utf-16-le"),
        "its end": raw[-16:],
    }
    for before in range(3):
        found[f"in base64 after {before}"] = base64.b64encode(b"\0" * before + raw)[4:-4]
    for name in ("md5", "sha1", "sha256", "blake2b"):
        for what in (raw, json.dumps(text, ensure_ascii=False).encode()):
            digest = hashlib.new(name, what)
            found[f"{name} of {len(what)}"] = digest.digest()
            found[f"{name} of {len(what)} in hex"] = digest.hexdigest().encode()
    return found


def unpacked(held: bytes) -> Iterator[bytes]:
    """The bytes, and those of each zstd frame among them."""
    yield held
    for found in ZSTD.finditer(held):
        try:
            yield zstandard.ZstdDecompressor().decompressobj().decompress(held[found.start() :][: 2**20])
        except zstandard.ZstdError:
            continue


def kept_in(folders: list[Path]) -> Iterator[tuple[str, bytes]]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "programs" not in path.parts:
                yield str(path), path.read_bytes()


@pytest.fixture
def s3() -> Iterator[dict[str, str]]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/bodies", method="PUT")):
        yield {"endpoint": endpoint, "access_key_id": "a", "secret_access_key": "b", "region": "us-east-1"}
    server.stop()


def asked(address: str, method: str, path: str, body: bytes | None = None, **query: str) -> bytes:
    url = f"{address}{path}?{urlencode(query)}"
    headers = {"Content-Type": "application/json" if path == "/v1/events" else "text/plain"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method)) as answer:
        return bytes(answer.read())


def test_no_byte_of_a_deleted_canary_is_left_anywhere(
    store_url: str, tmp_path: Path, s3: dict[str, str], request: pytest.FixtureRequest
) -> None:
    (tmp_path / "temporary").mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TMPDIR": str(tmp_path / "temporary"),
        "CLEW_DB": store_url,
        "CLEW_KEY_FILE": str(tmp_path / "clew.keys"),
        "CLEW_BODIES": "s3://bodies/clew",
        "CLEW_BODIES_INSIDE": "1000",
        "CLEW_S3_ENDPOINT": s3["endpoint"],
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_REGION": "us-east-1",
    }
    command = [sys.executable, "-c", "from app.faces.cli import main; main()", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    log = ""
    try:
        address = address_of(process)
        head = {"source": "s", "time": "2026-03-01T09:00:00Z"}
        delivery = json.dumps([{**head, **one} for one in ACTIONS]).encode()
        told = json.loads(asked(address, "POST", "/v1/events", delivery))
        assert [one["status"] for one in told["results"]] == ["recorded"] * 3
        asked(address, "PUT", "/v1/content", (CANARY + " put" * 50_000).encode(), ref="result:put")
        for ref in ("message:1", "message:2", "result:put"):
            assert CANARY.encode() in asked(address, "GET", "/v1/content", ref=ref)
        asked(address, "GET", "/v1/questions/inputs-of", target="t1")
        place = place_at("s3://bodies/clew", s3)
        assert len(list(place.names())) == 2
        with closing(sqlite3.connect(tmp_path / "clew.bodykeys")) as store:
            keys = [bytes(wrapped) for (wrapped,) in store.execute("select wrapped from body_key")]
        assert len(keys) == 5, "one of each body, and the secret of tags"
        for ref in ("message:1", "message:2", "body:arguments", "result:put"):
            asked(address, "DELETE", "/v1/content", ref=ref, reason_class="mistake", reason=WHY)
        exported = asked(address, "GET", "/v1/export", format="prov-json")
    finally:
        process.terminate()
        log = process.communicate()[1]
    folders = [tmp_path]
    if "postgresql" in store_url:
        server: PostgresServer = request.getfixturevalue("postgres")
        folders.append(server.folder)
    searched = [*kept_in(folders), ("the log", log.encode()), ("an export", exported)]
    searched += [(f"S3 {name}", place.get(name, 0, -1)) for name in place_at("s3://bodies", s3).names()]
    assert len(searched) >= 5
    assert not [where for where, held in searched for key in keys if key in held]
    looked_for = {**forms(CANARY), **{f"{name} (why)": form for name, form in forms(WHY).items()}}
    for where, held in searched:
        for plain in unpacked(held):
            for how, form in looked_for.items():
                assert form not in plain, f"{how} in {where}"
