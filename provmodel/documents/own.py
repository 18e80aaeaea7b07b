"""What Clew's exports say in one way where a format has no other, and what that means.

- PROV-N, PROV-XML and PROV-JSON know no attributes (nor, but for PROV-JSON, an id) of specialization,
  alternate, membership and mention. There such a relation stands plainly, and once more as an entity of the
  class that qualifies it, with its ends as attributes. Both together are the one relation.
- A role in RDF is a resource, where PROV-DM allows a text. A text stands there as ``.../role/<text>``, and as
  ``clew:role`` beside it. Both together are the one text.

:func:`gathered` puts together what was read, :func:`apart` takes apart what is to be written. Each is the
other's inverse, so that an export says the same in every format. What only looks like one of these forms is
left as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import quote

from msgspec.structs import replace

from provmodel.document import (
    ABSENT_MARK,
    PROV_QUALIFIED_NAME,
    PROV_ROLE,
    PROV_TYPE,
    AnyStatement,
    Attribute,
    Bundle,
    Document,
    Element,
    Literal,
    Statement,
    statement,
)
from provmodel.documents.scope import BLANK
from provmodel.lexical import CLEW, PROVEXT
from provmodel.relations import TERMS, Kind, Term
from provmodel.statements import EXTENSION_ARGUMENTS, TERMS_WITH_ROLE

_SPACES = {"clew": CLEW, "provext": PROVEXT}
_ROLE = CLEW + "role"


def _iri(name: str) -> str:
    prefix, _, local = name.partition(":")
    return _SPACES[prefix] + local


_BARE = [term for term in TERMS if not term.attributes]
_CLASSES = {_iri(term.qualified[1]): term for term in _BARE}
_CLASS_OF = {term.index: _iri(term.qualified[1]) for term in _BARE}
_ENDS = {term.index: (CLEW + "subject", *map(_iri, EXTENSION_ARGUMENTS[term.name])) for term in _BARE}
_named_after_relation = re.compile(r"(.+;about[:/])rel/[0-9a-f]{16}").fullmatch
_Call = tuple[int, tuple[str | None, ...]]


def gathered(document: Document, is_rdf: bool) -> Document:
    """A document that was read, with each of these relations, or roles in RDF, as one."""
    parts = [_roles_as_text(part) if is_rdf else _put_together(part) for part in document.parts]
    return replace(document, main=parts[0], bundles=tuple(parts[1:]))


def apart(document: Document, is_rdf: bool) -> Document:
    """A document that is to be written, with these relations, or roles in RDF, in the form for it."""
    parts = [_roles_as_names(part) if is_rdf else _taken_apart(part) for part in document.parts]
    return replace(document, main=parts[0], bundles=tuple(parts[1:]))


# --- relations ---


def _call(one: Statement) -> _Call:
    return one.term.index, tuple(None if end == ABSENT_MARK else end for end in one.arguments)


def _is_nameless(one: Statement) -> bool:
    return not one.term.attributes and not one.attributes and (not one.id or one.id.startswith(BLANK))


def _put_together(part: Bundle) -> Bundle:
    plain = {_call(one) for one in part.statements if isinstance(one, Statement) and _is_nameless(one)}
    ids = Counter(one.id for one in part.statements)
    found: list[AnyStatement] = []
    said: set[_Call] = set()
    for one in part.statements if plain else ():
        whole = _relation(one) if isinstance(one, Element) and ids[one.id] == 1 else None
        if whole and _call(whole) in plain:
            said.add(_call(whole))
            found.append(whole)
        else:
            found.append(one)
    if not said:
        return part
    kept = [
        one for one in found if not (isinstance(one, Statement) and _is_nameless(one) and _call(one) in said)
    ]
    return replace(part, statements=tuple(kept))


def _relation(one: Element) -> Statement | None:
    """The relation that an entity stands for."""
    if one.kind is not Kind.ENTITY or not one.attributes:
        return None
    types = [value.value for name, value in one.attributes if name == PROV_TYPE and value.is_name]
    terms = [_CLASSES[kind] for kind in types if kind in _CLASSES]
    if len(terms) != 1:
        return None
    [term] = terms
    ends = _ends(one, term)
    if ends is None:
        return None
    more = tuple(pair for pair in one.attributes if not _is_own(pair, term))
    return Statement(term, one.id, ends, None, more)


def _ends(one: Element, term: Term) -> tuple[str | None, ...] | None:
    """What the attributes name: each end once, and all but the last of several."""
    found: list[str | None] = []
    for key in _ENDS[term.index]:
        values = [value for name, value in one.attributes if name == key]
        if len(values) > 1 or not all(value.is_name for value in values):
            return None
        found.append(values[0].value if values else None)
    return tuple(found) if None not in found[:2] else None


def _is_own(pair: Attribute, term: Term) -> bool:
    name, value = pair
    return name in _ENDS[term.index] or (name == PROV_TYPE and value.value == _CLASS_OF[term.index])


def _taken_apart(part: Bundle) -> Bundle:
    statements = part.statements
    if not any(isinstance(one, Statement) and _says_more(one) for one in statements):
        return part
    ids = Counter(one.id for one in statements)
    plain = {_call(one) for one in statements if isinstance(one, Statement) and _is_nameless(one)}
    found: list[AnyStatement] = []
    written: set[_Call] = set()
    for one in statements:
        is_whole = isinstance(one, Statement) and _says_more(one) and ids[one.id] == 1
        if isinstance(one, Statement) and is_whole and _call(one) not in plain and _can_be_entity(one):
            found.extend(_as_entity(one, _call(one) not in written))
            written.add(_call(one))
        else:
            found.append(one)
    return replace(part, statements=tuple(found))


def _says_more(one: Statement) -> bool:
    return bool(not one.term.attributes and one.id and not one.id.startswith(BLANK))


def _can_be_entity(one: Statement) -> bool:
    ends = _call(one)[1]
    taken = any(_is_own(pair, one.term) for pair in one.attributes)
    return None not in ends[:2] and not taken


def _as_entity(one: Statement, with_plain: bool) -> Iterator[AnyStatement]:
    ends = _call(one)[1]
    if with_plain:
        yield statement(one.term, *ends)
    places = [
        (name, Literal(end, PROV_QUALIFIED_NAME))
        for name, end in zip(_ENDS[one.term.index], ends, strict=True)
        if end
    ]
    kind = (PROV_TYPE, Literal(_CLASS_OF[one.term.index], PROV_QUALIFIED_NAME))
    yield Element(Kind.ENTITY, one.id or "", (kind, *places, *one.attributes))


# --- roles ---


def _space(one: AnyStatement) -> str:
    """The space of what is said about the nodes of a tenant, from the name of one of its relations."""
    if not isinstance(one, Statement) or one.term not in TERMS_WITH_ROLE:
        return ""
    found = _named_after_relation(one.id or "")
    return found[1] if found else ""


def _roles_as_text(part: Bundle) -> Bundle:
    return _changed(part, _as_text)


def _roles_as_names(part: Bundle) -> Bundle:
    return _changed(part, _as_name)


def _changed(part: Bundle, change: Callable[[str, tuple[Attribute, ...]], tuple[Attribute, ...]]) -> Bundle:
    statements = tuple(
        [
            replace(one, attributes=change(space, one.attributes)) if (space := _space(one)) else one
            for one in part.statements
        ]
    )
    return replace(part, statements=statements)


def _as_text(space: str, attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    texts = [value.value for name, value in attributes if name == _ROLE and _is_text(value)]
    for text in texts:
        role = (PROV_ROLE, Literal(_role(space, text), PROV_QUALIFIED_NAME))
        if role in attributes:
            kept = [one for one in attributes if one not in (role, (_ROLE, Literal(text)))]
            return (*kept, (PROV_ROLE, Literal(text)))
    return attributes


def _as_name(space: str, attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    roles = [value for name, value in attributes if name in (PROV_ROLE, _ROLE)]
    if len(roles) != 1 or not _is_text(roles[0]) or (_ROLE, roles[0]) in attributes:
        return attributes
    text = roles[0].value
    kept = [one for one in attributes if one[0] != PROV_ROLE]
    return (*kept, (PROV_ROLE, Literal(_role(space, text), PROV_QUALIFIED_NAME)), (_ROLE, Literal(text)))


def _role(space: str, text: str) -> str:
    return f"{space}role/{quote(text, safe='')}"


def _is_text(value: Literal) -> bool:
    return not value.datatype and not value.language
