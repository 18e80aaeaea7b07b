"""The master key: a file beside the database, and what is derived from it for each tenant.

Whoever has the database without this file has no body and can try no guess against a tag; whoever loses the
file has lost the bodies. So the file is made once, never overwritten, and a database remembers which key is
its own.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from functools import lru_cache
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.content.tags import Tags, keyed_digest
from provmodel.computed import RUN_ALG, RUN_BYTES_ALG, TENANT_ALG, TENANT_BYTES_ALG
from provmodel.errors import StoreTrouble

KEY_BYTES = 32
VERSION = 1
_FINGERPRINT_BYTES = 16
_OWNER_ONLY = 0o600
_RUNS_KEPT = 4096  # tag keys of runs in memory, about 2 MB


class _KeyFile(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="clew-key"):
    """The file: ``master`` is base64 of 32 random bytes, ``fingerprint`` tells a damaged key from a whole
    one.
    """

    version: int
    master: str
    fingerprint: str


class TenantKeys:
    """What one tenant's keys open: tags of its values and runs, and the wrapping of its bodies' keys."""

    def __init__(self, master: bytes, tenant: str) -> None:
        self._tag_key = _derive(master, "tags", tenant)
        self.wrapping = AESGCM(_derive(master, "bodies", tenant))
        self.tags = Tags(self._tag_key, TENANT_ALG, TENANT_BYTES_ALG)
        self.tags_of = lru_cache(_RUNS_KEPT)(self._tags_of)

    def tag_key(self, run: str | None) -> bytes:
        """32 bytes: the tag key of a run, or of the tenant when there is no run."""
        return keyed_digest(self._tag_key, b"run\0" + run.encode()) if run else self._tag_key

    def _tags_of(self, run: str | None) -> Tags:
        return Tags(self.tag_key(run), RUN_ALG, RUN_BYTES_ALG) if run else self.tags


class Keys:
    """The master key, in memory. Everything that it gives is a function of the key and the tenant's name."""

    def __init__(self, master: bytes) -> None:
        self._master = master
        self.fingerprint = _fingerprint(master)
        self.tenant = lru_cache(None)(self._tenant)

    def __repr__(self) -> str:
        return f"Keys({self.fingerprint})"

    def _tenant(self, tenant: str) -> TenantKeys:
        return TenantKeys(self._master, tenant)


def open_keys(path: Path, fingerprint: str | None) -> Keys:
    """The keys in the file at ``path``; a file is made when there is none and the database has no key yet.

    ``fingerprint`` is what the database remembers of its key, ``None`` when nothing was ever sealed or
    tagged in it. Several processes may come at once: one file is made, and all get the same keys. Raises
    :class:`StoreTrouble` when the file is missing though the database has a key, can't be read or made, is
    malformed, or holds another database's key.
    """
    try:
        keys = _read(path)
    except FileNotFoundError:
        if fingerprint is not None:
            raise _trouble(
                path,
                f"is missing, and the database was written with the key {fingerprint}",
                "put the key file back from its backup; nothing was changed, a new key would open no body",
            ) from None
        _create(path)
        keys = _read(path)
    if fingerprint is not None and keys.fingerprint != fingerprint:
        raise _trouble(
            path,
            f"holds the key {keys.fingerprint}, and the database was written with the key {fingerprint}",
            "put the key file of this database there, or open the database of this key; nothing was changed",
        )
    return keys


def _read(path: Path) -> Keys:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _trouble(
            path,
            f"can't be read: {error.strerror}",
            "let this user read it (it belongs to one user, mode 0600)",
        ) from None
    try:
        version = msgspec.json.decode(raw, type=_Version).version
        if version > VERSION:
            raise _trouble(
                path,
                f"has version {version}, written by a newer Clew",
                "use that version of Clew, or a newer one",
            )
        return _keys(msgspec.json.decode(raw, type=_KeyFile))
    except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error, ValueError) as error:
        raise _trouble(
            path, f"is no whole key file: {error}", "put it back from its backup; it was not changed"
        ) from None


class _Version(msgspec.Struct):
    """What every version of the file says first."""

    version: int


def _keys(file: _KeyFile) -> Keys:
    master = base64.b64decode(file.master, validate=True)
    if len(master) != KEY_BYTES:
        raise ValueError(f"the key has {len(master)} bytes, not {KEY_BYTES}")
    keys = Keys(master)
    if keys.fingerprint != file.fingerprint:
        raise ValueError("the key does not fit the fingerprint beside it")
    return keys


def _create(path: Path) -> None:
    """Make the file whole or not at all, and only where none is: it is written aside, then linked under its
    name.
    """
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    try:
        try:
            _write(aside, _fresh())
            os.link(aside, path)
        except FileExistsError:
            return  # another process was first; its key is the key
        finally:
            aside.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise _trouble(
            path,
            f"can't be made: {error.strerror}",
            "choose a folder that this user may write to (CLEW_KEY_FILE names the file)",
        ) from None


def _fresh() -> bytes:
    master = secrets.token_bytes(KEY_BYTES)
    file = _KeyFile(
        version=VERSION, master=base64.b64encode(master).decode(), fingerprint=_fingerprint(master)
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, _OWNER_ONLY)  # whatever the umask took away
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """A name in a folder is durable only when the folder is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _derive(master: bytes, purpose: str, tenant: str = "", length: int = KEY_BYTES) -> bytes:
    """HKDF-SHA256 (RFC 5869); purpose and tenant are told apart by a NUL, which neither can hold."""
    info = f"clew {VERSION}\0{purpose}\0{tenant}".encode()
    return HKDF(SHA256(), length, salt=None, info=info).derive(master)


def _fingerprint(master: bytes) -> str:
    return _derive(master, "fingerprint", length=_FINGERPRINT_BYTES).hex()


def _trouble(path: Path, what: str, remedy: str) -> StoreTrouble:
    return StoreTrouble(f"the key file {path} {what}; {remedy}")
