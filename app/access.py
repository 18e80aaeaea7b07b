"""The record of access: who read, exported, asked about a person, deleted, or tried what he may not.

A stream of its own beside the log, numbered by itself for each tenant: never projected, never exported, and
no part of any answer. What is to be given is recorded first: without its record it is not given. What is done
is recorded in the transaction that does it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Literal, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from app.bodies import Bodies, NotCaptured
from app.ledger import Ledger
from app.ledger.append import take_head
from app.ledger.memory import Memory
from app.ledger.reports import rfc3339
from app.ledger.store import Session
from app.paging import open_sheet
from app.tables.figures import INDEXED_CHARACTERS
from provmodel.errors import Ambiguous, BadQuestion, NotFound, StoreTrouble, one_of
from provmodel.evidence import Principal
from queries.answer import Target
from queries.graph import Graph
from queries.hiding import Hiding
from queries.targets import choose

Verb = Literal["read", "export", "ask", "delete", "policy", "hold", "key", "restrict", "enter"]
VERBS: tuple[Verb, ...] = get_args(Verb)
MEANINGS: dict[Verb, str] = {
    "read": "a body was given",
    "export": "PROV was given, all of it or what is named",
    "ask": "a question about a person was answered",
    "delete": "content was deleted",
    "policy": "a policy of retention was put in force or ended",
    "hold": "a hold was placed or lifted",
    "key": "a key was made or revoked",
    "restrict": "who may see what has a label was changed",
    "enter": "a credential did not hold the scope that an address takes",
}
MOST = 1000
"""Entries of one page."""
PERSON = "person:"
_DIGEST_CHARACTERS = 65

_INSERT = (
    "insert into access (tenant, access, at, principal, verb, target, purpose, outcome)"
    " select ?, coalesce(max(a.access), 0) + 1, ?, ?, ?, ?, ?, ? from access a where a.tenant = ?"
    " on conflict do nothing"
)
_COLUMNS = "a.access, a.at, a.principal, a.verb, a.target, a.purpose, a.outcome"


class Unrecorded(StoreTrouble):
    """The operator must act: access could not be recorded, so nothing was given."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"this access can't be recorded, and nothing is given without: {reason}")


class Act(NamedTuple):
    """What somebody does: a verb, what with ("" is all of it), what for, and how it ends: given, done or
    refused.
    """

    verb: Verb
    target: str
    purpose: str = ""
    outcome: str = "given"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """One entry. ``number`` counts from 1 for each tenant, ``principal`` is the name of the credential; a
    ``target`` of more than 600 characters ends in its digest.
    """

    number: int
    time: str
    principal: str
    verb: Verb
    target: str
    purpose: str
    outcome: str


class AccessList(msgspec.Struct, frozen=True, kw_only=True):
    """Entries, the newest first; ``total`` counts all that fit now, an empty ``cursor`` ends the list."""

    total: int
    cursor: str
    accesses: list[Access]


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are wanted: those about ``target``, of a principal, with a verb."""

    target: str = ""
    principal: str = ""
    verb: str = ""
    cursor: str = ""
    limit: int = 100


def record(session: Session, tenant: int, principal: str, acts: Iterable[Act]) -> None:
    """Write acts within a transaction; they get the next numbers of the tenant."""
    now = time.time_ns() // 1000
    for act in acts:
        target, purpose = fitting(act.target), _storable(act.purpose)
        told = (tenant, now, _storable(principal), act.verb, target, purpose, act.outcome, tenant)
        while not session.run(_INSERT, told):  # another one took the number
            pass


def forget_before(session: Session, tenant: int, before: int, actor: str, policy: str) -> int:
    """Forget what was recorded before a time (microseconds since 1970); how many entries. That they went is
    an entry itself, so that no number is given twice.
    """
    old = "from access where tenant = ? and at < ?"
    [(went, last)] = session.fetch(f"select count(*), max(access) {old}", (tenant, before))
    if went:
        told = f"{went} entries from before {rfc3339(before)}, by {policy}"
        record(session, tenant, actor, [Act("policy", "access", told, "done")])
        session.run(f"delete {old} and access <= ?", (tenant, before, last))
    return int(went)


def asked_about(refs: Iterable[str], question: str) -> list[Act]:
    """What there is to record of a question about these references: nothing but persons."""
    return [Act("ask", ref, question) for ref in dict.fromkeys(refs) if ref.startswith(PERSON)]


def exported(targets: Iterable[Target], form: str, question: str) -> list[Act]:
    """What there is to record of an answer that is written as PROV."""
    refs = [target.ref for target in targets] or [""]
    return [Act("export", ref, f"{form} of {question}") for ref in refs]


def names_of(graph: Graph, bodies: Bodies, spelt: str) -> list[str]:
    """All under which a reference may be recorded: its own name and its bodies. What is not there any more
    is looked up as it is spelt.
    """
    try:
        ref = choose(graph, [spelt], graph.head())[0].ref
    except (NotFound, Ambiguous):
        return [spelt]
    try:
        return [spelt, ref, *bodies.names_of(ref)]
    except NotCaptured:
        return [spelt, ref]


def fitting(target: str) -> str:
    """A text as it is kept and looked up: a long one as its start and the digest of all of it."""
    text = _storable(target)
    if len(text) <= INDEXED_CHARACTERS:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text[: INDEXED_CHARACTERS - _DIGEST_CHARACTERS]}~{digest}"


def _storable(text: str) -> str:
    """What a path or a token may hold and a database may not, spelt out."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\u0000")


class _Batch:
    """What several threads want recorded in one commit."""

    def __init__(self) -> None:
        self.acts: list[tuple[str, Sequence[Act]]] = []
        self.begun = False
        self.trouble = "the writer was cut off"


class Accesses:
    """The record of one tenant. Any number of threads may use it; their records share commits."""

    def __init__(self, ledger: Ledger, tenant: str) -> None:
        self._ledger = ledger
        self._store = ledger.store.of(tenant)
        self._name = tenant
        self._batch = _Batch()
        self._joining, self._turn = Lock(), Lock()

    def note(self, principal: Principal, acts: Sequence[Act]) -> None:
        """Record what is about to be given; when this returns it is durable. Raises :class:`Unrecorded`."""
        if not acts:
            return
        with self._joining:
            batch = self._batch
            batch.acts.append((principal.name, acts))
        with self._turn:
            if not batch.begun:
                with self._joining:
                    batch.begun, self._batch = True, _Batch()
                self._write(batch)
        if batch.trouble:
            raise Unrecorded(batch.trouble)

    def giving(self, chunks: Iterator[bytes], principal: Principal, acts: Sequence[Act]) -> Iterator[bytes]:
        """Chunks of which none is given before the acts are recorded; making the first may add to them."""
        first = next(chunks, b"")
        self.note(principal, acts)
        yield first
        yield from chunks

    def _write(self, batch: _Batch) -> None:
        try:
            with self._store.writing() as session:
                tenant = self._tenant or take_head(session, self._name, Memory()).tenant
                for principal, acts in batch.acts:
                    record(session, tenant, principal, acts)
        except StoreTrouble as error:
            batch.trouble = str(error)
        else:
            batch.trouble = ""

    def page(self, wanted: Listing, targets: Sequence[str] = ()) -> AccessList:
        """The newest entries that fit. ``targets`` are all names of what ``wanted.target`` is.

        Raises :class:`BadQuestion` for a verb that there is not, or a cursor of another list.
        """
        if wanted.verb and wanted.verb not in VERBS:
            raise BadQuestion("verb", f"{wanted.verb[:80]!r} is no verb of the record", one_of(VERBS))
        filters = {"target": wanted.target, "principal": wanted.principal, "verb": wanted.verb}
        sheet = open_sheet(self._ledger.graph(self._name), "access", "", wanted.cursor, filters)
        source, given = self._fitting(wanted, targets if wanted.target else ())
        [(total,)] = self._store.fetch(f"select count(*) {source}", given)
        below = " and a.access < ?" if sheet.place else ""
        more = (int(sheet.place),) if sheet.place else ()
        rows = self._store.fetch(
            f"select {_COLUMNS} {source}{below} order by a.access desc limit ?",
            (*given, *more, wanted.limit + 1),
        )
        found = [_entry(row) for row in rows[: wanted.limit]]
        cursor = sheet.cursor(str(found[-1].number)) if len(rows) > wanted.limit else ""
        return AccessList(total=total, cursor=cursor, accesses=found)

    def _fitting(self, wanted: Listing, targets: Sequence[str]) -> tuple[str, tuple[object, ...]]:
        """Where the entries come from, and its parameters."""
        source, said = "from access a where a.tenant = ?", list[object]([self._tenant])
        if wanted.target:
            names = sorted({fitting(name) for name in (wanted.target, *targets)})
            source = "from texts(?) i cross join access a where a.tenant = ? and a.target = i.value"
            said.insert(0, self._store.texts(names))
        for column, value in (("principal", _storable(wanted.principal)), ("verb", wanted.verb)):
            if value:
                source += f" and a.{column} = ?"
                said.append(value)
        return source, tuple(said)

    @property
    def _tenant(self) -> int:
        return self._store.tenant


def seen_list(found: AccessList, hiding: Hiding) -> AccessList:
    """The entries as a reader sees them who may not see all that they name."""
    if not hiding:
        return found
    seen = [
        replace(one, target=_named(one.target, hiding), purpose=hiding.told(one.purpose))
        for one in found.accesses
    ]
    return replace(found, accesses=seen)


def _named(target: str, hiding: Hiding) -> str:
    if len(target) == INDEXED_CHARACTERS:  # a long name ends in its digest
        return hiding.alias(target)
    return hiding.named(target)


def _entry(row: Sequence[object]) -> Access:
    number, at, principal, verb, target, purpose, outcome = row
    return msgspec.convert(
        {
            "number": number,
            "time": rfc3339(int(str(at))),
            "principal": principal,
            "verb": verb,
            "target": target,
            "purpose": purpose,
            "outcome": outcome,
        },
        Access,
    )


def sentences(found: AccessList) -> list[str]:
    """The entries, a line each, and what this list does not hold."""
    if not found.total:
        return ["Nothing of this is recorded: no body given, no export, no question about a person."]
    some = "" if found.total == len(found.accesses) else f", of which {len(found.accesses):,} are told here"
    entries = "entry fits" if found.total == 1 else "entries fit"
    told = [f"{found.total:,} {entries}{some}, the newest first."]
    told += [_sentence(one) for one in found.accesses]
    if found.cursor:
        told.append(f"The next page is at the cursor {found.cursor}.")
    return told


def _sentence(one: Access) -> str:
    purpose = f" ({one.purpose})" if one.purpose else ""
    return f"{one.time}: {one.principal}, {one.verb} {one.target or 'all of it'}{purpose}: {one.outcome}."
