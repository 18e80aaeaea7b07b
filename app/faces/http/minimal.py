"""The short form that the endpoints of one type take: what a person would type into curl.

========================  ====================================================================================
left out                  filled in with ========================
==================================================================================== ``id``
a random UUID under ``event:`` ``source``                ``http:<principal>``, which the server numbers
``time``                  now the thing's own id        ``call``, ``attempt``, ``decision``, ...: the type's
word, and what the event's id has ``ref`` beside content    ``message:<run>/<the thing's id>/<in or
out>/<position>`` ``outcome`` (tool call)   ``completed`` when it has results, else ``unknown``
========================  ====================================================================================

Content may stand where a ref is wanted: ``{"text": ..}``, ``{"json": ..}``, ``{"base64": ..}``, or a plain
string, which is text in what a call or tool was given and gave, and elsewhere a ref. Arguments may be any
JSON value. A decider may be given as its id when the scheme says what it is (``person:amy``), a policy as its
ref.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import msgspec

from provmodel import plainness
from provmodel.errors import Refused, Unreadable

OWN_ID = {
    "run_started": ("run", "run"),
    "model_call": ("call", "call"),
    "action_proposed": ("action", "action"),
    "authorization_decided": ("decision", "decision"),
    "tool_call": ("attempt", "attempt"),
    "verification": ("verification", "verification"),
    "delegated": ("delegation", "delegation"),
    "adoption_decided": ("decision", "adoption"),
    "span": ("span", "span"),
}
"""For each type with an id of its own: the field, and the scheme of the ids that are made for it."""

_SPOKEN = {"inputs": "in", "outputs": "out", "instructions": "instruction", "results": "out", "adds": "in"}
_NAMED = ("reads", "members", "from")
_ARGUMENTS = ("arguments", "shown", "authorized", "expected", "observed")
_CONTENT = ("text", "json", "base64")
_OF_BODY = (*_CONTENT, "media_type", "size")
_DECIDERS = ("person", "agent", "policy", "ledger")


class Filled(msgspec.Struct, frozen=True):
    """The event as it will be recorded, in JSON; by JSON pointer the ids and refs that were made for it; and
    whether its source and its time are the server's.
    """

    raw: bytes
    made: dict[str, str]
    sourced: bool
    timed: bool


def fill(raw: bytes, tag: str, principal: str) -> Filled:
    """The whole event of type ``tag`` that a short form stands for; raises Refused or Unreadable."""
    given = _read(raw)
    if given.setdefault("type", tag) != tag:
        raise Refused("/type", f"this address takes {tag}", "leave type out, or post to /v1/events")
    form = _Form(given, tag)
    sourced = form.default("source", f"http:{principal}")
    timed = form.default("time", datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    form.name()
    form.shape()
    return Filled(msgspec.json.encode(form.given), form.made, sourced, timed)


def _read(raw: bytes) -> dict[str, Any]:
    if raw.lstrip(b" \t\r\n")[:1] == b"[":
        raise _no_object()
    plainness.check(raw)
    try:
        given = msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        raise Unreadable("body", f"this is not JSON: {error}", "send one JSON object") from None
    if not isinstance(given, dict):
        raise _no_object()
    return given


def _no_object() -> Refused:
    return Refused("", "this is no JSON object", "send one event; several go to /v1/events")


class _Form:
    """One short form on its way to an event."""

    def __init__(self, given: dict[str, Any], tag: str) -> None:
        self.given = given
        self.tag = tag
        self.made: dict[str, str] = {}

    def name(self) -> None:
        """Give the event and the thing that it is about an id; that of the thing follows from that of the
        event, so that a delivery that is sent again means the same thing.
        """
        part = str(self.given.get("id") or uuid.uuid4().hex)
        self.default("id", f"event:{part}")
        if self.tag in OWN_ID:
            field, scheme = OWN_ID[self.tag]
            if self.default(field, f"{scheme}:{part}"):
                self.made[f"/{field}"] = self.given[field]

    def shape(self) -> None:
        """Put content, names and the like into the form that events have."""
        self._shape_lists(self.given, "")
        if isinstance(self.given.get("context"), dict):
            self._shape_lists(self.given["context"], "/context")
        self._replace(_ARGUMENTS, _arguments)
        self._replace(("environment",), _environment)
        match self.tag:
            case "authorization_decided":
                self._replace(("decider",), _decider)
                self._replace(("policy",), _named)
            case "artifact_version":
                self._shape_body()
            case "tool_call":
                self.given.setdefault("outcome", "completed" if self.given.get("results") else "unknown")
            case _:
                pass

    def default(self, field: str, value: str) -> bool:
        """Fill a field in; True when it was left out."""
        missing = self.given.get(field) is None
        if missing:
            self.given[field] = value
        return missing

    def _replace(self, fields: tuple[str, ...], by: Any) -> None:
        for field in fields:
            if self.given.get(field) is not None:
                self.given[field] = by(self.given[field])

    def _shape_body(self) -> None:
        """An artifact's content may stand beside its ref."""
        content = {key: self.given.pop(key) for key in _CONTENT if key in self.given}
        if content:
            self.given["body"] = content
        elif isinstance(self.given.get("body"), str):
            self.given["body"] = {"text": self.given["body"]}

    def _shape_lists(self, holder: dict[str, Any], pointer: str, scope: str = "") -> None:
        for field in [name for name, value in holder.items() if isinstance(value, list)]:
            if field in _SPOKEN or (field == "members" and scope):
                name = f"{scope}/{field}" if scope else _SPOKEN[field]
                holder[field] = [
                    self._said(item, f"{pointer}/{field}/{n}", f"{name}/{n}")
                    for n, item in enumerate(holder[field])
                ]
            elif field in _NAMED:
                holder[field] = [_named(item) for item in holder[field]]

    def _said(self, item: Any, pointer: str, place: str) -> Any:
        """A ref with a body, out of content that stands alone or of a ref that leaves its name out."""
        if isinstance(item, str):
            names = self.tag == "run_ended" or "/members/" in pointer
            item = {"ref" if names else "text": item}
        if not isinstance(item, dict):
            return item
        if "ref" not in item:
            body = {key: item.pop(key) for key in _OF_BODY if key in item}
            if body:
                item["body"] = body
            if "body" in item:
                item["ref"] = self.made[pointer] = f"message:{self._scope()}/{place}"
        self._shape_lists(item, pointer, place)
        return item

    def _scope(self) -> str:
        """Where messages without a name belong: the run, and in it the call, attempt or event."""
        field = OWN_ID.get(self.tag, ("id", ""))[0]
        parts = dict.fromkeys(str(part) for part in (self.given.get("run"), self.given.get(field)) if part)
        return "/".join(quote(part, safe=":.-_~") for part in parts)


def _named(value: Any) -> Any:
    """A ref out of a plain name."""
    return {"ref": value} if isinstance(value, str) else value


def _environment(value: Any) -> Any:
    value = _named(value)
    if isinstance(value, dict) and isinstance(value.get("members"), list):
        value["members"] = [_named(member) for member in value["members"]]
    return value


def _arguments(value: Any) -> Any:
    """A JSON value as arguments; what has the form of Args already stays as it is."""
    if isinstance(value, dict):
        body = value.get("body")
        if "alg" in value or (isinstance(body, dict) and any(key in body for key in _CONTENT)):
            return value
    return {"body": {"json": value}}


def _decider(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    kind = value.partition(":")[0]
    if kind not in _DECIDERS:
        remedy = 'send {"id": .., "kind": "person"}, or a name such as person:amy'
        raise Refused("/decider", f"{value!r} does not say what it is", remedy)
    return {"id": value, "kind": kind}
