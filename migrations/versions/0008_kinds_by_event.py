"""Later kinds by the event that gave them: which nodes changed since a process last looked."""

from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("create index node_kind_event on node_kind (tenant, event)")
