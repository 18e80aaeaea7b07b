"""From an item to what the ledger stores: decode, settle, take the bodies out, map. One bad item stays its
own affair.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import msgspec

from app.content.classes import class_of, kind_of, label_of
from app.content.keys import TagKeys
from app.content.places import carries_body, drop_bodies
from app.content.streaming import Streamed
from app.content.vault import Taken, Vault, carries_content, same_content
from app.ledger.items import Mark, Prepared, digest_of
from app.ledger.retaining import Kept, Policies
from app.limits import Limits
from provmodel import computed, times
from provmodel.errors import Refused
from provmodel.events import ContentCaptured, Envelope, Event
from provmodel.evidence import Principal
from provmodel.mapping import project
from provmodel.settling import settle

FUTURE_BEYOND = 5 * 60 * 10**9  # nanoseconds; clocks of one site differ by less
encode_log = msgspec.json.Encoder(order="deterministic").encode
"""An event as the log keeps it."""


class Preparer:
    """Makes events of one credential, in one tenant, ready to be stored."""

    def __init__(
        self,
        vault: Vault,
        tenant: str,
        principal: Principal,
        tag_keys: Callable[[], TagKeys],
        policies: Policies | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.tag_keys = cache(tag_keys)
        self._never = policies if policies and policies.never else None
        self._vault = vault
        self._limits = limits or Limits()
        self._tenant = tenant
        self._principal = principal
        self._tagger = vault.tagger(tenant)

    def prepare(self, event: Event) -> Prepared:
        """Raises :class:`Refused` for what one event may not say, or this credential may not claim."""
        if not self._principal.may_speak_for(event.source):
            raise not_its_source(self._principal, event.source)
        self._limits.check_depth(event)
        redactor = self._vault.redactor
        settled = settle(redactor.event(event) if redactor else event, self._tagger)
        if self._never and carries_body(settled):
            settled = _without_unwanted(settled, self._never)
        if not carries_content(settled):
            return self._prepared(settled, Taken(settled))
        return self._prepared(settled, self._vault.take_out(self._tenant, settled, self.tag_keys()))

    def prepare_streamed(self, event: ContentCaptured, streamed: Streamed) -> Prepared:
        """As :meth:`prepare`, for content that was sealed as it came."""
        settled = settle(event, self._tagger)
        ref = msgspec.structs.replace(settled.content, body=streamed.body)
        settled = msgspec.structs.replace(settled, content=ref)
        return self._prepared(settled, Taken(settled, (streamed.sealed,), (streamed.computed,)))

    def _prepared(self, settled: Event, taken: Taken) -> Prepared:
        log = encode_log(taken.event)
        self._limits.check_texts(taken.event, len(log))
        now = time.time_ns()
        records = project(taken.event, taken.computed, self._principal)
        return Prepared(
            event=taken.event,
            log=log,
            digest=digest_of(log),
            records=records,
            principal=self._principal,
            received=now // 1000,
            computed=computed.encode(taken.computed) if taken.computed else None,
            bodies=self._vault.put_away(taken.bodies),
            salt=taken.salt,
            redelivery=taken.redelivery,
            same=_comparer(settled, self.tag_keys()) if taken.salt else None,
            marks=_marks(taken.event, now),
        )


def _without_unwanted(event: Event, policies: Policies) -> Event:
    """The event without content that a policy lets not be stored at all."""

    def unwanted(ref: str | None, where: str) -> bool:
        cls, kind = class_of(event, ref, where), kind_of(event, ref)
        body = Kept("", 0, cls, kind, label_of(event), event.run, 0, 0)
        policy = policies.of(body)
        return policy is not None and policy.keep == "never"

    return drop_bodies(event, unwanted)


def _comparer(settled: Event, under: TagKeys) -> Callable[[bytes, bytes], bool | None]:
    return lambda salt, digest: same_content(settled, under, salt, digest)


def _marks(event: Envelope, now: int) -> Mark:
    """How an event stands to this clock and to itself; neither is a reason to refuse it."""
    marks = Mark.NONE
    if times.nanoseconds(event.time) > now + FUTURE_BEYOND:
        marks |= Mark.FUTURE
    started, ended = getattr(event, "started", None), getattr(event, "ended", None)
    if started and ended and times.nanoseconds(ended) < times.nanoseconds(started):
        marks |= Mark.SKEWED
    return marks


def not_its_source(principal: Principal, source: str) -> Refused:
    """The error that says which sources a credential may speak for."""
    return Refused(
        "source",
        f"the credential {principal.name!r} may not speak for {source!r}",
        f"use one of {', '.join(sorted(principal.sources or ()))}, or another credential",
    )
