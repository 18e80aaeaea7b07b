"""Values as every format gives them: a text with a datatype or a language, or a name."""

from __future__ import annotations

from provmodel.document import PROV_QUALIFIED_NAME, XSD, XSD_QNAME, Literal
from provmodel.documents.faults import Remarks, Trouble, Where, shown
from provmodel.documents.scope import BLANK, Scope
from provmodel.documents.values import TEXT_TYPES, language

NAME_TYPES = frozenset({PROV_QUALIFIED_NAME, XSD_QNAME})
"""The datatypes of a name."""

_SMALLEST_INT, _GREATEST_INT = -(2**31), 2**31 - 1
_INT_DIGITS = 11  # characters of the longest xsd:int
_INT, _INTEGER = XSD + "int", XSD + "integer"


def in_language(text: str, datatype: str, tag: str, remarks: Remarks, where: Where) -> Literal:
    """A text in a language. An odd tag is put right, with a remark; an empty one is none."""
    if datatype not in TEXT_TYPES:
        raise Trouble(f"a value of <{datatype}> has the language {shown(tag)}", "leave out type, or language")
    kept = language(tag)
    if kept != tag or not kept:
        what = (
            f"the language {shown(tag)} was taken for {shown(kept)}" if kept else "an empty language is none"
        )
        remarks.add("languages", where(), what)
    return Literal(text, language=kept) if kept else Literal(text)


def name_value(text: str, datatype: str, scope: Scope, remarks: Remarks, where: Where) -> Literal:
    """A name as a value. One whose prefix isn't declared is kept as it is, with a remark: a text can't be
    unreadable for a value that it gives.
    """
    if scope.knows(text) or text.startswith(BLANK):
        spelling = "" if datatype == PROV_QUALIFIED_NAME else datatype
        return Literal(scope[text], PROV_QUALIFIED_NAME, spelling=spelling)
    what = f"the prefix of the name {shown(text)} is not declared; it was kept as it is"
    remarks.add("names with undeclared prefixes", where(), what)
    return Literal(text, XSD_QNAME, spelling="" if datatype == XSD_QNAME else datatype)


def integer_type(digits: str) -> str:
    """The datatype of an integer that names none: ``xsd:int``, as other tools have it, or ``xsd:integer`` for
    what that can't hold.
    """
    if len(digits) < _INT_DIGITS - 1 or (
        len(digits) <= _INT_DIGITS and _SMALLEST_INT <= int(digits) <= _GREATEST_INT
    ):
        return _INT
    return _INTEGER
