"""References that carry their version, and the IRIs they become.

A reference reads ``scheme:path@kind:value``. What stands before the pin is the *thing*; a content pin names a
*state*; each write makes an *occurrence* of the state, ``ref;by=<attempt>``. References are kept in the form
in which they can stand in an IRI: what may not (blanks, ``<>"{}|\\^``` and the like) is percent-encoded on
arrival, so ``a b`` and ``a%20b`` are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote

import msgspec

from provmodel.errors import Refused

PIN_KINDS = ("sha256", "tag", "version", "etag", "revision", "request", "observed")
CONTENT_PINS = frozenset({"sha256", "tag", "etag"})
OCCURRENCE_PINS = frozenset({"version", "revision"})
WEAK_PINS = frozenset({"request", "observed"})
# Schemes whose things change while their name stays (model, section 6).
MUTABLE_SCHEMES = frozenset(
    {
        "file",
        "database",
        "http-response",
        "skill",
        "prompt",
        "policy",
        "tool",
        "model",
        "package",
        "environment",
    }
)
# Schemes whose content is public by nature to the tenant: a plain digest may stand (model, section 3).
PUBLIC_SCHEMES = frozenset(
    {"skill", "prompt", "policy", "tool", "package", "model", "file", "document", "report", "capability"}
)
SOURCE = "source:"
"""What begins the names of sources where they stand in the graph."""
AGENTS = ("agent:", "person:", "service:", "model:", "tool:", SOURCE)
"""Schemes of who can act."""
MAX_REF = 2048
HEX_DIGITS = 64
BY = ";by="
CLEW = "agent:clew"

_PIN = re.compile(rf"@({'|'.join(PIN_KINDS)})(?::([^@]*))?$")
# What RFC 3987 allows nowhere in a path: readers of RDF refuse it. (A second "#" as well: see encoded.)
_NONCHARACTERS = "".join(chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(1, 15))
_NOT_IN_IRI = re.compile(
    r'[\x00-\x20\x7f-\x9f<>"{}|\\^`\[\]\ud800-\uf8ff\ufdd0-\ufdef\ufff0-\uffff\U000e0000-\U000e0fff'
    rf"\U000f0000-\U0010ffff{_NONCHARACTERS}]|%(?![0-9A-Fa-f]{{2}})"
)
_NEVER = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
is_plain = re.compile(
    r"[A-Za-z0-9:/@._;=+,~!$&'()*?-]+(?:%[0-9A-Fa-f]{2}[A-Za-z0-9:/@._;=+,~!$&'()*?-]*)*"
).fullmatch
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_is_absolute = re.compile(r'<[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`]+>').fullmatch

DIGEST = "@sha256:"
"""How a reference names a content by its digest."""

_BROKEN_OFF = re.compile(r"%[0-9A-Fa-f]?$")

Tagger = Callable[[str], str]
"""Turns a plain SHA-256 (hex) into the tenant's keyed tag (hex), for private schemes."""


class Name(msgspec.Struct, frozen=True, gc=False):
    """A reference taken apart. ``pin`` and ``value`` are empty without one; ``by`` is the attempt of an
    occurrence.
    """

    ref: str
    thing: str
    scheme: str
    pin: str
    value: str
    by: str

    @property
    def is_state(self) -> bool:
        return self.pin in CONTENT_PINS and not self.by

    @property
    def is_occurrence(self) -> bool:
        return bool(self.by) or self.pin in OCCURRENCE_PINS

    @property
    def unpinned(self) -> bool:
        """True for a mutable thing named without a version that can be told from the next."""
        return not self.by and self.scheme in MUTABLE_SCHEMES and (not self.pin or self.pin in WEAK_PINS)


def clean(text: str, field: str) -> str:
    """Return ``text`` as a reference is kept; raises :class:`Refused` for what can't stand in an id."""
    if not text or len(text) > MAX_REF:
        raise Refused(
            field, f"an id has 1 to {MAX_REF} characters, this one {len(text)}", "shorten it, or digest it"
        )
    if is_plain(text):
        return text
    bad = _NEVER.search(text)
    if not bad and is_absolute(text):
        return text
    if bad:
        raise Refused(
            field,
            f"the id holds the character U+{ord(bad[0]):04X}",
            "percent-encode it, or leave it out of the id",
        )
    return encoded(text)


def is_absolute(ref: str) -> bool:
    """True for an absolute IRI in angle brackets: a node that a PROV document named, and no reference of
    this tenant's own.
    """
    return ref[:1] == "<" and _is_absolute(ref) is not None


def encoded(text: str) -> str:
    """``text`` with what may not stand in an IRI percent-encoded; also a second ``#``, and a bare ``%``."""
    if is_plain(text):
        return text
    legal = _NOT_IN_IRI.sub(lambda match: quote(match[0], errors="replace"), text)
    head, mark, fragment = legal.partition("#")
    return f"{head}{mark}{fragment.replace('#', '%23')}"


def encoded_prefix(text: str) -> str:
    """The beginning of a reference, encoded as references are; an escape that it breaks off stays so."""
    whole = _BROKEN_OFF.sub("", text)
    return whole if whole[:1] in ("", "<") else encoded(whole) + text[len(whole) :]


@lru_cache(maxsize=16384)
def split(ref: str) -> Name:
    """Take a kept reference apart; an absolute IRI is whole."""
    if is_absolute(ref):
        return Name(ref, ref, "", "", "", "")
    body, _, by = ref.partition(BY)
    pin = _PIN.search(body)
    thing = body[: pin.start()] if pin else body
    scheme = _SCHEME.match(thing)
    return Name(
        ref=ref,
        thing=thing,
        scheme=scheme[1].lower() if scheme else "",
        pin=pin[1] if pin else "",
        value=(pin[2] or "") if pin else "",
        by=by,
    )


def whole_digest(ref: str) -> str:
    """The SHA-256 (64 small hex digits) that a reference names its content by, or "" without a whole one."""
    name = split(ref)
    return name.value.lower() if name.pin == "sha256" and len(name.value) == HEX_DIGITS else ""


def keep(ref: str, field: str, tagger: Tagger, public: frozenset[str] = PUBLIC_SCHEMES) -> str:
    """The form in which a producer's reference is kept.

    A ``sha256`` pin on a private scheme becomes ``@tag:`` under the tenant's key (a plain digest of a short
    text can be guessed). Both spellings lead to the same node.
    """
    kept = clean(ref, field)
    if DIGEST not in kept or kept.partition(":")[0].lower() in public:
        return kept
    name = split(kept)
    if name.pin != "sha256" or name.scheme in public:
        return kept
    suffix = BY + name.by if name.by else ""
    return f"{name.thing}@tag:{tagger(name.value.lower())}{suffix}"


def occurrence(ref: str, attempt: str) -> str:
    """The occurrence that ``attempt`` made of the state ``ref``; a version pin is an occurrence already."""
    if BY in ref or split(ref).pin in OCCURRENCE_PINS:
        return ref
    return f"{ref}{BY}{attempt}"


def tail(ref: str) -> str:
    """The last path segment of a reference's thing, by which a suffix is looked up."""
    thing = bare(split(ref).thing)
    return re.split(r"[/:#]", thing.rstrip("/"))[-1]


def bare(ref: str) -> str:
    """A reference as a person would type it: an absolute IRI without its brackets."""
    return ref[1:-1] if is_absolute(ref) else ref


def under(scheme: str, name: str) -> str:
    """``name`` within ``scheme``, unless it stands there already: models, tools and agents are often given
    bare.
    """
    return name if name.startswith(scheme + ":") else f"{scheme}:{name}"


def agent(name: str, kind: str = "agent") -> str:
    """An agent's reference: as given when it names a scheme of agents, else under ``kind``."""
    known = name.startswith((*AGENTS, "policy:", "urn:"))
    return name if known else f"{kind}:{name}"


def source_agent(source: str) -> str:
    return under("source", source)


def base_iri(base: str, tenant: str) -> str:
    """The IRI prefix of a tenant's nodes; ``base`` defaults to ``urn:x-clew:``."""
    return (
        f"{base}{quote(tenant, safe='')}:"
        if base.startswith("urn:")
        else f"{base.rstrip('/')}/{quote(tenant, safe='')}/"
    )


def iri(ref: str, base: str) -> str:
    """The IRI of a node. A reference in angle brackets is an absolute IRI already (from a PROV document)."""
    return ref[1:-1] if ref.startswith("<") else base + ref
