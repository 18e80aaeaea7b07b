"""``clew ingest``: files of events, of foreign traces or of PROV documents, told apart by looking."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from app.faces.cli.opening import opened
from app.faces.cli.outcome import DEFECT, FINE, USAGE, tell
from app.faces.cli.remote import Server
from app.faces.cli.sinks import Here, Sink, There
from app.faces.cli.terminal import console, notes, print_json, progress
from app.faces.prose import shown
from app.service import ItemResult, Sent, Submitted
from provmodel import evidence, formats, sources
from provmodel.decoding import in_lines, line_numbers, split_items
from provmodel.errors import BadQuestion, Unreadable
from provmodel.events import TYPES
from provmodel.evidence import LOCAL
from queries.telling import counted

BATCH = 500  # items recorded together
MOST_ITEMS = 10**12  # of one file: memory ends before
TOLD = 20  # refusals and remarks on the terminal; --json has all
_OWN = "clew"
_PROV = "prov"
_HEAD = 1 << 14  # bytes that are looked at
_EVENT = re.compile(rb'"type"\s*+:\s*+"(?:%s)"' % "|".join(TYPES).encode()).search
_LINES = (".ndjson", ".jsonl")
_MANY_FORMS = ".json"  # an ending that says nothing of what is in the file
STATUSES = ("recorded", "duplicate", "conflict", "refused")


class Told(msgspec.Struct, frozen=True):
    """One item that was refused or rejected, and why."""

    file: str
    where: str
    id: str
    reason: str
    remedy: str


class Remarked(msgspec.Struct, frozen=True):
    """Something that was met ``count`` times in a file, first at ``where``."""

    file: str
    what: str
    where: str
    count: int


class Report(msgspec.Struct):
    """What became of everything that was read."""

    counts: dict[str, int]
    files: int = 0
    items: int = 0
    refused: list[Told] = []
    not_understood: list[Remarked] = []
    notes: list[Remarked] = []
    unreadable: list[Told] = []
    documents: list[Submitted] = []

    @property
    def code(self) -> int:
        if self.refused or self.unreadable:
            return USAGE
        return DEFECT if self.counts["conflict"] else FINE


def ingest(
    files: list[str],
    db: str | None,
    url: str | None,
    source: str,
    cap: str | None,
    name: str | None,
    json: bool,
) -> int:
    """Record all files; the exit code: 3 when anything in them was refused or could not be read, else 2 when
    anything conflicts with what has its id, or a document with another of its name.
    """
    if source not in ("auto", _OWN, _PROV):
        sources.named(source)
    if name and len(files) > 1:
        raise BadQuestion("name", "several documents can't have one name", "give one file, or leave it out")
    principal = msgspec.structs.replace(LOCAL, cap=evidence.parse(cap)) if cap else LOCAL
    if url:
        word = principal.cap.word if cap else ""
        return _finish(_Ingest(There(Server(url), word), source, name or "").run(files), json)
    with opened(db, create=True) as service:
        return _finish(_Ingest(Here(service, principal), source, name or "").run(files), json)


class _Ingest:
    """One run of the command."""

    def __init__(self, sink: Sink, source: str, name: str = "") -> None:
        self._sink = sink
        self._source = source
        self._name = name
        self.report = Report(counts=dict.fromkeys(STATUSES, 0))

    def run(self, files: Sequence[str]) -> Report:
        report = self.report
        with progress() as bar:
            for name in files:
                report.files += 1
                try:
                    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
                    task = bar.add_task(shown(name), total=len(data))
                    for done in self._read(name, data):
                        bar.update(task, completed=done)
                except Unreadable as error:
                    report.unreadable.append(Told(name, error.where, "", error.reason, error.remedy))
                except OSError as error:
                    report.unreadable.append(Told(name, "", "", error.strerror or str(error), "name another"))
        return report

    def _read(self, name: str, data: bytes) -> Iterator[int]:
        """Record what is in one file; yields how many of its bytes are done."""
        kind = _kind(data, name) if self._source == "auto" else self._source
        if kind == _PROV:
            self._document(name, data)
            yield len(data)
            return
        if kind != _OWN:
            self._trace(name, data, kind)
            yield len(data)
            return
        lines = in_lines(data, name.lower().endswith(_LINES))
        items = split_items(data, lines=lines, limit=MOST_ITEMS)
        places = [f"line {number}" for number in line_numbers(data)] if lines else []
        done = 0
        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            self._count(name, self._sink.events(batch), start, places)
            done += sum(map(len, batch))
            yield done

    def _count(self, name: str, results: Sequence[ItemResult], start: int, places: Sequence[str]) -> None:
        self.report.items += len(results)
        for result in results:
            self.report.counts[result.status] += 1
            item = start + result.item
            self._tell(name, result, places[item] if places else f"item {item}")

    def _trace(self, name: str, data: bytes, kind: str) -> None:
        traced, report = self._sink.trace(data, kind), self.report
        report.items += traced.items
        for status, count in traced.counts.items():
            report.counts[status] += count
        for result in traced.refused:
            self._tell(name, result, "")
        report.refused += [Told(name, one.where, "", one.reason, "") for one in traced.rejected]
        report.not_understood += [
            Remarked(name, one.what, one.where, one.count) for one in traced.not_understood
        ]
        report.notes += [Remarked(name, one.what, one.where, one.count) for one in traced.notes]

    def _document(self, name: str, data: bytes) -> None:
        report = self.report
        done = self._sink.document(Sent(data=data, file=name, name=self._name))
        report.items += 1
        report.counts[done.result.status] += 1
        self._tell(name, done.result, "")
        submitted = done.submitted
        if not submitted:
            return
        report.documents.append(submitted)
        report.notes += [Remarked(name, remark.what, remark.where, 1) for remark in submitted.remarks]
        report.notes += [Remarked(name, what, "", count) for what, count in submitted.notes.items()]
        report.notes += [
            Remarked(name, f"evidence was lowered from {how}", "", count)
            for how, count in submitted.capped.items()
        ]
        report.not_understood += [
            Remarked(name, f"<{what}> is kept and not walked", "", count)
            for what, count in submitted.not_interpreted.items()
        ]

    def _tell(self, name: str, result: ItemResult, place: str) -> None:
        if result.error:
            error = result.error
            inside = error.field.removeprefix("line 1 ") if place.startswith("line ") else error.field
            where = f"{place} {inside}".strip()
            self.report.refused.append(Told(name, where, result.id, error.reason, error.remedy))


def _kind(data: bytes, file: str) -> str:
    """The name of the source that the data looks like, or that it is a PROV document; what looks like none is
    Clew's own.
    """
    fits = [name for name, source in sources.sources().items() if source.detect(data)]
    if len(fits) > 1:
        raise Unreadable("file", f"it looks like {' and '.join(fits)}", "say which with --source")
    return fits[0] if fits else _PROV if _is_document(data, file) else _OWN


def _is_document(data: bytes, file: str) -> bool:
    """Whether the file's name or the data's beginning says that it is PROV, and no event stands there."""
    if _EVENT(data[:_HEAD]):
        return False
    readable = [form for form in formats.documents().values() if form.read]
    endings = {ending for form in readable for ending in form.endings if ending != _MANY_FORMS}
    return file.lower().endswith(tuple(endings)) or any(form.looks(data) == formats.SURE for form in readable)


def _finish(report: Report, json: bool) -> int:
    if json:
        print_json(report)
    else:
        _show(report)
    return report.code


def _show(report: Report) -> None:
    for one in report.documents:
        console().print(shown(_sentence(one)), soft_wrap=True)
    counts = ", ".join(f"{count:,} {status}" for status, count in report.counts.items() if count)
    items, files = counted(report.items, "item"), counted(report.files, "file")
    made = sum(report.counts.values())
    of_it = f" made {counted(made, 'event')}" if made != report.items and counts else ""
    console().print(f"{items} of {files}{of_it}: {counts or 'nothing to record'}.")
    for told in report.unreadable:
        where = f"{told.where}: " if told.where else ""
        tell(shown(f"{told.file}: {where}{told.reason}; {told.remedy}"))
    refusals = [f"refused: {one.file} {one.where}: {one.reason}; {one.remedy}" for one in report.refused]
    _show_some(refusals)
    for word, remarks in (("not understood", report.not_understood), ("note", report.notes)):
        _show_some([f"{word}: {_remark(one)}" for one in remarks])


def _sentence(one: Submitted) -> str:
    """What became of a document, in a line."""
    made = {
        ("entity", "entities"): one.entities,
        ("activity", "activities"): one.activities,
        ("agent", "agents"): one.agents,
        ("relation", "relations"): one.relations,
        ("bundle", "bundles"): len(one.bundles),
    }
    said = ", ".join(f"{count} {words[count > 1]}" for words, count in made.items() if count)
    known = ", ".join(f"{count} {word}" for word, count in one.evidence.items())
    return f"{one.ref} ({one.format}): {one.status}, {said or 'empty'}{f'; {known}' if known else ''}"


def _remark(one: Remarked) -> str:
    often = f", {one.count} times" if one.count > 1 else ""
    place = f", {'first ' if often else ''}at {one.where}" if one.where else ""
    return f"{one.what}{often}{place}"


def _show_some(lines: Sequence[str]) -> None:
    said = notes()
    for line in lines[:TOLD]:
        said.print(shown(line.rstrip("; ")), soft_wrap=True)
    if len(lines) > TOLD:
        said.print(f"and {len(lines) - TOLD} more; --json lists all")
