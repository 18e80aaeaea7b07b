"""JSON-LD text to a document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from provmodel.document import Document, Remark
from provmodel.documents.faults import shown
from provmodel.documents.rdf import parsing, reading
from provmodel.errors import Unreadable
from provmodel.formats.jsonld.context import ADDRESSES, CONTEXT

MOST_NESTED = 64
"""How deep a text may be nested; PROV-JSONLD needs six levels."""
_MOST_TOLD = 10  # keys without a meaning that are named


def read(data: bytes) -> Document:
    """The document in a JSON-LD text; raises :class:`Unreadable`. Nothing is fetched."""
    found = _parsed(data)
    walk = _Walk()
    walk.through(found)
    text = json.dumps(found, ensure_ascii=False).encode() if walk.filled else data
    return reading.document(text, parsing.JSON_LD, tuple(walk.remarks()))


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}", "the text is not UTF-8", "send UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise Unreadable(where, f"this is not JSON: {error.msg}", "correct it there") from None
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> Unreadable:
    return Unreadable("the text", f"it is nested more than {MOST_NESTED} deep", "flatten it")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = counts.most_common(1)[0][0]
        raise Unreadable(shown(twice), "the key stands twice in one object", "give both values in one array")
    return found


class _Walk:
    """Goes through a text: puts in the contexts that are known, refuses others, and finds keys that no
    context gives a meaning.
    """

    def __init__(self) -> None:
        self.filled = False
        self._keys: set[str] = set()
        self._terms: set[str] = set()
        self._any = False  # a vocabulary gives every key a meaning

    def through(self, found: Any) -> None:
        """Everything in ``found``, which is changed."""
        waiting: list[tuple[int, Any]] = [(0, found)]
        while waiting:
            depth, value = waiting.pop()
            if depth > MOST_NESTED:
                raise _too_deep()
            if isinstance(value, dict):
                if "@context" in value:
                    value["@context"] = self._context(value["@context"])
                    self._learn(value["@context"])
                self._keys.update(key for key in value if ":" not in key and not key.startswith("@"))
                waiting.extend((depth + 1, one) for key, one in value.items() if key != "@context")
            elif isinstance(value, list):
                waiting.extend((depth + 1, one) for one in value)

    def _context(self, given: Any) -> Any:
        if isinstance(given, list):
            return [self._single(one) for one in given]
        return self._single(given)

    def _single(self, given: Any) -> Any:
        if isinstance(given, str):
            if given not in ADDRESSES:
                reason = f"unknown remote context {shown(given)}; no context is fetched"
                known = "that of PROV-JSONLD is known by its address"
                raise Unreadable("@context", reason, f"put the context in the text, or expand it; {known}")
            self.filled = True
            return CONTEXT
        return given

    def _learn(self, given: Any) -> None:
        waiting: list[tuple[int, Any]] = [(0, given)]
        while waiting:
            depth, one = waiting.pop()
            if depth > MOST_NESTED:
                raise _too_deep()
            if isinstance(one, list):
                waiting.extend((depth + 1, each) for each in one)
            elif isinstance(one, dict):
                self._any = self._any or "@vocab" in one
                self._terms.update(one)
                if "@import" in one or (one is not CONTEXT and isinstance(one.get("@context"), str)):
                    reason = "a context is taken from elsewhere; no context is fetched"
                    raise Unreadable("@context", reason, "put the context in the text")
                waiting.extend((depth + 1, each) for each in one.values() if isinstance(each, (dict, list)))

    def remarks(self) -> Iterator[Remark]:
        """The keys without a meaning, which JSON-LD leaves out."""
        if self._any:
            return
        for key in sorted(self._keys - self._terms)[:_MOST_TOLD]:
            yield Remark(shown(key), "no context gives this key a meaning; in JSON-LD it says nothing")
