"""Who is asking, as far as a service has to know."""

from __future__ import annotations

import msgspec

from app.credentials.errors import NotAllowed
from app.credentials.scopes import Scope
from provmodel import names
from provmodel.errors import BadQuestion, Refused
from provmodel.evidence import Principal


class Identity(msgspec.Struct, frozen=True):
    """Who is asking: whose graph it is, what he may do and say, and the groups that he reads with;
    ``sees_all`` is for who needs none of them. ``key`` is the credential by which rates are counted; "" is
    nobody's.
    """

    tenant: str
    principal: Principal
    scopes: frozenset[Scope]
    groups: frozenset[str] = frozenset()
    sees_all: bool = False
    key: str = ""

    def need(self, scope: Scope) -> None:
        """Raises :class:`NotAllowed` without that scope."""
        if scope not in self.scopes:
            raise NotAllowed(self.principal.name, scope)


def actor(named: str, credential: str) -> str:
    """The reference of whoever acts: as named, which nobody checks, where a bare name is a person's
    (:data:`app.actors.RULE`); left out, the credential under which it is asked, as a service. Raises
    BadQuestion.
    """
    if not named:
        return names.agent(credential, "service")
    try:
        return names.clean(names.agent(named, "person"), "by")
    except Refused as error:
        raise BadQuestion("by", error.reason, error.remedy) from None
