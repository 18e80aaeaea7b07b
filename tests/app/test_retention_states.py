"""Put, share, hold, lift, expire, delete, deliver again, crash, in any order: holds are never broken, shared
content is never lost, and nothing that was deleted comes back.

``python -m tests.app.test_retention_states`` runs 10,000 steps; ``make conformance`` does.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.bodies import Gone
from app.content import Vault, open_keys
from app.content.elsewhere import Directory
from app.keeping.words import read_policy
from app.ledger import Ledger
from app.retention import Request
from app.service import Service
from provmodel.errors import Refused

TEXTS = ("one", "two", "three " * 50)
NAMES = tuple("abcdefgh")
LATER = 4_000_000_000_000_000  # microseconds since 1970
ASKED = Request(actor="person:o", reason_class="other")


FOLDER = Path("/dev/shm")  # in memory, where there is such: a step syncs several times


class _Crash(BaseException):
    """The process is gone."""


class Keeping(RuleBasedStateMachine):
    """One ledger, and what should be true of each of eight bodies."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="clew-states-", dir=FOLDER if FOLDER.is_dir() else None))
        self.texts: dict[str, str] = {}
        self.gone: set[str] = set()
        self.begun: set[str] = set()
        self.held: set[str] = set()
        self.holds = 0
        self.open()
        self.service.retention.put(read_policy("policy:p", "all", "1d", "person:o"))

    def open(self) -> None:
        place = Directory(self.folder / "bodies")
        vault = Vault(open_keys(self.folder / "k", None), place, inside=100)
        ledger = Ledger.open(str(self.folder / "clew.db"), create=True)
        self.service = Service(ledger, vault, "default", "urn:x-clew:")

    def teardown(self) -> None:
        self.service.close()
        shutil.rmtree(self.folder)

    @rule(name=st.sampled_from(NAMES), text=st.sampled_from(TEXTS))
    def put_or_deliver_again(self, name: str, text: str) -> None:
        text = self.texts.setdefault(name, text)
        call: dict[str, Any] = {
            "type": "model_call",
            "id": name,
            "source": "s",
            "time": "2026-03-01T09:00:00Z",
            "call": name,
            "model": "m",
            "inputs": [{"ref": f"message:{name}", "body": {"id": f"body:{name}", "text": text}}],
        }
        [result] = self.service.record([msgspec.json.encode(call)])
        assert result.status in ("recorded", "duplicate")

    @rule(name=st.sampled_from(NAMES))
    def hold(self, name: str) -> None:
        self.holds += 1
        self.service.retention.place_hold(f"{name}-{self.holds}", f"body:{name}", "a case", "person:c")
        self.held.add(name)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def lift(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.held)))
        for one in self.service.retention.holds():
            if one.target == f"body:{name}":
                self.service.retention.lift_hold(one.hold, "person:c")
        self.held.discard(name)

    @rule()
    def expire(self) -> None:
        self.service.retention.sweep(now=LATER)
        self.gone |= (self.texts.keys() | self.begun) - self.held
        self.begun &= self.held

    @precondition(lambda self: self.texts.keys() - self.gone)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.texts.keys() - self.gone)))
        if name in self.begun:
            return
        try:
            self.service.forget(f"body:{name}", ASKED)
            assert name not in self.held
            self.gone.add(name)
        except Refused:
            assert name in self.held

    @precondition(lambda self: self.texts.keys() - self.gone - self.held - self.begun)
    @rule(data=st.data())
    def crash_while_deleting(self, data: st.DataObject) -> None:
        free = self.texts.keys() - self.gone - self.held - self.begun
        name = data.draw(st.sampled_from(sorted(free)))

        def crash(*_: object, **__: object) -> None:
            raise _Crash

        self.service.ledger.keys.destroy = crash  # type: ignore[method-assign]
        try:
            self.service.forget(f"body:{name}", ASKED)
        except _Crash:
            self.begun.add(name)
        else:
            self.gone.add(name)  # another body has the same content: there was no key to destroy
        self.service.close()
        self.open()

    @invariant()
    def each_body_is_as_it_should_be(self) -> None:
        for name, text in self.texts.items():
            try:
                assert self.service.bodies.open(f"body:{name}").content == text.encode()
                assert name not in self.gone | self.begun
            except Gone as gone:
                [tombstone] = gone.tombstones
                assert name in self.gone | self.begun
                assert tombstone.state == ("requested" if name in self.begun else "done")

    @invariant()
    def nothing_is_kept_for_nobody(self) -> None:
        there = [self.texts[name] for name in self.texts.keys() - self.gone - self.begun]
        rows = self.service.ledger.store.of("default").fetch(
            "select bodies, size from content where bodies > 0"
        )
        assert {size for _, size in rows} == {len(text) for text in there}
        assert sum(bodies for bodies, _ in rows) == len(there)


TestKeeping = Keeping.TestCase
TestKeeping.settings = settings(
    max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)

if __name__ == "__main__":
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        Keeping,
        settings=settings(
            max_examples=200, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    sys.stdout.write("10,000 steps: nothing to object to\n")
