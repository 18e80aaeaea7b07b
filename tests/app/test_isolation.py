"""Row-level security: on PostgreSQL a transaction sees the rows of its tenant, and without one none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql

from app import tables
from app.credentials.keys import Grant, Keys
from app.ledger import Ledger, statements
from app.ledger.ledger import store_at
from app.ledger.postgres import SETTINGS, Postgres
from provmodel.errors import NotFound, StoreTrouble
from provmodel.evidence import LOCAL
from tests.app.commands import Clew
from tests.app.faces import event, service_at
from tests.postgres import SUPERUSER, PostgresServer

ROLE = "clew_service"
TENANTS = ("a", "b")
OF_TENANTS = sorted(name for name, table in tables.metadata.tables.items() if "tenant" in table.columns)


class House:
    """A database of two tenants that say the same things, and the role that a service connects as."""

    def __init__(self, server: PostgresServer, url: str, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.database = url.rpartition("/")[2]
        self.owner, self.service = url, server.url_of(self.database, ROLE)
        Ledger.upgrade(url)
        Ledger.make_role(server.url_of(self.database, SUPERUSER), ROLE)
        for tenant in TENANTS:
            with self.of(tenant) as service:
                told = [event(n, run=f"run:{tenant}") for n in range(40)]
                told.append(event(90, "run_started", run=f"run:{tenant}", agent="agent:a"))
                told.append(
                    event(91, inputs=[{"ref": f"document:{tenant}", "body": {"text": f"of {tenant}"}}])
                )
                service.record([json.dumps(one).encode() for one in told])
                service.ledger.take_words(tenant)
                service.read(f"document:{tenant}", LOCAL)
                Keys(service.ledger).create(tenant, Grant(name="k", scopes=frozenset({"ingest"})))

    def of(self, tenant: str) -> Any:
        return service_at(self.service, self.folder, tenant)

    def connect(self, tenant: int | None = None, role: str = ROLE) -> psycopg.Connection[Any]:
        """A connection in a transaction that belongs to a tenant, or to none."""
        connection = psycopg.connect(self.server.url_of(self.database, role).replace("+psycopg", ""))
        if tenant is not None:
            connection.execute("select set_config('clew.tenant', %s, true)", (str(tenant),))
        return connection


@pytest.fixture(scope="module")
def house(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    url = postgres.fresh_database()
    yield House(postgres, url, tmp_path_factory.mktemp("isolation"))
    postgres.drop_database(url)


def test_every_table_with_a_tenant_is_under_forced_row_level_security(house: House) -> None:
    with house.connect() as connection:
        forced = connection.execute(
            "select relname from pg_class where relrowsecurity and relforcerowsecurity order by relname"
        ).fetchall()
    assert [name for (name,) in forced] == OF_TENANTS


@pytest.mark.parametrize("role", [ROLE, "keeper"])
def test_a_transaction_of_no_tenant_sees_no_row(house: House, role: str) -> None:
    with house.connect(role=role) as connection:
        for table in OF_TENANTS:
            if (role, table) != ("keeper", "search_text"):  # the owner finds words
                assert _count(connection, table) == 0, table
        assert connection.execute("select count(*) from search_matching('a'::tsquery)").fetchone() == (0,)


def test_a_transaction_of_a_tenant_sees_and_touches_no_row_of_another(house: House) -> None:
    with house.connect(1) as connection:
        seen = {table: _count(connection, table) for table in OF_TENANTS}
        assert {table for table, count in seen.items() if count} >= {
            "access", "assertion", "attribute", "blob", "body", "content", "credential", "event",
            "node", "search_text", "tenant", "word",
        }  # fmt: skip
        for table in OF_TENANTS:
            of_others = sql.SQL("from {} where tenant <> 1").format(sql.Identifier(table))
            assert connection.execute(sql.SQL("select * {}").format(of_others)).fetchall() == [], table
            assert connection.execute(sql.SQL("delete {}").format(of_others)).rowcount == 0, table
            moved = sql.SQL("update {} set tenant = 1 where tenant = 2").format(sql.Identifier(table))
            assert connection.execute(moved).rowcount == 0, table
        found = connection.execute("select tenant from search_matching('2.b | 1.a'::tsquery)").fetchall()
        assert {tenant for (tenant,) in found} <= {1}
        connection.rollback()


def test_a_row_for_another_tenant_can_not_be_written(house: House) -> None:
    with house.connect(1) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("insert into word (tenant, word, text) values (2, 999, 'mine')")
    with house.connect(1) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("update word set tenant = 2 where word = 1")


def test_the_setting_ends_with_its_transaction(house: House) -> None:
    with house.of("a") as service:
        store = service.ledger.store
        assert store.of("a").fetch("select count(*) from event")[0][0] > 0
        with store.of("a").writing() as session:
            assert session.fetch("select count(*) from event")[0][0] > 0
        assert len(store._free) == 1
        assert store.fetch("select count(*) from event") == [(0,)]
        assert store.fetch("select count(*) from tenant") == [(0,)]
        assert [name for (name,) in store.directory("select name from tenant order by name")] == ["a", "b"]
        assert store.fetch("select count(*) from tenant") == [(0,)]


def test_the_service_works_as_a_role_that_owns_nothing(house: House) -> None:
    with house.of("b") as service:
        assert not service.ledger.store.goes_round_isolation()
        assert service.ledger.graph("b").head() == 42
        assert [hit.ref for hit in service.search({"q": "document"}).nodes] == ["document:b"]
        assert service.read("document:b", LOCAL).content == b"of b"
        assert Keys(service.ledger).any()
        service.ledger.wipe()
        assert service.ledger.fsck("b") == []
        service.ledger.rebuild("b")
    with house.connect() as connection:
        owned = connection.execute(
            "select count(*) from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname = %s",
            (ROLE,),
        )
        assert owned.fetchone() == (0,)
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute("alter table event disable row level security")


def test_rules_of_who_may_see_what_hold_for_that_role_within_their_tenant(house: House) -> None:
    told = event(95, "artifact_version", ref="document:a", kind="document", attributes={"access": "secret"})
    with house.of("a") as service, house.of("b") as other:
        service.record([json.dumps(told).encode()])
        service.restrictions.restrict("secret", ["board"], "person:ann")
        assert other.restrictions.listed().restrictions == []
        assert service.of_readers(frozenset({"board"})).search({"q": "document"}).total == 1
        assert service.of_readers(frozenset()).search({"q": "document"}).total == 0
        assert other.of_readers(frozenset()).search({"q": "document"}).total == 1
        with pytest.raises(NotFound):
            service.of_readers(frozenset()).details(["document:a"])


def test_a_role_that_goes_round_is_told_so_and_never_made(house: House) -> None:
    round_it = house.server.url_of(house.database, SUPERUSER)
    store = store_at(round_it)
    assert store.goes_round_isolation()
    store.close()
    for name in (SUPERUSER, "keeper"):
        with pytest.raises(StoreTrouble, match="name another"):
            Ledger.make_role(house.owner, name)
    Ledger.upgrade(f"sqlite:///{house.folder / 'x.db'}")
    with pytest.raises(StoreTrouble, match="not on PostgreSQL"):
        Ledger.make_role(f"sqlite:///{house.folder / 'x.db'}", "x")


def test_a_server_for_others_does_not_start_as_a_role_that_goes_round(
    house: House, clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_KEY_FILE", str(house.folder / "clew.keys"))
    refused = clew("serve", "--host", "0.0.0.0", "--db", house.server.url_of(house.database, SUPERUSER))
    assert (refused.code, "clew db role" in " ".join(refused.err.split())) == (3, True), refused.err


def test_statements_take_the_same_plan_under_row_level_security(house: House) -> None:
    """A policy keeps away every index on what could tell of a row that it hides, as `substr` could."""
    store = store_at(house.service)
    assert isinstance(store, Postgres)
    with house.connect(1) as under, house.connect(role=SUPERUSER) as without:
        for connection in (under, without):
            for setting in SETTINGS:
                connection.execute(setting.encode())
        for name, statement in _statements().items():
            spelt = store.spell(statement).replace("%s", "null")
            assert _plan(under, spelt) == _plan(without, spelt), name
    store.close()


def _statements() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in vars(statements).items():
        if name.isupper() and not name.startswith("_"):
            ways = value if isinstance(value, dict) else {"": value}
            found |= {f"{name} {way}": statement for way, statement in ways.items()}
    return found


def _plan(connection: psycopg.Connection[Any], statement: str) -> list[tuple[str, str, str]]:
    """Each step with its table and index; but for working out the tenant, which is one step of its own."""
    [(found,)] = connection.execute(f"explain (format json, generic_plan) {statement}".encode()).fetchall()
    steps: list[tuple[str, str, str]] = []
    waiting = [found[0]["Plan"]]
    while waiting:
        step = waiting.pop(0)
        steps.append((step["Node Type"], step.get("Relation Name", ""), step.get("Index Name", "")))
        inner = step.get("Plans", [])
        waiting += [one for one in inner if one.get("Parent Relationship") != "InitPlan"]
    return steps


def _count(connection: psycopg.Connection[Any], table: str) -> int:
    [(count,)] = connection.execute(
        sql.SQL("select count(*) from {}").format(sql.Identifier(table))
    ).fetchall()
    return int(count)
