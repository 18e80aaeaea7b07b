"""What an answer denies reaches no further than it looked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from provmodel.errors import BadQuestion
from queries.limits import as_one, is_whole
from queries.memory import MemoryGraph
from tests.queries.test_all_pages import ASKED, ask, pages, question, story

__all__ = ["story"]

DENIED = re.compile(r"(?:^|\. )(?:No recorded|(?:No|Nothing) [^.]*\b(?:is|are) recorded)\b")
TARIFF, REPORT = {"target": "document:tariff-2025"}, {"target": "report:late-fees-february"}
PAID = {"target": "ledger:account-4711"}
NARROWED = [
    *({"evidence": word} for word in ("verified", "observed", "declared", "inferred")),
    {"policy": '{"direction": "backward", "flows": ["data"], "terms": ["wasQuotedFrom"]}'},
]
CUT: list[Mapping[str, Any]] = [{"depth": 0}, {"deadline": 0}, {"max_nodes": 1}]


@pytest.mark.parametrize("more", [*NARROWED, *CUT])
@pytest.mark.parametrize(("name", "given"), [*ASKED, ("inputs-of", REPORT), ("impact-of", TARIFF)])
def test_no_answer_that_looked_at_some_of_it_denies_all(
    story: MemoryGraph, name: str, given: Mapping[str, Any], more: Mapping[str, Any]
) -> None:
    if "policy" in more and (question(name).policy == "impact" or question(name).along_any):
        return
    graph, said = ask(story, name, {**given, **more})
    if more in NARROWED or graph.truncated:
        assert not graph.complete
        assert not DENIED.search(said), said
        assert "Nothing is known to be missing" not in said


@pytest.mark.parametrize("more", CUT)
def test_a_walk_that_was_cut_says_why_and_how_to_go_on(story: MemoryGraph, more: Mapping[str, Any]) -> None:
    for name, given in (("inputs-of", REPORT), ("impact-of", TARIFF), ("survivors-of", TARIFF)):
        _, said = ask(story, name, {**given, **more})
        [limit] = more
        assert f"was found before the walk stopped ({limit})." in said
        assert "the cursor goes on from there" in said
        assert re.search(rf"a \w+ {limit} ", said)


def test_counts_of_a_part_are_at_least_so_many(story: MemoryGraph) -> None:
    assert "@version:1 had at least " in ask(story, "inputs-of", {**REPORT, "depth": 3})[1]
    assert "At least 1 thing came from" in ask(story, "impact-of", {**TARIFF, "depth": 1})[1]
    assert "at least" not in ask(story, "inputs-of", REPORT)[1]


def test_an_answer_by_some_evidence_counts_what_it_left_out(story: MemoryGraph) -> None:
    graph, said = ask(story, "impact-of", {**TARIFF, "evidence": "verified"})
    assert "was found with this evidence (verified)." in said
    assert [one.why for one in graph.unchecked if one.what == "edges of other evidence"] == [
        "only verified was asked for; 3 edges of the nodes shown not crossed"
    ]
    assert (
        "Nothing recorded with this evidence (inferred) says that"
        in (ask(story, "who-authorized", {**PAID, "evidence": "inferred"})[1])
    )
    every = ask(story, "impact-of", {**TARIFF, "evidence": ["verified", "observed", "declared", "inferred"]})
    assert every == ask(story, "impact-of", TARIFF)


def test_steps_are_not_called_silent_where_their_edges_were_left_out(story: MemoryGraph) -> None:
    for more in ({"evidence": "declared"}, {"policy": "derivation"}):
        graph, _ = ask(story, "inputs-of", {**REPORT, **more})
        assert not graph.silent  # type: ignore[attr-defined]
        assert not graph.silences  # type: ignore[attr-defined]


@pytest.mark.parametrize("more", [*NARROWED[:4], *CUT])
@pytest.mark.parametrize(
    ("name", "given"),
    [("unsupported-claims", {"target": "run:late-fees"}), ("inputs-of", REPORT), ("impact-of", TARIFF)],
)
def test_nothing_is_said_to_be_unsent_or_uncited_for_want_of_edges(
    story: MemoryGraph, name: str, given: Mapping[str, Any], more: Mapping[str, Any]
) -> None:
    whole, part = (msgspec.to_builtins(ask(story, name, asked)[0]) for asked in (given, {**given, **more}))
    for key in ("cited_not_sent", "sent_not_cited", "uncited"):
        assert all(one in whole[key] for one in part.get(key, ())), key


def test_along_another_policy_only_its_relations_are_spoken_for(story: MemoryGraph) -> None:
    graph, said = ask(story, "inputs-of", {**REPORT, "policy": "derivation"})
    assert "was found over the relations of this policy (derivation)." in said
    assert not graph.complete


def test_filters_are_named_and_what_they_leave_out_is_not_spoken_for(story: MemoryGraph) -> None:
    graph, said = ask(story, "unverified-writes", {"agent": "person:duty-manager"})
    assert "was found among what was done by person:duty-manager." in said
    assert not graph.complete
    since = {"since": "2027-01-01T00:00:00Z", "until": "2028-01-01T00:00:00Z"}
    for name in ("unverified-writes", "unsupported-claims"):
        _, said = ask(story, name, since)
        assert "done since 2027-01-01T00:00:00Z, before 2028-01-01T00:00:00Z." in said


def test_a_time_that_ends_before_it_begins_is_refused(story: MemoryGraph) -> None:
    times = {"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}
    with pytest.raises(BadQuestion) as refused:
        ask(story, "unverified-writes", times)
    assert refused.value.parameter == "until"


@pytest.mark.parametrize(
    ("limit", "helps"), [({"depth": 1}, "a greater depth"), ({"max_nodes": 3}, "a greater max_nodes")]
)
def test_a_path_that_was_not_found_in_time_is_not_denied(
    story: MemoryGraph, limit: Mapping[str, int], helps: str
) -> None:
    ends = {"target": ["document:tariff-2025", "ledger:account-4711"]}
    graph, said = ask(story, "how-known", {**ends, **limit})
    [word] = limit
    assert f"nor back, was found before the walk stopped ({word})." in said
    assert graph.truncated
    assert {stop.reason for stop in graph.frontier} == {word}
    assert not graph.cursor
    assert "the cursor" not in said
    assert helps in said
    _, said = ask(story, "how-known", {**ends, "evidence": "verified"})
    assert "nor back, was found with this evidence (verified)." in said


def test_a_path_that_is_not_there_is_denied(story: MemoryGraph) -> None:
    _, said = ask(story, "how-known", {"target": ["document:newsletter-2019", "ledger:account-4711"]})
    assert "No recorded path leads from" in said


def test_pages_that_are_read_together_are_cut_nowhere_but_at_the_end(story: MemoryGraph) -> None:
    found = [graph for graph, _ in pages(story, "impact-of", {**TARIFF, "max_nodes": 5})]
    assert len(found) > 1
    for part in as_one(found):
        assert not part.truncated
        assert not part.unchecked
        assert is_whole(part)
    assert as_one(found[:2])[1].truncated
