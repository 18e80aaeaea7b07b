"""Which events came under the source and id of an earlier one: few, and every answer asks for them."""

from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"

_MARK = (
    "update event set marks = marks + 8 where marks < 8 and (tenant, seq) in ("
    "select e.tenant, e.seq from (select tenant, source, id, min(seq) as first from event"
    " group by tenant, source, id having count(*) > 1) d"
    " join event e on e.tenant = d.tenant and e.source = d.source and e.id = d.id and e.seq > d.first)"
)
"""A look at each group, in the order of an index: one for each event would go through those before it."""


def upgrade() -> None:
    connection = op.get_bind()
    guarded = connection.dialect.name == "postgresql"
    if guarded:
        connection.exec_driver_sql("alter table event no force row level security")
    connection.exec_driver_sql(_MARK)
    if guarded:
        connection.exec_driver_sql("alter table event force row level security")
    connection.exec_driver_sql("create index event_variant on event (tenant, seq) where marks >= 8")
