"""The runner of the public suites: what it finds, and how it ends."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import suites
from tests.conformance.__main__ import main, offered

SUITE = """
from tests.conformance.case import Case, expect

FOLDER = "numbers"

def cases(folder):
    for path in sorted(folder.iterdir()):
        yield Case(path.name, lambda path=path: expect(int(path.read_text()), 1, "the number"))
"""

Shared = Callable[..., Path]


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shared:
    """Makes a shared folder with one suite of numbers; each should be 1."""

    def make(**numbers: str) -> Path:
        (tmp_path / "shelf").mkdir()
        (tmp_path / "shelf" / "numbers_suite.py").write_text(SUITE)
        monkeypatch.setattr(suites, "__path__", [str(tmp_path / "shelf")])
        monkeypatch.delitem(sys.modules, f"{suites.__name__}.numbers_suite", raising=False)
        (tmp_path / "shared" / "suites").mkdir(parents=True)
        for name, number in numbers.items():
            (tmp_path / "shared" / "suites" / "numbers").mkdir(exist_ok=True)
            (tmp_path / "shared" / "suites" / "numbers" / name).write_text(number)
        return tmp_path / "shared"

    return make


def test_every_suite_says_where_its_input_lies() -> None:
    assert offered()
    for name, suite in offered():
        assert suite.FOLDER, name
        assert callable(suite.cases), name


def test_each_case_is_printed_and_counted(shared: Shared, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shared(a="1", b="1")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["passed  numbers_suite: a", "passed  numbers_suite: b", "2 passed, 0 failed"]


def test_a_case_that_fails_or_breaks_does_not_stop_the_next(
    shared: Shared, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shared(a="2", b="no number", c="1")) == 1
    out = capsys.readouterr().out
    assert "failed  numbers_suite: a: AssertionError: the number: 2, not 1" in out
    assert "failed  numbers_suite: b: ValueError" in out
    assert out.endswith("1 passed, 2 failed\n")


def test_running_nothing_where_there_are_suites_is_a_failure(
    shared: Shared, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shared()) == 1
    out = capsys.readouterr().out
    assert "absent  numbers_suite: no folder numbers" in out
    assert "0 passed, 0 failed\nnothing was run" in out


def test_without_suites_beside_the_project_it_says_so_and_ends_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(tmp_path / "shared") == 0
    assert "no suites" in capsys.readouterr().out
