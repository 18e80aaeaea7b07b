"""Versions of which several contents came that differ: one name, and more than one thing under it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from provmodel import names
from provmodel.computed import RUN_ALG, RUN_BYTES_ALG, Computed, without_key
from queries.graph import AttributeRow, Graph, Report

_OF_A_RUN = frozenset({RUN_ALG, RUN_BYTES_ALG})
_PINS = names.CONTENT_PINS | names.OCCURRENCE_PINS

Said = Mapping[str, Sequence[tuple[int, AttributeRow]]]
"""What is said of nodes, by the name of the attribute."""


def unlike(graph: Graph, as_of: int, said: Said, refs: Mapping[int, str]) -> dict[int, tuple[int, ...]]:
    """The nodes that are one version each and have several contents which differ, with the seqs of the events
    that brought these.

    Contents differ where their tags are comparable and differ. Those of two runs never are: of these only
    texts of unlike size are known to differ. JSON is compared by its values. What is stated to be a part of
    the content, or was not looked at whole, is compared with nothing.
    """
    several = _several(said, refs)
    seqs = sorted({event for brought in several.values() for event in brought.values()})
    reports = graph.events(seqs, as_of) if seqs else {}
    return {
        node: tuple(sorted(set(brought.values())))
        for node, brought in several.items()
        if _differ(brought, reports)
    }


def _several(said: Said, refs: Mapping[int, str]) -> dict[int, dict[str, int]]:
    """Versions with several bodies: which event brought each."""
    rows = said.get("clew:body", ())
    if len({node for node, _ in rows}) == len(rows):
        return {}
    partial = {(node, row.event) for node, row in said.get("clew:bodyState", ()) if row.value == "partial"}
    brought: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for node, row in rows:
        if (node, row.event) not in partial:
            brought[node].setdefault(row.value, row.event)
    return {
        node: bodies
        for node, bodies in brought.items()
        if len(bodies) > 1 and names.split(refs[node]).pin in _PINS
    }


def _differ(brought: Mapping[str, int], reports: Mapping[int, Report]) -> bool:
    forms: defaultdict[tuple[str, str, bool], set[object]] = defaultdict(set)
    for body, event in brought.items():
        for item in reports[event].computed if event in reports else ():
            if item.body == body and item.whole and not item.skipped:
                run = reports[event].event.run if without_key(item.alg)[0] in _OF_A_RUN else None
                forms[item.alg, run or "", bool(item.values)].add(_form(item))
                if not (item.values or item.redacted):
                    forms["size", "", False].add(item.size)
    return any(len(alike) > 1 for alike in forms.values())


def _form(item: Computed) -> object:
    """The tags of its values, if it has such, else that of the whole: JSON may be written in several ways."""
    return frozenset((at, value.tag) for at, value in item.values.items()) or item.whole
