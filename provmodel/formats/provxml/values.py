"""A value as PROV-XML has it: the text of an element, its datatype and its language."""

from __future__ import annotations

from provmodel.document import RDF, XSD, XSD_STRING, Literal
from provmodel.documents.faults import Remarks, Where
from provmodel.documents.literals import NAME_TYPES, in_language, name_value
from provmodel.documents.scope import Scope
from provmodel.documents.values import TEXT_TYPES

XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD_IN_XML = "http://www.w3.org/2001/XMLSchema"
"""The namespace of XML Schema in XML, without the # that RDF adds."""

_BLANK = " \t\r\n"  # white space in XML; more is legal in an IRI
_SPACED = frozenset({"", XSD_STRING, XSD + "normalizedString", RDF + "XMLLiteral"})  # their blanks count


def value(
    text: str, kind: str | None, tag: str | None, scope: Scope, remarks: Remarks, where: Where
) -> Literal:
    """The value; ``kind`` is the xsi:type as written, ``tag`` the xml:lang. Raises :class:`Trouble`."""
    if kind is None:
        return Literal(text) if tag is None else in_language(text, "", tag, remarks, where)
    datatype = scope[kind.strip(_BLANK)]
    if tag is not None and datatype in TEXT_TYPES:
        return in_language(text, datatype, tag, remarks, where)
    if datatype in NAME_TYPES:
        return name_value(text.strip(_BLANK), datatype, scope, remarks, where)
    if datatype not in _SPACED and datatype.startswith(XSD):
        text = " ".join(text.split())
    return Literal(text, datatype)
