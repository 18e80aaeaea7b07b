"""How much is taken, of whom, and how fast. Each limit may be set in the environment, answers with a status
of its own, and says what to do.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import msgspec

from provmodel.decoding import MAX_ITEMS
from provmodel.errors import Refused
from provmodel.events import TYPES, Event
from provmodel.names import MAX_REF
from provmodel.plainness import MAX_DEPTH
from queries.question import MOST_MILLISECONDS


class Limit(NamedTuple):
    """One limit: the field of :class:`Limits`, its variable, what is counted, the status and the remedy.
    ``most`` is what the model itself allows; 0: it has no such bound.
    """

    field: str
    variable: str
    what: str
    status: int
    remedy: str
    most: int = 0


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a process takes; a rate of 0 is no limit."""

    request_bytes: int = 16 * 2**20
    waiting_bytes: int = 256 * 2**20
    batch_items: int = MAX_ITEMS
    body_bytes: int = 2**30
    id_characters: int = MAX_REF
    attribute_characters: int = 2**20
    depth: int = MAX_DEPTH
    query_milliseconds: int = MOST_MILLISECONDS
    requests_a_second: int = 500
    bytes_a_second: int = 64 * 2**20
    events_a_second: int = 50_000

    def check_depth(self, event: Event) -> None:
        """Raises Refused for an event nested deeper than here, where that is less than the model allows."""
        if self.depth < MAX_DEPTH:
            _check_depth(msgspec.to_builtins(event), "", 1, self.depth)

    def check_texts(self, event: Event, size: int) -> None:
        """Raises Refused for an id or an attribute with more characters than here; ``size`` is how many bytes
        the event has without its bodies.
        """
        if size > self.attribute_characters or self.id_characters < MAX_REF:
            _check_texts(self, msgspec.to_builtins(event), "", "")


SHORT = "shorten it, or digest it"
FLATTEN = "send the body as text, or flatten it"
AS_BODY = "send it as a body"
LATER = "wait as long as Retry-After says"
LIMITS = (
    Limit("request_bytes", "CLEW_REQUEST_BYTES", "bytes of a request, before and after inflation", 413,
          "send it in several requests"),
    Limit("waiting_bytes", "CLEW_WAITING_BYTES", "bytes of all requests that are being read", 503, LATER),
    Limit("batch_items", "CLEW_BATCH_ITEMS", "items of a delivery", 413, "send them in several requests",
          MAX_ITEMS),
    Limit("body_bytes", "CLEW_BODY_LIMIT", "bytes of a body", 413, "send a part of it, with state `partial`"),
    Limit("id_characters", "CLEW_ID_CHARACTERS", "characters of an id or a reference", 422, SHORT, MAX_REF),
    Limit("attribute_characters", "CLEW_ATTRIBUTE_CHARACTERS", "characters of an attribute of an event", 422,
          AS_BODY),
    Limit("depth", "CLEW_DEPTH", "arrays and objects within each other, in an event", 422,
          FLATTEN, MAX_DEPTH),
    Limit("query_milliseconds", "CLEW_QUERY_MILLISECONDS", "milliseconds for the walk of a question", 200,
          "the answer is cut at a whole level and says so; its cursor goes on", MOST_MILLISECONDS),
    Limit("requests_a_second", "CLEW_REQUESTS_A_SECOND", "requests a second of one key", 429, LATER),
    Limit("bytes_a_second", "CLEW_BYTES_A_SECOND", "bytes a second that one key sends", 429, LATER),
    Limit("events_a_second", "CLEW_EVENTS_A_SECOND", "events a second that one key delivers", 429, LATER),
)  # fmt: skip
"""Every field of :class:`Limits`, in its order."""


@cache
def _ids() -> frozenset[str]:
    """The names of the fields that hold ids and references, as the Structs of events have them, and of those
    in arguments.
    """
    found = {"ref"}
    for one in msgspec.inspect.multi_type_info(TYPES.values()):
        if isinstance(one, msgspec.inspect.StructType):
            found |= {field.encode_name for field in one.fields if _holds_ids(field.type)}
    return frozenset(found)


def _holds_ids(kind: msgspec.inspect.Type) -> bool:
    match kind:
        case msgspec.inspect.Metadata(type=inner):  # what is described
            return _holds_ids(inner)
        case msgspec.inspect.StrType(max_length=length):
            return length == MAX_REF
        case msgspec.inspect.UnionType(types=types):
            return any(map(_holds_ids, types))
        case msgspec.inspect.ListType(item_type=inner) | msgspec.inspect.VarTupleType(item_type=inner):
            return _holds_ids(inner)
        case _:
            return False


def _check_depth(value: object, where: str, depth: int, most: int) -> None:
    if isinstance(value, dict | list | tuple):
        if depth > most:
            raise Refused(where, f"it is nested more than {most} deep", FLATTEN)
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            _check_depth(inner, f"{where}/{name}", depth + 1, most)


def _check_texts(limits: Limits, value: object, where: str, name: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_texts(limits, inner, f"{where}/{key}", name if name == "attributes" else key)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            _check_texts(limits, inner, f"{where}/{index}", name)
    elif isinstance(value, str) and name in _ids() and len(value) > limits.id_characters:
        raise _too_long(where, value, limits.id_characters, SHORT)
    elif isinstance(value, str) and name == "attributes" and len(value) > limits.attribute_characters:
        raise _too_long(where, value, limits.attribute_characters, AS_BODY)


def _too_long(where: str, text: str, most: int, remedy: str) -> Refused:
    return Refused(where, f"it has {len(text)} characters, and {most} are taken here", remedy)
