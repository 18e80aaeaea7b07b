"""The record of access: what is given is recorded first, what is done with it, and nobody else sees it."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.access import MEANINGS, VERBS, Accesses, Act, Listing, fitting, record
from app.credentials.keys import Grant, Keys
from app.credentials.scopes import Scope
from app.faces.http import create_app
from app.keeping.words import read_policy
from app.retention import Request
from app.service import Service
from provmodel.errors import BadQuestion, Refused, StoreTrouble
from provmodel.evidence import LOCAL, MAY_CLAIM, Principal
from tests.app.commands import OUTPUT, Clew
from tests.app.faces import event, service_at

LETTER = "document:letter@version:1"
Entry = tuple[str, str, str, str, str]


class House:
    """A server that asks for keys, over a tenant with a letter, its body and a person."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.keys = Keys(service.ledger)
        self.client = TestClient(create_app(service), raise_server_exceptions=False)

    def key(self, name: str, *scopes: Scope, **more: Any) -> dict[str, str]:
        grant = Grant(name=name, scopes=frozenset(scopes), **more)
        return {"Authorization": f"Bearer {self.keys.create('default', grant)[0]}"}

    def get(self, path: str, headers: dict[str, str], **params: Any) -> Any:
        return self.client.get(path, params=params, headers=headers)

    def told(self, **wanted: Any) -> list[Entry]:
        """What is recorded beside keys, the oldest first."""
        found = self.service.who_read(Listing(limit=1000, **wanted)).accesses
        entries = [(one.principal, one.verb, one.target, one.purpose, one.outcome) for one in found]
        return [entry for entry in reversed(entries) if entry[1] != "key"]


@pytest.fixture
def house(store_url: str, tmp_path: Path) -> Iterator[House]:
    with service_at(store_url, tmp_path) as service:
        made = House(service)
        harness = made.key("harness-1", "ingest", kinds=frozenset(MAY_CLAIM), vouches=True)
        told = [
            event(0, "run_started", run="run:1", agent="agent:a"),
            event(1, inputs=[{"ref": LETTER, "body": {"id": "body:letter", "text": "Dear Ann"}}]),
            event(2, "authorization_decided", run="run:1", decision="decision:1", verdict="allow",
                  action="action:1", decider={"id": "person:ann", "kind": "person"}),
        ]  # fmt: skip
        answer = made.client.post("/v1/events", json=told, headers=harness)
        assert answer.json()["counts"]["recorded"] == len(told), answer.text
        yield made


def test_each_body_that_is_given_is_recorded(house: House) -> None:
    ann = house.key("person:ann", "content:read")
    for name in (LETTER, "body:letter"):
        assert house.get("/v1/content", ann, ref=name).text == "Dear Ann"
    assert house.get("/v1/content", ann, ref="document:nothing").status_code == 404
    assert house.told() == [("person:ann", "read", "body:letter", "", "given")] * 2


def test_who_read_a_reference_is_asked_by_its_name_or_by_its_body(house: House) -> None:
    house.get("/v1/content", house.key("person:ann", "content:read"), ref="body:letter")
    for name in (LETTER, "body:letter", "letter@version:1"):
        assert [entry[:3] for entry in house.told(target=name)] == [("person:ann", "read", "body:letter")]
    assert house.told(target="document:other") == []


def test_exports_are_recorded_with_what_they_were_of(house: House) -> None:
    taker = house.key("taker", "export")
    house.get("/v1/export", taker)
    house.get("/v1/export", taker, run="run:1", format="turtle")
    house.get("/v1/export", taker, question="impact-of", target=LETTER, format="prov-n")
    house.get("/prov/query", taker, target=LETTER)
    assert house.get("/v1/export", taker, run="run:9").status_code == 404
    assert house.told() == [
        ("taker", "export", "", "prov-json", "given"),
        ("taker", "export", "run:1", "turtle", "given"),
        ("taker", "export", LETTER, "prov-n of impact-of", "given"),
        ("taker", "export", LETTER, "prov-json of lineage", "given"),
    ]


def test_a_bundle_for_a_re_run_is_recorded_with_each_body_in_it(house: House) -> None:
    packed = house.get("/v1/export", house.key("taker", "export", "content:read"), replay="run:1")
    assert "bodies/0001.txt" in zipfile.ZipFile(BytesIO(packed.content)).namelist()
    hidden = house.get("/v1/export", house.key("other", "export"), replay="run:1")
    assert hidden.status_code == 200
    assert house.told() == [
        ("taker", "export", "run:1", "replay", "given"),
        ("taker", "read", "body:letter", "replay of run:1", "given"),
        ("other", "export", "run:1", "replay", "given"),
    ]


def test_questions_about_a_person_are_recorded_and_others_are_not(house: House) -> None:
    asker = house.key("asker", "graph:read")
    house.get("/v1/questions/inputs-of", asker, target=LETTER)
    house.get("/v1/nodes", asker, ref=LETTER)
    assert house.told() == []
    assert house.get("/v1/lineage", asker, target="person:ann").status_code == 200
    house.get("/v1/nodes", asker, ref="person:ann")
    house.get("/v1/pictures/lineage", asker, target="person:ann")
    told = house.told(target="person:ann")
    assert [entry[:4] for entry in told[:2]] == [
        ("asker", "ask", "person:ann", "lineage"),
        ("asker", "ask", "person:ann", "nodes"),
    ]
    assert {entry[0] for entry in told} == {"asker"}


def test_a_case_about_a_person_is_a_question_each_time_it_is_asked(house: House) -> None:
    asker = house.key("asker", "graph:read")
    made = house.client.post("/v1/cases", json={"target": ["person:ann"]}, headers=asker)
    assert made.status_code == 200, made.text
    assert house.client.post("/v1/cases/1/runs", json={}, headers=asker).status_code < 300
    assert house.told() == [("asker", "ask", "person:ann", "case 1", "given")] * 2


def test_a_refusal_of_a_known_credential_is_recorded_and_of_an_unknown_one_is_not(house: House) -> None:
    asker = house.key("asker", "graph:read")
    assert house.get("/v1/content", asker, ref=LETTER).status_code == 403
    assert house.client.post("/v1/events", json=[], headers=asker).status_code == 403
    assert house.get("/v1/export", {"Authorization": "Bearer nobody"}).status_code == 401
    assert house.told() == [
        ("asker", "enter", "/v1/content", "content:read", "refused"),
        ("asker", "enter", "/v1/events", "ingest", "refused"),
    ]


def test_a_refusal_is_recorded_whatever_the_path_and_the_name_hold(house: House) -> None:
    odd = house.key("asker", "export")
    assert house.client.get("/v1/questions/a%00b%ff", headers=odd).status_code == 403
    house.service.accesses.note(Principal("a\0\udcffb", frozenset(), None, vouches=False), [Act("ask", "\0")])
    assert house.get("/v1/access", house.key("auditor", "access:read"), target="\0").json()["total"] == 1
    assert [entry[:3] for entry in house.told()] == [
        ("asker", "enter", "/v1/questions/a\\u0000b\ufffd"),
        ("a\\u0000\\udcffb", "ask", "\\u0000"),
    ]


def test_what_is_done_to_content_is_recorded_with_whose_credential_did_it(house: House) -> None:
    house.service.retention.place_hold("hold:1", LETTER, "case 7", "person:counsel")
    house.service.retention.lift_hold("hold:1", "person:counsel")
    keeper = house.key("keeper", "retention:manage")
    asked = {"ref": LETTER, "actor": "person:ann", "reason_class": "subject_request"}
    assert house.client.delete("/v1/content", params=asked, headers=keeper).status_code == 200
    assert house.told() == [
        ("local", "hold", LETTER, "hold:1 placed by person:counsel", "done"),
        ("local", "hold", "hold:1", "lifted by person:counsel", "done"),
        ("keeper", "delete", "body:letter", "subject_request, by person:ann", "done"),
    ]


def test_what_was_not_done_is_not_recorded(house: House) -> None:
    house.service.retention.place_hold("hold:1", LETTER, "case 7", "person:counsel")
    keeper = house.key("keeper", "retention:manage")
    assert house.client.delete("/v1/content", params={"ref": LETTER}, headers=keeper).status_code == 422
    with pytest.raises(BadQuestion):
        house.keys.create("default", Grant(name="", scopes=frozenset({"export"})))
    assert [entry[1] for entry in house.told()] == ["hold"]


def test_keys_that_are_made_and_revoked_are_recorded(house: House) -> None:
    _, key = house.keys.create("default", Grant(name="person:bo", scopes=frozenset({"export"})))
    _, other = house.keys.rotate("default", key.id)
    house.keys.revoke("default", key.id)
    found = house.service.who_read(Listing(verb="key", limit=3)).accesses
    assert [(one.target, one.purpose) for one in found] == [
        (key.id, "revoked"),
        (other.id, "made for person:bo: export"),
        (key.id, "made for person:bo: export"),
    ]


def test_nothing_is_given_when_its_record_cannot_be_written(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_scopes = house.key("all", "graph:read", "content:read", "export")

    def full(*_: object) -> None:
        raise StoreTrouble("the disk is full")

    monkeypatch.setattr("app.access.record", full)
    for path, asked in (
        ("/v1/content", {"ref": LETTER}),
        ("/v1/export", {}),
        ("/v1/export", {"replay": "run:1"}),
        ("/v1/export", {"format": "svg", "run": "run:1"}),
        ("/prov/query", {"target": LETTER}),
        ("/v1/lineage", {"target": "person:ann"}),
        ("/v1/nodes", {"ref": "person:ann"}),
        ("/v1/access", {}),
    ):
        answer = house.get(path, all_scopes, **asked)
        assert answer.status_code == 503, (path, asked, answer.text)
        assert "can't be recorded" in answer.json()["detail"]
        assert "Dear Ann" not in answer.text
    assert house.get("/v1/lineage", all_scopes, target=LETTER).status_code == 200


def test_the_record_is_read_with_a_scope_of_its_own(house: House) -> None:
    reader = house.key("auditor", "access:read")
    house.get("/v1/content", house.key("person:ann", "content:read"), ref=LETTER)
    [entry] = house.get("/v1/access", reader, verb="read").json()["accesses"]
    assert entry | {"time": "", "number": 0} == {
        "number": 0,
        "time": "",
        "principal": "person:ann",
        "verb": "read",
        "target": "body:letter",
        "purpose": "",
        "outcome": "given",
    }
    assert house.get("/v1/access", house.key("asker", "graph:read", "admin")).status_code == 403
    text = house.get("/v1/access", reader | {"Accept": "text/plain"}, verb="read").text
    assert "person:ann, read body:letter: given." in text.replace("\n", "")
    assert house.get("/v1/access", reader, verb="look").status_code == 422
    assert house.get("/v1/access", reader, who="x").status_code == 422


def test_pages_follow_each_other_while_more_is_recorded(house: House) -> None:
    note = house.service.accesses.note
    note(LOCAL, [Act("read", f"body:{number}") for number in range(5)])
    wanted = Listing(verb="read", limit=2)
    seen: list[str] = []
    page = house.service.who_read(wanted)
    while True:
        seen += [one.target for one in page.accesses]
        if not page.cursor:
            break
        note(LOCAL, [Act("read", "body:later")])
        page = house.service.who_read(Listing(verb="read", limit=2, cursor=page.cursor))
    assert seen == ["body:4", "body:3", "body:2", "body:1", "body:0"]
    cursor = house.service.who_read(wanted).cursor
    with pytest.raises(BadQuestion, match="another question"):
        house.service.who_read(Listing(verb="ask", cursor=cursor))


def test_many_threads_and_ledgers_get_numbers_without_a_gap(house: House) -> None:
    before = house.service.who_read(Listing()).total
    writers = [Accesses(house.service.ledger, "default") for _ in range(2)]

    def note(number: int) -> None:
        writers[number % 2].note(LOCAL, [Act("read", f"body:{number}")] * 2)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(note, range(24)))
    found = house.service.who_read(Listing(limit=1000)).accesses
    assert [one.number for one in found] == list(range(before + 48, 0, -1))


def test_the_record_of_a_tenant_is_not_that_of_another(house: House) -> None:
    other = house.service.of_tenant("defaul")
    other.accesses.note(LOCAL, [Act("export", "", "prov-json")])
    assert [one.number for one in other.who_read(Listing()).accesses] == [1]
    assert house.told() == []


def test_the_record_is_in_no_answer_and_no_export_and_no_log(house: House) -> None:
    reader = house.key("somebody-unheard-of", "graph:read", "export", "content:read")
    before = house.service.ledger.graph("default").head()
    exported = [house.get("/v1/export", reader).text for _ in range(2)]
    house.get("/v1/content", reader, ref=LETTER)
    assert house.service.ledger.graph("default").head() == before
    assert exported[0] == exported[1]
    assert "unheard-of" not in exported[1] + house.get("/v1/events", reader).text
    assert house.service.check() == []


def test_a_target_of_any_length_is_kept_and_found(house: House) -> None:
    long = "document:" + "ö" * 5000
    house.service.accesses.note(LOCAL, [Act("ask", long), Act("ask", long + "x")])
    assert len(fitting(long)) == 600
    assert [entry[2] for entry in house.told(target=long)] == [fitting(long)]


def test_acts_of_a_transaction_that_fails_are_not_recorded(house: House) -> None:
    def fail() -> None:
        with house.service.ledger.store.of("default").writing() as session:
            record(session, 1, "somebody", [Act("policy", "policy:p", "", "done")])
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert house.told() == []


def test_a_sweep_is_recorded_by_policy_and_count(house: House) -> None:
    house.service.retention.put(read_policy("policy:p", "all", "30d", "person:o"))
    house.service.retention.sweep(now=4_000_000_000_000_000)
    assert house.told() == [
        ("local", "policy", "policy:p", "put in force by person:o", "done"),
        ("agent:clew", "delete", "policy:p", "1 body, expired", "done"),
    ]


def test_names_of_a_person_that_are_erased_are_recorded_under_the_person(house: House) -> None:
    namer = house.key("namer", "ingest", kinds=frozenset({"harness"}))
    put = house.client.put(
        "/v1/content",
        params={"ref": "person:ann", "as": "label"},
        content="Ann Archer",
        headers=namer | {"Content-Type": "text/plain"},
    )
    assert put.status_code == 201, put.text
    request = Request(actor="person:o", reason_class="subject_request")
    [deleted] = house.service.retention.person("person:ann", request)
    told = "subject_request, by person:o"
    assert house.told() == [
        ("local", "delete", "person:ann", told, "done"),
        ("local", "delete", deleted.body, told, "done"),
    ]


def test_the_command_line_lists_the_record(recorded: Clew) -> None:
    assert recorded("export", "-o", "out.json").code == 0
    assert recorded("key", "create", "--name", "person:ann", "--scope", "export").code == 0
    found = recorded("access", "--json").json
    assert [(one["verb"], one["principal"]) for one in found["accesses"]] == [
        ("key", "local"),
        ("export", "local"),
    ]
    told = recorded("access", "--verb", "export")
    assert "1 entry fits, the newest first." in told.out
    assert "prov-json" in told.out
    assert "nothing" in recorded("access", "--target", OUTPUT, "--text").out.lower()
    assert recorded("access", "--verb", "look").code == 3


def test_every_verb_says_what_it_means() -> None:
    assert tuple(MEANINGS) == VERBS


def test_the_record_has_a_retention_of_its_own_and_its_numbers_go_on(house: House) -> None:
    house.get("/v1/export", house.key("taker", "export"))
    before = house.service.who_read(Listing(limit=1000))
    retention = house.service.retention
    retention.put(read_policy("policy:access", "access", "400d", "person:operator"))
    assert [policy.policy for policy in retention.policies()] == ["policy:access"]
    assert retention.sweep().accesses == 0
    later = before.accesses[0]
    done = retention.sweep(now=time.time_ns() // 1000 + 401 * 86_400 * 1_000_000)
    assert (done.deleted, done.accesses) == ({}, before.total + 1)
    [left] = house.service.who_read(Listing(limit=1000)).accesses
    assert (left.verb, left.target, left.number) == ("policy", "access", later.number + 2)
    assert house.service.read(LETTER).content == b"Dear Ann"


def test_what_is_given_is_always_recorded_whatever_a_policy_says(house: House) -> None:
    with pytest.raises(Refused, match="recorded first"):
        house.service.retention.put(read_policy("p", "access", "never", "person:operator"))
