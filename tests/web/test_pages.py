"""From the start page to the bad input, the authorization, the comparison; an empty store; hostile names."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import CLEW, Opens, Served, downloaded

TARIFF = "document:tariff-2025@sha256:65c8b57a12f58c02c829a85fc42b79adfd1462f28163d3523a74d9b101cbb9e5"
MEMO = "document:memo-reminders@sha256:7decde018a5fe6c9b293864dc8a6261321103b2a2763718361c734f3fe09f86e"
HOSTILE = [
    "file:/a/<img src=x onerror=alert(1)>.txt@version:1",
    "javascript:alert(1)",
    f"file:/long/{'n' * 1900}.txt@version:1",
    "file:/rtl/\u202egpj.exe@version:1",
    "__proto__",
    "constructor",
    "file:/csv/=HYPERLINK(1)@version:1",
    "file:/שלום/דוח.md@version:1",
]


SHAPES = {
    *("svg", "defs", "marker", "pattern", "g", "path", "rect", "ellipse", "circle", "text", "use"),
}


def heading(page: Page) -> None:
    expect(page.locator("#main h1")).to_have_count(1)


def test_the_start_page_leads_to_runs_retractions_and_sources(opens: Opens, story: str) -> None:
    page = opens(story)
    expect(page.locator(".home")).to_contain_text("late-fees")
    expect(page.locator(".home")).to_contain_text("by person:tariff-office")
    expect(page.locator(".home")).to_contain_text("1 missing, first 7")
    expect(page.locator(".home")).to_contain_text("late-fees-february")


def test_search_finds_as_one_types_and_opens_by_keyboard(opens: Opens, story: str) -> None:
    page = opens(story)
    page.locator("#big-find").fill("february")
    expect(page.locator("[role=option]").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    heading(page)
    assert "ask=inputs-of" in page.url


def test_an_answer_says_what_is_missing_as_plainly_as_what_is_there(opens: Opens, story: str) -> None:
    page = opens(story, "/?page=ask&ask=inputs-of&target=report:late-fees-february")
    heading(page)
    shows, lacks = page.locator(".said").all()
    expect(shows).to_contain_text("Cited by the model")
    expect(lacks).to_contain_text("2 never recorded.")
    assert shows.bounding_box()["height"] == lacks.bounding_box()["height"]  # type: ignore[index]


def test_the_four_steps_of_an_authorization_stand_side_by_side(opens: Opens, story: str) -> None:
    page = opens(story, "/?page=ask&ask=who-authorized&target=ledger:account-4713")
    steps = page.locator(".step")
    expect(steps).to_have_count(4)
    assert [step.locator(".no").text_content() for step in steps.all()] == [
        "1. Asked",
        "2. Allowed?",
        "3. Tried",
        "4. Done?",
    ]
    expect(page.locator(".write")).to_contain_text("allowed for something else")
    expect(page.locator(".write table")).to_contain_text("differs")


def test_every_question_of_the_service_is_in_the_menu_and_opens(opens: Opens, story: str) -> None:
    page = opens(story, "/?page=ask")
    offered = json.load(urlopen(f"{story}/v1/questions"))["questions"]
    expect(page.locator("#q option")).to_have_count(len(offered) + 1)
    for question in offered:
        page.goto(f"{story}/?page=ask&ask={question['name']}&{urlencode(question['example'], doseq=True)}")
        expect(page.locator("#main h1")).to_have_text(question["sentence"])
        expect(page.locator(".said").first).to_be_visible()


def test_two_runs_are_compared_with_the_first_difference_marked(opens: Opens, story: str) -> None:
    page = opens(story, "/?page=compare&target=run:late-fees&target=run:summary")
    expect(page.locator("tr.first")).to_have_count(1)
    expect(page.locator("tr.first")).to_contain_text("first difference")
    before = page.locator(".cmp tbody tr:visible").count()
    page.get_by_label("Only what differs").check()
    assert page.locator(".cmp tbody tr:visible").count() < before


def test_two_things_stand_side_by_side_with_content_inputs_and_attributes(opens: Opens, story: str) -> None:
    page = opens(story, f"/?page=compare&{urlencode({'target': [TARIFF, MEMO]}, doseq=True)}")
    expect(page.locator(".sides tr.first")).to_have_count(1)
    expect(page.locator(".sides tr.first del")).to_contain_text("Tariff of late fees")
    expect(page.locator(".sides tr.first ins")).to_contain_text("Memo to accounts")
    expect(page.locator("#main h2", has_text="What they had as inputs")).to_be_visible()
    expect(page.locator(".cmp tr", has_text="label")).to_contain_text("differs")
    expect(page.locator("#main")).to_contain_text("Both come of one run")


def told(*command: str | Path) -> str:
    """What the command line prints."""
    run = subprocess.run([CLEW, *command], check=True, capture_output=True, text=True)
    return run.stdout.strip()


def test_someone_signs_in_with_a_key_and_sees_that_something_is_hidden(chromium: Any, tmp_path: Path) -> None:
    served = Served(tmp_path, story=True)
    database = tmp_path / "clew.db"
    labelled = {"type": "artifact_version", "id": "label", "source": "records-office", "ref": MEMO}
    event = {
        **labelled,
        "time": "2026-03-09T08:02:00Z",
        "kind": "document",
        "attributes": {"access": "secret"},
    }
    (tmp_path / "label.json").write_text(json.dumps([event]))
    told("ingest", tmp_path / "label.json", "--db", database)
    told("restriction", "set", "secret", "--group", "finance", "--db", database)
    key = told("key", "create", "--name", "person:ann", "--scope", "graph:read", "--db", database)
    page = chromium.new_page()
    try:
        page.wait_for_timeout(1000)  # a server knows of its first key within a second
        page.goto(served.url)
        expect(page.locator("#main h1")).to_contain_text("Signed out")
        page.locator("#main").get_by_role("button", name="Sign in").click()
        page.locator("#key").fill(key)
        page.locator("#sheet").get_by_role("button", name="Sign in").click()
        expect(page.locator(".home")).to_contain_text("late-fees")
        expect(page.locator("#who")).to_have_text("defaultperson:ann")
        assert key not in page.evaluate("JSON.stringify([{...localStorage}, document.cookie])")
        page.locator("#find-text").fill("late-fees-february")
        page.locator("#find-text-hits [role=option]").first.click()
        page.get_by_role("link", name="Graph").click()
        hidden = page.locator(".canvas .lock.n")
        expect(hidden).to_have_attribute("aria-label", "a restricted node: its name is not told to you")
        hidden.click()
        expect(page.locator(".panel")).to_contain_text("your credential may not see")
        page.get_by_role("link", name="Answer").click()
        expect(page.locator(".gaps")).to_contain_text("1 hidden from you")
        assert "memo-reminders" not in page.content()
        page.locator("header").get_by_role("button", name="Sign out").click()
        expect(page.locator("#main h1")).to_contain_text("Signed out")
        expect(page.locator("#who")).to_have_text("")
    finally:
        page.close()
        served.stop()


def test_what_is_not_there_is_told_as_not_found_or_not_yours(chromium: Any, story: str) -> None:
    page = chromium.new_page()
    page.goto(f"{story}/?page=ask&ask=inputs-of&target=report:no-such-report")
    expect(page.locator("#main h1")).to_contain_text("Not found, or not yours")
    page.close()


def test_an_empty_store_says_how_to_begin(opens: Opens, empty: str) -> None:
    page = opens(empty)
    expect(page.locator("#main h1")).to_have_text("Nothing is recorded yet")
    expect(page.locator("pre").first).to_contain_text("/v1/model-calls")


def test_the_keys_are_listed_and_the_list_goes_away_again(opens: Opens, story: str) -> None:
    page = opens(story)
    heading(page)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("to a cause, to an effect")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_the_head_of_the_page_says_where_provenance_is(opens: Opens, story: str) -> None:
    page = opens(story, "/?page=ask&ask=inputs-of&target=report:late-fees-february")
    link = page.locator("head link[rel='http://www.w3.org/ns/prov#has_provenance']")
    expect(link).to_have_count(1)
    assert urlopen(story + str(link.get_attribute("href"))).status == 200
    expect(page.locator("head link[rel$='has_anchor']")).to_have_attribute("href", re.compile("late-fees"))


# --- hostile names ---


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store whose names are markup, scripts, formulas and tricks of direction."""
    served = Served(tmp_path_factory.mktemp("hostile"), story=False)
    event = {
        "type": "model_call",
        "id": "call",
        "source": "harness",
        "time": "2026-03-09T09:00:00Z",
        "call": "call:1",
        "model": "model:<script>alert(1)</script>",
        "inputs": [{"ref": ref} for ref in HOSTILE],
        "outputs": [{"ref": "report:<b>bold</b>", "body": {"text": "<script>alert(1)</script>"}}],
    }
    named = {
        "type": "artifact_version",
        "id": "named",
        "source": "harness",
        "time": "2026-03-09T09:00:00Z",
        "ref": HOSTILE[3],
        "kind": "document",
        "label": f"<img src=x onerror=alert(2)>{'n' * 10_000}\u202e",
        "attributes": {"__proto__": "<script>alert(3)</script>", "constructor": "javascript:alert(4)"},
        "body": {"text": "<img src=x onerror=alert(5)>\n\u202eline"},
    }
    sent = Request(
        f"{served.url}/v1/events", json.dumps([event, named]).encode(), {"Content-Type": "application/json"}
    )
    results = json.load(urlopen(sent))["results"]
    assert [result["status"] for result in results] == ["recorded", "recorded"], results
    yield served.url
    served.stop()


REPORT = "report:<b>bold</b>"
ASKED = f"/?page=ask&ask=inputs-of&target={quote(REPORT)}"
PLACES = {
    "answer": ASKED,
    "graph": f"{ASKED}&view=graph",
    "table": f"{ASKED}&view=table",
    "compare": f"/?page=compare&{urlencode({'target': [REPORT, HOSTILE[3]]}, doseq=True)}",
    "search": "/?q=img",
}


@pytest.mark.parametrize("place", PLACES)
def test_hostile_names_are_text_everywhere(opens: Opens, hostile: str, place: str) -> None:
    page = opens(hostile, PLACES[place])
    page.on("dialog", lambda dialog: pytest.fail(f"a name ran as a script: {dialog.message}"))
    heading(page)
    page.wait_for_load_state("networkidle")
    if place == "graph":
        _panels_and_drawings_are_text(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("#main img, #main script, #main b b, #paper img").count() == 0
    assert page.locator("a[href^='javascript:']").count() == 0
    if place in ("answer", "graph", "table"):
        page.emulate_media(media="screen")
        lines = Path(downloaded(page, "CSV")).read_text().splitlines()
        assert len(lines) > len(HOSTILE)
        assert not any(re.match(r'(.*,)?"?[=+@]', line) for line in lines[1:])


def _panels_and_drawings_are_text(page: Page) -> None:
    expect(page.locator(".canvas .n").first).to_be_visible()
    address = page.url
    for ref in ("__proto__", "constructor"):
        page.goto(f"{address}&at={ref}")
        expect(page.locator(".panel h2").first).to_contain_text(ref)
    page.goto(f"{address}&at={quote(HOSTILE[3])}")
    expect(page.locator(".panel .textbody")).to_have_text("<img src=x onerror=alert(5)>\nU+202Eline")
    expect(page.locator(".panel .facts", has_text="constructor")).to_contain_text("javascript:alert(4)")
    drawing = ElementTree.parse(downloaded(page, "SVG"))
    assert {one.tag.rpartition("}")[2] for one in drawing.iter()} <= SHAPES
    assert not any(name.startswith("on") or "href" in name for one in drawing.iter() for name in one.attrib)


def test_content_is_shown_as_text_and_never_run(opens: Opens, hostile: str) -> None:
    target = quote("report:<b>bold</b>")
    page = opens(
        hostile,
        f"/?page=ask&ask=inputs-of&target={target}&view=graph&at={quote('report:%3Cb%3Ebold%3C/b%3E')}",
    )
    page.on("dialog", lambda dialog: pytest.fail(f"content ran as a script: {dialog.message}"))
    expect(page.locator(".panel .textbody")).to_have_text("<script>alert(1)</script>")
