"""DOT, SVG, GraphML and CSV: what is shown of a document, what is told to be lost, and hostile labels."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree  # read what Clew wrote itself

import networkx
import pytest
from hypothesis import given, settings

from provmodel import formats
from provmodel.document import Document, Loss
from provmodel.errors import Absent, BadQuestion, TooLarge
from provmodel.formats import svg
from tests.needs import missing
from tests.patience import HANGING
from tests.provmodel.formats.documents import EX, written
from tests.provmodel.formats.random_documents import documents

SHOWN = ("dot", "graphml", "csv")
HEAD = """document
prefix ex <http://example.org/>
prefix clew <urn:x-clew:ns#>
"""
STORY = f"""{HEAD}
entity(ex:report, [prov:label="The report", prov:type='prov:Plan', ex:size="12" %% xsd:int])
activity(ex:write, 2024-01-01T00:00:00Z, -)
agent(ex:bob)
used(ex:u; ex:write, ex:fees, 2024-01-01T00:00:00Z, [prov:role="input", clew:evidence="observed"])
wasGeneratedBy(ex:g; ex:report, ex:write, -, [clew:evidence="declared"])
wasDerivedFrom(ex:report, ex:fees, ex:write, ex:g, ex:u,
  [prov:type='prov:Revision', clew:evidence="inferred"])
wasAssociatedWith(ex:write, ex:bob, ex:plan, [clew:evidence="verified"])
bundle ex:b
entity(ex:report)
endBundle
endDocument
"""
HOSTILE = (
    "</text><script>alert(1)</script>",
    'a" , URL="javascript:alert(1)',
    'x\\\\\\" ]; evil [label="y',
    "\\N \\G \\L \\\\N \\E",
    "&lt;b&gt; &amp; &#65;",
    "<table><tr><td>html</td></tr></table>",
    "line\nbreak\r\ttab \x00\x1b[31m \u202e\u2028 ]]> --> \ufffe",
    "=1+1",
    "  =cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\uff1d1+1",
)


def read(text: str) -> Document:
    return formats.read(text.encode(), "prov-n")


def told(document: Document, name: str) -> list[Loss]:
    chunks, losses = formats.write_document(document, name)
    assert b"".join(chunks)
    return losses


def labelled(label: str) -> Document:
    """A document in which a hostile text is a label, a value, a role and a part of names."""
    text = (
        '{"prefix":{"ex":"http://example.org/"},"entity":{"ex:a":{"prov:label":"x","ex:v":"x"},"ex:-b":{}},'
        '"used":{"ex:u":{"prov:activity":"ex:c","prov:entity":"ex:a","prov:role":"x"}}}'
    )
    return formats.read(text.replace('"x"', _json(label)).encode(), "prov-json")


def _json(text: str) -> str:
    return '"' + "".join(f"\\u{unit:04x}" for unit in map(ord, text)) + '"'


def need_graphviz() -> None:
    if shutil.which("dot") is None:
        missing("Graphviz is not installed")


# --- DOT ---


def test_a_picture_has_the_shapes_and_colours_of_prov() -> None:
    text = written(read(STORY), "dot")
    assert 'label="ex:report\\nThe report\\nprov:Plan", shape=ellipse, fillcolor="#FFFC87"' in text
    assert 'label="ex:write", shape=box, fillcolor="#9FB1FC"' in text
    assert 'label="ex:bob", shape=house, fillcolor="#FED37F"' in text


def test_a_node_that_is_only_named_is_white_and_dashed() -> None:
    assert 'label="ex:fees", shape=ellipse, fillcolor="#FFFFFF", style="filled,dashed"' in written(
        read(STORY), "dot"
    )


@pytest.mark.parametrize(
    ("evidence", "look"),
    [
        ("verified", "style=solid, penwidth=2.4"),
        ("observed", "style=solid, penwidth=1.4"),
        ("declared", "style=dashed, penwidth=1.2"),
        ("inferred", "style=dotted, penwidth=1.2"),
    ],
)
def test_the_line_of_an_edge_says_how_well_it_is_known(evidence: str, look: str) -> None:
    edges = [line for line in written(read(STORY), "dot").splitlines() if f'{evidence}", ' in line]
    assert len(edges) == 1
    assert look in edges[0]


def test_a_relation_of_three_ends_is_drawn_over_a_point() -> None:
    text = written(read(STORY), "dot")
    assert 'label="wasAssociatedWith\\nverified"' in text
    assert re.search(r'  np\d+ -> n\d+ \[color="#808080", label="plan"\]', text)


def test_a_bundle_is_a_cluster_of_its_own() -> None:
    assert 'subgraph cluster_1 {\n  label="bundle ex:b";\n' in written(read(STORY), "dot")


def test_a_refuted_relation_is_drawn_as_refuted() -> None:
    text = f"""{HEAD}
entity(ex:r, [prov:type='clew:RefutedRelation', clew:term='prov:used',
  clew:subject='ex:c', clew:argument='ex:e'])
endDocument"""
    drawn = written(read(text), "dot")
    assert "refuted: used" in drawn
    assert "arrowhead=tee" in drawn
    assert "ex:r" not in drawn.replace("http://example.org/r", "").split("tooltip")[0]


def test_what_prov_forbids_is_red_and_what_it_allows_is_not() -> None:
    text = f"{HEAD}entity(ex:a)\nactivity(ex:a)\nentity(ex:b)\nagent(ex:b)\nendDocument"
    drawn = written(read(text), "dot")
    assert re.search(r'ex:a\\nentity and activity", .*peripheries=2, color="#B00020"', drawn)
    assert re.search(r'ex:b\\nentity and agent", .*peripheries=2, tooltip', drawn)


def test_the_assertions_of_an_export_are_left_out_of_a_picture_and_that_is_told() -> None:
    text = f"""{HEAD}
entity(ex:a, [prov:type='clew:Assertion', clew:relation='ex:rel'])
agent(ex:s)
wasAttributedTo(ex:a, ex:s)
endDocument"""
    document = read(text)
    assert "ex:a" not in written(document, "dot")
    assert [loss.where for loss in told(document, "dot")] == [
        "1 entities of the type clew:Assertion",
        "http://example.org/s",
    ]
    assert "example.org/a" in written(document, "graphml")


# --- SVG ---


def test_graphviz_draws_every_hostile_label_as_it_is() -> None:
    need_graphviz()
    for label in HOSTILE:
        drawn = written(labelled(label), "svg")
        tree = ElementTree.fromstring(drawn)
        tags = {element.tag.rpartition("}")[2] for element in tree.iter()}
        assert tags <= {"svg", "g", "title", "ellipse", "polygon", "path", "text", "a"}
        links = [value for element in tree.iter() for name, value in element.items() if name.endswith("href")]
        assert not links
    texts = [element.text for element in ElementTree.fromstring(written(labelled("&lt;\\N"), "svg")).iter()]
    assert "&lt;\\N" in texts


def test_without_graphviz_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Absent, match="install Graphviz, or write dot"):
        written(read(STORY), "svg")


def test_a_graphviz_that_draws_nothing_or_takes_too_long_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "dot"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(Absent, match="ended with 3"):
        written(read(STORY), "svg")
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(svg, "SECONDS", 0.2)
    with pytest.raises(TooLarge, match="export it as dot"):
        written(read(STORY), "svg")


def test_a_picture_that_nobody_could_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    need_graphviz()
    monkeypatch.setattr(svg, "MOST", 5)
    with pytest.raises(TooLarge, match="are more than the limit of 5"):
        written(read(STORY), "svg")


# --- GraphML ---


def test_graphml_is_read_by_networkx_with_every_end_and_attribute() -> None:
    graph = networkx.read_graphml(io.BytesIO(written(read(STORY), "graphml").encode()), force_multigraph=True)
    by_iri = {data["iri"]: name for name, data in graph.nodes(data=True) if "bundle" not in data}
    assert graph.nodes[by_iri["http://example.org/report"]]["prov:label"] == "The report"
    assert graph.nodes[by_iri["http://example.org/fees"]]["declared"] == "false"
    edges = list(graph.edges(by_iri["http://example.org/write"], data=True))
    arguments = {(data["relation"], data["argument"]) for *_, data in edges}
    assert arguments == {("used", "entity"), ("wasAssociatedWith", "agent"), ("wasAssociatedWith", "plan")}
    assert {data["clew:evidence"] for *_, data in edges} == {"observed", "verified"}
    assert {data.get("bundle") for _, data in graph.nodes(data=True)} == {None, "http://example.org/b"}


def test_graphml_tells_what_it_can_not_hold() -> None:
    document = read(
        f'{HEAD}entity(ex:e, [ex:v="1" %% xsd:int, ex:v="x"@en])\nwasGeneratedBy(ex:e, -, -)\nendDocument'
    )
    assert sorted(loss.what for loss in told(document, "graphml")) == [
        "that a text is in the language en",
        "that a value is of type xsd:int",
        "the relation wasGeneratedBy, of which but one end is given",
    ]


@pytest.mark.parametrize("label", HOSTILE)
def test_every_hostile_label_stands_in_graphml_as_it_is_or_is_told(label: str) -> None:
    document = labelled(label)
    graph = networkx.read_graphml(io.BytesIO(written(document, "graphml").encode()))
    labels = {data.get("prov:label") for _, data in graph.nodes(data=True)}
    assert label in labels or any(loss.what == "control characters" for loss in told(document, "graphml"))


# --- CSV ---


def rows(document: Document) -> list[dict[str, str]]:
    text = written(document, "csv")
    assert text.endswith("\r\n")
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    assert all(None not in row and None not in row.values() for row in found)  # as many cells as columns
    return found


def test_csv_has_a_row_for_each_statement_end_and_value() -> None:
    found = [row for row in rows(read(STORY)) if row["id"] == "http://example.org/u"]
    assert {row["statement"] for row in found} == {"4"}
    assert [(row["kind"], row["argument"], row["attribute"].rpartition("#")[2]) for row in found] == [
        ("used", "", ""),
        ("", "entity", ""),
        ("", "", "role"),
        ("", "", "evidence"),
    ]
    assert found[1]["object"] == "http://example.org/fees"


@pytest.mark.parametrize("label", HOSTILE)
def test_no_cell_is_run_as_a_formula_and_a_changed_text_is_told(label: str) -> None:
    document = labelled(label)
    found = rows(document)
    for row in found:
        for cell in row.values():
            assert cell.lstrip()[:1] not in set("=+-@\uff1d")
            assert cell[:1] not in set("\t\r")
    changed = label not in [row["value"] for row in found]
    assert changed == bool(told(document, "csv"))


def test_csv_has_what_extensions_say() -> None:
    document = read(f'{HEAD}ex:guessed(ex:g; ex:a, "b", {{ex:c, ex:d}}, [ex:v="1"])\nendDocument')
    found = [(row["argument"], row["object"], row["value"]) for row in rows(document)]
    assert found == [
        ("", "", ""),
        ("1", f"{EX}a", ""),
        ("2", "", "b"),
        ("3", f"{EX}c", ""),
        ("3", f"{EX}d", ""),
        ("", "", "1"),
    ]


def test_a_number_below_zero_is_no_formula() -> None:
    document = read(f'{HEAD}entity(ex:e, [ex:v="-1.5e3" %% xsd:double])\nendDocument')
    assert [row["value"] for row in rows(document) if row["value"]] == ["-1.5e3"]
    assert not told(document, "csv")


# --- all of them ---


@pytest.mark.parametrize("name", [*SHOWN, "svg"])
def test_what_is_only_shown_can_not_be_read(name: str) -> None:
    with pytest.raises(BadQuestion, match="use one of"):
        formats.read(b"x", name)


@pytest.mark.parametrize("name", SHOWN)
@given(document=documents)
@settings(max_examples=40, deadline=None)
def test_any_document_is_shown(name: str, document: Document) -> None:
    text = written(document, name)
    assert text.endswith("\n")
    if name == "graphml":
        ElementTree.fromstring(text.encode())


@given(document=documents)
@settings(max_examples=15, deadline=None)
def test_graphviz_understands_the_dot_of_any_document(document: Document) -> None:
    need_graphviz()
    text = written(document, "dot").encode()
    done = subprocess.run(["dot", "-Tcanon"], check=False, input=text, capture_output=True, timeout=HANGING)
    assert done.returncode == 0
    assert done.stderr == b""
