"""Plain sentences that several questions say: what was asked, what is missing, where the answer was cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from provmodel import names
from provmodel.evidence import WORDS, Evidence
from provmodel.relations import GENERATION
from queries.answer import Availability, Edge, Graphed, Mark, Target
from queries.concerning import ABOUT
from queries.graph import Gap
from queries.limits import is_later, is_whole, stops, within

NAMED = 5
"""References that one sentence names before it counts the rest."""

NOTHING_MISSING = "Nothing is known to be missing."

_GAPS = {
    "never_recorded": ("was never recorded", "were never recorded"),
    "never_captured": ("has content that was not captured", "have content that was not captured"),
    "partial": ("was captured in part", "were captured in part"),
    "deleted": ("body was deleted", "bodies were deleted"),
    "unpinned": ("is named without a version", "are named without a version"),
    "not_verified": ("write was verified by nobody", "writes were verified by nobody"),
    "not_joined": (
        "result was returned and used by nothing recorded",
        "results were returned and used by nothing recorded",
    ),
    "execution_not_recorded": (
        "proposed action has no recorded attempt",
        "proposed actions have no recorded attempt",
    ),
    "open_run": ("run has no reported end", "runs have no reported end"),
    "incomplete_run": (
        "run stopped being reported before it ended",
        "runs stopped being reported before they ended",
    ),
    "coverage_unknown": (
        "source does not number its events one by one",
        "sources do not number their events one by one",
    ),
    "hidden": ("thing is hidden from you", "things are hidden from you"),
}

_HELPS = {
    "depth": "a greater depth goes further",
    "max_nodes": "a greater max_nodes shows more",
    "deadline": "a longer deadline goes further",
    "hub": "a hub is gone on from when it is named in expand",
    "page": "a hub among the targets is shown in pages, or whole when it is named in expand",
}
"""What helps where a walk was cut, beside the cursor."""

_RETRACTION = "retraction:"


def counted(count: int, one: str, many: str = "") -> str:
    """``1 input``, ``3 inputs``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def for_example(count: int, example: str) -> str:
    """The one that is meant, or the first of several, which says that it is one of them; a sentence (``gate
    dropped 3``) stands for itself."""
    return example if count == 1 or " " in example else f"such as {example}"


def listed(refs: Sequence[str]) -> str:
    """Some references, and how many more there are."""
    shown = ", ".join(refs[:NAMED])
    return f"{shown} and {len(refs) - NAMED:,} more" if len(refs) > NAMED else shown


def targets_told(graph: Graphed) -> list[str]:
    """What stands before an answer: of a later page, that it is one; which version was answered for, when the
    reader named a thing or a suffix; and what of the answer was taken back or deleted.
    """
    later = ["This page goes on from an earlier one, and shows other nodes."] if is_later(graph) else []
    taken_back = (*_retracted(graph), *withdrawn_told(graph), *_removed(graph), *deleted_told(graph))
    return [*later, *resolved_told(graph.targets), *taken_back, *_conflicts(graph)]


def resolved_told(targets: Sequence[Target]) -> list[str]:
    """What a name was taken for, wherever it is not the name of the very thing."""
    told = []
    about: dict[tuple[str, str], list[str]] = {}
    for target in targets:
        if target.found == ABOUT:
            about.setdefault((target.asked, target.record), []).append(target.ref)
        elif target.found != "exact" and target.asked != target.ref:
            others = f"; others are {listed(target.others)}" if target.others else ""
            only = "what ends so" if target.found == "suffix" else "its only version"
            which = "the newest version alone" if target.others else only
            told.append(f"For {target.asked} this answers {which}, {target.ref}{others}.")
        elif names.DIGEST in target.asked and names.DIGEST not in target.ref:
            told.append(f"{target.asked} is kept as {target.ref}: a plain digest could be guessed at.")
    for (asked, record), refs in about.items():
        what = "what it is about" if asked == record else f"what {record} is about"
        told.append(f"For {asked} this answers {what}, {listed(refs)}.")
    return told


def by_reference_told(graph: Graphed) -> str:
    """How many nodes an answer by references alone names."""
    nodes = counted(len(graph.nodes), "node")
    if not is_whole(graph):
        return f"{nodes} {'was' if len(graph.nodes) == 1 else 'were'} found{within(graph)}."
    return f"{nodes} in all, {listed([target.ref for target in graph.targets])} among them."


def missing_told(graph: Graphed) -> list[str]:
    """Where the answer was cut, its other gaps, and what could not be checked."""
    return [
        *_folded(graph),
        *_cut(graph),
        *_gaps(graph),
        *(f"Not checked: {item.what} ({item.why})." for item in graph.unchecked),
    ]


def unmade_told(graph: Graphed) -> Iterable[str]:
    """What was reported as made, and verified not to have been, or both."""
    refuted = [edge for edge in graph.edges if edge.refuted and edge.term == GENERATION.name]
    both = [edge for edge in refuted if _both(edge)]
    alone = [edge for edge in refuted if edge not in both]
    if alone:
        yield f"Refuted: that {_makings(alone)}."
    if both:
        yield f"Contradicted by verifiers, confirmed and confirmed to have failed: that {_makings(both)}."


def _both(edge: Edge) -> bool:
    verified = WORDS[Evidence.VERIFIED]
    return len({one.stance for one in edge.assertions if one.evidence == verified}) > 1


def _makings(edges: Sequence[Edge]) -> str:
    return listed([f"{edge.target} made {edge.source}" for edge in edges])


def held_told(availability: Availability) -> Iterable[str]:
    """Which bodies a legal hold keeps, and why."""
    held = sorted({f"{body.ref} ({body.hold})" for body in availability.bodies if body.hold})
    if held:
        yield f"Kept by a legal hold, whatever its time: {listed(held)}."


def _marked(graph: Graphed, kind: str) -> list[tuple[str, Mark]]:
    """The nodes with marks of a kind, by reference."""
    nodes = [node for node in graph.nodes if not isinstance(node, str)]
    marked = [(mark.of or node.ref, mark) for node in nodes for mark in node.marks if mark.kind == kind]
    return sorted(marked, key=lambda each: (each[0], each[1].event))


def withdrawn_told(graph: Graphed) -> Iterable[str]:
    """Which retractions were taken back."""
    marked = {ref: mark for ref, mark in _marked(graph, "withdrawn") if mark.ref.startswith(_RETRACTION)}
    told = [f"{ref} (by {mark.by}{_because(mark)})" for ref, mark in marked.items()]
    if told:
        yield f"Retracted once, and the retraction taken back since: {listed(told)}."


def _retracted(graph: Graphed) -> Iterable[str]:
    marked = dict(_marked(graph, "retracted"))
    told = [f"{ref} (by {mark.by}{_because(mark)})" for ref, mark in marked.items()]
    if told:
        number = f" ({len(told):,} things)" if len(told) > 1 else ""
        yield f"Retracted{number}: {listed(told)}."


def _because(mark: Mark) -> str:
    return f": {mark.reason.rstrip('.')}" if mark.reason else ""


def _removed(graph: Graphed) -> Iterable[str]:
    """What was deleted in the world, and when: it may have been made again."""
    removed = {ref: mark.time for ref, mark in _marked(graph, "removed")}
    if removed:
        number = f" ({len(removed):,} things)" if len(removed) > 1 else ""
        told = [f"{ref} at {time}" if time else ref for ref, time in removed.items()]
        yield f"Deleted{number}: {listed(told)}."


def _conflicts(graph: Graphed) -> Iterable[str]:
    """What is described by events that came with other content, too."""
    refs = list(dict(_marked(graph, "conflict")))
    if refs:
        yield f"Reported in variants that differ, of which none is preferred: {listed(refs)}."


def deleted_told(graph: Graphed) -> Iterable[str]:
    """Whose content was deleted from Clew."""
    for gap in graph.gaps:
        if gap.kind == "deleted":
            yield _gap(gap, _bodies(graph))


def _bodies(graph: Graphed) -> str:
    """What the deleted bodies were the content of, and why each went; "" when the answer does not show it."""
    marked = [(ref, mark.reason) for ref, mark in _marked(graph, "deleted") if mark.reason]
    return listed(list(dict.fromkeys(f"{ref}: {reason}" for ref, reason in sorted(marked))))


def _folded(graph: Graphed) -> Iterable[str]:
    stand = [node for node in graph.nodes if not isinstance(node, str) and node.members]
    if stand:
        members = counted(sum(node.members for node in stand), "node")
        page = " of this page" if graph.cursor or is_later(graph) else ""
        stands = "stands" if members == "1 node" else "stand"
        refs = listed([node.ref for node in stand])
        yield f"Folded: {members}{page} {stands} as {len(stand):,} ({refs}); name one in expand to see them."


def _cut(graph: Graphed) -> Iterable[str]:
    if not graph.truncated:
        return
    reasons = stops(graph)
    where = f": the walk stopped at {counted(len(graph.frontier), 'place')}" if graph.frontier else ""
    why = f" ({', '.join(reasons)})" if reasons else ""
    ways = ["the cursor goes on from there"] if graph.cursor else []
    ways += [_HELPS[reason] for reason in reasons if reason in _HELPS and (graph.cursor or reason != "page")]
    go_on = f"; {'; '.join(ways)}" if ways else ""
    yield f"This is part of the answer{where}{why}{go_on}."


def _gaps(graph: Graphed) -> Iterable[str]:
    yield from (_gap(gap) for gap in graph.gaps if gap.kind != "deleted")
    if not (graph.gaps or graph.unchecked) and is_whole(graph):
        yield NOTHING_MISSING


def _gap(gap: Gap, which: str = "") -> str:
    one, many = _GAPS[gap.kind]
    return (
        f"{gap.count:,} {one if gap.count == 1 else many} ({which or for_example(gap.count, gap.example)})."
    )
