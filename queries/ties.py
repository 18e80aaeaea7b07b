"""How a thing is tied to what came of it: transformed, cited, sent, adopted or read (model, section 2).

Evidence says how well a tie is known, never how strongly it supports a claim: what was *sent* to a model was
in its context, and no more is said.
"""

from __future__ import annotations

from typing import Literal

from provmodel.relations import (
    DERIVATION,
    INFLUENCE,
    PRIMARY_SOURCE,
    QUOTATION,
    REVISION,
    USAGE,
    Flow,
    codes_of,
    term_of,
)

Tie = Literal["transformed", "cited", "sent", "adopted", "read", "restricted"]
TIES: tuple[Tie, ...] = ("transformed", "cited", "sent", "adopted", "read")
UNTOLD: Tie = "restricted"
"""What ties something hidden, or what lies behind it: of an influence no more is told than that it is one."""

ATTEMPT = "clew:Attempt"
MODEL_CALL = "clew:ModelCall"
CANDIDATE = "clew:CandidateAction"
CONTEXT = "clew:Context"
RUN = "clew:Run"
INNER = frozenset({CANDIDATE, CONTEXT})
"""Entities that only carry others on: what an action was proposed with, what a context held."""

_BY_ROLE: dict[str, Tie] = {"citation": "cited", "adopted": "adopted"}
_BY_TERM: dict[str, Tie] = {
    INFLUENCE.name: UNTOLD,
    DERIVATION.name: "transformed",
    REVISION.name: "transformed",
    QUOTATION.name: "cited",
    PRIMARY_SOURCE.name: "cited",
}
_CODES = codes_of(frozenset(Flow))
_USAGES = frozenset(code for code in _CODES if term_of(code) is USAGE)
_TIES = {code: _BY_TERM[term_of(code).name] for code in _CODES if term_of(code).name in _BY_TERM}
TYING = _USAGES | _TIES.keys()
"""The codes of edges that may tie their cause."""
_SENT_TO = frozenset({MODEL_CALL, RUN})
SILENT_TYPES = frozenset({MODEL_CALL, ATTEMPT, "clew:Span"})
"""Steps of which one would expect that they report what they read."""


def tie_of(code: int, role: str, user_type: str) -> Tie | None:
    """The tie that one crossed edge makes for its cause; ``user_type`` is the type of the activity that used
    it.

    None for edges that tie nothing by themselves: generation, membership, communication.
    """
    if code in _USAGES:
        return "sent" if user_type in _SENT_TO else "read"
    tie = _TIES.get(code)
    return tie if tie is None or tie == UNTOLD else _BY_ROLE.get(role, tie)
