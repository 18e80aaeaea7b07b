"""References as they are kept, from how readers spell them: a plain digest of private content finds its tag
(model, section 6), and the IRI of a node its reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from app.searching import SearchAsked
from provmodel import names
from provmodel.errors import Refused
from provmodel.names import Tagger
from queries.answer import Answer

REFS = ("target", "expand")
"""The parameters of questions that name nodes."""


def respelt(text: str, base: str, tagger: Tagger) -> str:
    """A reference as it is kept; what can be none stays as it is: nothing has such a name."""
    own = names.bare(text)
    own = own[len(base) :] if own.startswith(base) else text
    try:
        return names.keep(own, "target", tagger)
    except Refused:
        return text


def parameters(given: Mapping[str, Any], base: str, tagger: Tagger) -> dict[str, Any]:
    """The parameters of a question with the references among them as they are kept."""

    def respell(value: Any) -> Any:
        if isinstance(value, str):
            return respelt(value, base, tagger)
        return [respell(item) for item in value] if isinstance(value, Sequence) else value

    return {name: respell(value) if name in REFS else value for name, value in given.items()}


def searched(asked: SearchAsked, base: str, tagger: Tagger) -> SearchAsked:
    """What is searched for, with the digests that private things are kept under by their tags."""
    words, prefix = asked.q, asked.prefix
    if names.DIGEST in words:
        words = " ".join(respelt(word, base, tagger) for word in words.split())
    if names.DIGEST in prefix:
        prefix = respelt(prefix, base, tagger)
    return msgspec.structs.replace(asked, q=words, prefix=prefix)


def as_given(answer: Answer[Any], kept: Sequence[str], given: Any) -> Answer[Any]:
    """The answer with its targets as they were asked for, where they are kept in another spelling."""
    spelt = [given] if isinstance(given, str) else list(given or ())
    asked = {one: other for one, other in zip(kept, spelt, strict=False) if one != other}
    if not asked:
        return answer
    targets = tuple(
        msgspec.structs.replace(target, asked=asked.get(target.asked, target.asked))
        for target in answer.graph.targets
    )
    return msgspec.structs.replace(answer, graph=msgspec.structs.replace(answer.graph, targets=targets))
