"""Opening a store: made once, never taken for another, never read by a Clew that doesn't know its tables."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from app import listing, tables
from app.ledger import Ledger, bodykeys, schema, statements
from app.ledger.ledger import store_at
from app.ledger.sqlite import Sqlite
from provmodel.errors import StoreTrouble

ROOT = Path(__file__).parents[2]
OUTSIDE = {"store", "tenant"}  # what is true of the whole database, and what gives a tenant its number


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, path: Path) -> str:
    """The URL of a place where no ledger is yet."""
    return str(path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clew.db"


def say(url: str, statement: str, *parameters: object) -> None:
    store = store_at(url)
    with store.writing() as session:
        session.run(statement, parameters)
    store.close()


def test_a_store_is_made_once_whoever_comes_first(store_url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        ledgers = list(pool.map(lambda _: Ledger.open(store_url, create=True), range(4)))
    for ledger in ledgers:
        assert ledger.tenants() == []
        ledger.close()


def test_whoever_opens_a_young_file_waits_for_another_who_turns_its_log_on(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    with ThreadPoolExecutor(1) as pool:
        opened = pool.submit(Ledger.open, str(path), create=True)
        assert not wait([opened], timeout=0.2).done
        other.commit()
        opened.result().close()
    other.close()


def test_a_key_store_that_was_introduced_just_now_is_no_stranger(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, apart = store_at(str(path)), store_at(str(bodykeys.default_path(path)))
    schema.make(store)
    with monkeypatch.context() as meanwhile:
        known = bodykeys.property_of

        def too_early(of: Any, name: str) -> str | None:
            """What it was just before another process made and introduced the key store."""
            meanwhile.undo()
            said = known(of, name)
            Ledger.open(str(path)).close()
            return said

        meanwhile.setattr(bodykeys, "property_of", too_early)
        assert bodykeys.open_body_keys(store, apart).store is apart
    store.close()
    apart.close()


def test_a_key_store_whose_maker_was_killed_before_the_ledger_knew_is_gone_on_from(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, apart = store_at(str(path)), store_at(str(bodykeys.default_path(path)))
    schema.make(store)
    make = bodykeys._make

    def killed(*given: Any) -> None:
        make(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(bodykeys, "_make", killed)
        with pytest.raises(KeyboardInterrupt):
            bodykeys.open_body_keys(store, apart)
    assert bodykeys.property_of(store, bodykeys.LEDGER) is None
    assert bodykeys.open_body_keys(store, apart).store is apart
    assert bodykeys.property_of(store, bodykeys.LEDGER) == bodykeys.property_of(apart, bodykeys.LEDGER)
    for each in (store, apart):
        each.close()


def test_a_path_that_is_not_there_is_not_made_unasked(path: Path) -> None:
    with pytest.raises(StoreTrouble, match="clew db upgrade"):
        Ledger.open(str(path))
    assert not path.exists()


def test_a_database_of_something_else_is_left_alone(store_url: str) -> None:
    say(store_url, "create table orders (number integer)")
    with pytest.raises(StoreTrouble, match="orders"):
        Ledger.open(store_url, create=True)
    with pytest.raises(StoreTrouble, match="clew db upgrade"):
        Ledger.open(store_url)


def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    path.write_bytes(b"a shopping list, and a long one at that " * 50)
    with pytest.raises(StoreTrouble, match="not a database"):
        Ledger.open(str(path), create=True)
    assert path.read_bytes().startswith(b"a shopping list")


def test_a_store_of_a_newer_clew_is_refused(store_url: str) -> None:
    Ledger.open(store_url, create=True).close()
    say(store_url, "update alembic_version set version_num = '9999'")
    with pytest.raises(StoreTrouble, match="newer Clew"):
        Ledger.open(store_url, create=True)
    with pytest.raises(StoreTrouble, match="newer Clew"):
        Ledger.upgrade(store_url)


def test_a_store_of_an_older_clew_names_the_remedy(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger.open(store_url, create=True).close()
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, "9999"))
    with pytest.raises(StoreTrouble, match="clew db upgrade"):
        Ledger.open(store_url)


def test_other_databases_are_refused_with_what_to_give() -> None:
    for url in ("mysql://somewhere/db", "sqlite://", "://"):
        with pytest.raises(StoreTrouble, match=r"give"):
            Ledger.open(url, create=True)


def test_an_upgrade_makes_the_same_tables_as_opening_does(
    store_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    assert Ledger.upgrade(store_url) == (None, schema.VERSIONS[-1])
    assert Ledger.upgrade(store_url) == (schema.VERSIONS[-1], schema.VERSIONS[-1])
    upgraded = described(store_url)
    other = str(tmp_path / "opened.db")
    if store_url.startswith("postgresql"):
        server = request.getfixturevalue("postgres")
        other = server.fresh_database()
    Ledger.open(other, create=True).close()
    assert described(other) == upgraded
    Ledger.open(store_url).close()


def described(url: str) -> dict[str, Any]:
    """Tables with their columns, keys and indexes, as the database tells them."""
    store = store_at(url)
    inspector = inspect(store.engine)
    found = {
        name: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)],
            inspector.get_pk_constraint(name)["constrained_columns"],
            sorted(index["name"] or "" for index in inspector.get_indexes(name)),
        )
        for name in inspector.get_table_names()
    }
    store.close()
    return found


def test_each_version_of_the_tables_has_its_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    versions = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(versions)) == schema.VERSIONS


def test_opening_a_store_that_is_up_to_date_imports_no_alembic(path: Path) -> None:
    Ledger.open(str(path), create=True).close()
    code = (
        "import sys; from app.ledger import Ledger; Ledger.open(sys.argv[1]); print('alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


# --- Keys and plans ---


def test_the_tenant_comes_first_in_every_key_and_index() -> None:
    for table in tables.metadata.tables.values():
        if table.name in OUTSIDE:
            continue
        keys = [
            constraint.columns.keys() for constraint in table.constraints if hasattr(constraint, "columns")
        ]
        indexes = [[column.name for column in index.columns] for index in table.indexes]
        for names in keys + indexes:
            assert not names or names[0] == "tenant", table.name


def every_statement() -> dict[str, str]:
    """The reading statements by name, both ways where there are two."""
    found: dict[str, str] = {}
    for name, value in vars(statements).items():
        if name.isupper() and not name.startswith("_"):
            ways = value if isinstance(value, dict) else {"": value}
            found |= {f"{name} {way}": statement for way, statement in ways.items()}
    return found


@pytest.fixture
def plan(path: Path) -> Callable[[str], list[str]]:
    """How SQLite would run a statement."""
    store = Ledger.open(str(path), create=True).store
    assert isinstance(store, Sqlite)

    def steps(statement: str) -> list[str]:
        given = "with given(a, b, c) as (values (?, ?, ?), (?, ?, ?)) " if "triples(?)" in statement else ""
        spelled = given + store.spell(statement)
        found = store.fetch(f"explain query plan {spelled}", ("[]",) * spelled.count("?"))
        return [step for *_, step in found]

    return steps


@pytest.mark.parametrize("name", every_statement())
def test_each_read_finds_its_rows_by_more_than_the_tenant(
    name: str, plan: Callable[[str], list[str]]
) -> None:
    """Without statistics SQLite takes any index that begins with the tenant for a good one. That of variants
    holds nothing else."""
    for step in plan(every_statement()[name]):
        few = "(tenant=? AND seq=?)" in step or "INDEX event_variant" in step
        assert few or not re.search(r"\(tenant=\?( AND \w+[<>]\?)?\)", step), step
        assert "SCAN" not in step or re.search(
            r"SCAN (\w+ VIRTUAL|json_each|given|\d+ CONSTANT|[a-z]\b)", step
        ), step


def test_listing_the_log_looks_up_the_variants_of_each_entry_by_its_id(
    plan: Callable[[str], list[str]],
) -> None:
    steps = plan(listing.EVENTS.format_map({"filters": ""}))
    assert any("SEARCH o USING" in step and "(tenant=? AND source=? AND id=?" in step for step in steps), (
        steps
    )
