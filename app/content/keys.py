"""The key file: a master key beside the database, and what is derived from it for each tenant.

Whoever has the database without this file has no body and can try no guess against a tag; whoever loses the
file has lost the bodies. So the file is made once, and a database remembers which key is its own. What wraps
the keys of contents, and the secrets of tags, are numbered keys beside the master, so that they can be
rotated: a new one is added, every wrapped key is wrapped again, and the old one is taken out of the file.

Tags of contents follow from a secret at random (:class:`TagKeys`), which is kept like the key of a content
and destroyed with the first content that was tagged under it. From the master follow only the tags that
stand in names.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.content.tags import Chunks, Tags, keyed_digest
from provmodel.computed import RUN_ALG, RUN_BYTES_ALG, TENANT_ALG, TENANT_BYTES_ALG, under_key
from provmodel.errors import StoreTrouble

KEY_BYTES = 32
VERSION = 2
_FINGERPRINT_BYTES = 16
_OWNER_ONLY = 0o600
_NONCE, _TAG = 12, 16
OLD, WRAPPED = b"\x01", b"\x02"
"""First bytes of wrapped keys."""
SALT_BYTES = 16
DELIVERY_BYTES = 32
_NUMBER_BYTES = 4
_RUNS_KEPT = 4096  # tag keys of runs in memory, about 2 MB


class _KeyFile(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="clew-key"):
    """The file: ``master`` is base64 of 32 random bytes, ``fingerprint`` tells a damaged key from a whole
    one. ``wrapping`` has more such keys by their numbers; version 1 had none, and number 0 follows from the
    master.
    """

    version: int
    master: str
    fingerprint: str
    wrapping: dict[int, str] = {}


class TagKeys:
    """What a tenant's secret of this number gives: all by which contents are compared, so that it ends with
    the secret. Tags of values and of runs, digests of equal contents, and what tells a re-delivery.
    """

    def __init__(self, secret: bytes, number: int = 1) -> None:
        self.number = number
        self._tag_key = keyed_digest(secret, b"tags")
        self._same = Tags(keyed_digest(secret, b"same"), "", "")
        self._again = Tags(keyed_digest(secret, b"again"), "", "")
        self.tags = self._named(self._tag_key, TENANT_ALG, TENANT_BYTES_ALG)
        self.tags_of = lru_cache(_RUNS_KEPT)(self._tags_of)

    def tag_key(self, run: str | None) -> bytes:
        """32 bytes: the tag key of a run, or of the tenant when there is no run."""
        return keyed_digest(self._tag_key, b"run\0" + run.encode()) if run else self._tag_key

    def same(self, content: bytes) -> bytes:
        """16 bytes by which equal contents of the tenant are kept once."""
        return self._same.digest(content)

    def same_chunks(self) -> Chunks:
        """As :meth:`same`, in hex, a chunk at a time."""
        return self._same.chunks(b"")

    def salt(self) -> bytes:
        """16 bytes for one event: the secret's number, so that it can be told which one it was, and 12 at
        random.
        """
        return self.number.to_bytes(_NUMBER_BYTES, "big") + os.urandom(SALT_BYTES - _NUMBER_BYTES)

    def delivery(self, salt: bytes, event: bytes) -> bytes:
        """32 bytes by which the same event is known again."""
        return self._again.digest(salt + event, DELIVERY_BYTES)

    def is_delivery(self, salt: bytes, digest: bytes, event: bytes) -> bool | None:
        """Whether the digest is this event's; None when it was made under another secret."""
        if salt[:_NUMBER_BYTES] != self.number.to_bytes(_NUMBER_BYTES, "big"):
            return None
        return hmac.compare_digest(self.delivery(salt, event), digest)

    def _tags_of(self, run: str | None) -> Tags:
        return self._named(self.tag_key(run), RUN_ALG, RUN_BYTES_ALG) if run else self.tags

    def _named(self, key: bytes, alg: str, bytes_alg: str) -> Tags:
        return Tags(key, under_key(alg, self.number), under_key(bytes_alg, self.number))


class TenantKeys:
    """What follows from the master for one tenant. ``names`` makes the tags that stand in names: they are
    identities, and stay. ``tags`` are those of a process that has no ledger to keep a secret in.
    """

    def __init__(self, master: bytes, tenant: str) -> None:
        self.names = Tags(_derive(master, "tags", tenant), TENANT_ALG, TENANT_BYTES_ALG)
        self.tags = TagKeys(_derive(master, "passing tags", tenant))
        self._readers = _derive(master, "readers", tenant)

    def of_readers(self, groups: Sequence[str]) -> bytes:
        """32 bytes: the key of names that stand for what readers of these groups may not see."""
        return keyed_digest(self._readers, msgspec.json.encode(groups))


class FileWrapping:
    """Wraps keys of contents under a tenant's key, which follows from a numbered key of the key file.

    A wrapped key is the format's byte, the number (2 bytes), a nonce (12), and the encrypted key with its
    16-byte authentication tag; format 1 had no number and stood for 0.
    """

    def __init__(self, keys: Mapping[int, bytes]) -> None:
        self._keys = dict(keys)
        self.newest = max(self._keys)
        self._ciphers: dict[tuple[int, str], AESGCM] = {}

    def wrap(self, tenant: str, bound: bytes, key: bytes) -> bytes:
        nonce = os.urandom(_NONCE)
        head = WRAPPED + self.newest.to_bytes(2, "big") + nonce
        return head + self._cipher(self.newest, tenant).encrypt(nonce, key, bound)

    def unwrap(self, tenant: str, bound: bytes, wrapped: bytes) -> bytes:
        """Raises ``InvalidTag`` for what was changed or is of another tenant, content or number."""
        number, start = number_of(wrapped), 3 if wrapped[:1] == WRAPPED else 1
        if number not in self._keys or len(wrapped) != start + _NONCE + KEY_BYTES + _TAG:
            raise InvalidTag
        nonce = wrapped[start : start + _NONCE]
        return self._cipher(number, tenant).decrypt(nonce, wrapped[start + _NONCE :], bound)

    def _cipher(self, number: int, tenant: str) -> AESGCM:
        found = self._ciphers.get((number, tenant))
        if found is None:
            found = self._ciphers[number, tenant] = AESGCM(_derive(self._keys[number], "bodies", tenant))
        return found


def number_of(wrapped: bytes) -> int:
    """Which numbered key wrapped a key; -1 for what is no wrapped key."""
    if wrapped[:1] == WRAPPED:
        return int.from_bytes(wrapped[1:3], "big")
    return 0 if wrapped[:1] == OLD else -1


class Keys:
    """The keys of a file, in memory. All that they give for a tenant is a function of them and its name.

    ``path`` is read again by :meth:`refresh` when another process has rotated it.
    """

    def __init__(
        self, master: bytes, wrapping: Mapping[int, bytes] | None = None, path: Path | None = None
    ) -> None:
        self._master = master
        self.fingerprint = _fingerprint(master)
        self.wrapping = FileWrapping(wrapping or {0: master})
        self.tenant = lru_cache(None)(self._tenant)
        self._path = path
        self._read_at = _stamp(path)

    def __repr__(self) -> str:
        return f"Keys({self.fingerprint})"

    def _tenant(self, tenant: str) -> TenantKeys:
        return TenantKeys(self._master, tenant)

    def refresh(self) -> None:
        """Take over what a rotation has changed in the file; a file that is gone leaves all as it is."""
        stamp = _stamp(self._path)
        if self._path is not None and stamp is not None and stamp != self._read_at:
            self.wrapping = open_keys(self._path, self.fingerprint).wrapping
            self._read_at = stamp


def _stamp(path: Path | None) -> tuple[int, int] | None:
    try:
        found = path.stat() if path else None
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_ino) if found else None


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
        return _keys(msgspec.json.decode(raw, type=_KeyFile), path)
    except (msgspec.DecodeError, UnicodeDecodeError, binascii.Error, ValueError) as error:
        raise _trouble(
            path, f"is no whole key file: {error}", "put it back from its backup; it was not changed"
        ) from None


class _Version(msgspec.Struct):
    """What every version of the file says first."""

    version: int


def _keys(file: _KeyFile, path: Path) -> Keys:
    master = _decoded(file.master)
    wrapping = {number: _decoded(key) for number, key in file.wrapping.items()}
    keys = Keys(master, wrapping, path)
    if keys.fingerprint != file.fingerprint:
        raise ValueError("the key does not fit the fingerprint beside it")
    return keys


def _decoded(text: str) -> bytes:
    key = base64.b64decode(text, validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key has {len(key)} bytes, not {KEY_BYTES}")
    return key


def add_wrapping(path: Path, fingerprint: str) -> Keys:
    """Begin a rotation: put one more numbered key into the file, by which everything is wrapped from now on.

    Raises :class:`StoreTrouble` as :func:`open_keys` does, and when the file can't be written.
    """
    open_keys(path, fingerprint)
    file = msgspec.json.decode(path.read_bytes(), type=_KeyFile)
    number = max(file.wrapping, default=0) + 1
    _replace(path, file, {**file.wrapping, number: _text(secrets.token_bytes(KEY_BYTES))})
    return open_keys(path, fingerprint)


def drop_wrapping(path: Path, fingerprint: str) -> None:
    """End a rotation: take every numbered key but the newest out of the file."""
    open_keys(path, fingerprint)
    file = msgspec.json.decode(path.read_bytes(), type=_KeyFile)
    newest = max(file.wrapping)
    _replace(path, file, {newest: file.wrapping[newest]})


def _replace(path: Path, file: _KeyFile, wrapping: dict[int, str]) -> None:
    """The file with other numbered keys, whole or not at all."""
    changed = msgspec.structs.replace(file, version=VERSION, wrapping=wrapping)
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    try:
        try:
            _write(aside, _encoded(changed))
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise _trouble(
            path, f"can't be changed: {error.strerror}", "let this user write to its folder"
        ) from None


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
    wrapping = {1: _text(secrets.token_bytes(KEY_BYTES))}
    return _encoded(_KeyFile(VERSION, _text(master), _fingerprint(master), wrapping))


def _encoded(file: _KeyFile) -> bytes:
    return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"


def _text(key: bytes) -> str:
    return base64.b64encode(key).decode()


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
    info = f"clew 1\0{purpose}\0{tenant}".encode()
    return HKDF(SHA256(), length, salt=None, info=info).derive(master)


def _fingerprint(master: bytes) -> str:
    return _derive(master, "fingerprint", length=_FINGERPRINT_BYTES).hex()


def _trouble(path: Path, what: str, remedy: str) -> StoreTrouble:
    return StoreTrouble(f"the key file {path} {what}; {remedy}")
