"""The page in headless Chromium, over a store of 1,000,000 edges: first picture, panning, and two peers."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, Route, sync_playwright

from benchmarks import page_peers, studies
from benchmarks.frame import Figure
from benchmarks.servers import Server, serving
from benchmarks.stores import record_studies, service_at

STUDIES, STUDIES_IF_QUICK = 1_040, 60
"""A study has some 965 edges."""
SHOWN, COMPARED, MANY = 300, 2_000, 5_000
"""Nodes of the answers: what is drawn at once, what the peers draw too, and what is panned over."""
STEPS = 40
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

# From a click on "Graph" until the frame after the drawing stood in the document: milliseconds since its
# picture came.
_DRAW = """() => new Promise(done => {
  const told = () => {
    const came = performance.getEntriesByType("resource").filter(one => one.name.includes("/v1/pictures/"));
    done(performance.now() - came.at(-1).responseEnd);
  };
  const watching = new MutationObserver(() => {
    if (!document.querySelector(".canvas .g > *")) return;
    watching.disconnect();
    requestAnimationFrame(() => setTimeout(told));
  });
  watching.observe(document.body, { childList: true, subtree: true });
  document.querySelector(".views a[href*='view=graph']").click();
})"""


class First(NamedTuple):
    """A first picture: seconds since its response; from the click on, CPU seconds of page and server."""

    after_response: float
    page: float
    server: float


def figures(quick: bool) -> Iterable[Figure]:
    """The real page over answers to ``inputs-of``, of which each leads back through several studies."""
    found = shutil.which("chromium")
    if not found:
        sys.exit("no chromium: make parts")
    with tempfile.TemporaryDirectory() as folder:
        among = STUDIES_IF_QUICK if quick else STUDIES
        edges = _store(Path(folder) / "page.db", among)
        with serving(Path(folder) / "page.db") as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found, args=QUIET)
            asked = _Asked(browser, server, among)
            yield from _first_paint(asked, 5 if quick else 15, edges)
            yield from _panning(asked)
            if page_peers.installed():
                yield from _beside_peers(asked, Path(folder), 1 if quick else 5)
            else:
                print("the peers of the page are skipped: run `npm ci` in benchmarks/peers", file=sys.stderr)
            browser.close()


def _store(path: Path, among: int) -> int:
    service = service_at(path)
    record_studies(service, 0, among)
    [(edges,)] = service.ledger.store.fetch("select sum(edges) from blob")
    service.close()
    return int(edges)


class _Asked:
    """A server, a browser, and reports to ask about, a different one each time."""

    def __init__(self, browser: Browser, server: Server, among: int) -> None:
        self.browser = browser
        self.server = server
        self.next = among - 1

    def open(self, nodes: int) -> tuple[Page, dict[str, Any]]:
        """The page with an answer of so many nodes as a table; and what its picture will be, once it came."""
        page = self.browser.new_page(viewport={"width": 1440, "height": 900})
        self.next -= 1
        asked = {"target": studies.report_of(self.next), "depth": 1000, "max_nodes": nodes}
        picture: dict[str, Any] = {}

        def whole(route: Route) -> None:
            response = route.fetch(url=f"{route.request.url}&limit={nodes}")
            picture.update(response.json())
            route.fulfill(response=response)

        page.route("**/v1/pictures/**", whole)
        page.goto(
            f"http://127.0.0.1:{self.server.port}/?{urlencode({'page': 'ask', 'ask': 'inputs-of', **asked})}"
        )
        page.wait_for_selector(".said")
        return page, picture

    def draw(self, nodes: int) -> tuple[First, dict[str, Any]]:
        """Open an answer and draw it, once."""
        page, picture = self.open(nodes)
        before, served = page_peers.cpu_of_page(page), self.server.cpu
        after = page.evaluate(_DRAW)
        first = First(after / 1000, page_peers.cpu_of_page(page) - before, self.server.cpu - served)
        page.close()
        return first, picture


def _first_paint(asked: _Asked, turns: int, edges: int) -> Iterator[Figure]:
    drawn = [asked.draw(SHOWN) for _ in range(turns)]
    boxes = median(len(picture["nodes"]) + len(picture["cards"]) for _, picture in drawn)
    cpu = 1000 * median(first.page for first, _ in drawn)
    quietest = min(first.after_response for first, _ in drawn)
    yield Figure(
        name=f"first paint of an answer of {SHOWN} nodes after the response",
        measured=median(first.after_response for first, _ in drawn),
        goal=0.3,
        unit="s",
        peer="none",
        note=f"on the wall, the quietest turn {quietest:.2f} s; {boxes:.0f} boxes; {cpu:.0f} ms of CPU in "
        f"all threads of the page, from the click on; a store of {edges:,} edges",
    )


def _panning(asked: _Asked) -> Iterator[Figure]:
    page, picture = asked.open(MANY)
    page.evaluate(_DRAW)
    box = page.locator(".canvas").bounding_box()
    assert box is not None
    for _ in range(3):
        page.locator("[aria-label='Zoom in']").click()
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")
    before, was = _metrics(client), page.locator(".canvas .g").get_attribute("transform")
    most = 0
    for step in range(STEPS):
        page.mouse.wheel(90 if step % 2 else 60, 25 if step % 3 else -40)
        page.wait_for_timeout(30)
        most = max(most, page.evaluate("document.querySelectorAll('*').length"))
    after = _metrics(client)
    assert page.locator(".canvas .g").get_attribute("transform") != was, "nothing was panned"
    parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    spent = sum(after[name] - before[name] for name in parts)
    loaded = f"{len(picture['nodes']):,} nodes and {len(picture['lines']):,} lines in the picture"
    yield Figure(
        name=f"elements in the document, {MANY:,} nodes loaded",
        measured=most,
        goal=1500,
        unit="elements",
        peer="none",
        note=f"the most over all steps; symbols and controls of the page included; {loaded}",
    )
    yield Figure(
        name=f"a step of panning, {MANY:,} nodes loaded",
        measured=1000 * spent / STEPS,
        goal=16,
        unit="ms",
        peer="none",
        note="script, layout and style of the page's thread, as CDP counts them",
    )


def _metrics(client: Any) -> dict[str, float]:
    return {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}


def _beside_peers(asked: _Asked, folder: Path, turns: int) -> Iterator[Figure]:
    drawn = [asked.draw(COMPARED) for _ in range(turns)]
    own = median(first.page + first.server for first, _ in drawn)
    picture = page_peers.for_peers(drawn[-1][1])
    told = f"{len(picture['boxes']):,} boxes, {len(picture['lines']):,} lines; {own:.2f} s of page and server"
    for name, script in page_peers.bundles(folder).items():
        taken = page_peers.seconds_to_draw(asked.browser, script, picture)
        yield Figure(
            name=f"first picture of an answer of {COMPARED:,} nodes, faster",
            measured=taken / own,
            goal=10,
            least=True,
            unit="x",
            peer=f"{page_peers.NAMES[name]}, on the same boxes and lines",
            note=f"{told}; the peer {taken:.1f} s",
        )
