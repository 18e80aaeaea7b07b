"""The tables of the store, for SQLite and PostgreSQL alike.

``tenant`` is the first column of every primary, unique and foreign key, of every index and of every query:
that makes isolation checkable, row-level security possible, and sharding by tenant a choice of deployment.
Only ``tenant`` itself, which gives a name its number, and ``store``, which holds what is true of the whole
database, stand outside the rule.

Texts that return often (roles, methods, attribute names, sources, runs) are integers of ``word``; what can
be an end of a relation is an integer of ``node``. On SQLite the narrow tables are clustered on their
primary key (``WITHOUT ROWID``); ``event`` and ``body`` are not, because rows of a page's quarter and more
would spill from an index page.

Times of the service's own clock are microseconds since 1970 in UTC. ``since`` and ``until`` are seqs of the
log: a row is visible when ``since <= as_of < until``, an ``until`` of null being never.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    }
)

# Compared by code point in both databases, whatever the locale of the server.
String = Text().with_variant(Text(collation="C"), "postgresql")
Number, Small, Bytes = BigInteger(), SmallInteger(), LargeBinary()

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}

INDEXED_CHARACTERS = 600
"""How much of a long text a PostgreSQL index holds: four bytes each stay under the 2,704 bytes that an entry may have."""


def _key(name: str) -> Column[int]:
    """An integer of a primary key; never filled in by the database."""
    return Column(name, Number, nullable=False, autoincrement=False)


def _tenant() -> Column[int]:
    return _key("tenant")


def _by_text(name: str, *columns: str, where: str = "", unique: bool = False) -> tuple[Index, Index]:
    """Look-up by columns of which the last is a text of any length: as it is on SQLite, by its start on PostgreSQL.

    On PostgreSQL the lock on the tenant's head row keeps such a text unique, and ``clew db fsck`` checks it.
    """
    *numbers, long = columns
    start = text(f"substr({long}, 1, {INDEXED_CHARACTERS})")
    only: dict[str, Any] = {"sqlite_where": text(where), "postgresql_where": text(where)} if where else {}
    return (
        Index(name, *columns, unique=unique, **only).ddl_if(dialect="sqlite"),
        Index(f"{name}_start", *numbers, start, **only).ddl_if(dialect="postgresql"),
    )


# --- The head and the log ---

store = Table(
    "store",
    metadata,
    Column("property", String, primary_key=True),
    Column("value", String, nullable=False),
    comment="What is true of the whole database: the fingerprint of its key, when it was made.",
    **CLUSTERED,
)

tenant = Table(
    "tenant",
    metadata,
    _tenant(),
    Column("name", String, nullable=False),
    Column("seq", Number, nullable=False),
    Column("node", Number, nullable=False),
    Column("word", Number, nullable=False),
    Column("assertion", Number, nullable=False),
    Column("received", Number, nullable=False),
    Column("generation", Number, nullable=False),
    Column("created", Number, nullable=False),
    PrimaryKeyConstraint("tenant"),
    UniqueConstraint("name"),
    comment="The head row: the last integer of each kind. Who writes a tenant holds its lock until commit.",
)

event = Table(
    "event",
    metadata,
    _tenant(),
    _key("seq"),
    Column("source", Number, nullable=False),
    Column("id", String, nullable=False),
    Column("type", Number, nullable=False),
    Column("run", Number),
    Column("epoch", Number, nullable=False),
    Column("number", Number),
    Column("highest", Number, nullable=False),
    Column("received", Number, nullable=False),
    Column("reporter", Number, nullable=False),
    Column("principal", Number, nullable=False),
    Column("vouched", Small, nullable=False),
    Column("mapping", Small, nullable=False),
    Column("marks", Small, nullable=False),
    Column("node", Number, nullable=False),
    Column("lookup", String),
    Column("digest", Bytes, nullable=False),
    Column("computed_digest", Bytes),
    Column("log", Bytes, nullable=False),
    Column("computed", Bytes),
    PrimaryKeyConstraint("tenant", "seq"),
    *_by_text("event_id", "tenant", "source", "id"),
    Index("event_run", "tenant", "run", "type", "seq", sqlite_where=text("run is not null"),
          postgresql_where=text("run is not null")),
    Index("event_node", "tenant", "node", "seq"),
    Index("event_source", "tenant", "source", "epoch", "seq"),
    *_by_text("event_lookup", "tenant", "lookup", where="lookup is not null"),
    comment="The log: what was accepted, byte for byte, after bodies were taken out; with the SHA-256 of the bytes.",
)  # fmt: skip

# --- The dictionaries ---

word = Table(
    "word",
    metadata,
    _tenant(),
    _key("word"),
    Column("text", String, nullable=False),
    PrimaryKeyConstraint("tenant", "word"),
    *_by_text("word_text", "tenant", "text", unique=True),
    comment="Roles, methods, attribute names, sources, runs, event types, credentials.",
    **CLUSTERED,
)

node = Table(
    "node",
    metadata,
    _tenant(),
    _key("node"),
    Column("ref", String, nullable=False),
    Column("tail", String),
    Column("kind", Small, nullable=False),
    Column("event", Number),
    Column("joined", Number),
    Column("described", Number),
    PrimaryKeyConstraint("tenant", "node"),
    *_by_text("node_ref", "tenant", "ref", unique=True),
    *_by_text("node_tail", "tenant", "tail", where="tail is not null"),
    comment="What can be an end of a relation. event: the first that names it, null while only a joined row does; "
    "joined: the seq of that row; described: the first event that says what it is; "
    "tail: the last path segment, null when that is the whole ref.",
    **CLUSTERED,
)  # fmt: skip

node_kind = Table(
    "node_kind",
    metadata,
    _tenant(),
    _key("node"),
    _key("event"),
    Column("kind", Small, nullable=False),
    PrimaryKeyConstraint("tenant", "node", "event"),
    comment="Kinds as which a node was used later than in its first event.",
    **CLUSTERED,
)

# --- The graph ---

_WALKED = (
    "relation",
    "role",
    "evidence",
    "stance",
    "asserter",
    "method",
    "event",
    "since",
    "until",
    "time",
    "attributes",
)

assertion = Table(
    "assertion",
    metadata,
    _tenant(),
    _key("source"),
    Column("code", Small, nullable=False),
    _key("target"),
    _key("assertion"),
    Column("relation", Number, nullable=False),
    Column("role", Number, nullable=False),
    Column("evidence", Small, nullable=False),
    Column("stance", Small, nullable=False),
    Column("asserter", Number, nullable=False),
    Column("method", Number, nullable=False),
    Column("event", Number, nullable=False),
    Column("since", Number, nullable=False),
    Column("until", Number),
    Column("bundle", Number),
    Column("time", String, nullable=False),
    Column("attributes", String, nullable=False),
    PrimaryKeyConstraint("tenant", "source", "code", "target", "assertion"),
    Index("assertion_target", "tenant", "target", "code", "source", "assertion", *_WALKED).ddl_if(
        dialect="sqlite"
    ),
    Index("assertion_target_plain", "tenant", "target", "code", "source").ddl_if(dialect="postgresql"),
    Index("assertion_asserter", "tenant", "asserter", "event", "relation", "code"),
    comment="One row for each node-valued argument of each stated or joined relation; target 0 when it has none.",
    **CLUSTERED,
)

attribute = Table(
    "attribute",
    metadata,
    _tenant(),
    _key("node"),
    _key("event"),
    Column("n", Small, nullable=False),
    Column("name", Number, nullable=False),
    Column("value", String, nullable=False),
    Column("datatype", Small, nullable=False),
    Column("evidence", Small, nullable=False),
    Column("stance", Small, nullable=False),
    Column("asserter", Number, nullable=False),
    Column("bundle", Number),
    PrimaryKeyConstraint("tenant", "node", "event", "n"),
    comment="What events say of nodes; n counts within the event.",
    **CLUSTERED,
)

fact = Table(
    "fact",
    metadata,
    _tenant(),
    _key("place"),
    _key("key"),
    Column("side", Small, nullable=False),
    _key("hash"),
    Column("node", Number, nullable=False),
    Column("event", Number, nullable=False),
    Column("data", String, nullable=False),
    PrimaryKeyConstraint("tenant", "place", "key", "side", "hash"),
    comment="What events need from and offer to each other. A set: equal facts of two events are one row, of the first event. "
    "place keeps the keys of a run together.",
    **CLUSTERED,
)

blob = Table(
    "blob",
    metadata,
    _tenant(),
    _key("first_seq"),
    Column("last_seq", Number, nullable=False),
    Column("level", Small, nullable=False),
    Column("edges", Number, nullable=False),
    Column("data", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "first_seq"),
    comment="The rows of assertion again, packed by column in the order they came; see app.ledger.blobs.",
)

# --- Coverage ---

source_epoch = Table(
    "source_epoch",
    metadata,
    _tenant(),
    _key("source"),
    _key("epoch"),
    Column("first_seq", Number, nullable=False),
    Column("last_seq", Number, nullable=False),
    Column("highest", Number, nullable=False),
    PrimaryKeyConstraint("tenant", "source", "epoch"),
    comment="Each source and epoch, with the highest number so far; for an older as_of the event rows have it.",
    **CLUSTERED,
)

missing = Table(
    "missing",
    metadata,
    _tenant(),
    _key("source"),
    _key("epoch"),
    _key("low"),
    _key("since"),
    Column("high", Number, nullable=False),
    Column("until", Number),
    PrimaryKeyConstraint("tenant", "source", "epoch", "low", "since"),
    Index("missing_until", "tenant", "source", "epoch", "until"),
    comment="Ranges of source numbers below the highest that had not come, from seq since to before seq until.",
    **CLUSTERED,
)

source_report = Table(
    "source_report",
    metadata,
    _tenant(),
    _key("source"),
    _key("epoch"),
    _key("seq"),
    Column("last_number", Number),
    Column("dropped", Number, nullable=False),
    Column("closed", Small, nullable=False),
    Column("covers", String),
    PrimaryKeyConstraint("tenant", "source", "epoch", "seq"),
    comment="What a source has said of itself up to and with this event, summed up.",
    **CLUSTERED,
)

run_source = Table(
    "run_source",
    metadata,
    _tenant(),
    _key("run"),
    _key("source"),
    Column("seq", Number, nullable=False),
    PrimaryKeyConstraint("tenant", "run", "source"),
    comment="Which sources reported events of a run, and the seq of the first.",
    **CLUSTERED,
)

# --- Bodies ---

body = Table(
    "body",
    metadata,
    _tenant(),
    Column("body", String, nullable=False),
    _key("event"),
    Column("class", String, nullable=False),
    Column("scope", String),
    Column("retention", String),
    Column("state", String, nullable=False),
    Column("media_type", String, nullable=False),
    Column("size", Number, nullable=False),
    Column("sealed", Bytes),
    PrimaryKeyConstraint("tenant", "body", "event"),
    Index("body_event", "tenant", "event"),
    comment="Content, encrypted; sealed is nonce, ciphertext and tag. event: the variant that brought it.",
)

body_key = Table(
    "body_key",
    metadata,
    _tenant(),
    Column("body", String, nullable=False),
    _key("event"),
    Column("wrapped", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "body", "event"),
    comment="A body's own key under its tenant's key. Deleting the row makes every copy of the body unreadable.",
    **CLUSTERED,
)

event_salt = Table(
    "event_salt",
    metadata,
    _tenant(),
    _key("event"),
    Column("salt", Bytes, nullable=False),
    Column("digest", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "event"),
    comment="By which a re-delivery is recognised while the bodies of its event live.",
    **CLUSTERED,
)

retention_policy = Table(
    "retention_policy",
    metadata,
    _tenant(),
    Column("class", String, nullable=False),
    _key("since"),
    Column("seconds", Number),
    Column("policy", String, nullable=False),
    Column("actor", String, nullable=False),
    PrimaryKeyConstraint("tenant", "class", "since"),
    comment="How long bodies of a class are kept, from when on; null seconds is for ever.",
)

hold = Table(
    "hold",
    metadata,
    _tenant(),
    Column("hold", String, nullable=False),
    Column("target", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("placed", Number, nullable=False),
    Column("placed_by", String, nullable=False),
    Column("lifted", Number),
    Column("lifted_by", String),
    PrimaryKeyConstraint("tenant", "hold"),
    Index("hold_target", "tenant", "target"),
    comment="What must not be deleted, and why; a hold beats expiry.",
)

tombstone = Table(
    "tombstone",
    metadata,
    _tenant(),
    Column("body", String, nullable=False),
    Column("requested", Number, nullable=False),
    Column("done", Number),
    Column("policy", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("reason_class", String, nullable=False),
    Column("places", String, nullable=False),
    Column("event", Number),
    PrimaryKeyConstraint("tenant", "body"),
    comment="What stays of a deleted body; places is a JSON array.",
)

# --- Beside the graph ---

access = Table(
    "access",
    metadata,
    _tenant(),
    _key("access"),
    Column("at", Number, nullable=False),
    Column("principal", String, nullable=False),
    Column("verb", String, nullable=False),
    Column("target", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("outcome", String, nullable=False),
    PrimaryKeyConstraint("tenant", "access"),
    Index("access_target", "tenant", "target", "at"),
    comment="Who read what: a stream of its own, never projected and never exported with the graph.",
)

search_token = Table(
    "search_token",
    metadata,
    _tenant(),
    Column("token", String, nullable=False),
    _key("node"),
    Column("field", String, nullable=False),
    Column("body", String, nullable=False),
    Column("count", Number, nullable=False),
    PrimaryKeyConstraint("tenant", "token", "node", "field", "body"),
    Index("search_token_body", "tenant", "body"),
    comment="Words as Clew cuts them, and where they stand; rows of a body go with the body.",
    **CLUSTERED,
)

document = Table(
    "document",
    metadata,
    _tenant(),
    Column("document", String, nullable=False),
    Column("format", String, nullable=False),
    Column("received", Number, nullable=False),
    Column("reporter", String, nullable=False),
    Column("digest", Bytes, nullable=False),
    Column("event", Number),
    Column("prefixes", String, nullable=False),
    PrimaryKeyConstraint("tenant", "document"),
    comment="PROV documents taken in; prefixes is a JSON object.",
)

bundle = Table(
    "bundle",
    metadata,
    _tenant(),
    _key("bundle"),
    Column("document", String, nullable=False),
    Column("node", Number, nullable=False),
    Column("prefixes", String, nullable=False),
    PrimaryKeyConstraint("tenant", "bundle"),
    ForeignKeyConstraint(["tenant", "document"], ["document.tenant", "document.document"]),
    Index("bundle_node", "tenant", "node"),
    comment="Bundles of documents; node is the bundle's own name.",
)

incident = Table(
    "incident",
    metadata,
    _tenant(),
    Column("incident", String, nullable=False),
    Column("title", String, nullable=False),
    Column("state", String, nullable=False),
    Column("opened", Number, nullable=False),
    Column("opened_by", String, nullable=False),
    Column("closed", Number),
    PrimaryKeyConstraint("tenant", "incident"),
    comment="Cases: what an investigation keeps together.",
)

incident_item = Table(
    "incident_item",
    metadata,
    _tenant(),
    Column("incident", String, nullable=False),
    _key("item"),
    Column("kind", String, nullable=False),
    Column("target", String, nullable=False),
    Column("question", String, nullable=False),
    Column("as_of", Number, nullable=False),
    Column("note", String, nullable=False),
    Column("added", Number, nullable=False),
    Column("added_by", String, nullable=False),
    PrimaryKeyConstraint("tenant", "incident", "item"),
    ForeignKeyConstraint(["tenant", "incident"], ["incident.tenant", "incident.incident"]),
    comment="Nodes, answers and notes of a case, in order; question holds name and parameters as JSON.",
)

credential = Table(
    "credential",
    metadata,
    _tenant(),
    Column("credential", String, nullable=False),
    Column("digest", Bytes, nullable=False),
    Column("kinds", String, nullable=False),
    Column("sources", String),
    Column("rights", String, nullable=False),
    Column("vouches", Small, nullable=False),
    Column("cap", Small, nullable=False),
    Column("created", Number, nullable=False),
    Column("expires", Number),
    Column("revoked", Number),
    PrimaryKeyConstraint("tenant", "credential"),
    comment="Who may deliver and read: kinds, sources and rights are JSON arrays, null sources is every source.",
)
