"""How the command line looks: help that is whole, and tables that break no word that fits."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from app import demo
from app.faces.cli import terminal
from app.faces.cli.terminal import REFERENCE, table
from queries import shelf
from tests.app.commands import Clew
from tests.app.faces import service_at

LONG = "retraction:records-office/records-office-15;notice"
WORDS = "a first reminder has been free since then, whatever the tariff says of it"


def drawn(width: int, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, ...]]) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    screen = Console(width=width)
    with screen.capture() as captured:
        screen.print(table("", (REFERENCE, "kind", "found in"), rows))
    return captured.get()


def test_version_is_an_option_too(clew: Clew) -> None:
    assert clew("--version").out == clew("version").out


def test_help_tells_the_whole_sentence_of_each_command(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    told = " ".join(clew("ask", "--help").out.split())
    assert all(question.sentence in told for question in shelf.questions().values())
    for words in ((), ("case",), ("retention",), ("db",), ("key",), ("content",), ("restriction",)):
        assert "..." not in clew(*words, "--help").out.replace("[ARGS]...", "")


@pytest.mark.parametrize("width", [80, 100])
def test_a_table_breaks_between_words_alone_as_long_as_they_fit(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = drawn(width, monkeypatch, [(LONG, "CandidateAction", WORDS)])
    assert max(map(len, told.splitlines())) <= width
    assert LONG in told
    assert set(WORDS.split()) <= set(told.split())


def test_a_reference_that_no_line_has_room_for_breaks_after_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    told = drawn(44, monkeypatch, [(LONG, "CandidateAction", "words")])
    assert max(map(len, told.splitlines())) <= 44
    first = [line.split()[0] for line in told.splitlines()[2:] if line.strip()]
    assert "".join(first) == LONG
    assert all(piece[-1] in "/;:-" for piece in first[:-1])


def test_in_a_pipe_nothing_is_folded(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal.console().width == terminal.UNBOUNDED


def test_search_and_answers_give_a_thing_one_type(clew: Clew, tmp_path: Path) -> None:
    with service_at(f"sqlite:///{tmp_path / 'clew.db'}", tmp_path) as service:
        demo.load(service)
    [hit] = clew("search", "late-fees-february", "--kind", "entity", "--json").json["nodes"]
    answer = clew("ask", "inputs-of", "--target", hit["ref"], "--json").json
    [node] = [one for one in answer["graph"]["nodes"] if one["ref"] == hit["ref"]]
    assert hit["type"] == node["type"] == "clew:Occurrence"


def test_plain_lineage_is_a_command_of_its_own(recorded: Clew) -> None:
    ahead = recorded("lineage", "--target", "call:1", "--direction", "forward", "--json").json
    assert "call:2" in {node["ref"] for node in ahead["graph"]["nodes"]}
    assert "lineage" in recorded("--help").out


def test_help_names_no_types_of_python_and_says_what_holds_when_left_out(clew: Clew) -> None:
    shown = clew("ingest", "--help").out
    assert shown.startswith("Usage: clew ingest [OPTIONS] FILE...\n")
    listed = clew("documents", "--help").out
    assert "--limit N         How many are listed. 1 to 1000. [100]" in listed
    created = clew("key", "create", "--help").out
    assert not any(word in shown + listed + created for word in ("<", "{", "list[", "default:"))


def test_a_time_alone_is_told_to_the_second_and_goes_on_between_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = "2026-03-09T10:59:00.123456Z"
    [row] = drawn(30, monkeypatch, [(f"log:{time}", time, "x")]).splitlines()[2:3]
    assert "2026-03-09" in row
    assert "10:59:00.123456Z" in "".join(drawn(80, monkeypatch, [(f"log:{time}", time, "x")]).split())
    assert "2026-03-09 10:59:00Z" in drawn(80, monkeypatch, [(f"log:{time}", time, "x")])


def test_a_title_is_not_folded_to_the_width_of_its_table() -> None:
    screen = Console(width=80)
    with screen.capture() as captured:
        screen.print(table("Would lose the name that they are known by", (REFERENCE,), [("a:1",)]))
    assert captured.get().startswith("Would lose the name that they are known by\n")
