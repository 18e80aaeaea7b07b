"""One service: what all faces of a process speak to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import msgspec

from app.access import Accesses, AccessList, Act, Listing, asked_about, exported, names_of, seen_list
from app.bodies import Bodies, Opened
from app.cases.work import Cases
from app.content.vault import Vault
from app.documents import Documents
from app.ledger import Ledger
from app.ledger.fsck import Finding, Progress
from app.ledger.retaining import Kept
from app.limits import Limits
from app.listing import Lists, NodeDetails
from app.pictures import Pictures
from app.pingbacks import PingbackList, Pingbacks, SentLink
from app.replay import bundle, hidden
from app.restrictions import Restrictions, Seeing, SeenLedger
from app.retention import Deleted, Request, Retention
from app.searching import Hits, Search, SearchAsked
from app.searching import Progress as SearchProgress
from app.service import spelling
from app.service.answering import Asked
from app.service.capturing import Arriving, Captured, Offer, event_of, long_body, short_body, streamed
from app.service.exporting import Export, Exporter
from app.service.numbering import Number, Numbering
from app.service.preparing import Preparer
from app.service.recording import Item, Recorder
from app.service.results import ItemResult, refused, stored
from app.service.submitting import Sent, Submitted, Submitter
from app.service.sweeping import Sweeper
from app.service.tagging import Tagging
from app.service.writer import Direct, Waiting, Writer
from provmodel import formats, names, sources
from provmodel.decoding import decode_event
from provmodel.document import Loss
from provmodel.errors import Ambiguous, BadQuestion, NotFound, Refused, TooLarge, Unreadable
from provmodel.events import Event
from provmodel.evidence import LOCAL, Principal
from provmodel.lexical import iri
from queries import shelf, unseen
from queries.answer import Answer, Graphed
from queries.hiding import Sight
from queries.lineage import LINEAGE
from queries.question import Question, read_params
from queries.restricted import hiding_of
from queries.targets import choose

LIMITS = Limits()
"""What is taken unless told otherwise."""

MOST_READERS = 1000
"""Sets of groups for whose readers a service is kept."""


class Service:
    """The verbs, for one tenant of one ledger. Any number of threads may use it at once.

    ``writer`` groups what many threads bring into commits; a process that has only itself to serve writes
    directly.
    """

    def __init__(
        self,
        ledger: Ledger,
        vault: Vault,
        tenant: str,
        base: str,
        writer: Writer | Direct | None = None,
        limits: Limits = LIMITS,
        sight: Sight | None = None,
    ) -> None:
        """``sight`` looks what is hidden from those whom it serves; without one they see all there is."""
        if sight is not None:
            ledger = SeenLedger(ledger, sight)
        ledger.reveal = self._texts  # before anything reads
        ledger.discard = vault.discard
        self.ledger = ledger
        self.vault = vault
        self.tenant = tenant
        self.limits = limits
        self.base = names.base_iri(base, tenant)
        self._everyones_base = base
        self._of_tenants: dict[str, Service] = {tenant: self}
        self.tagging = Tagging(ledger, vault)
        self.writer = writer or Direct(ledger.append)
        self.lists = Lists(ledger, tenant)
        self.bodies = Bodies(ledger, vault, tenant)
        self.accesses = Accesses(ledger, tenant)
        self.documents = Documents(ledger, self.lists, tenant, self.base)
        self.pictures = Pictures()
        self.retention = Retention(ledger, tenant, self._record_own)
        self._exporter = Exporter(
            ledger,
            self.documents,
            self.retention.holds,
            tenant,
            self.base,
            lambda name, given: self._ask(name, given).answer,
        )
        self._pingbacks = Pingbacks(ledger, tenant)
        self._search = Search(ledger, tenant)
        self.cases = Cases(ledger, vault, tenant, lambda given: self._ask("impact-of", given).answer)
        self._numbering = Numbering()
        self._submitter = Submitter(tenant, self.base, self.writer, self.documents)
        self._sweeper: Sweeper | None = None
        self.restrictions = Restrictions(ledger, tenant)
        self._seeing = Seeing(ledger, tenant, partial(vault.readers_key, tenant), self.base)
        self._of_readers: dict[frozenset[str], Service] = {}
        self._recorder = Recorder(vault, self.writer, self.tagging, self.retention.in_force, limits)

    def of_tenant(self, tenant: str) -> Service:
        """The service of another tenant over the same ledger, which it need not close."""
        found = self._of_tenants.get(tenant)
        if found is None:
            found = Service(self.ledger, self.vault, tenant, self._everyones_base, self.writer, self.limits)
            found = self._of_tenants.setdefault(tenant, found)
        return found

    def of_readers(self, groups: frozenset[str]) -> Service:
        """The service for readers of these groups, who see what is theirs to see."""
        found = self._of_readers.get(groups)
        if found is None:
            if len(self._of_readers) >= MOST_READERS:
                self._of_readers.clear()
            found = Service(
                self.ledger,
                self.vault,
                self.tenant,
                self._everyones_base,
                self.writer,
                self.limits,
                self._seeing.by(groups),
            )
            found._share(self)
            self._of_readers[groups] = found
        return found

    def _share(self, whole: Service) -> None:
        """Take over what is one for all readers."""
        self._numbering, self.accesses = whole._numbering, whole.accesses
        self.cases = whole.cases.seen_in(self.ledger, lambda given: self._ask("impact-of", given).answer)

    def close(self) -> None:
        """Write what waits, and let go of the ledger."""
        if self._sweeper:
            self._sweeper.close()
        self.writer.close()
        self.ledger.close()

    # record

    def record(self, items: Sequence[Item], principal: Principal = LOCAL) -> list[ItemResult]:
        """Record each item; see :meth:`app.service.recording.Recorder.record`."""
        return self._recorder.record(self.tenant, principal, items)

    def record_one(
        self, raw: bytes, principal: Principal = LOCAL, numbered: bool = False, timed: bool = False
    ) -> tuple[ItemResult, Number | None]:
        """Record one event. ``numbered`` lets the server number it, unless it brings a number or epoch.

        ``timed`` says that its time was filled in: when its source and id are known already, it is the same
        event sent again, and gets the time and number of the first.
        """
        preparer = self._preparer(principal)
        try:
            event = decode_event(raw)
            known = self.lists.first(event.source, event.id) if timed else None
            if known:
                number = Number(known.epoch or "", known.source_number or 0) if numbered else None
                event = msgspec.structs.replace(
                    event, time=known.time, epoch=known.epoch, source_number=known.source_number
                )
                waiting = self.writer.submit(self.tenant, [preparer.prepare(event)])
            else:
                event, number, waiting = self._submit(preparer, event, numbered)
        except (Refused, Unreadable) as error:
            return refused(0, ("", "", ""), error), None
        [outcome] = waiting.result()
        return stored(0, (event.id, event.source, event.time), outcome), number

    def _submit(
        self, preparer: Preparer, event: Event, numbered: bool
    ) -> tuple[Event, Number | None, Waiting]:
        if not numbered or event.epoch is not None or event.source_number is not None:
            return event, None, self.writer.submit(self.tenant, [preparer.prepare(event)])
        with self._numbering.next() as number:
            event = msgspec.structs.replace(event, epoch=number.epoch, source_number=number.number)
            return event, number, self.writer.submit(self.tenant, [preparer.prepare(event)])

    def record_trace(
        self, data: bytes, principal: Principal = LOCAL, source: str = "auto"
    ) -> tuple[sources.Reading, list[ItemResult]]:
        """Record the events that a foreign trace amounts to; raises Unreadable, or BadQuestion for an unknown
        source.
        """
        reader = sources.detect(data) if source == "auto" else sources.named(source)
        reading = reader.read(data)
        return reading, self.record(reading.events, principal)

    def submit(self, sent: Sent, principal: Principal = LOCAL) -> Submitted:
        """Take in a PROV document; see :meth:`app.service.submitting.Submitter.submit`."""
        return self._submitter.submit(sent, principal)

    # ask

    def ask(self, question: str, given: Mapping[str, Any], principal: Principal = LOCAL) -> Asked:
        """Ask a question of the shelf with a face's words; raises BadQuestion, NotFound or Ambiguous."""
        return self.answer(shelf.question(question), given, principal)

    def answer(
        self, question: Question[Any, Any], given: Mapping[str, Any], principal: Principal = LOCAL
    ) -> Asked:
        """Ask a question that need not be on the shelf. One about a person is recorded (app.access)."""
        asked = self._answer(question, given)
        targets = [target.ref for target in asked.answer.graph.targets]
        self.accesses.note(principal, asked_about(targets, question.name))
        return asked

    def _ask(self, question: str, given: Mapping[str, Any]) -> Asked:
        return self._answer(shelf.question(question), given)

    def _answer(self, question: Question[Any, Any], given: Mapping[str, Any]) -> Asked:
        params = question.read(self._respelt(given))
        if params.deadline > self.limits.query_milliseconds:
            params = msgspec.structs.replace(params, deadline=self.limits.query_milliseconds)
        with self._naming_alike():
            graph = self.ledger.graph(self.tenant)
            answer = spelling.as_given(question.answer(graph, params), params.target, given.get("target"))
            return Asked(question, unseen.counted(answer, graph))

    @contextmanager
    def _naming_alike(self) -> Iterator[None]:
        """Whoever asks for what is not there is told of names that look like it."""
        try:
            yield
        except NotFound as error:
            near = () if error.later else error.near or self._alike(error)
            raise NotFound(error.target, near, error.as_of, error.later) from None

    def _alike(self, error: NotFound) -> tuple[str, ...]:
        """Names that look like the one that nothing has, of what was recorded at the time asked about."""
        near = self._search.near(error.target)
        if error.as_of is None:
            return near
        known = self.ledger.graph(self.tenant).ids(near, error.as_of)
        return tuple(ref for ref in near if ref in known)

    def _respelt(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters with the references as they are kept (:mod:`app.service.spelling`)."""
        return spelling.parameters(given, self.base, self.vault.tagger(self.tenant))

    def details(self, refs: Sequence[str], as_of: str = "", principal: Principal = LOCAL) -> NodeDetails:
        """What is said of nodes; raises NotFound or Ambiguous. A look at a person is recorded."""
        with self._naming_alike():
            found = self.lists.details(self._respelt({"target": refs})["target"], as_of)
        self.accesses.note(principal, asked_about([node.ref for node in found.nodes], "nodes"))
        sent = self._pingbacks.counts([node.ref for node in found.nodes])
        nodes = [msgspec.structs.replace(node, pingbacks=sent.get(node.ref, 0)) for node in found.nodes]
        return msgspec.structs.replace(found, nodes=nodes)

    def search(self, given: Mapping[str, Any], progress: SearchProgress | None = None) -> Hits:
        """Nodes by words and conditions (:class:`app.searching.SearchAsked`); raises BadQuestion, NotFound or
        Ambiguous.
        """
        with self._naming_alike():
            asked = read_params(SearchAsked, given)
            asked = spelling.searched(asked, self.base, self.vault.tagger(self.tenant))
            return self._search.hits(asked, progress)

    # check

    def check(self, progress: Progress = lambda done, total: None) -> list[Finding]:
        """Where the log does not match its digests, and the graph is not what the log makes."""
        return self.ledger.fsck(self.tenant, progress)

    # export

    def export(
        self,
        form: str,
        assertions: str = "best",
        run: str | None = None,
        question: str | None = None,
        given: Mapping[str, Any] | None = None,
        document: str | None = None,
        principal: Principal = LOCAL,
    ) -> Export:
        """The graph in a wire format: all of it, what one run's events state, the answer to a question, or a
        document as it was submitted.

        What can't be exported is told by the first chunk that is asked for; with it the export is recorded.
        """
        if document and (question or run):
            raise BadQuestion("document", "a document is exported whole", "give it alone")
        if question and run:
            raise BadQuestion("run", "an answer is exported whole", "give a run or a question")
        if any((given or {}).get("fold", ())):
            raise BadQuestion("fold", "an answer is exported whole", "leave it out")
        if document:
            made = self._exporter.document(form, document)
            acts = [Act("export", document, form)]
        else:
            losses: list[Loss] = []
            acts = [] if question else [Act("export", run or "", form)]
            chunks = self._exporter.chunks(form, assertions, run, question, given or {}, losses, acts)
            made = Export(formats.by_name(form), chunks, losses)
        return made._replace(chunks=self.accesses.giving(made.chunks, principal, acts))

    # PROV-AQ

    def iri(self, ref: str) -> str:
        """The IRI of a node."""
        return iri(ref, self.base)

    def named(self, asked: str) -> str | None:
        """The IRI of the node that a reference stands for; None when it stands for none, or for several."""
        graph = self.ledger.graph(self.tenant)
        try:
            return self.iri(choose(graph, [self._respelt({"target": asked})["target"]], graph.head())[0].ref)
        except (NotFound, Ambiguous):
            return None

    def provenance(
        self, form: str, assertions: str, given: Mapping[str, Any], principal: Principal = LOCAL
    ) -> tuple[Answer[Graphed], Export]:
        """What led to a node: the answer, which says how far it goes, and the document that it is."""
        written = formats.by_name(form)
        answer = self._answer(LINEAGE, {**given, "direction": "backward", "view": "full"}).answer
        losses: list[Loss] = []
        chunks = self._exporter.answered(answer, form, assertions, losses)
        acts = exported(answer.graph.targets, form, LINEAGE.name)
        return answer, Export(written, self.accesses.giving(chunks, principal, acts), losses)

    def pingback(self, target: str, links: Sequence[SentLink], principal: Principal = LOCAL) -> int:
        """Keep links that somebody sent about a node; how many are new. Raises NotFound, Ambiguous or
        TooLarge.
        """
        with self._naming_alike():
            return self._pingbacks.add(self._respelt({"target": target})["target"], links, principal.name)

    def pingbacks(self, target: str = "", cursor: str = "", limit: int = 100) -> PingbackList:
        """Links that others sent about a node, or about any."""
        with self._naming_alike():
            return self._pingbacks.page(self._respelt({"target": target})["target"], cursor, limit)

    def replay(self, run: str, contents: bool = True, principal: Principal = LOCAL) -> Iterator[bytes]:
        """What a re-run of a run needs, as a ZIP file (:mod:`app.replay`), with contents if the caller may
        read them.

        What can't be replayed is told by the first chunk that is asked for.
        """
        answer = self._ask("replay-kit", {"target": [run]}).answer
        graph = self.ledger.graph(self.tenant)
        [target] = answer.graph.targets
        acts = [Act("export", target.ref, "replay")]

        def opened(body: str) -> Opened:
            found = self.bodies.open(body)
            acts.append(Act("read", found.body, f"replay of {target.ref}"))
            return found

        stated = self._exporter.chunks("prov-json", "best", target.ref, None, {}, [], [])
        packed = bundle(graph, answer, opened if contents else hidden, stated)
        yield from self.accesses.giving(packed, principal, acts)

    # bodies

    def read(self, ref: str, principal: Principal = LOCAL) -> Opened:
        """The content of a reference, or of a body by its id; that it is given is recorded first.

        Raises what :meth:`app.bodies.Bodies.open` does, and Unrecorded.
        """
        opened = self.bodies.open(ref)
        self.accesses.note(principal, [Act("read", opened.body)])
        return opened

    def who_read(self, wanted: Listing) -> AccessList:
        """Who read, exported, asked or did what, the newest first. A reference stands for its bodies, too;
        one that is not there any more is looked up as it is spelt. Raises BadQuestion.
        """
        [spelt] = self._respelt({"target": [wanted.target]})["target"]
        graph = self.ledger.graph(self.tenant)
        hiding = hiding_of(graph)
        names = names_of(graph, self.bodies, spelt)
        if hiding:
            names = [hiding.asked(name) for name in names]
            wanted = msgspec.structs.replace(wanted, target=hiding.asked(wanted.target))
        return seen_list(self.accesses.page(wanted, names), hiding)

    def _texts(self, tenant: str, bodies: Sequence[str]) -> Mapping[str, str]:
        return (self.bodies if tenant == self.tenant else Bodies(self.ledger, self.vault, tenant)).texts(
            bodies
        )

    def start_sweeping(self, seconds: int) -> None:
        """Let go of what is due every so many seconds, until the service is closed; 0: never."""
        if seconds and self._sweeper is None:
            self._sweeper = Sweeper(self._sweep, seconds)

    def _sweep(self) -> None:
        for tenant in self.ledger.tenants():
            self.of_tenant(tenant).retention.sweep()

    def _record_own(self, events: Sequence[Event]) -> list[ItemResult]:
        return self._recorder.record(self.tenant, LOCAL, events)

    def forget(self, named: str, request: Request) -> list[Deleted]:
        """Delete the content of a reference, or one body, before its time.

        Raises NotFound, Ambiguous, NotCaptured, Gone when all of it went before, Refused when it is held.
        """
        return self.retention.forget([body.body for body in self.there(named)], request)

    def there(self, named: str) -> list[Kept]:
        """The bodies of a reference, or one by its id, that are there.

        Raises NotFound, Ambiguous, NotCaptured, or Gone when all of it went before.
        """
        [ref] = self._respelt({"target": [named]})["target"]
        kept = self.retention.there(self.bodies.names_of(ref))
        if not kept:
            self.bodies.open(ref)  # says what became of it
        return kept

    def capture(self, offer: Offer, chunks: Iterable[bytes], principal: Principal = LOCAL) -> Captured:
        """Keep the content of something that is known; the first body that comes for it is what is read.

        Raises NotFound for a reference that nothing named, Gone when its content was deleted, Refused for
        what is not as it was said to be, TooLarge beyond the limit.
        """
        graph = self.ledger.graph(self.tenant)
        [ref] = self._respelt({"target": [offer.ref]})["target"]
        node = graph.ids([ref], graph.head()).get(ref)
        if node is None:
            raise NotFound(offer.ref)
        self.bodies.stay_gone(ref, node, offer.as_ == "label")
        offer = msgspec.structs.replace(offer, ref=ref)
        arriving = Arriving(chunks, offer)
        first, whole = arriving.start()
        if arriving.size > self.limits.body_bytes:
            raise TooLarge(
                f"{arriving.size} bytes and more",
                f"{self.limits.body_bytes} bytes",
                "send less, or raise CLEW_BODY_LIMIT",
            )
        body = short_body(first, offer.media_type) if whole else long_body(offer.media_type)
        event = event_of(offer, body, principal)
        preparer = self._preparer(principal)
        if whole:
            prepared = preparer.prepare(event)
        else:
            limit, keys = self.limits.body_bytes, preparer.tag_keys()
            taken = streamed(self.vault, self.tenant, offer, first, arriving, event, limit, keys)
            prepared = preparer.prepare_streamed(event, taken)
        [outcome] = self.writer.submit(self.tenant, [prepared]).result()
        result = stored(0, (event.id, event.source, event.time), outcome)
        return Captured(str(body.id), arriving.size, ref, result)

    def _preparer(self, principal: Principal) -> Preparer:
        policies = self.retention.in_force()
        return Preparer(self.vault, self.tenant, principal, lambda: self.tagging.of(self.tenant), policies)

    def tag_key(self, run: str) -> tuple[str, bytes]:
        """The name of the algorithm and the 32-byte key by which a producer that must not send arguments tags
        them.
        """
        keys = self.tagging.of(self.tenant)
        return keys.tags_of(run).alg, keys.tag_key(run)
