"""What a model was sent and what it answered: the messages that OpenInference writes as flat attributes.

A message's body is its text, when it is nothing but one text, so that an answer and the same answer in a
later context are equal. Else it is a JSON object of the parts that are there; a part that is null stays null,
and is not "". Where a part gives the address of an image or a file, what stood there was not captured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from provmodel.events import Args
from provmodel.sources.otlp import contents
from provmodel.sources.otlp.bag import Bag, Item, indexed, missing, nested
from provmodel.sources.otlp.contents import HIDDEN, NOTHING, Content
from provmodel.sources.otlp.wire import Value

UNKNOWN = "unknown"
_PARTS = "message.contents"
_CALLS = "message.tool_calls"
_POINTING = frozenset({"url", "data", "image", "image_url", "file", "file_url", "audio"})
"""Fields of a part that hold an address, or what does."""
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:[/?#]\S*)?").fullmatch


class Call(Struct, frozen=True):
    """A tool call that a message lists.

    ``place`` tells it from the message's others; ``key`` is the provider's id, which no identity is made of.
    """

    place: str
    tool: str
    arguments: Args
    key: str | None


class Message(Struct, frozen=True):
    """One message of a context or an answer. ``gaps`` names what its lists lack; ``addresses`` are those that
    its parts give in place of content.
    """

    index: int
    role: str | None
    content: Content
    calls: tuple[Call, ...]
    gaps: tuple[str, ...]
    addresses: tuple[str, ...] = ()


def read(bag: Bag, prefix: str, cut: bool = False) -> list[Message]:
    """The chat messages under ``prefix``, by number."""
    return [_message(item, cut) for item in bag.items(prefix)]


def read_texts(bag: Bag, prefix: str, key: str, cut: bool = False) -> list[Message]:
    """The prompts or completions of an interface older than messages: one text each, under ``key``."""
    found = []
    for item in bag.items(prefix):
        there = key in item.fields
        said = contents.content(item.fields.pop(key, None), cut=cut) if there else NOTHING
        found.append(Message(item.index, None, said, (), ()))
    return found


def read_list(bag: Bag, key: str, cut: bool = False) -> list[Message]:
    """The messages in the text of one attribute, a JSON array of them as chat interfaces take it; none, and
    the attribute is left, where it is anything else.
    """
    text = bag.peek(key)
    given = contents.json_list(text) if isinstance(text, str) else None
    if not given or not all(isinstance(one, dict) and "content" in one for one in given):
        return []
    bag.pop(key)
    return [_listed(index, one, cut) for index, one in enumerate(given)]


def _listed(index: int, given: dict[str, Value], cut: bool) -> Message:
    role, said = given.pop("role", None), given.pop("content")
    parts = said if isinstance(said, list) else []
    whole = {"contents" if parts else "content": said, **given}
    return Message(
        index, role if isinstance(role, str) else None, _content(whole, cut), (), (), _addresses(parts)
    )


def _addresses(parts: Iterable[Value]) -> tuple[str, ...]:
    """The web addresses in parts, each once."""
    return tuple(dict.fromkeys(address for part in parts for address in _pointed(part)))


def _pointed(value: Value) -> Iterator[str]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name in _POINTING and isinstance(inner, str) and _is_address(inner):
            yield inner
        elif name in _POINTING:
            yield from _pointed(inner)


def _is_address(text: str) -> bool:
    """True for a web address that can be a name. One with a user in it may hold a password."""
    return _ADDRESS(text) is not None


def _message(item: Item, cut: bool) -> Message:
    role = item.pop_text("message.role")
    parts, calls = indexed(item.fields, _PARTS), indexed(item.fields, _CALLS)
    function = item.pop_text("message.function_call_name")
    whole: dict[str, Value] = {}
    if "message.content" in item.fields:
        whole["content"] = item.fields.pop("message.content")
    told = [nested(_inner(part, "message_content.")) for part in parts]
    if told:
        whole["contents"] = list(told)
    if calls:
        whole["tool_calls"] = [nested(_inner(call, "tool_call.")) for call in calls]
    asked = [_call(str(call.index), _inner(call, "tool_call.")) for call in calls]
    if function:  # the one call of a message, as interfaces before tool calls had it
        given = item.fields.pop("message.function_call_arguments_json", None)
        whole["function_call"] = {"name": function, "arguments": given}
        asked.append(Call("function_call", function, contents.arguments(given), None))
    return Message(
        item.index, role, _content(whole, cut), tuple(asked), _gaps(parts, calls), _addresses(told)
    )


def _content(whole: dict[str, Value], cut: bool) -> Content:
    if not whole:
        return NOTHING
    said = _only_text(whole)
    if said is not None or whole == {"content": None}:
        return contents.content(said, cut=cut)
    return contents.content(whole, cut=cut or _hides(whole))


def _gaps(parts: list[Item], calls: list[Item]) -> tuple[str, ...]:
    named = (("contents", parts), ("tool_calls", calls))
    lacks = ((name, missing(item.index for item in items)) for name, items in named)
    return tuple(f"{name} {numbers}" for name, numbers in lacks if numbers)


def _inner(item: Item, prefix: str) -> dict[str, Value]:
    return {key.removeprefix(prefix): value for key, value in item.fields.items()}


def _only_text(whole: dict[str, Value]) -> str | None:
    """The text of a message that is one text and nothing else."""
    match whole:
        case {"content": str(said), **rest} if not rest:
            return said
        case {"contents": [{"text": str(said), **more}], **rest} if not rest:
            return said if more in ({}, {"type": "text"}) else None
        case _:
            return None


def _hides(value: Value) -> bool:
    match value:
        case list():
            return any(_hides(item) for item in value)
        case dict():
            return any(_hides(item) for item in value.values())
        case _:
            return value == HIDDEN


def _call(place: str, fields: dict[str, Value]) -> Call:
    tool, key = fields.get("function.name"), fields.get("id")
    return Call(
        place=place,
        tool=tool if isinstance(tool, str) and tool else UNKNOWN,
        arguments=contents.arguments(fields.get("function.arguments")),
        key=key if isinstance(key, str) and key else None,
    )
