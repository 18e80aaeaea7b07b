"""What is said about the outcomes: every one is explained, and has its words."""

from __future__ import annotations

import re
from pathlib import Path

from queries.authority.findings import OUTCOMES, POSSIBLY, Finding, names_of
from queries.authority.order import BASES
from queries.authority.words import plain

EXPLAINED = Path(__file__).parents[3] / "docs" / "explanation" / "authority.md"


def test_every_outcome_is_explained_in_its_order_and_no_other_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", EXPLAINED.read_text(), re.MULTILINE)
    assert tuple(rows) == (*OUTCOMES, *BASES)


def test_every_outcome_has_its_own_words() -> None:
    assert len({plain(outcome) for outcome in OUTCOMES}) == len(OUTCOMES)
    assert plain(f"{POSSIBLY}used_up").startswith("possibly ")


def test_every_other_outcome_excludes_authorized() -> None:
    beside = {"self_approved", "allowed_by_default", "claimed_not_authenticated"}
    for outcome in OUTCOMES[1:]:
        held = names_of((Finding("authorized", ""), Finding(outcome, "")))
        assert held == (("authorized", outcome) if outcome in beside else (outcome,))


def test_a_possible_outcome_gives_way_to_the_plain_one_and_excludes_authorized() -> None:
    assert names_of((Finding("possibly_used_up", ""), Finding("used_up", ""))) == ("used_up",)
    assert names_of((Finding("possibly_used_up", ""), Finding("authorized", ""))) == ("possibly_used_up",)
