"""Credentials: who shows a key or a token, and what it costs to record that a body was read"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from joserfc import jwt
from joserfc.jwk import OKPKey
from starlette.datastructures import Headers

from app.credentials.gate import Gate
from app.credentials.keys import Grant, Keys
from app.credentials.tokens import Granted, Issuer, Tokens
from app.service import Service
from benchmarks.frame import Figure, Side, cpu, micros, ratio, take_turns
from benchmarks.stores import TENANT, service_at
from benchmarks.workload import raw, steps

MOST_MICROS = 20.0
READINGS = 200
READERS = 8
REF = "message:read"
_PEER = "Starlette: look `authorization` up among the headers of the request"


def figures(quick: bool) -> Iterable[Figure]:
    """The gate over keys and tokens, then reading with its record."""
    times, turns = (5_000, 3) if quick else (50_000, 7)
    with TemporaryDirectory() as folder:
        service = service_at(Path(folder) / "clew.db")
        try:
            service.record(raw(steps(), 1))
            yield from _gate(service, times, turns)
            yield from _recorded(service, turns)
        finally:
            service.close()


def _gate(service: Service, times: int, turns: int) -> Iterable[Figure]:
    keys = Keys(service.ledger)
    key, _ = keys.create(TENANT, Grant(name="person:ann", scopes=frozenset({"graph:read"})))
    tokens, token = _issued()
    gate = Gate(keys, tokens, TENANT, required=True, clock=lambda: 0.0)
    shown = {"key": f"Bearer {key}", "token": f"Bearer {token}"}
    for header in shown.values():
        gate.identify(header)
    few = times // 50
    seconds = take_turns(
        turns,
        {
            **{name: _repeated(partial(gate.known, header), times) for name, header in shown.items()},
            "headers": _repeated(lambda: _headers(shown["token"]).get("authorization"), times),
            "digest": _repeated(lambda: hashlib.sha256(shown["token"].encode()).digest(), times),
            "found": _repeated(lambda: keys.find(key), few),
            "verified": _repeated(lambda: tokens.identity(token), few),
        },
    )
    each = {
        name: micros(median(took), few if name in ("found", "verified") else times)
        for name, took in seconds.items()
    }
    for name, seldom, what in (
        ("key", "found", "the look-up in SQLite"),
        ("token", "verified", "the check of its signature (Ed25519)"),
    ):
        yield Figure(
            name=f"a {name} that was shown before",
            measured=median(seconds[name]) / times * 1e6,
            goal=MOST_MICROS,
            unit="us",
            peer="none",
            note=f"{len(shown[name])} characters; {what}, once in 0.9 s, {each[seldom]}",
        )
        yield Figure(
            name=f"the same, beside the look at the header of a {name}",
            measured=ratio(seconds[name], seconds["headers"]),
            goal=None,
            unit="x",
            peer=_PEER,
            note=f"the header takes {each['headers']}; SHA-256 of the token alone {each['digest']}",
        )


def _recorded(service: Service, turns: int) -> Iterable[Figure]:
    """Bodies read one after the other, where no reading shares its commit, and by several readers at once."""
    [said] = service.record([_LETTER])
    assert said.status == "recorded", said
    seconds = take_turns(
        turns,
        {
            "recorded": _repeated(lambda: service.read(REF).content, READINGS),
            "alone": _repeated(lambda: service.bodies.open(REF).content, READINGS),
            "together": lambda: _together(lambda: service.read(REF).content),
            "alone together": lambda: _together(lambda: service.bodies.open(REF).content),
        },
    )
    each = {name: micros(median(took), READINGS) for name, took in seconds.items()}
    yield Figure(
        name="a body that is given once its reading is recorded",
        measured=ratio(seconds["recorded"], seconds["alone"]),
        goal=None,
        unit="x",
        peer="Clew: the same body without a record",
        note=f"1 kB, one reader, SQLite, a commit each; {each['recorded']}, without {each['alone']}",
    )
    yield Figure(
        name="the same, with readers at once",
        measured=ratio(seconds["together"], seconds["alone together"]),
        goal=None,
        unit="x",
        peer="Clew: the same readers without a record",
        note=f"{READERS} readers; {each['together']}, without {each['alone together']}",
    )


def _together(read: Callable[[], object]) -> float:
    with ThreadPoolExecutor(READERS) as pool:
        return cpu(lambda: list(pool.map(lambda _: read(), range(READINGS))))


def _issued() -> tuple[Tokens, str]:
    """A configured issuer, and a token of it that does not expire while this runs."""
    signer = OKPKey.generate_key("Ed25519", {"kid": "main", "alg": "Ed25519"})
    issuer = Issuer(
        issuer="https://login.example",
        audience="clew",
        jwks={"keys": [signer.as_dict(private=False)]},
        tenant=TENANT,
        grant=Granted(scopes=("graph:read",)),
    )
    claims = {
        "iss": issuer.issuer,
        "aud": issuer.audience,
        "exp": int(time.time()) + 86_400,
        "sub": "person:ann",
        "scope": "graph:read",
    }
    token = jwt.encode({"alg": "Ed25519", "kid": "main"}, claims, signer, algorithms=["Ed25519"])
    return Tokens((issuer,)), token


def _headers(authorization: str) -> Headers:
    """Those of a usual client, as a server hands them over."""
    return Headers(
        raw=[
            (b"host", b"localhost:8080"),
            (b"user-agent", b"python-httpx/0.28.1"),
            (b"accept", b"*/*"),
            (b"accept-encoding", b"gzip, deflate"),
            (b"authorization", authorization.encode()),
        ]
    )


def _repeated(work: Callable[[], object], times: int) -> Side:
    def side() -> float:
        return cpu(lambda: [work() for _ in range(times)])

    return side


_LETTER = (
    b'{"type":"model_call","id":"read","source":"s","time":"2026-03-01T09:00:00Z","run":"r","call":"call:read",'
    b'"model":"model:m@version:1","inputs":[{"ref":"%s","body":{"text":"%s"}}]}'
    % (REF.encode(), b"what was read " * 73)
)
