"""Run by Alembic. The connection comes from the ledger, which has begun the transaction."""

from alembic import context

from app.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,
    render_as_batch=True,
)
context.run_migrations()
