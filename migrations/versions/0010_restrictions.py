"""Labels that restrict who may see what has them."""

from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"

_TABLE = """
CREATE TABLE restriction (
    tenant BIGINT NOT NULL,
    label {text} NOT NULL,
    readers {text} NOT NULL,
    since BIGINT NOT NULL,
    actor {text} NOT NULL,
    CONSTRAINT restriction_pkey PRIMARY KEY (tenant, label)
)
"""
_COMMENT = (
    "comment on table restriction is 'Which groups of readers (a JSON array) may see what has a label, since "
    "when (a time) and by whom; a label without a row restricts nothing.'"
)
_TEXT = {"sqlite": "TEXT", "postgresql": 'TEXT COLLATE "C"'}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    connection.exec_driver_sql(_TABLE.format(text=_TEXT[name]))
    if name == "postgresql":
        connection.exec_driver_sql(_COMMENT)
