"""The words by which nodes are found, and how far into the log they have been taken."""

from __future__ import annotations

from sqlalchemy import DDL, Column, Index, PrimaryKeyConstraint, Table, event, text

from app.tables.base import CLUSTERED, Number, Small, String, key, metadata, tenant_key

search_text = Table(
    "search_text",
    metadata,
    tenant_key(),
    key("doc"),
    Column("node", Number, nullable=False),
    Column("event", Number, nullable=False),
    Column("field", Small, nullable=False),
    Column("evidence", Small, nullable=False),
    Column("at", Number, nullable=False),
    Column("words", String, nullable=False),
    PrimaryKeyConstraint("tenant", "doc"),
    Index("search_text_node", "tenant", "node"),
    Index(
        "search_text_words",
        text("array_to_tsvector(string_to_array(words, ' '))"),
        postgresql_using="gin",
    ).ddl_if(dialect="postgresql"),
    comment="What one event says of one node, as words; doc is tenant << 40 | number, each word begins with "
    "the tenant.",
    **CLUSTERED,
)

search_head = Table(
    "search_head",
    metadata,
    tenant_key(),
    Column("seq", Number, nullable=False),
    Column("node", Number, nullable=False),
    Column("doc", Number, nullable=False),
    PrimaryKeyConstraint("tenant"),
    comment="Up to which seq and node the words were taken, and the last doc.",
    **CLUSTERED,
)

FTS5 = (
    "create virtual table search_index using fts5("
    "words, content='', detail=none, columnsize=0, tokenize=\"ascii tokenchars '.'\")"
)
"""The index on SQLite, by doc. Words come cut and folded, so it only has to split at blanks: every byte
beyond ASCII counts as a letter.
"""

event.listen(search_text, "after_create", DDL(FTS5).execute_if(dialect="sqlite"))  # type: ignore[no-untyped-call]
