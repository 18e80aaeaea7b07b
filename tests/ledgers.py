"""Events made ready for a ledger as the service does it: settled, bodies taken out, mapped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from app.content import SealedBody
from app.content.classes import PROFILE
from app.content.vault import Vault, same_content
from app.ledger import Prepared, digest_of
from provmodel import computed, events
from provmodel.evidence import LOCAL, Principal
from provmodel.mapping import project
from provmodel.settling import settle
from tests.story import UNDER, VAULT

RECEIVED = 1_790_000_000_000_000
_encode = msgspec.json.Encoder(order="deterministic").encode


def prepared(
    event: events.Event,
    principal: Principal = LOCAL,
    received: int = RECEIVED,
    tenant: str = "default",
    vault: Vault = VAULT,
) -> Prepared:
    """One event, ready to append; ``received`` in microseconds since 1970."""
    settled = settle(event, vault.tagger(tenant))
    taken = vault.take_out(tenant, settled, UNDER)
    log = _encode(taken.event)
    return Prepared(
        event=taken.event,
        log=log,
        digest=digest_of(log),
        records=project(taken.event, taken.computed, principal),
        principal=principal,
        received=received,
        computed=computed.encode(taken.computed) if taken.computed else None,
        bodies=taken.bodies,
        salt=taken.salt,
        redelivery=taken.redelivery,
        same=partial(same_content, settled, UNDER) if taken.salt else None,
    )


def all_prepared(told: Iterable[events.Event | dict[str, Any]]) -> list[Prepared]:
    """Events, or their JSON-able objects, ready to append."""
    return [prepared(msgspec.convert(item, type=events.Event)) for item in map(_plain, told)]


def labels_of(items: Iterable[Prepared], tenant: str = "default") -> dict[str, str]:
    """What the bodies say that are labels, by their ids."""
    bodies = [body for item in items for body in item.bodies if isinstance(body, SealedBody)]
    return {b.id: VAULT.open_body(tenant, b).decode() for b in bodies if b.cls == PROFILE}


def _plain(item: events.Event | dict[str, Any]) -> Any:
    return item if isinstance(item, dict) else msgspec.to_builtins(item)
