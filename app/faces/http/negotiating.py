"""Which of several media types to answer with (RFC 9110, 12.5.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.faces.http.problems import Unacceptable

MOST = 64  # ranges of one Accept header that are looked at
_RANGE = re.compile(r"\s*([\w!#$&^.+*-]+)/([\w!#$&^.+*-]+)\s*((?:;[^;]*)*)").fullmatch
_QUALITY = re.compile(r"(?:^|;)\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)
_Range = tuple[str, str, float]


def chosen(accept: str, offered: Mapping[str, str]) -> str:
    """What to answer with: of the things that are offered (media type to thing, the preferred one first) the
    one that the header likes best. No header, or an empty one, likes everything.

    Raises :class:`Unacceptable`, which names what is offered.
    """
    ranges = list(_ranges(accept))
    if not accept.strip():
        return next(iter(offered.values()))
    liked = [(_quality(kind, ranges), thing) for kind, thing in offered.items()]
    best = max(quality for quality, _ in liked)
    if not best:
        raise Unacceptable(accept, tuple(offered))
    return next(thing for quality, thing in liked if quality == best)


def _ranges(accept: str) -> Iterable[_Range]:
    for part in accept.split(",")[:MOST]:
        found = _RANGE(part)
        if found:
            quality = _QUALITY.search(found[3])
            yield found[1].lower(), found[2].lower(), float(quality[1]) if quality else 1.0


def _quality(kind: str, ranges: list[_Range]) -> float:
    """How much a media type is liked: as the most special range that fits says."""
    major, _, minor = kind.partition("/")
    for wanted in ((major, minor), (major, "*"), ("*", "*")):
        fits = [quality for first, second, quality in ranges if (first, second) == wanted]
        if fits:
            return max(fits)
    return 0.0
