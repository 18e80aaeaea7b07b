"""PROV documents as they were submitted."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from app.tables.base import Bytes, String, by_text, key, metadata, tenant_key

document = Table(
    "document",
    metadata,
    tenant_key(),
    key("event"),
    Column("name", String, nullable=False),
    Column("digest", Bytes, nullable=False),
    Column("about", String, nullable=False),
    Column("content", Bytes, nullable=False),
    PrimaryKeyConstraint("tenant", "event"),
    by_text("document_name", "tenant", "name"),
    Index("document_digest", "tenant", "digest"),
    comment="PROV documents by the event that took them in: what each says, packed; its name, the SHA-256 of "
    "the bytes that came, and in about, as JSON, what is told of it without unpacking.",
)
