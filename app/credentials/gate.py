"""The gate: from what a request shows to who it is, in microseconds, out of date by a second at most."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from app.credentials.errors import NotSignedIn
from app.credentials.identity import Identity
from app.credentials.keys import Found, Keys
from app.credentials.scopes import SCOPES
from app.credentials.tokens import Tokens
from provmodel.evidence import LOCAL

SECONDS_BELIEVED = 0.9
"""How long a credential that was found in force is taken to be: revoked means revoked within a second."""
KEPT = 4096
LONGEST = 8192
"""Characters of a header that are looked at; no key and no sensible token has more."""


class Gate:
    """Says who shows a credential. ``tenant`` is whose graph a server without credentials serves."""

    def __init__(
        self,
        keys: Keys,
        tokens: Tokens | None,
        tenant: str,
        *,
        required: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``required`` asks for credentials even before the first is made; ``clock`` gives seconds."""
        self._keys = keys
        self._tokens = tokens
        self._required = required or tokens is not None
        self._clock = clock
        self._anyone = Identity(tenant, LOCAL, frozenset(SCOPES), sees_all=True)
        self._asked = float("-inf")
        self._believed: OrderedDict[bytes, tuple[float, Identity]] = OrderedDict()
        self._lock = Lock()

    @property
    def required(self) -> bool:
        """Whether credentials are asked for; once a key was made, always."""
        if not self._required and self._clock() - self._asked >= SECONDS_BELIEVED:
            self._asked = self._clock()
            self._required = self._keys.any()
        return self._required

    def known(self, authorization: str | None) -> Identity | None:
        """Who it is, when that needs no look at the database; else None: ask :meth:`identify`."""
        if not self._required:
            fresh = self._clock() - self._asked < SECONDS_BELIEVED
            return self._anyone if fresh else None
        if authorization is None:
            return None
        found = self._believed.get(_digest(authorization))
        return found[1] if found and self._clock() - found[0] < SECONDS_BELIEVED else None

    def identify(self, authorization: str | None) -> Identity:
        """Who shows this ``Authorization`` header; raises :class:`NotSignedIn`."""
        if not self.required:
            return self._anyone
        found = self.known(authorization)
        if found is not None:
            return found
        scheme, _, shown = (authorization or "")[:LONGEST].partition(" ")
        if scheme.lower() != "bearer" or len(authorization or "") > LONGEST:
            raise NotSignedIn
        identity = self._looked_up(shown.strip())
        with self._lock:
            self._believed[_digest(authorization or "")] = (self._clock(), identity)
            while len(self._believed) > KEPT:
                self._believed.popitem(last=False)
        return identity

    def _looked_up(self, shown: str) -> Identity:
        key = self._keys.find(shown)
        if key is not None:
            self._keys.note_use(key)
            return _of(key)
        if self._tokens is not None:
            return self._tokens.identity(shown)
        raise NotSignedIn


def _of(key: Found) -> Identity:
    counted = f"{key.number}/{key.id}"
    return Identity(key.tenant, key.grant.principal(), key.grant.scopes, key.grant.groups, key=counted)


def _digest(authorization: str) -> bytes:
    """What is remembered of a credential is never the credential."""
    return hashlib.sha256(authorization.encode("utf-8", "surrogateescape")).digest()
