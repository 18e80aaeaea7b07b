"""Links that others send about what was recorded."""

from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"

_TABLE = """
CREATE TABLE pingback (
    tenant BIGINT NOT NULL,
    pingback BIGINT NOT NULL,
    target {text} NOT NULL,
    relation {text} NOT NULL,
    uri {text} NOT NULL,
    anchor {text} NOT NULL,
    received BIGINT NOT NULL,
    reporter {text} NOT NULL,
    CONSTRAINT pingback_pkey PRIMARY KEY (tenant, pingback)
)
"""
_COMMENT = (
    "comment on table pingback is 'Links that others sent about a node (its reference); relation is "
    "has_provenance or has_query_service, anchor what the link calls the node.'"
)
_OWN = {
    "sqlite": ("CREATE INDEX pingback_target ON pingback (tenant, target)",),
    "postgresql": (
        "CREATE INDEX pingback_target_start ON pingback (tenant, substr(target, 1, 600))",
        _COMMENT,
    ),
}
_TEXT = {"sqlite": "TEXT", "postgresql": 'TEXT COLLATE "C"'}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    for statement in (_TABLE.format(text=_TEXT[name]), *_OWN[name]):
        connection.exec_driver_sql(statement)
