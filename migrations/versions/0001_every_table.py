"""Every table of the store, as of its first version: the SQL beside this file, one for each database."""

from pathlib import Path

from alembic import op

revision: str = "0001"
down_revision: str | None = None


def upgrade() -> None:
    connection = op.get_bind()
    script = Path(__file__).with_suffix(f".{connection.dialect.name}.sql").read_text(encoding="utf-8")
    for statement in script.split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)
