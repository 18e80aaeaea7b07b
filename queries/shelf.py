"""Finds what a folder offers: one class a file, and no list to keep.

A shelf is a package whose modules each define one concrete subclass of a base class. Adding is one new file;
it then stands in REST, on the command line, in MCP, on the page and in the docs, because all of them ask the
shelf.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

from provmodel.errors import BadQuestion
from queries.lineage import LINEAGE
from queries.question import Question


class Named(Protocol):
    """What stands on a shelf has a name that no other there has."""

    name: ClassVar[str]


Offer = TypeVar("Offer", bound=Named)

_QUESTIONS = "queries.questions"


def names(package: str) -> tuple[str, ...]:
    """What the files of a shelf offer, in that order: ``who_authorized.py`` is ``who-authorized``."""
    folder = importlib.import_module(package)
    return tuple(sorted(entry.name.replace("_", "-") for entry in pkgutil.iter_modules(folder.__path__)))


def one(package: str, base: type[Offer], name: str) -> Offer:
    """One instance of the concrete subclass of ``base`` that the file of that name defines; no other file is
    read. Raises TypeError when it offers none or several, or calls it otherwise.
    """
    module = f"{package}.{name.replace('-', '_')}"
    loaded = importlib.import_module(module)
    offers = [
        member
        for _, member in inspect.getmembers(loaded, inspect.isclass)
        if issubclass(member, base) and not inspect.isabstract(member) and member.__module__ == module
    ]
    if len(offers) != 1:
        raise TypeError(f"{module} must define one {base.__name__}, not {len(offers)}")
    if offers[0].name != name:
        raise TypeError(f"{module} must offer {name!r}, not {offers[0].name!r}")
    return offers[0]()


@cache
def named() -> tuple[str, ...]:
    """The names of the questions, without reading their files."""
    return names(_QUESTIONS)


def questions() -> dict[str, Question[Any, Any]]:
    """Every named question, by name."""
    return {name: _question(name) for name in named()}


@cache
def _question(name: str) -> Question[Any, Any]:
    return one(_QUESTIONS, Question, name)  # type: ignore[type-abstract]


def everything() -> dict[str, Question[Any, Any]]:
    """All that can be asked, by name: every named question, and plain lineage."""
    return {**questions(), LINEAGE.name: LINEAGE}


def question(name: str) -> Question[Any, Any]:
    """The question of that name, or plain lineage; raises :class:`BadQuestion` that lists those there are."""
    if name == LINEAGE.name:
        return LINEAGE
    if name not in named():
        offered = ", ".join((*named(), LINEAGE.name))
        raise BadQuestion("question", f"there is no question {name!r}", f"ask one of {offered}")
    return _question(name)
