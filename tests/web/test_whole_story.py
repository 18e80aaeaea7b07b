"""The whole story in one go, by mouse and by keyboard alone: the report, the bad input, what came of it, who
let the write through, what was deleted, where two runs part, and the link that shows a colleague the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import Opens, Served
from tests.web.hands import Hand, Keyboard, Mouse

TARIFF = "document:tariff-2025@sha256:65c8b57a12f58c02c829a85fc42b79adfd1462f28163d3523a74d9b101cbb9e5"
WAY = [
    ("used publish", "action:publish"),
    ("was derived from report-text", "message:late-fees/report-text"),
    ("was derived from tariff-2025", TARIFF),
]


@pytest.fixture(scope="module")
def writable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The story in a store in which worklists may be opened."""
    served = Served(tmp_path_factory.mktemp("writable"), story=True)
    yield served.url
    served.stop()


@pytest.mark.parametrize("hand", [Mouse, Keyboard])
def test_the_whole_story_is_found_and_handed_on(
    opens: Opens, writable: str, hand: Callable[[Page], Hand]
) -> None:
    page = opens(writable)
    expect(page.locator("#main h1")).to_have_text("What do you want to trace?")
    use = hand(page)
    _bad_input(use)
    _worklist(use)
    _authorization(use)
    _tombstone(use)
    _comparison(use)
    other = opens(writable, page.url.removeprefix(writable), new=True)
    expect(other.locator("tr.first")).to_have_count(1)
    assert other.locator("#main").inner_text() == page.locator("#main").inner_text()


def _bad_input(use: Hand) -> None:
    use.search("late-fees-february")
    expect(use.page.locator(".said").first).to_contain_text("Cited by the model")
    use.view("v", "Graph")
    expect(use.page.locator(".canvas .g .n").first).to_be_visible()
    use.select([("publish-1", "attempt:publish-1"), *WAY])
    expect(use.page.locator(".panel")).to_contain_text("person:tariff-office")
    expect(use.page.locator(".panel .tag.bad")).to_have_text("retracted")
    expect(use.page.locator(".pathline")).to_contain_text("Best path, 4 steps")


def _worklist(use: Hand) -> None:
    use.press(use.page.locator(".panel").get_by_role("link", name="Worklist"))
    use.press(use.page.get_by_role("button", name="Open it"))
    todo = use.page.locator(".sums .sum b").first
    expect(todo).to_have_text(re.compile("[1-9]"))
    count = int(todo.text_content() or 0)
    row = use.page.locator(".wl tbody tr").first
    use.press(row.get_by_role("button", name="Acknowledge"))
    expect(todo).to_have_text(str(count - 1))
    use.press(row.get_by_role("button", name="Clear"))
    use.write(use.page.locator("#note"), "Paid back by hand.")
    use.press(use.page.locator("#sheet form").get_by_role("button", name="Clear"))
    expect(use.page.locator("#main")).to_contain_text("Paid back by hand.")
    use.press(use.page.get_by_role("button", name="Ask again"))
    expect(use.page.locator("#main")).to_contain_text("nothing changed")


def _authorization(use: Hand) -> None:
    use.press(use.page.locator(".wl").get_by_role("link", name="account-4713").first)
    use.press(use.page.locator(".ask .q a.btn"))
    use.press(use.page.locator(".panel").get_by_role("link", name="Who authorized it"))
    expect(use.page.locator("#q")).to_have_value("who-authorized")
    use.view("a", "Answer")
    expect(use.page.locator(".step")).to_have_count(4)
    expect(use.page.locator(".write")).to_contain_text("allowed for something else")


def _tombstone(use: Hand) -> None:
    use.search("late-fees complaint")
    use.press(use.page.locator(".ask .q a.btn", has_text="complaint"))
    stone = use.page.locator(".panel .tombstone")
    expect(stone).to_contain_text("agent:sweeper")
    use.press(stone.get_by_role("button", name="What it still proves"))
    expect(stone).to_contain_text("Still shown by the record")


def _comparison(use: Hand) -> None:
    use.press(use.page.get_by_role("navigation", name="Main").get_by_text("Compare"))
    use.choose(use.page.get_by_label("First"), "run:late-fees")
    use.choose(use.page.get_by_label("Second"), "run:summary")
    expect(use.page.locator("tr.first")).to_contain_text("first difference")
