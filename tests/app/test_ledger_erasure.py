"""What a reported deletion does to the body, and what comes back when its event is delivered again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.bodies import Bodies, Gone
from app.content.keys import open_keys
from app.content.vault import Vault
from app.ledger import Ledger
from app.service import Service

CANARY = "the canary sings at noon, 4711"
CALL: dict[str, Any] = {
    "type": "model_call",
    "id": "1",
    "source": "s",
    "time": "2026-03-01T09:00:00Z",
    "run": "r",
    "call": "c",
    "model": "m",
    "inputs": [{"ref": "message:r/1", "body": {"id": "body:1", "text": CANARY}}],
}
DELETION: dict[str, Any] = {
    "type": "content_deleted",
    "id": "2",
    "source": "s",
    "time": "2026-03-02T09:00:00Z",
    "body": "body:1",
    "policy": "policy:thirty-days",
    "reason_class": "expired",
    "requested": "2026-03-02T08:00:00Z",
    "done": "2026-03-02T09:00:00Z",
}


@pytest.fixture
def service(store_url: str, tmp_path: Path) -> Iterator[Service]:
    ledger = Ledger.open(store_url)
    service = Service(ledger, Vault(open_keys(tmp_path / "clew.keys", None)), "default", "urn:x-clew:")
    yield service
    service.close()


def record(service: Service, *events: dict[str, Any]) -> list[str]:
    return [result.status for result in service.record([msgspec.json.encode(event) for event in events])]


def bodies(service: Service) -> Bodies:
    return Bodies(service.ledger, service.vault, "default")


def test_a_reported_deletion_takes_the_key_and_the_bytes_and_leaves_a_tombstone(service: Service) -> None:
    record(service, CALL)
    assert bodies(service).open("message:r/1").content == CANARY.encode()
    record(service, DELETION)
    with pytest.raises(Gone) as gone:
        bodies(service).open("message:r/1")
    [tombstone] = gone.value.tombstones
    assert (tombstone.policy, tombstone.reason_class) == ("policy:thirty-days", "expired")
    assert service.ledger.keys.store.of(1).fetch("select count(*) from body_key") == [(0,)]
    assert service.ledger.store.of("default").fetch("select content, state from body") == [(None, "deleted")]
    assert service.ledger.store.of("default").fetch("select count(*) from content") == [(0,)]


def test_a_delivery_again_is_a_duplicate_and_brings_nothing_back(service: Service) -> None:
    record(service, CALL, DELETION)
    assert record(service, CALL) == ["duplicate"]
    with pytest.raises(Gone):
        bodies(service).open("body:1")


@pytest.mark.parametrize("together", [True, False])
def test_a_body_that_comes_after_its_deletion_is_not_stored(service: Service, together: bool) -> None:
    if together:
        record(service, DELETION, CALL)
    else:
        record(service, DELETION)
        record(service, CALL)
    with pytest.raises(Gone):
        bodies(service).open("body:1")


def test_a_deletion_that_is_only_requested_deletes_nothing(service: Service) -> None:
    record(service, CALL, {name: value for name, value in DELETION.items() if name != "done"})
    assert bodies(service).open("body:1").content == CANARY.encode()


def test_the_graph_is_the_same_after_a_rebuild(service: Service) -> None:
    record(service, CALL, DELETION)
    before = b"".join(service.export("prov-json", "all")[1])
    service.ledger.rebuild("default")
    assert b"".join(service.export("prov-json", "all")[1]) == before
    assert service.ledger.fsck("default") == []
