"""Take the bodies out of an event before it is logged, and open them again.

What goes in is the event as it was settled; what comes out is the same event with ids where its bodies
were, the sealed bodies, the tags by which content can still be compared, and a salted digest by which a
re-delivery is known. No plain digest of a body is made anywhere.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import os
from operator import attrgetter
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from app.content.classes import class_of
from app.content.keys import Keys, TenantKeys
from app.content.places import Holder, carries_body, replace_bodies
from app.content.sealing import SealedBody, seal, unseal
from app.content.tags import Contents, Tags, embedded, keyed_digest
from provmodel.computed import Computed
from provmodel.errors import Refused
from provmodel.events import Args, Body, Envelope, Event, Ref
from provmodel.names import Tagger

SALT_BYTES = 16
_ID_HEX = 32
_event = msgspec.json.Encoder(order="deterministic")
_json = msgspec.json.Encoder()


class Taken(msgspec.Struct, frozen=True, gc=False):
    """An event without its bodies, and what was in them.

    ``salt`` (16 bytes) and ``redelivery`` (32 bytes) recognise the same content when it is delivered again,
    see :func:`same_content`; they are ``None`` for an event that carried no content, and go when any of its
    bodies goes.
    """

    event: Event
    bodies: tuple[SealedBody, ...] = ()
    computed: tuple[Computed, ...] = ()
    salt: bytes | None = None
    redelivery: bytes | None = None


class Vault:
    """Bodies under one master key."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    @property
    def fingerprint(self) -> str:
        """Names the key without giving it away; a database keeps it, and is opened with no other."""
        return self._keys.fingerprint

    def tagger(self, tenant: str) -> Tagger:
        """What :func:`provmodel.names.keep` asks for: the tenant's tag of a SHA-256 in lower-case hex."""
        tags = self._keys.tenant(tenant).tags
        return lambda sha256: tags.tag(b"sha256\0" + sha256.encode())

    def run_tag_key(self, tenant: str, run: str | None) -> bytes:
        """The 32-byte key for a producer that must send tags in place of arguments."""
        return self._keys.tenant(tenant).tag_key(run)

    def take_out(self, tenant: str, event: Event) -> Taken:
        """Take each body out of a settled event and seal it.

        Raises :class:`Refused` for a body with no content and no id, with two contents, of another size
        than it claims, or not in its encoding.
        """
        if not carries_body(event):
            return Taken(event)
        taking = _Taking(self._keys.tenant(tenant), tenant, event)
        without = replace_bodies(event, taking.take)
        if not taking.computed:
            return Taken(without)
        salt = os.urandom(SALT_BYTES)
        bodies = tuple(taking.sealed.values())
        return Taken(without, bodies, tuple(taking.computed), salt, _redelivery(event, salt))

    def seal_text(self, tenant: str, body: str, cls: str, text: str) -> SealedBody:
        """A text that came in no event, sealed as a body of that id and class."""
        content = text.encode()
        wrapped_key, data = seal(self._keys.tenant(tenant).wrapping, tenant, body, content)
        return SealedBody(
            id=body,
            cls=cls,
            media_type=_MEDIA_TYPES["text"],
            size=len(content),
            state="present",
            wrapped_key=wrapped_key,
            data=data,
        )

    def open_body(self, tenant: str, row: SealedBody) -> bytes:
        """The content of a sealed body: UTF-8 for text, compact JSON for JSON. Raises ``StoreTrouble`` when
        it was changed.
        """
        return unseal(self._keys.tenant(tenant).wrapping, tenant, row.id, row.wrapped_key, row.data)


def same_content(event: Event, salt: bytes, digest: bytes) -> bool:
    """Whether a settled event, with its bodies, is the one that ``salt`` and ``digest`` were made from."""
    return hmac.compare_digest(_redelivery(event, salt), digest)


def _redelivery(event: Event, salt: bytes) -> bytes:
    return keyed_digest(salt, _event.encode(event))


class _Content(msgspec.Struct, frozen=True, gc=False):
    """A body's content: as bytes, as the value that is tagged, and the media type that it has unless told
    otherwise.
    """

    content: bytes
    value: Any
    form: Literal["text", "base64", "json"]


class _Taking:
    """The bodies of one event, as they are taken out."""

    def __init__(self, keys: TenantKeys, tenant: str, event: Envelope) -> None:
        self._keys = keys
        self._tags = keys.tags_of(event.run)
        self._tenant = tenant
        self._event = event
        self._contents: dict[str, bytes] = {}
        self.sealed: dict[str, SealedBody] = {}
        self.computed: list[Computed] = []

    def take(self, body: Body, holder: Holder, where: str) -> Body:
        """Seal one body and return what stands for it. A body by id alone was sealed before."""
        field = f"{where}/body"
        taken = _content(body, field)
        if taken is None:
            return body
        state = holder.state if isinstance(holder, Ref) else None
        if state == "never_captured":
            raise Refused(
                f"{where}/state",
                "a body that is here was captured",
                "say present or partial, or leave the body out",
            )
        size = len(taken.content)
        if body.size is not None and body.size != size:
            raise Refused(
                f"{field}/size", f"the content has {size} bytes, not {body.size}", _SIZE_REMEDY[taken.form]
            )
        without = Body(
            id=body.id or self._made_id(where),
            media_type=body.media_type or _MEDIA_TYPES[taken.form],
            size=size,
        )
        tags = _tagged(
            self._tags, taken, isinstance(holder, Args) or "json" in str(without.media_type), field
        )
        ref = holder.ref if isinstance(holder, Ref) else None
        self._seal(without, taken.content, class_of(self._event, ref, where), state or "present", field)
        computed = _computed(where, without, tags)
        if self._event.run and isinstance(holder, Args):
            again = _tagged(self._keys.tags, taken, True, field)
            computed = msgspec.structs.replace(computed, tenant_whole=again.whole, tenant_values=again.values)
        self.computed.append(computed)
        return without

    def _made_id(self, where: str) -> str:
        """The same in every store: made of what names the place, never of the content."""
        place = _json.encode((self._event.source, self._event.id, where))
        return f"body:{hashlib.sha256(place).hexdigest()[:_ID_HEX]}"

    def _seal(
        self, body: Body, content: bytes, cls: str, state: Literal["present", "partial"], field: str
    ) -> None:
        """Seal a content, once for one id."""
        name = str(body.id)
        known = self._contents.setdefault(name, content)
        if known != content:
            raise Refused(
                f"{field}/id",
                f"two bodies of this event are {name}",
                "give each content an id of its own, or none",
            )
        if name in self.sealed:
            return
        wrapped_key, data = seal(self._keys.wrapping, self._tenant, name, content)
        self.sealed[name] = SealedBody(
            id=name,
            cls=cls,
            media_type=str(body.media_type),
            size=len(content),
            state=state,
            wrapped_key=wrapped_key,
            data=data,
        )


_MEDIA_TYPES = {"text": "text/plain", "base64": "application/octet-stream", "json": "application/json"}
_FORMS = ("text", "base64", "json")
_given = attrgetter(*_FORMS)
_NOTHING_REMEDY = (
    "send text, base64 or json; when nothing was captured, leave the body out and say"
    ' "state": "never_captured" beside the ref'
)
_SIZE_REMEDY = {
    "text": "give the size in UTF-8 bytes, or leave it out",
    "base64": "give the size of the decoded bytes, or leave it out",
    "json": "a JSON body counts as compact JSON in UTF-8; give that, or leave it out",
}


def _content(body: Body, field: str) -> _Content | None:
    """What a body carries; ``None`` when it only names one. Raises :class:`Refused` as ``take_out`` says."""
    forms = [form for form, given in zip(_FORMS, _given(body), strict=True) if given is not UNSET]
    if len(forms) > 1:
        raise Refused(field, f"it has {' and '.join(forms)}", "send one of text, base64 and json")
    if not forms:
        if body.id is None:
            raise Refused(field, "it has neither content nor id", _NOTHING_REMEDY)
        return None
    try:
        return _read(body)
    except binascii.Error as error:
        reason, remedy = (
            f"it is not base64: {str(error).lower()}",
            "send RFC 4648 base64 with padding, in one line",
        )
    except UnicodeEncodeError as error:
        reason, remedy = f"it can't be written in UTF-8: {error.reason}", "send it as base64"
    except RecursionError:
        reason, remedy = "it is nested too deep", "send it as text, or flatten it"
    raise Refused(f"{field}/{forms[0]}", reason, remedy)


def _read(body: Body) -> _Content:
    if isinstance(body.text, str):
        return _Content(body.text.encode(), body.text, "text")
    if isinstance(body.base64, str):
        decoded = binascii.a2b_base64(body.base64.encode(), strict_mode=True)
        return _Content(decoded, decoded, "base64")
    return _Content(_json.encode(body.json), body.json, "json")


def _tagged(tags: Tags, taken: _Content, as_json: bool, field: str) -> Contents:
    """Tags of a content; text that stands for JSON (arguments, or a JSON media type) counts as the value
    that it spells.
    """
    if taken.form == "base64":
        return tags.of_bytes(taken.content)
    if taken.form == "text":
        value = embedded(taken.value) if as_json else None
        return tags.of_text(taken.value) if value is None else tags.of_json(value)
    try:
        return tags.of_json(taken.value)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{field}/json", f"it has no canonical form: {error}", "send it as text") from None


def _computed(where: str, body: Body, tags: Contents) -> Computed:
    return Computed(
        where=where,
        body=str(body.id),
        size=body.size or 0,
        alg=tags.alg,
        whole=tags.whole,
        strong=tags.strong,
        values=tags.values,
        tokens=tags.tokens,
        skipped=tags.skipped,
    )
