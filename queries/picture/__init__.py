"""An answer as a picture: which of its nodes are drawn, under which names, and where they stand.

:func:`draw` takes the ``graph`` part of an answer. Many like nodes beside one node become one card that says
how many they are and shows the first; beyond a limit of boxes the nearest are drawn, and the picture counts
what it leaves out.
"""

from queries.picture.picture import Card, Drawn, Join, Line, Picture, draw

__all__ = ["Card", "Drawn", "Join", "Line", "Picture", "draw"]
