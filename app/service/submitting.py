"""The verb *submit*: a PROV document in, what became of it out. It is taken as a whole, or refused as a
whole, and is durable when it is answered.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from hashlib import sha256

import msgspec

from app.documents import About, Documents
from app.ledger.documents import compressed
from app.ledger.items import Content, Outcome, Prepared, digest_of
from app.ledger.reports import rfc3339
from app.service.preparing import encode_log, not_its_source
from app.service.results import Status
from app.service.writer import Direct, Writer
from provmodel import evidence, formats, names
from provmodel.document import PROV_QUALIFIED_NAME, XSD, Document, Remark, Statement
from provmodel.documents.packing import pack
from provmodel.errors import Refused, Unreadable
from provmodel.evidence import Principal
from provmodel.lexical import split_iri
from provmodel.mapping.documents import Reading, project_document
from provmodel.submission import UNNAMED, DocumentSubmitted

MOST_NAME = 256  # characters of a document's name
_SALT = b"document"  # of a document its digest alone tells whether it is the same


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A document as it came: its bytes, and what was said of them ("" for nothing).

    ``form`` is a format's name or a media type, ``file`` the name of the file that it was in, ``name`` what
    it is to be called, ``source`` and ``asserter`` who says what it says, ``cap`` the highest evidence that
    its statements keep.
    """

    data: bytes
    form: str = ""
    file: str = ""
    name: str = ""
    source: str = ""
    asserter: str = ""
    cap: str = ""


class Submitted(Reading, frozen=True, kw_only=True):
    """What became of a document: ``recorded``; a ``duplicate`` when the same bytes were there; a ``conflict``
    when its source had submitted other bytes under this name, and both are kept.

    ``ref`` is its node. ``seq`` is its place in the log (of a duplicate that of the one which is there),
    ``first_seq`` that of the first under its name. ``remarks`` are what its reader noticed and kept.
    """

    status: Status
    document: str
    ref: str
    source: str
    seq: int
    first_seq: int
    sha256: str
    size: int
    format: str
    statements: int
    bundles: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Submitter:
    """Takes documents of any credential for one tenant."""

    def __init__(self, tenant: str, base: str, writer: Writer | Direct, documents: Documents) -> None:
        self._tenant = tenant
        self._base = base
        self._writer = writer
        self._documents = documents

    def submit(self, sent: Sent, principal: Principal) -> Submitted:
        """Raises :class:`Unreadable` for what is no PROV document, and :class:`Refused` for a claim beyond
        what the credential may say, or a name that can't be one.
        """
        form = formats.detect(sent.data, sent.form or None, sent.file or None)
        document = formats.read(sent.data, form.name)
        content = _packed(document)
        event = self._event(sent, principal, form.name, content)
        projected = project_document(event, document, principal)
        for source in sorted(projected.sources):
            if not principal.may_speak_for(source):
                raise not_its_source(principal, source)
        about = _about(document, event, projected.reading)
        log = encode_log(event)
        item = Prepared(
            event=event,
            log=log,
            digest=digest_of(log),
            records=projected.records,
            principal=principal,
            received=time.time_ns() // 1000,
            salt=_SALT,
            redelivery=bytes.fromhex(event.sha256),
            same=lambda salt, digest: salt == _SALT and digest == bytes.fromhex(event.sha256),
            content=Content(compressed(content), msgspec.json.encode(about).decode()),
        )
        [outcome] = self._writer.submit(self._tenant, [item]).result()
        return _told(event, about, document, outcome)

    def _event(self, sent: Sent, principal: Principal, form: str, content: bytes) -> DocumentSubmitted:
        digest = sha256(sent.data).hexdigest()
        source = names.clean(sent.source or _usual_source(principal), "source")
        if not principal.may_speak_for(source):
            raise not_its_source(principal, source)
        name = sent.name or self._documents.known_as(digest, source) or digest[:UNNAMED]
        if len(name) > MOST_NAME:
            raise Refused("name", f"it has more than {MOST_NAME} characters", "shorten it")
        return DocumentSubmitted(
            id=names.clean(name, "name"),
            source=source,
            time=rfc3339(time.time_ns() // 1000),
            evidence=evidence.parse(sent.cap).word if sent.cap else None,  # type: ignore[arg-type]
            asserter=names.clean(sent.asserter, "asserter") if sent.asserter else None,
            sha256=digest,
            size=len(sent.data),
            format=form,
            base=self._base,
            content_sha256=sha256(content).hexdigest(),
        )


def _usual_source(principal: Principal) -> str:
    """Who submits, when it isn't said: the credential's only source, or the credential itself."""
    sources = principal.sources
    return next(iter(sources)) if sources and len(sources) == 1 else principal.name


def _packed(document: Document) -> bytes:
    try:
        return pack(document)
    except UnicodeEncodeError:
        raise Unreadable(
            "the document", "it holds half of a character (a lone surrogate)", "send whole characters"
        ) from None


def _about(document: Document, event: DocumentSubmitted, reading: Reading) -> About:
    return About(
        **msgspec.structs.asdict(reading),
        format=event.format,
        size=event.size,
        statements=sum(len(part.statements) for part in document.parts),
        remarks=len(document.remarks),
        bundles=tuple(part.id for part in document.bundles if part.id),
        namespaces=tuple(sorted(set(_namespaces(document)))),
    )


def _namespaces(document: Document) -> Iterator[str]:
    """Those of what its attributes are called, which datatypes they have and what they name, and of the names
    of its relations.
    """
    seen: set[str] = set()
    for part in document.parts:
        for one in part.statements:
            named = (one.id, *one.references) if isinstance(one, Statement) else ()
            iris = {name for name in named if name and name[0] != "_"}
            for name, value in one.attributes:
                iris.add(name)
                if value.datatype == PROV_QUALIFIED_NAME:
                    iris.update({value.value} if value.value[:1] != "_" else ())
                elif value.datatype and not value.datatype.startswith(XSD):
                    iris.add(value.datatype)
            for iri in iris - seen:
                seen.add(iri)
                yield split_iri(iri)[0]


def _told(event: DocumentSubmitted, about: About, document: Document, outcome: Outcome) -> Submitted:
    reading = {name: getattr(about, name) for name in Reading.__struct_fields__}
    return Submitted(
        **reading,
        status=outcome.status,
        document=event.id,
        ref=event.ref,
        source=event.source,
        seq=outcome.seq,
        first_seq=outcome.first_seq,
        sha256=event.sha256,
        size=event.size,
        format=event.format,
        statements=about.statements,
        bundles=about.bundles,
        remarks=document.remarks,
    )
