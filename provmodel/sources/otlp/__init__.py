"""OTLP/JSON traces: spans that agents' instrumentation sends, read by the OpenInference conventions."""

from __future__ import annotations

from typing import ClassVar

from provmodel.errors import Unreadable
from provmodel.events import Event
from provmodel.sources import Margin, Reading, Source
from provmodel.sources.otlp import documents, openinference, spans


class Otlp(Source):
    """OTLP/JSON: one ``resourceSpans`` document, an array of them, or one a line."""

    name: ClassVar[str] = "otlp"
    title: ClassVar[str] = "OTLP/JSON traces with OpenInference attributes"
    version: ClassVar[int] = 1

    def detect(self, data: bytes) -> bool:
        return documents.looks_like(data)

    def read(self, data: bytes) -> Reading:
        """The events of every span; a span that can't be read rejects itself alone.

        Raises :class:`Unreadable` when ``data`` holds no OTLP document.
        """
        margin = Margin()
        made: list[Event] = []
        taken = 0
        for found in documents.spans(data, margin):
            try:
                made.extend(openinference.events_of(spans.read(found, margin), margin))
                taken += 1
            except Unreadable as error:
                margin.reject(spans.label(found), f"{error.where}: {error.reason}")
        return margin.reading(made, taken)
