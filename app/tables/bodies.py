"""Content, its keys, how long it is kept, and what stays of it."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from app.tables.base import CLUSTERED, Bytes, Number, String, key, metadata, tenant_key

body = Table(
    "body",
    metadata,
    tenant_key(),
    Column("body", String, nullable=False),
    key("event"),
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
    tenant_key(),
    Column("body", String, nullable=False),
    key("event"),
    Column("wrapped", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "body", "event"),
    comment="A body's own key under its tenant's key. Deleting the row makes every copy of the body "
    "unreadable.",
    **CLUSTERED,
)

event_salt = Table(
    "event_salt",
    metadata,
    tenant_key(),
    key("event"),
    Column("salt", Bytes, nullable=False),
    Column("digest", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "event"),
    comment="By which a re-delivery is recognised while the bodies of its event live.",
    **CLUSTERED,
)

retention_policy = Table(
    "retention_policy",
    metadata,
    tenant_key(),
    Column("class", String, nullable=False),
    key("since"),
    Column("seconds", Number),
    Column("policy", String, nullable=False),
    Column("actor", String, nullable=False),
    PrimaryKeyConstraint("tenant", "class", "since"),
    comment="How long bodies of a class are kept, from when on; null seconds is for ever.",
)

hold = Table(
    "hold",
    metadata,
    tenant_key(),
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
    tenant_key(),
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
