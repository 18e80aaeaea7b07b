"""Secrets are taken out before anything is stored, and hardly anything else is."""

from __future__ import annotations

import base64
import random
import sysconfig
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.content.secrets import RULES, Finder, Redactor, read_rules
from app.service import Service
from provmodel.errors import StoreTrouble
from tests.app.secrets_corpus import KINDS, texts

REDACTOR = Redactor(Finder(RULES))
TOKEN = KINDS["github-token"](random.Random(7))


def test_there_is_a_rule_for_each_kind_of_the_corpus() -> None:
    assert KINDS.keys() <= {rule.name for rule in RULES}
    assert len(RULES) >= 40


@pytest.mark.parametrize("part", [0, 1])
def test_at_least_ninety_five_of_a_hundred_secrets_are_found(part: int) -> None:
    told = texts(part)
    missed = [kind for kind, secret, text in told if _left(secret, REDACTOR.clean(text))]
    assert len(missed) <= len(told) * 0.05, missed if part == 0 else len(missed)


def _left(secret: str, clean: bytes) -> bool:
    """Whether half of a secret or more still stands there, as it is or in base64."""
    if b"[secret:" not in clean:
        return True
    middle = secret[len(secret) // 2 :].encode()
    return len(middle) > 12 and middle in clean


def test_of_a_thousand_texts_of_others_at_most_one_is_touched() -> None:
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    looked_at = touched = 0
    for path in sorted(stdlib.glob("*.py")) + sorted(stdlib.glob("[a-l]*/*.py")):
        raw = path.read_bytes() if "test" not in path.parts else b""
        for start in range(0, len(raw), 1000):
            text = raw[start : start + 1000]
            looked_at += 1
            touched += REDACTOR.clean(text) != text
    assert looked_at > 3000
    assert touched <= looked_at * 0.001


@given(st.binary(max_size=400))
def test_any_bytes_are_looked_at_without_harm(content: bytes) -> None:
    assert REDACTOR.clean(content) == content or b"[secret:" in REDACTOR.clean(content)


@given(st.integers(min_value=1, max_value=60), st.integers(min_value=0, max_value=9000))
def test_a_secret_is_found_in_a_stream_wherever_it_is_cut(size: int, before: int) -> None:
    whole = b"x " * (before // 2) + TOKEN.encode() + b" and more"
    chunks = [whole[start : start + size * 50] for start in range(0, len(whole), size * 50)]
    clean = b"".join(REDACTOR.stream(chunks))
    assert TOKEN.encode() not in clean
    assert clean == whole.replace(TOKEN.encode(), b"[secret:github-token]")


def call(**content: Any) -> dict[str, Any]:
    return {
        "type": "model_call",
        "id": "1",
        "source": "s",
        "time": "2026-03-01T09:00:00Z",
        "run": "r",
        "call": "c",
        "model": "m",
        "inputs": [{"ref": "message:1", "body": content}],
    }


@pytest.mark.parametrize(
    "content",
    [
        {"text": f"use {TOKEN} for it"},
        {"json": {"deep": [{"token": TOKEN}], TOKEN: 1}},
        {"base64": base64.b64encode(f"use {TOKEN} for it".encode()).decode()},
    ],
)
def test_what_is_stored_has_a_marker_in_its_place_and_says_that_it_is_partial(
    service: Service, content: dict[str, Any], tmp_path: Path
) -> None:
    [result] = service.record([msgspec.json.encode(call(**content))])
    assert result.status == "recorded"
    opened = service.bodies.open("message:1")
    assert TOKEN.encode() not in opened.content
    assert b"[secret:github-token]" in opened.content
    assert opened.state == "partial"
    answer = service.ask("inputs-of", {"target": ["c"]}).answer
    assert "partial" in {gap.kind for gap in answer.graph.gaps}
    [node] = service.details(["message:1"]).nodes
    assert "github-token" in [one.value for one in node.attributes if one.name == "clew:redacted"]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path


def test_labels_attributes_and_errors_lose_them_too(service: Service) -> None:
    version = {
        "type": "artifact_version",
        "id": "2",
        "source": "s",
        "time": "2026-03-01T09:00:00Z",
        "ref": "file:/a@version:1",
        "kind": "file",
        "label": f"with {TOKEN}",
        "attributes": {"note": [f"x {TOKEN}"]},
    }
    service.record([msgspec.json.encode(version)])
    [node] = service.details(["file:/a@version:1"]).nodes
    values = {one.name: one.value for one in node.attributes}
    assert values["prov:label"] == "with [secret:github-token]"
    assert values["attr:note"] == "x [secret:github-token]"


def test_the_same_event_is_a_duplicate_although_its_secret_was_taken_out(service: Service) -> None:
    told = msgspec.json.encode(call(text=f"use {TOKEN} for it"))
    assert [service.record([told])[0].status for _ in range(2)] == ["recorded", "duplicate"]


def test_rules_are_added_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('{"rules": [{"name": "house-key", "pattern": "HOUSE-[0-9]{6}"}]}')
    redactor = Redactor(Finder((*RULES, *read_rules(path))))
    assert redactor.clean(b"the HOUSE-123456 is") == b"the [secret:house-key] is"


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        '{"rules": [{"name": "x", "pattern": "("}]}',
        '{"rules": [{"name": "x y", "pattern": "z"}]}',
        "[]",
    ],
)
def test_rules_that_can_not_be_used_are_refused_with_a_reason(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rules.json"
    path.write_text(content)
    with pytest.raises(StoreTrouble, match="CLEW_SECRET_RULES"):
        read_rules(path)
