"""Events with bodies in every place, and what a vault says of them."""

from typing import Any

import pytest

from app.content import Vault
from app.content.keys import TagKeys
from provmodel.computed import Computed
from provmodel.errors import Refused
from provmodel.events import (
    ActionProposed,
    Args,
    ArtifactVersion,
    AuthorizationDecided,
    Body,
    ContentCaptured,
    ContentDeleted,
    ContextOf,
    Decider,
    Delegated,
    Derived,
    Event,
    ModelCall,
    Ref,
    Result,
    RunEnded,
    Span,
    ToolCall,
    Verification,
)

UNDER = TagKeys(bytes(32))
OF_TENANT = {"default": UNDER, "other": TagKeys(b"o" * 32)}
SECRET = "canary-7f3a9c and what Maria wrote"
HEAD: Any = {"id": "event:1", "source": "harness:a", "time": "2026-03-01T09:00:00Z", "run": "run:1"}


def text(content: str = SECRET, **more: Any) -> Body:
    return Body(text=content, **more)


def message(ref: str = "message:1", body: Body | None = None, **more: Any) -> Ref:
    return Ref(ref=ref, body=body or text(), **more)


def call(*inputs: Ref, **more: Any) -> ModelCall:
    return ModelCall(**(HEAD | more), call="call:1", model="model:m", inputs=inputs)


def proposal(arguments: Body, **more: Any) -> ActionProposed:
    return ActionProposed(**(HEAD | more), action="action:1", tool="tool:t", arguments=Args(body=arguments))


def everywhere() -> list[Event]:
    """Events with a body in each place where one can stand."""
    args = Args(body=Body(json={"note": SECRET}))
    parts = message("message:m")
    return [
        ModelCall(
            **HEAD,
            call="call:1",
            model="model:m",
            inputs=(message("m:1"), message("file:/a"), message("m:3")),
            context=ContextOf(id="context:1", adds=(parts, parts)),
            instructions=(message("skill:s@sha256:ab"), message("note")),
            outputs=(parts,),
        ),
        ActionProposed(**HEAD, action="action:1", tool="tool:t", arguments=args),
        AuthorizationDecided(
            **HEAD,
            decision="decision:1",
            verdict="modify",
            decider=Decider(id="person:p", kind="person"),
            shown=args,
            authorized=args,
        ),
        ToolCall(
            **HEAD,
            attempt="attempt:1",
            tool="tool:t",
            outcome="completed",
            arguments=args,
            reads=(message("database:customers/1"),),
            results=(Result(ref="result:1", body=text(), members=(message("r:1"), message("document:d"))),),
        ),
        Verification(
            **HEAD,
            verification="v:1",
            subject="action:1",
            method="read-back",
            verdict="confirmed",
            expected=args,
            observed=args,
        ),
        ArtifactVersion(**HEAD, ref="report:r@version:1", kind="report", members=(parts,), body=text()),
        Delegated(
            **HEAD, delegation="d:1", from_run="run:1", to_run="run:2", agent="agent:b", inputs=(parts,)
        ),
        Derived(**HEAD, to="file:/b@version:1", from_=(parts,), method="extract"),
        RunEnded(**HEAD, status="completed", outputs=(parts,)),
        ContentDeleted(**HEAD, body="body:1", reason=text()),
        ContentCaptured(**HEAD, content=message("result:2")),
        Span(**HEAD, span="span:1", kind="CHAIN", inputs=(parts,), outputs=(parts,)),
    ]


def tags(vault: Vault, event: Event, tenant: str = "default") -> Computed:
    [found] = vault.take_out(tenant, event, OF_TENANT[tenant]).computed
    return found


def refusal(vault: Vault, event: Event) -> Refused:
    with pytest.raises(Refused) as error:
        vault.take_out("default", event)
    return error.value
