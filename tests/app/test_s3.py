"""Bodies in S3: a real server on loopback that keeps, gives in ranges, deletes, denies and goes away."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from app.bodies import Gone
from app.content import Vault, open_keys
from app.content.elsewhere import Bucket, place_at
from app.content.sealing import SEGMENT
from app.ledger import Ledger
from app.retention import Request
from app.service import Service
from app.service.capturing import Offer
from provmodel.errors import StoreTrouble
from tests.app.faces import event
from tests.app.test_retention import record
from tests.stores import empty_ledger

CONTENT = bytes(range(256)) * (3 * SEGMENT // 256) + b"the end"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str) -> str:
    with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/bodies", method="PUT")):
        return "s3://bodies/clew"


def options(endpoint: str) -> dict[str, str]:
    return {"endpoint": endpoint, "access_key_id": "a", "secret_access_key": "b", "region": "us-east-1"}


@pytest.fixture
def service(endpoint: str, bucket: str, tmp_path: Path) -> Iterator[Service]:
    place = place_at(bucket, options(endpoint))
    ledger = Ledger.open(empty_ledger(tmp_path / "clew.db"))
    made = Service(ledger, Vault(open_keys(tmp_path / "k", None), place, inside=10), "default", "urn:x-clew:")
    record(made, event(1))
    yield made
    made.close()


REF = "message:1/1/in"


def test_a_body_in_s3_is_read_in_ranges_and_goes_from_there(service: Service) -> None:
    captured = service.capture(Offer(ref=REF), iter([CONTENT[:1000], CONTENT[1000:]]))
    place = service.vault.place
    assert place is not None
    [name] = place.names()
    assert CONTENT[:200] not in place.get(name, 0, -1)
    opened = service.bodies.open(REF)
    assert opened.content == CONTENT
    assert b"".join(opened.read(SEGMENT - 2, SEGMENT + 2)) == CONTENT[SEGMENT - 2 : SEGMENT + 2]
    [deleted] = service.forget(REF, Request(actor="person:o", reason_class="mistake"))
    assert (deleted.body, deleted.places) == (captured.body, ("key store", "s3"))
    assert list(place.names()) == []
    with pytest.raises(Gone):
        service.bodies.open(REF)


def test_when_s3_is_gone_nothing_is_recorded_and_what_is_deleted_stays_asked_for(
    service: Service, endpoint: str
) -> None:
    service.capture(Offer(ref=REF), iter([CONTENT]))
    whole, service.vault.place = service.vault.place, place_at("s3://bodies/clew", options(nowhere()))
    head = service.ledger.graph("default").head()
    with pytest.raises(StoreTrouble, match="can't be written to"):
        service.capture(Offer(ref=REF), iter([CONTENT + b"."]))
    with pytest.raises(StoreTrouble, match="can't be read from"):
        _ = service.bodies.open(REF).content
    assert service.ledger.graph("default").head() == head
    with pytest.raises(StoreTrouble, match="can't be removed from"):
        service.forget(REF, Request(actor="person:o", reason_class="mistake"))
    with pytest.raises(Gone) as gone:
        service.bodies.open(REF)
    assert [tombstone.state for tombstone in gone.value.tombstones] == ["requested"]
    service.vault.place = whole
    assert service.retention.finish() == 1
    with pytest.raises(Gone) as gone:
        service.bodies.open(REF)
    assert [(one.state, one.places) for one in gone.value.tombstones] == [("done", ("key store", "s3"))]
    assert whole is not None
    assert list(whole.names()) == []


def test_a_bucket_that_is_not_there_is_told(endpoint: str) -> None:
    absent = place_at("s3://nobody/clew", options(endpoint))
    assert isinstance(absent, Bucket)
    with pytest.raises(StoreTrouble, match="s3://nobody/clew"):
        absent.put("0" * 32, [b"x"])


def nowhere() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"
