"""The house itself: what is shipped, what is locked, and what the project says about both."""

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TypedDict
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from queries.adjacency.compiled import file_of
from tests.app.commands import address_of
from tests.needs import missing
from tests.patience import HANGING

ROOT = Path(__file__).parents[1]
PACKAGES = ("provmodel", "queries", "app", "migrations")
CODE = (*PACKAGES, "tests", "benchmarks", "docs")
MOST_LINES_IN_A_FUNCTION = 60
MOST_LINES_IN_A_FILE = 500
LOCKS = sorted(ROOT.glob("requirements/*.txt"))

# What a service of a compose file may say, as far as this one needs it (the Compose Specification).
COMPOSE_WORDS = {
    "build", "cap_drop", "command", "depends_on", "environment", "healthcheck", "image", "ports", "read_only",
    "restart", "security_opt", "tmpfs", "volumes",
}  # fmt: skip

# Where packages come from, and where one machine keeps them: neither belongs in a project.
REGISTRIES = re.compile(
    r"pypi\.org|pythonhosted\.org|registry\.npmjs|deb\.debian|proxy\.golang"
    r"|--(extra-)?index-url|--find-links|--trusted-host"
)
MACHINE_PATHS = re.compile(r"(?<![\w.])/(root|home|Users|work|opt/(pypi|wheels))/")
THIS_FILE = Path(__file__).relative_to(ROOT)

# Neither a home nor what this run was started with may matter to what is shipped.
LEFT_OUT = ("PYTHON", "PYTEST", "MAKE", "CLEW_", "VIRTUAL_ENV")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)} | {
    "HOME": "/nonexistent",
    "COLUMNS": "120",
}


def run(*command: str | Path, where: Path = ROOT) -> str:
    """What a command prints; the test fails with its output when the command does."""
    done = subprocess.run(command, cwd=where, env=CLEAN, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


# --- what is shipped ---


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    [made] = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a fresh environment with the wheel in it. This one lends the dependencies: no network."""
    home = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", home)
    python = home / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    [packages] = home.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    shipped = set(ZipFile(wheel).namelist())
    kept = {str(path) for path in files() if path.parts[0] in PACKAGES}
    assert kept - shipped == set()
    assert {"migrations/env.py", "app/web/index.html"} <= shipped


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_a_wheel_with_compiled_code_is_for_one_platform_and_finds_it(installed: Path, wheel: Path) -> None:
    if shutil.which("cc") is None:
        missing("no C compiler")
    libraries = [name for name in ZipFile(wheel).namelist() if name.endswith(".so")]
    assert libraries == [str(file_of(ROOT / "queries/adjacency/compiled.c").relative_to(ROOT))]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.stem.endswith(f"-py3-none-{platform}")
    asked = "from queries.adjacency import compiled; print(compiled.LIBRARY is not None)"
    assert run(installed / "python", "-c", asked, where=wheel.parent) == "True\n"


def test_the_installed_wheel_runs_by_itself(installed: Path, tmp_path: Path) -> None:
    assert "serve" in run(installed / "clew", "--help", where=tmp_path)
    where = run(installed / "python", "-c", "import app; print(app.__file__)", where=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_the_installed_wheel_makes_its_tables_and_serves_its_page(installed: Path, tmp_path: Path) -> None:
    server = subprocess.Popen(
        [installed / "clew", "serve", "--port", "0"],
        cwd=tmp_path,
        env=CLEAN | {"CLEW_DB": str(tmp_path / "clew.db")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = address_of(server)
        assert fetched(f"{address}/").startswith(b"<!doctype html>")
        assert b'"status":"ok"' in fetched(f"{address}/readyz")
    finally:
        server.terminate()
        said = "".join(server.communicate(timeout=HANGING))
    assert "Traceback" not in said, said


# --- what is locked ---


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_each_locked_version_has_its_digests(lock: Path) -> None:
    for entry in entries(lock):
        assert re.match(r"[a-z0-9.-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_image_runs_the_versions_that_were_tested() -> None:
    tested = locked("dev")
    for lock in ("runtime", "build"):
        assert locked(lock).items() <= tested.items()


def test_the_locks_satisfy_the_project_file() -> None:
    versions = locked("dev")
    for requirement in requirements("interop", "s3", "dev"):
        chosen = versions[canonicalize_name(requirement.name)]
        assert any(requirement.specifier.contains(version) for version in chosen), requirement


def test_every_dependency_has_its_reason() -> None:
    record = (ROOT / "docs/adr/0002-dependencies.md").read_text()
    named = {re.sub(r"\[.*", "", name) for name in re.findall(r"`([^`]+)`", record)}
    assert {
        requirement.name for requirement in requirements("interop", "s3", "bench", "dev")
    } - named == set()


def test_every_library_that_is_imported_is_asked_for_by_name() -> None:
    owners = packages_distributions()
    shipped = {canonicalize_name(requirement.name) for requirement in requirements("interop", "s3")}
    known = {*sys.stdlib_module_names, *CODE}
    unasked = [
        f"{path}: {top}"
        for path in python_files()
        if path.parts[0] in PACKAGES
        for top in {name.split(".")[0] for name in imports(path)} - known
        if shipped.isdisjoint(map(canonicalize_name, owners.get(top, [])))
    ]
    assert unasked == []


# --- what the project says ---


def test_no_file_names_a_registry() -> None:
    assert list(lines_that_match(REGISTRIES, files())) == []


def test_no_file_of_the_house_names_a_path_of_one_machine() -> None:
    house = [path for path in files() if len(path.parts) == 1 or path.parts[0] in {"requirements", ".ci"}]
    assert list(lines_that_match(MACHINE_PATHS, house)) == []
    assert list(lines_that_match(re.compile(re.escape(f"{ROOT}/")), files())) == []


def test_make_alone_names_every_target() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"help", "setup", "demo", "test", "lint", "conformance", "bench", "docs"} <= targets
    assert set(re.findall(r"make (\w+)  +\w", run("make", "--silent"))) == targets


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## [{project()['version']}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_compose_file_is_open_only_to_this_machine() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert ports == ["127.0.0.1:8080:8080"]
    assert "CLEW_OPEN" not in (ROOT / "Dockerfile").read_text() + (ROOT / "docker-compose.yml").read_text()


def test_no_password_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    passwords = re.findall(r"^ *\w*PASSWORD: *(.*)$", text, re.MULTILINE)
    assert passwords
    assert all(re.fullmatch(r"\$\{\w+:\?[^}]+\}", value) for value in passwords)


def test_compose_serves_as_a_role_that_does_not_own_the_tables() -> None:
    whole = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    clew, tables, postgres = (whole["services"][name] for name in ("clew", "tables", "postgres"))
    owner = postgres["environment"]["POSTGRES_USER"]
    assert f"//{owner}@" in tables["environment"]["CLEW_DB"]
    assert (
        f"clew db role {clew['environment']['CLEW_DB'].split('//')[1].split('@')[0]}" in tables["command"][-1]
    )
    assert clew["environment"]["PGPASSWORD"] != postgres["environment"]["POSTGRES_PASSWORD"]
    assert all(one.get("healthcheck") for one in whole["services"].values())


def test_the_compose_file_hangs_together() -> None:
    """What `docker compose config` refuses: unknown words, services and volumes that are not there."""
    whole = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert whole.keys() <= {"services", "volumes"}
    for service in whole["services"].values():
        assert service.keys() <= COMPOSE_WORDS, service.keys() - COMPOSE_WORDS
        assert service.keys() & {"image", "build"}
        for needed, how in service.get("depends_on", {}).items():
            healthy = how["condition"] == "service_healthy"
            assert not healthy or "test" in whole["services"][needed]["healthcheck"]
            assert how["condition"] in {
                "service_healthy",
                "service_completed_successfully",
                "service_started",
            }
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in whole["volumes"]
        health = service["healthcheck"]
        assert health.keys() <= {"test", "interval", "timeout", "retries", "start_period", "disable"}
        assert all(isinstance(value, str) for value in service.get("environment", {}).values())
        assert service["restart"] in {"no", "always", "on-failure", "unless-stopped"}


def test_a_missing_part_is_a_skip_here_and_a_failure_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no such part"):
        missing("no such part")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no such part"):
        missing("no such part")


# --- how the code is cut ---


def test_the_model_imports_the_standard_library_and_msgspec_alone() -> None:
    allowed = {*sys.stdlib_module_names, "msgspec", "provmodel"}
    foreign = [
        f"{path}: {name}"
        for path in files()
        if path.suffix == ".py"
        and path.parts[0] == "provmodel"
        and path.parts[1] not in {"formats", "sources"}
        and path.as_posix()
        != "provmodel/documents/rdf/parsing.py"  # the four formats of RDF share one parser
        for name in imports(path)
        if name.split(".")[0] not in allowed
    ]
    assert foreign == []


def test_no_file_and_no_function_is_too_long_to_read() -> None:
    long = []
    for path in files():
        if path.suffix == ".py" and path.parts[0] in CODE:
            text = (ROOT / path).read_text()
            sizes = {
                f"{path}:{name}": lines for name, lines in functions(text) if lines > MOST_LINES_IN_A_FUNCTION
            }
            long += [f"{where} has {lines} lines" for where, lines in sizes.items()]
            if text.count("\n") > MOST_LINES_IN_A_FILE:
                long.append(f"{path} has {text.count(chr(10))} lines")
    assert long == []


# --- helpers ---


def files() -> list[Path]:
    """The files of the project, relative to its root: those in git and those about to be."""
    listed = run(
        "git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"
    )
    return sorted(path for path in map(Path, listed.split("\0")[:-1]) if (ROOT / path).is_file())


def fetched(url: str) -> bytes:
    """The body at an address."""
    with urlopen(url, timeout=HANGING) as reply:
        body: bytes = reply.read()
    return body


def python_files() -> list[Path]:
    return [path for path in files() if path.suffix == ".py" and path.parts[0] in CODE]


def lines_that_match(pattern: re.Pattern[str], paths: list[Path]) -> Iterator[str]:
    for path in paths:
        if path == THIS_FILE:
            continue
        for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()[:100]}"


Project = TypedDict(
    "Project", {"version": str, "dependencies": list[str], "optional-dependencies": dict[str, list[str]]}
)


def project() -> Project:
    """The `[project]` table of pyproject.toml, as far as the tests read it."""
    table: Project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def requirements(*extras: str) -> list[Requirement]:
    """What is asked for at run time and in these extras."""
    wanted = (project()["dependencies"], *(project()["optional-dependencies"][extra] for extra in extras))
    return [Requirement(line) for lines in wanted for line in lines]


def entries(lock: Path) -> list[str]:
    """The requirements of a lock, each on one line with its digests."""
    joined = lock.read_text().replace("\\\n", " ")
    return [line for line in joined.splitlines() if line and not line.startswith("#")]


def locked(name: str) -> dict[str, set[str]]:
    """Name -> versions; there are several where they differ by platform."""
    versions: dict[str, set[str]] = {}
    for entry in entries(ROOT / "requirements" / f"{name}.txt"):
        package, version = entry.split()[0].split("==")
        versions.setdefault(canonicalize_name(package), set()).add(version)
    return versions


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1
