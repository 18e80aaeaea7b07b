"""Where the nodes and edges of an answer stand in a drawing: :func:`lay_out`.

Causes stand left of their effects, in columns; the same graph always gives the same drawing. No node lies
over another, and no edge passes under a node: an edge runs straight through a column at a height kept free
for it, and bends only in the channel between two columns. Pure arithmetic over sizes and pairs: it knows
nothing of PROV.

The steps are those of Sugiyama, Tagawa and Toda (1981): columns (:mod:`columns`), long edges cut at each
column (:mod:`trunks`), order within a column (:mod:`ordering`), heights (:mod:`placing`), paths
(:mod:`routing`).
"""

from queries.layout.drawing import lay_out
from queries.layout.shapes import Box, Drawing, Edge, Place, Route

__all__ = ["Box", "Drawing", "Edge", "Place", "Route", "lay_out"]
