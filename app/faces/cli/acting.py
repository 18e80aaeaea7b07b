"""Where a command acts, in a ledger or on a server, and in which form it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from app.actors import OPERATOR
from app.faces.cli.opening import opened
from app.faces.cli.remote import Server
from app.faces.cli.terminal import only_one, print_json, print_text
from app.service import Service

T = TypeVar("T")


class How(NamedTuple):
    """Where, and in which form."""

    db: str | None
    url: str | None
    json: bool
    text: bool

    def act(self, kind: type[T], here: Callable[[Service], T], there: Callable[[Server], bytes]) -> T:
        """Do it here, or on a server."""
        only_one(self.json, self.text)
        if self.url:
            return msgspec.json.decode(there(Server(self.url)), type=kind)
        with opened(self.db) as service:
            return here(service)

    def said(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What is given, with who says so: a server knows its callers itself."""
        return {**given, "by": given["by"] or ("" if self.url else OPERATOR)}

    def tell(self, value: T, sentences: Sequence[str], show: Callable[[T], None]) -> None:
        if self.json:
            print_json(value)
        elif self.text:
            print_text(sentences)
        else:
            show(value)
