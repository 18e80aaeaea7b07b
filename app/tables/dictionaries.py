"""Texts and references as integers."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from app.tables.base import CLUSTERED, Number, Small, String, by_text, key, metadata, tenant_key

word = Table(
    "word",
    metadata,
    tenant_key(),
    key("word"),
    Column("text", String, nullable=False),
    PrimaryKeyConstraint("tenant", "word"),
    by_text("word_text", "tenant", "text", unique=True),
    comment="Roles, methods, attribute names, sources, runs, event types, credentials.",
    **CLUSTERED,
)

node = Table(
    "node",
    metadata,
    tenant_key(),
    key("node"),
    Column("ref", String, nullable=False),
    Column("tail", String),
    Column("kind", Small, nullable=False),
    Column("event", Number),
    Column("joined", Number),
    Column("described", Number),
    PrimaryKeyConstraint("tenant", "node"),
    by_text("node_ref", "tenant", "ref", unique=True),
    by_text("node_tail", "tenant", "tail", where="tail is not null"),
    comment="What can be an end of a relation. event: the first that names it, null while only a "
    "joined row does; "
    "joined: the seq of that row; described: the first event that says what it is; "
    "tail: the last path segment, null when that is the whole ref.",
    **CLUSTERED,
)  # fmt: skip

node_kind = Table(
    "node_kind",
    metadata,
    tenant_key(),
    key("node"),
    key("event"),
    Column("kind", Small, nullable=False),
    PrimaryKeyConstraint("tenant", "node", "event"),
    Index("node_kind_event", "tenant", "event"),
    comment="Kinds as which a node was used later than in its first event.",
    **CLUSTERED,
)
