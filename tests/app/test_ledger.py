"""The ledger: what is answered is there, once, in order, and no answer about the past changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import astuple, replace

from app.ledger import Ledger, Prepared
from app.tables import metadata
from provmodel import computed, events
from provmodel.joining import MANY
from provmodel.relations import Flow, codes_of
from queries.graph import Graph, Way
from queries.memory import Arrived, MemoryGraph
from tests.ledgers import RECEIVED, all_prepared, labels_of, prepared
from tests.scramble import Scramble, scrambled
from tests.story import Story

TENANT = "default"
EVERY = codes_of(frozenset(Flow))
# Tables made from the log, and which of their columns are words (numbered as they come to be written).
WORDS: dict[str, tuple[str, ...]] = {
    "node": (),
    "node_kind": (),
    "assertion": ("role", "method"),
    "attribute": ("name",),
    "fact": (),
    "run_source": ("run", "source"),
    "source_epoch": ("source", "epoch"),
    "missing": ("source", "epoch"),
    "source_report": ("source", "epoch"),
}


@pytest.fixture
def ledger(store_url: str) -> Iterator[Ledger]:
    with Ledger.open(store_url) as ledger:
        yield ledger


def append(ledger: Ledger, items: Sequence[Prepared], at_once: int = 500, tenant: str = TENANT) -> list[str]:
    """Append in commits of so many; the statuses."""
    told = []
    for start in range(0, len(items), at_once):
        told += ledger.append(tenant, items[start : start + at_once])
    return [outcome.status for outcome in told]


def tool_call(number: int, **more: Any) -> events.Event:
    fields = {"attempt": f"a{number}", "tool": "t", "outcome": "completed", "run": "r", **more}
    envelope = {"id": f"e{number}", "source": "s", "time": "2026-03-01T09:00:00Z"}
    event: events.Event = msgspec.convert({"type": "tool_call", **envelope, **fields}, type=events.Event)
    return event


def everything(graph: Graph, refs: Sequence[str], as_of: int) -> dict[str, Any]:
    """All that a graph says at one seq, by reference."""
    ids = graph.ids(refs, as_of)
    infos = graph.infos(list(ids.values()), as_of)
    names = {node: info.ref for node, info in infos.items()}

    def named(way: Way) -> list[tuple[Any, ...]]:
        rows = graph.rows(list(ids.values()), way, EVERY, as_of)
        return sorted((names[r.source], r.code, names[r.target], *astuple(r)[3:]) for r in rows)

    def by_ref(found: Any) -> dict[str, Any]:
        return {names[node]: value for node, value in found.items()}

    given = list(ids.values())
    return {
        "infos": by_ref(infos),
        "out": named(Way.OUT),
        "in": named(Way.IN),
        "attributes": by_ref(graph.attributes(given, as_of)),
        "degrees": by_ref(graph.degrees(given, Way.IN, EVERY, as_of, 3)),
        "reports": {
            names[node]: [(r.seq, r.reporter, r.conflict, r.vouched, r.event, r.computed) for r in reports]
            for node, reports in graph.reports(given, as_of).items()
        },
        "sources": graph.sources(None, as_of),
        "run sources": graph.run_sources(["r0", "r1"], as_of),
        "run reports": [r.seq for r in graph.run_reports("r0", ["tool_call", "model_call"], as_of, 50)],
        "loose": graph.loose(["r0", "r1"], as_of),
        "versions": [ref for _, ref in graph.versions(["file:/a"], as_of)["file:/a"]],
        "tails": [ref for _, ref in graph.by_tail("a", as_of, 50)],
    }


# --- One graph, two implementations ---


@pytest.mark.parametrize("at_once", [1, 7, 500])
def test_the_ledger_answers_as_the_graph_in_memory_does_at_every_seq(ledger: Ledger, at_once: int) -> None:
    items = all_prepared(Scramble(at_once).build(50))
    append(ledger, items, at_once)
    labels = labels_of(items)
    memory = MemoryGraph.of_events(
        [Arrived(i.event, computed.decode(i.computed) if i.computed else (), texts=labels) for i in items]
    )
    ledger.reveal = lambda _, __: labels
    graph = ledger.graph(TENANT)
    refs = sorted({ref for item in items for ref in item.records.nodes} | {"nowhere"})
    assert graph.head() == memory.head()
    for as_of in range(graph.head() + 1):
        assert everything(graph, refs, as_of) == everything(memory, refs, as_of), f"as of {as_of}"


def test_rows_come_in_pages_by_code_and_neighbour(ledger: Ledger) -> None:
    items = all_prepared(Scramble(3).build(50))
    append(ledger, items)
    graph = ledger.graph(TENANT)
    for way in Way:
        for node in graph.ids(["source:harness", "file:/a@sha256:0a", "r0"], 60).values():
            whole = graph.page(node, way, EVERY, 60, (-1, -1), 10_000)
            assert sorted(whole) == sorted(graph.rows([node], way, EVERY, 60))
            assert list(_by_pages(graph, node, way)) == whole


def _by_pages(graph: Graph, node: int, way: Way) -> Iterator[Any]:
    after = (-1, -1)
    while page := graph.page(node, way, EVERY, 60, after, 3):
        yield from page
        after = (page[-1].code, page[-1].target if way is Way.OUT else page[-1].source)


def test_what_an_asserter_states_is_found_by_it(ledger: Ledger) -> None:
    append(ledger, all_prepared(Scramble(4).build(50)))
    graph = ledger.graph(TENANT)
    for asserter in ("source:harness", "agent:clew", "agent:nobody"):
        stated = graph.stated_by(asserter, EVERY, 40, 10_000)
        assert [(r.event, r.relation, r.code) for r in stated] == sorted(
            (r.event, r.relation, r.code) for r in stated
        )
        assert {r.asserter for r in stated} <= {asserter}
        assert graph.stated_by(asserter, EVERY, 40, 3) == stated[:3]
    assert graph.stated_by("agent:clew", EVERY, 40, 10_000)


# --- Once, in order, for good ---


def test_what_is_answered_is_there_for_whoever_reads_next(ledger: Ledger, store_url: str) -> None:
    with Ledger.open(store_url) as other:
        graph = other.graph(TENANT)
        assert graph.head() == 0
        assert graph.ids(["a1"], 1) == {}
        for number in range(3):
            [outcome] = ledger.append(TENANT, [prepared(tool_call(number))])
            assert (outcome.status, outcome.seq) == ("recorded", number + 1)
            assert graph.head() == number + 1
            assert graph.ids([f"a{number}"], number + 1)


def test_an_equal_event_is_a_duplicate_and_nothing_is_stored(ledger: Ledger) -> None:
    first, second = prepared(tool_call(1)), prepared(tool_call(2))
    assert append(ledger, [first, second, first]) == ["recorded", "recorded", "duplicate"]
    [again] = ledger.append(TENANT, [second])
    assert (again.status, again.seq, again.first_seq, again.content_compared) == ("duplicate", 2, 2, True)
    assert ledger.graph(TENANT).head() == 2
    assert ledger.store.of("default").fetch("select count(*) from event")[0][0] == 2


def test_other_content_under_one_id_is_a_conflict_and_both_variants_are_kept(ledger: Ledger) -> None:
    one = prepared(tool_call(1, outcome="completed"))
    other = prepared(tool_call(1, outcome="failed"))
    assert append(ledger, [one, other, other, one], 1) == ["recorded", "conflict", "duplicate", "duplicate"]
    [third] = ledger.append(TENANT, [prepared(tool_call(1, outcome="unknown"))])
    assert (third.status, third.seq, third.first_seq) == ("conflict", 3, 1)
    graph = ledger.graph(TENANT)
    [node] = graph.ids(["a1"], 3).values()
    told = {r.seq: r.conflict for r in graph.reports([node], 3)[node]}
    assert told == {1: True, 2: True, 3: True}
    assert [r.conflict for r in graph.reports([node], 1)[node]] == [False], "as of 1 there was one variant"
    outcomes = {row.value for row in graph.attributes([node], 3, ["clew:outcome"])[node]}
    assert outcomes == {"completed", "failed", "unknown"}


def test_content_is_compared_while_it_lives_and_never_comes_back_after(ledger: Ledger) -> None:
    def answer(text: str) -> Prepared:
        return prepared(tool_call(1, results=[{"ref": "m1", "body": {"text": text}}]))

    assert append(ledger, [answer("blue!"), answer("blue!"), answer("green")], 1) == [
        "recorded",
        "duplicate",
        "conflict",
    ]
    with ledger.store.of("default").writing() as session:
        session.run("delete from event_salt")
        session.run("delete from body")
    [again] = ledger.append(TENANT, [answer("blue!")])
    assert (again.status, again.content_compared, again.seq) == ("duplicate", False, 1)
    assert ledger.store.of("default").fetch("select count(*) from body")[0][0] == 0


def test_seqs_follow_on_each_other_whatever_was_a_duplicate(ledger: Ledger) -> None:
    items = all_prepared(scrambled(Scramble(5).build(50), 5))
    statuses = append(ledger, items, 9)
    fresh = sum(status != "duplicate" for status in statuses)
    assert "duplicate" in statuses
    seqs = [seq for (seq,) in ledger.store.of("default").fetch("select seq from event order by seq")]
    assert seqs == list(range(1, fresh + 1))


def test_the_grouping_into_commits_leaves_no_mark(ledger: Ledger) -> None:
    items = all_prepared(Scramble(6).build(60))
    for tenant, at_once in enumerate((1, 4, 500)):
        append(ledger, items, at_once, str(tenant))
    for table in WORDS:
        first, *others = (rows_of(ledger, table, str(tenant)) for tenant in range(3))
        assert others == [first, first], table


def rows_of(ledger: Ledger, table: str, tenant: str) -> list[str]:
    """The rows of a table in one tenant, its words spelled out."""
    [(number,)] = ledger.store.directory("select tenant from tenant where name = ?", (tenant,))
    words: dict[int, str] = dict(
        ledger.store.of("default").fetch("select word, text from word where tenant = ?", (number,))
    )
    names = metadata.tables[table].columns.keys()
    found = ledger.store.of("default").fetch(
        f"select {', '.join(names)} from {table} where tenant = ?", (number,)
    )
    spelled = [
        {
            name: words[value] if name in WORDS[table] else value
            for name, value in zip(names, row, strict=True)
        }
        for row in found
    ]
    return sorted(repr({**row, "tenant": ""}) for row in spelled)


def test_no_answer_about_the_past_changes(ledger: Ledger) -> None:
    items = all_prepared(scrambled(Scramble(7).build(50), 7))
    refs = sorted({ref for item in items for ref in item.records.nodes})
    graph = ledger.graph(TENANT)
    then: dict[int, dict[str, Any]] = {}
    for start in range(0, len(items), 6):
        append(ledger, items[start : start + 6])
        for as_of in range(len(then), graph.head() + 1):
            then[as_of] = everything(graph, refs, as_of)
    now = {as_of: everything(graph, refs, as_of) for as_of in then}
    for as_of, answers in then.items():
        for kind, answer in answers.items():
            assert now[as_of][kind] == answer, f"{kind} as of {as_of}"


def test_tenants_are_apart(ledger: Ledger) -> None:
    append(ledger, [prepared(tool_call(1))], tenant="one")
    append(ledger, [prepared(tool_call(2)), prepared(tool_call(1))], tenant="two")
    assert ledger.tenants() == ["one", "two"]
    one, two = ledger.graph("one"), ledger.graph("two")
    assert (one.head(), two.head(), ledger.graph("three").head()) == (1, 2, 0)
    assert one.ids(["a1", "a2"], 9).keys() == {"a1"}
    assert [r.event.id for r in two.run_reports("r", ["tool_call"], 9, 9)] == ["e2", "e1"]
    assert ledger.graph("three").sources(None, 9) == []


def test_a_tenant_whose_first_append_failed_is_no_other_tenant(ledger: Ledger) -> None:
    class Elsewhere(Exception):
        pass

    def unlucky(salt: bytes, digest: bytes) -> bool:
        raise Elsewhere

    item = prepared(tool_call(1, results=[{"ref": "m1", "body": {"text": "blue!"}}]))
    with pytest.raises(Elsewhere):
        ledger.append("one", [item, replace(item, same=unlucky)])
    append(ledger, [prepared(tool_call(2))], tenant="two")
    assert ledger.tenants() == ["two"]
    assert ledger.graph("one").ids(["a2"], 9) == {}
    append(ledger, [item], tenant="one")
    assert ledger.graph("one").ids(["a1", "a2"], 9).keys() == {"a1"}


def test_a_time_of_receipt_names_the_last_seq_by_then_even_when_the_clock_was_set_back(
    ledger: Ledger,
) -> None:
    for number, second in enumerate((0, 10, 4, 20)):
        ledger.append(TENANT, [prepared(tool_call(number), received=RECEIVED + second * 1_000_000)])
    graph = ledger.graph(TENANT)
    [received] = {r.received for r in graph.run_reports("r", ["tool_call"], 3, 9) if r.seq == 3}
    assert received == "2026-09-21T14:13:30.000000Z", "not before the one that came earlier"
    times = ("13:19.999999Z", "13:20Z", "13:29.9Z", "13:30Z", "13:39Z", "13:40Z")
    assert [graph.seq_at(f"2026-09-21T14:{time}") for time in times] == [0, 1, 1, 3, 3, 4]


# --- What is long, many or late ---


def test_references_of_any_length_are_found_again(ledger: Ledger) -> None:
    refs = [f"file:/{'数' * 1500}{end}" for end in ("甲", "乙")]
    for number, ref in enumerate(refs * 2):
        reads = [{"ref": f"{ref}@sha256:{'0' * 64}"}, {"ref": ref}]
        append(ledger, [prepared(tool_call(number, id=f"{ref}#{number}", reads=reads))])
    graph = ledger.graph(TENANT)
    assert graph.ids(refs, 9).keys() == set(refs)
    assert [ref for _, ref in graph.versions([refs[0]], 9)[refs[0]]] == [f"{refs[0]}@sha256:{'0' * 64}"]
    assert append(ledger, [prepared(tool_call(1, id=f"{refs[1]}#1", reads=[]))]) == ["conflict"]


def test_a_key_with_too_many_offers_joins_nothing_and_keeps_no_more(ledger: Ledger) -> None:
    state = "file:/a@sha256:" + "0" * 64
    story = Story()
    story.run("r")
    story.tries("reader", reads=[state])
    for number in range(MANY + 3):
        story.clock -= 50 if number == 0 else 1
        story.tries(f"writer-{number}", writes=[state])
    story.tries("late-reader", reads=[state])
    items = [prepared(event) for event in story.events]
    append(ledger, items, 5)
    graph = ledger.graph(TENANT)
    readers = list(graph.ids(["reader", "late-reader"], 99).values())
    open_at = {
        as_of: sum(r.method.startswith("state") for r in graph.rows(readers, Way.OUT, EVERY, as_of))
        for as_of in (2, 3, 4, MANY + 2, MANY + 3, MANY + 6)
    }
    assert open_at == {2: 0, 3: 1, 4: 2, MANY + 2: MANY, MANY + 3: 0, MANY + 6: 0}
    sides: dict[int, int] = dict(
        ledger.store.of("default").fetch(
            "select f.side, count(*) from fact f where f.data like ? or f.data like ? group by f.side",
            ('%"made"%', '%"read"%'),
        )
    )
    assert sides == {2: MANY + 1}, "the needs went with the last offer that counts"


def test_missing_numbers_are_known_for_every_seq(ledger: Ledger) -> None:
    numbers = [5, 1, 9, 2, 2, 3, 4, 12, 7, 6, 8, 10, 11]
    for place, number in enumerate(numbers):
        append(ledger, [prepared(tool_call(place, source_number=number, epoch="x"))])
    graph = ledger.graph(TENANT)
    for as_of in range(1, len(numbers) + 1):
        come = set(numbers[:as_of])
        absent = sorted(set(range(1, max(come))) - come)
        [state] = graph.sources(["s"], as_of)
        assert (state.received, state.highest, state.missing) == (len(come), max(come), len(absent))
        assert state.first_missing == (absent[0] if absent else None)
        assert state.repeated == as_of - len(come)
        assert state.state == ("gaps" if absent else "unknown" if state.repeated else "open")
    marks = {
        place: outcome.warnings
        for place, number in enumerate([20, 13, 13])
        for outcome in ledger.append(
            TENANT, [prepared(tool_call(50 + place, source_number=number, epoch="x"))]
        )
    }
    assert marks == {0: (), 1: ("late",), 2: ()}, "what had come before is not late"


def test_an_event_keeps_what_its_credential_may(ledger: Ledger) -> None:
    item = prepared(tool_call(1))
    principal = replace(item.principal, name="gateway", vouches=False)
    append(ledger, [replace(item, principal=principal)])
    [report] = ledger.graph(TENANT).run_reports("r", ["tool_call"], 1, 1)
    assert (report.reporter, report.vouched, report.event) == ("gateway", False, item.event)
