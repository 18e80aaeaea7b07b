"""The role that a service connects as on PostgreSQL: it owns nothing, and nothing lets it round row-level
security. Migrations run as the owner of the tables.
"""

from __future__ import annotations

import psycopg
from psycopg import sql

from app.ledger.store import Store
from app.tables.figures import VACUUMED
from provmodel.errors import StoreTrouble

VACUUM_CAN_BE_GRANTED = 170_000
"""The version of PostgreSQL from which ``maintain`` is a right of its own."""

_KNOWN = "select rolsuper or rolbypassrls or rolname = current_user from pg_roles where rolname = %s"
_RIGHTS = "select, insert, update, delete"
_SCHEMA = "select current_schema()"


def make_role(store: Store, name: str, password: str = "") -> bool:
    """Make the role, if it is not there, and give it what the service needs; whether it was made.

    Run as the owner of the tables; what he makes later is granted as well. With ``password`` it gets that
    one, which is sent as its verifier. Raises :class:`StoreTrouble` for a ledger that is not on PostgreSQL, a
    role that goes round row-level security, and what the owner may not do.
    """
    if store.engine.dialect.name != "postgresql":
        raise StoreTrouble(f"{store.name} is not on PostgreSQL; only there a server has roles")
    with store.connection() as connection:
        try:
            return _make(connection, store.name, name, password)
        except psycopg.errors.InsufficientPrivilege as error:
            raise StoreTrouble(
                f"{store.name}: {str(error).strip()}; connect as the owner of the tables, with createrole"
            ) from None


def _make(connection: psycopg.Connection[tuple[bool]], where: str, name: str, password: str) -> bool:
    known = connection.execute(_KNOWN, (name,)).fetchone()
    if known and known[0]:
        raise StoreTrouble(
            f"{where}: the role {name!r} owns the tables or goes round row-level security; name another one"
        )
    role = sql.Identifier(name).as_string(connection)
    schema = sql.Identifier(str(connection.execute(_SCHEMA).fetchall()[0][0])).as_string(connection)
    statements = (
        [] if known else [f"create role {role} login nosuperuser nocreatedb nocreaterole nobypassrls"]
    )
    if password:
        verifier = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256")
        secret = sql.Literal(verifier.decode()).as_string(connection)
        statements.append(f"alter role {role} password {secret}")
    for statement in (*statements, *_grants(role, schema, connection.info.server_version)):
        connection.execute(statement.encode())
    return not known


def _grants(role: str, schema: str, version: int) -> list[str]:
    vacuum = f"grant maintain on {', '.join(VACUUMED)} to {role}"
    return [
        f"grant usage on schema {schema} to {role}",
        f"grant {_RIGHTS} on all tables in schema {schema} to {role}",
        f"revoke insert, update, delete on alembic_version from {role}",
        f"alter default privileges in schema {schema} grant {_RIGHTS} on tables to {role}",
        *([vacuum] if version >= VACUUM_CAN_BE_GRANTED else []),
    ]
