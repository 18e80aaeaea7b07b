"""`clew db rebuild` and `clew db fsck`: the graph is what the log makes of it, and what is not is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from app.content.keys import open_keys
from app.content.vault import Vault
from app.ledger import Ledger
from app.ledger.blobs import FAN
from app.service import Service
from provmodel.errors import StoreTrouble
from tests.scramble import Scramble, scrambled

SIZE = 60


@pytest.fixture
def ledger(store_url: str, tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with one scrambled set of events, in commits of three."""
    with Ledger.open(store_url) as ledger:
        vault = Vault(open_keys(tmp_path / "clew.keys", None))
        service = Service(ledger, vault, "default", "urn:x-clew:")
        items = [msgspec.json.encode(event) for event in scrambled(Scramble(1).build(SIZE), 1)]
        for start in range(0, len(items), 3):
            service.record(items[start : start + 3])
        yield ledger


def run(ledger: Ledger, statement: str, *parameters: object) -> None:
    with ledger.store.of("default").writing() as session:
        assert session.run(statement, parameters) > 0


def kinds(ledger: Ledger) -> set[str]:
    return {finding.kind for finding in ledger.fsck("default")}


def rows(ledger: Ledger) -> list[tuple[object, ...]]:
    return sorted(ledger.store.of("default").fetch("select * from assertion"), key=repr)


def test_a_whole_ledger_has_no_findings(ledger: Ledger) -> None:
    assert ledger.fsck("default") == []


def test_a_rebuild_gives_every_row_the_since_and_until_that_it_had(ledger: Ledger) -> None:
    before = rows(ledger)
    assert any(row[-5] is not None for row in before), "some joined rows were retired"
    ledger.rebuild("default")
    assert rows(ledger) == before
    assert ledger.fsck("default") == []


def test_a_flipped_byte_in_the_log_is_found_and_stops_a_rebuild(ledger: Ledger) -> None:
    log = bytearray(ledger.store.of("default").fetch("select log from event where seq = 9")[0][0])
    log[len(log) // 2] ^= 1
    run(ledger, "update event set log = ? where seq = 9", bytes(log))
    assert ("log", "event 9") in {(finding.kind, finding.where) for finding in ledger.fsck("default")}
    with pytest.raises(StoreTrouble, match="event 9"):
        ledger.rebuild("default")


def test_a_missing_edge_is_found_and_a_rebuild_brings_it_back(ledger: Ledger) -> None:
    run(ledger, "delete from assertion where assertion = 20")
    [edge] = [finding for finding in ledger.fsck("default") if finding.kind == "edge"]
    assert "is missing" in edge.what
    ledger.rebuild("default")
    assert ledger.fsck("default") == []


def test_an_extra_edge_is_found(ledger: Ledger) -> None:
    columns = "tenant, source, code, target, relation, role, evidence, stance, asserter, method, event, since"
    run(
        ledger,
        f"insert into assertion ({columns}, assertion, time, attributes)"
        f" select {columns}, 99999, time, attributes from assertion where assertion = 20",
    )
    [edge] = [finding for finding in ledger.fsck("default") if finding.kind == "edge"]
    assert "no event makes it" in edge.what


def test_a_changed_edge_is_found(ledger: Ledger) -> None:
    run(ledger, "update assertion set evidence = 5 - evidence where assertion = 20")
    [edge] = [finding for finding in ledger.fsck("default") if finding.kind == "edge"]
    assert "evidence" in edge.what


def test_a_wrong_blob_is_found(ledger: Ledger) -> None:
    data = bytearray(ledger.store.of("default").fetch("select data from blob order by first_seq")[0][0])
    data[-1] ^= 1
    run(ledger, "update blob set data = ? where first_seq = (select min(first_seq) from blob)", bytes(data))
    assert kinds(ledger) == {"blob"}


def test_small_blobs_become_few_and_say_the_same(ledger: Ledger) -> None:
    before = ledger.store.of("default").fetch("select sum(edges), count(*) from blob")[0]
    assert ledger.compact("default") == FAN * (before[1] // FAN)
    after = ledger.store.of("default").fetch("select sum(edges), count(*) from blob")[0]
    assert (after[0], after[1]) == (before[0], before[1] - (FAN - 1) * (before[1] // FAN))
    assert ledger.fsck("default") == []


def test_a_missing_event_a_missing_node_and_a_missing_attribute_are_found(ledger: Ledger) -> None:
    run(ledger, "delete from attribute where event = 5")
    run(ledger, "delete from node where node = 12")
    run(ledger, "delete from event where seq = 7")
    assert {"attribute", "node", "seq"} <= kinds(ledger)
