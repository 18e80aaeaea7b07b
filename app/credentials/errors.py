"""Who asks must act: nobody is signed in, or who is may not do this."""

from __future__ import annotations

from app.credentials.scopes import Scope
from provmodel.errors import ClewError


class NotSignedIn(ClewError):
    """There is no credential, or none in force. Why exactly is not told: that would help to guess."""

    def __init__(self) -> None:
        super().__init__("no credential that is known and in force; send Authorization: Bearer and a key")


class NotAllowed(ClewError):
    """The credential is known, and does not hold the scope that this takes."""

    def __init__(self, name: str, scope: Scope) -> None:
        super().__init__(
            f"the credential {name!r} does not hold the scope {scope}; use another, or have it given"
        )
        self.scope = scope
