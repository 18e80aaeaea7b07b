"""Cases: worklists of what a retraction affects, what was decided about each item, and by whom."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, Table

from app.tables.base import CLUSTERED, Number, Small, String, key, metadata, tenant_key

# "case" is a word of SQL.
incident = Table(
    "incident",
    metadata,
    tenant_key(),
    key("incident"),
    Column("title", String, nullable=False),
    Column("asked", String, nullable=False),
    Column("opened", Number, nullable=False),
    Column("opened_by", String, nullable=False),
    PrimaryKeyConstraint("tenant", "incident"),
    comment="A case: the question whose answer it works through; asked is its parameters as JSON.",
)

incident_run = Table(
    "incident_run",
    metadata,
    tenant_key(),
    key("incident"),
    key("run"),
    Column("as_of", Number, nullable=False),
    Column("at", Number, nullable=False),
    Column("actor", String, nullable=False),
    Column("affected", Number, nullable=False),
    Column("complete", Small, nullable=False),
    Column("missing", String, nullable=False),
    Column("delta", String, nullable=False),
    PrimaryKeyConstraint("tenant", "incident", "run"),
    ForeignKeyConstraint(["tenant", "incident"], ["incident.tenant", "incident.incident"]),
    comment="Each time that a case was asked: what was missing of the answer, and how it differed from the "
    "one before, both as JSON.",
)

incident_item = Table(
    "incident_item",
    metadata,
    tenant_key(),
    key("incident"),
    key("item"),
    Column("ref", String, nullable=False),
    Column("found", String, nullable=False),
    Column("first_run", Number, nullable=False),
    Column("changed_run", Number, nullable=False),
    Column("gone_run", Number),
    Column("state", Small, nullable=False),
    Column("decided_run", Number),
    Column("decided", Number),
    Column("decided_by", String),
    PrimaryKeyConstraint("tenant", "incident", "item"),
    ForeignKeyConstraint(["tenant", "incident"], ["incident.tenant", "incident.incident"]),
    comment="A report or write of a case; found is how it is affected, as JSON; state is 0 open, 1 "
    "acknowledged, 2 cleared.",
    **CLUSTERED,
)

incident_action = Table(
    "incident_action",
    metadata,
    tenant_key(),
    key("incident"),
    key("action"),
    Column("verb", String, nullable=False),
    Column("item", Number),
    Column("at", Number, nullable=False),
    Column("actor", String, nullable=False),
    Column("body", String),
    PrimaryKeyConstraint("tenant", "incident", "action"),
    ForeignKeyConstraint(["tenant", "incident"], ["incident.tenant", "incident.incident"]),
    comment="What was done in a case, in order; a null item is the whole case; body is that of a note.",
    **CLUSTERED,
)
