"""The context of PROV-JSONLD, made from the table of relations."""

from __future__ import annotations

from typing import Any

from provmodel.documents.rdf.vocabulary import ARGUMENTS, QUALIFIED_OF
from provmodel.lexical import PROV, PROVEXT, RDF, RDFS, XSD
from provmodel.relations import MENTION, TERMS, Term

ADDRESS = "https://openprovenance.org/prov-jsonld/context.jsonld"
ADDRESSES = frozenset(
    {
        ADDRESS,
        ADDRESS.replace("https:", "http:"),
        "https://www.w3.org/submissions/prov-jsonld/context.jsonld",
    }
)
"""Under which the context is known."""

STATED = tuple(term for term in TERMS if not term.json_name and term is not MENTION)
"""The relations that have a form in PROV-JSONLD."""
CLASS_NAMES = {term.name: term.qualified[1].partition(":")[2] for term in STATED}


def _resource(iri: str) -> dict[str, str]:
    return {"@id": iri, "@type": "@id"}


def _time(local: str) -> dict[str, str]:
    return {"@id": PROV + local, "@type": XSD + "dateTime"}


def _of_term(term: Term) -> dict[str, Any]:
    link, node = QUALIFIED_OF[term.name]
    names = (*(argument.name for argument in term.arguments), *term.references)
    inner: dict[str, Any] = {
        name: _resource(iri) for name, iri in zip(names, ARGUMENTS[term.name], strict=True)
    }
    inner[term.subject] = {"@reverse": link, "@type": "@id"}
    if term.timed:
        inner["time"] = _time("atTime")
    return {"@id": node, "@context": inner}


CONTEXT: dict[str, Any] = {
    "@version": 1.1,
    "prov": PROV,
    "provext": PROVEXT,
    "xsd": XSD,
    "rdf": RDF,
    "rdfs": RDFS,
    "role": _resource(PROV + "hadRole"),
    "type": _resource(RDF + "type"),
    "label": {"@id": RDFS + "label"},
    "location": _resource(PROV + "atLocation"),
    "entity": _resource(PROV + "entity"),
    "activity": _resource(PROV + "activity"),
    "agent": _resource(PROV + "agent"),
    "Activity": {
        "@id": PROV + "Activity",
        "@context": {"startTime": _time("startedAtTime"), "endTime": _time("endedAtTime")},
    },
    "Entity": {"@id": PROV + "Entity", "@context": {"value": {"@id": PROV + "value"}}},
    "Agent": {"@id": PROV + "Agent", "@context": {}},
    **{CLASS_NAMES[term.name]: _of_term(term) for term in STATED},
    **dict.fromkeys(("Bundle", "Document")),  # types that the submission gives no meaning in RDF
}
"""What the address stands for."""
