"""Attributes of a PROV-N statement, and values wherever they stand."""

from __future__ import annotations

from typing import Any

from provmodel.document import PROV_QUALIFIED_NAME, Attribute, Literal
from provmodel.documents.faults import Remarks, Trouble, shown
from provmodel.documents.literals import NAME_TYPES, in_language, integer_type, name_value
from provmodel.documents.scope import BLANK
from provmodel.errors import Unreadable
from provmodel.formats.provn import lexing
from provmodel.formats.provn.lexing import Names, Text, unescaped

Groups = tuple[str | None, str | None, str | None, str | None, str | None, str | None]
"""What :data:`lexing.VALUE` finds: long text, short text, datatype, language, name, integer."""


class Values:
    """Reads values; ``names`` are those of the part that is read."""

    def __init__(self, text: Text, names: Names, remarks: Remarks) -> None:
        self.text = text
        self.names = names
        self.remarks = remarks

    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of a statement, after ``[``, up to its end. Names are looked up when all is read."""
        text, raw, at = self.text, self.text.text, self.text.at
        found: list[tuple[Any, ...]] = []
        stop = ","
        while stop == ",":
            pair = lexing.pair(raw, at)
            if not pair:
                nothing = None if found else lexing.empty(raw, at)
                if not nothing:
                    raise self._no_pair(at)
                at = nothing.end()
                break
            groups = pair.groups()
            stop = groups[-1]
            found.append(groups)
            at = pair.end()
        close = lexing.close(raw, at)
        if not close:
            text.at = at
            raise text.fault(f"after the attributes stands {text.here()}", "close the statement with )")
        text.at = close.end()
        return tuple([self._attribute(groups) for groups in found])

    def _attribute(self, groups: tuple[Any, ...]) -> Attribute:
        name, long, short, datatype, tag, qualified, integer, _ = groups
        iri = self.names[name]
        if iri.startswith(BLANK):
            raise Trouble(f"the attribute {shown(name)} has a blank name", "give it a qualified name")
        if short is not None and datatype is None and tag is None and "\\" not in short:
            return iri, Literal(short)
        return iri, self.value((long, short, datatype, tag, qualified, integer))

    def value(self, groups: Groups) -> Literal:
        """The value that was found; raises :class:`Trouble`."""
        long, short, datatype, tag, qualified, integer = groups
        if qualified is not None:
            return Literal(self.names[qualified], PROV_QUALIFIED_NAME)
        if integer is not None:
            return Literal(integer, integer_type(integer))
        text = unescaped(short if short is not None else long or "")
        if tag is not None:
            return in_language(text, "", tag, self.remarks, self.text.where)
        if datatype is None:
            return Literal(text)
        iri = self.names[datatype]
        if iri in NAME_TYPES:
            return name_value(text, iri, self.names, self.remarks, self.text.where)
        return Literal(text, iri)

    def _no_pair(self, at: int) -> Unreadable:
        """What hinders an attribute at a place."""
        text = self.text
        text.at = at
        name = lexing.word(text.text, at)
        if not name:
            return text.fault(f"where an attribute should be stands {text.here()}", 'write name="value"')
        text.at = name.end()
        if not text.starts("="):
            return text.fault(
                f"after the attribute {shown(name[1])} stands {text.here()}", "write = and a value"
            )
        value = lexing.value(text.text, text.at)
        if value:
            text.at = value.end()
            return text.fault(f"after a value stands {text.here()}", "write , or ]")
        text.skip()
        quote = text.text[text.at : text.at + 1]
        if quote and quote in "\"'":
            return text.fault(
                "the quotation isn't closed on its line", 'close it, or use """ for several lines'
            )
        what = f"the value of {shown(name[1])} is {text.here()}, without quotes"
        return text.fault(what, 'write "text", "1.5" %% xsd:double, a whole number, or a name as \'ex:name\'')
