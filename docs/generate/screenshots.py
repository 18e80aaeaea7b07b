"""``python -m docs.generate.screenshots``: the page over the shipped story, in ``docs/screenshots``.

Needs Debian's chromium. The server and its store live as long as this takes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).parents[1] / "screenshots"
CLEW = str(Path(sys.executable).with_name("clew"))
PORT = 8099
SECONDS_TO_START = 60
REPORT = "target=report:late-fees-february@version:1"
TARIFF = "document:tariff-2025@sha256:65c8b57a12f58c02c829a85fc42b79adfd1462f28163d3523a74d9b101cbb9e5"
MEMO = "document:memo-reminders@sha256:7decde018a5fe6c9b293864dc8a6261321103b2a2763718361c734f3fe09f86e"


class Shot(NamedTuple):
    """A picture: its file, its address, and how the page is shown."""

    name: str
    path: str
    width: int = 1440
    height: int = 900
    theme: str = "light"


SHOTS = (
    Shot("start", "/"),
    Shot("answer", "/?page=ask&ask=who-authorized&target=ledger:account-4713", height=1080),
    Shot("graph", f"/?page=ask&ask=inputs-of&{REPORT}&view=graph&at={TARIFF}"),
    Shot("table", f"/?page=ask&ask=inputs-of&{REPORT}&view=table"),
    Shot("compare", "/?page=compare&target=run:late-fees&target=run:summary"),
    Shot("sides", f"/?page=compare&target={TARIFF}&target={MEMO}"),
    Shot("dark", f"/?page=ask&ask=impact-of&target={TARIFF}&view=graph", theme="dark"),
    Shot("narrow", f"/?page=ask&ask=inputs-of&{REPORT}&view=graph", width=360, height=780),
)


def main() -> None:
    """Record the story, serve it, and take each picture."""
    found = shutil.which("chromium")
    if not found:
        sys.exit("no chromium: make parts")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "clew.db")
        subprocess.run([CLEW, "demo", "--once", "--db", database], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        server = subprocess.Popen([CLEW, "serve", "--db", database, "--port", str(PORT)])  # noqa: S603
        try:
            _wait(f"http://127.0.0.1:{PORT}/readyz")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=found, args=["--no-sandbox", "--disable-gpu"]
                )
                for shot in SHOTS:
                    _take(browser, shot)
                    print(f"wrote {FOLDER.name}/{shot.name}.png")
        finally:
            server.terminate()
            server.wait()


def _wait(address: str) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            with urlopen(address):  # noqa: S310
                return
        except URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _take(browser: Browser, shot: Shot) -> None:
    page = browser.new_page(
        viewport={"width": shot.width, "height": shot.height}, timezone_id="Europe/Berlin", locale="en-GB"
    )
    page.goto(f"http://127.0.0.1:{PORT}{shot.path}{'&' if '?' in shot.path else '?'}theme={shot.theme}")
    page.wait_for_selector("#main h1")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / f"{shot.name}.png")
    page.close()


if __name__ == "__main__":
    main()
