"""``python -m benchmarks [NAME ...] [--quick] [--write]``: measure all subjects, or those named."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence

import benchmarks
from benchmarks.frame import Subject
from benchmarks.report import RESULTS, Measured, lines_of, title_of, write


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 0, whatever the figures are: a goal that is missed is told, not hidden."""
    subjects = find()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(subjects)}; all when none")
    parser.add_argument("--quick", action="store_true", help="less work and fewer turns, to develop with")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in subjects]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(subjects)}")
    measured = []
    for name in asked.names or subjects:
        done = Measured(name, title_of(subjects[name]), list(subjects[name].figures(asked.quick)))
        print("\n".join(lines_of(done)), flush=True)
        measured.append(done)
    if asked.write:
        write(measured, map(title_of, subjects.values()), asked.quick)
    return 0


def find() -> dict[str, Subject]:
    """The subjects of this folder by name."""
    found: dict[str, Subject] = {}
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.name != "__main__":
            subject = importlib.import_module(f"benchmarks.{module.name}")
            if hasattr(subject, "figures"):
                found[module.name] = subject
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
