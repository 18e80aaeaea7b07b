"""Joins: a pure function of a need and the set of its offers."""

from __future__ import annotations

from itertools import permutations

import pytest

from provmodel.evidence import Evidence, Stance
from provmodel.joining import (
    MANY,
    Argument,
    Executes,
    Holder,
    Made,
    Message,
    Moment,
    Offer,
    Proposed,
    Reads,
    Tried,
    Verifies,
    encode,
    join,
)


def moment(at: int, number: int = 0) -> Moment:
    return Moment(at, "s", "", number)


def made(attempt: str, at: int, number: int = 0) -> str:
    return encode(Made(attempt, f"state;by={attempt}", moment(at, number)))


def told(need: object, *offers: str) -> list[tuple[str, str, str]]:
    found = join(encode(need), offers)  # type: ignore[arg-type]
    return [(a.relation.subject, str(a.relation.arguments[0]), a.evidence.word) for a in found]


READ = Reads("reader", moment(10))


class TestWhichOccurrenceWasRead:
    def test_one_that_was_written_before_is_verified(self) -> None:
        assert told(READ, made("w", 5)) == [("reader", "state;by=w", "verified")]

    def test_several_are_inferred(self) -> None:
        assert {t[2] for t in told(READ, made("w1", 5), made("w2", 6))} == {"inferred"}

    def test_one_written_afterwards_does_not_fit(self) -> None:
        assert told(READ, made("w", 11)) == []

    def test_the_reader_s_own_write_does_not_fit(self) -> None:
        assert told(READ, made("reader", 5)) == []

    def test_at_the_same_instant_numbers_of_one_source_decide(self) -> None:
        need = Reads("reader", moment(10, 2))
        assert told(need, made("w", 10, 1)) == [("reader", "state;by=w", "verified")]
        assert told(need, made("w", 10, 3)) == []

    def test_at_the_same_instant_without_numbers_it_is_inferred(self) -> None:
        assert told(READ, made("w", 10)) == [("reader", "state;by=w", "inferred")]

    def test_too_many_join_nothing(self) -> None:
        assert told(READ, *[made(f"w{n}", 5) for n in range(MANY + 1)]) == []


def test_neither_order_nor_repetition_of_the_offers_matters() -> None:
    offers = [made("w1", 5), made("w2", 6), made("w3", 11)]
    results = {tuple(told(READ, *order, order[0])) for order in permutations(offers)}
    assert len(results) == 1


def holder(node: str, at: int | None, context: str = "", whole: bool = True, maker: str = "") -> str:
    return encode(Holder(node, None if at is None else moment(at), context, whole, maker))


class TestWhereAnArgumentCameFrom:
    @pytest.mark.parametrize(
        ("strong", "holders", "evidence"),
        [
            (True, ["a"], {"verified"}),
            (True, ["a", "b"], {"inferred"}),
            (False, ["a"], {"inferred"}),
            (False, ["a", "b"], set()),
        ],
    )
    def test_unique_and_not_guessable_is_verified(
        self, strong: bool, holders: list[str], evidence: set[str]
    ) -> None:
        need = Argument("op", "/to", strong, "call", moment(10))
        assert {t[2] for t in told(need, *[holder(h, 5) for h in holders])} == evidence

    def test_the_call_s_own_context_comes_first(self) -> None:
        need = Argument("op", "/to", True, "call", moment(10))
        found = told(
            need, holder("result", 5), holder("message", None, "call"), holder("other", None, "call-2")
        )
        assert found == [("op", "message", "verified")]

    def test_what_ended_later_is_no_source(self) -> None:
        assert told(Argument("op", "/to", True, "", moment(10)), holder("late", 11)) == []


def test_ten_tools_that_answer_ok_are_joined_to_nothing() -> None:
    need = Message("call", "message", False, moment(20))
    assert told(need, *[holder(f"result{n}", n) for n in range(10)]) == []


def test_a_message_that_is_wholly_an_earlier_result_is_its_use() -> None:
    need = Message("call", "message", True, moment(20))
    assert told(need, holder("result", 5)) == [("call", "result", "verified")]
    assert told(need, holder("result", 5, whole=False)) == []


def test_what_an_activity_made_itself_is_not_what_it_was_sent() -> None:
    need = Message("call", "message", True, moment(20))
    assert told(need, holder("output", 20, maker="call")) == []


def test_a_result_answers_the_latest_call_of_its_id() -> None:
    offers = [
        encode(Proposed("first", moment(1))),
        encode(Proposed("second", moment(5))),
        encode(Proposed("late", moment(9))),
    ]
    assert told(Executes("attempt", "id", moment(7)), *offers) == [("attempt", "second", "inferred")]
    assert told(Executes("attempt", "id", moment(3)), *offers[:1]) == [("attempt", "first", "verified")]


def tried(attempt: str, outcome: str, *refs: str) -> str:
    return encode(Tried(attempt, outcome, tuple((ref, f"{ref};by={attempt}") for ref in refs)))


def verdict(confirmed: bool = True, read: str = "", attempt: str = "", subject: str = "op") -> Verifies:
    return Verifies(
        subject, "source:checker", "list_issues", confirmed, int(Evidence.VERIFIED), read, attempt
    )


class TestWhatAVerdictIsAbout:
    def test_the_one_attempt_that_has_the_write_is_verified(self) -> None:
        offers: list[str] = [tried("a1", "unknown"), tried("a2", "completed", "issue:8")]
        assert told(verdict(read="issue:8"), *offers) == [("issue:8;by=a2", "a2", "verified")]

    def test_attempts_that_can_t_be_told_apart_get_nothing(self) -> None:
        assert told(verdict(), tried("a1", "completed", "x"), tried("a2", "completed", "x")) == []

    def test_evidence_that_tells_attempts_apart_is_heeded(self) -> None:
        offers = [tried("a1", "completed", "x"), tried("a2", "completed", "x")]
        assert told(verdict(attempt="a2"), *offers) == [("x;by=a2", "a2", "verified")]

    def test_what_nobody_reported_is_inferred_for_attempts_of_unknown_outcome(self) -> None:
        offers = [tried("a1", "unknown"), tried("a2", "completed", "issue:8")]
        assert told(verdict(read="issue:7"), *offers) == [("issue:7;by=a1", "a1", "inferred")]

    def test_a_failure_that_was_confirmed_refutes(self) -> None:
        (found,) = join(encode(verdict(confirmed=False)), [tried("a1", "completed", "x")])
        assert (found.stance, found.evidence) == (Stance.REFUTES, Evidence.VERIFIED)

    def test_an_occurrence_is_told_from_others_of_its_state(self) -> None:
        need = verdict(subject="state;by=w2")
        assert told(need, made("w1", 1), made("w2", 2)) == [("state;by=w2", "w2", "verified")]


def test_every_kind_of_offer_is_known_by_its_tag() -> None:
    assert {kind.__struct_config__.tag for kind in Offer.__args__} == {"holder", "made", "tried", "proposed"}
