"""Documents for tests: the field cases, short texts, and random ones."""

from __future__ import annotations

from pathlib import Path

from provmodel import formats
from provmodel.document import Document, Element, Extension, Literal, Loss, Remark, Statement
from provmodel.relations import Kind

CASES = Path(__file__).parents[2] / "cases"
EX = "http://example.org/"
PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"
OWN = ("prov-json", "prov-n", "prov-xml")
"""The formats that have no RDF in them."""


def case_bytes(case: str, name: str = "input.json") -> bytes:
    [folder] = CASES.glob(f"{case}-*")
    return (folder / name).read_bytes()


def read_case(case: str, name: str = "input.json") -> Document:
    return formats.read(case_bytes(case, name), name=name)


def through(document: Document, name: str) -> tuple[Document, list[Loss]]:
    """The document as it comes back from a format, and what was said to be lost."""
    chunks, losses = formats.write_document(document, name)
    return formats.read(b"".join(chunks), name), losses


def written(document: Document, name: str) -> str:
    return b"".join(formats.write_document(document, name)[0]).decode()


def elements(document: Document, kind: Kind | None = None) -> dict[str, Element]:
    """The elements of the main part by their ids."""
    found = [one for one in document.main.statements if isinstance(one, Element)]
    return {one.id: one for one in found if kind in (None, one.kind)}


def statements(document: Document) -> list[Statement]:
    """The relations of the main part."""
    return [one for one in document.main.statements if isinstance(one, Statement)]


def extensions(document: Document) -> list[Extension]:
    return [one for one in document.main.statements if isinstance(one, Extension)]


def values(document: Document, name: str) -> list[Literal]:
    """All values of an attribute, in the order of the document."""
    return [value for one in document.main.statements for key, value in one.attributes if key == name]


def noticed(document: Document) -> list[str]:
    return [told(remark) for remark in document.remarks]


def told(remark: Remark) -> str:
    return f"{remark.where}: {remark.what}"
