"""Putting the parts of a document together: each bundle once, whatever the text did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from provmodel.document import AnyStatement, Attribute, Bundle, Carried, Document, Element, Literal
from provmodel.documents.faults import Remarks
from provmodel.documents.scope import BLANK


def assembled(main: Bundle, bundles: Sequence[Bundle], remarks: Remarks) -> Document:
    """A document of these parts. Bundles of one name become one, with a remark; blank names stay apart."""
    found: dict[str | None, Bundle] = {}
    for bundle in bundles:
        before = found.get(bundle.id)
        if before:
            what = f"the bundle <{bundle.id}> stands several times; it was taken for one"
            remarks.add("repeated bundles", str(bundle.id), what)
        found[bundle.id] = _merged(before, bundle) if before else bundle
    return Document(main, tuple(found.values()), remarks.all())


def _merged(first: Bundle, second: Bundle) -> Bundle:
    taken = {name for one in first.statements for name in blank_names(one)}
    names: dict[str, str] = {}
    for name in (name for one in second.statements for name in blank_names(one)):
        if name in taken and name not in names:
            names[name] = _free(name, taken)
            taken.add(names[name])
    moved = [renamed(one, names) for one in second.statements] if names else second.statements
    return Bundle(first.id, {**second.prefixes, **first.prefixes}, (*first.statements, *moved))


def _free(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"


def blank_names(statement: AnyStatement) -> Iterator[str]:
    """Every blank name in a statement, as often as it stands there."""
    if isinstance(statement, Element):
        places: tuple[Carried, ...] = (statement.id,)
    else:
        places = (statement.id, *statement.arguments)
    for place in places:
        yield from _blank_in(place)
    for _, value in statement.attributes:
        yield from _blank_in(value)


def _blank_in(place: Carried) -> Iterator[str]:
    if isinstance(place, tuple):
        for one in place:
            yield from _blank_in(one)
        return
    name = place.value if isinstance(place, Literal) and place.is_name else place
    if isinstance(name, str) and name.startswith(BLANK):
        yield name


def renamed(statement: AnyStatement, names: dict[str, str]) -> AnyStatement:
    """The statement with other blank names."""
    attributes = _attributes(statement.attributes, names)
    if isinstance(statement, Element):
        return replace(statement, id=names.get(statement.id, statement.id), attributes=attributes)
    name = names.get(statement.id or "", statement.id)
    arguments = tuple(_place(one, names) for one in statement.arguments)
    return replace(statement, id=name, arguments=arguments, attributes=attributes)


def _attributes(attributes: tuple[Attribute, ...], names: dict[str, str]) -> tuple[Attribute, ...]:
    if not any(value.is_name and value.value in names for _, value in attributes):
        return attributes
    return tuple((name, _literal(value, names)) for name, value in attributes)


def _place(place: Carried, names: dict[str, str]) -> Carried:
    if isinstance(place, tuple):
        return tuple(_place(one, names) for one in place)
    if isinstance(place, Literal):
        return _literal(place, names)
    return names.get(place, place) if place else place


def _literal(value: Literal, names: dict[str, str]) -> Literal:
    return replace(value, value=names.get(value.value, value.value)) if value.is_name else value
