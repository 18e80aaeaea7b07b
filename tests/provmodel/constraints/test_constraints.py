"""Each constraint with a document that keeps it and one that doesn't."""

from __future__ import annotations

import pytest

from provmodel.constraints import RULES
from tests.provmodel.constraints.said import document, judged

# For each constraint that a document can break: one that keeps it and one that doesn't, much alike.
EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "required": [
        ("wasAttributedTo(e, g)", "wasAttributedTo(e, -)"),
        ("wasInformedBy(a, b)", "wasInformedBy(a, -)"),
        ("wasInfluencedBy(a, b)", "wasInfluencedBy(i; -, b)"),
        ("wasAssociatedWith(a, -, -)", "wasAssociatedWith(i; -, g, -)"),
        ("specializationOf(a, b)", "specializationOf(-, b)"),
    ],
    "23": [
        (
            "wasGeneratedBy(i; e, a, -) & wasGeneratedBy(i; e, -, -)",
            "wasGeneratedBy(i; e, a, -) & wasGeneratedBy(i; e, b, -)",
        ),
        (
            "used(i; a, e, 2024-01-01T00:00:00Z) & used(i; a, e, 2024-01-01T01:00:00+01:00)",
            "used(i; a, e, 2024-01-01T00:00:00Z) & used(i; a, e, 2024-01-01T01:00:00Z)",
        ),
        (
            "wasAssociatedWith(i; a, g, p) & wasAssociatedWith(i; a, -, p)",
            "wasAssociatedWith(i; a, g, p) & wasAssociatedWith(i; a, g, -)",
        ),
        (
            "wasDerivedFrom(i; b, a, x, -, -) & wasDerivedFrom(i; b, a, x, m, u)",
            "wasDerivedFrom(i; b, a, x, -, -) & wasDerivedFrom(i; b, a)",
        ),
        (
            "wasInfluencedBy(i; a, e) & used(i; a, e, -)",
            "wasInfluencedBy(i; a, e) & used(i; a, f, -)",
        ),
    ],
    "24": [
        (
            "wasGeneratedBy(i; e, a, -) & wasGeneratedBy(j; e, b, -)",
            "wasGeneratedBy(i; e, a, -) & wasGeneratedBy(j; e, a, -)",
        ),
        (
            "wasDerivedFrom(e, f, a, i, -) & wasGeneratedBy(i; e, a, -)",
            "wasDerivedFrom(e, f, a, i, -) & wasGeneratedBy(j; e, a, -)",
        ),
        (
            "wasInfluencedBy(i; e, a) & wasGeneratedBy(i; e, -, -) & wasGeneratedBy(i; e, a, -)",
            "wasInfluencedBy(i; e, a) & wasGeneratedBy(i; e, -, -) & wasGeneratedBy(j; e, a, -)",
        ),
    ],
    "25": [
        (
            "wasInvalidatedBy(i; e, a, -) & wasInvalidatedBy(j; e, -, -)",
            "wasInvalidatedBy(i; e, a, -) & wasInvalidatedBy(j; e, a, -)",
        ),
    ],
    "26": [
        (
            "wasStartedBy(i; a, e, -, -) & wasStartedBy(j; a, e, -, -)",
            "wasStartedBy(i; a, e, b, -) & wasStartedBy(j; a, -, b, -)",
        ),
    ],
    "27": [
        (
            "wasEndedBy(i; a, e, b, -) & wasEndedBy(j; a, e, c, -)",
            "wasEndedBy(i; a, e, b, -) & wasEndedBy(j; a, f, b, -)",
        ),
    ],
    "28": [
        (
            "activity(a, 2024-01-01T00:00:00Z, -) & wasStartedBy(a, -, -, 2023-12-31T24:00:00Z)",
            "activity(a, 2024-01-01T00:00:00Z, -) & wasStartedBy(a, -, -, 2024-01-01T00:00:01Z)",
        ),
        (
            "wasStartedBy(a, -, b, 2024-01-01T00:00:00Z) & wasStartedBy(a, -, c, 2024-01-01T00:00:01Z)",
            (
                "wasStartedBy(a, -, b, 2024-01-01T00:00:00Z)"
                " & wasStartedBy(a, -, c, 2024-01-01T00:00:01Z) & activity(a, -, -)"
            ),
        ),
    ],
    "29": [
        (
            "activity(a, -, 2024-01-01T00:00:00Z) & activity(a, -, 2024-01-01T00:00:00.000Z)",
            "activity(a, -, 2024-01-01T00:00:00Z) & activity(a, -, 2024-01-01T00:00:00.001Z)",
        ),
    ],
    "42": [
        # Alone, with a thing that has no known beginning, and with 33, 34, 37, 43, 45 and 48.
        (
            "wasDerivedFrom(a, b) & wasDerivedFrom(b, a)",
            "wasDerivedFrom(a, b) & wasDerivedFrom(b, a) & entity(a) & entity(b)",
        ),
        ("wasDerivedFrom(a, a)", "wasDerivedFrom(a, a) & wasGeneratedBy(a, -, -)"),
        (
            "entity(a) & entity(b) & wasDerivedFrom(a, b) & specializationOf(a, b)",
            "entity(a) & entity(b) & wasDerivedFrom(a, b) & specializationOf(b, a)",
        ),
        (
            (
                "wasGeneratedBy(a, -, -) & wasGeneratedBy(c, -, -) & wasDerivedFrom(c, a)"
                " & specializationOf(c, b) & specializationOf(b, a)"
            ),
            (
                "wasGeneratedBy(a, -, -) & wasGeneratedBy(c, -, -) & wasDerivedFrom(c, a)"
                " & specializationOf(a, b) & specializationOf(b, c)"
            ),
        ),
        (
            "entity(e) & wasStartedBy(x, e, -, -) & wasGeneratedBy(f, x, -) & wasDerivedFrom(f, e)",
            "entity(e) & wasStartedBy(x, e, -, -) & wasGeneratedBy(f, x, -) & wasDerivedFrom(e, f)",
        ),
        (
            (
                "activity(x) & wasStartedBy(y, -, x, -) & wasGeneratedBy(e, y, -)"
                " & wasGeneratedBy(f, x, -) & wasDerivedFrom(f, e)"
            ),
            (
                "activity(x) & wasStartedBy(y, -, x, -) & wasGeneratedBy(e, y, -)"
                " & wasStartedBy(x, f, -, -) & wasDerivedFrom(f, e)"
            ),
        ),
        (
            "entity(g) & wasAttributedTo(e, g) & wasDerivedFrom(e, g)",
            "entity(g) & wasAttributedTo(e, g) & wasDerivedFrom(g, e)",
        ),
        (
            "wasGeneratedBy(b, x, -) & wasStartedBy(x, a, -, -) & wasDerivedFrom(b, a, x, -, -)",
            (
                "wasGeneratedBy(b, x, -) & wasStartedBy(x, b, -, -) & wasDerivedFrom(b, a, x, -, -)"
                " & wasDerivedFrom(a, b) & entity(a)"
            ),
        ),
    ],
    "51": [
        ("wasDerivedFrom(b, a, x, m, -)", "wasDerivedFrom(b, a, -, m, -)"),
        ("wasDerivedFrom(b, a, x, -, u)", "wasDerivedFrom(b, a, -, -, u)"),
    ],
    "52": [
        ("specializationOf(b, a)", "specializationOf(a, a)"),
        (
            "specializationOf(c, b) & specializationOf(b, a) & specializationOf(c, a)",
            "specializationOf(c, b) & specializationOf(b, a) & specializationOf(a, c)",
        ),
        (
            "mentionOf(b, a, u) & specializationOf(b, a)",
            "mentionOf(b, a, u) & specializationOf(a, b)",
        ),
    ],
    "53": [
        (
            "wasGeneratedBy(i; e, a, -) & used(j; a, e, -)",
            "wasGeneratedBy(i; e, a, -) & used(i; a, e, -)",
        ),
        (
            "wasDerivedFrom(b, a, x, m, u) & used(u; x, a, -)",
            "wasDerivedFrom(b, a, x, m, u) & used(m; x, a, -)",
        ),
    ],
    "54": [
        ("entity(i) & used(j; a, e, -)", "entity(i) & used(i; a, e, -)"),
        ("agent(i) & wasInfluencedBy(i, e)", "agent(i) & wasInfluencedBy(i; a, e)"),
        (
            "entity(a) & specializationOf(b, a) & used(j; x, b, -)",
            "entity(a) & specializationOf(b, a) & used(b; x, a, -)",
        ),
    ],
    "55": [
        ("entity(x) & agent(x)", "entity(x) & activity(x)"),
        ("activity(x) & agent(x)", "used(x, e, -) & used(y, x, -)"),
        ("wasInfluencedBy(x, e) & entity(x)", "wasInformedBy(x, y) & alternateOf(y, z)"),
        ("wasAssociatedWith(a, p, -)", "wasAssociatedWith(a, -, p) & activity(p)"),
    ],
    "56": [
        (
            "entity(c, [prov:type='prov:Collection']) & hadMember(c, e)",
            "entity(c, [prov:type='prov:EmptyCollection']) & hadMember(c, e)",
        ),
        (
            "entity(c, [prov:type='prov:EmptyCollection']) & specializationOf(c, d) & hadMember(d, e)",
            "entity(c, [prov:type='prov:EmptyCollection']) & specializationOf(d, c) & hadMember(d, e)",
        ),
    ],
    "mention": [
        (
            "mentionOf(b, a, u) & mentionOf(c, a, v)",
            "mentionOf(b, a, u) & mentionOf(b, a, v)",
        ),
    ],
}

CASES = [(rule, *pair) for rule, pairs in EXAMPLES.items() for pair in pairs]


@pytest.mark.parametrize(("rule", "kept", "broken"), CASES)
def test_a_document_that_keeps_a_constraint_is_valid(rule: str, kept: str, broken: str) -> None:
    verdict = judged(kept)
    assert verdict.valid, verdict
    assert verdict.violations == ()


@pytest.mark.parametrize(("rule", "kept", "broken"), CASES)
def test_a_document_that_breaks_a_constraint_is_not_and_the_verdict_names_it(
    rule: str, kept: str, broken: str
) -> None:
    verdict = judged(broken)
    assert not verdict.valid
    assert rule in {one.constraint for one in verdict.violations}, verdict


@pytest.mark.parametrize(("rule", "kept", "broken"), CASES)
def test_every_reason_says_what_is_stated_and_which_rule_it_breaks(rule: str, kept: str, broken: str) -> None:
    stated = document(broken).main.statements
    for one in judged(broken).violations:
        assert one.message.endswith(".")
        assert one.rule == RULES[one.constraint].sentence
        assert 1 <= len(one.statements) <= len(stated)
        assert all(step.rule in RULES or not step.rule for step in one.chain)
        assert "http://" not in str(one), "names are told with their prefix"


def test_every_rule_of_the_standard_is_there_once() -> None:
    numbers = [int(key) for key in RULES if key.isdigit()]
    assert sorted(numbers) == list(range(5, 57))
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
    assert len({rule.sentence for rule in RULES.values()}) == len(RULES)


# --- what is not given ---


def test_an_argument_that_is_absent_and_one_that_is_a_dash_mean_the_same() -> None:
    for one, other in (
        ("wasAssociatedWith(i; a, g)", "wasAssociatedWith(i; a, g, -)"),
        ("wasDerivedFrom(i; b, a)", "wasDerivedFrom(i; b, a, -, -, -)"),
        ("wasGeneratedBy(i; e)", "wasGeneratedBy(i; e, -, -)"),
    ):
        for known in (
            "wasAssociatedWith(i; a, g, p)",
            "wasDerivedFrom(i; b, a, x, -, -)",
            "wasGeneratedBy(i; e, a, -)",
        ):
            assert judged(f"{one} & {known}").valid == judged(f"{other} & {known}").valid
        assert judged(f"{one} & {other}").valid


def test_what_is_not_given_may_be_anything_but_a_plan_and_the_activity_of_a_derivation() -> None:
    assert judged("wasStartedBy(i; a, -, -, -) & wasStartedBy(i; a, e, b, -)").valid
    assert judged("actedOnBehalfOf(i; g, -, -) & actedOnBehalfOf(i; g, h, a)").valid
    assert not judged("wasAssociatedWith(i; a, -, -) & wasAssociatedWith(i; a, -, p)").valid


def test_nothing_is_concluded_from_what_is_not_stated() -> None:
    """No generation of a used thing, no word that it is an entity, no start of an activity: all valid."""
    assert judged("used(a, e, -) & wasDerivedFrom(f, g) & wasInformedBy(b, c)").valid
    assert judged("wasDerivedFrom(a, b) & wasDerivedFrom(b, a)").valid


def test_two_unknown_activities_need_not_be_one() -> None:
    assert judged("wasGeneratedBy(i; e, -, -) & wasGeneratedBy(j; e, -, -)").valid


# --- bundles ---


def test_each_bundle_is_judged_by_itself() -> None:
    apart = "entity(x)\nbundle b\nactivity(x)\nendBundle\nbundle c\nentity(x)\nendBundle"
    assert judged(apart).valid
    within = "entity(x)\nbundle b\nactivity(x)\nentity(x)\nendBundle"
    [one] = judged(within).violations
    assert (one.constraint, one.bundle) == ("55", "http://example.org/b")
    assert one.statements == ("activity(x)", "entity(x)")


def test_one_bad_bundle_makes_the_document_invalid_and_each_reason_says_where() -> None:
    verdict = judged(
        "specializationOf(x, x)\nbundle b\nspecializationOf(y, y)\nendBundle\nbundle c\nentity(y)\nendBundle"
    )
    assert [one.bundle for one in verdict.violations] == [None, "http://example.org/b"]
    assert "in bundle http://example.org/b" in str(verdict)


def test_an_empty_document_is_valid() -> None:
    assert judged("").valid
    assert judged("bundle b\nendBundle").valid
