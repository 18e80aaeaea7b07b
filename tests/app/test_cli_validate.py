"""``clew validate``: what it judges, what it prints, and how it ends."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.faces.cli import app
from app.faces.cli.outcome import run
from tests.app.faces import event

HEAD = "document\nprefix ex <http://example.org/>\n"
GOOD = HEAD + "entity(ex:x)\nendDocument\n"
BAD = HEAD + "entity(ex:x)\nactivity(ex:x)\nendDocument\n"
LATE = HEAD + "activity(ex:a, 2024-01-02T00:00:00Z, 2024-01-01T00:00:00Z)\nendDocument\n"
UNREADABLE = HEAD + "entity(other:x)\nendDocument\n"


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Clew = Callable[..., Done]


@pytest.fixture
def clew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Clew:
    """Runs a command in a folder with these documents, in this process."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("CLEW_")]:
        monkeypatch.delenv(name)
    for name, text in (("good", GOOD), ("bad", BAD), ("late", LATE), ("unreadable", UNREADABLE)):
        (tmp_path / f"{name}.provn").write_text(text)

    def command(*arguments: str) -> Done:
        code = run(app, list(arguments))
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return command


def test_it_ends_with_0_when_all_are_valid(clew: Clew) -> None:
    assert clew("validate", "good.provn", "good.provn") == Done(0, "good.provn: valid\n" * 2, "")


def test_it_ends_with_2_when_one_is_not_and_says_why(clew: Clew) -> None:
    done = clew("validate", "good.provn", "bad.provn")
    assert done.code == 2
    assert "bad.provn: not valid, for 1 reason\n" in done.out
    assert "ex:x is both an entity and an activity.\n" in done.out
    assert "Nothing is both an entity and an activity. [constraint 55" in done.out
    assert "1. entity(ex:x)" in done.out


def test_it_ends_with_3_when_one_can_not_be_read_and_still_judges_the_others(clew: Clew) -> None:
    done = clew("validate", "unreadable.provn", "absent.provn", "bad.provn")
    assert done.code == 3
    assert "unreadable.provn: line 3" in done.err
    assert "'other'" in done.err
    assert "absent.provn: No such file" in done.err
    assert "bad.provn: not valid" in done.out


def test_json_is_one_object_a_file(clew: Clew) -> None:
    done = clew("validate", "good.provn", "bad.provn", "unreadable.provn", "--json")
    assert done.code == 3
    good, bad, unreadable = done.json
    assert (good["file"], good["valid"], good["violations"]) == ("good.provn", True, [])
    assert (bad["file"], bad["valid"], len(bad["violations"])) == ("bad.provn", False, 1)
    assert bad["violations"][0]["constraint"] == "55"
    assert (unreadable["valid"], unreadable["violations"]) == (None, [])
    assert unreadable["error"]["where"] == "line 3 column 1"


def test_clocks_make_nothing_invalid_and_are_told_apart(clew: Clew) -> None:
    done = clew("validate", "late.provn")
    assert done.code == 0
    assert done.out.startswith("late.provn: valid\n\nClocks contradict the order of events.")
    [told] = clew("validate", "late.provn", "--json").json
    assert [one["kind"] for one in told["clock"]] == ["end-before-start"]


def test_a_document_may_come_by_standard_input(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    assert clew("validate", "-", "--format", "prov-n").code == 2


def test_the_format_may_be_named_and_must_be_one(clew: Clew) -> None:
    assert clew("validate", "good.provn", "-f", "prov-json").code == 3
    done = clew("validate", "good.provn", "-f", "prose")
    assert done.code == 3
    assert "'prose' is not offered" in done.err


def test_it_takes_files_or_a_ledger(clew: Clew) -> None:
    for arguments in ((), ("good.provn", "--db", "clew.db")):
        done = clew("validate", *arguments)
        assert done.code == 3
        assert "give files, or a ledger with --db" in done.err


def test_what_is_in_a_ledger_is_judged_as_it_is_exported(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "events.json").write_text(json.dumps([event(0), event(1)]))
    assert clew("ingest", "events.json").code == 0
    done = clew("validate", "--db", "clew.db", "--json")
    assert done.code == 0
    [told] = done.json
    assert (told["file"], told["valid"]) == ("sqlite:///clew.db", True)


def test_a_contradiction_in_a_ledger_is_found(clew: Clew, tmp_path: Path) -> None:
    """The result of a call is stated to be an activity as well."""
    taken = [event(1, outputs=[{"ref": "message:one"}]), event(2, call="message:one")]
    (tmp_path / "events.json").write_text(json.dumps(taken))
    assert clew("ingest", "events.json").code == 0
    done = clew("validate", "--db", "clew.db")
    assert done.code == 2
    assert "message:one is both an entity and an activity." in done.out


def test_the_contradiction_of_the_story_that_ships_is_found(clew: Clew) -> None:
    """A matcher says that the text was made from the action that published it; it was the other way round."""
    assert clew("demo", "--once", "--db", "story.db").code == 0
    done = clew("validate", "--db", "story.db", "--json")
    assert done.code == 2
    [told] = done.json
    [reason] = told["violations"]
    assert reason["constraint"] == "42"
    assert len(reason["statements"]) == 2
    text, publish = "message:late-fees/report-text", "action:publish"
    assert set(reason["statements"]) == {
        f"wasDerivedFrom({publish}, {text}) (verified)",
        f"wasDerivedFrom({text}, {publish}) (inferred)",
    }


@pytest.mark.parametrize("columns", [60, 80])
def test_reasons_fit_the_terminal_and_leave_names_whole(
    clew: Clew, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert clew("demo", "--once", "--db", "story.db").code == 0
    told = clew("validate", "--db", "story.db").out
    assert max(map(len, told.splitlines())) <= columns
    words = " ".join(told.split())
    assert "message:late-fees/report-text would have to be made before it was made: what is stated" in words
    assert "1. wasDerivedFrom(action:publish, message:late-fees/report-text) (verified)" in words
    assert "Rule: What was derived comes to be after what it was derived from." in words


def test_odd_names_can_not_steer_the_terminal(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(json.dumps({"specializationOf": {"_:s": {}}}))
    done = clew("validate", "odd.json", "bad\x1b[2J.provn")
    assert "\x1b" not in done.out + done.err
