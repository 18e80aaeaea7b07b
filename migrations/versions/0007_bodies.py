"""Bodies: contents apart from what events say of them, kept once, under keys that can lie elsewhere;
retention by more than the class; tombstones of what is not gone from everywhere yet.

What was sealed before stays as it is, under a name made of its body and event.
"""

from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"

_CONTENT = """
create table content (
    tenant BIGINT NOT NULL,
    content {text} NOT NULL,
    digest {bytes},
    bodies BIGINT NOT NULL,
    place {text} NOT NULL,
    size BIGINT NOT NULL,
    segments {bytes},
    data {bytes},
    CONSTRAINT content_pkey PRIMARY KEY (tenant, content)
)
"""
_BODY = """
create table body (
    tenant BIGINT NOT NULL,
    body {text} NOT NULL,
    event BIGINT NOT NULL,
    class {text} NOT NULL,
    kind {text} NOT NULL,
    label {text},
    state {text} NOT NULL,
    media_type {text} NOT NULL,
    size BIGINT NOT NULL,
    content {text},
    CONSTRAINT body_pkey PRIMARY KEY (tenant, body, event)
)
"""
_BODY_KEY = """
create table body_key (
    tenant BIGINT NOT NULL,
    content {text} NOT NULL,
    wrapped {bytes} NOT NULL,
    CONSTRAINT body_key_pkey PRIMARY KEY (tenant, content)
) {clustered}
"""
_POLICY = """
create table retention_policy (
    tenant BIGINT NOT NULL,
    policy {text} NOT NULL,
    since BIGINT NOT NULL,
    field {text} NOT NULL,
    value {text} NOT NULL,
    keep {text} NOT NULL,
    amount BIGINT,
    actor {text} NOT NULL,
    ended BIGINT,
    ended_by {text},
    CONSTRAINT retention_policy_pkey PRIMARY KEY (tenant, policy, since)
)
"""
_TOMBSTONE = """
create table tombstone (
    tenant BIGINT NOT NULL,
    body {text} NOT NULL,
    requested BIGINT NOT NULL,
    done BIGINT,
    policy {text} NOT NULL,
    actor {text} NOT NULL,
    reason_class {text} NOT NULL,
    reason {text},
    places {text} NOT NULL,
    event BIGINT,
    CONSTRAINT tombstone_pkey PRIMARY KEY (tenant, body)
)
"""
_CONTENTS = """
insert into content (tenant, content, bodies, place, size, data)
select tenant, body || '#' || event, 1, 'database', size, sealed from body where sealed is not null
"""
_BODIES = """
insert into body (tenant, body, event, class, kind, label, state, media_type, size, content)
select tenant, body, event, class, '', retention, state, media_type, size,
case when sealed is not null then body || '#' || event end from old_body
"""
_KEYS = """
insert into body_key (tenant, content, wrapped)
select tenant, body || '#' || event, wrapped from old_body_key
"""
_TOMBSTONES = """
insert into tombstone (tenant, body, requested, done, policy, actor, reason_class, places, event)
select tenant, body, requested, done, policy, actor, reason_class, places, event from old_tombstone
"""
_STEPS = (
    _CONTENT,
    _CONTENTS,
    "alter table body rename to old_body",
    _BODY.replace("body_pkey", "body_key2"),
    _BODIES,
    "drop table old_body",
    "alter table body_key rename to old_body_key",
    _BODY_KEY.replace("body_key_pkey", "body_key_key2"),
    _KEYS,
    "drop table old_body_key",
    "drop table retention_policy",
    _POLICY,
    "alter table tombstone rename to old_tombstone",
    _TOMBSTONE.replace("tombstone_pkey", "tombstone_key2"),
    _TOMBSTONES,
    "drop table old_tombstone",
    "create index body_kept on body (tenant, event) where content is not null",
    "create unique index content_digest on content (tenant, digest)",
    "create index content_unwanted on content (tenant) where bodies = 0",
    "create index tombstone_open on tombstone (tenant) where done is null",
)
_NAMES = (
    "alter table body rename constraint body_key2 to body_pkey",
    "alter table body_key rename constraint body_key_key2 to body_key_pkey",
    "alter table tombstone rename constraint tombstone_key2 to tombstone_pkey",
)
_SPELT = {
    "sqlite": {"text": "TEXT", "bytes": "BLOB", "clustered": "WITHOUT ROWID"},
    "postgresql": {"text": 'TEXT COLLATE "C"', "bytes": "BYTEA", "clustered": ""},
}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    steps = [*_STEPS, *(_NAMES if name == "postgresql" else ())]
    for statement in steps:
        connection.exec_driver_sql(statement.format(**_SPELT[name]))
