"""What was received of sources and runs, what is missing, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.errors import BadQuestion, NotFound
from queries.questions.gaps_of import GapsOf, GapsOfQuestion
from queries.received.sources import SourceView
from tests.story import Story, instant

QUESTION = GapsOfQuestion()


def ask(story: Story, **given: Any) -> GapsOf:
    return QUESTION.answer(story.graph(), QUESTION.read(given)).graph


def said(story: Story, **given: Any) -> list[str]:
    return QUESTION.sentences(QUESTION.answer(story.graph(), QUESTION.read(given)))


def source(graph: GapsOf, name: str = "harness", epoch: str = "") -> SourceView:
    [view] = [one for one in graph.sources if (one.source, one.epoch) == (name, epoch)]
    return view


def kinds(graph: GapsOf) -> set[str]:
    return {one.kind for one in graph.contradictions}


def gaps(graph: GapsOf) -> dict[str, tuple[int, str]]:
    return {gap.kind: (gap.count, gap.example) for gap in graph.gaps}


class TestSources:
    def test_each_epoch_of_a_source_is_told_by_itself(self) -> None:
        story = Story()
        story.call("call:1", epoch="a", source_number=1)
        story.call("call:2", epoch="a", source_number=3)
        story.reports(state="closed", epoch="a", last_number=4)
        story.call("call:3", epoch="b", source_number=1)
        graph = ask(story)
        first, second = source(graph, epoch="a"), source(graph, epoch="b")
        assert (first.state, first.missing, first.ranges) == ("gaps", 2, ((2, 2), (4, 4)))
        assert (second.state, second.missing, second.ranges) == ("open", 0, ())
        assert gaps(graph)["never_recorded"] == (2, "harness/a#2")
        assert graph.coverage == "gaps"

    def test_a_closed_source_of_which_every_number_came_is_contiguous_and_the_answer_complete(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1")
        story.ends()
        story.reports(state="closed", last_number=3)
        graph = ask(story)
        assert (source(graph).state, graph.coverage, graph.complete) == ("contiguous", "contiguous", True)
        assert said(story)[0] == "harness is contiguous: it has closed, and every number came, 1 to 3."

    def test_a_source_that_closed_before_it_numbered_anything_is_said_to_have(self) -> None:
        story = Story()
        story.reports(state="closed", last_number=0)
        told = "harness is contiguous: it has closed, and says that it numbered nothing."
        assert said(story)[0] == told

    def test_a_source_that_numbers_nothing_is_unknown(self) -> None:
        story = Story(numbered=False)
        story.call("call:1")
        graph = ask(story)
        assert source(graph).state == "unknown"
        assert gaps(graph)["coverage_unknown"] == (1, "harness")
        assert not graph.complete

    def test_what_a_source_dropped_is_a_gap(self) -> None:
        story = Story()
        story.call("call:1")
        story.reports(state="closed", last_number=1, dropped=5)
        graph = ask(story)
        assert (source(graph).state, source(graph).dropped) == ("gaps", 5)
        assert gaps(graph)["never_recorded"] == (5, "harness dropped 5")
        assert "it says that it dropped 5 events" in said(story)[0]

    def test_late_events_are_named_and_close_their_gap(self) -> None:
        story = Story()
        for number in (1, 3, 2):
            story.call(f"call:{number}", id=f"event-{number}", source_number=number)
        view = source(ask(story))
        assert (view.state, view.late_count) == ("open", 1)
        [late] = view.late
        assert (late.event, late.id, late.number) == (3, "event-2", 2)
        assert source(ask(story, as_of=2)).ranges == ((2, 2),)

    def test_a_number_that_several_events_have_tells_nothing_of_what_is_missing(self) -> None:
        story = Story()
        story.call("call:1", source_number=1)
        story.call("call:2", source_number=2)
        story.call("call:3", source_number=2)
        story.reports(state="closed", last_number=2)
        graph = ask(story)
        assert (source(graph).state, source(graph).received, source(graph).repeated) == ("unknown", 2, 1)
        assert "number_twice" in kinds(graph)
        assert not graph.complete
        told = "harness gave 1 event a number that another has: what of it is missing can't be told."
        assert said(story)[0] == told
        assert source(ask(story, as_of=2)).state == "open"

    def test_another_variant_of_an_event_has_the_number_of_the_first(self) -> None:
        story = Story()
        for model in ("m-1", "m-2"):
            story.call("call:1", id="event-1", source_number=1, model=model)
        assert source(ask(story)).repeated == 0

    def test_a_source_that_goes_on_after_its_last_number_is_not_contiguous(self) -> None:
        story = Story()
        for number in (1, 2):
            story.call(f"call:{number}", source_number=number)
        story.reports(state="closed", last_number=1)
        graph = ask(story)
        assert (source(graph).state, source(graph).beyond) == ("open", True)
        assert "after_last" in kinds(graph)
        assert "it had closed with 1 as its last number, and sent 2" in said(story)[0]

    def test_a_report_that_comes_after_the_number_it_names_is_the_last_one_itself(self) -> None:
        story = Story()
        story.call("call:1", source_number=1)
        story.reports(state="closed", last_number=1, source_number=2)
        view = source(ask(story))
        assert (view.state, view.last_number, view.beyond) == ("contiguous", 2, False)

    def test_events_without_a_number_beside_numbered_ones_are_not_known_to_have_come(self) -> None:
        story = Story()
        story.call("call:1", source_number=1)
        story.tell("model_call", numbered=False, call="call:2", model="m")
        story.reports(state="closed", last_number=1)
        graph = ask(story)
        assert (source(graph).state, source(graph).unnumbered) == ("unknown", True)
        assert gaps(graph)["coverage_unknown"] == (1, "harness")
        assert "sends events without a number beside numbered ones" in said(story)[0]

    def test_hooks_say_what_a_source_covers(self) -> None:
        story = Story()
        story.reports(hooks={"runner": ["model_call"]})
        assert source(ask(story)).covers == ("model_call",)

    @pytest.mark.parametrize(
        ("given", "found"),
        [
            ({}, ["gateway", "harness"]),
            ({"source": "gateway"}, ["gateway"]),
            ({"target": "source:harness"}, ["harness"]),
            ({"run": "run:1"}, ["harness"]),
            ({"target": "run:2"}, ["gateway", "harness"]),
            ({"target": "call:1"}, ["harness"]),
        ],
    )
    def test_it_is_asked_by_source_by_run_and_of_all(self, given: dict[str, Any], found: list[str]) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1")
        story.run("run:2")
        story.tries("att:1", source="gateway")
        assert [one.source for one in ask(story, **given).sources] == found

    def test_what_a_source_names_as_input_output_write_or_citation_is_something_received_of_it(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", sees=["doc:in"], says=["message:out"], cites={"message:out": ["doc:cited"]})
        story.tries("att:1", ["ledger:book@version:1"], source="gateway", source_number=1)
        story.tries("att:2", source="gateway", source_number=3)
        story.derives("doc:made", "doc:in", source="matcher")
        wanted = {
            "doc:in": ["harness", "matcher"], "message:out": ["harness"], "doc:cited": ["harness"],
            "ledger:book": ["gateway"], "doc:made": ["matcher"], "tool:write_file": ["gateway"],
        }  # fmt: skip
        for target, found in wanted.items():
            assert [one.source for one in ask(story, target=target).sources] == found, target
        assert gaps(ask(story, target="ledger:book"))["never_recorded"] == (1, "gateway#2")
        assert "gateway has gaps; 1 number did not come (2)." in said(story, target="ledger:book")

    def test_a_condition_on_runs_takes_no_source_for_a_run_nor_a_thing(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", says=["message:out"])
        for other in ("harness", "message:out", "call:1"):
            with pytest.raises(BadQuestion, match="is no run"):
                ask(story, run=other)
        story.delegates("delegation:1", "run:2")
        assert [one.run for one in ask(story, run="run:2").run_states] == ["run:2"]

    def test_gaps_have_no_agent_and_no_time(self) -> None:
        names = {parameter.name for parameter in QUESTION.parameters()}
        assert {"run", "source"} <= names
        assert names.isdisjoint({"agent", "since", "until"})

    def test_nothing_received_is_said(self) -> None:
        assert said(Story())[0] == "Nothing was received from any source."


class TestRuns:
    def test_only_the_sources_of_a_run_that_have_gaps_are_told_to_have_them(self) -> None:
        story = Story()
        story.run("run:1", source_number=1)
        story.call("call:1", source="gate", source_number=1)
        story.call("call:2", source="gate", source_number=3)
        story.call("call:3", source="other", source_number=1)
        story.ends("run:1", source_number=2)
        told = "run:1 ended; of its sources gate has gaps, and harness, other are open."
        assert told in said(story, target="run:1")

    def test_ended_open_and_incomplete_runs_are_told_apart(self) -> None:
        story = Story()
        story.run("run:1")
        story.ends()
        story.run("run:2")
        story.run("run:3", source="gateway")
        story.reports("gateway", state="closed", last_number=1)
        graph = ask(story, run=["run:1", "run:2", "run:3"])
        assert [(one.state, one.status) for one in graph.run_states] == [
            ("ended", ("completed",)), ("open", ()), ("incomplete", ())
        ]  # fmt: skip
        assert gaps(graph)["open_run"] == (2, "run:2")
        assert gaps(graph)["incomplete_run"] == (1, "run:3")

    def test_a_run_is_covered_as_the_worst_of_its_sources(self) -> None:
        story = Story()
        story.run("run:1")
        story.tries("att:1", source="gateway")
        story.loses(source="gateway")
        story.tries("att:2", source="gateway")
        [run] = ask(story, run="run:1").run_states
        assert (run.sources, run.coverage) == (("gateway", "harness"), "gaps")


class TestContradictions:
    def test_a_use_before_the_generation(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", sees=["doc:1"], started=instant(10), ended=instant(20))
        story.tries("att:1", results=["doc:1"], started=instant(100), ended=instant(110))
        graph = ask(story, run="run:1")
        [found] = graph.contradictions
        assert found.clock
        assert "doc:1" in found.refs
        assert "By the clock alone" in "".join(said(story, run="run:1"))

    def test_two_start_times_of_one_activity(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", started=instant(1))
        story.call("call:1", started=instant(2), source="other")
        for given in ({"run": "run:1"}, {}, {"source": "harness"}):
            [found] = [one for one in ask(story, **given).contradictions if one.kind == "two_starts"]
            assert (found.refs, found.events, found.clock) == (("call:1",), (2, 3), False)

    def test_one_instant_written_in_two_ways_is_one_start(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("call:1", started="2026-11-10T13:00:00Z")
        story.call("call:1", started="2026-11-10T14:00:00+01:00", source="other")
        assert ask(story, run="run:1").contradictions == ()

    def test_a_cycle_of_derivations_over_several_events(self) -> None:
        story = Story()
        story.run("run:1")
        story.derives("doc:b", "doc:a")
        story.derives("doc:c", "doc:b")
        story.run("run:2")
        story.derives("doc:a", "doc:c")
        for given in ({"target": "doc:a"}, {}):
            [found] = [one for one in ask(story, **given).contradictions if one.kind == "cycle"]
            assert (found.refs, found.events) == (("doc:a", "doc:b", "doc:c"), (2, 3, 5))

    def test_one_id_as_entity_and_activity(self) -> None:
        story = Story()
        story.run("run:1")
        story.call("x:1")
        story.call("call:2", sees=["x:1"])
        assert "two_kinds" in kinds(ask(story, run="run:1"))

    def test_the_same_path_rewritten_makes_no_cycle(self) -> None:
        """Case 137: read, rewritten, read, and given its old content again."""
        story = Story()
        story.run("run:1")
        old, new = "file:/p/config.json@sha256:11", "file:/p/config.json@sha256:22"
        story.tries("r1", reads=[old], tool="read")
        story.tries("w1", reads=[old], writes=[{"ref": new, "mode": "edit", "before": old}])
        story.tries("r2", reads=[new], tool="read")
        story.tries("w2", writes=[{"ref": old, "mode": "replace", "before": new}])
        assert ask(story, run="run:1").contradictions == ()

    def test_nothing_odd_is_said_to_be_so_only_of_what_was_looked_at(self) -> None:
        story = Story()
        story.run("run:1")
        assert "Nothing that was looked at contradicts itself." in said(story)

    def test_what_is_too_much_to_judge_is_said(self) -> None:
        story = Story()
        story.run("run:1")
        for number in range(9):
            story.call(f"call:{number}", sees=[f"doc:{number}"])
        assert "contradictions among all that is recorded" in [
            item.what for item in ask(story, run="run:1", max_nodes=5).unchecked
        ]


class TestBadInput:
    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"run": "run:9"}, NotFound),
            ({"source": "nobody"}, NotFound),
            ({"target": "agent:reporter"}, BadQuestion),
            ({"since": instant(1)}, BadQuestion),
            ({"part": "/a"}, BadQuestion),
        ],
    )
    def test_what_has_no_gaps_of_its_own_is_refused(
        self, given: dict[str, Any], error: type[Exception]
    ) -> None:
        story = Story()
        story.run("run:1")
        with pytest.raises(error):
            ask(story, **given)


def test_one_decision_with_two_verdicts_contradicts_itself() -> None:
    story = Story()
    story.run("run:1")
    story.proposes("act:1")
    story.decides("dec:1", "allow", action="act:1")
    assert "two_verdicts" not in kinds(ask(story))
    story.decides("dec:1", "deny", action="act:1")
    for given in ({}, {"target": "run:1"}, {"target": "dec:1"}, {"target": "act:1"}):
        found = [one for one in ask(story, **given).contradictions if one.kind == "two_verdicts"]
        assert [(one.message, one.events) for one in found] == [
            ("dec:1 is told as allow and as deny", (3, 4))
        ]
