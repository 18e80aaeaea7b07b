"""Cases: worklists of what a retraction affects, in place of the tables that nothing used."""

from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"

_BEFORE = ("drop table incident_item", "drop table incident")
_CASE = """
CREATE TABLE incident (
    tenant BIGINT NOT NULL,
    incident BIGINT NOT NULL,
    title {text} NOT NULL,
    asked {text} NOT NULL,
    opened BIGINT NOT NULL,
    opened_by {text} NOT NULL,
    CONSTRAINT incident_pkey PRIMARY KEY (tenant, incident)
)
"""
_RUN = """
CREATE TABLE incident_run (
    tenant BIGINT NOT NULL,
    incident BIGINT NOT NULL,
    run BIGINT NOT NULL,
    as_of BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor {text} NOT NULL,
    affected BIGINT NOT NULL,
    complete SMALLINT NOT NULL,
    missing {text} NOT NULL,
    delta {text} NOT NULL,
    CONSTRAINT incident_run_pkey PRIMARY KEY (tenant, incident, run),
    CONSTRAINT incident_run_tenant_incident_fkey
        FOREIGN KEY(tenant, incident) REFERENCES incident (tenant, incident)
)
"""
_ITEM = """
CREATE TABLE incident_item (
    tenant BIGINT NOT NULL,
    incident BIGINT NOT NULL,
    item BIGINT NOT NULL,
    ref {text} NOT NULL,
    found {text} NOT NULL,
    first_run BIGINT NOT NULL,
    changed_run BIGINT NOT NULL,
    gone_run BIGINT,
    state SMALLINT NOT NULL,
    decided_run BIGINT,
    decided BIGINT,
    decided_by {text},
    CONSTRAINT incident_item_pkey PRIMARY KEY (tenant, incident, item),
    CONSTRAINT incident_item_tenant_incident_fkey
        FOREIGN KEY(tenant, incident) REFERENCES incident (tenant, incident)
) {clustered}
"""
_ACTION = """
CREATE TABLE incident_action (
    tenant BIGINT NOT NULL,
    incident BIGINT NOT NULL,
    action BIGINT NOT NULL,
    verb {text} NOT NULL,
    item BIGINT,
    at BIGINT NOT NULL,
    actor {text} NOT NULL,
    body {text},
    CONSTRAINT incident_action_pkey PRIMARY KEY (tenant, incident, action),
    CONSTRAINT incident_action_tenant_incident_fkey
        FOREIGN KEY(tenant, incident) REFERENCES incident (tenant, incident)
) {clustered}
"""
_COMMENTS = {
    "incident": "A case: the question whose answer it works through; asked is its parameters as JSON.",
    "incident_run": (
        "Each time that a case was asked: what was missing of the answer, and how it differed "
        "from the one before, both as JSON."
    ),
    "incident_item": (
        "A report or write of a case; found is how it is affected, as JSON; state is 0 open, 1 "
        "acknowledged, 2 cleared."
    ),
    "incident_action": (
        "What was done in a case, in order; a null item is the whole case; body is that of a note."
    ),
}
_SPELT = {
    "sqlite": {"text": "TEXT", "clustered": "WITHOUT ROWID"},
    "postgresql": {"text": 'TEXT COLLATE "C"', "clustered": ""},
}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    for statement in (*_BEFORE, _CASE, _RUN, _ITEM, _ACTION):
        connection.exec_driver_sql(statement.format(**_SPELT[name]))
    if name == "postgresql":
        for table, comment in _COMMENTS.items():
            connection.exec_driver_sql(f"comment on table {table} is '{comment}'")
