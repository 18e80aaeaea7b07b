"""What the numbers of a source can't tell: one used for several events, and events without any.

Both are counted while the graph is made from the log, so it is made again (``clew db upgrade`` does that).
"""

from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"

_REMADE = """
create table source_report (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    last_number BIGINT,
    dropped BIGINT NOT NULL,
    closed SMALLINT NOT NULL,
    covers TEXT,
    surplus BIGINT NOT NULL,
    unnumbered SMALLINT NOT NULL,
    CONSTRAINT source_report_pkey PRIMARY KEY (tenant, source, epoch, seq)
) without rowid
"""
"""SQLite can't add a column that must be given; what the table holds is made again anyway."""

_COMMENT = (
    "comment on table source_report is 'What a source has said of itself up to and with this event, summed up"
    "; surplus: numbered events less distinct numbers; unnumbered: some of its events have none.'"
)
_ADDED = (
    "alter table source_report add column surplus BIGINT NOT NULL default 0",
    "alter table source_report add column unnumbered SMALLINT NOT NULL default 0",
    "alter table source_report alter column surplus drop default",
    "alter table source_report alter column unnumbered drop default",
    _COMMENT,
)
_REBUILD = (
    "insert into store (property, value) select 'rebuild', '0013' from tenant"
    " where not exists (select 1 from store where property = 'rebuild') limit 1"
)


def upgrade() -> None:
    connection = op.get_bind()
    remade = ("drop table source_report", _REMADE)
    for statement in _ADDED if connection.dialect.name == "postgresql" else remade:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(_REBUILD)
