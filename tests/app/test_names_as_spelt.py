"""What readers spell otherwise than it is kept: digests, escapes, and letters that are put together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import pytest

from app.service import Service
from provmodel import names
from provmodel.errors import NotFound
from tests.app.faces import client_of, service_at

DIGEST = "a" * 64
NAMED = f"sheet:fees@sha256:{DIGEST}"
KOREAN, CHINESE = "document:한국어문서", "document:数据分析报告"
KEPT = (KOREAN, CHINESE, "doc:a b", 'doc:"quoted"', "doc:100%-sure")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("spelt")
    events: list[dict[str, Any]] = [
        {"type": "derived", "to": NAMED, "from": [{"ref": "doc:x@version:1"}], "method": "m"},
        *({"type": "artifact_version", "ref": f"{ref}@version:1", "kind": "document"} for ref in KEPT),
    ]
    named = {"source": "q", "time": "2026-03-01T09:00:00Z"}
    with service_at(f"sqlite:///{folder / 'clew.db'}", folder) as service:
        results = service.record(
            [json.dumps({"id": str(n), **named, **e}).encode() for n, e in enumerate(events)]
        )
        assert {result.status for result in results} == {"recorded"}
        yield service


def test_a_private_thing_is_asked_for_by_its_digest_and_it_is_said_how_it_is_kept(
    service: Service,
) -> None:
    asked = service.ask("inputs-of", {"target": [NAMED]})
    [target] = asked.answer.graph.targets
    assert target.asked == NAMED
    assert target.ref.startswith("sheet:fees@tag:")
    assert any(said.startswith(f"{NAMED} is kept as {target.ref}") for said in asked.sentences)


def test_a_search_by_digest_finds_the_private_thing_too(service: Service) -> None:
    [target] = service.ask("inputs-of", {"target": [NAMED]}).answer.graph.targets
    for given in ({"q": NAMED}, {"prefix": NAMED}):
        assert [hit.ref for hit in service.search(given).nodes] == [target.ref]


@pytest.mark.parametrize("prefix", ["doc:a b", "doc:a ", "doc:a%2", 'doc:"q', "doc:100%", "doc:100%2"])
def test_the_beginning_of_a_name_is_found_as_it_was_given(service: Service, prefix: str) -> None:
    [hit] = service.search({"prefix": prefix, "kind": ["clew:Artifact"], "q": "version"}).nodes
    listed = client_of(service).get("/v1/nodes", params={"prefix": prefix}).json()["nodes"]
    assert hit.ref in [node["ref"] for node in listed]


@pytest.mark.parametrize("name", [KOREAN, CHINESE])
def test_a_name_in_another_spelling_is_answered_with_the_one_kept(service: Service, name: str) -> None:
    for spelt in {normalize("NFD", name), quote(name, safe=":")} - {name}:
        with pytest.raises(NotFound) as error:
            service.ask("inputs-of", {"target": [spelt]})
        assert f"{name}@version:1" in error.value.near


def test_an_escape_that_a_beginning_breaks_off_is_left_as_it_is() -> None:
    given = ["", "doc:a b%2", "doc:%", "<urn:x y"]
    assert [names.encoded_prefix(one) for one in given] == ["", "doc:a%20b%2", "doc:%", "<urn:x y"]
