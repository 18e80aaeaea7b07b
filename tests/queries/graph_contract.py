"""What every graph must do, run against each: one set of tests, many stores.

A subclass says how a graph is made of events in their order (:meth:`GraphContract.graph_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest

from provmodel import events
from provmodel.evidence import ALL_EVIDENCE
from provmodel.relations import Flow, codes_of
from queries.graph import Graph, Row, Way
from queries.links import Link, links_of
from queries.memory import MemoryGraph
from tests.scramble import Scramble, scrambled
from tests.story import Story, instant

ALL = codes_of(frozenset(Flow))
DATA = codes_of(frozenset({Flow.DATA}))
Told = Sequence[events.Event]


class GraphContract:
    """Subclass as ``TestX`` with :meth:`graph_of`."""

    def graph_of(self, told: Told) -> Graph:
        raise NotImplementedError

    def of(self, story: Story) -> tuple[Graph, int]:
        graph = self.graph_of(story.events)
        return graph, graph.head()

    def test_an_empty_log_has_head_zero_and_knows_nothing(self) -> None:
        graph = self.graph_of([])
        assert graph.head() == 0
        assert graph.ids(["a"], 0) == {}
        assert graph.rows([], Way.OUT, ALL, 0) == []
        assert graph.sources(None, 0) == []

    def test_nodes_are_found_by_reference_tail_and_thing(self) -> None:
        story = Story()
        story.call("call:1", sees=["file:/a/b.txt@version:9", "file:/a/b.txt@version:10"], says=["msg:1"])
        graph, head = self.of(story)
        assert set(graph.ids(["call:1", "msg:1", "nothing"], head)) == {"call:1", "msg:1"}
        versions = ["file:/a/b.txt@version:10", "file:/a/b.txt@version:9"]
        assert [ref for _, ref in graph.versions(["file:/a/b.txt"], head)["file:/a/b.txt"]] == versions
        assert [ref for _, ref in graph.by_tail("b.txt", head, 10)] == versions
        assert len(graph.by_tail("b.txt", head, 1)) == 1

    def test_a_stated_specialization_is_a_version_of_its_thing(self) -> None:
        story = Story()
        story.version("doc:odd", thing="doc:whole")
        graph, head = self.of(story)
        assert [ref for _, ref in graph.versions(["doc:whole"], head)["doc:whole"]] == ["doc:odd"]

    def test_a_node_is_described_only_by_an_event_about_it(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:a"])
        story.version("doc:a")
        graph, head = self.of(story)
        node = graph.ids(["doc:a"], head)["doc:a"]
        assert not graph.infos([node], 1)[node].described
        assert graph.infos([node], 2)[node].described

    def test_nothing_is_seen_before_its_seq(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:a"])
        story.call("call:2", sees=["doc:a"])
        graph, head = self.of(story)
        node = graph.ids(["doc:a"], 1)["doc:a"]
        assert "call:2" not in graph.ids(["call:2"], 1)
        assert len(graph.rows([node], Way.IN, DATA, 1)) == 1
        assert len(graph.rows([node], Way.IN, DATA, head)) == 2

    def test_rows_run_both_ways_and_keep_to_codes_and_limit(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:a", "doc:b"], says=["msg:1"])
        graph, head = self.of(story)
        ids = graph.ids(["call:1", "doc:a"], head)
        outward = graph.rows([ids["call:1"]], Way.OUT, DATA, head)
        assert {row.target for row in outward} == set(graph.ids(["doc:a", "doc:b"], head).values())
        assert graph.rows([ids["doc:a"]], Way.OUT, DATA, head) == []
        assert len(graph.rows([ids["call:1"]], Way.OUT, ALL, head, limit=2)) == 2
        assert graph.degrees(list(ids.values()), Way.OUT, DATA, head, 1) == {ids["call:1"]: 1}

    def test_pages_go_through_all_rows_of_a_node_once_in_order(self) -> None:
        story = Story()
        story.call("call:1", sees=[f"doc:{number}" for number in range(10)], says=["msg:1"])
        story.call("call:1", sees=["doc:3"], id="again", source="other")
        graph, head = self.of(story)
        node = graph.ids(["call:1"], head)["call:1"]
        found: list[Row] = []
        after, sizes = (-1, -1), []
        while rows := graph.page(node, Way.OUT, DATA, head, after, 4):
            found += rows
            places = [(row.code, row.target) for row in rows]
            assert places == sorted(places)
            assert places[0] > after
            after = places[-1]
            sizes.append(len(set(places)))
        assert sizes == [4, 4, 2]
        assert sorted(found) == sorted(graph.rows([node], Way.OUT, DATA, head))

    def test_what_one_asserter_states_is_found_in_order(self) -> None:
        story = Story()
        story.call("call:1", sees=["doc:a"])
        story.call("call:2", sees=["doc:a"], source="other")
        story.call("call:3", sees=["doc:b"])
        graph, head = self.of(story)
        rows = graph.stated_by("source:harness", DATA, head, 10)
        assert [row.event for row in rows] == [1, 3]
        assert graph.stated_by("source:harness", DATA, head, 1) == rows[:1]
        assert graph.stated_by("source:nobody", DATA, head, 10) == []

    def test_attributes_come_in_order_and_by_name(self) -> None:
        story = Story()
        story.version("doc:a", label="one", attributes={"z": 1, "b": [True, "x"]})
        graph, head = self.of(story)
        node = graph.ids(["doc:a"], head)["doc:a"]
        rows = graph.attributes([node], head)[node]
        assert [(row.name, row.value) for row in rows] == sorted((row.name, row.value) for row in rows)
        (label,) = graph.attributes([node], head, ("prov:label",))[node]
        assert (label.value, label.event, label.asserter) == ("one", 1, "source:harness")
        assert graph.attributes([node], 0) == {}

    def test_a_join_that_no_longer_holds_stays_visible_as_of_then(self) -> None:
        story = Story()
        story.tries("att:1", writes=["file:/a@sha256:aa"], ended=instant(1))
        story.call("call:1", sees=["file:/a@sha256:aa"], started=instant(10))
        story.tries("att:2", writes=["file:/a@sha256:aa"], ended=instant(2))
        graph, head = self.of(story)
        node = graph.ids(["call:1"], head)["call:1"]

        def joined(as_of: int) -> list[tuple[int, int, int]]:
            rows = graph.rows([node], Way.OUT, DATA, as_of)
            return sorted((row.evidence, row.event, row.since) for row in rows if row.method)

        assert joined(2) == [(4, 2, 2)]
        assert joined(head) == [(1, 2, 3), (1, 2, 3)]

    def test_reports_say_who_delivered_what_and_whether_it_conflicts(self) -> None:
        story = Story()
        story.call("call:1", id="e", sees=["doc:a"])
        story.call("call:1", id="e", sees=["doc:b"])
        graph, head = self.of(story)
        node = graph.ids(["call:1"], head)["call:1"]
        assert [(report.seq, report.conflict) for report in graph.reports([node], 1)[node]] == [(1, False)]
        both = graph.reports([node], head)[node]
        assert [(report.seq, report.conflict, report.reporter) for report in both] == [
            (1, True, "local"),
            (2, True, "local"),
        ]

    def test_the_events_that_have_variants_are_known_from_the_second_on(self) -> None:
        story = Story()
        story.call("call:1", id="e", sees=["doc:a"])
        story.call("call:2", id="f", sees=["doc:a"])
        story.call("call:1", id="e", sees=["doc:b"])
        story.call("call:3", id="e", sees=["doc:b"])
        graph, head = self.of(story)
        assert [graph.conflicts(seq) for seq in (2, 3, head)] == [frozenset(), {1, 3}, {1, 3, 4}]

    def test_events_are_found_by_run_and_by_key(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1")
        story.call("call:2")
        story.decides("dec:1", object="ledger:42", scope={"kind": "sticky"}, run=None)
        graph, head = self.of(story)
        calls = graph.run_reports("run:1", ["model_call"], head, 10)
        assert [report.seq for report in calls] == [2, 3]
        assert len(graph.run_reports("run:1", ["model_call"], head, 1)) == 1
        filed = graph.filed_reports(["session:run:1", "sticky:ledger:42"], head, 10)
        assert {key: [report.seq for report in reports] for key, reports in filed.items()} == {
            "sticky:ledger:42": [4]
        }
        assert graph.run_sources(["run:1", "run:x"], head) == {"run:1": ["harness"]}

    def test_the_log_is_read_by_span_type_and_source(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1")
        story.call("call:2", source="other")
        story.tries("att:1")
        story.call("call:3")
        graph, head = self.of(story)

        def seqs(after: int = 0, last: int = 99, limit: int = 9, source: str = "") -> list[int]:
            found = graph.log(["model_call", "tool_call"], head, after, last, limit, source)
            return [report.seq for report in found]

        assert seqs() == [2, 3, 4, 5]
        assert seqs(after=2, last=4) == [3, 4]
        assert seqs(limit=2) == [2, 3]
        assert (seqs(source="other"), seqs(source="nobody")) == ([3], [])
        assert [report.seq for report in graph.log(["model_call"], 3, 0, 99, 9)] == [2, 3]

    def test_numbers_that_are_missing_and_that_came_late_are_told(self) -> None:
        story = Story()
        for number in (1, 7, 3, 4, 9, 2):
            story.call(f"call:{number}", source_number=number)
        graph, head = self.of(story)
        assert graph.numbers(["harness"], head, 9) == [("harness", "", ((5, 6), (8, 8)), (3, 4, 6), 3)]
        assert graph.numbers(None, 3, 9) == [("harness", "", ((2, 2), (4, 6)), (3,), 1)]
        assert graph.numbers(None, head, 1) == [("harness", "", ((5, 6),), (3,), 3)]
        assert graph.numbers(["nobody"], head, 9) == []

    def test_results_nobody_used_and_actions_nobody_tried_are_loose(self) -> None:
        story = Story()
        story.run("run:1")
        story.tries("att:1", results=[{"ref": "res:1", "members": [{"ref": "doc:1"}, {"ref": "doc:2"}]}])
        story.tries("att:2", results=["res:2", "res:3"])
        story.call("call:1", sees=["doc:2", "res:3"])
        story.proposes("act:1")
        story.proposes("act:2")
        story.tries("att:3", action="act:2")
        graph, head = self.of(story)
        assert graph.loose(["run:1"], head) == (2, "doc:1", 1, "act:1")
        assert [graph.loose(["run:1"], seq).results for seq in (2, 3)] == [2, 4]
        assert graph.loose(["run:2"], head) == (0, "", 0, "")

    @pytest.mark.parametrize(
        ("lost", "closing", "state", "missing"),
        [
            (0, {}, "open", (0, None)),
            (2, {}, "gaps", (2, 2)),
            (0, {"state": "closed", "last_number": 2}, "contiguous", (0, None)),
            (0, {"state": "closed", "last_number": 4}, "gaps", (2, 3)),
            (0, {"state": "closed", "last_number": 2, "dropped": 5}, "gaps", (0, None)),
        ],
    )
    def test_a_source_is_contiguous_only_when_closed_without_a_gap(
        self, lost: int, closing: dict[str, Any], state: str, missing: tuple[int, int | None]
    ) -> None:
        story = Story()
        story.call("call:1")
        story.loses(lost)
        story.call("call:2")
        if closing:
            story.reports(**closing)
        graph, head = self.of(story)
        (found,) = graph.sources(["harness"], head)
        assert (found.state, found.missing, found.first_missing) == (state, *missing)
        assert found.received == 2

    def test_a_source_without_numbers_is_unknown_and_its_hooks_are_summed_up(self) -> None:
        story = Story(numbered=False)
        story.call("call:1")
        story.reports(hooks={"a": ["model_call"], "b": ["tool_call"]})
        graph, head = self.of(story)
        assert [s.covers for s in graph.sources(None, 1)] == [None]
        (found,) = graph.sources(None, head)
        assert (found.state, found.covers) == ("unknown", frozenset({"model_call", "tool_call"}))

    def test_a_number_used_twice_and_events_without_one_are_known_for_every_seq(self) -> None:
        story = Story()
        for call, id_, number in (
            ("call:1", "a", 1),
            ("call:1b", "a", 1),  # another variant of the same event
            ("call:2", "b", 3),
            ("call:3", "c", 3),
            ("call:4", "d", 2),
            ("call:5", "e", 2),
        ):
            story.call(call, id=id_, source_number=number)
        story.tell("model_call", numbered=False, call="call:6", model="m")
        story.reports(state="closed", last_number=2)
        graph, head = self.of(story)
        states = [graph.sources(None, as_of)[0] for as_of in range(1, head + 1)]
        assert [state.repeated for state in states] == [0, 0, 0, 1, 1, 2, 2, 2]
        assert [state.unnumbered for state in states] == [False] * 6 + [True] * 2
        words = ["open", "open", "gaps", "gaps", "unknown", "unknown", "unknown", "unknown"]
        assert [state.state for state in states] == words
        assert [state.beyond for state in states] == [False] * 7 + [True]

    def test_time_leads_to_the_last_seq_received_by_then(self) -> None:
        story = Story()
        story.call("call:1")
        graph, head = self.of(story)
        assert graph.seq_at("1999-01-01T00:00:00Z") == 0
        assert graph.seq_at("2999-01-01T00:00:00+01:00") == head

    def test_bodies_are_named_with_what_is_left_of_them(self) -> None:
        story = Story()
        story.version("doc:a", body={"id": "body:1", "text": "hello"})
        graph, head = self.of(story)
        node = graph.ids(["doc:a"], head)["doc:a"]
        (body,) = graph.bodies([node])[node]
        assert (body.body, body.state, body.size) == ("body:1", "present", 5)

    @pytest.mark.parametrize("seed", range(4))
    def test_any_set_of_events_gives_the_graph_that_memory_has(self, seed: int) -> None:
        shuffled = scrambled(Scramble(seed).build(60), seed)
        told = [msgspec.convert(item, type=events.Event) for item in shuffled]
        story = Story()
        story.events = list(told)
        graph, memory = self.graph_of(told), story.graph()
        assert graph.head() == memory.head()
        for as_of in (*range(0, memory.head(), 7), memory.head()):
            assert picture(graph, memory.all_refs(), as_of) == picture(memory, memory.all_refs(), as_of)


def weighed_as(link: Link) -> tuple[Any, ...]:
    """All that a link amounts to."""
    return (*msgspec.structs.astuple(link)[:7], sorted(link.rows))


def picture(graph: Graph, refs: Iterable[str], as_of: int) -> dict[str, Any]:
    """All that a graph says as of then, with references instead of its own integers."""
    ids = graph.ids(list(refs), as_of)
    infos = graph.infos(list(ids.values()), as_of)
    named = {node: info.ref for node, info in infos.items()}
    rows = graph.rows(list(ids.values()), Way.OUT, ALL, as_of)
    inward = graph.rows(list(ids.values()), Way.IN, ALL, as_of)
    for way, there in ((Way.OUT, rows), (Way.IN, inward)):
        links = graph.links(list(ids.values()), way, ALL, as_of)
        assert sorted(map(weighed_as, links)) == sorted(map(weighed_as, links_of(there, ALL_EVIDENCE)))

    def spelled(row: Row) -> tuple[Any, ...]:
        rest = msgspec.structs.astuple(row)
        return (named[row.source], named[row.target], rest[1], *rest[3:])

    attributes = graph.attributes(list(ids.values()), as_of)
    reports = graph.reports(list(ids.values()), as_of)
    seqs = range(as_of + 2)
    return {
        "nodes": sorted(infos.values()),
        "rows": sorted(spelled(row) for row in rows),
        "inward": sorted(spelled(row) for row in inward),
        "degrees": {
            named[n]: d for n, d in graph.degrees(list(ids.values()), Way.IN, DATA, as_of, 9).items()
        },
        "attributes": {named[node]: found for node, found in attributes.items()},
        "reports": {
            named[node]: [(r.seq, r.conflict, r.event, r.computed) for r in found]
            for node, found in reports.items()
        },
        "events": {
            seq: (r.seq, r.reporter, r.conflict, r.event) for seq, r in graph.events(seqs, as_of).items()
        },
        "conflicts": graph.conflicts(as_of),
        "loose": graph.loose(["r0", "r1"], as_of),
        "sources": graph.sources(None, as_of),
        "numbers": graph.numbers(None, as_of, 99),
        "log": [r.seq for r in graph.log(["model_call", "tool_call"], as_of, 2, as_of, 99)],
        "run_sources": graph.run_sources(["r0", "r1"], as_of),
        "versions": {
            ref: [v for _, v in graph.versions([ref], as_of)[ref]] for ref in ("file:/a", "report:r", "db")
        },
    }


def memory_of(told: Told) -> MemoryGraph:
    """The events in memory, bodies taken out as the service does."""
    story = Story()
    story.events = list(told)
    return story.graph()
