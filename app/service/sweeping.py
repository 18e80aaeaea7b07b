"""A thread that lets go of what retention lets go, now and then, for as long as the server runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from provmodel.errors import ClewError

log = logging.getLogger("clew.sweeper")


class Sweeper:
    """Calls ``sweep`` every so many seconds until it is closed. What goes wrong is logged and tried again."""

    def __init__(self, sweep: Callable[[], object], seconds: float) -> None:
        self._sweep = sweep
        self._seconds = seconds
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clew-sweeper", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._closed.wait(self._seconds):
            try:
                self._sweep()
            except ClewError as error:
                log.warning("a sweep was cut off: %s", error)

    def close(self) -> None:
        """Let a sweep under way end, and begin no other."""
        self._closed.set()
        self._thread.join()
