"""Each peer and Clew on the same work in one run: ``python -m benchmarks [NAME ...] [--quick] [--write]``.

A file of this folder that has ``figures(quick)`` is a subject, and is found by being there. What is measured
is the CPU time of whole processes, see :mod:`benchmarks.frame` and docs/adr/0090-how-speed-is-measured.md.
"""
