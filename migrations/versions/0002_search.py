"""Words by which nodes are found: indexed after the commit, by FTS5 or PostgreSQL."""

from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"

_EVERYWHERE = (
    "drop table search_token",
    "create index attribute_event on attribute (tenant, event)",
)
_TEXT = """
create table search_text (
    tenant BIGINT NOT NULL,
    doc BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    field SMALLINT NOT NULL,
    evidence SMALLINT NOT NULL,
    at BIGINT NOT NULL,
    words {text} NOT NULL,
    CONSTRAINT search_text_pkey PRIMARY KEY (tenant, doc)
) {clustered}
"""
_HEAD = """
create table search_head (
    tenant BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    node BIGINT NOT NULL,
    doc BIGINT NOT NULL,
    CONSTRAINT search_head_pkey PRIMARY KEY (tenant)
) {clustered}
"""
_BY_NODE = "create index search_text_node on search_text (tenant, node)"
_FTS5 = """
create virtual table search_index using fts5(
    words, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '.'"
)
"""
_GIN = (
    "create index search_text_words on search_text using gin (array_to_tsvector(string_to_array(words, ' ')))"
)
_TEXT_COMMENT = """
comment on table search_text is 'What one event says of one node, as words; doc is tenant << 40 | number, \
each word begins with the tenant.'
"""
_HEAD_COMMENT = (
    "comment on table search_head is 'Up to which seq and node the words were taken, and the last doc.'"
)
_OWN = {"sqlite": (_FTS5,), "postgresql": (_GIN, _TEXT_COMMENT, _HEAD_COMMENT)}
_SPELT = {
    "sqlite": {"text": "TEXT", "clustered": "WITHOUT ROWID"},
    "postgresql": {"text": 'TEXT COLLATE "C"', "clustered": ""},
}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    tables = [statement.format(**_SPELT[name]) for statement in (_TEXT, _HEAD)]
    for statement in (*_EVERYWHERE, *tables, _BY_NODE, *_OWN[name]):
        connection.exec_driver_sql(statement)
