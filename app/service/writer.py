"""One thread that writes: what many requests bring while it commits goes into the next commit together.

An event costs some 30 us in a commit of hundreds and 230 us in a commit of its own, so the more there is to
do, the less each costs. The answer to a request comes after its commit.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress

import msgspec

from app.ledger.items import Outcome, Prepared
from provmodel.errors import ClewError, StoreTrouble

Append = Callable[[str, Sequence[Prepared]], list[Outcome]]
Tidy = Callable[[str], object]
"""What is done for a tenant now and then, beside writing: merging small blobs."""
Idle = Callable[[str], bool]
"""What is done for a tenant while nobody writes, a step at a time; whether that was all of it."""
Waiting = Future[list[Outcome]]

MOST_IN_A_COMMIT = 500  # events; beyond that a commit gets longer, and none of them cheaper
ROOM = 20_000  # events that wait; some two to five seconds of writing
RETRY_AFTER = 2  # seconds
TIDY_EVERY = 16  # commits; as many blobs make one of the next level
SECONDS_IDLE = 1.0  # without a request, after which the time is used


class Overloaded(ClewError):
    """The producer must wait: more waits to be written than is kept. ``seconds`` is when to come again."""

    def __init__(self, what: str, seconds: int) -> None:
        super().__init__(f"{what}; come again in {seconds} s")
        self.seconds = seconds


class Counts(msgspec.Struct):
    """What a writer has done since it began."""

    commits: int = 0
    events: int = 0
    turned_away: int = 0


class _Request(msgspec.Struct, gc=False):
    tenant: str
    items: Sequence[Prepared]
    done: Waiting


class Writer:
    """Appends to the ledger in a thread of its own, which starts with the first request and ends with
    :meth:`close`.
    """

    def __init__(
        self,
        append: Append,
        most: int = MOST_IN_A_COMMIT,
        room: int = ROOM,
        tidy: Tidy | None = None,
        idle: Idle | None = None,
    ) -> None:
        self._append = append
        self._tidy = tidy
        self._idle = idle
        self._wrote_for = ""
        self._most = most
        self._room = room
        self._requests: deque[_Request] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.counts = Counts()

    @property
    def waiting(self) -> int:
        """Events that wait, those in the commit under way not counted."""
        with self._changed:
            return self._count()

    def submit(self, tenant: str, items: Sequence[Prepared]) -> Waiting:
        """Hand over events of one tenant; the future has their outcomes once they are durable.

        Raises :class:`Overloaded` when too many wait. A request that alone is greater than the room is taken
        when none waits.
        """
        done: Waiting = Future()
        if not items:
            done.set_result([])
            return done
        with self._changed:
            if self._closed:
                raise Overloaded("the service is going down", RETRY_AFTER)
            if self._requests and self._count() + len(items) > self._room:
                self.counts.turned_away += 1
                raise Overloaded(f"{self._count()} events wait to be written", RETRY_AFTER)
            self._requests.append(_Request(tenant, items, done))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="clew-writer", daemon=True)
                self._thread.start()
            self._changed.notify()
        return done

    def close(self) -> None:
        """Write what waits, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _count(self) -> int:
        return sum(len(request.items) for request in self._requests)

    def _run(self) -> None:
        while group := self._next():
            self._write(group)
            if self._tidy and self.counts.commits % TIDY_EVERY == 0:
                with suppress(StoreTrouble):  # the next time will do; nobody waits for it
                    self._tidy(group[0].tenant)

    def _next(self) -> list[_Request]:
        """The requests of one commit: of one tenant, oldest first. None when the writer is closed and has
        written all.
        """
        while not self._requested():
            self._use_the_time()
        with self._changed:
            group: list[_Request] = []
            size = 0
            while self._requests:
                request = self._requests[0]
                if group and (request.tenant != group[0].tenant or size + len(request.items) > self._most):
                    break
                group.append(self._requests.popleft())
                size += len(request.items)
            return group

    def _requested(self) -> bool:
        """Wait for a request or the end; False when there is time for something else."""
        seconds = SECONDS_IDLE if self._idle and self._wrote_for else None
        with self._changed:
            return bool(self._changed.wait_for(lambda: self._requests or self._closed, seconds))

    def _use_the_time(self) -> None:
        done = True
        with suppress(StoreTrouble):  # whoever needs it will do it
            done = self._idle is None or self._idle(self._wrote_for)
        if done:
            self._wrote_for = ""

    def _write(self, group: list[_Request]) -> None:
        items = [item for request in group for item in request.items]
        try:
            outcomes = self._append(group[0].tenant, items)
        except Exception as error:  # noqa: BLE001 (whoever waits gets it; the thread must go on)
            self._fail(group, error)
            return
        self._wrote_for = group[0].tenant
        self.counts.commits += 1
        self.counts.events += len(items)
        start = 0
        for request in group:
            end = start + len(request.items)
            request.done.set_result(outcomes[start:end])
            start = end

    def _fail(self, group: list[_Request], error: Exception) -> None:
        """A commit failed. Unless it is the store itself, each request gets a commit of its own, so that one
        does not spoil the others.
        """
        if len(group) > 1 and not isinstance(error, StoreTrouble):
            for request in group:
                self._write([request])
            return
        for request in group:
            request.done.set_exception(error)


class Direct:
    """Appends in the thread that asks: for a process that has nobody else to write for."""

    def __init__(self, append: Append, tidy: Tidy | None = None) -> None:
        self._append = append
        self._tidy = tidy
        self.counts = Counts()
        self.waiting = 0

    def submit(self, tenant: str, items: Sequence[Prepared]) -> Waiting:
        """As :meth:`Writer.submit`, done on return; raises what the ledger raises."""
        done: Waiting = Future()
        outcomes = self._append(tenant, items) if items else []
        self.counts.commits += bool(items)
        self.counts.events += len(items)
        done.set_result(outcomes)
        if self._tidy and items and self.counts.commits % TIDY_EVERY == 0:
            self._tidy(tenant)
        return done

    def close(self) -> None:
        """Nothing waits."""
