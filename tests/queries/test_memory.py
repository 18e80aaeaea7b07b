"""MemoryGraph keeps the contract of every graph."""

from __future__ import annotations

from queries.graph import Graph
from tests.queries.graph_contract import GraphContract, Told, memory_of


class TestMemoryGraph(GraphContract):
    def graph_of(self, told: Told) -> Graph:
        return memory_of(told)
