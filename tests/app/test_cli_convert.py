"""``clew convert`` and ``clew diff``: what they write, what they say of it, and how they end."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from app.faces.cli import app
from app.faces.cli.outcome import run
from provmodel import formats
from provmodel.comparing import same

DOCUMENT = "document\nprefix ex <http://example.org/>\nentity(ex:e, [ex:v=1])\nactivity(ex:a)\nendDocument\n"
JSON = '{"prefix":{"e":"http://example.org/"},"activity":{"e:a":{}},"entity":{"e:e":{"e:v":1}}}'
LOSSY = "document\nprefix ex <http://example.org/>\nentity(ex:e, [ex:1=1])\nex:f(ex:a)\nendDocument\n"


class Done(NamedTuple):
    code: int
    out: str
    err: str


Clew = Callable[..., Done]


@pytest.fixture
def clew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Clew:
    """Runs a command in a folder with these documents, in this process."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("CLEW_")]:
        monkeypatch.delenv(name)
    for name, text in (("one.provn", DOCUMENT), ("two.json", JSON), ("lossy.provn", LOSSY)):
        (tmp_path / name).write_text(text)

    def command(*arguments: str) -> Done:
        code = run(app, list(arguments))
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return command


def test_a_document_is_written_to_standard_output_and_nothing_is_said(clew: Clew) -> None:
    done = clew("convert", "one.provn", "--to", "prov-xml")
    assert (done.code, done.err) == (0, "")
    assert same(formats.read(done.out.encode(), "prov-xml"), formats.read(DOCUMENT.encode()))


def test_the_format_is_told_by_the_file_to_write(clew: Clew, tmp_path: Path) -> None:
    assert clew("convert", "one.provn", "-o", "out.json") == Done(0, "", "")
    assert (tmp_path / "out.json").read_bytes().startswith(b'{"prefix":{"ex":"http://example.org/"}')


def test_standard_input_is_read(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DOCUMENT.encode())))
    assert clew("convert", "-", "--to", "prov-n") == Done(0, DOCUMENT, "")


def test_what_is_lost_and_what_was_noticed_is_said_on_standard_error(clew: Clew) -> None:
    done = clew("convert", "lossy.provn", "--to", "prov-xml")
    assert done.code == 0
    assert "lossy.provn: line 4 column 1: ex:f is an extension; it is carried, not interpreted" in done.err
    assert "lost in prov-xml: the attribute <http://example.org/1> of http://example.org/1" in done.err
    assert "lost in prov-xml: the statement <http://example.org/f>" in done.err


def test_the_report_is_json_beside_a_file_and_on_standard_error_beside_the_document(clew: Clew) -> None:
    done = clew("convert", "lossy.provn", "-o", "out.xml", "--json")
    report = json.loads(done.out)
    assert (report["to"], report["output"], len(report["losses"])) == ("prov-xml", "out.xml", 2)
    done = clew("convert", "lossy.provn", "--to", "prov-xml", "--json")
    assert len(json.loads(done.err)["remarks"]) == 1
    assert done.out.startswith("<?xml")


def test_lossless_writes_all_or_nothing(clew: Clew, tmp_path: Path) -> None:
    assert clew("convert", "lossy.provn", "-o", "out.xml", "--lossless").code == 1
    assert not (tmp_path / "out.xml").exists()
    assert clew("convert", "lossy.provn", "-o", "out.provn", "--lossless").code == 0
    assert (tmp_path / "out.provn").exists()


def test_what_can_not_be_read_leaves_the_file_as_it_was(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "bad.provn").write_text("document entity(ex:e) endDocument")
    (tmp_path / "out.xml").write_text("before")
    done = clew("convert", "bad.provn", "-o", "out.xml")
    assert (done.code, done.out) == (3, "")
    assert "bad.provn: line 1 column 10: the prefix 'ex' of 'ex:e' is not declared" in done.err
    assert (tmp_path / "out.xml").read_text() == "before"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("one.provn",), "it isn't said which format to write; use one of"),
        (("one.provn", "--to", "docx"), "'docx' is not offered; use one of"),
        (("one.provn", "-o", "out.txt"), "it isn't said which format to write"),
        (("absent.provn", "--to", "prov-n"), "absent.provn: No such file or directory"),
        (("one.provn", "--to", "prov-n", "--format", "prov-xml"), "this is not XML"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_line(clew: Clew, arguments: tuple[str, ...], said: str) -> None:
    done = clew("convert", *arguments)
    assert (done.code, done.out) == (3, "")
    assert said in done.err


def test_two_documents_that_say_the_same_have_no_difference_whatever_their_formats(clew: Clew) -> None:
    assert clew("diff", "one.provn", "two.json") == Done(0, "", "")


def test_a_difference_is_told_line_by_line_by_the_documents_prefixes(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "three.provn").write_text(DOCUMENT.replace("ex:v=1", "ex:v=2").replace("activity(ex:a)", ""))
    done = clew("diff", "one.provn", "three.provn")
    assert done == Done(
        1, '- activity ex:a\n- entity ex:e ex:v "1"^^xsd:int\n+ entity ex:e ex:v "2"^^xsd:int\n', ""
    )


def test_a_difference_in_a_bundle_names_the_bundle_and_json_has_it_whole(clew: Clew, tmp_path: Path) -> None:
    inner = "bundle ex:b entity(ex:x) endBundle endDocument"
    (tmp_path / "three.provn").write_text(DOCUMENT.replace("endDocument", inner))
    assert clew("diff", "one.provn", "three.provn").out == "+ in ex:b: bundle\n+ in ex:b: entity ex:x\n"
    found = json.loads(clew("diff", "one.provn", "three.provn", "--json").out)
    assert found["same"] is False
    assert found["only_first"] == []
    assert found["only_second"][1] == {
        "bundle": "http://example.org/b",
        "says": "entity <http://example.org/x>",
    }


def test_many_differences_are_cut_on_the_terminal_and_counted(clew: Clew, tmp_path: Path) -> None:
    many = "".join(f"entity(ex:e{number})\n" for number in range(150))
    (tmp_path / "many.provn").write_text(f"document\nprefix ex <http://example.org/>\n{many}endDocument")
    lines = clew("diff", "one.provn", "many.provn").out.splitlines()
    assert lines[-1] == "+ and 50 more; --json lists all"
