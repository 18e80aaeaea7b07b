"""The drawing libraries that the page is measured beside: bundled once, each drawing in a page of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

PEERS = Path(__file__).parent / "peers"
NAMES = {
    "cytoscape": "cytoscape.js with dagre",
    "react-flow": "React Flow with dagre",
}
_ESBUILD = PEERS / "node_modules" / ".bin" / "esbuild"
_STAGE = "<body style='margin:0'><div id='stage' style='width:1440px;height:900px'></div>"


def installed() -> bool:
    """Whether ``npm ci`` was run in ``benchmarks/peers``."""
    return _ESBUILD.exists()


def bundles(folder: Path) -> dict[str, Path]:
    """Each peer with its driver as one script, by name."""
    for name in NAMES:
        command: list[str | Path] = [
            _ESBUILD,
            PEERS / f"{name}.js",
            "--bundle",
            "--minify",
            "--log-level=error",
        ]
        command += ['--define:process.env.NODE_ENV="production"', f"--outfile={folder / name}.js"]
        subprocess.run(command, check=True)
    return {name: folder / f"{name}.js" for name in NAMES}


def seconds_to_draw(browser: Browser, script: Path, picture: dict[str, Any]) -> float:
    """CPU seconds of the page's process from the data to the first frame that shows all of it."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_content(_STAGE)
    page.add_script_tag(path=script)
    if script.with_suffix(".css").exists():
        page.add_style_tag(path=script.with_suffix(".css"))
    before = cpu_of_page(page)
    page.evaluate("picture => draw(picture)", picture)
    seconds = cpu_of_page(page) - before
    assert page.evaluate("document.querySelectorAll('#stage canvas, #stage .react-flow__node').length") > 0
    page.close()
    return seconds


def cpu_of_page(page: Any) -> float:
    """CPU seconds of the process of a page since it began: all its threads, as CDP counts them."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable")
    found = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    client.detach()
    return float(found["ProcessTime"])


def for_peers(picture: dict[str, Any]) -> dict[str, Any]:
    """The boxes and lines of one of Clew's pictures, without where they stand."""
    boxes = [
        {"id": box.get("ref", box.get("id")), "name": box.get("name", ""), **_size(box)}
        for box in (*picture["nodes"], *picture["cards"])
    ]
    return {
        "boxes": boxes,
        "lines": [{"cause": one["cause"], "effect": one["effect"]} for one in picture["lines"]],
    }


def _size(box: dict[str, Any]) -> dict[str, float]:
    return {"width": box["width"], "height": box["height"]}
