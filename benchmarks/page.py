"""The page in headless Chromium: what of a large drawing is in the document, and what panning costs."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from playwright.sync_api import Page, Route, sync_playwright

from benchmarks.frame import Figure
from queries.answer import Edge, EvidenceUsed, Graphed, Node, Target
from queries.picture import draw
from queries.policy import POLICIES
from tests.web.conftest import QUIET, Served

STEPS = 40
MANY, SHOWN = 5_000, 300
TARGET = "report:late-fees-february@version:1"
PATH = f"/?page=ask&ask=inputs-of&target={TARGET}&view=graph"


def figures(quick: bool) -> Iterable[Figure]:
    """Drawings as the service lays them out, in the real page over the shipped story."""
    found = shutil.which("chromium")
    if not found:
        sys.exit("no chromium: make parts")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder), story=True)
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        try:
            yield from _first_paint(browser.new_page(), served.url, 3 if quick else 9)
            yield from _panning(browser.new_page(), served.url)
        finally:
            browser.close()
            served.stop()


def _first_paint(page: Page, address: str, turns: int) -> Iterable[Figure]:
    """From the picture's arrival to the frame that shows it, by the page's own clock."""
    _serve(page, SHOWN)
    taken = []
    for _ in range(turns):
        page.goto(address + PATH)
        page.wait_for_selector(".canvas .g > *")
        taken.append(
            page.evaluate(
                "new Promise(done => requestAnimationFrame(() => done(performance.now() - performance"
                ".getEntriesByType('resource').filter(one => one.name.includes('/v1/pictures/')).at(-1)"
                ".responseEnd)))"
            )
        )
    yield Figure(
        name=f"first paint of {SHOWN} nodes after the response",
        measured=median(taken) / 1000,
        goal=0.3,
        unit="s",
        peer="none",
        note="by the wall clock of the page, on a shared machine",
    )


def _panning(page: Page, address: str) -> Iterable[Figure]:
    _serve(page, MANY)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address + PATH)
    page.wait_for_selector(".canvas .g > *")
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
    yield Figure(
        name=f"elements in the document, {MANY:,} nodes loaded",
        measured=most,
        goal=1500,
        unit="elements",
        peer="none",
        note="the most over all steps; symbols and controls of the page included",
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


def _serve(page: Page, nodes: int) -> None:
    """Have the page draw a picture of so many nodes, in place of that of the story."""
    body = msgspec.json.encode(draw(_graph(nodes), limit=nodes))

    def answer(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=body)

    page.route("**/v1/pictures/**", answer)


def _graph(nodes: int) -> Graphed:
    """Calls that read what the three before wrote, and write one thing."""
    found: list[Node] = [Node(TARGET, ("entity",), 0)]
    edges: list[Edge] = []
    for number in range((nodes - 1) // 2):
        call, made = f"call:{number}", f"message:r/{number}"
        found.append(Node(call, ("activity",), number + 1, "clew:ModelCall"))
        found.append(Node(made, ("entity",), number + 1))
        edges.append(_edge("wasGeneratedBy", "activity", made, call))
        read = range(max(0, number - 3), number)
        edges += [_edge("used", "entity", call, f"message:r/{one}") for one in read]
    edges.append(_edge("wasGeneratedBy", "activity", TARGET, f"call:{(nodes - 1) // 2 - 1}"))
    return Graphed(
        as_of=1,
        policy=POLICIES["why"],
        evidence=EvidenceUsed(("observed",)),
        targets=(Target(TARGET, TARGET, "exact"),),
        nodes=tuple(found),
        edges=tuple(edges),
    )


def _edge(term: str, argument: str, source: str, target: str) -> Edge:
    return Edge("0" * 16, term, argument, source, target, "", "data", "observed", False, ())
