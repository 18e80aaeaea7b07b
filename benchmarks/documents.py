"""Documents: five formats read and written, and `prov` and `rdflib` doing the same.

The document is what a recorder of runs writes: entities and activities with a few attributes, and what was
used, made and derived. Both sides read the same bytes. Writing begins where a program begins, with records in
the library's own terms, and makes the document (or graph) of them; what serialising alone takes is told
beside. `rdflib` has read triples when Clew has read statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from statistics import median
from typing import Any, NamedTuple

import rdflib
from prov import serializers
from prov.model import ProvDocument

from benchmarks.export_peers import Records
from benchmarks.frame import Figure, cpu, micros, ratio, take_turns
from provmodel import formats
from provmodel.document import (
    PROV,
    PROV_QUALIFIED_NAME,
    XSD,
    AnyStatement,
    Bundle,
    Document,
    Element,
    Literal,
    statement,
)
from provmodel.relations import DERIVATION, GENERATION, USAGE, Kind

EX = "http://example.org/"
TIME = "2026-03-01T09:00:00Z"
PREFIXES = {"ex": EX}
# The format, its name in the peer, and how many times faster reading and writing are to be.
FORMATS = (("prov-json", "json", 3, 15), ("prov-n", "provn", 10, 5), ("prov-xml", "xml", 5, 5))
RDF_FORMATS = (("turtle", "turtle", 10, 50), ("trig", "trig", 10, 50))
RDF_TURNS = 2  # rdflib takes half a minute for one


def said(size: int) -> list[AnyStatement]:
    """About ``size`` statements, five to a step."""
    found: list[AnyStatement] = []
    collection = (PROV + "type", Literal(PROV + "Collection", PROV_QUALIFIED_NAME))
    for step in range(size // 5):
        entity, activity, last = f"{EX}e{step}", f"{EX}a{step}", f"{EX}e{step // 2}"
        size_of = (EX + "size", Literal(str(step), XSD + "int"))
        label = (PROV + "label", Literal(f"entity {step}"))
        cost = (EX + "cost", Literal("1.5", XSD + "double"))
        found += [
            Element(
                Kind.ENTITY, entity, (collection, size_of, label) if step % 10 == 0 else (size_of, label)
            ),
            Element(Kind.ACTIVITY, activity, (cost,), TIME, TIME),
            statement(GENERATION, entity, activity, time=TIME, attributes=((PROV + "role", Literal("out")),)),
            statement(USAGE, activity, last, time=TIME),
            statement(DERIVATION, entity, last),
        ]
    return found


class Peer(NamedTuple):
    """A library that does the same: ``read`` a text, ``build`` what ``write`` serialises."""

    name: str
    read: Callable[[str], object]
    build: Callable[[], Any]
    write: Callable[[Any], object]


def figures(quick: bool) -> Iterable[Figure]:
    """Each format both ways beside its peer."""
    size, turns = (10_000, 2) if quick else (100_000, 3)
    document = Document(Bundle(None, PREFIXES, tuple(said(size))))
    records = Records.of(written(document, "prov-json"))
    for name, called, read, write in FORMATS:
        if offered(called):
            peer = prov_peer(records, called)
            yield _reading(document, name, peer, read, turns)
            yield _writing(document, name, peer, write, turns)
    for name, called, read_goal, write_goal in RDF_FORMATS:
        peer = rdflib_peer(document, name, called)
        yield _reading(document, name, peer, read_goal, RDF_TURNS)
        yield _writing(document, name, peer, write_goal, RDF_TURNS)


def prov_peer(records: Records, called: str) -> Peer:
    """`prov` for the format that it calls so."""
    return Peer(
        "prov",
        lambda text: ProvDocument.deserialize(content=text, format=called),
        lambda: built(records),
        lambda whole: whole.serialize(format=called),
    )


def rdflib_peer(document: Document, name: str, called: str) -> Peer:
    """`rdflib` for the format that it calls so, with the triples of the document in its own terms."""
    kind = rdflib.Graph if called == "turtle" else rdflib.Dataset

    @cache
    def terms() -> list[Any]:
        return list(rdflib.Graph().parse(data=written(document, "turtle"), format="turtle"))

    def build() -> rdflib.Graph:
        graph = kind()
        for prefix, space in PREFIXES.items():
            graph.bind(prefix, space)
        for triple in terms():
            graph.add(triple)
        return graph

    return Peer(
        "rdflib",
        lambda text: kind().parse(data=text, format=called),
        build,
        lambda graph: graph.serialize(format=called),
    )


def offered(peer: str) -> bool:
    """Whether `prov` has what it needs for a format: for PROV-XML that is lxml."""
    try:
        serializers.get(peer)
    except serializers.DoNotExist:
        return False
    return True


def written(document: Document, name: str) -> bytes:
    return b"".join(formats.write_document(document, name)[0])


def _reading(document: Document, name: str, peer: Peer, goal: float, turns: int) -> Figure:
    data = written(document, name)
    text = data.decode()
    count = len(document.main.statements)
    seconds = take_turns(
        turns,
        {
            "clew": lambda: cpu(lambda: formats.read(data, name)),
            "peer": lambda: cpu(lambda: peer.read(text)),
        },
    )
    each = {side: micros(median(took), count) for side, took in seconds.items()}
    return Figure(
        name=f"{name} read, faster than `{peer.name}`",
        measured=ratio(seconds["peer"], seconds["clew"]),
        goal=goal,
        unit="x",
        peer=f"`{peer.name}`: read the same text",
        least=True,
        note=f"{count:,} statements; Clew {each['clew']} a statement, `{peer.name}` {each['peer']}",
    )


def _writing(document: Document, name: str, peer: Peer, goal: float, turns: int) -> Figure:
    rows = _rows(document)
    whole = peer.build()
    seconds = take_turns(
        turns,
        {
            "clew": lambda: cpu(lambda: written(_made(rows), name)),
            "peer": lambda: cpu(lambda: peer.write(peer.build())),
            "clew alone": lambda: cpu(lambda: written(document, name)),
            "peer alone": lambda: cpu(lambda: peer.write(whole)),
        },
    )
    each = {side: micros(median(took), len(rows)) for side, took in seconds.items()}
    alone = ratio(seconds["peer alone"], seconds["clew alone"])
    return Figure(
        name=f"{name} written, faster than `{peer.name}`",
        measured=ratio(seconds["peer"], seconds["clew"]),
        goal=goal,
        unit="x",
        peer=f"`{peer.name}`: build what is to be written of the same records, and serialize it",
        least=True,
        note=f"Clew {each['clew']} a statement, `{peer.name}` {each['peer']}; serialising alone {alone:.1f}x"
        f" ({each['clew alone']} and {each['peer alone']})",
    )


def built(records: Records) -> ProvDocument:
    """The document of `prov` with these records."""
    document = ProvDocument(namespaces=records.namespaces)
    for record in records.records:
        document.new_record(*record)
    return document


Row = tuple[Callable[..., AnyStatement], tuple[Any, ...]]


def _rows(document: Document) -> list[Row]:
    """What a program has before it makes a document: a kind of statement, and its parts."""
    return [
        (type(one), tuple(getattr(one, field) for field in one.__struct_fields__))
        for one in document.main.statements
    ]


def _made(rows: list[Row]) -> Document:
    return Document(Bundle(None, PREFIXES, tuple([make(*parts) for make, parts in rows])))
