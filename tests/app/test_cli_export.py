"""``clew export`` in every format: named, or told by the file; what is lost is told, here and by a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from provmodel import formats
from provmodel.comparing import same
from tests.app.commands import OUTPUT, Clew, address_of, start
from tests.patience import HANGING

READABLE = [name for name in formats.writable() if formats.documents()[name].read]


@pytest.mark.parametrize("form", READABLE)
def test_a_file_is_written_in_the_format_of_its_name(recorded: Clew, tmp_path: Path, form: str) -> None:
    ending = formats.by_name(form).endings[0]
    done = recorded("export", "-o", f"out{ending}")
    assert done.code == 0
    written = (tmp_path / f"out{ending}").read_bytes()
    assert written == recorded("export", "--format", form).raw
    whole = formats.read(recorded("export").raw, "prov-json")
    assert same(formats.read(written, form), whole)


def test_a_format_may_be_named_without_its_hyphens(recorded: Clew) -> None:
    assert recorded("export", "--format", "nquads").raw == recorded("export", "--format", "n-quads").raw


def test_what_is_lost_is_told_on_standard_error_or_as_json(recorded: Clew) -> None:
    shown = recorded("export", "--format", "dot")
    assert shown.out.startswith("digraph")
    assert "lost in dot: the content of" in shown.err
    told = recorded("export", "--json", "-o", "out.graphml").json
    assert (told["to"], told["output"]) == ("graphml", "out.graphml")
    assert {loss["why"] for loss in told["losses"]} == {"every value in GraphML is a text"}
    both = recorded("export", "--format", "prov-n", "--json")
    assert json.loads(both.err) == {"to": "prov-n", "output": None, "losses": []}


def test_a_server_tells_what_is_lost(recorded: Clew, tmp_path: Path) -> None:
    server = start(tmp_path, "serve", "--port", "0")
    try:
        url = address_of(server)
        here = recorded("export", "--json", "-o", "here.graphml").json
        there = recorded("export", "--json", "-o", "there.graphml", "--url", url).json
        assert there["losses"] == here["losses"]
        assert (tmp_path / "here.graphml").read_bytes() == (tmp_path / "there.graphml").read_bytes()
    finally:
        server.terminate()
        server.communicate(timeout=HANGING)


def test_an_answer_is_exported_as_a_picture(recorded: Clew) -> None:
    shown = recorded("export", "--format", "dot", "--question", "inputs-of", "--target", OUTPUT)
    assert "about:gap/" in shown.out
    assert "t:call:2" in shown.out


def test_an_answer_is_exported_within_limits_as_a_server_does_it(recorded: Clew, tmp_path: Path) -> None:
    asked = ("export", "--question", "inputs-of", "--target", OUTPUT)
    whole = json.loads(recorded(*asked).raw)
    near = recorded(*asked, "--depth", "1")
    assert len(json.loads(near.raw)["entity"]) < len(whole["entity"])
    assert "clew:truncated" in near.out
    assert "used" not in json.loads(recorded(*asked, "--hide", "observed").raw)
    server = start(tmp_path, "serve", "--port", "0")
    try:
        assert recorded(*asked, "--depth", "1", "--url", address_of(server)).raw == near.raw
    finally:
        server.terminate()
        server.communicate(timeout=HANGING)


def test_plain_lineage_is_exported_and_a_question_may_be_about_a_run(recorded: Clew) -> None:
    ahead = recorded("export", "--question", "lineage", "--target", "call:1", "--direction", "forward")
    assert "call:2" in ahead.out
    gaps = recorded("export", "--question", "gaps-of", "--run", "run:1")
    assert gaps.code == 0
    refused = recorded("export", "--question", "inputs-of", "--target", OUTPUT, "--run", "run:1")
    assert (refused.code, "run: there is no such parameter" in refused.err) == (3, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--depth", "1"), "depth: it belongs to a question; name the question, too"),
        (("--replay", "run:1", "--format", "turtle"), "what a re-run needs is written whole"),
    ],
)
def test_what_does_not_go_together_is_told(recorded: Clew, given: tuple[str, ...], said: str) -> None:
    refused = recorded("export", *given)
    assert (refused.code, said in refused.err) == (3, True)


def test_without_graphviz_the_command_says_what_to_install(
    recorded: Clew, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = recorded("export", "-o", "out.svg")
    assert done.code == 3
    assert "install Graphviz, or write dot" in done.err
    assert recorded("export", "-o", "out.provn").code == 0
    assert recorded("convert", "out.provn", "-o", "out.svg").code == 3
    assert not (tmp_path / "out.svg").exists()


def test_a_document_is_converted_to_what_only_shows_it(recorded: Clew, tmp_path: Path) -> None:
    assert recorded("export", "-o", "out.provn").code == 0
    for form in ("dot", "graphml", "csv"):
        done = recorded("convert", "out.provn", "-o", f"out.{form}", "--json")
        assert done.code == 0
        assert done.json["to"] == form
        assert (tmp_path / f"out.{form}").stat().st_size
    assert recorded("convert", "out.dot", "--to", "prov-n").code == 3
