"""Row-level security on PostgreSQL: what belongs to a tenant is there for its own transactions alone.

A transaction says whose it is by the setting ``clew.tenant``, the tenant's number, which ends with it.
Without it no row of any table with a tenant can be seen, written or counted, not even by the owner of the
tables (``force``); only a superuser and a role with ``bypassrls`` go round it. The directory, which gives a
name its number, is read with ``clew.directory`` set to ``on``, and can't be written so.

A policy's condition is asked before any other that might tell of a row that it hides. ``substr`` and ``@@``
are such, so no index over them would be used: the start of a long text is a column of its own, and words are
found by the function ``search_matching``, which asks for the tenant itself and runs as the owner, who may
read all of this one table.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import DDL, Table, event

from app.tables.base import BY_TEXT, metadata
from app.tables.figures import INDEXED_CHARACTERS

MINE = "tenant = (select nullif(current_setting('clew.tenant', true), '')::bigint)"
"""A sub-select is worked out once a statement, not once a row."""

_MATCHING = (
    "create function search_matching(query tsquery) returns setof search_text"
    " language sql stable security definer set search_path from current as $$"
    " select s.* from search_text s where"
    " s.tenant = (select nullif(current_setting('clew.tenant', true), '')::bigint)"
    " and array_to_tsvector(string_to_array(s.words, ' ')) @@ query $$"
)
_DIRECTORY = "using (current_setting('clew.directory', true) = 'on')"
_FURTHER = {
    "tenant": (f"create policy directory on tenant for select {_DIRECTORY}",),
    "search_text": (
        "create policy matching on search_text for select to current_user using (true)",
        _MATCHING,
    ),
}


def isolated(name: str) -> tuple[str, ...]:
    """The statements that put a table with a tenant under row-level security."""
    return (
        f"alter table {name} enable row level security",
        f"alter table {name} force row level security",
        f"create policy of_tenant on {name} using ({MINE})",
        *_FURTHER.get(name, ()),
    )


def starts(table: Table) -> Iterator[str]:
    """The statements that make a table's long texts be found by their starts."""
    for index in sorted(table.indexes, key=lambda one: str(one.name)):
        if BY_TEXT in index.info:
            *numbers, long = (column.name for column in index.columns)
            yield (
                f'alter table {table.name} add column {long}_start text collate "C"'
                f" generated always as (substr({long}, 1, {INDEXED_CHARACTERS})) stored"
            )
            where = f" where {index.info[BY_TEXT]}" if index.info[BY_TEXT] else ""
            columns = ", ".join([*numbers, f"{long}_start"])
            yield f"create index {index.name}_start on {table.name} ({columns}){where}"


def _listen() -> None:
    for table in metadata.tables.values():
        if "tenant" in table.columns:
            for statement in (*starts(table), *isolated(table.name)):
                hook = DDL(statement).execute_if(dialect="postgresql")  # type: ignore[no-untyped-call]
                event.listen(table, "after_create", hook)


_listen()
