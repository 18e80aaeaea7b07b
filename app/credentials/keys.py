"""API keys in the ledger's database: made, listed, revoked, replaced; each use is noted within a minute."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from app.access import Act, record
from app.credentials import secret
from app.credentials.scopes import SCOPES, Scope
from app.ledger import Ledger
from app.ledger.append import take_head
from app.ledger.bodykeys import keep_property, property_of
from app.ledger.memory import Memory
from app.ledger.reports import rfc3339
from provmodel.errors import BadQuestion, NotFound, one_of
from provmodel.evidence import LOCAL, MAY_CLAIM, Evidence, Principal

SECOND = 1_000_000
"""Times are microseconds since 1970, as everywhere in the ledger."""
SECONDS_BETWEEN_NOTES = 60
"""A use is noted at most so often: reading must not become writing."""

ASKED_FOR = "keys_asked_for"
"""The property of the whole database that says that a key was made: from then on nobody is let in without."""

_OF_TENANT = (
    "select c.credential, c.digest, c.name, c.kinds, c.sources, c.rights, c.reads, c.vouches, c.cap,"
    " c.created, c.expires, c.revoked, c.used, t.name"
    " from credential c join tenant t on t.tenant = c.tenant where c.tenant = ?"
)
_ONE = _OF_TENANT + " and c.credential = ?"
_ALL = _OF_TENANT + " order by c.created, c.credential"
_INSERT = (
    "insert into credential (tenant, credential, digest, name, kinds, sources, rights, reads, vouches, cap,"
    " created, expires) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_REVOKE = "update credential set revoked = ? where tenant = ? and credential = ? and revoked is null"
_USED = "update credential set used = ? where tenant = ? and credential = ? and (used is null or used < ?)"


Word = TypeVar("Word", bound=str)


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a credential holds.

    ``name`` is who is taken to speak: an agent's reference, such as person:ann, makes its own decisions
    authenticated. ``kinds`` bound the evidence, ``sources`` those it may speak for (None: all), ``cap`` what
    an import keeps at most; ``vouches`` says that it may state who authenticated others. ``groups`` are the
    groups of readers that it belongs to.
    """

    name: str
    scopes: frozenset[Scope]
    kinds: frozenset[str] = frozenset()
    sources: frozenset[str] | None = None
    vouches: bool = False
    cap: Evidence = Evidence.VERIFIED
    groups: frozenset[str] = frozenset()

    def principal(self) -> Principal:
        """Who delivers events under it."""
        return Principal(self.name, self.kinds, self.sources, self.vouches, self.cap)


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is listed: never its secret. Times are RFC 3339, and empty for never."""

    id: str
    tenant: str
    name: str
    scopes: tuple[Scope, ...]
    kinds: tuple[str, ...]
    sources: tuple[str, ...] | None
    vouches: bool
    cap: str
    groups: tuple[str, ...]
    created: str
    expires: str
    revoked: str
    used: str


class Found(msgspec.Struct, frozen=True):
    """A key that was shown and is in force: its id, its tenant, and what it holds."""

    id: str
    number: int
    tenant: str
    grant: Grant


class Keys:
    """The keys of every tenant of one ledger. Any number of threads may use it."""

    def __init__(self, ledger: Ledger, now: Callable[[], int] = lambda: time.time_ns() // 1000) -> None:
        """``now`` gives microseconds since 1970."""
        self._ledger = ledger
        self._now = now

    def any(self) -> bool:
        """Whether a key was ever made: from then on nobody is let in without one."""
        return property_of(self._ledger.store, ASKED_FOR) is not None

    def create(self, tenant: str, grant: Grant, seconds: int | None = None) -> tuple[str, Key]:
        """A new key: its text, shown this once, and what is listed of it. ``seconds`` until it expires."""
        _check(grant, seconds)
        now = self._now()
        with self._ledger.store.writing() as session:
            number = take_head(session, tenant, Memory()).tenant
            made = secret.make(number)
            held = (
                json.dumps(sorted(grant.kinds)),
                None if grant.sources is None else json.dumps(sorted(grant.sources)),
                json.dumps(sorted(grant.scopes)),
                json.dumps(sorted(grant.groups)),
            )
            until = None if seconds is None else now + seconds * SECOND
            more = (*held, int(grant.vouches), int(grant.cap), now, until)
            keep_property(session, ASKED_FOR, "yes")
            session.run(_INSERT, (number, made.id, made.digest, grant.name, *more))
            told = f"made for {grant.name}: {' '.join(sorted(grant.scopes))}"
            record(session, number, LOCAL.name, [Act("key", made.id, told, "done")])
        return made.text, self.listed(tenant, made.id)[0]

    def listed(self, tenant: str, id_: str = "") -> list[Key]:
        """The keys of a tenant, or the one of this id, in the order in which they were made."""
        store = self._ledger.store.of(tenant)
        rows = store.fetch(_ALL, (store.tenant,))
        return [_key(row) for row in rows if id_ in ("", row[0])]

    def revoke(self, tenant: str, id_: str) -> Key:
        """Take a key out of force; raises :class:`NotFound`. What it delivered stays."""
        if not self.listed(tenant, id_):
            raise NotFound(id_, tuple(key.id for key in self.listed(tenant) if not key.revoked)[:8])
        store = self._ledger.store.of(tenant)
        with store.writing() as session:
            if session.run(_REVOKE, (self._now(), store.tenant, id_)):
                record(session, store.tenant, LOCAL.name, [Act("key", id_, "revoked", "done")])
        return self.listed(tenant, id_)[0]

    def rotate(self, tenant: str, id_: str, seconds: int | None = None) -> tuple[str, Key]:
        """A new key that holds what this one holds, which goes out of force."""
        found = self.listed(tenant, id_)
        if not found:
            self.revoke(tenant, id_)  # says what there is
        text, key = self.create(tenant, _granted(found[0]), seconds)
        self.revoke(tenant, id_)
        return text, key

    def find(self, text: str) -> Found | None:
        """The key that this text is, when it is one and in force."""
        shown = secret.read(text)
        if shown is None:
            return None
        rows = self._ledger.store.of(shown.tenant).fetch(_ONE, (shown.tenant, shown.id))
        if not rows or not secret.is_of(shown.secret, bytes(rows[0][1])):
            return None
        _, _, *rest, revoked, _, tenant = rows[0]
        expires, now = rest[-1], self._now()
        if revoked is not None or (expires is not None and expires <= now):
            return None
        return Found(shown.id, shown.tenant, tenant, _granted(_key(rows[0])))

    def note_use(self, found: Found) -> None:
        """Remember that it was used, unless that was remembered a moment ago."""
        now = self._now()
        before = now - SECONDS_BETWEEN_NOTES * SECOND
        with self._ledger.store.of(found.number).writing() as session:
            session.run(_USED, (now, found.number, found.id, before))


def _check(grant: Grant, seconds: int | None) -> None:
    if not grant.name or len(grant.name) > 200:
        raise BadQuestion(
            "name", "a name has 1 to 200 characters", "say who is to use the key, as person:ann"
        )
    if not grant.scopes:
        raise BadQuestion("scope", "a key without a scope can do nothing", one_of(SCOPES))
    unknown = grant.kinds - MAY_CLAIM.keys()
    if unknown:
        raise BadQuestion("kind", f"{min(unknown)!r} is no kind of credential", one_of(MAY_CLAIM))
    if seconds is not None and seconds <= 0:
        raise BadQuestion("days", "it would have expired already", "give a later time")


def _key(row: tuple[object, ...]) -> Key:
    (id_, _, name, kinds, sources, rights, reads, vouches, cap, *times, tenant) = row
    created, expires, revoked, used = (rfc3339(at) if isinstance(at, int) else "" for at in times)
    return Key(
        id=str(id_),
        tenant=str(tenant),
        name=str(name),
        scopes=_words(rights, SCOPES),
        kinds=_words(kinds, tuple(MAY_CLAIM)),
        sources=None if sources is None else tuple(json.loads(str(sources))),
        vouches=bool(vouches),
        cap=Evidence(int(str(cap))).word,
        groups=tuple(json.loads(str(reads))),
        created=created,
        expires=expires,
        revoked=revoked,
        used=used,
    )


def _words(text: object, known: Iterable[Word]) -> tuple[Word, ...]:
    held = set(json.loads(str(text)))
    return tuple([word for word in known if word in held])


def _granted(key: Key) -> Grant:
    return Grant(
        name=key.name,
        scopes=frozenset(key.scopes),
        kinds=frozenset(key.kinds),
        sources=None if key.sources is None else frozenset(key.sources),
        vouches=key.vouches,
        cap=Evidence[key.cap.upper()],
        groups=frozenset(key.groups),
    )
