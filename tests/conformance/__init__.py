"""Runs Clew on the public suites that lie beside the project; ``python -m tests.conformance``.

A suite is one file in ``suites``. It says in which folder of the suites its input lies (``FOLDER``) and gives
its cases (``cases(folder)``); there is no list to keep.
"""
