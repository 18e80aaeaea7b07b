"""PROV documents and what becomes of them in a service, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.service import Sent, Service
from provmodel import formats
from provmodel.comparing import Difference, difference
from provmodel.document import Document
from queries.lineage import LINEAGE

CASES = Path(__file__).parents[1] / "cases"
EX = "http://example.org/"
HOUSE = "document\nprefix ex <http://example.org/>\nprefix clew <urn:x-clew:ns#>\n{}\nendDocument\n"


def case(number: str, name: str = "") -> Sent:
    """The input of a field case."""
    [folder] = CASES.glob(f"{number}-*")
    file = folder / name if name else next(iter(sorted(folder.glob("input*"))))
    return Sent(data=file.read_bytes(), file=file.name)


def provn(*statements: str, **more: Any) -> Sent:
    """A document in PROV-N of these statements."""
    return Sent(data=HOUSE.format("\n".join(statements)).encode(), **more)


def said(sent: Sent) -> Document:
    """What was sent, as it is read."""
    return formats.read(sent.data, sent.form or None, sent.file or None)


def exported(service: Service, form: str = "prov-json", assertions: str = "all", **what: Any) -> bytes:
    return b"".join(service.export(form, assertions, **what).chunks)


def changed(service: Service, sent: Sent, ref: str, form: str) -> tuple[Difference, int]:
    """What an export of a document says differently than what was sent, and how many losses are told."""
    export = service.export(form, document=ref)
    back = formats.read(b"".join(export.chunks), form)
    return difference(said(sent), back), len(export.losses)


def ex(*names: str) -> list[str]:
    """References of nodes that documents name in the namespace of the examples."""
    return [f"<{EX}{name}>" for name in names]


def asked(service: Service, question: str, target: str, **more: Any) -> Any:
    given = {"target": [target], **{name: [str(value)] for name, value in more.items()}}
    return service.ask(question, given).answer.graph


def reached(service: Service, question: str, target: str, **more: Any) -> set[str]:
    """The nodes of an answer."""
    return {node.ref for node in asked(service, question, target, **more).nodes}


def edges(service: Service, target: str, policy: str = "why") -> list[tuple[str, str, str, list[Any]]]:
    """The edges of a lineage: source, term, target and (evidence, stance, asserter) of each assertion."""
    graph = _lineage(service, target, policy)
    return [
        (edge.source, edge.term, edge.target, [(a.evidence, a.stance, a.asserter) for a in edge.assertions])
        for edge in graph.edges
    ]


def _lineage(service: Service, target: str, policy: str) -> Any:
    return service.answer(LINEAGE, {"target": [target], "policy": [policy]}).answer.graph
