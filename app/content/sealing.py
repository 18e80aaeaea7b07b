"""Sealing one body: AES-256-GCM under a random key of its own, which the tenant's wrapping key wraps.

Destroying ``wrapped_key`` makes the content unreadable wherever copies of ``data`` lie. Tenant and body id
are bound into both, so that a row moved to another tenant or under another id does not open.
"""

from __future__ import annotations

import os
from typing import Literal

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from provmodel.errors import StoreTrouble

FORMAT = b"\x01"  # first byte of wrapped_key
_KEY = 32
_NONCE = 12
_OVERHEAD = 28  # nonce and authentication tag


class SealedBody(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A row of the table ``body``: all of it but ``wrapped_key`` and ``data`` may be shown to who may see
    the event.

    ``size`` is that of the content in bytes. ``wrapped_key`` is format byte, nonce, encrypted key; ``data``
    is nonce, encrypted content; each ends with its 16-byte authentication tag.
    """

    id: str
    cls: str
    media_type: str
    size: int
    state: Literal["present", "partial"]
    wrapped_key: bytes
    data: bytes


def seal(wrapping: AESGCM, tenant: str, body: str, content: bytes) -> tuple[bytes, bytes]:
    """``wrapped_key`` and ``data`` for a body."""
    fresh = os.urandom(_KEY + 2 * _NONCE)
    key, nonce, key_nonce = fresh[:_KEY], fresh[_KEY : _KEY + _NONCE], fresh[_KEY + _NONCE :]
    bound = _bound(tenant, body)
    wrapped = wrapping.encrypt(key_nonce, key, bound)
    return FORMAT + key_nonce + wrapped, nonce + AESGCM(key).encrypt(nonce, content, bound)


def unseal(wrapping: AESGCM, tenant: str, body: str, wrapped_key: bytes, data: bytes) -> bytes:
    """The content of a body; raises :class:`StoreTrouble` when anything about it was changed."""
    if (
        wrapped_key[:1] != FORMAT
        or len(wrapped_key) != len(FORMAT) + _KEY + _OVERHEAD
        or len(data) < _OVERHEAD
    ):
        raise _damaged(body, "it is not in a form that this version of Clew writes")
    bound = _bound(tenant, body)
    try:
        key = wrapping.decrypt(wrapped_key[1 : 1 + _NONCE], wrapped_key[1 + _NONCE :], bound)
        return AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], bound)
    except InvalidTag:
        raise _damaged(body, "it was changed, or sealed for another body, tenant or key") from None


def _bound(tenant: str, body: str) -> bytes:
    return f"clew body\0{tenant}\0{body}".encode()


def _damaged(body: str, why: str) -> StoreTrouble:
    return StoreTrouble(
        f"the body {body} does not open: {why}; restore its row from a backup, and run `clew db fsck`"
    )
