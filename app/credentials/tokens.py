"""Bearer tokens of configured issuers: JSON Web Tokens (RFC 7519) as RFC 8725 would have them checked.

Keys come from the configuration alone, never from a token or the network. Each key has one algorithm, which a
token cannot choose. What a token holds is what the issuer's entry grants, narrowed to its own ``scope``.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from app.credentials.errors import NotSignedIn
from app.credentials.identity import Identity
from app.credentials.keys import Grant
from app.credentials.scopes import SCOPES
from provmodel.errors import StoreTrouble
from provmodel.evidence import MAY_CLAIM, parse

ALGORITHMS = frozenset({"Ed25519", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256"})
"""Signatures of which the server holds only the public half."""
LEEWAY = 30
"""Seconds that clocks may differ."""


class Granted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tokens of an issuer may hold at most; as :class:`app.credentials.keys.Grant` has it."""

    scopes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    sources: tuple[str, ...] | None = None
    vouches: bool = False
    cap: str = "verified"
    groups: tuple[str, ...] = ()


class Issuer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One issuer: ``jwks`` is its JWK set (RFC 7517); each key has an ``alg``. Where ``groups_claim`` names a
    claim, a token has of the groups granted only those that it lists there.
    """

    issuer: str
    audience: str
    jwks: dict[str, Any]
    tenant: str
    grant: Granted
    name_claim: str = "sub"
    groups_claim: str = ""


class Tokens:
    """Checks tokens. Any number of threads may use it."""

    def __init__(
        self, issuers: tuple[Issuer, ...], now: Callable[[], int] = lambda: int(time.time())
    ) -> None:
        """``now`` gives seconds since 1970. Raises :class:`StoreTrouble` for an unsafe configuration."""
        self._now = now
        self._keys: dict[str, tuple[Any, str, Issuer]] = {}
        for issuer in issuers:
            self._take(issuer)

    @classmethod
    def read(cls, path: Path) -> Tokens:
        """The issuers in a file: a JSON array of :class:`Issuer`."""
        try:
            issuers = msgspec.json.decode(path.read_bytes(), type=tuple[Issuer, ...])
        except (OSError, msgspec.MsgspecError) as error:
            raise StoreTrouble(
                f"the issuers of {path} can't be read: {error}; see docs/security.md"
            ) from None
        return cls(issuers)

    def _take(self, issuer: Issuer) -> None:
        _check(issuer)
        try:
            keys = KeySet.import_key_set(issuer.jwks).keys  # type: ignore[arg-type]
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise StoreTrouble(
                f"the keys of {issuer.issuer} can't be read: {error}; give a JWK set"
            ) from None
        for key in keys:
            kid, alg = str(key.kid), key.alg  # without a kid it is known by its thumbprint (RFC 7638)
            if alg not in ALGORITHMS:
                remedy = f"give each key one alg of {', '.join(sorted(ALGORITHMS))}"
                raise StoreTrouble(f"a key of {issuer.issuer} has the alg {alg!r}; {remedy}")
            if kid in self._keys:
                raise StoreTrouble(f"two keys have the kid {kid!r}; give each its own")
            if key.is_private:
                raise StoreTrouble(f"the key {kid!r} holds its private half; give the public one alone")
            self._keys[kid] = key, alg, issuer

    def identity(self, shown: str) -> Identity:
        """Who the token is of; raises :class:`NotSignedIn`."""
        key, alg, issuer = self._keys.get(_kid(shown), (None, "", None))
        if issuer is None:
            raise NotSignedIn
        claims = self._claims(shown, key, alg, issuer)
        name = claims.get(issuer.name_claim)
        if not isinstance(name, str) or not 0 < len(name) <= 200:
            raise NotSignedIn
        grant = _narrowed(issuer, name, claims)
        counted = f"{issuer.issuer}#{name}"
        return Identity(issuer.tenant, grant.principal(), grant.scopes, grant.groups, key=counted)

    def _claims(self, shown: str, key: Any, alg: str, issuer: Issuer) -> dict[str, Any]:
        registry = jwt.JWTClaimsRegistry(
            now=self._now,
            leeway=LEEWAY,
            iss={"essential": True, "value": issuer.issuer},
            aud={"essential": True, "value": issuer.audience},
            exp={"essential": True},
        )
        try:
            token = jwt.decode(shown, key, algorithms=[alg])
            registry.validate(token.claims)
        except (JoseError, ValueError, TypeError):
            raise NotSignedIn from None
        return token.claims


def _check(issuer: Issuer) -> None:
    unknown = [*({*issuer.grant.scopes} - {*SCOPES}), *({*issuer.grant.kinds} - {*MAY_CLAIM})]
    if unknown:
        raise StoreTrouble(
            f"the grant of {issuer.issuer} holds {unknown[0]!r}, which is no scope and no kind"
        )
    if not issuer.issuer or not issuer.audience:
        raise StoreTrouble("an issuer needs its name and the audience that its tokens are for")


def _kid(shown: str) -> str:
    """The id of the key that a token says it was signed with; it is not believed, only looked up."""
    head = shown.partition(".")[0]
    try:
        header = msgspec.json.decode(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, msgspec.DecodeError):
        return ""
    kid = header.get("kid") if isinstance(header, dict) else None
    return kid if isinstance(kid, str) else ""


def _narrowed(issuer: Issuer, name: str, claims: Mapping[str, Any]) -> Grant:
    """What the issuer grants, and of its scopes and groups only those that the token asks for."""
    asked, granted = set(_words(claims.get("scope"))), issuer.grant
    groups = frozenset(granted.groups)
    if issuer.groups_claim:
        groups &= frozenset(_words(claims.get(issuer.groups_claim)))
    return Grant(
        name=name,
        scopes=frozenset([word for word in SCOPES if word in asked and word in granted.scopes]),
        kinds=frozenset(granted.kinds),
        sources=None if granted.sources is None else frozenset(granted.sources),
        vouches=granted.vouches,
        cap=parse(granted.cap),
        groups=groups,
    )


def _words(claim: object) -> list[str]:
    """The words of a claim: a list of them, or one text with blanks between."""
    found = claim.split() if isinstance(claim, str) else claim
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []
