"""A real browser in front of a real server: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.app.commands import address_of, start
from tests.needs import missing
from tests.patience import HANGING

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
expect.set_options(timeout=1000 * HANGING)
CLEW = str(Path(sys.executable).with_name("clew"))


class Served:
    """A server in a process of its own, and where it is."""

    def __init__(self, folder: Path, *, story: bool) -> None:
        database = str(folder / "clew.db")
        if story:
            subprocess.run(
                [CLEW, "demo", "--once", "--db", database], check=True, capture_output=True, cwd=folder
            )
        self.process = start(folder, "serve", "--db", database, "--port", "0")
        self.url = address_of(self.process)

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=HANGING)


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server over the story that ships."""
    served = Served(tmp_path_factory.mktemp("story"), story=True)
    yield served.url
    served.stop()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[str]:
    """The address of a server over an empty store."""
    served = Served(tmp_path, story=False)
    yield served.url
    served.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium")
    if not found:
        missing("no chromium: install Debian's package of that name")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        yield browser
        browser.close()


USUAL = ViewportSize(width=1440, height=900)
TOMBSTONE = "status of 410 (Gone)"
"""What the browser itself remarks when a tombstone comes in place of content."""


class Watched:
    """What a browser's pages complained of, and whom they spoke to, since the test began.

    One browser serves many tests: a fresh one, with a process of its own, takes longer than most tests do. A
    page that stays open keeps that process, and Clew's page leaves nothing in a browser (``leaves_nothing``).
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.errors: list[str] = []
        self.asked: set[str] = set()
        context.on("console", lambda message: self._note(message.type, message.text))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on("request", lambda request: self.asked.add(request.url))

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and TOMBSTONE not in text:
            self.errors.append(text)

    def begin(self) -> None:
        self.errors.clear()
        self.asked.clear()

    def open(self, address: str, size: ViewportSize) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(1000 * HANGING)
        page.set_viewport_size(size)
        page.goto(address)
        return page

    def saw_nothing_wrong(self, address: str) -> None:
        assert self.errors == []
        assert self.outside(address) == set()

    def leaves_nothing(self) -> None:
        assert self.context.storage_state() == {"cookies": [], "origins": []}
        self.context.close()

    def outside(self, address: str) -> set[str]:
        """What was asked for elsewhere than of this server; a drawing made in the page is no request."""
        return {url for url in self.asked if not url.startswith((f"{address}/", "data:image/", "blob:"))}


def fresh(chromium: Browser) -> Watched:
    """A browser that has seen nothing yet."""
    return Watched(chromium.new_context(timezone_id="Europe/Berlin"))


@pytest.fixture(scope="session")
def shared(chromium: Browser, story: str) -> Iterator[Watched]:
    """The browser that tests have in turn."""
    watched = fresh(chromium)
    watched.open(story, USUAL).wait_for_load_state("networkidle")
    yield watched
    watched.leaves_nothing()


class Opens:
    """Opens addresses, in a ``new`` browser if told so; at the end, nothing may have gone wrong in the pages'
    own eyes.
    """

    def __init__(self, chromium: Browser, shared: Watched) -> None:
        self._chromium = chromium
        self._shared = shared
        self._opened: list[tuple[Watched, str, Page]] = []
        shared.begin()

    def __call__(
        self, address: str, path: str = "/", *, size: ViewportSize = USUAL, new: bool = False
    ) -> Page:
        watched = fresh(self._chromium) if new else self._shared
        page = watched.open(address + path, size)
        self._opened.append((watched, address, page))
        return page

    def end(self) -> None:
        for _, _, page in self._opened:
            page.close()
        for watched, address, _ in self._opened:
            watched.saw_nothing_wrong(address)
            if watched is not self._shared:
                watched.leaves_nothing()


@pytest.fixture
def opens(chromium: Browser, shared: Watched) -> Iterator[Opens]:
    """Opens addresses, see :class:`Opens`."""
    opened = Opens(chromium, shared)
    yield opened
    opened.end()


def downloaded(page: Page, form: str) -> str:
    """Where the download of this form lies."""
    with page.expect_download() as waiting:
        page.get_by_text("Download", exact=True).click()
        page.get_by_role("button", name=form, exact=True).click()
    return str(waiting.value.path())
