"""Figures as a report: on the terminal, and in ``RESULTS.md``."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from benchmarks.frame import Figure, Subject

RESULTS = Path(__file__).with_name("RESULTS.md")
_LIBRARIES = ("sqlalchemy", "psycopg", "msgspec", "uvicorn", "prov", "rdflib", "pyoxigraph")
_ABOUT = """# Speed

Written by `make bench`. Times are CPU time of whole processes, each ratio is the median over turns that the
sides took in one run, and each peer did the same work; `docs/adr/0090-how-speed-is-measured.md` says how.
"""
_BRIEF = "A **quick** run, on less work and with fewer turns: not what the goals are held to.\n"


def title_of(subject: Subject) -> str:
    return (subject.__doc__ or "").splitlines()[0].rstrip(".")


class Measured(NamedTuple):
    """A subject with its figures."""

    name: str
    title: str
    figures: list[Figure]


def lines_of(measured: Measured) -> list[str]:
    """For the terminal."""
    lines = [f"{measured.name}: {measured.title}"]
    for figure in measured.figures:
        verdict = "" if figure.goal is None else f" (goal {_goal(figure)}{'' if figure.met else ', missed'})"
        lines += [f"  {_value(figure):>9}  {figure.name}{verdict}", f"             {figure.note}"]
    return lines


def write(measured: Sequence[Measured], titles: Iterable[str], quick: bool) -> None:
    """Write the report in the order of ``titles``; what was not measured now stays as it stands there."""
    sections = _there() | {each.title: "\n".join(_section(each, quick)) for each in measured}
    ordered = [sections[title] for title in titles if title in sections]
    RESULTS.write_text("\n".join([_ABOUT, _machine(), *ordered]).rstrip() + "\n")


def _there() -> dict[str, str]:
    """The sections of the report by title."""
    text = RESULTS.read_text() if RESULTS.exists() else ""
    return {part.splitlines()[0]: f"## {part.rstrip()}\n" for part in text.split("\n## ")[1:]}


def _machine() -> str:
    system = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    made_of = [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    made_of += [f"{name} {version(name)}" for name in _LIBRARIES]
    return f"{system}; {', '.join(made_of)}.\n"


def _section(measured: Measured, quick: bool) -> Iterable[str]:
    yield f"## {measured.title}\n"
    if quick:
        yield _BRIEF
    yield "| what | measured | goal | | peer |"
    yield "|---|---|---|---|---|"
    for figure in measured.figures:
        verdict = "" if figure.goal is None else "met" if figure.met else "**missed**"
        yield f"| {figure.name} | {_value(figure)} | {_goal(figure)} | {verdict} | {figure.peer} |"
    yield ""
    for figure in measured.figures:
        tried = [] if figure.met or not figure.tried else [f"Tried: {figure.tried}"]
        told = [f"{text}." for text in (figure.note, *tried) if text]
        if told:
            yield f"- *{figure.name}*: {' '.join(told)}"
    yield ""


def _value(figure: Figure) -> str:
    return _with_unit(figure.measured, figure.unit)


def _goal(figure: Figure) -> str:
    if figure.goal is None:
        return ""
    return f"{'at least' if figure.least else 'at most'} {_with_unit(figure.goal, figure.unit, exact=True)}"


def _with_unit(value: float, unit: str, exact: bool = False) -> str:
    text = f"{value:g}" if exact else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{text}x" if unit == "x" else f"{text} {unit}"
