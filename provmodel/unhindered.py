"""Work that makes very many objects, all of which stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
