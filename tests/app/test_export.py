"""What an export holds: a tenant, a run with what was joined for it, or an answer; as of one moment."""

import json
from pathlib import Path
from typing import Any

import pytest

from app import export
from app.service import Service
from tests.app.faces import event, service_at

STATE = "file:/notes@sha256:" + "ab" * 32
WRITE = event(
    1,
    "tool_call",
    run="run:1",
    attempt="attempt:write",
    tool="tool:editor",
    outcome="completed",
    time="2026-03-01T09:00:01Z",
    ended="2026-03-01T09:00:01Z",
    writes=[{"ref": STATE, "mode": "create"}],
)
READ = event(
    2,
    "tool_call",
    run="run:2",
    attempt="attempt:read",
    tool="tool:reader",
    outcome="completed",
    time="2026-03-01T09:00:06Z",
    started="2026-03-01T09:00:05Z",
    reads=[{"ref": STATE}],
)


def record(service: Service, *events: dict[str, Any]) -> None:
    results = service.record([json.dumps(one).encode() for one in events])
    assert {result.status for result in results} == {"recorded"}


def document(service: Service, **more: Any) -> Any:
    return json.loads(b"".join(service.export("prov-json", "all", **more)[1]))


@pytest.fixture
def two_runs(store_url: str, tmp_path: Path) -> Any:
    with service_at(store_url, tmp_path, writing=False) as service:
        record(service, WRITE, READ)
        yield service


def test_a_run_is_exported_with_what_was_joined_for_it(two_runs: Service) -> None:
    reader, writer = document(two_runs, run="run:2"), document(two_runs, run="run:1")
    occurrence = f"{STATE};by=attempt:write"
    assert any(one["prov:entity"].endswith(occurrence) for one in reader["used"].values())
    assert "attempt:read" in json.dumps(reader)
    assert "attempt:read" not in json.dumps(writer)


def test_an_answer_is_exported_with_whole_relations_and_their_asserters(two_runs: Service) -> None:
    exported = document(two_runs, question="inputs-of", given={"target": ["attempt:read"]})
    assert "t:source:harness" in exported["agent"]
    assert "t:attempt:write" in exported["activity"]
    assert len(exported["wasGeneratedBy"]) == 1
    whole = document(two_runs)
    for section in ("used", "wasGeneratedBy"):
        for key, one in exported[section].items():
            assert one == whole[section][key]


def test_an_export_stands_at_the_moment_at_which_it_began(two_runs: Service) -> None:
    before = b"".join(two_runs.export("turtle", "all")[1])
    chunks = two_runs.export("turtle", "all")[1]
    begun = next(chunks)
    record(two_runs, event(3), event(4, "run_started", run="run:2", agent="agent:late"))
    assert begun + b"".join(chunks) == before


def test_small_pieces_and_little_memory_change_nothing(
    two_runs: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(
        two_runs, *[event(n, inputs=[{"ref": f"doc:{m}@version:1"} for m in range(n)]) for n in range(3, 9)]
    )
    before = b"".join(two_runs.export("turtle", "all")[1])
    monkeypatch.setattr(export, "PIECE", 3)
    monkeypatch.setattr(export, "FETCHED", 2)
    monkeypatch.setattr(export, "REMEMBERED", 2)
    assert b"".join(two_runs.export("turtle", "all")[1]) == before


def test_an_empty_ledger_has_an_empty_export(service: Service) -> None:
    assert "activity" not in document(service)
