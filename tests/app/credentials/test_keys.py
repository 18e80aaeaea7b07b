"""API keys: shown once, kept as digests, in force until they expire or are revoked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.credentials import secret
from app.credentials.errors import NotAllowed, NotSignedIn
from app.credentials.gate import KEPT, Gate
from app.credentials.keys import Grant, Keys
from app.credentials.scopes import SCOPES, scopes_of
from app.ledger import Ledger
from provmodel.errors import BadQuestion, NotFound
from provmodel.evidence import LOCAL, Evidence

READER = Grant(name="person:ann", scopes=frozenset({"graph:read"}))
HARNESS = Grant(
    name="harness-1",
    scopes=frozenset({"ingest"}),
    kinds=frozenset({"harness"}),
    sources=frozenset({"harness"}),
    cap=Evidence.OBSERVED,
    groups=frozenset({"finance"}),
)
SECOND = 1_000_000


class Clock:
    """A time that a test turns on, in microseconds and in seconds."""

    def __init__(self) -> None:
        self.at = 1_800_000_000 * SECOND

    def micros(self) -> int:
        return self.at

    def seconds(self) -> float:
        return self.at / SECOND


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(store_url: str) -> Iterator[Ledger]:
    with Ledger.open(store_url) as opened:
        yield opened


@pytest.fixture
def keys(ledger: Ledger, clock: Clock) -> Keys:
    return Keys(ledger, clock.micros)


def gate(keys: Keys, clock: Clock, **more: bool) -> Gate:
    return Gate(keys, None, "default", clock=clock.seconds, **more)


def bearer(text: str) -> str:
    return f"Bearer {text}"


def test_a_key_says_who_uses_it_and_what_he_may(keys: Keys, clock: Clock) -> None:
    text, key = keys.create("acme", HARNESS)
    assert (key.name, key.tenant, key.scopes, key.sources, key.cap) == (
        "harness-1",
        "acme",
        ("ingest",),
        ("harness",),
        "observed",
    )
    identity = gate(keys, clock).identify(bearer(text))
    assert identity.tenant == "acme"
    assert identity.principal == HARNESS.principal()
    assert identity.groups == {"finance"}
    identity.need("ingest")
    with pytest.raises(NotAllowed, match="graph:read"):
        identity.need("graph:read")


def test_the_secret_of_a_key_is_nowhere_in_the_store(keys: Keys, ledger: Ledger) -> None:
    text, _ = keys.create("default", READER)
    kept = repr(ledger.store.of("default").fetch("select * from credential"))
    assert text.split("_", 3)[3] not in kept
    [(digest,)] = ledger.store.of("default").fetch("select digest from credential")
    assert bytes(digest) == secret.digest_of(text.split("_", 3)[3])


def test_without_any_key_this_machine_may_do_everything(keys: Keys, clock: Clock) -> None:
    open_ = gate(keys, clock)
    assert open_.identify(None).principal == LOCAL
    assert open_.identify(None).scopes == set(SCOPES)


def test_once_a_key_was_made_nobody_is_let_in_without_one(keys: Keys, clock: Clock) -> None:
    server = gate(keys, clock)
    required = [server.required]
    keys.create("default", READER)
    clock.at += SECOND
    required.append(server.required)
    assert required == [False, True]
    with pytest.raises(NotSignedIn):
        server.identify(None)


def test_a_revoked_key_is_refused_within_a_second(keys: Keys, clock: Clock) -> None:
    text, key = keys.create("default", READER)
    server = gate(keys, clock)
    server.identify(bearer(text))
    assert keys.revoke("default", key.id).revoked
    clock.at += SECOND
    with pytest.raises(NotSignedIn):
        server.identify(bearer(text))


def test_a_key_expires(keys: Keys, clock: Clock) -> None:
    text, key = keys.create("default", READER, seconds=60)
    assert key.expires > key.created
    server = gate(keys, clock)
    server.identify(bearer(text))
    clock.at += 61 * SECOND
    with pytest.raises(NotSignedIn):
        server.identify(bearer(text))


def test_a_rotated_key_holds_the_same_and_the_old_one_nothing(keys: Keys, clock: Clock) -> None:
    old, key = keys.create("default", HARNESS)
    new, other = keys.rotate("default", key.id)
    assert (other.name, other.scopes, other.kinds) == (key.name, key.scopes, key.kinds)
    server = gate(keys, clock)
    assert server.identify(bearer(new)).principal == HARNESS.principal()
    with pytest.raises(NotSignedIn):
        server.identify(bearer(old))


def test_the_last_use_is_noted_once_a_minute(keys: Keys, clock: Clock) -> None:
    text, key = keys.create("default", READER)
    server = gate(keys, clock)
    used = []
    for _ in range(4):
        server.identify(bearer(text))
        used.append(keys.listed("default", key.id)[0].used)
        clock.at += 31 * SECOND
    assert used[0] == used[1] != ""
    assert used[2] == used[3] > used[1]


def test_keys_of_one_tenant_are_not_those_of_another(keys: Keys) -> None:
    _, key = keys.create("a", READER)
    keys.create("aa", READER)
    assert [one.id for one in keys.listed("a")] == [key.id]
    assert keys.listed("a/") == []
    with pytest.raises(NotFound):
        keys.revoke("aa", key.id)


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        "Bearer clew_1_0000000000000000_" + "A" * 43,
        "Bearer " + "x" * 1_000_000,
        "Bearer eyJhbGciOiJub25lIn0.e30.",
        "Bearer \udcff",
    ],
)
def test_what_is_no_key_is_refused_alike(keys: Keys, clock: Clock, forged: str) -> None:
    keys.create("default", READER)
    with pytest.raises(NotSignedIn, match=r"^no credential that is known"):
        gate(keys, clock).identify(forged)


def test_another_secret_another_tenant_or_another_id_opens_nothing(keys: Keys, clock: Clock) -> None:
    text, _ = keys.create("a", READER)
    other, _ = keys.create("b", READER)
    shown, its = secret.read(text), secret.read(other)
    assert shown
    assert its
    server = gate(keys, clock)
    for forged in (
        f"clew_{shown.tenant}_{shown.id}_{its.secret}",
        f"clew_{its.tenant}_{shown.id}_{shown.secret}",
        f"clew_{shown.tenant}_{its.id}_{shown.secret}",
    ):
        with pytest.raises(NotSignedIn):
            server.identify(bearer(forged))


def test_the_gate_forgets_the_oldest(keys: Keys, clock: Clock) -> None:
    server = gate(keys, clock, required=True)
    texts = [keys.create("default", READER)[0] for _ in range(3)]
    for text in texts:
        server.identify(bearer(text))
    assert all(server.known(bearer(text)) for text in texts)
    assert len(texts) < KEPT


@pytest.mark.parametrize(
    ("grant", "seconds", "said"),
    [
        (Grant(name="", scopes=frozenset({"ingest"})), None, "name"),
        (Grant(name="a", scopes=frozenset()), None, "scope"),
        (Grant(name="a", scopes=frozenset({"ingest"}), kinds=frozenset({"god"})), None, "kind"),
        (READER, 0, "expired"),
    ],
)
def test_a_key_that_could_not_be_used_is_not_made(
    keys: Keys, grant: Grant, seconds: int | None, said: str
) -> None:
    with pytest.raises(BadQuestion, match=said):
        keys.create("default", grant, seconds)
    assert not keys.any()


def test_a_scope_of_another_name_is_refused_with_all_there_are() -> None:
    with pytest.raises(BadQuestion, match=re.escape("content:read, retention:manage")):
        scopes_of(["read"])
    assert scopes_of(["ingest", "admin"]) == {"ingest", "admin"}


def test_the_number_of_a_tenant_comes_back_from_the_text_of_its_key(tmp_path: Path) -> None:
    for number in (1, 35, 36, 123_456_789):
        made = secret.make(number)
        shown = secret.read(made.text)
        assert shown
        assert (shown.tenant, shown.id) == (number, made.id)
        assert secret.is_of(shown.secret, made.digest)
