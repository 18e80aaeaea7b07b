"""What keeps an answer from speaking for all that is recorded, and in which words it then denies.

An answer says that nothing *is recorded* only when it looked at all of it. One that was cut, goes on from an
earlier page, or was asked for by some evidence, along another policy or of some agents or times alone, says
what *it came to*, and how far it looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from provmodel.evidence import ALL_EVIDENCE, ORDER, Evidence
from queries.answer import Graphed
from queries.graph import Unchecked
from queries.policy import Policy

EARLIER = Unchecked("gaps and counts of earlier pages", "each page tells of its own nodes alone")
EVIDENCE = "edges of other evidence"
POLICY = "relations that the policy asked for does not cross"
OTHERS = "anything but what was done "
NARROWED = "the question was narrowed to that"


def of_evidence(evidence: frozenset[Evidence]) -> Iterator[Unchecked]:
    """That a walk crosses only what some evidence supports."""
    if evidence != ALL_EVIDENCE:
        words = " or ".join(word for word in ORDER if Evidence[word.upper()] in evidence)
        yield Unchecked(EVIDENCE, f"only {words} was asked for")


def of_policy(policy: Policy, own: Policy) -> Iterator[Unchecked]:
    """That a walk leaves out some of what the question would cross by itself."""
    if not set(own.codes) <= set(policy.codes):
        yield Unchecked(POLICY, f"{own.name} crosses more than {policy.name}")


def of_filters(agents: Sequence[str], since: str, until: str) -> Iterator[Unchecked]:
    """That only what some agents did was looked at, or what was done at some time."""
    words = [f"by {' or '.join(agents)}"] if agents else []
    words += [f"since {since}"] if since else []
    words += [f"before {until}"] if until else []
    if words:
        yield Unchecked(OTHERS + ", ".join(words), NARROWED)


def with_left_out(unchecked: Iterable[Unchecked], left_out: int | None) -> Iterator[Unchecked]:
    """The same; of other evidence with how many edges at the nodes shown it was that were not crossed."""
    edges = "edge" if left_out == 1 else "edges"
    for one in unchecked:
        if one.what == EVIDENCE and left_out is not None:
            yield Unchecked(EVIDENCE, f"{one.why}; {left_out:,} {edges} of the nodes shown not crossed")
        else:
            yield one


def is_whole(graph: Graphed) -> bool:
    """Whether the answer speaks for all that is recorded of what was asked about."""
    return not _words(graph)


def is_later(graph: Graphed) -> bool:
    """Whether the answer is a page that goes on from another."""
    return EARLIER in graph.unchecked


def within(graph: Graphed) -> str:
    """How far it looked, to stand behind what it denies: " before the walk stopped (depth)"; "" for a whole
    answer."""
    return "".join(f" {words}" for words in _words(graph))


def nothing(graph: Graphed, what: str, why: str = "") -> str:
    """That there is none of it: recorded at all, with the reason, or where the answer looked."""
    whole = is_whole(graph)
    return f"{what} is recorded{why}." if whole else f"{what} was come to{within(graph)}."


def at_least(graph: Graphed) -> str:
    """In front of a count that further pages may add to."""
    return "at least " if graph.truncated or is_later(graph) else ""


def _words(graph: Graphed) -> list[str]:
    whats = {one.what for one in graph.unchecked}
    words = [what.removeprefix(OTHERS) for what in sorted(whats) if what.startswith(OTHERS)]
    words += [f"with this evidence ({', '.join(graph.evidence.set)})"] if EVIDENCE in whats else []
    words += [f"over the relations of this policy ({graph.policy.name})"] if POLICY in whats else []
    words += ["on this page"] if is_later(graph) else []
    words += [f"before the walk stopped{reasons(graph)}"] if graph.truncated else []
    return words


def reasons(graph: Graphed) -> str:
    """Why the walk stopped, in brackets: " (depth)"."""
    found = sorted({stop.reason for stop in graph.frontier if stop.reason != "stop_at"})
    return f" ({', '.join(found)})" if found else ""
