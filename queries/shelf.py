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


def find(package: str, base: type[Offer]) -> dict[str, Offer]:
    """One instance of each concrete subclass of ``base`` that a module of ``package`` defines, by name, in
    that order.

    Raises TypeError when a module offers none or several, or when two have one name.
    """
    folder = importlib.import_module(package)
    found: dict[str, Offer] = {}
    for module in sorted(entry.name for entry in pkgutil.iter_modules(folder.__path__)):
        offer = _offer_of(f"{package}.{module}", base)
        if offer.name in found:
            raise TypeError(f"two files of {package} offer {offer.name!r}")
        found[offer.name] = offer
    return dict(sorted(found.items()))


def _offer_of(module: str, base: type[Offer]) -> Offer:
    loaded = importlib.import_module(module)
    offers = [
        member
        for _, member in inspect.getmembers(loaded, inspect.isclass)
        if issubclass(member, base) and not inspect.isabstract(member) and member.__module__ == module
    ]
    if len(offers) != 1:
        raise TypeError(f"{module} must define one {base.__name__}, not {len(offers)}")
    return offers[0]()


@cache
def questions() -> dict[str, Question[Any, Any]]:
    """Every named question, by name."""
    return find("queries.questions", Question)  # type: ignore[type-abstract]


def everything() -> dict[str, Question[Any, Any]]:
    """All that can be asked, by name: every named question, and plain lineage."""
    return {**questions(), LINEAGE.name: LINEAGE}


def question(name: str) -> Question[Any, Any]:
    """The question of that name, or plain lineage; raises :class:`BadQuestion` that lists those there are."""
    offered = everything()
    if name not in offered:
        raise BadQuestion("question", f"there is no question {name!r}", f"ask one of {', '.join(offered)}")
    return offered[name]
