"""A small builder with which a test writes what happened, as events.

It reads like the story it tells::

    story = Story()
    story.run("run:q3", agent="reporter")
    story.call("call:1", sees=["msg:task", "doc:B"], says=["report:1"], cites={"report:1": ["doc:A"]})
    story.proposes("act:1", call="call:1", tool="write_file", arguments={"path": "/r.md"})
    story.decides("dec:1", "allow", action="act:1", decider="ann")
    story.tries("att:1", action="act:1", decision="dec:1", writes=["file:/r.md@version:1"])
    graph = story.graph()

Every event gets an id, a source, a number and the next second of one clock, unless the story says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from app.content.keys import Keys, TagKeys
from app.content.vault import Vault
from provmodel import events
from provmodel.evidence import LOCAL, Principal
from provmodel.settling import settle
from queries.memory import Arrived, MemoryGraph

Named = str | Mapping[str, Any]
"""A reference, or a Ref with more to say (role, part, body, state)."""

E = TypeVar("E", bound=events.Envelope)
START = datetime(2026, 11, 10, 13, 0, tzinfo=UTC)
VAULT = Vault(Keys(bytes(range(32))))
UNDER = TagKeys(bytes(32))
"""What tests tag content with, in memory and in ledgers."""


def instant(seconds: float) -> str:
    """A time of the story's day, so many seconds after its start."""
    return (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


class Story:
    """Events in the order in which they are told. ``run`` is that of every later event until the next run."""

    def __init__(self, source: str = "harness", numbered: bool = True) -> None:
        self.source = source
        self.numbered = numbered
        self.events: list[events.Event] = []
        self.numbers: dict[str, int] = {}
        self.current: str | None = None
        self.clock = 0.0
        self.principals: dict[int, Principal] = {}

    # What happens

    def reports(self, source: str | None = None, state: str = "opened", **more: Any) -> events.Event:
        """A source says that it lives; ``hooks`` may be given as ``{name: [event types]}``."""
        hooks = more.pop("hooks", None)
        if isinstance(hooks, Mapping):
            more["hooks"] = [{"name": name, "covers": list(covers)} for name, covers in hooks.items()]
        fields = {"source": source or self.source, "state": state, **more}
        return self.tell("source_reported", run=None, numbered=False, **fields)

    def run(self, run: str, agent: str = "reporter", **more: Any) -> events.Event:
        self.current = run
        return self.tell("run_started", run=run, agent=agent, **more)

    def ends(self, run: str | None = None, status: str = "completed", **more: Any) -> events.Event:
        return self.tell("run_ended", run=run or self.current, status=status, **_refs(more, "outputs"))

    def cancels(self, by: str = "ann", **more: Any) -> events.Event:
        return self.tell("run_cancelled", by=by, **more)

    def call(
        self,
        call: str,
        sees: Sequence[Named] = (),
        says: Sequence[Named] = (),
        cites: Mapping[str, Sequence[str]] | None = None,
        model: str = "m-1",
        **more: Any,
    ) -> events.Event:
        """A model call: what it was sent, what it answered, what it says its answers rest on."""
        cited = [{"output": out, "source": src} for out, sources in (cites or {}).items() for src in sources]
        fields = {"call": call, "model": model, "inputs": sees, "outputs": says, "citations": cited, **more}
        return self.tell("model_call", **_refs(fields, "inputs", "outputs", "instructions"))

    def proposes(
        self, action: str, tool: str = "write_file", arguments: Any = None, **more: Any
    ) -> events.Event:
        more.setdefault("arguments", {"body": {"json": {} if arguments is None else arguments}})
        return self.tell("action_proposed", action=action, tool=tool, **more)

    def decides(
        self, decision: str, verdict: str = "allow", decider: Any = "ann", **more: Any
    ) -> events.Event:
        """A decision; a decider given by name is a person whose identity a login checked."""
        if isinstance(decider, str):
            decider = {"id": decider, "kind": "person", "authenticated_by": "login"}
        return self.tell("authorization_decided", decision=decision, verdict=verdict, decider=decider, **more)

    def tries(
        self,
        attempt: str,
        writes: Sequence[Named] = (),
        tool: str = "write_file",
        outcome: str = "completed",
        **more: Any,
    ) -> events.Event:
        """An attempt; a write given by reference alone is a ``create``."""
        written = [{"ref": w, "mode": "create"} if isinstance(w, str) else w for w in writes]
        fields = {"attempt": attempt, "tool": tool, "outcome": outcome, "writes": written, **more}
        return self.tell("tool_call", **_refs(fields, "reads", "results"))

    def checks(
        self, verification: str, subject: str, verdict: str = "confirmed", **more: Any
    ) -> events.Event:
        """A verification; ``read`` may be given as the reference that was read back."""
        if isinstance(more.get("read"), str):
            more["read"] = {"ref": more["read"]}
        more.setdefault("method", "read-back")
        return self.tell("verification", verification=verification, subject=subject, verdict=verdict, **more)

    def version(self, ref: str, kind: str = "document", **more: Any) -> events.Event:
        return self.tell("artifact_version", ref=ref, kind=kind, **_refs(more, "members"))

    def delegates(self, delegation: str, to_run: str, agent: str = "helper", **more: Any) -> events.Event:
        more.setdefault("from_run", self.current)
        fields = {"delegation": delegation, "to_run": to_run, "agent": agent, **more}
        return self.tell("delegated", **_refs(fields, "inputs"))

    def adopts(self, decision: str, draft: str, verdict: str = "adopted", **more: Any) -> events.Event:
        return self.tell("adoption_decided", decision=decision, draft=draft, verdict=verdict, **more)

    def derives(self, to: str, *sources: Named, method: str = "transform", **more: Any) -> events.Event:
        return self.tell("derived", to=to, method=method, **_refs({"from": sources, **more}, "from"))

    def retracts(self, what: str, by: str = "ann", **more: Any) -> events.Event:
        return self.tell("retracted", what=what, by=by, **more)

    def deletes(self, body: str, **more: Any) -> events.Event:
        more.setdefault("done", instant(self.clock))
        return self.tell("content_deleted", body=body, **more)

    def span(self, span: str, kind: str = "CHAIN", **more: Any) -> events.Event:
        return self.tell("span", span=span, kind=kind, **_refs(more, "inputs", "outputs"))

    # How it is told

    def tell(
        self, type_: str, numbered: bool = True, by: str | Principal | None = None, **fields: Any
    ) -> events.Event:
        """Add one event of this type; what it does not say of id, source, time, number and run is filled in.

        ``by`` names a principal only for :meth:`arrived`; a ``by`` text is the event's own field.
        """
        if isinstance(by, str):
            fields["by"] = by
        self.clock += 1
        source = fields.setdefault("source", self.source)
        fields.setdefault("id", f"{len(self.events) + 1}")
        fields.setdefault("time", instant(self.clock))
        fields.setdefault("run", self.current)
        if self.numbered and numbered and "source_number" not in fields:
            fields["source_number"] = self.numbers[source] = self.numbers.get(source, 0) + 1
        kept = {name: value for name, value in fields.items() if value is not None}
        event: events.Event = msgspec.convert({"type": type_, **kept}, type=events.Event)
        if isinstance(by, Principal):
            self.principals[len(self.events)] = by
        self.events.append(event)
        return event

    def loses(self, count: int = 1, source: str | None = None) -> None:
        """As many events of a source were numbered and never arrived."""
        name = source or self.source
        self.numbers[name] = self.numbers.get(name, 0) + count

    # What becomes of it

    def arrived(self, order: Iterable[int] | None = None) -> list[Arrived]:
        """The events settled, their bodies taken out, in the order told or in another (positions)."""
        positions = range(len(self.events)) if order is None else order
        return [self._arrived(position) for position in positions]

    def _arrived(self, position: int) -> Arrived:
        event = settle(self.events[position], VAULT.tagger("default"))
        taken = VAULT.take_out("default", event, UNDER)
        principal = self.principals.get(position, LOCAL)
        return Arrived(taken.event, taken.computed, principal, texts=VAULT.labels("default", taken))

    def graph(self) -> MemoryGraph:
        return MemoryGraph.of_events(self.arrived())


def _refs(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    """``fields`` with the lists of these names as Refs."""
    spelled = {
        name: [{"ref": item} if isinstance(item, str) else item for item in fields[name]]
        for name in names
        if fields.get(name)
    }
    return {**{name: value for name, value in fields.items() if name not in names}, **spelled}
