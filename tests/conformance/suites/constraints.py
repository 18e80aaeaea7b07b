"""The cases of PROV-CONSTRAINTS: whether each document is valid, and by which rule it is not."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from provmodel import formats
from provmodel.constraints import validate
from tests.conformance.case import Case, expect

FOLDER = "constraints"

# The columns of the manifest that name a file, and the format that it is in.
COLUMNS = {"provn": "prov-n", "xml": "prov-xml"}


def cases(folder: Path) -> Iterator[Case]:
    with (folder / "manifest.tsv").open(newline="") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            for column, name in COLUMNS.items():
                check = partial(judged, folder / row[column], name, row["expected"], row["constraints"])
                yield Case(f"{row['group']}/{row['case']} in {name}", check)


def judged(path: Path, name: str, expected: str, rules: str) -> None:
    """The verdict of the manifest; an invalid one names one of the rules that the case is about."""
    verdict = validate(formats.read(path.read_bytes(), name))
    expect("PASS" if verdict.valid else "FAIL", expected, f"the verdict, with {verdict}")
    about = {"required" if rule == "DM" else rule.removeprefix("c") for rule in rules.split("-") if rule}
    if about and not verdict.valid:
        found = {one.constraint for one in verdict.violations}
        expect(bool(found & about), True, f"one of {sorted(about)} is among {sorted(found)}")
