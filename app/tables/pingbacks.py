"""Where others say that more is known: provenance of their own about what Clew recorded (PROV-AQ, 5)."""

from __future__ import annotations

from sqlalchemy import Column, PrimaryKeyConstraint, Table

from app.tables.base import Number, String, by_text, key, metadata, tenant_key

pingback = Table(
    "pingback",
    metadata,
    tenant_key(),
    key("pingback"),
    Column("target", String, nullable=False),
    Column("relation", String, nullable=False),
    Column("uri", String, nullable=False),
    Column("anchor", String, nullable=False),
    Column("received", Number, nullable=False),
    Column("reporter", String, nullable=False),
    PrimaryKeyConstraint("tenant", "pingback"),
    by_text("pingback_target", "tenant", "target"),
    comment="Links that others sent about a node (its reference); relation is has_provenance or "
    "has_query_service, anchor what the link calls the node.",
)
