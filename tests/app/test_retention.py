"""Retention: what goes when, what a hold keeps, and what stays of what went."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.bodies import Gone, NotCaptured
from app.content import Vault, open_keys
from app.keeping.previewing import Unproved, preview
from app.keeping.words import read_policy
from app.ledger import Ledger
from app.retention import Request
from app.service import Service
from provmodel.errors import BadQuestion, NotFound, Refused
from queries import shelf

LATER = 4_000_000_000_000_000  # microseconds since 1970: the year 2096


@pytest.fixture
def service(store_url: str, tmp_path: Path) -> Iterator[Service]:
    ledger = Ledger.open(store_url)
    service = Service(ledger, Vault(open_keys(tmp_path / "clew.keys", None)), "default", "urn:x-clew:")
    yield service
    service.close()


def call(number: int, run: str = "r", **bodies: str) -> dict[str, Any]:
    inputs = [{"ref": f"message:{n}", "body": {"id": f"body:{n}", "text": t}} for n, t in bodies.items()]
    return {
        "type": "model_call",
        "id": f"call-{number}",
        "source": "s",
        "time": "2026-03-01T09:00:00Z",
        "run": run,
        "call": f"c{number}",
        "model": "m",
        "inputs": inputs,
    }


def record(service: Service, *events: dict[str, Any]) -> list[str]:
    return [result.status for result in service.record([msgspec.json.encode(event) for event in events])]


def put(service: Service, what: str, keep: str, name: str = "policy:p") -> None:
    service.retention.put(read_policy(name, what, keep, "person:o"))


def states(service: Service, *names: str) -> list[str]:
    found: list[str] = []
    for name in names:
        try:
            found.append(service.bodies.open(f"body:{name}").state)
        except Gone as gone:
            found.append(gone.tombstones[0].state)
    return found


def test_what_is_due_goes_and_the_rest_stays(service: Service) -> None:
    record(service, call(1, a="first", b="second"), call(2, run="kept", c="third"))
    put(service, "class=message", "30d")
    put(service, "run=kept", "always", "policy:case")
    assert service.retention.sweep().deleted == {}
    swept = service.retention.sweep(now=LATER)
    assert swept.deleted == {"policy:p": 2}
    assert states(service, "a", "b", "c") == ["done", "done", "present"]
    with pytest.raises(Gone) as gone:
        service.bodies.open("message:a")
    [tombstone] = gone.value.tombstones
    assert (tombstone.policy, tombstone.actor, tombstone.reason_class) == (
        "policy:p",
        "agent:clew",
        "expired",
    )
    assert tombstone.places == ("database", "key store")
    assert tombstone.provable
    assert tombstone.lost


@pytest.mark.parametrize("target", ["body:a", "r", "message:a"])
def test_a_hold_beats_expiry_and_requests_until_it_is_lifted(service: Service, target: str) -> None:
    record(service, call(1, a="first"), call(2, run="other", b="second"))
    put(service, "all", "1d")
    service.retention.place_hold("case-7", target, "case 7", "person:counsel")
    with pytest.raises(Refused, match="case-7"):
        service.retention.forget(["body:a"], Request(actor="person:o", reason_class="mistake"))
    swept = service.retention.sweep(now=LATER)
    assert (swept.deleted, swept.held) == ({"policy:p": 1}, 1)
    assert states(service, "a", "b") == ["present", "done"]
    service.retention.lift_hold("case-7", "person:counsel")
    assert service.retention.sweep(now=LATER).deleted == {"policy:p": 1}
    assert states(service, "a") == ["done"]


def test_a_reported_deletion_of_what_is_held_is_only_asked_for(service: Service) -> None:
    record(service, call(1, a="first"))
    service.retention.place_hold("case-7", "body:a", "case 7", "person:counsel")
    deletion = {
        "type": "content_deleted",
        "id": "d",
        "source": "s",
        "time": "2026-03-02T09:00:00Z",
        "body": "body:a",
        "done": "2026-03-02T09:00:00Z",
    }
    record(service, deletion)
    assert service.bodies.open("body:a").content == b"first"
    service.retention.lift_hold("case-7", "person:counsel")
    assert service.retention.sweep().finished == 1
    assert states(service, "a") == ["done"]


def told(service: Service, name: str, target: str, **more: str) -> str:
    """The sentences of a question."""
    question = shelf.question(name)
    graph = service.ledger.graph("default")
    return "\n".join(question.sentences(question.answer(graph, question.read({"target": target, **more}))))


def test_what_is_held_is_never_said_to_be_gone_though_a_source_says_so(service: Service) -> None:
    said = {"outputs": [{"ref": "message:answer"}]}
    record(service, call(1, a="first") | said)
    service.retention.place_hold("case-7", "body:a", "case 7", "person:counsel")
    deletion = {
        "type": "content_deleted",
        "id": "d",
        "source": "another",
        "time": "2026-03-02T09:00:00Z",
        "body": "body:a",
        "done": "2026-03-02T09:00:00Z",
        "actor": "person:x",
    }
    record(service, deletion)
    expired = told(service, "expired-inputs", "message:answer")
    assert "message:a is said to be deleted on 2026-03-02T09:00:00Z by person:x; it is still here." in expired
    assert "Of 1 input of message:answer the log has content of 1." in expired
    for answer in (
        expired,
        told(service, "inputs-of", "message:answer"),
        told(service, "replay-kit", "r"),
    ):
        assert "deleted (" not in answer
        assert "No longer" not in answer
    assert "What came from outside: it is at hand." in told(service, "replay-kit", "r")
    service.retention.lift_hold("case-7", "person:counsel")
    service.retention.sweep()
    assert "message:a was deleted on" in told(service, "expired-inputs", "message:answer")


def test_content_that_came_again_after_its_deletion_can_be_read(service: Service) -> None:
    said = {"outputs": [{"ref": "message:answer"}]}
    record(service, call(1, a="first") | said)
    service.retention.forget(["body:a"], Request(actor="person:o", reason_class="mistake"))
    again = {
        "type": "content_captured",
        "id": "again",
        "source": "s",
        "time": "2026-03-03T09:00:00Z",
        "content": {"ref": "message:a", "body": {"id": "body:again", "text": "first"}},
    }
    record(service, again)
    expired = told(service, "expired-inputs", "message:answer")
    assert "Of 1 input of message:answer the log has content of 1." in expired
    assert "can't be read now" not in expired
    assert "(message:a: mistake; another body of it is there)" in expired
    assert "(message:a: mistake; another body of it is there)" in told(service, "inputs-of", "message:answer")
    before = told(
        service, "expired-inputs", "message:answer", as_of=str(service.ledger.graph("default").head() - 1)
    )
    assert "Brought again since then, so that it can be read now: message:a." in before


def test_nothing_that_was_deleted_comes_back(service: Service) -> None:
    record(service, call(1, a="first"))
    put(service, "all", "1s")
    service.retention.sweep(now=LATER)
    assert record(service, call(1, a="first")) == ["duplicate"]
    assert record(service, call(9, a="first")) == ["recorded"]
    assert states(service, "a") == ["done"]


def test_what_is_kept_never_is_not_stored_at_all(service: Service) -> None:
    put(service, "class=message", "never")
    record(service, call(1, a="first"))
    with pytest.raises(NotCaptured):
        service.bodies.open("message:a")
    assert service.ledger.store.of("default").fetch("select count(*) from content") == [(0,)]
    [node] = service.details(["message:a"]).nodes
    assert ("clew:bodyState", "never_captured") in [(a.name, a.value) for a in node.attributes]


def test_a_request_says_why_in_a_body_of_its_own(service: Service) -> None:
    record(service, call(1, a="first"))
    request = Request(actor="person:o", reason_class="subject_request", reason="Maria asked for it")
    [deleted] = service.forget("message:a", request)
    assert (deleted.state, deleted.places) == ("done", ("database", "key store"))
    with pytest.raises(Gone) as gone:
        service.forget("message:a", request)
    [tombstone] = gone.value.tombstones
    assert service.bodies.open(tombstone.reason).content == b"Maria asked for it"
    events = [bytes(row[0]) for row in service.ledger.store.of("default").fetch("select log from event")]
    assert not any(b"Maria" in log for log in events)


def test_only_a_known_reason_and_a_known_thing_are_taken(service: Service) -> None:
    record(service, call(1, a="first"))
    with pytest.raises(Refused, match="give one of"):
        service.forget("message:a", Request(actor="person:o", reason_class="because"))
    with pytest.raises(NotFound):
        service.forget("message:nobody", Request(actor="person:o", reason_class="other"))


@pytest.mark.parametrize(("what", "keep"), [("colour=red", "1d"), ("all", "soon"), ("all", "until=tomorrow")])
def test_a_policy_that_says_nothing_is_refused(what: str, keep: str) -> None:
    with pytest.raises(BadQuestion):
        read_policy("policy:p", what, keep, "person:o")


def test_the_preview_names_what_could_no_longer_be_checked_and_changes_nothing(service: Service) -> None:
    attempt = {
        "type": "tool_call",
        "id": "t",
        "source": "s",
        "time": "2026-03-01T09:00:00Z",
        "run": "r",
        "attempt": "att",
        "tool": "files",
        "outcome": "completed",
        "reads": [{"ref": "message:a"}],
        "writes": [{"ref": "report:x@version:1", "mode": "create"}],
    }
    record(service, call(1, a="first"), attempt)
    put(service, "all", "0s")
    found = preview(service)
    assert [(due.policy, due.cls, due.bodies, due.bytes) for due in found.due] == [
        ("policy:p", "message", 1, 5)
    ]
    assert found.inputs == ["message:a"]
    assert found.reports == [Unproved("report:x@version:1", "report", "message:a")]
    assert states(service, "a") == ["present"]


def test_a_body_says_when_it_may_go_and_why_it_is_held(service: Service) -> None:
    record(service, call(1, a="first"))
    put(service, "all", "30d")
    service.retention.place_hold("case-7", "body:a", "case 7", "person:counsel")
    graph = service.ledger.graph("default")
    [state] = graph.bodies(list(graph.ids(["message:a"], graph.head()).values()))[
        graph.ids(["message:a"], graph.head())["message:a"]
    ]
    assert state.expires > "2026-03-01"
    assert state.hold == "case 7"


def test_rebuilding_after_an_erasure_makes_the_same_graph(service: Service) -> None:
    version = {
        "type": "artifact_version",
        "id": "v",
        "source": "s",
        "time": "2026-03-01T09:00:00Z",
        "ref": "document:d@version:1",
        "kind": "document",
        "label": "Letter of Maria Example",
    }
    record(service, call(1, a="first"), version)
    service.retention.person(
        "document:d@version:1", Request(actor="person:o", reason_class="subject_request")
    )
    put(service, "all", "0s")
    service.retention.sweep()
    before = b"".join(service.export("prov-json", "all")[1])
    assert b"Maria" not in before
    assert b"clew:erased" in before
    assert b"wasInvalidatedBy" in before
    service.ledger.rebuild("default")
    assert b"".join(service.export("prov-json", "all")[1]) == before
    assert service.ledger.fsck("default") == []


def test_a_sweep_that_was_cut_off_is_brought_to_its_end(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(service, call(1, a="first", b="second"))
    put(service, "all", "0s")

    def cut_off(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(service.ledger.keys, "destroy", cut_off)
        with pytest.raises(KeyboardInterrupt):
            service.retention.sweep()
    assert states(service, "a", "b") == ["requested", "requested"]
    assert service.retention.sweep().finished == 2
    assert states(service, "a", "b") == ["done", "done"]
    assert service.ledger.keys.store.of(1).fetch("select count(*) from body_key") == [(0,)]


def test_nothing_of_a_deleted_body_is_in_any_file(service: Service, tmp_path: Path) -> None:
    canary = "canary-" + os.urandom(8).hex()
    record(service, call(1, a=canary))
    keys = service.ledger.keys.store.of(1).fetch("select wrapped from body_key")
    assert len(keys) == 2, "the body's own, and the secret of tags"
    sealed = service.ledger.store.of("default").fetch("select data from content")[0][0]
    put(service, "all", "0s")
    service.retention.sweep()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            held = path.read_bytes()
            assert canary.encode() not in held, path
            assert not any(bytes(wrapped) in held for (wrapped,) in keys), path
            assert bytes(sealed) not in held, path
