"""Composition: the one place that puts the parts together, as the settings say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.content import Vault, open_keys
from app.content.elsewhere import place_at
from app.content.secrets import RULES, Finder, Redactor, read_rules
from app.credentials.rates import Rates
from app.ledger import Ledger
from app.service import Service
from app.service.writer import Direct, Writer
from app.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.credentials.gate import Gate


def open_service(settings: Settings, writing: bool = False, create: bool = True) -> Service:
    """The service over the ledger that the settings name; with ``create`` it is made when there is none.

    ``writing`` groups what many threads record into commits. Raises StoreTrouble, which names the remedy.
    """
    ledger = Ledger.open(settings.db, create=create, keys=settings.key_store)
    try:
        return _service(ledger, settings, writing)
    except BaseException:
        ledger.close()
        raise


def _service(ledger: Ledger, settings: Settings, writing: bool) -> Service:
    known = ledger.key_fingerprint()
    keys = open_keys(settings.key_file, known)
    if known is None:
        ledger.keep_key_fingerprint(keys.fingerprint)
    place = place_at(settings.bodies, settings.s3) if settings.bodies else None
    more = read_rules(Path(settings.secret_rules)) if settings.secret_rules else ()
    vault = Vault(keys, place, settings.bodies_inside, Redactor(Finder((*RULES, *more))))
    writer: Writer | Direct = Direct(ledger.append, ledger.compact)
    if writing:
        writer = Writer(ledger.append, tidy=ledger.compact, idle=ledger.take_words)
    service = Service(ledger, vault, settings.tenant, settings.base_iri, writer, settings.limits)
    if writing:
        service.start_sweeping(settings.sweep_seconds)
    return service


def gate_of(service: Service, settings: Settings, *, required: bool = False) -> Gate:
    """Who may do what: the keys in the ledger, and the issuers that the settings name."""
    # Only a server asks who comes: what reads tokens takes as long to load as a question to answer.
    from app.credentials.gate import Gate
    from app.credentials.keys import Keys
    from app.credentials.tokens import Tokens

    tokens = Tokens.read(settings.issuers) if settings.issuers else None
    return Gate(Keys(service.ledger), tokens, settings.tenant, required=required)


def http_app(service: Service, settings: Settings, *, alone: bool = True) -> FastAPI:
    """The HTTP face. On this machine ``alone`` it answers to its names only, and asks for credentials once
    one was made; for others it always does.
    """

    from app.faces.http import LOOPBACK, create_app
    from app.faces.http.intake import Intake

    gate = gate_of(service, settings, required=not alone)
    return create_app(
        service,
        intake=Intake(settings.limits),
        hosts=LOOPBACK if alone else None,
        gate=gate,
        rates=Rates(settings.limits),
    )


def serve_mcp(service: Service) -> None:
    """The MCP face on standard input and output, until its client goes."""
    from app.faces import mcp

    mcp.serve(service)
