"""Documents: PROV-JSON, PROV-N and PROV-XML read and written, and `prov` doing the same.

The document is what a recorder of runs writes: entities and activities with a few attributes, and what was
used, made and derived. Both sides read the same bytes. Writing begins where a program begins, with records in
the library's own terms, and makes the document of them; what serialising alone takes is told beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

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
# The format, its name in `prov`, and how many times faster reading and writing are to be.
FORMATS = (("prov-json", "json", 3, 15), ("prov-n", "provn", 10, 5), ("prov-xml", "xml", 5, 5))


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


def figures(quick: bool) -> Iterable[Figure]:
    """Each format both ways beside `prov`."""
    size, turns = (10_000, 2) if quick else (100_000, 3)
    document = Document(Bundle(None, PREFIXES, tuple(said(size))))
    records = Records.of(written(document, "prov-json"))
    for name, peer, read, write in FORMATS:
        if offered(peer):
            yield _reading(document, name, peer, read, turns)
            yield _writing(document, records, name, peer, write, turns)


def offered(peer: str) -> bool:
    """Whether `prov` has what it needs for a format: for PROV-XML that is lxml."""
    try:
        serializers.get(peer)
    except serializers.DoNotExist:
        return False
    return True


def written(document: Document, name: str) -> bytes:
    return b"".join(formats.write_document(document, name)[0])


def _reading(document: Document, name: str, peer: str, goal: float, turns: int) -> Figure:
    data = written(document, name)
    text = data.decode()
    count = len(document.main.statements)
    seconds = take_turns(
        turns,
        {
            "clew": lambda: cpu(lambda: formats.read(data, name)),
            "prov": lambda: cpu(lambda: ProvDocument.deserialize(content=text, format=peer)),
        },
    )
    each = {side: micros(median(took), count) for side, took in seconds.items()}
    return Figure(
        name=f"{name} read, faster than `prov`",
        measured=ratio(seconds["prov"], seconds["clew"]),
        goal=goal,
        unit="x",
        peer="`prov`: deserialize the same text",
        least=True,
        note=f"{count:,} statements; Clew {each['clew']} a statement, `prov` {each['prov']}",
    )


def _writing(document: Document, records: Records, name: str, peer: str, goal: float, turns: int) -> Figure:
    rows = _rows(document)
    whole = built(records)
    seconds = take_turns(
        turns,
        {
            "clew": lambda: cpu(lambda: written(_made(rows), name)),
            "prov": lambda: cpu(lambda: built(records).serialize(format=peer)),
            "clew alone": lambda: cpu(lambda: written(document, name)),
            "prov alone": lambda: cpu(lambda: whole.serialize(format=peer)),
        },
    )
    each = {side: micros(median(took), len(rows)) for side, took in seconds.items()}
    alone = ratio(seconds["prov alone"], seconds["clew alone"])
    return Figure(
        name=f"{name} written, faster than `prov`",
        measured=ratio(seconds["prov"], seconds["clew"]),
        goal=goal,
        unit="x",
        peer="`prov`: build the document of the same records, and serialize it",
        least=True,
        note=f"Clew {each['clew']} a statement, `prov` {each['prov']}; serialising alone {alone:.1f}x"
        f" ({each['clew alone']} and {each['prov alone']})",
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
