"""Exports: the graph, an answer or a document in a wire format, as those see it whom a service serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple

import msgspec

from app.access import Act, exported
from app.documents import Documents
from app.export import LedgerFeed
from app.ledger import Ledger
from app.redacted import RedactedFeed
from app.retention import Hold
from app.selecting import answer_feed, ledger_feed
from provmodel import formats, names
from provmodel.document import Loss
from provmodel.errors import NotFound
from provmodel.feeds import WithNodes, contract_of, holds_of
from provmodel.statements import Feed
from queries import answer as answers
from queries.answer import Answer
from queries.restricted import hiding_of
from queries.shown import without

Ask = Callable[[str, Mapping[str, Any]], Answer[Any]]
"""Asks a question of the shelf by its name, with a face's words."""


class Export(NamedTuple):
    """A document that is being written: its format, its bytes chunk by chunk, and what the format can't hold
    of it, which is all told when the last chunk was drawn.
    """

    form: formats.Writable
    chunks: Iterator[bytes]
    losses: list[Loss]

    @property
    def streamed(self) -> bool:
        """True when the document is never in memory as a whole, and nothing of it is lost."""
        return isinstance(self.form, formats.Format)


class Exporter:
    """Writes what one tenant has."""

    def __init__(
        self,
        ledger: Ledger,
        documents: Documents,
        holds: Callable[[], list[Hold]],
        tenant: str,
        base: str,
        ask: Ask,
    ) -> None:
        self._ledger = ledger
        self._documents = documents
        self._holds = holds
        self._tenant = tenant
        self._base = base
        self._ask = ask

    def document(self, form: str, asked: str) -> Export:
        """A submitted document; raises NotFound or Ambiguous."""
        content = self._documents.content(self._documents.find(asked))
        written = formats.document_format(form)
        chunks, losses = formats.write_document(content, written.name)
        return Export(written, chunks, losses)

    def chunks(
        self,
        form: str,
        assertions: str,
        run: str | None,
        question: str | None,
        given: Mapping[str, Any],
        losses: list[Loss],
        acts: list[Act],
    ) -> Iterator[bytes]:
        """All of the graph, what one run's events state, or the answer to a question. What the format can't
        hold is added to ``losses``, what there is to record of an answer to ``acts``.
        """
        if question:
            asked = {name: value for name, value in given.items() if name != "hide"}
            answer = self._ask(question, {**asked, "view": "full"})
            acts.extend(exported(answer.graph.targets, form, question))
            left = without(answer.graph, given.get("hide", ()))
            answer = msgspec.structs.replace(answer, graph=left)
            yield from self.answered(answer, form, assertions, losses)
            return
        with closing(self._feed(run)) as feed:
            yield from formats.write(self._with_holds(self._seen(feed), run), form, assertions, losses)

    def _feed(self, run: str | None) -> LedgerFeed:
        """All of the graph, or what one run's events state."""
        asked = hiding_of(self._ledger.graph(self._tenant)).asked(run) if run else None
        try:
            return ledger_feed(self._ledger.whole, self._tenant, self._base, asked)
        except NotFound:
            raise NotFound(run or "") from None

    def _with_holds(self, feed: Feed, run: str | None) -> Feed:
        """A feed with the legal holds that stand, those of a run's own nodes alone."""
        hiding = hiding_of(self._ledger.graph(self._tenant))
        standing = [one for one in self._holds() if not hiding.hides(one.target)]
        if run and standing:
            there = {name for ref in feed.refs() for name in (ref, names.split(ref).thing)}
            standing = [one for one in standing if one.target in there]
        told = [
            (one.hold, one.target, hiding.told(one.reason), one.placed, one.placed_by)
            for one in standing
            if one.target not in hiding.bodies
        ]
        return WithNodes(feed, holds_of(told, self._base)) if told else feed

    def _seen(self, feed: LedgerFeed) -> Feed:
        """A feed as those see it whom this serves. What is hidden is looked up after what it gives was."""
        hiding = hiding_of(self._ledger.graph(self._tenant))
        return RedactedFeed(feed, hiding) if hiding else feed

    def answered(
        self, answer: Answer[Any], form: str, assertions: str, losses: list[Loss]
    ) -> Iterator[bytes]:
        """An answer, with how far it goes."""
        contract = contract_of(answers.contract(answer), self._base)
        hiding = hiding_of(self._ledger.graph(self._tenant))
        with closing(answer_feed(self._ledger.whole, self._tenant, self._base, answer, hiding)) as feed:
            yield from formats.write(WithNodes(self._seen(feed), contract), form, assertions, losses)
