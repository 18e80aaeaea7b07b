"""The named questions, one a file; :mod:`queries.shelf` finds them, :mod:`queries.question` says what each
must have.
"""
