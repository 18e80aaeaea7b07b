"""What the environment says. Nothing else in Clew reads it.

* ``CLEW_DB``: where the ledger is: an SQLAlchemy URL, or the path of an SQLite file (``clew.db``)
* ``CLEW_KEY_FILE``: the master key of the bodies (beside an SQLite file, else ``clew.keys`` here)
* ``CLEW_KEY_STORE``: where the keys of single bodies are, as ``CLEW_DB`` (``clew.bodykeys`` beside an SQLite
  file, else beside the key file)
* ``CLEW_BODIES``: where bodies are that are greater than ``CLEW_BODIES_INSIDE``: a directory, or
  ``s3://BUCKET/PREFIX`` (in the database)
* ``CLEW_BODIES_INSIDE``: bytes of a body that stay in the database all the same (65536)
* ``CLEW_SWEEP_SECONDS``: how often the server looks for what retention lets go (300; 0: never)
* ``CLEW_S3_ENDPOINT``, ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_SESSION_TOKEN``,
  ``AWS_REGION``: how S3 is spoken to
* ``CLEW_SECRET_RULES``: a file with more rules for what is a secret, see docs/how-to/keep-secrets-out.md
* ``CLEW_BASE_IRI``: what the IRIs of nodes begin with (``urn:x-clew:``)
* ``CLEW_TENANT``: whose ledger it is (``default``)
* ``CLEW_ISSUERS``: a file of issuers of tokens (docs/security.md)
* ``CLEW_ROLE_PASSWORD``: the password that ``clew db role`` gives to the role of the service
* the limits, which :mod:`app.limits` lists with their variables
* ``CLEW_LOG``: from which level on a server logs: ``info`` has a line for each request (``warning``)
* ``CLEW_TOKEN``: what the command line shows to a server (``--url``)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from app.limits import LIMITS, Limits
from provmodel.errors import StoreTrouble

LEVELS = ("info", "warning", "error")
DEFAULT_DB = "clew.db"
DEFAULT_KEY_FILE = "clew.keys"
_SQLITE = "sqlite:///"
_S3 = {
    "CLEW_S3_ENDPOINT": "endpoint",
    "AWS_ACCESS_KEY_ID": "access_key_id",
    "AWS_SECRET_ACCESS_KEY": "secret_access_key",
    "AWS_SESSION_TOKEN": "session_token",
    "AWS_REGION": "region",
}
_DRIVERS = {"postgres://": "postgresql+psycopg://", "postgresql://": "postgresql+psycopg://"}


class Settings(msgspec.Struct, frozen=True):
    """What a process was told. ``db`` is an SQLAlchemy URL; ``token`` and ``role_password`` are secrets and
    never shown.
    """

    db: str
    key_file: Path
    base_iri: str = "urn:x-clew:"
    tenant: str = "default"
    issuers: Path | None = None
    token: str = ""
    key_store: str = ""
    bodies: str = ""
    bodies_inside: int = 64 * 2**10
    limits: Limits = Limits()
    sweep_seconds: int = 300
    s3: dict[str, str] = {}
    secret_rules: str = ""
    role_password: str = ""
    log: str = "warning"

    def __repr__(self) -> str:
        return f"Settings(db={without_password(self.db)!r}, tenant={self.tenant!r})"


def read(db: str | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process; ``db`` (a URL or a path) goes before what the environment names."""
    url = database_url(db or environment.get("CLEW_DB") or DEFAULT_DB)
    named, issuers = environment.get("CLEW_KEY_FILE"), environment.get("CLEW_ISSUERS")
    key_file = Path(named) if named else key_file_of(url)
    key_store = environment.get("CLEW_KEY_STORE") or key_store_of(url, key_file)
    return Settings(
        db=url,
        key_file=key_file,
        base_iri=environment.get("CLEW_BASE_IRI") or "urn:x-clew:",
        tenant=environment.get("CLEW_TENANT") or "default",
        issuers=Path(issuers) if issuers else None,
        token=environment.get("CLEW_TOKEN", ""),
        key_store=database_url(key_store) if key_store else "",
        bodies=environment.get("CLEW_BODIES", ""),
        bodies_inside=_number(environment, "CLEW_BODIES_INSIDE", 64 * 2**10),
        limits=_limits(environment),
        sweep_seconds=_number(environment, "CLEW_SWEEP_SECONDS", 300),
        s3={option: environment[name] for name, option in _S3.items() if environment.get(name)},
        secret_rules=environment.get("CLEW_SECRET_RULES", ""),
        log=_level(environment),
        role_password=environment.get("CLEW_ROLE_PASSWORD", ""),
    )


def _limits(environment: Mapping[str, str]) -> Limits:
    """Each limit as the environment sets it; raises StoreTrouble for one that the model does not allow."""
    usual = Limits()
    told = {one.field: _number(environment, one.variable, getattr(usual, one.field)) for one in LIMITS}
    for one in LIMITS:
        if one.most and not 0 < told[one.field] <= one.most:
            raise StoreTrouble(f"{one.variable} is {told[one.field]}; give 1 to {one.most}")
    return Limits(**told)


def _level(environment: Mapping[str, str]) -> str:
    """From which level on is logged; raises StoreTrouble for what is no level."""
    said = (environment.get("CLEW_LOG") or "warning").lower()
    if said not in LEVELS:
        raise StoreTrouble(f"CLEW_LOG is {said!r}; give one of {', '.join(LEVELS)}")
    return said


def _number(environment: Mapping[str, str], name: str, otherwise: int) -> int:
    """A whole number that the environment says; raises StoreTrouble for what is none."""
    said = environment.get(name, "")
    if said and not said.isdecimal():
        raise StoreTrouble(f"{name} is {said!r}; give a whole number")
    return int(said) if said else otherwise


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


def key_store_of(url: str, key_file: Path) -> str:
    """Where the keys of single bodies are unless told otherwise: "" for the place beside an SQLite ledger,
    which the ledger finds by itself, else an SQLite file beside the key file. In a PostgreSQL ledger, its
    write-ahead log and its backups would keep every key that was destroyed.
    """
    return "" if url.startswith(_SQLITE) else str(key_file.with_suffix(".bodykeys"))
