"""What the environment says. Nothing else in Clew reads it.

==================  ==========================================================================================
CLEW_DB             where the ledger is: an SQLAlchemy URL, or the path of an SQLite file (``clew.db``)
CLEW_KEY_FILE       the master key of the bodies (beside an SQLite file, else ``clew.keys`` in the working
folder) CLEW_BASE_IRI       what the IRIs of nodes begin with (``urn:x-clew:``) CLEW_TENANT         whose
ledger it is (``default``) CLEW_ISSUERS        a file of issuers of tokens (docs/security.md)
CLEW_TOKEN          what the command line shows to a server (``--url``) ==================
==========================================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

DEFAULT_DB = "clew.db"
DEFAULT_KEY_FILE = "clew.keys"
_SQLITE = "sqlite:///"
_DRIVERS = {"postgres://": "postgresql+psycopg://", "postgresql://": "postgresql+psycopg://"}


class Settings(msgspec.Struct, frozen=True):
    """What a process was told. ``db`` is an SQLAlchemy URL; ``token`` is a secret and never shown."""

    db: str
    key_file: Path
    base_iri: str = "urn:x-clew:"
    tenant: str = "default"
    issuers: Path | None = None
    token: str = ""

    def __repr__(self) -> str:
        return f"Settings(db={without_password(self.db)!r}, tenant={self.tenant!r})"


def read(db: str | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process; ``db`` (a URL or a path) goes before what the environment names."""
    url = database_url(db or environment.get("CLEW_DB") or DEFAULT_DB)
    key_file, issuers = environment.get("CLEW_KEY_FILE"), environment.get("CLEW_ISSUERS")
    return Settings(
        db=url,
        key_file=Path(key_file) if key_file else key_file_of(url),
        base_iri=environment.get("CLEW_BASE_IRI") or "urn:x-clew:",
        tenant=environment.get("CLEW_TENANT") or "default",
        issuers=Path(issuers) if issuers else None,
        token=environment.get("CLEW_TOKEN", ""),
    )


def database_url(named: str) -> str:
    """An SQLAlchemy URL: as given, or for the SQLite file at a path; PostgreSQL is always spoken to by
    psycopg 3.
    """
    for plain, driver in _DRIVERS.items():
        if named.startswith(plain):
            return driver + named.removeprefix(plain)
    return named if "://" in named else _SQLITE + str(Path(named))


def without_password(url: str) -> str:
    """A URL that may be shown."""
    before, at, after = url.rpartition("@")
    scheme, slashes, user = before.partition("://")
    return f"{scheme}{slashes}{user.partition(':')[0]}{at}{after}"


def key_file_of(url: str) -> Path:
    """Where the key file of a database stands unless told otherwise: beside an SQLite file."""
    if url.startswith(_SQLITE):
        path = Path(url.removeprefix(_SQLITE).partition("?")[0])
        return path.with_suffix(".keys") if path.name else path / DEFAULT_KEY_FILE
    return Path(DEFAULT_KEY_FILE)
