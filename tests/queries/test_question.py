"""Every question on the shelf documents itself, and reads its parameters from a face's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from provmodel.errors import BadQuestion
from queries import shelf
from queries.answer import Answer, Graphed
from queries.lineage import LINEAGE
from queries.question import Asked, Question, parameters_of, read_as_of
from tests.story import Story, instant

COMMON = (
    "target",
    "evidence",
    "policy",
    "expand",
    "include_refuted",
    "as_of",
    "depth",
    "max_nodes",
    "part",
    "fold",
    "cursor",
)
ALL: list[Question[Any, Any]] = [*shelf.questions().values(), LINEAGE]


def names(questions: Iterable[Question[Any, Any]]) -> list[str]:
    return [question.name for question in questions]


class TestTheShelf:
    def test_it_offers_the_three_that_an_incident_asks_first(self) -> None:
        assert {"inputs-of", "impact-of", "who-authorized"} <= shelf.questions().keys()

    def test_an_unknown_question_is_refused_with_those_there_are(self) -> None:
        with pytest.raises(BadQuestion, match="inputs-of"):
            shelf.question("why-not")

    def test_a_module_must_offer_exactly_one(self) -> None:
        with pytest.raises(TypeError, match="must define one"):
            shelf.one("provmodel", Question, "mapping")  # type: ignore[type-abstract]

    def test_a_question_is_called_as_its_file_is(self) -> None:
        assert list(shelf.named()) == list(shelf.questions()) == names(shelf.questions().values())


@pytest.mark.parametrize("question", ALL, ids=names(ALL))
class TestEachQuestion:
    def test_it_says_what_it_answers(self, question: Question[Any, Any]) -> None:
        assert question.sentence.endswith("?")
        assert question.name == question.name.lower()
        assert issubclass(question.graphed, Graphed)

    def test_it_takes_the_common_parameters_by_their_names(self, question: Question[Any, Any]) -> None:
        found = [parameter.name for parameter in question.parameters()]
        assert set(COMMON) <= set(found)
        assert all(parameter.description for parameter in question.parameters())

    def test_its_example_is_a_question(self, question: Question[Any, Any]) -> None:
        assert len(question.read(question.example).target) >= question.needs

    def test_its_parameters_and_its_answer_have_a_schema(self, question: Question[Any, Any]) -> None:
        assert msgspec.json.schema(question.params)["$defs"]
        assert msgspec.json.schema(question.graphed)["$defs"]

    def test_it_is_about_targets_or_about_all_there_is(self, question: Question[Any, Any]) -> None:
        if question.needs == 0:
            assert question.answer(Story().graph(), question.read({})).graph.targets == ()
            return
        with pytest.raises(BadQuestion, match="target"):
            question.answer(Story().graph(), question.read({}))

    def test_its_answer_survives_json(self, question: Question[Any, Any]) -> None:
        story = Story()
        story.run("run:1")
        story.call("c:1", sees=["doc:1"], says=["msg:1"])
        story.proposes("act:1", call="c:1")
        story.tries("att:1", action="act:1", writes=["file:/r@version:1"])
        story.run("run:2")
        targets = ["run:1", "run:2"][: question.needs] if question.of_runs else ["file:/r@version:1"]
        answer = question.answer(story.graph(), question.read({"target": targets}))
        again = msgspec.json.decode(msgspec.json.encode(answer), type=Answer[question.graphed])  # type: ignore[name-defined]
        assert msgspec.json.encode(again) == msgspec.json.encode(answer)
        assert all(question.sentences(answer))


class TestParameters:
    def test_their_bounds_and_values_are_told(self) -> None:
        found = {parameter.name: parameter for parameter in parameters_of(Asked)}
        assert (found["depth"].minimum, found["depth"].maximum, found["depth"].default) == (0, 1_000_000, 40)
        assert found["evidence"].repeatable
        assert set(found["evidence"].allowed) == {"verified", "observed", "declared", "inferred"}
        assert found["include_refuted"].kind == "flag"

    def test_text_is_read_as_what_it_stands_for(self) -> None:
        asked = LINEAGE.read({"target": "a", "depth": "3", "include_refuted": "true", "evidence": "observed"})
        assert (asked.target, asked.depth, asked.include_refuted) == (("a",), 3, True)
        assert asked.evidence == ("observed",)

    @pytest.mark.parametrize(
        ("given", "parameter"),
        [
            ({"depth": "-1"}, "depth"),
            ({"depth": "many"}, "depth"),
            ({"max_nodes": "0"}, "max_nodes"),
            ({"evidence": ["certain"]}, "evidence"),
            ({"view": "short"}, "view"),
            ({"colour": "red"}, "colour"),
            ({"depth": ["1", "2"]}, "depth"),
        ],
    )
    def test_what_is_out_of_range_is_refused_by_name(self, given: dict[str, Any], parameter: str) -> None:
        with pytest.raises(BadQuestion) as refused:
            LINEAGE.read({"target": "a", **given})
        assert refused.value.parameter == parameter
        assert refused.value.remedy


class TestAsOf:
    def test_it_is_a_seq_a_time_or_now(self) -> None:
        story = Story()
        for number in range(3):
            story.call(f"c:{number}")
        graph = story.graph()
        assert [read_as_of(graph, given) for given in ("", "2", 1, 0)] == [3, 2, 1, 0]
        assert read_as_of(graph, instant(2.5)) == 2

    @pytest.mark.parametrize(
        "given",
        ["4", 4, -1, "yesterday", "2026-02-30T00:00:00Z", "2026-02-03", "9" * 5000, "2026-02-03T00:00:00Z\n"],
    )
    def test_anything_else_is_refused(self, given: str | int) -> None:
        story = Story()
        for number in range(3):
            story.call(f"c:{number}")
        with pytest.raises(BadQuestion, match="as_of"):
            read_as_of(story.graph(), given)
