"""Content, its keys, how long it is kept, and what stays of it."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table, text

from app.tables.base import CLUSTERED, Bytes, Number, String, key, metadata, tenant_key

body = Table(
    "body",
    metadata,
    tenant_key(),
    Column("body", String, nullable=False),
    key("event"),
    Column("class", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("label", String),
    Column("state", String, nullable=False),
    Column("media_type", String, nullable=False),
    Column("size", Number, nullable=False),
    Column("content", String),
    PrimaryKeyConstraint("tenant", "body", "event"),
    Index("body_kept", "tenant", "event", sqlite_where=text("content is not null"),
          postgresql_where=text("content is not null")),
    comment="What events brought. event: the variant that brought it; content: where it is, null when it is "
    "gone; class, kind and label: by which retention is chosen.",
)  # fmt: skip

content = Table(
    "content",
    metadata,
    tenant_key(),
    Column("content", String, nullable=False),
    Column("digest", Bytes),
    Column("bodies", Number, nullable=False),
    Column("place", String, nullable=False),
    Column("size", Number, nullable=False),
    Column("segments", Bytes),
    Column("data", Bytes),
    PrimaryKeyConstraint("tenant", "content"),
    Index("content_digest", "tenant", "digest", unique=True),
    Index("content_unwanted", "tenant", sqlite_where=text("bodies = 0"), postgresql_where=text("bodies = 0")),
    comment="Encrypted content, once for equal bodies of a tenant; bodies counts them, 0: to be destroyed. "
    "digest: the tenant's keyed one, null then. data: null when it lies in another place.",
)

body_key = Table(
    "body_key",
    metadata,
    tenant_key(),
    Column("content", String, nullable=False),
    Column("wrapped", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "content"),
    comment="A content's own key under its tenant's key, where there is no key store of its own. Deleting "
    "the row makes every copy of the content unreadable.",
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

tag_key = Table(
    "tag_key",
    metadata,
    tenant_key(),
    key("number"),
    Column("name", String),
    Column("since", Number, nullable=False),
    Column("ended", Number),
    PrimaryKeyConstraint("tenant", "number"),
    comment="The secrets that contents are tagged under, one at a time. name: in the key store, null when it "
    "is destroyed; since: the first event that may have used it; ended null: it is in use.",
)

retention_policy = Table(
    "retention_policy",
    metadata,
    tenant_key(),
    Column("policy", String, nullable=False),
    key("since"),
    Column("field", String, nullable=False),
    Column("value", String, nullable=False),
    Column("keep", String, nullable=False),
    Column("amount", Number),
    Column("actor", String, nullable=False),
    Column("ended", Number),
    Column("ended_by", String),
    PrimaryKeyConstraint("tenant", "policy", "since"),
    comment="How long bodies are kept whose field (class, kind, run, label, all) has a value. keep: for "
    "(amount seconds), until (amount microseconds since 1970), never (not stored at all), always.",
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
    Column("reason", String),
    Column("places", String, nullable=False),
    Column("event", Number),
    PrimaryKeyConstraint("tenant", "body"),
    Index("tombstone_open", "tenant", sqlite_where=text("done is null"),
          postgresql_where=text("done is null")),
    comment="What stays of a deleted body; places is a JSON array, reason the id of the body that tells why. "
    "done null: it was asked for, and is not gone from everywhere yet.",
)  # fmt: skip
