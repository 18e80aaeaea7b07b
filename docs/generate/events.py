"""``reference/events.md``: every event, its fields, the shortest way to report it, and what it becomes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from app.content.keys import Keys
from app.content.vault import Vault
from app.demo import STORY
from app.faces.http.examples import SHORT
from docs.generate.markdown import code, compact, document, made, prose, table
from docs.generate.meanings import ENVELOPE, meaning
from docs.generate.spelling import default, fields, spell
from provmodel import events
from provmodel.decoding import decode_event
from provmodel.evidence import LOCAL, Stance
from provmodel.mapping import project
from provmodel.records import Assertion
from provmodel.relations import flow_of
from provmodel.settling import settle

_OWN: dict[str, dict[str, Any]] = {
    "content_captured": {"content": {"ref": "result:search-1", "body": {"text": "Tariff of late fees 2025"}}},
    "run_cancelled": {"run": "run:late-fees", "by": "person:finance-lead", "task_version": "1"},
    "derived": {
        "to": "document:fees-by-account@version:1",
        "from": [{"ref": "file:/ledger/february.csv@version:3"}],
        "method": "group by account",
        "rerunnable": True,
    },
    "span": {
        "run": "run:late-fees",
        "span": "span:rerank-1",
        "kind": "RERANKER",
        "parent": "call:plan",
        "inputs": [{"ref": "document:memo-reminders@version:1"}],
    },
}
_PARTS = {
    kind
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, events._Part) and kind is not events._Part
}


def page() -> str:
    """The page."""
    return document(_lines())


def _lines() -> Iterator[str]:
    yield made("provmodel/events.py")
    yield from (*_HEAD.splitlines(), "")
    yield from table(
        ("event", "says", "reported alone to"),
        [
            (f"[`{tag}`](#{tag})", prose(kind.__doc__), f"`POST /v1/{events.plural(tag)}`")
            for tag, kind in events.TYPES.items()
        ],
    )
    yield from ("## The envelope", "", "Every event has these.", "")
    yield from _fields("", events.Envelope, set(ENVELOPE))
    for tag, kind in events.TYPES.items():
        yield from _event(tag, kind)
    yield from ("## Parts", "", "What stands inside events.", "")
    for part in sorted(_PARTS, key=lambda each: each.__name__):
        yield from _part(part)


_HEAD = """
# Events

What a producer may report. Send any of them, in any order and number of times, to `POST /v1/events` as a
JSON array or as one a line (NDJSON), or with `clew ingest`. Unknown fields are refused, so nothing is
dropped in silence.

Each type also has an address of its own, which takes a shorter form: what is left out there (id, source,
epoch, number, time, refs of content given as text) is filled in, and the reply returns it.

Whoever acts is named by a reference (`person:amy`, `agent:planner`). A bare name is a person's under `by`, of
the `kind` that a `decider` is said to be, and an agent's under `agent`, `on_behalf_of`, `decided_by`, `actor`
and `asserter`.

*What it becomes* lists the relations that the event alone states, as the program maps it, each with its flow
class (`data` is what walks cross) and the evidence that it earns from a recorder. Other relations follow from
several events together; see [Joining](../explanation/joining.md).
"""


def _event(tag: str, kind: type[events.Envelope]) -> Iterator[str]:
    yield from (f"## {tag}", "", prose(kind.__doc__), "")
    envelope = {field.encode_name: field.required for field in fields(events.Envelope)}
    own = {each.encode_name for each in fields(kind) if each.required != envelope.get(each.encode_name)}
    own |= {each.encode_name for each in fields(kind) if each.encode_name not in envelope}
    yield from _fields(tag, kind, own)
    yield from (f"The shortest form, to `POST /v1/{events.plural(tag)}`:", "")
    yield from code(compact(SHORT[tag]), "json")
    yield from _becomes(example(tag))


def _fields(tag: str, kind: type[events.Envelope], names: set[str]) -> list[str]:
    rows = [
        (
            f"`{field.encode_name}`" + ("" if not field.required else " *"),
            spell(field.type, _links()),
            meaning(tag, field.encode_name) + (f" Left out: {default(field)}." if default(field) else ""),
        )
        for field in fields(kind)
        if field.encode_name in names
    ]
    return table(("field (* required)", "holds", "meaning"), rows)


def _links() -> dict[type, str]:
    return {part: f"[{part.__name__}](#{part.__name__.lower()})" for part in _PARTS}


def _part(part: type) -> Iterator[str]:
    yield from (f"### {part.__name__}", "", prose(part.__doc__), "")
    yield from table(
        ("field (* required)", "holds"),
        [
            (f"`{field.encode_name}`" + (" *" if field.required else ""), spell(field.type, _links()))
            for field in fields(part)
        ],
    )


def example(tag: str) -> dict[str, Any]:
    """An event of that type: a small one of this page where the story has none, or only one that is wrong on
    purpose; else the one of the story that says most.
    """
    if tag in _OWN:
        envelope = {"type": tag, "id": "1", "source": "harness", "time": "2026-03-09T09:00:00Z"}
        return {**envelope, **_OWN[tag]}
    told: list[dict[str, Any]] = [event for event in json.loads(STORY.read_bytes()) if event["type"] == tag]
    return max(told, key=len)


def _becomes(event: dict[str, Any]) -> Iterator[str]:
    vault = Vault(Keys(bytes(32)))
    settled = settle(decode_event(json.dumps(event).encode()), vault.tagger("default"))
    taken = vault.take_out("default", settled)
    records = project(taken.event, taken.computed, LOCAL)
    rows = list(dict.fromkeys(_row(assertion) for assertion in records.assertions))
    if not rows:
        return
    yield from ("<details><summary>An example, and what it becomes</summary>", "")
    yield from code(compact(event), "json")
    yield from table(("relation", "role", "flow", "evidence", "says who"), rows)
    yield from ("</details>", "")


def _row(assertion: Assertion) -> tuple[str, str, str, str, str]:
    relation = assertion.relation
    arguments = ", ".join(_short(argument) for argument in relation.arguments if argument)
    denied = "" if assertion.stance is Stance.SUPPORTS else " (refuted)"
    return (
        f"`{relation.term.name}({_short(relation.subject)}, {arguments})`",
        relation.role,
        flow_of(relation.code(0)).word,
        assertion.evidence.word + denied,
        f"`{assertion.asserter}`",
    )


def _short(ref: str) -> str:
    """A reference whose digest is cut to what tells it apart."""
    before, mark, digest = ref.partition("@sha256:")
    return f"{before}{mark}{digest[:8]}" if mark else ref
