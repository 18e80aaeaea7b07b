"""Prints each case and how many passed; ends with 1 when one failed, or none ran though there are suites."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import cast

from tests.conformance import suites
from tests.conformance.case import Case, Suite

SHARED = Path(__file__).parents[3] / "shared"


def offered() -> list[tuple[str, Suite]]:
    """Every file in ``suites``, by name."""
    names = sorted(entry.name for entry in iter_modules(suites.__path__))
    return [(name, cast(Suite, import_module(f"{suites.__name__}.{name}"))) for name in names]


def cases(folder: Path) -> Iterator[tuple[str, Case]]:
    """The cases of each suite whose input is there."""
    for name, suite in offered():
        there = folder / suite.FOLDER
        if not there.is_dir():
            print(f"absent  {name}: no folder {suite.FOLDER}")
            continue
        for case in suite.cases(there):
            yield name, case


def run(folder: Path) -> tuple[int, int]:
    """(passed, failed). Whatever a case raises is its failure, and the next one runs."""
    passed = failed = 0
    with ThreadPoolExecutor(1) as one_at_a_time:
        for suite, case in cases(folder):
            error = one_at_a_time.submit(case.check).exception()
            passed, failed = passed + (error is None), failed + (error is not None)
            told = f": {type(error).__name__}: {error}" if error else ""
            print(f"{'failed' if error else 'passed'}  {suite}: {case.name}{told}")
    return passed, failed


def main(shared: Path = SHARED) -> int:
    if not shared.is_dir():
        print(f"no suites: there is no folder {shared.name} beside the project; nothing was run")
        return 0
    passed, failed = run(shared / "suites")
    print(f"{passed} passed, {failed} failed")
    if not passed and not failed:
        print("nothing was run, although there are suites")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
