"""How well an edge is known, who may say so, and how several statements about one edge are summed up.

The four kinds of evidence attest different things, so a filter is a *set* of them. Where one line must do,
the published order is ``verified > observed > declared > inferred``: a path is as good as its weakest edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import cache

import msgspec

from provmodel.errors import Refused


class Evidence(IntEnum):
    """How a statement came to be known; a greater value stands higher in the published order."""

    INFERRED = 1
    DECLARED = 2
    OBSERVED = 3
    VERIFIED = 4

    @property
    def word(self) -> str:
        return self.name.lower()


class Stance(IntEnum):
    """Whether an assertion says that its relation holds, or that it does not."""

    REFUTES = 0
    SUPPORTS = 1

    @property
    def word(self) -> str:
        return self.name.lower()


UNTOLD = -1
"""Stands for the evidence of what a reader may not know: below all others, and met by all four together
alone."""

WORDS = {int(evidence): evidence.word for evidence in Evidence} | {0: "", UNTOLD: ""}
"""Evidence in a word: "" for none, and where it is not told."""

ORDER = tuple(evidence.word for evidence in sorted(Evidence, reverse=True))
ALL_EVIDENCE = frozenset(Evidence)

# What each kind of credential may claim (model, section 1, "Evidence bound").
MAY_CLAIM: dict[str, frozenset[Evidence]] = {
    "harness": frozenset({Evidence.OBSERVED, Evidence.DECLARED, Evidence.INFERRED}),
    "verifier": frozenset(Evidence),
    "agent": frozenset({Evidence.DECLARED, Evidence.INFERRED}),
    "analyser": frozenset({Evidence.INFERRED}),
    "person": frozenset({Evidence.DECLARED, Evidence.INFERRED}),
}


def parse(word: str) -> Evidence:
    """Return the evidence named by ``word``; raises :class:`Refused` that names the four words."""
    try:
        return Evidence[word.upper()]
    except KeyError:
        raise Refused(
            "evidence", f"{word!r} is not a kind of evidence", f"use one of {', '.join(ORDER)}"
        ) from None


class Principal(msgspec.Struct, frozen=True):
    """Who delivers events: the kinds and sources its credential holds, and whether it vouches for identities.

    ``sources`` is ``None`` when it may speak for every source. ``cap`` is the highest evidence that an import
    keeps.
    """

    name: str
    kinds: frozenset[str]
    sources: frozenset[str] | None
    vouches: bool
    cap: Evidence = Evidence.VERIFIED

    def may_claim(self, evidence: Evidence) -> bool:
        return evidence in _claimable(self.kinds)

    def may_speak_for(self, source: str) -> bool:
        return self.sources is None or source in self.sources


@cache
def _claimable(kinds: frozenset[str]) -> frozenset[Evidence]:
    return frozenset().union(*(MAY_CLAIM[kind] for kind in kinds))


LOCAL = Principal(name="local", kinds=frozenset(MAY_CLAIM), sources=None, vouches=True)
"""The one principal of the command line and of a server without credentials (model, section 6)."""


class Weight(msgspec.Struct, frozen=True):
    """What all visible assertions of one relation amount to; 0 stands for none."""

    supporting: int
    refuting: int

    @property
    def refuted(self) -> bool:
        """True when the best refuting evidence is at least the best supporting evidence."""
        return self.refuting > 0 and self.refuting >= self.supporting


def weigh(assertions: Iterable[tuple[int, int]]) -> Weight:
    """Sum up (evidence, stance) pairs of one relation."""
    best = [0, 0]
    for evidence, stance in assertions:
        if evidence > best[stance]:
            best[stance] = evidence
    return Weight(supporting=best[Stance.SUPPORTS], refuting=best[Stance.REFUTES])


def weakest(path: Iterable[int]) -> int:
    """The evidence of a path: that of its weakest edge."""
    return min(path, default=int(Evidence.VERIFIED))
