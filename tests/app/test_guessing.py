"""Who has a full dump, and a dictionary: what can be guessed before an erasure and after it."""

import hashlib
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.content import Vault, open_keys
from app.content.keys import Keys, TagKeys
from app.content.tags import Tags, keyed_digest
from app.keeping.words import read_policy
from app.ledger import Ledger
from app.ledger.joins import number_of
from app.retention import Request
from app.service import Service
from provmodel.events import Event

PIN, AMOUNT = "471183", 250118  # six digits each: a million guesses hold both
GUESSES = 1_000_000
LATER = 4_000_000_000_000_000
_HEX = re.compile(rb"[0-9a-f]{32,64}")
HEAD: dict[str, Any] = {"source": "s", "time": "2026-03-01T09:00:00Z"}
ARGUMENTS = {"body": {"json": {"amount": AMOUNT, "pin": PIN}}}
EVENTS: list[dict[str, Any]] = [
    {"type": "model_call", "id": "1", "run": "r", "call": "c", "model": "m",
     "inputs": [{"ref": "message:1", "body": {"text": PIN}}],
     "outputs": [{"ref": "message:2", "body": {"text": f"The pin is {PIN}."}}]},
    {"type": "action_proposed", "id": "2", "run": "r", "action": "a", "call": "c", "tool": "pay",
     "arguments": ARGUMENTS},
    {"type": "authorization_decided", "id": "3", "decision": "d", "action": "a", "verdict": "allow",
     "decider": {"id": "maria", "kind": "person"}, "shown": ARGUMENTS, "authorized": ARGUMENTS},
    {"type": "tool_call", "id": "4", "run": "r", "attempt": "t", "tool": "pay", "outcome": "completed",
     "arguments": ARGUMENTS, "results": [{"ref": "result:1", "body": {"json": AMOUNT}}]},
    {"type": "model_call", "id": "5", "call": "c5", "model": "m",
     "inputs": [{"ref": "message:5", "body": {"text": PIN}}]},
]  # fmt: skip


OTHER = {"ref": "message:6", "body": {"text": "what comes afterwards"}}


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return open_keys(tmp_path / "clew.keys", None)


@pytest.fixture
def service(store_url: str, tmp_path: Path, keys: Keys) -> Iterator[Service]:
    ledger = Ledger.open(store_url, create=True, keys=str(tmp_path / "keys.db"))
    made = Service(ledger, Vault(keys), "default", "urn:x-clew:")
    yield made
    made.close()


class Dump:
    """Every value of every table, as bytes and as integers; what is written in hex counts as its bytes."""

    def __init__(self, service: Service) -> None:
        self.texts: set[bytes] = set()
        self.integers: set[int] = set()
        store = service.ledger.store.of("default")
        for table in sorted(store.tables()):
            if not table.startswith("search_index"):
                for row in store.fetch(f"select * from {table}"):
                    for value in row:
                        self._take(value)

    def _take(self, value: object) -> None:
        if isinstance(value, int):
            self.integers.add(value)
        elif value is not None:
            raw = value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[call-overload]
            self.texts |= {raw, raw[:16]}
            for found in _HEX.findall(raw):
                self.texts |= {bytes.fromhex(found.decode()[: len(found) // 2 * 2]), found}

    def holds(self, digest: bytes) -> bool:
        return digest in self.texts or digest[:16] in self.texts or digest.hex().encode() in self.texts


def forms(guess: str) -> Iterator[bytes]:
    """How a guess may have been digested: as it is, as a JSON string, as bytes, as a number."""
    yield from (guess.encode(), f'"{guess}"'.encode(), b"\0" + guess.encode())


def tagged(dump: Dump, keys: Tags, guess: str, run: str = "") -> bool:
    """Whether the tag of a guess stands in the dump, as a tag or in the key of a fact."""
    for form in forms(guess):
        tag = keys.tag(form)
        if bytes.fromhex(tag) in dump.texts or number_of(f"value:{run}:{tag}") in dump.integers:
            return True
    return False


def everything(dump: Dump, keys: TagKeys, guess: str) -> bool:
    """Whether anything that these keys make of a guess stands in the dump."""
    whole = json.dumps({"amount": AMOUNT, "pin": PIN}, separators=(",", ":"))
    return (
        tagged(dump, keys.tags, guess)
        or tagged(dump, keys.tags_of("r"), guess, "r")
        or any(dump.holds(keys.same(form)) for form in (guess.encode(), whole.encode()))
        or dump.holds(bytes.fromhex(keys.tags_of("r").tag(whole.encode())))
    )


def live(service: Service, vault: Vault) -> Iterator[TagKeys]:
    """The secrets of tags that the live key store and key file open."""
    for names in service.ledger.keys.every(1):
        for name, wrapped in names:
            if name.startswith("tags-"):
                yield vault.tag_keys("default", 1, name, wrapped)


def test_a_million_guesses_find_nothing_in_a_dump_before_an_erasure_nor_with_the_live_keys_after_it(
    service: Service, keys: Keys
) -> None:
    service.record([msgspec.json.encode({**HEAD, **event}) for event in EVENTS])
    before = Dump(service)

    # Without keys: no digest of a guess, nor one that is made with a salt from the dump.
    guesses = [b"%06d" % number for number in range(GUESSES)]
    assert not any(hashlib.sha256(guess).digest() in before.texts for guess in guesses)
    for (salt,) in service.ledger.store.of("default").fetch("select salt from event_salt"):
        for event in EVENTS:
            settled = msgspec.convert({**HEAD, **event}, type=Event)
            raw = msgspec.json.encode(settled, order="deterministic")
            assert not before.holds(keyed_digest(bytes(salt), raw))

    # With the keys, while the bodies are there: so the test looks where it should.
    [secret] = live(service, service.vault)
    assert all(everything(before, secret, guess) for guess in (PIN, str(AMOUNT)))

    service.retention.put(read_policy("policy:p", "all", "1s", "person:o"))
    assert sum(service.retention.sweep(now=LATER).deleted.values()) == 8
    assert list(live(service, service.vault)) == []
    service.record([msgspec.json.encode({**HEAD, **EVENTS[4], "id": "6", "run": "r", "inputs": [OTHER]})])
    after = Dump(service)
    [fresh] = live(service, service.vault)
    tenant = keys.tenant("default")
    for guess in (PIN, str(AMOUNT)):
        assert not any(everything(after, known, guess) for known in (fresh, tenant.tags))
        assert not tagged(after, tenant.names, guess)
    digest = fresh.tags_of("r").digest
    assert not any(digest(guess) in after.texts for guess in guesses)

    # A copy from before the erasure says no more to who has the live keys.
    for guess in (PIN, str(AMOUNT)):
        assert not any(everything(before, known, guess) for known in (fresh, tenant.tags))


def test_what_was_compared_stays_compared_after_the_erasure(service: Service) -> None:
    service.record([msgspec.json.encode({**HEAD, **event}) for event in EVENTS])
    told = [service.ask("who-authorized", {"target": ["t"]}), service.ask("inputs-of", {"target": ["t"]})]
    service.retention.put(read_policy("policy:p", "all", "1s", "person:o"))
    head = service.ledger.graph("default").head()
    service.retention.sweep(now=LATER)
    for question in told:
        as_of = {"target": ["t"], "as_of": [str(head)]}
        assert service.ask(question.question.name, as_of).answer.graph == question.answer.graph
    graph = b"".join(service.export("prov-json", "all")[1])
    service.ledger.rebuild("default")
    assert b"".join(service.export("prov-json", "all")[1]) == graph
    assert service.check() == []


def test_tags_of_before_an_erasure_and_after_it_are_not_comparable(service: Service) -> None:
    proposed, decided, done = (msgspec.json.encode({**HEAD, **event}) for event in EVENTS[1:4])
    service.record([msgspec.json.encode({**HEAD, **EVENTS[0]}), proposed, decided])
    first, _ = service.tag_key("r")
    [body] = service.bodies.names_of("message:1")
    service.retention.forget([body], Request(actor="person:o", reason_class="mistake"))
    service.record([msgspec.json.encode({**msgspec.json.decode(done), "action": "a", "decision": "d"})])
    second, _ = service.tag_key("r")
    assert (first, second) == ("hmac-sha256-128-jcs", "hmac-sha256-128-jcs;key=2")
    answer = service.ask("who-authorized", {"target": ["t"]}).answer
    told = msgspec.json.encode(answer.graph).decode()
    assert "tags by hmac-sha256-128-jcs-tenant and by hmac-sha256-128-jcs;key=2" in told
    assert "authorized_for_something_else" not in told


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_an_upgrade_gives_the_tags_of_before_names_at_random_and_keeps_the_graph(
    service: Service, store_url: str
) -> None:
    service.record([msgspec.json.encode({**HEAD, **event}) for event in EVENTS])
    graph = b"".join(service.export("prov-json", "all")[1])
    [secret] = live(service, service.vault)
    made = import_module("migrations.versions.0009_tag_keys")
    with service.ledger.store.engine.begin() as connection:  # what it does to a ledger of before
        made._rename(connection, 1)
        connection.exec_driver_sql("insert into store (property, value) values ('rebuild', '0009')")
    Ledger.upgrade(store_url)
    assert b"".join(service.export("prov-json", "all")[1]) == graph
    assert service.check() == []
    tags = secret.tags_of("r")
    renamed = Dump(service)
    assert not any(tagged(renamed, tags, guess, "r") for guess in (PIN, str(AMOUNT)))
    stored = service.ledger.store.of("default").fetch("select computed from event where computed is not null")
    assert all(b";key=0" in computed for (computed,) in stored)
