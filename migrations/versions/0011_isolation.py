"""Row-level security on PostgreSQL, and what makes look-ups by text go on finding their rows under it. That a
key was made is said for the whole database.

A later migration that changes rows has to see them: lift ``force row level security`` from the table, and put
it back. A new table with a tenant is put under it as here.
"""

from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"

_ASKED_FOR = (
    "insert into store (property, value) select 'keys_asked_for', 'yes'"
    " where exists (select 1 from credential)"
)
_BY_TEXT = (
    # table, index, leading columns, text, of which rows
    ("document", "document_name", "tenant", "name", ""),
    ("event", "event_id", "tenant, source", "id", ""),
    ("event", "event_lookup", "tenant", "lookup", " where lookup is not null"),
    ("node", "node_ref", "tenant", "ref", ""),
    ("node", "node_tail", "tenant", "tail", " where tail is not null"),
    ("pingback", "pingback_target", "tenant", "target", ""),
    ("word", "word_text", "tenant", "text", ""),
)
_TABLES = (
    "access", "assertion", "attribute", "blob", "body", "body_key", "content", "credential", "document",
    "event", "event_salt", "fact", "hold", "incident", "incident_action", "incident_item", "incident_run",
    "missing", "node", "node_kind", "pingback", "restriction", "retention_policy", "run_source",
    "search_head", "search_text", "source_epoch", "source_report", "tag_key", "tenant", "tombstone", "word",
)  # fmt: skip
_MINE = "tenant = (select nullif(current_setting('clew.tenant', true), '')::bigint)"
_STORED = "generated always as (substr({}, 1, 600)) stored"
_FURTHER = (
    "create policy directory on tenant for select using (current_setting('clew.directory', true) = 'on')",
    "create policy matching on search_text for select to current_user using (true)",
    (
        "create function search_matching(query tsquery) returns setof search_text"
        " language sql stable security definer set search_path from current as $$"
        " select s.* from search_text s where"
        " s.tenant = (select nullif(current_setting('clew.tenant', true), '')::bigint)"
        " and array_to_tsvector(string_to_array(s.words, ' ')) @@ query $$"
    ),
)


def upgrade() -> None:
    connection = op.get_bind()
    connection.exec_driver_sql(_ASKED_FOR)
    if connection.dialect.name != "postgresql":
        return
    for table, index, leading, text, where in _BY_TEXT:
        start = f"{text}_start"
        for statement in (
            f"drop index {index}_start",
            f'alter table {table} add column {start} text collate "C" {_STORED.format(text)}',
            f"create index {index}_start on {table} ({leading}, {start}){where}",
        ):
            connection.exec_driver_sql(statement)
    for table in _TABLES:
        for statement in (
            f"alter table {table} enable row level security",
            f"alter table {table} force row level security",
            f"create policy of_tenant on {table} using ({_MINE})",
        ):
            connection.exec_driver_sql(statement)
    for statement in _FURTHER:
        connection.exec_driver_sql(statement)
