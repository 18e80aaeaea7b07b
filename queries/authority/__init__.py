"""Who authorized a write: what was asked, allowed, tried and done, and whether one covers the other.

Pure functions over the events of the log (:class:`queries.graph.Report`); only :mod:`.gather` reads a graph.
The rules are those of the model, sections 5 and 6; ``docs/explanation/authority.md`` tells them in words.
"""
