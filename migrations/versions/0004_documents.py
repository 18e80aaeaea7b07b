"""PROV documents, each with what it says."""

from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"

_TABLE = """
create table document (
    tenant BIGINT NOT NULL,
    event BIGINT NOT NULL,
    name {text} NOT NULL,
    digest {bytes} NOT NULL,
    about {text} NOT NULL,
    content {bytes} NOT NULL,
    CONSTRAINT document_pkey PRIMARY KEY (tenant, event)
)
"""
_DIGEST = "create index document_digest on document (tenant, digest)"
_COMMENT = """
comment on table document is 'PROV documents by the event that took them in: what each says, packed; its \
name, the SHA-256 of the bytes that came, and in about, as JSON, what is told of it without unpacking.'
"""
_OWN = {
    "sqlite": ("create index document_name on document (tenant, name)",),
    "postgresql": (
        "create index document_name_start on document (tenant, substr(name, 1, 600))",
        _COMMENT,
    ),
}
_SPELT = {
    "sqlite": {"text": "TEXT", "bytes": "BLOB"},
    "postgresql": {"text": 'TEXT COLLATE "C"', "bytes": "BYTEA"},
}


def upgrade() -> None:
    """The tables that were meant for documents were never written to."""
    connection = op.get_bind()
    name = connection.dialect.name
    made = (_TABLE.format(**_SPELT[name]), _DIGEST, *_OWN[name])
    for statement in ("drop table bundle", "drop table document", *made):
        connection.exec_driver_sql(statement)
