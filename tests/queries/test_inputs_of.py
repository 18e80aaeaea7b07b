"""inputs-of: what went in, by tie, with the best path and its evidence, and what does not fit together."""

from __future__ import annotations

from typing import Any

import pytest

from provmodel.errors import BadQuestion
from queries import shelf
from queries.answer import Answer, Graphed, encode
from queries.graph import Graph
from queries.questions.inputs_of import Input, Inputs
from tests.story import Story, instant

QUESTION = shelf.question("inputs-of")
TIES = ("transformed", "cited", "sent", "adopted", "read")


def ask(graph: Graph, target: str, **more: Any) -> Inputs:
    return answered(graph, target, **more).graph


def answered(graph: Graph, target: str, **more: Any) -> Answer[Inputs]:
    return QUESTION.answer(graph, QUESTION.read({"target": target, **more}))


def told(graph: Graph, target: str, **more: Any) -> str:
    return "\n".join(QUESTION.sentences(answered(graph, target, **more)))


def tied(inputs: Inputs) -> dict[str, list[str]]:
    """References by tie, those that have any."""
    lists: dict[str, list[Input]] = {tie: list(getattr(inputs.links, tie)) for tie in TIES}
    return {tie: [entry.ref for entry in entries] for tie, entries in lists.items() if entries}


def reached(graph: Graphed) -> list[str]:
    return [node if isinstance(node, str) else node.ref for node in graph.nodes]


class TestACitationBesideTheContext:
    """Case 142: a report cites what its call never saw, and not all that it saw."""

    @pytest.fixture
    def graph(self) -> Graph:
        story = Story()
        cites = {"report:1": ["doc:A", "doc:B"]}
        story.call("call:1", sees=["msg:u1", "doc:B"], says=["report:1"], cites=cites)
        return story.graph()

    def test_a_source_both_sent_and_cited_stands_under_both_ties_with_its_own_evidence(
        self, graph: Graph
    ) -> None:
        inputs = ask(graph, "report:1")
        assert tied(inputs) == {"cited": ["doc:A", "doc:B"], "sent": ["doc:B", "msg:u1"]}
        assert {entry.ref: entry.evidence for entry in inputs.links.cited} == {
            "doc:A": "declared",
            "doc:B": "declared",
        }
        assert {entry.evidence for entry in inputs.links.sent} == {"observed"}
        assert not inputs.links.transformed

    def test_cited_but_never_sent_is_flagged_and_so_is_sent_but_not_cited(self, graph: Graph) -> None:
        inputs = ask(graph, "report:1")
        assert [(each.ref, each.output, each.call) for each in inputs.cited_not_sent] == [
            ("doc:A", "report:1", "call:1")
        ]
        assert inputs.sent_not_cited == ("msg:u1",)

    def test_a_filter_by_evidence_leaves_what_is_known_that_way(self, graph: Graph) -> None:
        assert tied(ask(graph, "report:1", evidence=["observed"])) == {"sent": ["doc:B", "msg:u1"]}
        assert tied(ask(graph, "report:1", evidence=["declared"])) == {"cited": ["doc:A", "doc:B"]}
        assert tied(ask(graph, "report:1", evidence=["verified"])) == {}

    def test_the_sentences_say_sent_to_and_never_based_on(self, graph: Graph) -> None:
        words = told(graph, "report:1")
        assert "Sent to the model: doc:B, msg:u1." in words
        assert "Cited but never sent to the model: doc:A." in words
        assert "based on" not in words


def test_a_citation_on_a_text_counts_for_the_write_that_its_call_proposed() -> None:
    story = Story()
    story.call("call:1", sees=["doc:B"], says=["msg:answer"], cites={"msg:answer": ["doc:A"]})
    story.proposes("act:1", call="call:1")
    story.tries("att:1", action="act:1", writes=["file:/r.md@version:1"])
    inputs = ask(story.graph(), "file:/r.md@version:1")
    (cited,) = inputs.links.cited
    assert (cited.ref, cited.method, cited.evidence) == ("doc:A", "sibling", "declared")
    assert cited.path == ("doc:A", "msg:answer", "call:1", "act:1", "att:1", "file:/r.md@version:1")
    assert [each.call for each in inputs.cited_not_sent] == ["call:1"]


def test_a_text_of_the_same_call_is_no_input_of_its_sibling() -> None:
    story = Story()
    story.call("call:1", sees=["doc:B"], says=["msg:1", "msg:2"], cites={"msg:2": ["doc:A"]})
    assert tied(ask(story.graph(), "msg:1")) == {"sent": ["doc:B"]}


def test_what_a_tool_reads_or_returns_is_read_and_so_are_its_members() -> None:
    story = Story()
    story.tries(
        "att:1", reads=["file:/in@version:1"], results=[{"ref": "res:1", "members": [{"ref": "row:1"}]}]
    )
    graph = story.graph()
    assert tied(ask(graph, "res:1")) == {"read": ["row:1", "file:/in@version:1"]}


def test_members_of_a_context_are_sent() -> None:
    story = Story()
    context = {"id": "ctx:2", "extends": "ctx:1", "adds": [{"ref": "msg:2"}]}
    story.call("call:1", context={"id": "ctx:1", "adds": [{"ref": "msg:1"}]}, says=["msg:2"])
    story.call("call:2", context=context, says=["msg:3"])
    inputs = ask(story.graph(), "msg:3")
    assert tied(inputs) == {"sent": ["msg:1", "msg:2"]}
    assert inputs.direct == ("msg:1", "msg:2")


def test_what_a_later_context_left_out_is_not_reached() -> None:
    story = Story()
    story.call("call:1", context={"id": "ctx:1", "adds": [{"ref": "msg:secret"}]}, says=["msg:2"])
    context = {"id": "ctx:2", "extends": "ctx:1", "adds": [{"ref": "msg:9"}], "omits": ["msg:secret"]}
    story.call("call:2", context=context, says=["msg:3"])
    inputs = ask(story.graph(), "msg:3")
    assert tied(inputs) == {"sent": ["msg:9"]}
    assert [gap.kind for gap in inputs.gaps if gap.example == "ctx:2"] == ["partial"]


def test_a_transformation_is_transformed_and_a_rerunnable_one_verified() -> None:
    story = Story()
    story.derives("table", "doc:B", rerunnable=True)
    (entry,) = ask(story.graph(), "table").links.transformed
    assert (entry.ref, entry.evidence, entry.path) == ("doc:B", "verified", ("doc:B", "table"))


def test_only_an_adoption_brings_a_draft_in() -> None:
    story = Story()
    story.call("call:sub", sees=["doc:1"], says=["draft:1"])
    story.adopts("adopt:1", "draft:1", accepted="taken:1")
    story.call("call:main", sees=["taken:1"], says=["report:1"])
    inputs = ask(story.graph(), "report:1")
    assert tied(inputs) == {"sent": ["taken:1", "doc:1"], "adopted": ["draft:1"]}
    assert inputs.direct == ("taken:1",)


def test_a_draft_that_was_rejected_and_sent_all_the_same_is_told() -> None:
    story = Story()
    story.call("call:sub", says=["draft:1"], started=instant(1), ended=instant(2))
    story.adopts("adopt:1", "draft:1", verdict="rejected", time=instant(10))
    story.call("call:review", sees=["draft:1"], says=["msg:r"], started=instant(4), ended=instant(5))
    story.call(
        "call:main", sees=["draft:1", "msg:r"], says=["report:1"], started=instant(20), ended=instant(21)
    )
    inputs = ask(story.graph(), "report:1")
    assert [(each.ref, each.verdict, each.call) for each in inputs.rejected_but_sent] == [
        ("draft:1", "rejected", "call:main")
    ]


def test_a_draft_that_nobody_used_is_in_no_lineage() -> None:
    """Case 118: time and nesting make no edge."""
    story = Story()
    story.run("run:1")
    story.span("span:main", kind="AGENT")
    story.span("span:sub", kind="AGENT", parent="span:main", outputs=["draft"])
    story.call("call:final", sees=["msg:b"], says=["report"], parent="span:main")
    graph = story.graph()
    assert tied(ask(graph, "report")) == {"sent": ["msg:b"]}
    impact = shelf.question("impact-of")
    assert impact.answer(graph, impact.read({"target": "draft"})).graph.affected == ()


def test_one_path_written_again_with_old_content_makes_no_cycle() -> None:
    """Case 137: a version is an occurrence, not a path and not a content."""
    path, one, two = "file:/p/config.json", "1" * 64, "2" * 64
    story = Story()
    story.run("run:1")
    story.tries("r1", reads=[f"{path}@sha256:{one}"], results=["res:1"], ended=instant(1))
    edit = {"ref": f"{path}@sha256:{two}", "before": f"{path}@sha256:{one}", "mode": "edit"}
    story.tries("w1", writes=[edit], ended=instant(2))
    story.tries("r2", reads=[f"{path}@sha256:{two}"], results=["res:2"], started=instant(3), ended=instant(3))
    replace = {"ref": f"{path}@sha256:{one}", "before": f"{path}@sha256:{two}", "mode": "replace"}
    story.tries("w2", writes=[replace], started=instant(4), ended=instant(4))
    graph = story.graph()
    newest = ask(graph, path)
    assert newest.targets[0].ref == f"{path}@sha256:{one};by=w2"
    assert f"{path}@sha256:{two};by=w1" in newest.targets[0].others
    assert tied(newest) == {}
    read = ask(graph, "res:2")
    assert f"{path}@sha256:{two};by=w1" in tied(read)["read"]
    assert f"{path}@sha256:{one};by=w2" not in reached(read)
    edited = ask(graph, f"{path}@sha256:{two};by=w1")
    assert tied(edited) == {"transformed": [f"{path}@sha256:{one}"]}


def test_the_best_path_is_the_one_whose_weakest_edge_is_best() -> None:
    story = Story()
    story.derives("report", "doc:1", method="guess", evidence="inferred")
    story.derives("table", "doc:1", rerunnable=True)
    story.derives("report", "table", rerunnable=True)
    entries = {(e.ref, e.evidence, e.steps) for e in ask(story.graph(), "report").links.transformed}
    assert entries == {("doc:1", "verified", 2), ("table", "verified", 1)}


def test_a_long_path_shows_its_end_next_to_the_input_and_its_length() -> None:
    story = Story()
    for number in range(40):
        story.derives(f"e:{number + 1}", f"e:{number}")
    inputs = ask(story.graph(), "e:40", depth="100")
    (last,) = [entry for entry in inputs.links.transformed if entry.ref == "e:0"]
    assert last.steps == 40
    assert last.path == tuple(f"e:{number}" for number in range(16))


def test_conditions_are_listed_one_step_deep_and_not_crossed() -> None:
    story = Story()
    story.derives("skill:refunds@sha256:" + "1" * 64, "doc:basis")
    instructions = [{"ref": "skill:refunds@sha256:" + "1" * 64}]
    story.call("call:1", sees=["msg:1"], says=["report"], instructions=instructions, agent="writer")
    inputs = ask(story.graph(), "report")
    assert [(edge.source, edge.role) for edge in inputs.conditions if edge.term == "used"] == [
        ("call:1", "instruction")
    ]
    assert {edge.target for edge in inputs.responsible} == {"model:m-1", "agent:writer"}
    assert "doc:basis" not in reached(inputs)


def test_an_empty_answer_says_why() -> None:
    story = Story()
    story.tries("att:1", results=["res:1"])
    graph = story.graph()
    assert "No input of res:1 is recorded: 1 tool call on the way reports no reads (att:1)." in told(
        graph, "res:1"
    )
    story = Story()
    story.version("doc:1")
    assert "nor what made it" in told(story.graph(), "doc:1")


@pytest.mark.parametrize("target", ["run:1", "report"])
def test_an_empty_answer_about_a_run_or_its_output_tells_of_the_steps_of_the_run(target: str) -> None:
    story = Story()
    story.run("run:1")
    for number in range(3):
        story.tries(f"att:{number}", results=[f"res:{number}"])
    story.call("call:1", sees=["res:1"], says=["text"])
    story.ends(outputs=["report"])
    inputs = ask(story.graph(), target)
    assert [(each.step, each.where, each.count, each.example) for each in inputs.silences] == [
        ("tool_call", "run", 3, "att:0")
    ]
    words = told(story.graph(), target)
    whole = " as a whole" if target == "run:1" else ""
    assert f"No input of {target}{whole} is recorded" in words
    assert ": 3 tool calls of this run report no reads (such as att:0)." in words


def test_several_targets_are_answered_together() -> None:
    story = Story()
    story.call("call:1", sees=["doc:1"], says=["msg:1"])
    story.call("call:2", sees=["doc:2"], says=["msg:2"])
    graph = story.graph()
    both = QUESTION.answer(graph, QUESTION.read({"target": ["msg:1", "msg:2"]})).graph
    assert tied(both) == {"sent": ["doc:1", "doc:2"]}


class TestParts:
    def graph(self) -> Graph:
        story = Story()
        first, second = {"start": 0, "end": 10}, {"start": 10, "end": 20}
        citations = [
            {"output": "report", "source": "doc:A", "output_part": first},
            {"output": "report", "source": "doc:B", "output_part": second},
        ]
        story.call("call:1", sees=["msg:1"], says=["report"], citations=citations)
        return story.graph()

    def test_a_part_keeps_the_citations_on_it_and_what_stands_for_the_whole(self) -> None:
        inputs = ask(self.graph(), "report", part="char:0-5")
        assert tied(inputs) == {"cited": ["doc:A"], "sent": ["msg:1"]}
        assert inputs.part is not None
        assert (inputs.part.recorded, inputs.part.matched, inputs.part.whole_only) == (2, 1, False)

    def test_a_part_of_which_nothing_is_recorded_says_so(self) -> None:
        story = Story()
        story.call("call:1", sees=["msg:1"], says=["report"])
        inputs = ask(story.graph(), "report", part="/total")
        assert inputs.part is not None
        assert inputs.part.whole_only
        assert "answer for the whole" in told(story.graph(), "report", part="/total")

    def test_what_is_recorded_of_other_parts_alone_is_left_out_and_counted(self) -> None:
        inputs = ask(self.graph(), "report", part="char:30-40")
        assert tied(inputs) == {"sent": ["msg:1"]}
        assert inputs.part is not None
        assert (inputs.part.recorded, inputs.part.matched, inputs.part.whole_only) == (2, 0, True)
        words = told(self.graph(), "report", part="char:30-40")
        assert "this is what is recorded of the whole, and 2 of other parts are left out." in words

    def test_parts_in_another_unit_can_not_be_compared_and_stay(self) -> None:
        inputs = ask(self.graph(), "report", part="line:1-2")
        assert tied(inputs) == {"cited": ["doc:A", "doc:B"], "sent": ["msg:1"]}
        assert inputs.part is not None
        assert (inputs.part.unlike, inputs.part.whole_only) == (2, True)

    def test_parts_in_another_unit_stay_and_are_told_of_where_others_match(self) -> None:
        story = Story()
        parts = {"doc:A": {"start": 0, "end": 2, "unit": "line"}, "doc:B": {"start": 10, "end": 20}}
        cited = [{"output": "report", "source": ref, "output_part": part} for ref, part in parts.items()]
        story.call("call:1", sees=[], says=["report"], citations=cited)
        assert tied(ask(story.graph(), "report", part="line:1-2")) == {"cited": ["doc:A", "doc:B"]}
        words = told(story.graph(), "report", part="line:1-2")
        assert "1 edge names a part in another unit than line:1-2: that stays in." in words

    def test_a_passage_of_a_source_is_none_of_the_target(self) -> None:
        story = Story()
        passage = {"start": 0, "end": 10, "unit": "char"}
        story.derives("report", {"ref": "doc:A", "part": passage})
        inputs = ask(story.graph(), "report", part="char:50-60")
        assert tied(inputs) == {"transformed": ["doc:A"]}
        assert inputs.part is not None
        assert inputs.part.recorded == 0

    def test_a_transformation_says_which_passage_each_source_went_into(self) -> None:
        story = Story()
        parts = [{"start": 0, "end": 10}, {"start": 10, "end": 20}]
        story.derives("report", "doc:A", "doc:B", parts=parts)
        assert tied(ask(story.graph(), "report", part="char:12-14")) == {"transformed": ["doc:B"]}

    def test_an_argument_is_a_part_by_its_pointer(self) -> None:
        story = Story()
        sources = [
            {"pointer": f"/{name}", "kind": "sourced", "ref": f"msg:{name}"} for name in ("amount", "to")
        ]
        story.proposes("act:1", arguments={"amount": 1, "to": "x"}, sources=sources)
        assert tied(ask(story.graph(), "act:1", part="/amount")) == {"transformed": ["msg:amount"]}

    def test_references_alone_keep_to_the_part_too(self) -> None:
        inputs = ask(self.graph(), "report", part="char:0-5", view="ids")
        assert "doc:A" in inputs.nodes
        assert "doc:B" not in inputs.nodes
        assert inputs.part is not None

    def test_a_part_that_is_none_is_refused_with_what_one_looks_like(self) -> None:
        with pytest.raises(BadQuestion, match="JSON pointer such as /total"):
            ask(self.graph(), "report", part="page 3")

    @pytest.mark.parametrize("part", ["char:10-5", "line:3-3"])
    def test_a_part_that_ends_before_anything_is_in_it_is_refused(self, part: str) -> None:
        with pytest.raises(BadQuestion, match="ends before anything is in it; name an end after"):
            ask(self.graph(), "report", part=part)

    def test_folding_is_refused_for_now(self) -> None:
        with pytest.raises(BadQuestion, match="fold"):
            ask(self.graph(), "report", fold="kind")


def test_one_input_is_told_as_direct_or_not_and_several_by_their_number() -> None:
    story = Story()
    story.call("call:1", sees=["doc:1"], says=["msg:1"])
    story.call("call:2", sees=["msg:1"], says=["msg:2"])
    assert "msg:1 had 1 input, a direct one." in told(story.graph(), "msg:1")
    assert "msg:2 had 2 inputs, 1 of them direct." in told(story.graph(), "msg:2")


def test_what_is_missing_more_than_once_is_told_with_one_example_of_it() -> None:
    story = Story()
    story.call("call:1", sees=["file:/a", "file:/b"], says=["msg:1"])
    assert "2 are named without a version (such as file:/a)." in told(story.graph(), "msg:1")


def test_ids_only_gives_references_in_the_same_order() -> None:
    story = Story()
    story.call("call:1", sees=["doc:1"], says=["msg:1"])
    graph = story.graph()
    full, ids = ask(graph, "msg:1"), ask(graph, "msg:1", view="ids")
    assert reached(ids) == reached(full)
    assert ids.edges == ()


def test_the_graph_part_is_reproduced_byte_for_byte() -> None:
    story = Story()
    story.call("call:1", sees=["doc:2", "doc:1"], says=["msg:1"], cites={"msg:1": ["doc:2"]})
    graph = story.graph()
    before = answered(graph, "msg:1", as_of="1")
    story.retracts("doc:1")
    after = answered(story.graph(), "msg:1", as_of="1")
    assert encode(Answer("q", before.graph, before.availability)) == encode(
        Answer("q", after.graph, before.availability)
    )


@pytest.mark.parametrize("room", [1, 2, 3, 4, 5, 6, 7])
def test_what_may_be_the_version_that_is_cited_is_not_told_as_uncited_whatever_the_page(room: int) -> None:
    story = Story()
    cites = {"msg:o": ["file:/a@version:2"]}
    story.call("call:1", sees=["file:/a", "doc:b@version:1"], says=["msg:o"], cites=cites)
    story.derives("doc:b@version:1", "doc:c@version:1")
    graph = story.graph()
    pages = [ask(graph, "msg:o", max_nodes=room)]
    while pages[-1].cursor:
        pages.append(ask(graph, "msg:o", max_nodes=room, cursor=pages[-1].cursor))
    assert [ref for page in pages for ref in page.sent_not_cited] == ["doc:b@version:1"]
