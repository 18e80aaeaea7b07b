"""A PROV document as it was read: what every format says, in one shape that keeps all of it.

Nothing here is interpreted: lexical forms stay as they were written, the order of statements too, and a
statement made twice stands twice. What two documents mean alike is decided by :mod:`provmodel.comparing`.

Canonical forms, whatever the format wrote:

- Names are absolute IRIs; a blank name is ``_:name``, local to its bundle (or to the main part).
- A subtype of derivation is :data:`~provmodel.relations.DERIVATION` with the attribute ``prov:type`` and the
  value ``prov:Revision``, ``prov:Quotation`` or ``prov:PrimarySource`` (PROV-DM 5.2.2 to 5.2.4); the terms
  REVISION, QUOTATION and PRIMARY_SOURCE don't stand in documents. In the same way a person, a plan or a
  collection is an agent or entity with a ``prov:type``.
- ``hadMember`` with several members is one statement for each.
- A qualified name as a value has the datatype :data:`PROV_QUALIFIED_NAME`, and its absolute IRI as value.
- An attribute that has several values stands several times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from provmodel.relations import Kind, Term

PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

PROV_QUALIFIED_NAME = PROV + "QUALIFIED_NAME"
XSD_QNAME = XSD + "QName"
XSD_STRING = XSD + "string"
XSD_ANY_URI = XSD + "anyURI"
XSD_DATETIME = XSD + "dateTime"
PROV_LANG_STRING = PROV + "InternationalizedString"
RDF_LANG_STRING = RDF + "langString"

PROV_TYPE = PROV + "type"
PROV_LABEL = PROV + "label"
PROV_ROLE = PROV + "role"
PROV_LOCATION = PROV + "location"
PROV_VALUE = PROV + "value"

ABSENT_MARK = "-"
"""An argument that PROV-N wrote as ``-``: stated to be unspecified. ``None`` is one that isn't there."""

DERIVATION_SUBTYPES = {
    PROV + "Revision": "wasRevisionOf",
    PROV + "Quotation": "wasQuotedFrom",
    PROV + "PrimarySource": "hadPrimarySource",
}
"""The values of ``prov:type`` that make a derivation one of its subtypes, with the PROV-O property."""


class Literal(msgspec.Struct, frozen=True, gc=False):
    """One value of an attribute.

    ``value`` is the lexical form as written; ``datatype`` an absolute IRI, or "" for a plain string (also one
    with a ``language``). A qualified name or an IRI that a format gives as a name is its absolute IRI under
    :data:`PROV_QUALIFIED_NAME`; ``spelling`` then is the datatype that the text gave it, where it was another
    (``xsd:QName``). ``native`` is True for a number or truth value that JSON wrote without a datatype.
    """

    value: str
    datatype: str = ""
    language: str = ""
    spelling: str = ""
    native: bool = False

    @property
    def is_name(self) -> bool:
        """True when the value names something: its ``value`` is then an absolute IRI."""
        return self.datatype == PROV_QUALIFIED_NAME


Attribute = tuple[str, Literal]
"""The absolute IRI of an attribute's name, and one value of it."""


class Element(msgspec.Struct, frozen=True, gc=False):
    """A statement that something is an entity, an activity or an agent.

    ``start`` and ``end`` are lexical forms as written, of activities alone.
    """

    kind: Kind
    id: str
    attributes: tuple[Attribute, ...] = ()
    start: str | None = None
    end: str | None = None


class Statement(msgspec.Struct, frozen=True, gc=False):
    """A statement of one PROV relation.

    ``id`` is None, an absolute IRI, or ``_:name`` (which names it within its bundle alone). ``arguments`` are
    the subject, then one for each of ``term.arguments``, then one for each of ``term.references``: always
    that many. An argument is an absolute IRI, a blank ``_:name``, :data:`ABSENT_MARK`, or None. ``time`` is
    the lexical form as written.
    """

    term: Term
    id: str | None
    arguments: tuple[str | None, ...]
    time: str | None = None
    attributes: tuple[Attribute, ...] = ()

    @property
    def subject(self) -> str | None:
        """The first argument."""
        return named(self.arguments[0])

    @property
    def nodes(self) -> tuple[str | None, ...]:
        """One for each of ``term.arguments``: an IRI or blank name, or None where none is given."""
        return tuple(map(named, self.arguments[1 : 1 + len(self.term.arguments)]))

    @property
    def references(self) -> tuple[str | None, ...]:
        """One for each of ``term.references``: the id of a generation or usage, or None."""
        return tuple(map(named, self.arguments[1 + len(self.term.arguments) :]))


Carried: TypeAlias = "str | Literal | tuple[Carried, ...] | None"
"""An argument of an extension: a name (absolute IRI or ``_:name``), ``-``, none, a value, or several."""


class Extension(msgspec.Struct, frozen=True):
    """A statement that PROV-DM doesn't define (PROV-DICTIONARY and others): carried, not interpreted.

    ``name`` is the IRI of the statement's name. ``keys`` are the IRIs under which PROV-JSON and PROV-XML give
    the arguments ("" where the format goes by position), one for each argument. ``raw`` is the text of the
    statement in ``format``, for those who know the extension.
    """

    name: str
    id: str | None = None
    arguments: tuple[Carried, ...] = ()
    keys: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    format: str = ""
    raw: str = ""


AnyStatement: TypeAlias = Element | Statement | Extension


class Bundle(msgspec.Struct, frozen=True):
    """A named set of statements, or the main part of a document (``id`` None).

    ``prefixes`` are those that the bundle itself declares, to their namespaces; "" is the default namespace.
    Those of the main part hold in each bundle that doesn't say otherwise.
    """

    id: str | None = None
    prefixes: dict[str, str] = {}
    statements: tuple[AnyStatement, ...] = ()


class Remark(msgspec.Struct, frozen=True):
    """What a reader noticed and kept: ``where`` (line, path) and ``what``, in a sentence for people."""

    where: str
    what: str


class Document(msgspec.Struct, frozen=True):
    """A PROV document: its main part, its bundles in the order they stand, and what the reader noticed."""

    main: Bundle = Bundle()
    bundles: tuple[Bundle, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def parts(self) -> Iterator[Bundle]:
        """The main part, then each bundle."""
        yield self.main
        yield from self.bundles


class Loss(msgspec.Struct, frozen=True, order=True):
    """What a format can't hold of a document: ``where`` (the statement), ``what`` is lost, and ``why``."""

    where: str
    what: str
    why: str


def named(argument: str | None) -> str | None:
    """An argument that names something, or None: ``-`` and an absent one name nothing."""
    return None if argument == ABSENT_MARK else argument


def statement(
    term: Term,
    *arguments: str | None,
    name: str | None = None,
    time: str | None = None,
    attributes: tuple[Attribute, ...] = (),
) -> Statement:
    """A statement (its id is ``name``) with the arguments that are given, the rest absent."""
    missing = 1 + len(term.arguments) + len(term.references) - len(arguments)
    return Statement(term, name, (*arguments, *(None,) * missing), time, attributes)
