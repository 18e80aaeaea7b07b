"""Nodes and edges that were chosen one by one, told as a walk that found just these."""

from __future__ import annotations

from collections.abc import Mapping

from queries.links import Link
from queries.walk import Walked


def chosen(depths: Mapping[int, int], links: list[Link]) -> Walked:
    """``depths`` gives the nodes, each with its distance in activities."""
    return Walked(
        depths=dict(depths),
        links=links,
        bridges=[],
        frontier={},
        next=None,
        before={},
        crossed=links,
        aside=[],
        read=set(),
    )
