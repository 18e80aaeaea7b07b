"""What Clew computes from a body when it arrives: tags by which content is compared after the body itself
is gone.

A tag is an HMAC under a key of the run (of the tenant, for an event without a run), so equal tags mean
equal content within that run, and no one without the key can try guesses. The key is destroyed with the first
body that was tagged under it; from then on its tags are names at random, of which it can be told that they
are equal and nothing else. Tags are compared only when both ``alg`` and run are the same; otherwise the two
are *not comparable*, never different (model, section 3). ``alg`` names the key by its number: see
:func:`under_key`. The log keeps these beside the event, the mapping reads them, and neither needs the body
again.
"""

from __future__ import annotations

import msgspec

RUN_ALG = "hmac-sha256-128-jcs"
"""Lower-case hex of the first 16 bytes of HMAC-SHA256, under the run's tag key, over the RFC 8785 form of a
JSON value.
"""

RUN_BYTES_ALG = "hmac-sha256-128"
"""The same over a zero byte and the content: what came as base64 has no JSON form."""

TENANT_ALG = "hmac-sha256-128-jcs-tenant"
"""As ``RUN_ALG``, under the tenant's tag key: the event named no run."""

TENANT_BYTES_ALG = "hmac-sha256-128-tenant"
"""As ``RUN_BYTES_ALG``, under the tenant's tag key."""


_KEY = ";key="


def under_key(alg: str, number: int) -> str:
    """The name of an algorithm under the tenant's tag key of this number; the first one is not told.

    >>> under_key(RUN_ALG, 1), under_key(RUN_ALG, 2)
    ('hmac-sha256-128-jcs', 'hmac-sha256-128-jcs;key=2')
    """
    return alg if number == 1 else f"{alg}{_KEY}{number}"


def without_key(alg: str) -> tuple[str, str]:
    """The name of the algorithm alone, and what it has more to name the key.

    >>> without_key("hmac-sha256-128;key=2")
    ('hmac-sha256-128', ';key=2')
    """
    bare, mark, number = alg.partition(_KEY)
    return bare, mark + number


class Value(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The tag of one leaf of a JSON body; ``strong`` when its value is hard to guess and unlikely to be
    equal by chance.
    """

    tag: str
    strong: bool


class Computed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What was computed from one body of an event.

    ``where`` is the JSON pointer, within the event, of what carries the body: ``/inputs/0``,
    ``/arguments``, ``/results/0/members/2``; "" for the body of an artifact version itself. ``body`` is the
    body's id, ``size`` is in bytes. ``whole`` is the tag of all of it, ``values`` those of its JSON leaves
    by JSON pointer ("" for a lone value; an empty array or object is a leaf), ``tokens`` those of the
    strong words in its text, such that an argument equal to the word has the same tag. ``skipped`` says
    what was left out, and why. Arguments of an event with a run also have ``tenant_whole`` and
    ``tenant_values``, the same under the tenant's key: a decision about them may come from a service that
    knows no run. ``redacted`` names the kinds of secrets that were taken out before anything was computed.
    """

    where: str
    body: str
    size: int
    alg: str
    whole: str
    strong: bool
    values: dict[str, Value] = {}
    tokens: tuple[str, ...] = ()
    skipped: str = ""
    tenant_whole: str = ""
    tenant_values: dict[str, Value] = {}
    redacted: tuple[str, ...] = ()


_decoder = msgspec.json.Decoder(tuple[Computed, ...])
_encoder = msgspec.json.Encoder(order="deterministic")


def encode(computed: tuple[Computed, ...]) -> bytes:
    """Canonical JSON, as the log keeps it."""
    return _encoder.encode(computed)


def decode(raw: bytes) -> tuple[Computed, ...]:
    """The reverse of :func:`encode`."""
    return _decoder.decode(raw)
