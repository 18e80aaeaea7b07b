"""The verb *record*: items in, results out, in the order of the items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from app.content.vault import Vault
from app.ledger.items import Prepared
from app.ledger.retaining import Policies
from app.limits import Limits
from app.service.preparing import Preparer
from app.service.results import ItemResult, Name, refused, stored
from app.service.tagging import Tagging
from app.service.writer import MOST_IN_A_COMMIT, Direct, Waiting, Writer
from provmodel.decoding import decode_event
from provmodel.errors import Refused, Unreadable
from provmodel.events import Event
from provmodel.evidence import Principal
from provmodel.unhindered import no_collections

Item = bytes | Event
"""One event: its JSON text, or the event itself when a source has read it from a foreign trace."""

_Handed = tuple[list[tuple[int, Name]], Waiting]


class _Named(msgspec.Struct, frozen=True):
    """What names an event, when that much of it can be read."""

    id: str = ""
    source: str = ""
    time: str = ""


_named = msgspec.json.Decoder(_Named)


class Recorder:
    """Takes items of any credential and tenant, and answers when all that could be taken is durable."""

    def __init__(
        self,
        vault: Vault,
        writer: Writer | Direct,
        tagging: Tagging,
        policies: Callable[[], Policies] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._vault = vault
        self._tagging = tagging
        self._writer = writer
        self._policies = policies
        self._limits = limits

    def record(self, tenant: str, principal: Principal, items: Sequence[Item]) -> list[ItemResult]:
        """One result an item. A refused item never stops the others.

        Raises Overloaded, and StoreTrouble when the store could not write; what was written before stays, and
        may be sent again.
        """
        policies = self._policies() if self._policies else None
        keys = lambda: self._tagging.of(tenant)  # noqa: E731
        preparer = Preparer(self._vault, tenant, principal, keys, policies, self._limits)
        results: list[ItemResult | None] = [None] * len(items)
        handed = [self._hand_over(preparer, tenant, items, part, results) for part in _parts(len(items))]
        for places, waiting in handed:
            for (place, name), outcome in zip(places, waiting.result(), strict=True):
                results[place] = stored(place, name, outcome)
        return [result for result in results if result is not None]

    def _hand_over(
        self,
        preparer: Preparer,
        tenant: str,
        items: Sequence[Item],
        part: range,
        results: list[ItemResult | None],
    ) -> _Handed:
        """Prepare a part of the items, and let the writer have it while the next part is prepared."""
        places: list[tuple[int, Name]] = []
        ready: list[Prepared] = []
        with no_collections():
            for place in part:
                item = items[place]
                try:
                    event = decode_event(item) if isinstance(item, bytes) else item
                    ready.append(preparer.prepare(event))
                except (Refused, Unreadable) as error:
                    results[place] = refused(place, _name_of(item), error)
                    continue
                places.append((place, (event.id, event.source, event.time)))
        return places, self._writer.submit(tenant, ready)


def _parts(count: int) -> Iterator[range]:
    for start in range(0, count, MOST_IN_A_COMMIT):
        yield range(start, min(start + MOST_IN_A_COMMIT, count))


def _name_of(item: Item) -> Name:
    if not isinstance(item, bytes):
        return item.id, item.source, item.time
    try:
        named = _named.decode(item)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", "", ""
    return named.id, named.source, named.time
