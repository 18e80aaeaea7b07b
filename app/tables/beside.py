"""Access and credentials."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from app.tables.base import Bytes, Number, Small, String, key, metadata, tenant_key

access = Table(
    "access",
    metadata,
    tenant_key(),
    key("access"),
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

credential = Table(
    "credential",
    metadata,
    tenant_key(),
    Column("credential", String, nullable=False),
    Column("digest", Bytes, nullable=False),
    Column("name", String, nullable=False),
    Column("kinds", String, nullable=False),
    Column("sources", String),
    Column("rights", String, nullable=False),
    Column("reads", String, nullable=False),
    Column("vouches", Small, nullable=False),
    Column("cap", Small, nullable=False),
    Column("created", Number, nullable=False),
    Column("expires", Number),
    Column("revoked", Number),
    Column("used", Number),
    PrimaryKeyConstraint("tenant", "credential"),
    comment="Who may deliver and read: kinds, sources, rights (scopes) and reads (groups of readers) are "
    "JSON arrays, null sources is every source; digest is SHA-256 of the secret.",
)

restriction = Table(
    "restriction",
    metadata,
    tenant_key(),
    Column("label", String, nullable=False),
    Column("readers", String, nullable=False),
    Column("since", Number, nullable=False),
    Column("actor", String, nullable=False),
    PrimaryKeyConstraint("tenant", "label"),
    comment="Which groups of readers (a JSON array) may see what has a label, since when (a time) and by "
    "whom; a label without a row restricts nothing.",
)
