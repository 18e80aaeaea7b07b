"""The statements of PROV-DICTIONARY (W3C Note, 30 April 2013) as extensions: their shape, not their meaning.

Whatever the format, the arguments are those of PROV-N: the dictionary, an entity and its key for a member;
the new and the old dictionary and a set (of pairs of key and entity, or of keys) for what was derived.
"""

from __future__ import annotations

import msgspec

from provmodel.document import PROV, Attribute, Carried, Extension, Literal

KEY_ENTITY_SET = "prov:key-entity-set"
KEY_SET = "prov:key-set"

Pair = tuple[Literal, str]
"""A key, and the entity that stands under it."""


class Shape(msgspec.Struct, frozen=True):
    """One statement: its leading arguments as PROV-JSON and PROV-XML name them, and whether what follows is
    pairs or keys. ``single`` says that each pair is a statement of its own.
    """

    name: str
    json: tuple[str, ...]
    xml: tuple[str, ...]
    pairs: bool = True
    single: bool = False
    attributes: bool = True


SHAPES = {
    one.name: one
    for one in (
        Shape("hadDictionaryMember", ("prov:dictionary",), ("dictionary",), single=True, attributes=False),
        Shape("derivedByInsertionFrom", ("prov:after", "prov:before"), ("newDictionary", "oldDictionary")),
        Shape(
            "derivedByRemovalFrom",
            ("prov:after", "prov:before"),
            ("newDictionary", "oldDictionary"),
            pairs=False,
        ),
    )
}
BY_IRI = {PROV + name: shape for name, shape in SHAPES.items()}


def statements(
    shape: Shape,
    name: str | None,
    leading: tuple[str | None, ...],
    parts: tuple[Pair | Literal, ...],
    attributes: tuple[Attribute, ...] = (),
) -> list[Extension]:
    """The statements that one record makes; ``parts`` are its pairs, or its keys."""
    iri = PROV + shape.name
    if not shape.single:
        return [Extension(iri, name, (*leading, parts), attributes=attributes)]
    return [
        Extension(iri, name, (*leading, part[1], part[0]), attributes=attributes)
        for part in parts
        if isinstance(part, tuple)
    ]


def taken_apart(
    statement: Extension,
) -> tuple[Shape, tuple[str | None, ...], list[tuple[Carried, ...]]] | None:
    """The shape, the leading arguments, and the pairs (key, entity) or keys (alone) of a statement; None for
    one that isn't of PROV-DICTIONARY, or not of its shape.
    """
    shape = BY_IRI.get(statement.name)
    if shape is None or len(statement.arguments) != 3:
        return None
    if shape.single:
        dictionary, entity, key = statement.arguments
        heads: tuple[Carried, ...] = (dictionary,)
        parts: list[Carried] = [(key, entity)]
    else:
        *front, last = statement.arguments
        heads = tuple(front)
        if not isinstance(last, tuple):
            return None
        parts = list(last)
    leading = tuple(head for head in heads if head is None or isinstance(head, str))
    rows = [part if isinstance(part, tuple) else (part,) for part in parts]
    right = all(_fits(row, shape.pairs) for row in rows) and len(leading) == len(heads)
    return (shape, leading, rows) if right else None


def _fits(row: tuple[Carried, ...], pair: bool) -> bool:
    if not row or not isinstance(row[0], Literal):
        return False
    return len(row) == 2 and isinstance(row[1], str) if pair else len(row) == 1
