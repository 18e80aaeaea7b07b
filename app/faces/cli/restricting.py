"""What ``clew restriction`` does, here or on a server."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from app.faces.cli.opening import opened
from app.faces.cli.terminal import print_json, print_lines
from app.restrictions import Readers, Restriction, RestrictionList, sentences
from provmodel.evidence import LOCAL

_PATH = "/v1/restrictions"


def show(db: str | None, url: str | None, json: bool) -> None:
    """The rules in force."""
    found = _listed(db, url)
    if json:
        print_json(found)
    else:
        print_lines(sentences(found))


def _listed(db: str | None, url: str | None) -> RestrictionList:
    if url:
        from app.faces.cli.remote import Server

        return msgspec.json.decode(Server(url).get(_PATH), type=RestrictionList)
    with opened(db) as service:
        return service.restrictions.listed()


def restrict(label: str, groups: Sequence[str], db: str | None, url: str | None, json: bool) -> None:
    """Put a rule in force."""
    made = _restricted(label, groups, db, url)
    if json:
        print_json(made)
    else:
        print_lines(sentences(RestrictionList(restrictions=[made])))


def _restricted(label: str, groups: Sequence[str], db: str | None, url: str | None) -> Restriction:
    if url:
        from app.faces.cli.remote import Server

        raw = msgspec.json.encode(Readers(groups=tuple(groups)))
        answer = Server(url).send("PUT", _PATH, raw, "application/json", {"label": label})
        return msgspec.json.decode(answer, type=Restriction)
    with opened(db) as service:
        return service.restrictions.restrict(label, groups, LOCAL.name)


def lift(label: str, db: str | None, url: str | None, json: bool) -> None:
    """End a rule."""
    if url:
        from app.faces.cli.remote import Server

        Server(url).send("DELETE", _PATH, b"", "", {"label": label})
    else:
        with opened(db) as service:
            service.restrictions.lift(label, LOCAL.name)
    if json:
        print_json({"label": label, "lifted": True})
    else:
        print_lines([f"What has the label {label} is seen by everybody who reads."])
