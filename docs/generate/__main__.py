"""Write the reference pages; with ``--transcripts`` also what the commands in the other pages print now."""

from __future__ import annotations

import argparse
from pathlib import Path

from docs.generate import PAGES, REFERENCE
from docs.generate.transcripts import refresh

ROOT = REFERENCE.parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument(
        "--transcripts",
        nargs="*",
        metavar="PAGE",
        help="run the commands of these pages (the README and the tutorial), and write what they print",
    )
    asked = parser.parse_args()
    REFERENCE.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        write(REFERENCE / name, page())
    if asked.transcripts is not None:
        for name in asked.transcripts or ("README.md", "docs/tutorial.md"):
            path = ROOT / name
            write(path, refresh(path.read_text()))


def write(path: Path, text: str) -> None:
    """Write a page that differs from what is there, and say so."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
