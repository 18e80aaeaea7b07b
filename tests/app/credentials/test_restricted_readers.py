"""Readers who may not see everything: on every address, in every format, nothing of what is hidden."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.credentials.keys import Grant, Keys
from app.credentials.scopes import SCOPES
from app.demo.loading import STORY
from app.faces.http import create_app
from app.faces.http.openapi import declared
from app.ledger.store import Store
from app.service import Service
from provmodel import formats
from queries import shelf
from tests.app.faces import event, service_at

DIGEST = "65c8b57a12f58c02c829a85fc42b79adfd1462f28163d3523a74d9b101cbb9e5"
BODY = "A reminder sent by mistake"
CANARIES = re.compile(rf"zebra|{DIGEST[:16]}|{BODY}", re.IGNORECASE)
HIDDEN = (
    f"document:zebra-2025@sha256:{DIGEST}",
    "document:zebra-2025",
    "zebra-2025",
    "ledger:zebra-4711@version:18",
    "ledger:zebra-4711",
)
SEEN = (
    "report:late-fees-february",
    "message:late-fees/report-text",
    "call:write",
    "result:search-1",
    "document:memo-reminders",
    "action:refund-4711",
    "attempt:refund-4711-2",
    "check:account-4711",
    "decision:refund-4711",
)
MORE: tuple[dict[str, Any], ...] = (
    {},
    {"view": "ids"},
    {"fold": "run"},
    {"evidence": "observed"},
    {"depth": "1"},
)
NAMELESS = ("/v1/runs", "/v1/sources", "/v1/events", "/v1/questions", "/v1/documents", "/v1/cases")
EXPORTED: tuple[dict[str, Any], ...] = (
    {},
    {"run": "run:late-fees"},
    {"question": "inputs-of", "target": "report:late-fees-february"},
    {"question": "impact-of", "target": "document:memo-reminders"},
    {"question": "who-authorized", "target": "attempt:refund-4711-2"},
)
DOCUMENT = {
    "prefix": {"ex": "http://example.org/", "d": "urn:x-clew:default:document:"},
    "entity": {"ex:summary": {}, f"d:zebra-2025@sha256:{DIGEST}": {"ex:note": "zebra"}},
    "wasDerivedFrom": {
        "_:d": {"prov:generatedEntity": "ex:summary", "prov:usedEntity": f"d:zebra-2025@sha256:{DIGEST}"}
    },
}


def story() -> list[dict[str, Any]]:
    """The story that ships, with a document and an account that only some may see."""
    text = (
        STORY.read_text()
        .replace("tariff-2025", "zebra-2025")
        .replace("ledger:account-4711", "ledger:zebra-4711")
    )
    events: list[dict[str, Any]] = json.loads(text)
    for one in events:
        if one.get("ref") == HIDDEN[0]:
            one |= {"label": "The zebra label", "attributes": {"access": "secret", "owner": "zebra"}}
        if one["type"] == "retracted":
            one["reason"] = "It ended."
    account = {"ref": "ledger:zebra-4711@version:17", "kind": "ledger", "class": "accounts"}
    return [*events, event(1, "artifact_version", **account)]


KEPT: tuple[tuple[str, dict[str, str]], ...] = (
    ("holds", {"hold": "case-9", "target": "ledger:zebra-4711", "reason": "the zebra affair"}),
    ("policies", {"policy": "policy:documents", "bodies": "kind=document", "keep": "0s"}),
)
"""What a keeper of content did: a hold on what is hidden, and a policy that lets it go."""


class House:
    """A server with what is hidden, and who may see it."""

    def __init__(self, app: FastAPI, service: Service) -> None:
        self.app = app
        self.service = service
        self.client = TestClient(app, raise_server_exceptions=False)
        keys = Keys(service.ledger)
        self.full = self._key(keys, "finance")
        self.some = self._key(keys, "accounting")

    def _key(self, keys: Keys, *groups: str) -> dict[str, str]:
        grant = Grant(name="somebody", scopes=frozenset(SCOPES), groups=frozenset(groups))
        return {"Authorization": f"Bearer {keys.create('default', grant)[0]}"}

    def get(self, path: str, params: Mapping[str, Any] = {}, headers: dict[str, str] | None = None) -> Any:
        return self.client.get(path, params=params, headers=headers or self.some)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("restricted")
    with service_at(f"sqlite:///{folder / 'clew.db'}", folder) as service:
        yield furnished(service)


def furnished(service: Service) -> House:
    results = service.record([json.dumps(one).encode() for one in story()])
    assert {result.status for result in results} == {"recorded"}, results
    made = House(create_app(service), service)
    for label in ("secret", "accounts"):
        params = {"label": label}
        answer = made.client.put(
            "/v1/restrictions", params=params, json={"groups": ["finance"]}, headers=made.full
        )
        assert answer.status_code == 200, answer.text
    sent = made.client.post(
        "/v1/documents",
        json=DOCUMENT,
        headers=made.full | {"Content-Type": "application/provenance+json"},
    )
    assert sent.status_code < 300, sent.text
    for target in (HIDDEN[0], "call:write"):
        opened = made.client.post("/v1/cases", json={"target": [target]}, headers=made.full)
        assert opened.status_code == 200, opened.text
    for hold, target in (("h1", HIDDEN[0]), ("h2", "document:zebra-2025")):
        form = {"hold": hold, "target": target, "reason": "asked for"}
        held = made.client.post("/v1/retention/holds", json=form, headers=made.full)
        assert held.status_code == 200, held.text
    for path, form in KEPT:
        answer = made.client.post(f"/v1/retention/{path}", json=form, headers=made.full)
        assert answer.status_code == 200, answer.text
    kept = made.client.post(
        "/prov/pingback", params={"target": HIDDEN[0]}, content="https://example.org/1\r\n",
        headers=made.full | {"Content-Type": "text/uri-list"},
    )  # fmt: skip
    assert kept.status_code == 204, kept.text
    return made


def leak(answer: Any, asked: object) -> list[object]:
    """What of what is hidden is in an answer, whatever its form; a defect of the server counts, too."""
    content = answer.content
    text = content.decode("utf-8", "replace") + repr(dict(answer.headers))
    if content[:2] == b"PK":
        packed = zipfile.ZipFile(io.BytesIO(content))
        text = "".join(packed.read(name).decode("utf-8", "replace") + name for name in packed.namelist())
    found = CANARIES.search(text)
    if found:
        return [(asked, text[max(0, found.start() - 200) : found.end() + 60])]
    return [(asked, text)] if answer.status_code >= 500 else []


def asked_of(path: str) -> Iterator[dict[str, Any]]:
    """What to ask an address: nothing at all, and each of what is seen by the parameter that names nodes."""
    yield {}
    by = "ref" if path in ("/v1/nodes", "/v1/content", "/v1/tags") else "target"
    yield from (
        {by: ref} for ref in (SEEN[0], SEEN[2], SEEN[6]) if "{case}" not in path and path not in NAMELESS
    )


def test_no_address_tells_anything_of_what_is_hidden(house: House) -> None:
    leaks: list[object] = []
    for path, method, scope in declared(house.app):
        if method == "get" and scope is not None:
            for number in ("1", "2") if "{" in path else ("",):
                address = re.sub(r"\{[a-z]+\}", number, path.replace("{question}", "inputs-of"))
                for given in asked_of(path):
                    leaks += leak(house.get(address, given), (address, given))
    assert not leaks, leaks[:4]


def test_no_question_tells_anything_in_any_form(house: House) -> None:
    leaks: list[object] = []
    first = {"target": SEEN[0]}
    runs: dict[str, Any] = {"target": ["run:late-fees", "run:summary"]}
    for path in (*(f"/v1/questions/{name}" for name in shelf.questions()), "/v1/lineage"):
        for given in (first, {"target": SEEN[5]}, {"target": SEEN[6]}, runs):
            for more in MORE if given is first else MORE[:2]:
                headers = house.some | {"Accept": "application/json" if more else "text/plain"}
                leaks += leak(house.get(path, given | more, headers), (path, given, more))
    assert not leaks, leaks[:4]


@pytest.mark.parametrize("form", sorted(formats.writable()))
def test_no_export_tells_anything_in_any_format(house: House, form: str) -> None:
    leaks: list[object] = []
    for more in EXPORTED:
        for assertions in ("none", "all") if not more else ("best",):
            given = {"format": form, "assertions": assertions, **more}
            answer = house.get("/v1/export", given)
            assert answer.status_code == 200, (given, answer.text)
            leaks += leak(answer, given)
    assert not leaks, leaks[:4]


def test_who_may_see_it_sees_it(house: House) -> None:
    given = {"target": "report:late-fees-february"}
    full = house.get("/v1/lineage", given, house.full).json()["graph"]
    some = house.get("/v1/lineage", given).json()["graph"]
    assert HIDDEN[0] in {node["ref"] for node in full["nodes"]}
    assert len(full["nodes"]) == len(some["nodes"])
    [gap] = [gap for gap in some["gaps"] if gap["kind"] == "hidden"]
    hidden = [node for node in some["nodes"] if node["kinds"] == ["restricted"]]
    assert gap["count"] == len(hidden) == 1
    assert hidden[0]["ref"].startswith("restricted:")
    again = house.get("/v1/lineage", given).json()["graph"]
    assert again == some, "the same for the same readers as often as they ask"


def test_a_document_that_names_what_is_hidden_is_given_whole_or_not_at_all(house: House) -> None:
    [document] = house.get("/v1/documents", headers=house.full).json()["documents"]
    assert house.get("/v1/documents").json()["total"] == 0
    wanted = {"document": document["document"], "format": "prov-json"}
    assert house.get("/v1/export", wanted, house.full).status_code == 200
    answer = house.get("/v1/export", wanted)
    assert answer.status_code == 404
    assert "near" not in answer.json()


SUPPOSED = "zebra", "yebra"
"""What is hidden, and a name as long that nothing has."""


def spied(ask: Callable[[], Any]) -> tuple[Any, list[str]]:
    """An answer, and the statements that it took."""
    said: list[str] = []
    fetch, match = Store.fetch, Store.match

    def noted(store: Store, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        # Who asks is looked up once in a while, and a thread of its own looks for words to take.
        if " credential " not in statement and " search_head " not in statement:
            said.append(statement)
        return fetch(store, statement, parameters)

    def matched(store: Store, statement: str, *rest: Any) -> list[Any]:
        said.append(statement)
        return match(store, statement, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "fetch", noted)
        patch.setattr(Store, "match", matched)
        return ask(), said


def addresses(ref: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every way to ask for one thing by name."""
    for name in shelf.questions():
        yield f"/v1/questions/{name}", {"target": ref}
    yield "/v1/lineage", {"target": ref}
    for path in ("/v1/nodes", "/v1/content", "/v1/tags"):
        yield path, {"ref": ref}
    for path in ("/prov/query", "/prov/pingback", "/v1/access", "/v1/replay"):
        yield path, {"target": ref}
    yield "/v1/export", {"run": ref, "format": "prov-json"}
    yield "/v1/search", {"run": ref}
    yield "/v1/search", {"q": ref}
    yield "/v1/nodes", {"prefix": ref}
    yield "/v1/events", {"run": ref}
    yield "/v1/questions/inputs-of", {"target": "report:late-fees-february", "expand": ref}


@pytest.mark.parametrize("ref", HIDDEN)
def test_hidden_and_absent_are_answered_alike(house: House, ref: str) -> None:
    """The same status, the same bytes but for the name asked for, by the same statements."""
    said = 0
    for path, params in addresses(ref):
        absent = {name: re.sub(*SUPPOSED, value) for name, value in params.items()}
        if ref == HIDDEN[0]:  # no tag is made of a public digest, and none is looked up
            absent = {name: value.replace(DIGEST, DIGEST[::-1]) for name, value in absent.items()}
        house.get(path, {name: value.replace("yebra", "xebra") for name, value in absent.items()})
        one, its = spied(lambda: house.get(path, params))  # noqa: B023
        other, others = spied(lambda: house.get(path, absent))  # noqa: B023
        text = one.text.replace("zebra", "yebra").replace(DIGEST, DIGEST[::-1])
        assert one.status_code == other.status_code, (path, one.text, other.text)
        assert re.sub(r'"at":"[^"]*"', "", text) == re.sub(r'"at":"[^"]*"', "", other.text), path
        assert its == others, path
        said += len(its)
    assert said > 50
