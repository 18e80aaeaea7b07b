"""Garbage is searched for where it costs little: objects in cycles, which Clew makes few of."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 20_000


@contextmanager
def no_collections() -> Iterator[None]:
    """No search for garbage within.

    Each search goes through all that was made before, and finds nothing: what is made here stays, or isn't in
    a cycle. So the work would grow faster than what it works on. The work has to be bounded; of several
    threads the first that is done ends the pause for all.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def search_seldom() -> None:
    """What was made so far stays, and is left out of each search from now on, which goes through all of it in
    some 40 ms; and there is a search after 20,000 new objects rather than 700: an answer makes some 5,000.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, 10, 10)
