"""Relations, attributes, facts for joining, and packed edges."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from app.tables.base import CLUSTERED, Bytes, Number, Small, String, key, metadata, tenant_key

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
    tenant_key(),
    key("source"),
    Column("code", Small, nullable=False),
    key("target"),
    key("assertion"),
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
    comment="One row for each node-valued argument of each stated or joined relation; target 0 when it "
    "has none.",
    **CLUSTERED,
)

attribute = Table(
    "attribute",
    metadata,
    tenant_key(),
    key("node"),
    key("event"),
    Column("n", Small, nullable=False),
    Column("name", Number, nullable=False),
    Column("value", String, nullable=False),
    Column("datatype", Small, nullable=False),
    Column("evidence", Small, nullable=False),
    Column("stance", Small, nullable=False),
    Column("asserter", Number, nullable=False),
    Column("bundle", Number),
    PrimaryKeyConstraint("tenant", "node", "event", "n"),
    Index("attribute_event", "tenant", "event"),
    comment="What events say of nodes; n counts within the event.",
    **CLUSTERED,
)

fact = Table(
    "fact",
    metadata,
    tenant_key(),
    key("place"),
    key("key"),
    Column("side", Small, nullable=False),
    key("hash"),
    Column("node", Number, nullable=False),
    Column("event", Number, nullable=False),
    Column("data", String, nullable=False),
    PrimaryKeyConstraint("tenant", "place", "key", "side", "hash"),
    comment="What events need from and offer to each other. A set: equal facts of two events are one "
    "row, of the first event. "
    "place keeps the keys of a run together.",
    **CLUSTERED,
)

blob = Table(
    "blob",
    metadata,
    tenant_key(),
    key("first_seq"),
    Column("last_seq", Number, nullable=False),
    Column("level", Small, nullable=False),
    Column("edges", Number, nullable=False),
    Column("data", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "first_seq"),
    comment="The rows of assertion again, packed by column in the order they came; see app.ledger.blobs.",
)
