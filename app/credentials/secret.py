"""API keys as text: made once, shown once, kept as a digest.

``clew_<tenant>_<id>_<secret>``: the tenant's number in base 36 and the id say where to look, the secret is 32
random bytes. With so many, SHA-256 without salt or stretching is enough: there is no dictionary to try.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

PREFIX = "clew"
_ID_BYTES, _SECRET_BYTES = 8, 32
_KEY = re.compile(rf"{PREFIX}_([0-9a-z]{{1,12}})_([0-9a-f]{{{2 * _ID_BYTES}}})_([A-Za-z0-9_-]{{43}})")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Presented(NamedTuple):
    """A key as somebody shows it."""

    tenant: int
    id: str
    secret: str


class Made(NamedTuple):
    """A new key: its text, which is never kept, its id, and its digest (32 bytes)."""

    text: str
    id: str
    digest: bytes


def make(tenant: int) -> Made:
    """A new key of the tenant of this number."""
    id_ = secrets.token_hex(_ID_BYTES)
    secret = base64.urlsafe_b64encode(secrets.token_bytes(_SECRET_BYTES)).rstrip(b"=").decode()
    return Made(f"{PREFIX}_{_base36(tenant)}_{id_}_{secret}", id_, digest_of(secret))


def read(text: str) -> Presented | None:
    """A text taken apart, when it has the form of a key."""
    found = _KEY.fullmatch(text)
    return Presented(int(found[1], 36), found[2], found[3]) if found else None


def digest_of(secret: str) -> bytes:
    """SHA-256, 32 bytes."""
    return hashlib.sha256(secret.encode()).digest()


def is_of(secret: str, digest: bytes) -> bool:
    """Whether the secret has this digest, in a time that tells nothing."""
    return hmac.compare_digest(digest_of(secret), digest)


def _base36(number: int) -> str:
    digits = _DIGITS[number % 36]
    while number := number // 36:
        digits = _DIGITS[number % 36] + digits
    return digits
