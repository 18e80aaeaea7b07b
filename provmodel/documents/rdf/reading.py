"""RDF text of any syntax to a document."""

from __future__ import annotations

from provmodel.document import Bundle, Document, Extension, Remark
from provmodel.documents.faults import Remarks
from provmodel.documents.rdf.decoding import statements
from provmodel.documents.rdf.parsing import Syntax, parse
from provmodel.documents.rdf.vocabulary import DESCRIPTION
from provmodel.errors import Unreadable


def document(data: bytes, format: Syntax, noticed: tuple[Remark, ...] = ()) -> Document:  # noqa: A002
    """What a text says in PROV; raises :class:`Unreadable`. ``noticed`` is put before the remarks."""
    remarks = Remarks()
    quads = parse(data, format, remarks)
    parts = [Bundle(name, {}, tuple(statements(graph, remarks))) for name, graph in quads.graphs.items()]
    said = [one for part in parts for one in part.statements]
    if said and all(isinstance(one, Extension) and one.name == DESCRIPTION for one in said):
        raise Unreadable("the whole text", "it says nothing in the terms of PROV-O", "give provenance")
    main, *bundles = parts
    found = Bundle(None, quads.prefixes, main.statements)
    return Document(found, tuple(bundles), (*noticed, *remarks.all()))
