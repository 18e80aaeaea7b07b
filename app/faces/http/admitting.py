"""Which scope an address takes: declared beside it, asked before it runs, told in OpenAPI.

An address that declares nothing serves nobody: :func:`app.faces.http.server.server_of` gives a server only to
a request that was admitted.
"""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from app.access import Act
from app.credentials.errors import NotAllowed
from app.credentials.scopes import Scope
from app.faces.http.intake import announced
from app.faces.http.server import ADMITTED, house_of
from provmodel.evidence import Principal

NOBODY = Principal("nobody", frozenset(), frozenset(), vouches=False)


class Needs:
    """A dependency that admits who holds ``scope``; without one, everybody."""

    def __init__(self, scope: Scope | None) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> None:
        await admit(request, self.scope)


def needs(scope: Scope) -> Any:
    """What a router or an address declares."""
    return Depends(Needs(scope))


PUBLIC: Any = Depends(Needs(None))
"""What an address declares that tells nothing of anybody."""


async def admit(request: Request, scope: Scope | None) -> None:
    """Let the request in as who it shows itself to be; raises NotSignedIn, TooFast, or NotAllowed, which is
    recorded.
    """
    house = house_of(request)
    if scope is None:
        _admitted(request, principal=NOBODY, scopes=frozenset())
        return
    shown = request.headers.get("authorization")
    identity = house.gate.known(shown)
    if identity is None:
        identity = await run_in_threadpool(house.gate.identify, shown)
    house.rates.enter(identity.key)
    house.rates.spend(identity.key, "bytes", announced(request))
    service = house.service.of_tenant(identity.tenant)
    if not identity.sees_all:
        service = service.of_readers(identity.groups)
    try:
        identity.need(scope)
    except NotAllowed as refusal:
        tried = Act("enter", request.url.path, str(refusal.scope), "refused")
        await run_in_threadpool(service.accesses.note, identity.principal, [tried])
        raise
    _admitted(
        request, service=service, principal=identity.principal, scopes=identity.scopes, key=identity.key
    )


def _admitted(request: Request, **changed: Any) -> None:
    setattr(request.state, ADMITTED, msgspec.structs.replace(house_of(request), **changed))
