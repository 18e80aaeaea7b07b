"""Extension statements of PROV-N (section 3.8): read by their shape, whatever they mean."""

from __future__ import annotations

from provmodel.document import ABSENT_MARK, XSD_DATETIME, Carried, Extension, Literal
from provmodel.documents.values import is_datetime
from provmodel.formats.provn import lexing
from provmodel.formats.provn.lexing import Text
from provmodel.formats.provn.values import Values

_DEEPEST = 8  # tuples within each other
_CLOSE = {"{": "}", "(": ")"}


def extension(iri: str, text: Text, values: Values) -> Extension:
    """The statement named ``iri``, read from after its opening parenthesis."""
    name: str | None = None
    arguments: list[Carried] = []
    while True:
        if arguments and text.starts("["):
            attributes = values.attributes()
            return Extension(iri, name, tuple(arguments), attributes=attributes)
        arguments.append(_argument(text, values))
        if text.starts(";") and len(arguments) == 1 and name is None:
            first = arguments.pop()
            name = first if isinstance(first, str) and first != ABSENT_MARK else None
        elif text.starts(")"):
            return Extension(iri, name, tuple(arguments))
        elif not text.starts(","):
            raise text.fault(f"after an argument stands {text.here()}", "write , or )")


def _argument(text: Text, values: Values) -> Carried:
    """One argument; tuples within tuples wait on a list, so that no depth of them is a depth of calls."""
    waiting: list[tuple[str, list[Carried]]] = []
    while True:
        opening = next((mark for mark in _CLOSE if text.starts(mark)), "")
        if opening:
            if len(waiting) == _DEEPEST:
                raise text.fault(f"sets stand in each other more than {_DEEPEST} deep", "flatten them")
            waiting.append((opening, []))
            if not text.starts(_CLOSE[opening]):
                continue
            done: Carried = tuple(waiting.pop()[1])
        else:
            done = _single(text, values)
        while waiting:
            opening, parts = waiting[-1]
            parts.append(done)
            if text.starts(","):
                break
            if not text.starts(_CLOSE[opening]):
                raise text.fault(f"within a set stands {text.here()}", f"write , or {_CLOSE[opening]}")
            done = tuple(waiting.pop()[1])
        else:
            return done


def _single(text: Text, values: Values) -> Carried:
    value = lexing.value(text.text, text.at)
    if value:
        text.at = value.end()
        return values.value(value.groups())  # type: ignore[arg-type]
    word = lexing.word(text.text, text.at)
    if not word:
        raise text.fault(
            f"where an argument should be stands {text.here()}", "write a name, a value or a set"
        )
    text.at = word.end()
    if is_datetime(word[1]):
        return Literal(word[1], XSD_DATETIME)
    return values.names[word[1]]
