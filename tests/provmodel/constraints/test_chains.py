"""What a verdict says of how it came about."""

from __future__ import annotations

import json

from provmodel.constraints import MOST_TOLD, Violation, validate
from provmodel.document import AnyStatement, Element, Literal, statement
from provmodel.lexical import CLEW
from provmodel.relations import DERIVATION, GENERATION, SPECIALIZATION, USAGE, Kind
from tests.provmodel.constraints.said import EX, judged, of


def only(text: str) -> Violation:
    [one] = judged(text).violations
    return one


def rules(one: Violation) -> list[str]:
    return [step.rule for step in one.chain]


def test_two_values_under_one_id_are_told_with_both_statements() -> None:
    one = only("entity(ex:f) & used(ex:u; ex:a, ex:e, -) & used(ex:u; ex:a, ex:f, -)")
    assert one.message == "ex:u is one usage, and yet its entity is ex:e and ex:f."
    assert one.statements == ("used(ex:u; ex:a, ex:e)", "used(ex:u; ex:a, ex:f)")
    assert rules(one) == ["23"]


def test_statements_that_become_one_by_a_third_are_told_with_it() -> None:
    """The second start gets its starter from the first; so it is the third as well, and the times differ."""
    one = only(
        "wasStartedBy(ex:s; ex:a, -, ex:b, -) & wasStartedBy(ex:s; ex:a, -, -, 2024-01-01T00:00:00Z)"
        " & wasStartedBy(ex:a, ex:e, ex:b, 2024-01-02T00:00:00Z)"
    )
    assert (
        one.message == "ex:s is one start, and yet its time is 2024-01-01T00:00:00Z and 2024-01-02T00:00:00Z."
    )
    assert sorted(rules(one)) == ["23", "26"]
    assert {text for step in one.chain for text in step.statements} == {
        "wasStartedBy(ex:s; ex:a, -, ex:b)",
        "wasStartedBy(ex:s; ex:a, -, -, 2024-01-01T00:00:00Z)",
        "wasStartedBy(ex:a, ex:e, ex:b, 2024-01-02T00:00:00Z)",
    }


def test_a_generation_that_a_derivation_implies_is_told_as_such() -> None:
    one = only("wasDerivedFrom(ex:d; ex:b, ex:a, ex:x, ex:g, -) & wasGeneratedBy(ex:h; ex:b, ex:x, -)")
    assert one.constraint == "24"
    assert rules(one) == ["11", "24"]
    assert one.chain[0].text == "so there is a generation of ex:b and ex:x"
    assert one.statements == (
        "wasDerivedFrom(ex:d; ex:b, ex:a, ex:x, ex:g, -)",
        "wasGeneratedBy(ex:h; ex:b, ex:x)",
    )


def test_a_relation_that_differs_from_the_influence_of_its_id_is_told_by_inference_15() -> None:
    one = only("wasInfluencedBy(ex:i; ex:a, ex:e) & used(ex:i; ex:a, ex:f, -)")
    assert (one.constraint, rules(one)) == ("23", ["15"])


def test_a_blank_name_is_told_with_what_it_stands_for() -> None:
    said = [
        statement(GENERATION, "_:e", EX + "a", name=EX + "g"),
        statement(GENERATION, EX + "e", EX + "a", name=EX + "g"),
        statement(USAGE, EX + "b", "_:e", name=EX + "u"),
        statement(USAGE, EX + "b", EX + "f", name=EX + "u"),
    ]
    [one] = validate(of(list(said))).violations
    assert one.message == "ex:u is one usage, and yet its entity is ex:e and ex:f."
    assert one.chain[-1].text == "so _:e stands for ex:e"
    assert one.chain[-1].statements == ("wasGeneratedBy(ex:g; _:e, ex:a)", "wasGeneratedBy(ex:g; ex:e, ex:a)")


def test_what_would_come_before_itself_is_told_event_by_event() -> None:
    one = only(
        "entity(ex:report) & wasGeneratedBy(ex:draft, ex:write, -) & wasDerivedFrom(ex:draft, ex:report)"
        " & wasStartedBy(ex:write, ex:order, -, -) & wasDerivedFrom(ex:order, ex:draft)"
    )
    assert one.constraint == "42"
    assert one.message == (
        "ex:draft would have to be made before it was made:"
        " what is stated leads in a circle, through ex:order and ex:write."
    )
    assert [str(step) for step in one.chain] == [
        "ex:order was made at some time [inference 9]",
        "ex:draft was made before ex:order was made [constraint 42]",
        "ex:order was made no later than ex:write started [constraint 43]",
        "ex:write started no later than ex:draft was made [constraint 34]",
    ]


def test_ids_that_a_program_made_are_left_out_and_how_well_a_relation_is_known_is_told() -> None:
    known = ((CLEW + "evidence", Literal("inferred")),)
    said: list[AnyStatement] = [
        statement(DERIVATION, EX + "a", EX + "a", name="urn:x-made:1", attributes=known),
        Element(Kind.ENTITY, EX + "a"),
    ]
    [one] = validate(of(said), "urn:x-made:").violations
    assert one.statements == ("wasDerivedFrom(ex:a, ex:a) (inferred)",)


def test_events_that_are_only_inferred_are_told_with_the_inference() -> None:
    one = only(
        "entity(ex:a) & wasAttributedTo(ex:b, ex:g) & wasDerivedFrom(ex:a, ex:b) & wasDerivedFrom(ex:b, ex:a)"
    )
    assert rules(one)[:2] in (["7", "13"], ["13", "7"])
    assert rules(one)[2:] == ["42", "42"]


def test_what_is_inherited_is_told_from_the_most_general_on() -> None:
    one = only(
        "entity(ex:a, [prov:type='prov:EmptyCollection']) & specializationOf(ex:b, ex:a)"
        " & specializationOf(ex:c, ex:b) & hadMember(ex:c, ex:e)"
    )
    assert one.constraint == "56"
    assert [step.text for step in one.chain] == ["so ex:b has what ex:a has", "so ex:c has what ex:b has"]
    assert one.statements == ("entity(ex:a)", "hadMember(ex:c, ex:e)")


def test_what_specializes_itself_is_told_with_the_way_round() -> None:
    one = only("specializationOf(ex:b, ex:a) & specializationOf(ex:a, ex:c) & mentionOf(ex:c, ex:b, ex:u)")
    assert (one.constraint, rules(one)) == ("52", ["mention-specialization", "19"])


def test_several_starts_and_statements_of_one_activity_are_one_reason() -> None:
    one = only(
        "activity(ex:a, 2024-01-01T00:00:00Z, -) & activity(ex:a, 2024-01-02T00:00:00Z, -)"
        " & wasStartedBy(ex:a, -, -, 2024-01-03T00:00:00Z)"
    )
    assert one.constraint == "28"
    assert rules(one) == ["8", "8", "", "28"]
    assert len(one.statements) == 3


def test_a_long_contradiction_is_told_by_its_beginning() -> None:
    names = [f"{EX}e{number}" for number in range(1000)]
    said = [Element(Kind.ENTITY, name) for name in names]
    links = [
        statement(DERIVATION, later, earlier)
        for earlier, later in zip(names, names[1:] + names[:1], strict=True)
    ]
    [one] = validate(of([*said, *links])).violations
    assert len(one.chain) < 250
    assert one.chain[-1].text.startswith("and so on, over 900 more events")


def test_of_very_many_reasons_the_first_are_told_and_the_rest_counted() -> None:
    said = [statement(SPECIALIZATION, f"{EX}e{number}", f"{EX}e{number}") for number in range(MOST_TOLD + 5)]
    verdict = validate(of(list(said)))
    assert (len(verdict.violations), verdict.untold, verdict.valid) == (MOST_TOLD, 5, False)


def test_a_verdict_reads_well() -> None:
    assert str(judged("entity(ex:x) & activity(ex:x)")) == (
        "ex:x is both an entity and an activity.\n"
        "  Rule: Nothing is both an entity and an activity. [constraint 55 (entity-activity-disjoint)]\n"
        "  Stated:\n"
        "    1. entity(ex:x)\n"
        "    2. activity(ex:x)\n"
        "  From which it follows that:\n"
        "    1. ex:x is an entity\n"
        "    2. ex:x is an activity"
    )
    assert str(judged("entity(ex:x)")) == "valid"


def test_a_verdict_is_plain_json_as_well() -> None:
    plain = json.loads(json.dumps(judged("specializationOf(ex:x, ex:x)").plain()))
    assert plain == {
        "valid": False,
        "violations": [
            {
                "constraint": "52",
                "name": "impossible-specialization-reflexive",
                "rule": "Nothing is a specialization of itself.",
                "message": "ex:x is a specialization of itself.",
                "statements": ["specializationOf(ex:x, ex:x)"],
                "chain": [],
                "bundle": None,
            }
        ],
        "clock": [],
        "untold": 0,
    }
