"""The store of single keys: missing, another's, damaged, and wrapped anew while it is used."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.content import Vault, open_keys
from app.content.keys import number_of
from app.content.rotation import rotate
from app.ledger import Ledger, bodykeys
from app.service import Service
from provmodel.errors import StoreBusy, StoreTrouble


@contextmanager
def service_in(folder: Path) -> Iterator[Service]:
    folder.mkdir(exist_ok=True)
    ledger = Ledger.open(str(folder / "clew.db"), create=True)
    known = ledger.key_fingerprint()
    keys = open_keys(folder / "clew.keys", known)
    if known is None:
        ledger.keep_key_fingerprint(keys.fingerprint)
    service = Service(ledger, Vault(keys), "default", "urn:x-clew:")
    try:
        yield service
    finally:
        service.close()


def record(service: Service, *names: str) -> None:
    calls: list[dict[str, Any]] = [
        {
            "type": "model_call",
            "id": name,
            "source": "s",
            "time": "2026-03-01T09:00:00Z",
            "run": "r",
            "call": name,
            "model": "m",
            "inputs": [{"ref": f"message:{name}", "body": {"id": f"body:{name}", "text": f"text of {name}"}}],
        }
        for name in names
    ]
    assert {one.status for one in service.record([msgspec.json.encode(call) for call in calls])} == {
        "recorded"
    }


def read(service: Service, name: str) -> bytes:
    return service.bodies.open(f"body:{name}").content


def nothing(path: Path) -> None:
    path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database, " * 500)


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def of_another_ledger(path: Path) -> None:
    with service_in(path.parent / "another") as other:
        record(other, "x")
    path.write_bytes((path.parent / "another" / path.name).read_bytes())


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (nothing, "is missing or empty; put it back from its backup"),
        (emptied, "is missing or empty"),
        (garbage, "can't be used"),
        (half, "can't be used|is missing or empty"),
        (of_another_ledger, "belongs to another ledger; put the key store of this ledger there"),
    ],
)
def test_a_key_store_that_is_not_this_ledger_s_is_refused_at_the_start_and_left_as_it_is(
    tmp_path: Path, damage: Callable[[Path], None], told: str
) -> None:
    with service_in(tmp_path) as service:
        record(service, "a")
    path = tmp_path / "clew.bodykeys"
    whole = path.read_bytes()
    damage(path)
    found = path.read_bytes() if path.exists() else None
    for _ in range(2):
        with pytest.raises(StoreTrouble, match=told), service_in(tmp_path):
            pass
    assert (path.read_bytes() if path.exists() else None) == found
    path.write_bytes(whole)
    with service_in(tmp_path) as service:
        assert read(service, "a") == b"text of a"


@pytest.mark.parametrize("damage", ["gone", "changed", "another's"])
def test_a_key_that_is_lost_or_changed_is_told_when_its_body_is_read(tmp_path: Path, damage: str) -> None:
    with service_in(tmp_path) as service:
        record(service, "a", "b")
        contents: dict[str, str] = dict(service.ledger.store.fetch("select body, content from body"))
        with closing(sqlite3.connect(tmp_path / "clew.bodykeys")) as store, store:
            keys = dict(store.execute("select content, wrapped from body_key"))
            mine, other = contents["body:a"], contents["body:b"]
            changed = bytes([*keys[mine][:-1], keys[mine][-1] ^ 1])
            put = {"gone": None, "changed": changed, "another's": keys[other]}[damage]
            store.execute("delete from body_key where content = ?", (mine,))
            if put is not None:
                store.execute("insert into body_key values (1, ?, ?)", (mine, put))
        with pytest.raises(
            StoreTrouble, match=r"body:a (does not open: .*|is not in the key store; .*)backup"
        ):
            read(service, "a")
        assert read(service, "b") == b"text of b"
        record(service, "c")
        assert read(service, "c") == b"text of c"


def rotated(service: Service, folder: Path) -> int:
    fingerprint = service.ledger.key_fingerprint() or ""
    return rotate(folder / "clew.keys", fingerprint, service.ledger.wrapped_keys(), lambda done: None)


def numbers(service: Service) -> set[int]:
    rows = service.ledger.keys.store.fetch("select wrapped from body_key")
    return {number_of(bytes(wrapped)) for (wrapped,) in rows}


def test_keys_are_wrapped_anew_while_bodies_come_and_are_read(tmp_path: Path) -> None:
    names: list[str] = ["first"]
    troubles: list[BaseException] = []
    stop = threading.Event()

    def working(work: Callable[[Service], None]) -> None:
        try:
            with service_in(tmp_path) as own:  # as another process has its own
                while not stop.is_set():
                    work(own)
        except Exception as error:  # noqa: BLE001 (told by the main thread)
            troubles.append(error)

    def write(own: Service) -> None:
        name = f"n{len(names)}"
        with suppress(StoreBusy):  # rotated just now: it is sent again
            record(own, name)
            names.append(name)

    def look(own: Service) -> None:
        for name in names[-3:]:
            assert read(own, name) == f"text of {name}".encode()

    with service_in(tmp_path) as service:
        record(service, "first")
        threads = [threading.Thread(target=working, args=(work,)) for work in (write, look)]
        for thread in threads:
            thread.start()
        for turn in range(6):
            while len(names) < 4 * turn and not troubles:
                stop.wait(0.005)
            rotated(service, tmp_path)
        stop.set()
        for thread in threads:
            thread.join()
        assert not troubles
        rotated(service, tmp_path)
        assert len(numbers(service)) == 1
        assert {read(service, name) for name in names} == {f"text of {name}".encode() for name in names}
    assert len(msgspec.json.decode((tmp_path / "clew.keys").read_bytes())["wrapping"]) == 1


@pytest.mark.parametrize("step", ["refuse_below", "replace", "wipe"])
def test_a_rotation_that_was_cut_off_is_brought_to_its_end_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(bodykeys, "AT_A_TIME", 3)
    with service_in(tmp_path) as service:
        record(service, *(f"a{number}" for number in range(8)))
        [before] = numbers(service)
        kept = service.ledger.wrapped_keys()
        calls: list[object] = []
        real = getattr(kept, step)

        def cut_off(*given: object) -> None:
            calls.append(given)
            if len(calls) > (step == "replace"):
                raise KeyboardInterrupt
            real(*given)

        monkeypatch.setattr(kept, step, cut_off)
        with pytest.raises(KeyboardInterrupt):
            rotate(tmp_path / "clew.keys", service.ledger.key_fingerprint() or "", kept, lambda done: None)
    with service_in(tmp_path) as service:
        record(service, "b")
        names = [*(f"a{number}" for number in range(8)), "b"]
        assert [read(service, name) for name in names] == [f"text of {name}".encode() for name in names]
        rotated(service, tmp_path)
        [after] = numbers(service)
        assert after > before
        assert [read(service, name) for name in names] == [f"text of {name}".encode() for name in names]
    assert list(msgspec.json.decode((tmp_path / "clew.keys").read_bytes())["wrapping"]) == [str(after)]
