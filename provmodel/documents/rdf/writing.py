"""A document as Turtle, TriG or N-Quads, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from provmodel.document import RDF, Document, Loss
from provmodel.documents.faults import Losses
from provmodel.documents.rdf.encoding import Encoder
from provmodel.documents.rdf.spelling import Names, usable, visible

_AND = " ;\n    "


def turtle(document: Document, told: list[Loss], named_graphs: bool = False) -> Iterator[bytes]:
    """The document as Turtle, or with ``named_graphs`` as TriG; what it can't hold is added to ``told``."""
    losses = Losses(told)
    prefixes = _prefixes(document)
    labels = count(1)
    declared = "".join(f"@prefix {prefix}: <{visible(space)}> .\n" for prefix, space in prefixes.items())
    yield (declared + "\n").encode()
    for number, part in enumerate(document.parts):
        if number and not named_graphs:
            losses.add(f"<{part.id}>", "the bundle", "Turtle has no named graphs; TriG has")
            continue
        names = Names(prefixes, labels)
        if number and not part.statements:
            losses.add(f"<{part.id}>", "a bundle that says nothing", "readers of RDF see no empty graph")
        encoder = Encoder(part, names, losses, "a")
        yield f"{names[str(part.id)]} {{\n".encode() if number else b""
        for batch in encoder.batches():
            yield "".join([f"{subject} {_AND.join(said)} .\n" for subject, said in batch]).encode()
        yield b"}\n" if number else b""
    losses.tell()


def quads(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as N-Quads; what they can't hold is added to ``told``."""
    losses = Losses(told)
    labels = count(1)
    for number, part in enumerate(document.parts):
        names = Names({}, labels)
        if number and not part.statements:
            losses.add(f"<{part.id}>", "a bundle that says nothing", "readers of RDF see no empty graph")
        encoder = Encoder(part, names, losses, f"<{RDF}type>")
        end = f" {names[str(part.id)]} .\n" if number else " .\n"
        for batch in encoder.batches():
            lines = [f"{subject} {one}{end}" for subject, said in batch for one in said]
            yield "".join(lines).encode()
    losses.tell()


def _prefixes(document: Document) -> dict[str, str]:
    """Those of the main part, and of bundles where they say nothing else."""
    found = dict(document.main.prefixes)
    for bundle in document.bundles:
        for prefix, space in bundle.prefixes.items():
            found.setdefault(prefix, space)
    return usable(found)
