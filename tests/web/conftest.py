"""A real browser in front of a real server: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.needs import missing
from tests.postgres import free_port

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
SECONDS_TO_START = 60
expect.set_options(timeout=20_000)  # of a machine that does other things too
CLEW = str(Path(sys.executable).with_name("clew"))


class Served:
    """A server in a process of its own, and where it is."""

    def __init__(self, folder: Path, *, story: bool) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        database = str(folder / "clew.db")
        if story:
            subprocess.run(
                [CLEW, "demo", "--once", "--db", database], check=True, capture_output=True, cwd=folder
            )
        port = self.url.rpartition(":")[2]
        self.process = subprocess.Popen(
            [CLEW, "serve", "--db", database, "--port", port],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + SECONDS_TO_START
        while True:
            try:
                with urlopen(f"{self.url}/readyz"):
                    return
            except URLError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)


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


TOMBSTONE = "status of 410 (Gone)"
"""What the browser itself remarks when a tombstone comes in place of content."""


class Watched:
    """What a page complained of, and whom it spoke to."""

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

    def outside(self, address: str) -> set[str]:
        """What was asked for elsewhere than of this server; a drawing made in the page is no request."""
        return {url for url in self.asked if not url.startswith((f"{address}/", "data:image/", "blob:"))}


Opens = Callable[..., Page]


@pytest.fixture
def opens(chromium: Browser) -> Iterator[Opens]:
    """Opens addresses in a fresh browser; at the end, nothing may have gone wrong in the page's own eyes."""
    kept: list[tuple[Watched, str]] = []

    def opened(address: str, path: str = "/", **more: object) -> Page:
        options = {"viewport": {"width": 1440, "height": 900}, "timezone_id": "Europe/Berlin", **more}
        watched = Watched(chromium.new_context(**options))  # type: ignore[arg-type]
        kept.append((watched, address))
        page = watched.context.new_page()
        page.set_default_timeout(20_000)
        page.goto(address + path)
        return page

    yield opened
    for watched, address in kept:
        watched.context.close()
        assert watched.errors == []
        assert watched.outside(address) == set()


def downloaded(page: Page, form: str) -> str:
    """Where the download of this form lies."""
    with page.expect_download() as waiting:
        page.get_by_text("Download", exact=True).click()
        page.get_by_role("button", name=form, exact=True).click()
    return str(waiting.value.path())
