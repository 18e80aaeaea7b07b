"""What a re-run of a run needs, as one ZIP file.

- ``manifest.json``: the runs, and each need with its state, the files of its contents, or why there are none.
- ``bodies/``: the contents that are there and that the caller may have, each once.
- ``events.ndjson``: the events of the runs, as the log keeps them.
- ``prov.json``: what these events state, as PROV-JSON.

Nothing in it depends on the order of arrival or the time of writing: equal sets of events give equal bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

import msgspec

from app.bodies import Gone, NotCaptured, Opened
from provmodel.errors import ClewError, NotFound
from provmodel.records import Tombstone
from queries.answer import Answer
from queries.graph import Graph
from queries.questions.replay_kit import ReplayKit
from queries.runs.kit import Need
from queries.runs.record import RunRecord

SPOOL = 1 << 22
"""Bytes of a bundle that wait in memory before they wait in a file."""

MEDIA_TYPE = "application/zip"
FILE = "clew-replay.zip"
VERSION = 1
_CHUNK = 1 << 16
_ENDINGS = {
    "application/json": "json",
    "text/markdown": "md",
    "text/csv": "csv",
    "text/plain": "txt",
    "text/html": "html",
}
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a ZIP file can hold: it says nothing

Open = Callable[[str], Opened]


class Hidden(ClewError):
    """The reader must accept: the content is there, and not for him."""

    def __init__(self, ref: str) -> None:
        super().__init__(f"you may not read the content of {ref}")


def hidden(ref: str) -> Opened:
    """Opens nothing, for a caller who may not read contents; raises :class:`Hidden`."""
    raise Hidden(ref)


class Content(msgspec.Struct, frozen=True, omit_defaults=True):
    """One content of a need: its file, or why there is none."""

    body: str
    file: str = ""
    media_type: str = ""
    size: int = 0
    missing: str = ""
    hidden: bool = False
    tombstones: tuple[Tombstone, ...] = ()


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One need, and what of it is in the bundle. ``state`` is deleted where a content is gone by now, and
    hidden where it is not for the caller.
    """

    ref: str
    part: str
    state: str
    why: str
    pinned: bool
    roles: tuple[str, ...]
    steps: tuple[str, ...]
    contents: tuple[Content, ...]
    holds: bool = False


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the bundle, and what is not. ``present`` counts the needs that are, ``holders`` those of
    them that have no content but that of others among them; ``missing`` the rest, by state.
    """

    kind: str = "clew-replay"
    version: int = VERSION
    runs: tuple[str, ...]
    tasks: tuple[str, ...]
    modes: tuple[str, ...]
    present: int
    holders: int
    missing: dict[str, int]
    gaps: tuple[str, ...]
    needs: tuple[Kept, ...]


def bundle(
    graph: Graph, answer: Answer[ReplayKit], open_body: Open, exported: Iterable[bytes]
) -> Iterator[bytes]:
    """The ZIP file, chunk by chunk. ``open_body`` gives the content of a body that the caller may have."""
    with SpooledTemporaryFile(SPOOL) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            _pack(packed, graph, answer.graph, open_body, exported)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            yield chunk


def _pack(
    packed: zipfile.ZipFile, graph: Graph, kit: ReplayKit, open_body: Open, exported: Iterable[bytes]
) -> None:
    contents = _Contents(packed, open_body)
    needs = tuple(contents.keep(need) for need in kit.needs)
    states = [need.state for need in needs]
    missing = {state: states.count(state) for state in sorted(set(states)) if state != "present"}
    runs = tuple(target.ref for target in kit.targets)
    manifest = Manifest(
        runs=runs,
        tasks=kit.tasks,
        modes=kit.modes,
        present=states.count("present"),
        holders=sum(1 for need in needs if need.holds),
        missing=missing,
        gaps=tuple(f"{gap.count} {gap.kind} ({gap.example})" for gap in kit.gaps),
        needs=needs,
    )
    _write(packed, "events.ndjson", _events(graph, kit.as_of, runs))
    _write(packed, "prov.json", exported)
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    _write(packed, "manifest.json", (text, b"\n"))


class _Contents:
    """Writes contents, each once, under numbers in the order in which they are needed."""

    def __init__(self, packed: zipfile.ZipFile, open_body: Open) -> None:
        self._packed, self._open = packed, open_body
        self._known: dict[str, Content] = {}

    def keep(self, need: Need) -> Kept:
        contents = tuple(self._content(body) for body in need.bodies)
        without = bool(contents) and not any(content.file for content in contents)
        fields = msgspec.structs.asdict(need)
        del fields["bodies"]
        if without and need.state in ("present", "partial"):
            state = "hidden" if any(content.hidden for content in contents) else "deleted"
            fields |= {"state": state, "why": contents[0].missing}
        return Kept(**fields, contents=contents)

    def _content(self, body: str) -> Content:
        if body not in self._known:
            self._known[body] = self._written(body)
        return self._known[body]

    def _written(self, body: str) -> Content:
        try:
            opened = self._open(body)
        except Gone as gone:
            return Content(body, missing=str(gone), tombstones=gone.tombstones)
        except Hidden as error:
            return Content(body, missing=str(error), hidden=True)
        except (NotCaptured, NotFound) as error:
            return Content(body, missing=str(error))
        number = sum(1 for known in self._known.values() if known.file) + 1
        ending = _ENDINGS.get(opened.media_type.partition(";")[0], "bin")
        name = f"bodies/{number:04}.{ending}"
        _write(self._packed, name, (opened.content,))
        return Content(body, name, opened.media_type, len(opened.content))


def _events(graph: Graph, as_of: int, runs: Iterable[str]) -> Iterator[bytes]:
    for run in runs:
        for report in RunRecord(graph, as_of, run).reports:
            yield msgspec.json.encode(report.event, order="deterministic") + b"\n"


def _write(packed: zipfile.ZipFile, name: str, chunks: Iterable[bytes]) -> None:
    entry = zipfile.ZipInfo(name, _EARLIEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    entry.create_system = 3  # the same on every system
    into: IO[bytes]
    with packed.open(entry, "w", force_zip64=True) as into:
        for chunk in chunks:
            into.write(chunk)
