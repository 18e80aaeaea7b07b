"""The PostgreSQL that the other tests stand on."""

from pathlib import Path
from subprocess import CompletedProcess

import psycopg
import pytest
from sqlalchemy import create_engine, text

from tests import postgres
from tests.postgres import Account, NoPostgres, PostgresServer, postgres_server

Finished = CompletedProcess[str]


def test_each_test_gets_an_empty_database_of_its_own(postgres: PostgresServer) -> None:
    urls = [postgres.fresh_database() for _ in range(2)]
    for url in urls:
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("create table only_here (n integer)"))
        engine.dispose()
    for url in urls:
        postgres.drop_database(url)
    assert len(set(urls)) == 2


def test_the_server_is_durable_and_sorts_by_code_point(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        assert connection.scalar(text("show fsync")) == "on"
        words = connection.scalars(
            text("select * from (values ('b'), ('A'), ('a'), ('B')) as t(w) order by w")
        )
        assert list(words) == ["A", "B", "a", "b"]
    engine.dispose()


def test_a_database_is_dropped_although_a_test_is_still_connected(postgres: PostgresServer) -> None:
    url = postgres.fresh_database()
    with psycopg.connect(url.replace("+psycopg", "")) as forgotten:
        postgres.drop_database(url)
        with pytest.raises(psycopg.OperationalError):
            forgotten.execute("select 1")


def test_the_programs_are_copied_where_the_account_of_the_server_cannot_read_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = postgres._run

    def unreadable_checkout(program: Path, *arguments: str, account: Account, where: Path) -> Finished:
        if arguments == ("--version",):
            raise PermissionError
        assert program.is_relative_to(where)
        return run(program, *arguments, account=account, where=where)

    monkeypatch.setattr(postgres, "_run", unreadable_checkout)
    with postgres_server() as server:
        assert server.fresh_database()


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "free_port", lambda: 70_000)
    with pytest.raises(NoPostgres, match="70000"), postgres_server():
        pass
