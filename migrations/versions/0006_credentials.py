"""Credentials with a name, groups of readers and their last use; nothing wrote the table before."""

from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"

_TABLE = """
CREATE TABLE credential (
    tenant BIGINT NOT NULL,
    credential {text} NOT NULL,
    digest {bytes} NOT NULL,
    name {text} NOT NULL,
    kinds {text} NOT NULL,
    sources {text},
    rights {text} NOT NULL,
    reads {text} NOT NULL,
    vouches SMALLINT NOT NULL,
    cap SMALLINT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT,
    revoked BIGINT,
    used BIGINT,
    CONSTRAINT credential_pkey PRIMARY KEY (tenant, credential)
)
"""
_COMMENT = (
    "comment on table credential is 'Who may deliver and read: kinds, sources, rights (scopes) and reads "
    "(groups of readers) are JSON arrays, null sources is every source; digest is SHA-256 of the secret.'"
)
_SPELT = {
    "sqlite": {"text": "TEXT", "bytes": "BLOB"},
    "postgresql": {"text": 'TEXT COLLATE "C"', "bytes": "BYTEA"},
}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    connection.exec_driver_sql("drop table credential")
    connection.exec_driver_sql(_TABLE.format_map(_SPELT[name]))
    if name == "postgresql":
        connection.exec_driver_sql(_COMMENT)
