"""The verbs themselves: what record makes of items, and how the writer groups them into commits."""

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from app.ledger import Outcome, Prepared
from app.service import Overloaded, Service
from app.service.writer import Direct, Writer
from provmodel.decoding import decode_event
from provmodel.errors import StoreBusy
from provmodel.events import ModelCall
from provmodel.evidence import LOCAL, Evidence, Principal
from tests.app.faces import event
from tests.ledgers import prepared
from tests.patience import HANGING

AGENT = Principal(name="bot", kinds=frozenset({"agent"}), sources=frozenset({"harness"}), vouches=False)


def raw(number: int, **fields: Any) -> bytes:
    return json.dumps(event(number, **fields)).encode()


def ready(number: int) -> Prepared:
    return prepared(decode_event(raw(number)))


class Held:
    """A ledger whose commits wait until they are let go, and that knows which there were."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.begun = threading.Event()
        self.commits: list[tuple[str, list[str]]] = []
        self.fails: dict[str, Exception] = {}

    def append(self, tenant: str, items: Sequence[Prepared]) -> list[Outcome]:
        self.begun.set()
        assert self.go_on.wait(HANGING)
        names = [item.event.id for item in items]
        self.commits.append((tenant, names))
        for name in names:
            if name in self.fails:
                raise self.fails[name]
        return [Outcome("recorded", n, n) for n, _ in enumerate(items, 1)]


@pytest.fixture
def held() -> Held:
    return Held()


# --- the writer ---


def test_what_comes_during_a_commit_goes_into_the_next_one_together(held: Held) -> None:
    writer = Writer(held.append)
    first = writer.submit("a", [ready(0)])
    assert held.begun.wait(HANGING)
    waiting = [writer.submit("a", [ready(n), ready(n + 10)]) for n in range(1, 4)]
    assert writer.waiting == 6
    held.go_on.set()
    assert len(first.result(10)) == 1
    assert [len(one.result(10)) for one in waiting] == [2, 2, 2]
    writer.close()
    assert held.commits == [("a", ["e0"]), ("a", ["e1", "e11", "e2", "e12", "e3", "e13"])]
    assert (writer.counts.commits, writer.counts.events) == (2, 7)


def test_a_commit_is_of_one_tenant_and_of_bounded_size(held: Held) -> None:
    writer = Writer(held.append, most=3)
    writer.submit("a", [ready(0)])
    assert held.begun.wait(HANGING)
    for tenant, number in (("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 5), ("a", 6)):
        writer.submit(tenant, [ready(number)])
    held.go_on.set()
    writer.close()
    assert [names for _, names in held.commits] == [["e0"], ["e1", "e2", "e3"], ["e4"], ["e5"], ["e6"]]


def test_a_request_that_fails_does_not_spoil_those_beside_it(held: Held) -> None:
    held.fails["e2"] = ValueError("a defect")
    writer = Writer(held.append)
    writer.submit("a", [ready(0)])
    assert held.begun.wait(HANGING)
    waiting = [writer.submit("a", [ready(n)]) for n in (1, 2, 3)]
    held.go_on.set()
    assert waiting[0].result(10)
    with pytest.raises(ValueError, match="a defect"):
        waiting[1].result(10)
    assert waiting[2].result(10)
    writer.close()


def test_a_store_in_trouble_is_not_tried_again_for_each_request(held: Held) -> None:
    held.fails["e1"] = StoreBusy("locked")
    writer = Writer(held.append)
    writer.submit("a", [ready(0)])
    assert held.begun.wait(HANGING)
    waiting = [writer.submit("a", [ready(n)]) for n in (1, 2)]
    held.go_on.set()
    for one in waiting:
        with pytest.raises(StoreBusy):
            one.result(10)
    writer.close()
    assert len(held.commits) == 2


def test_too_much_is_turned_away_and_a_closed_writer_takes_nothing(held: Held) -> None:
    writer = Writer(held.append, room=2)
    writer.submit("a", [ready(0)])
    assert held.begun.wait(HANGING)
    writer.submit("a", [ready(1), ready(2)])
    with pytest.raises(Overloaded) as caught:
        writer.submit("a", [ready(3)])
    assert caught.value.seconds > 0
    assert writer.counts.turned_away == 1
    assert writer.submit("a", []).result(10) == []
    held.go_on.set()
    writer.close()
    assert sum(len(names) for _, names in held.commits) == 3
    with pytest.raises(Overloaded):
        writer.submit("a", [ready(4)])


def test_a_process_with_nobody_else_to_serve_writes_at_once(service: Service) -> None:
    direct = Direct(service.ledger.append)
    assert [outcome.seq for outcome in direct.submit("default", [ready(1)]).result(0)] == [1]
    assert direct.submit("default", []).result(0) == []


# --- record ---


def test_results_are_in_the_order_of_the_items_over_several_commits(service: Service) -> None:
    items = [raw(n) if n % 3 else b"{}" for n in range(1300)]
    results = service.record(items)
    assert [result.item for result in results] == list(range(1300))
    assert [result.status for result in results] == ["recorded" if n % 3 else "refused" for n in range(1300)]
    seqs = [result.seq for result in results if result.seq]
    assert seqs == list(range(1, len(seqs) + 1))


def test_an_event_may_be_given_decoded(service: Service) -> None:
    call = ModelCall(id="e1", source="harness", time="2026-03-01T09:00:00Z", call="c", model="m")
    bad = ModelCall(id="e2", source="harness", time="2026-02-30T09:00:00Z", call="c", model="m")
    results = service.record([call, bad])
    assert [(result.status, result.id) for result in results] == [("recorded", "e1"), ("refused", "e2")]
    assert results[1].error
    assert results[1].error.field == "/time"


def test_a_credential_speaks_for_its_own_sources_and_within_its_bound(service: Service) -> None:
    other, bare, lowered = service.record(
        [raw(1, source="gateway"), raw(2), raw(3, evidence="declared")], AGENT
    )
    assert other.error
    assert other.error.field == "/source"
    assert "harness" in other.error.remedy
    assert bare.error
    assert bare.error.field == "/evidence"
    assert "declared" in bare.error.remedy
    assert lowered.status == "recorded"


def test_a_capped_credential_records_no_more_than_its_cap(service: Service) -> None:
    capped = Principal("import", LOCAL.kinds, None, vouches=False, cap=Evidence.INFERRED)
    service.record([raw(1)], capped)
    asked = service.ask("inputs-of", {"target": ["message:1/1/out"]})
    assert {edge.evidence for edge in asked.answer.graph.edges} == {"inferred"}


def test_a_plain_digest_of_private_content_finds_its_node(service: Service) -> None:
    ref = "message:private@sha256:" + "ab" * 32
    service.record([raw(1, inputs=[{"ref": ref}])])
    [target] = service.ask("impact-of", {"target": ref}).answer.graph.targets
    assert target.ref.startswith("message:private@tag:")
    assert service.details([ref]).nodes[0].ref == target.ref
