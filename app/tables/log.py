"""The head row of each tenant, the log, and what is true of the whole database."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table, UniqueConstraint, text

from app.tables.base import CLUSTERED, Bytes, Number, Small, String, by_text, key, metadata, tenant_key

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
    tenant_key(),
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
    tenant_key(),
    key("seq"),
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
    by_text("event_id", "tenant", "source", "id"),
    Index("event_run", "tenant", "run", "type", "seq", sqlite_where=text("run is not null"),
          postgresql_where=text("run is not null")),
    Index("event_node", "tenant", "node", "seq"),
    Index("event_source", "tenant", "source", "epoch", "seq"),
    Index("event_variant", "tenant", "seq", sqlite_where=text("marks >= 8"),
          postgresql_where=text("marks >= 8")),
    by_text("event_lookup", "tenant", "lookup", where="lookup is not null"),
    comment="The log: what was accepted, byte for byte, after bodies were taken out; with the SHA-256 "
    "of the bytes.",
)  # fmt: skip
