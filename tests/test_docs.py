"""The pages: what they show is what the program does, and the reference is made from it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from app import settings
from docs.generate import PAGES as MADE
from docs.generate import REFERENCE, meanings
from docs.generate.markdown import anchor
from docs.generate.spelling import fields
from docs.generate.transcripts import Command, File, alike, mended, read, terminal
from provmodel import events
from queries.gaps import KINDS
from tests.needs import missing

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
SHOWN = [page for page in PAGES if any(isinstance(step, Command) for step in read(page.read_text()))]
IN_THE_PLACE_OF_POSTGRES = "postgresql://clew@localhost:5432/clew"
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def told(page: Path) -> str:
    return str(page.relative_to(ROOT))


# What pages show


@pytest.mark.parametrize(
    "page", [page for page in SHOWN if page.parent != REFERENCE and "postgres" not in page.name], ids=told
)
def test_the_commands_of_a_page_print_what_it_shows(page: Path) -> None:
    follow(page, {})


@pytest.mark.parametrize("page", [page for page in SHOWN if "postgres" in page.name], ids=told)
def test_the_commands_of_a_page_about_postgresql_print_what_it_shows(page: Path, postgres_url: str) -> None:
    follow(page, {IN_THE_PLACE_OF_POSTGRES: postgres_url})


def follow(page: Path, instead: dict[str, str]) -> None:
    """Do what a page says, in its order."""
    if not shutil.which("curl"):
        missing("no curl, which the pages use")
    text = page.read_text()
    with terminal(instead) as run:
        for step in read(text):
            if isinstance(step, File):
                run.write(step)
                continue
            printed = run.run(step)
            if step.shown:
                assert alike(step.shown, printed), f"$ {step.text}\n" + "\n".join(printed)


def test_every_make_target_that_a_page_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"^make ([a-z]+)", page.read_text(), re.MULTILINE)}
    assert named <= targets


# How pages hang together


@pytest.mark.parametrize("page", PAGES, ids=told)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text()):
        if link.startswith("http"):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if heading:
            assert heading in {anchor(each) for each in _HEADING.findall(target.read_text())}, link


def test_every_test_that_a_page_names_is_there() -> None:
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    named = {name for page in PAGES for name in re.findall(r"`(test_\w+)`", page.read_text())}
    assert named - there == set()


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text()
    unnamed = [page for page in PAGES[1:] if page.parent.name != "adr" and page != DOCS / "README.md"]
    assert [told(page) for page in unnamed if f"({page.relative_to(DOCS)})" not in index] == []


# The reference


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_reference_is_what_is_made_from_the_program(name: str) -> None:
    assert (REFERENCE / name).read_text() == MADE[name](), "run `make docs`"


def test_every_field_of_an_event_has_a_meaning_and_every_meaning_a_field() -> None:
    named = {(tag, field.encode_name) for tag, kind in events.TYPES.items() for field in fields(kind)}
    assert all(meanings.meaning(tag, field) for tag, field in named)
    assert set(meanings.ENVELOPE) == {field.encode_name for field in fields(events.Envelope)}
    assert set(meanings.FIELDS) <= {field for _, field in named}
    assert set(meanings.OWN) <= named


def test_every_gap_and_every_variable_has_a_meaning() -> None:
    assert tuple(meanings.GAPS) == KINDS
    source = Path(settings.__file__).read_text()
    assert set(meanings.VARIABLES) == set(re.findall(r'"(CLEW_[A-Z_]+)"', source))


# How a page is read


PAGE = """
```json title="a.json"
{}
```

```sh
make demo
```

```console
$ echo one \\
    two
one two
$ curl -d '{
    "a": 1}' localhost:8080
$ cat a.json
{}
```
"""


def test_a_page_is_read_as_files_and_commands_with_what_they_print() -> None:
    file, first, second, third = read(PAGE)
    assert file == File("a.json", "{}\n")
    assert isinstance(first, Command)
    assert (first.text, first.shown) == ("echo one \\\n    two", ("one two",))
    assert isinstance(second, Command)
    assert (second.text, second.shown) == ("curl -d '{\n    \"a\": 1}' localhost:8080", ())
    assert isinstance(third, Command)
    assert third.shown == ("{}",)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (("a", "..."), ["a", "b", "c"], True),
        (("...", "c"), ["a", "b", "c"], True),
        (("a...z",), ["abcz"], True),
        (("a",), ["a", "b"], False),
        (("a.b",), ["axb"], False),
    ],
)
def test_three_dots_stand_for_anything(shown: tuple[str, ...], printed: list[str], same: bool) -> None:
    assert alike(shown, printed) is same


def test_a_transcript_that_is_out_of_date_is_mended_line_by_line() -> None:
    now = mended(("...", "it had 3 inputs", "..."), ["x", "it had 4 inputs", "y"])
    assert now == ["...", "it had 4 inputs", "..."]
    longer = mended(("...", "it had 3 inputs", "end"), ["x", "it had 4 inputs", "new", "end"])
    assert longer == ["...", "it had 4 inputs", "new", "end"]
    assert mended(("it had 3 inputs",), ["other", "words"]) == ["other", "words"]
