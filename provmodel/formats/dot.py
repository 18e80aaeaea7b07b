"""Documents as pictures in DOT, the language of Graphviz: written, never read. How they are drawn says
:mod:`provmodel.documents.picture.dot`.
"""

from __future__ import annotations

from provmodel.documents.picture import dot
from provmodel.formats import Documents

DOCUMENTS = Documents(
    name="dot",
    title="DOT (Graphviz)",
    media_types=("text/vnd.graphviz",),
    endings=(".dot", ".gv"),
    write=dot.write,
)
