"""What keeps an answer from speaking for all that is recorded, and in which words it then denies.

An answer says that nothing *is recorded* only when it looked at all of it. One that was cut, goes on from an
earlier page, or was asked for by some evidence, along another policy or of some agents or times alone, says
what was *found*, and how far it looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from provmodel.evidence import ALL_EVIDENCE, ORDER, Evidence
from queries.answer import Graphed
from queries.graph import Unchecked
from queries.policy import Policy

G = TypeVar("G", bound=Graphed)

EARLIER = Unchecked("gaps and counts of earlier pages", "each page tells of its own nodes")
EVIDENCE = "edges of other evidence"
POLICY = "relations that the policy asked for does not cross"
REFUTED = "what lies beyond edges that are refuted"
STEPS = "what went into the steps of "
UNMADE = "whether what was reported there was made there"
OTHERS = "anything but what was done "
NARROWED = "the question was narrowed to that"
_FIRST, _FOLLOWED = "only the first ", " are followed"


def of_evidence(evidence: frozenset[Evidence]) -> Iterator[Unchecked]:
    """That a walk crosses only what some evidence supports."""
    if evidence != ALL_EVIDENCE:
        words = " or ".join(word for word in ORDER if Evidence[word.upper()] in evidence)
        yield Unchecked(EVIDENCE, f"only {words} was asked for")


def of_policy(policy: Policy, own: Policy) -> Iterator[Unchecked]:
    """That a walk leaves out some of what the question would cross by itself."""
    if policy != own and not set(own.codes) <= set(policy.codes):
        yield Unchecked(POLICY, f"{own.name} crosses more than {policy.name}")


def of_refuted(stopped: Sequence[tuple[str, str]]) -> Iterator[Unchecked]:
    """That a walk stopped at edges that are refuted, each from one reference to another."""
    if stopped:
        near, far = min(stopped)
        edges = "1 refuted edge," if len(stopped) == 1 else f"{len(stopped):,} refuted edges, such as"
        why = f"the walk stopped at {edges} from {near} to {far}; include_refuted crosses it"
        yield Unchecked(REFUTED, why)


def of_unmade(refs: Iterable[str]) -> Unchecked:
    """That these versions were reported in a run, which may have made them."""
    named = sorted(refs)
    such = named[0] if len(named) == 1 else f"{len(named):,} versions, such as {named[0]}"
    return Unchecked(f"{UNMADE} ({such})", "nothing says what made it")


def of_newest(ref: str, later: Sequence[str]) -> Iterator[Unchecked]:
    """That a version is the newest by number, and that others were written after it."""
    if later:
        why = f"{min(later)} was written later, by the times told, though its number is lower"
        yield Unchecked(f"whether {ref} is the newest of its thing", why)


def of_filters(agents: Sequence[str], since: str, until: str) -> Iterator[Unchecked]:
    """That only what some agents did was looked at, or what was done at some time."""
    words = [f"by {' or '.join(agents)}"] if agents else []
    words += [f"since {since}"] if since else []
    words += [f"before {until}"] if until else []
    if words:
        yield Unchecked(OTHERS + ", ".join(words), NARROWED)


def of_first(what: str, most: int) -> Unchecked:
    """That only so many relations were followed, and no page goes on."""
    return Unchecked(what, f"{_FIRST}{most:,} relations{_FOLLOWED}")


def with_left_out(unchecked: Iterable[Unchecked], left_out: int | None) -> Iterator[Unchecked]:
    """The same; of other evidence with how many edges at the nodes shown it was that were not crossed."""
    edges = "edge" if left_out == 1 else "edges"
    for one in unchecked:
        if one.what == EVIDENCE and left_out is not None:
            yield Unchecked(EVIDENCE, f"{one.why}; {left_out:,} {edges} of the nodes shown not crossed")
        else:
            yield one


def as_one(pages: Sequence[G]) -> list[G]:
    """All pages of an answer as parts of it: none is cut where the next goes on, or tells of itself alone."""
    *earlier, last = pages
    parts = [*(msgspec.structs.replace(page, truncated=False, cursor="") for page in earlier), last]
    return [
        msgspec.structs.replace(part, unchecked=tuple(one for one in part.unchecked if one != EARLIER))
        for part in parts
    ]


def is_whole(graph: Graphed) -> bool:
    """Whether the answer speaks for all that is recorded of what was asked about."""
    return not within(graph)


def is_later(graph: Graphed) -> bool:
    """Whether the answer is a page that goes on from another."""
    return EARLIER in graph.unchecked


def within(graph: Graphed) -> str:
    """How far it looked, to stand behind what it denies: " before the walk stopped (depth)"; "" for a whole
    answer."""
    return "".join(_limits(graph))


def nothing(graph: Graphed, what: str, why: str = "") -> str:
    """That there is none of it: recorded at all, and why; or found where the answer looked."""
    return f"{what} is recorded{why}." if is_whole(graph) else f"{what} was found{within(graph)}."


def at_least(graph: Graphed, words: str = "at least ") -> str:
    """In front of a count that counts only what was found."""
    return "" if is_whole(graph) else words


def as_a_whole(graph: Graphed) -> str:
    """Behind a run or an agent of whose steps it is not told: " as a whole"."""
    return " as a whole" if any(one.what.startswith(STEPS) for one in graph.unchecked) else ""


def evidence_asked(graph: Graphed) -> str:
    """The evidence, where not all of it was asked for: " with this evidence (verified)"."""
    asked = ", ".join(graph.evidence.set)
    return f" with this evidence ({asked})" if any(one.what == EVIDENCE for one in graph.unchecked) else ""


def narrows(unchecked: Iterable[Unchecked]) -> bool:
    """Whether a walk leaves out edges that the question itself would cross."""
    return any(one.what in (EVIDENCE, POLICY) for one in unchecked)


def stops(graph: Graphed) -> list[str]:
    """Why the walk stopped before its end."""
    return sorted({stop.reason for stop in graph.frontier if stop.reason != "stop_at"})


def _limits(graph: Graphed) -> Iterator[str]:
    whats = sorted({one.what for one in graph.unchecked})
    yield from (
        f" among what was done {what.removeprefix(OTHERS)}" for what in whats if what.startswith(OTHERS)
    )
    yield evidence_asked(graph)
    if POLICY in whats:
        yield f" over the relations of this policy ({graph.policy.name})"
    if REFUTED in whats:
        yield " short of what is refuted"
    for first in sorted({one.why for one in graph.unchecked if one.why.startswith(_FIRST)}):
        yield f" among the {first.removeprefix('only the ').removesuffix(_FOLLOWED)}"
    if any(what.startswith(UNMADE) for what in whats):
        yield " but for what was reported there, and nothing says what made it"
    if is_later(graph):
        yield " on this page"
    if graph.truncated:
        why = ", ".join(stops(graph))
        yield f" before the walk stopped ({why})" if why else " before the answer was cut"
