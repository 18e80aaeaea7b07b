"""Walks: limits clip at a whole level and say so, cursors go on, hubs stand in the frontier."""

from __future__ import annotations

import time
from typing import Any

import pytest

from provmodel.errors import BadQuestion
from queries.answer import Graphed, Node
from queries.graph import Frontier, Graph
from queries.lineage import LINEAGE
from queries.memory import MemoryGraph
from tests.story import Story

CHAIN = 20_000
STAR = 50_000
SECONDS = 60  # of this process's own time, some forty times what it takes


def ask(graph: Graph, *targets: str, **more: Any) -> Graphed:
    return LINEAGE.answer(graph, LINEAGE.read({"target": list(targets), **more})).graph


def nodes(graph: Graphed) -> list[Node]:
    return [node for node in graph.nodes if isinstance(node, Node)]


def refs(graph: Graphed) -> list[str]:
    return [node.ref for node in nodes(graph)]


def pages(graph: Graph, target: str, **more: Any) -> list[Graphed]:
    """The answer and all that its cursors lead to."""
    found = [ask(graph, target, **more)]
    while found[-1].cursor:
        found.append(ask(graph, target, cursor=found[-1].cursor, **more))
    return found


def chain(length: int) -> MemoryGraph:
    story = Story()
    for number in range(length):
        story.call(f"c:{number}", sees=[f"e:{number}"], says=[f"e:{number + 1}"])
    return story.graph()


@pytest.fixture(scope="module")
def long_chain() -> MemoryGraph:
    """Case 075: a chain of 20,000 derivations."""
    story = Story(numbered=False)
    for number in range(CHAIN):
        story.derives(f"e:{number + 1}", f"e:{number}")
    return MemoryGraph.of_events(story.events)


@pytest.fixture(scope="module")
def star() -> MemoryGraph:
    """Case 075: one activity that used 50,000 things."""
    story = Story(numbered=False)
    for start in range(0, STAR, 1000):
        story.call("a", sees=[f"in:{number}" for number in range(start, start + 1000)])
    return MemoryGraph.of_events(story.events)


class TestDepth:
    def test_it_counts_activities_and_not_what_they_used_or_made(self) -> None:
        assert [(node.ref, node.depth) for node in nodes(ask(chain(2), "e:2"))] == [
            ("e:2", 0),
            ("c:1", 1),
            ("e:1", 1),
            ("c:0", 2),
            ("e:0", 2),
        ]

    def test_a_derivation_stands_for_an_activity_that_nobody_named(self) -> None:
        story = Story()
        story.derives("b", "a")
        assert [(node.ref, node.depth) for node in nodes(ask(story.graph(), "b"))] == [("b", 0), ("a", 1)]

    def test_snapshots_and_members_cost_none(self) -> None:
        story = Story()
        story.call("c:1", context={"id": "ctx", "adds": [{"ref": "msg:1"}]}, says=["msg:2"])
        depths = {node.ref: node.depth for node in nodes(ask(story.graph(), "msg:2"))}
        assert depths == {"msg:2": 0, "c:1": 1, "ctx": 1, "msg:1": 1}

    def test_a_limit_clips_at_a_whole_level_with_the_frontier_and_a_cursor(self) -> None:
        answer = ask(chain(5), "e:5", depth="2")
        assert refs(answer) == ["e:5", "c:4", "e:4", "c:3", "e:3"]
        assert answer.truncated
        assert not answer.complete
        assert answer.frontier == (Frontier("e:3", "out", 1, True, "depth"),)
        assert answer.cursor

    def test_zero_answers_with_the_target_alone(self) -> None:
        answer = ask(chain(5), "e:5", depth="0")
        assert refs(answer) == ["e:5"]
        assert [(stop.ref, stop.count) for stop in answer.frontier] == [("e:5", 1)]


class TestCursor:
    def test_pages_show_everything_once_and_in_order(self) -> None:
        graph = chain(9)
        whole = ask(graph, "e:9")
        found = pages(graph, "e:9", depth="2")
        assert [ref for page in found for ref in refs(page)] == refs(whole)
        assert [node.depth for page in found for node in nodes(page)] == [node.depth for node in nodes(whole)]
        assert [edge for page in found for edge in page.edges] == list(whole.edges)
        assert not found[-1].truncated

    @pytest.mark.parametrize("room", [1, 2, 3, 7])
    def test_any_room_for_nodes_shows_everything_once(self, room: int) -> None:
        story = Story()
        for number in range(6):
            sees = [f"e:{number}", *(f"doc:{number}.{index}" for index in range(4))]
            story.call(f"c:{number}", sees=sees, says=[f"e:{number + 1}"])
        graph = story.graph()
        found = pages(graph, "e:6", max_nodes=str(room))
        assert [ref for page in found for ref in refs(page)] == refs(ask(graph, "e:6"))
        assert {edge.relation for page in found for edge in page.edges} == {
            edge.relation for edge in ask(graph, "e:6").edges
        }
        assert all(len(page.nodes) <= room for page in found)

    def test_it_goes_on_as_of_the_seq_of_its_question(self) -> None:
        story = Story()
        for number in range(4):
            story.call(f"c:{number}", sees=[f"e:{number}"], says=[f"e:{number + 1}"])
        first = ask(story.graph(), "e:4", depth="1")
        story.call("c:new", sees=["late"], says=["e:0"])
        later = ask(story.graph(), "e:4", depth="1", cursor=first.cursor)
        assert later.as_of == first.as_of == 4

    @pytest.mark.parametrize(
        "change", [{"depth": "3"}, {"policy": "derivation"}, {"evidence": ["observed"]}, {"target": ["e:4"]}]
    )
    def test_it_belongs_to_its_question_alone(self, change: dict[str, Any]) -> None:
        graph = chain(5)
        cursor = ask(graph, "e:5", depth="1").cursor
        asked = {"target": ["e:5"], "depth": "1", "cursor": cursor, **change}
        with pytest.raises(BadQuestion, match="another question"):
            LINEAGE.answer(graph, LINEAGE.read(asked))

    @pytest.mark.parametrize("forged", ["x", "AAAA", "ä", "=" * 8, "A" * 64])
    def test_a_forged_one_is_refused(self, forged: str) -> None:
        with pytest.raises(BadQuestion, match="cursor"):
            ask(chain(2), "e:2", cursor=forged)

    def test_a_changed_letter_is_noticed(self) -> None:
        graph = chain(5)
        cursor = ask(graph, "e:5", depth="1").cursor
        for place in range(len(cursor) - 1):
            changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
            with pytest.raises(BadQuestion):
                ask(graph, "e:5", depth="1", cursor=changed)


class TestTheLongChain:
    def test_it_is_walked_to_its_end_without_recursion(self, long_chain: MemoryGraph) -> None:
        began = time.process_time()
        answer = ask(long_chain, f"e:{CHAIN}", depth="100000", max_nodes="100000", deadline="600000")
        assert time.process_time() - began < SECONDS
        assert len(answer.nodes) == CHAIN + 1
        assert not answer.truncated

    def test_default_limits_cut_it_and_a_cursor_goes_on(self, long_chain: MemoryGraph) -> None:
        answer = ask(long_chain, f"e:{CHAIN}")
        assert answer.truncated
        assert refs(ask(long_chain, f"e:{CHAIN}", cursor=answer.cursor))[0] == f"e:{CHAIN - 41}"


class TestHubs:
    def test_a_start_hub_is_paged_and_counted(self, star: MemoryGraph) -> None:
        first = ask(star, "a")
        assert len(first.nodes) == 1001
        assert first.truncated
        assert first.frontier == (Frontier("a", "out", 100, False, "page"),)
        second = ask(star, "a", cursor=first.cursor)
        assert len(second.nodes) == 1000
        assert not set(refs(first)) & set(refs(second))

    def test_its_pages_show_every_neighbour_once(self) -> None:
        story = Story()
        story.call("a", sees=[f"in:{number}" for number in range(3500)])
        graph = story.graph()
        seen: list[str] = []
        asked: dict[str, Any] = {"target": "a", "view": "ids"}
        while True:
            answer = LINEAGE.answer(graph, LINEAGE.read(asked)).graph
            seen += [str(ref) for ref in answer.nodes]
            if not answer.cursor:
                break
            asked["cursor"] = answer.cursor
        assert len(seen) == len(set(seen)) == 3501
        assert not answer.truncated

    def test_a_hub_on_the_way_is_not_expanded_but_stands_in_the_frontier(self) -> None:
        story = Story()
        story.call("hub", sees=[f"in:{number}" for number in range(1001)], says=["msg:1"])
        graph = story.graph()
        answer = ask(graph, "msg:1")
        assert refs(answer) == ["msg:1", "hub"]
        assert answer.truncated
        assert answer.frontier == (Frontier("hub", "out", 100, False, "hub"),)
        assert len(ask(graph, "msg:1", expand=["hub"]).nodes) == 2 + 1001
        said = LINEAGE.sentences(LINEAGE.answer(graph, LINEAGE.read({"target": "msg:1"})))
        assert any("(hub); a hub is gone on from when it is named in expand." in line for line in said)

    def test_a_hub_is_named_in_expand_as_targets_are(self) -> None:
        story = Story()
        for number in range(1001):
            story.call(f"c:{number}", sees=["doc:a/hub@version:1"], says=[f"e:{number}"])
        graph = story.graph()
        paged = ask(graph, "a/hub", direction="forward")
        assert [stop.reason for stop in paged.frontier] == ["page"]
        for name in ("doc:a/hub@version:1", "doc:a/hub", "hub"):
            whole = ask(graph, "a/hub", direction="forward", expand=[name])
            assert not whole.truncated
            assert not whole.unchecked
            assert len(whole.nodes) == 1 + 2 * 1001

    def test_a_thousand_neighbours_are_no_hub(self) -> None:
        story = Story()
        story.call("busy", sees=[f"in:{number}" for number in range(1000)], says=["msg:1"])
        answer = ask(story.graph(), "msg:1")
        assert len(answer.nodes) == 1002
        assert not answer.truncated

    def test_naming_a_node_that_is_not_there_in_expand_is_told(self) -> None:
        answer = ask(chain(1), "e:1", expand=["nobody"])
        assert [(item.what, item.why) for item in answer.unchecked] == [
            ("expand nobody", "no node of that name")
        ]

    def test_the_frontier_is_counted_exactly_to_a_hundred(self) -> None:
        for count, told in ((100, (100, True)), (101, (100, False))):
            story = Story()
            for number in range(count):
                story.call(f"c:{number}", sees=["doc"], says=[f"e:{number}"])
            (stop,) = ask(story.graph(), "doc", direction="forward", depth="0").frontier
            assert (stop.count, stop.exact) == told


class TestWhatIsCrossed:
    def test_a_walk_stops_where_it_is_told_to(self) -> None:
        answer = ask(chain(3), "e:3", stop_at=["activity"])
        assert refs(answer) == ["e:3", "c:2"]
        assert [(stop.ref, stop.reason) for stop in answer.frontier] == [("c:2", "stop_at")]
        assert not answer.truncated
        assert refs(ask(chain(3), "e:3", stop_at=["clew:ModelCall"])) == ["e:3", "c:2"]

    def test_a_policy_of_ones_own_is_data(self) -> None:
        story = Story()
        story.call("c:1", sees=["doc:1"], says=["msg:1"], cites={"msg:1": ["doc:2"]})
        own = '{"direction": "backward", "flows": ["data"], "terms": ["wasDerivedFrom"]}'
        answer = ask(story.graph(), "msg:1", policy=own)
        assert refs(answer) == ["msg:1", "doc:2"]
        assert answer.policy.terms == ("wasDerivedFrom",)

    def test_derivation_crosses_derivations_alone(self) -> None:
        story = Story()
        story.call("c:1", sees=["doc:1"], says=["msg:1"], cites={"msg:1": ["doc:2"]})
        assert refs(ask(story.graph(), "msg:1", policy="derivation")) == ["msg:1", "doc:2"]

    def test_who_leads_to_the_decision_its_decider_and_its_policy(self) -> None:
        story = Story()
        story.proposes("act:1")
        story.decides("dec:1", action="act:1", policy={"ref": "policy:p@version:1"}, decider="ann")
        story.tries("att:1", action="act:1", decision="dec:1", writes=["file:/r@version:1"], reads=["doc:1"])
        found = refs(ask(story.graph(), "file:/r@version:1", policy="who"))
        assert {"att:1", "dec:1", "dec:1;authorization", "person:ann", "policy:p@version:1"} <= set(found)
        assert "doc:1" not in found

    @pytest.mark.parametrize(
        "policy", ["whatever", '{"direction": "up", "flows": ["data"]}', '{"flows": []}', '{"direction":']
    )
    def test_a_policy_that_is_none_is_refused(self, policy: str) -> None:
        with pytest.raises(BadQuestion, match="policy"):
            ask(chain(1), "e:1", policy=policy)

    def test_a_policy_with_an_unknown_relation_is_refused(self) -> None:
        own = '{"direction": "backward", "flows": ["data"], "terms": ["wasInspiredBy"]}'
        with pytest.raises(BadQuestion, match="wasInspiredBy"):
            ask(chain(1), "e:1", policy=own)

    def test_forward_runs_from_a_member_to_what_holds_it(self) -> None:
        story = Story()
        story.call("c:1", context={"id": "ctx", "adds": [{"ref": "msg:1"}]}, says=["msg:2"])
        assert refs(ask(story.graph(), "msg:1", direction="forward")) == ["ctx", "msg:1", "c:1", "msg:2"]

    def test_backward_never_runs_from_a_member_to_what_holds_it(self) -> None:
        story = Story()
        story.tries("att:1", reads=["doc:1"], results=[{"ref": "res:1", "members": [{"ref": "row:1"}]}])
        assert refs(ask(story.graph(), "row:1")) == ["row:1", "att:1", "doc:1"]

    def test_a_grant_as_start_reaches_the_attempts_under_it(self) -> None:
        story = Story()
        story.decides("dec:1", object="x")
        story.tries("att:1", decision="dec:1", writes=["file:/r@version:1"])
        assert "file:/r@version:1" in refs(ask(story.graph(), "dec:1", direction="forward"))

    def test_a_walk_passes_through_what_was_deleted_or_taken_back_and_marks_it(self) -> None:
        """Case 144."""
        story = Story()
        story.version("in", body={"text": "secret"})
        story.call("m1", sees=["in"], says=[{"ref": "mid", "body": {"id": "body:mid", "text": "x"}}])
        story.call("m2", sees=["mid"], says=["out"])
        story.deletes("body:mid", actor="job:sweeper", reason_class="retention", policy="policy:90-days")
        answer = ask(story.graph(), "out")
        assert refs(answer) == ["out", "m2", "mid", "in", "m1"]
        (mark,) = [mark for node in nodes(answer) for mark in node.marks if mark.kind == "deleted"]
        assert (mark.by, mark.reason, mark.ref, mark.event) == (
            "agent:job:sweeper",
            "retention",
            "policy:90-days",
            4,
        )
        assert mark.time
        assert "secret" not in repr(answer)
        assert ("deleted", 1, "mid") in [(gap.kind, gap.count, gap.example) for gap in answer.gaps]
