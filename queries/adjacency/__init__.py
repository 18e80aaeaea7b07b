"""The compact index behind big walks: integer nodes, edges both ways in compacted arrays and an uncompacted
tail, in at most 30 bytes an edge.

It holds of each row what decides whether a walk crosses it, and nothing that is only told of it: a store
reads that for the nodes of a page. :class:`Adjacency` takes in packed rows as they are committed,
:class:`Crossing` says which of them a walk crosses, :class:`Reach` steps.
"""

from queries.adjacency.columns import Few as Few
from queries.adjacency.columns import Fresh as Fresh
from queries.adjacency.columns import Part as Part
from queries.adjacency.columns import role_mark as role_mark
from queries.adjacency.contested import Statement as Statement
from queries.adjacency.crossing import Crossing as Crossing
from queries.adjacency.index import Adjacency as Adjacency
from queries.adjacency.index import Feed as Feed
from queries.adjacency.index import View as View
from queries.adjacency.reach import Reach as Reach
