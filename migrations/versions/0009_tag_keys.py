"""Tags under a secret that ends: which one is in use, and what was tagged before without an end to it.

Until now tags followed from the master key, so that guesses could be tried against them for ever. Those that
are there become names at random, under which equal ones stay equal. What told re-deliveries and equal
contents goes. The graph has to be made again after it (``clew db upgrade`` does that), since what joins
events is made of tags.
"""

import hashlib
import hmac
import json
import secrets
from typing import Any

from alembic import op
from sqlalchemy import text

revision: str = "0009"
down_revision: str | None = "0008"

BEFORE = ";key=0"

_TABLE = """
create table tag_key (
    tenant BIGINT NOT NULL,
    number BIGINT NOT NULL,
    name {text},
    since BIGINT NOT NULL,
    ended BIGINT,
    CONSTRAINT tag_key_pkey PRIMARY KEY (tenant, number)
)
"""
_COMMENT = (
    "comment on table tag_key is 'The secrets that contents are tagged under, one at a time. name: in the key"
    " store, null when it is destroyed; since: the first event that may have used it; ended null: it is in"
    " use.'"
)
_SPELT = {"sqlite": {"text": "TEXT"}, "postgresql": {"text": 'TEXT COLLATE "C"'}}


def upgrade() -> None:
    connection = op.get_bind()
    name = connection.dialect.name
    connection.exec_driver_sql(_TABLE.format_map(_SPELT[name]))
    if name == "postgresql":
        connection.exec_driver_sql(_COMMENT)
    # Number 1 stands for what followed from the master: producers sent tags under it, which stay as they are.
    connection.exec_driver_sql(
        "insert into tag_key (tenant, number, name, since, ended) select tenant, 1, null, 0, 0 from tenant"
    )
    connection.exec_driver_sql(
        "insert into store (property, value) select 'rebuild', '0009' from tenant limit 1"
    )
    connection.exec_driver_sql("delete from event_salt")
    connection.exec_driver_sql("update content set digest = null")
    for (tenant,) in connection.exec_driver_sql("select tenant from tenant").fetchall():
        _rename(connection, tenant)


_SOME = text(
    "select seq, computed from event where tenant = :tenant and seq > :after and computed is not null"
    " order by seq limit 500"
)
_CHANGE = text(
    "update event set computed = :made, computed_digest = :digest where tenant = :tenant and seq = :seq"
)


def _rename(connection: Any, tenant: int) -> None:
    """Give the tags of a tenant names at random; the key by which that is done is kept nowhere."""
    key, after = secrets.token_bytes(32), 0
    while rows := connection.execute(_SOME, {"tenant": tenant, "after": after}).fetchall():
        after = rows[-1][0]
        for seq, computed in rows:
            made = _renamed(bytes(computed), key)
            digest = hashlib.sha256(made).digest()
            connection.execute(_CHANGE, {"made": made, "digest": digest, "tenant": tenant, "seq": seq})


def _renamed(computed: bytes, key: bytes) -> bytes:
    def name(tag: str) -> str:
        return hmac.digest(key, tag.encode(), "sha256").hex()[: len(tag)]

    items = json.loads(computed)
    for item in items:
        if item["alg"]:
            item["alg"] += BEFORE
        for field in ("whole", "tenant_whole"):
            if item.get(field):
                item[field] = name(item[field])
        for field in ("values", "tenant_values"):
            if field in item:
                item[field] = {at: [name(tag), strong] for at, (tag, strong) in item[field].items()}
        if "tokens" in item:
            item["tokens"] = [name(tag) for tag in item["tokens"]]
    return json.dumps(items, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
