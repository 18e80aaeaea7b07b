"""Digests of versions, cut to what tells them apart: whole ones break every table at 80 columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

LEAST = 8  # digits, even where fewer would do
_DIGEST = re.compile(r"(@(?:sha256|tag|etag):)([0-9a-f]{32,})")

NOTE = "Digests are cut to what tells them apart here; --text and --json have them whole."


class Shortener:
    """Shows texts with their digests cut. No two digests of all the texts given at first look the same."""

    def __init__(self, texts: Iterable[str]) -> None:
        digests = sorted({digest for text in texts for _, digest in _DIGEST.findall(text)})
        shared = [_shared(one, other) for one, other in pairwise(digests)]
        self._digits = max((LEAST, *(count + 1 for count in shared)))
        self.cuts = False

    def __call__(self, text: str) -> str:
        return _DIGEST.sub(self._cut, text)

    def _cut(self, found: re.Match[str]) -> str:
        if len(found[2]) <= self._digits + 1:
            return found[0]
        self.cuts = True
        return f"{found[1]}{found[2][: self._digits]}…"


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
