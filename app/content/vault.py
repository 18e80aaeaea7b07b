"""Take the bodies out of an event before it is logged, and open them again.

What goes in is the event as it was settled; what comes out is the same event with ids where its bodies
were, the sealed bodies, the tags by which content can still be compared, and a salted digest by which a
re-delivery is known. No plain digest of a body is made anywhere.
"""

from __future__ import annotations

import binascii
import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Literal, TypeVar

import msgspec
from cryptography.exceptions import InvalidTag
from msgspec import UNSET

from app.content.classes import PROFILE, class_of, kind_of, label_of
from app.content.elsewhere import Place
from app.content.keys import KEY_BYTES, Keys, TagKeys
from app.content.places import Holder, carries_body, replace_bodies
from app.content.sealing import SealedBody, Wrapping, bound, seal, unsealed
from app.content.secrets.redacting import Redactor, kinds_in
from app.content.tags import Contents, Tags, embedded
from provmodel.computed import Computed
from provmodel.errors import Refused, StoreTrouble
from provmodel.events import Args, ArtifactVersion, Body, Envelope, Event, Ref
from provmodel.names import Tagger, whole_digest

LABEL = "/label"
_ID_HEX = 32
S = TypeVar("S", bound=Envelope)
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


KEPT_INSIDE = 64 * 2**10
"""Bytes of content that stay in the database though there is another place for what is greater."""


class Vault:
    """Bodies under the keys of one file.

    Contents greater than ``inside`` bytes go to ``place``, if there is one, all others into the database.
    ``redactor`` takes secrets out of events before anything is made of them.
    """

    def __init__(
        self,
        keys: Keys,
        place: Place | None = None,
        inside: int = KEPT_INSIDE,
        redactor: Redactor | None = None,
    ) -> None:
        self._keys = keys
        self.redactor = redactor
        self.place = place
        self._inside = inside

    @property
    def fingerprint(self) -> str:
        """Names the key without giving it away; a database keeps it, and is opened with no other."""
        return self._keys.fingerprint

    def tagger(self, tenant: str) -> Tagger:
        """What :func:`provmodel.names.keep` asks for: the tenant's tag of a SHA-256 in lower-case hex."""
        tags = self._keys.tenant(tenant).names
        return lambda sha256: tags.tag(b"sha256\0" + sha256.encode())

    def fresh_tag_secret(self, tenant: str, name: str) -> bytes:
        """A secret at random for tags, wrapped like the key of a content of that name."""
        return self.wrapping.wrap(tenant, bound(tenant, name), secrets.token_bytes(KEY_BYTES))

    def tag_keys(self, tenant: str, number: int, name: str, wrapped: bytes) -> TagKeys:
        """What such a secret gives; raises ``StoreTrouble`` when it was changed."""
        try:
            return TagKeys(self.wrapping.unwrap(tenant, bound(tenant, name), wrapped), number)
        except InvalidTag:
            raise StoreTrouble(
                f"the key store's {name} does not open: it was changed, or wrapped by another key;"
                " bring the key store back from a backup"
            ) from None

    def readers_key(self, tenant: str, groups: Sequence[str]) -> bytes:
        """32 bytes: the key of names that stand for what readers of these groups may not see."""
        return self._keys.tenant(tenant).of_readers(groups)

    def take_out(self, tenant: str, event: Event, under: TagKeys | None = None) -> Taken:
        """Take each body out of a settled event and seal it; ``under`` is what it is tagged with,
        unless there is no ledger to remember that.

        Raises :class:`Refused` for a body with no content and no id, with two contents, of another size
        than it claims, or not in its encoding.
        """
        if not carries_content(event):
            return Taken(event)
        self._keys.refresh()
        under = under or self._keys.tenant(tenant).tags
        taking = _Taking(under, self._keys.wrapping, tenant, event)
        without = replace_bodies(event, taking.take)
        if _is_labelled(event):
            without = taking.take_label(without)
        if not taking.computed:
            return Taken(without)
        salt = under.salt()
        bodies = tuple(taking.sealed.values())
        redelivery = under.delivery(salt, _event.encode(event))
        return Taken(without, bodies, tuple(taking.computed), salt, redelivery)

    def seal_text(self, tenant: str, body: str, cls: str, text: str) -> SealedBody:
        """A text that came in no event, sealed as a body of that id and class."""
        content = text.encode()
        sealed = seal(self.wrapping, tenant, content)
        return SealedBody(
            id=body,
            cls=cls,
            media_type=_MEDIA_TYPES["text"],
            size=len(content),
            state="present",
            content=sealed.content,
            digest=None,
            wrapped_key=sealed.wrapped_key,
            data=sealed.data,
            segments=sealed.segments,
        )

    def labels(self, tenant: str, taken: Taken) -> dict[str, str]:
        """What those bodies of an event say that are labels, by their ids."""
        return {
            body.id: self.open_body(tenant, body).decode() for body in taken.bodies if body.cls == PROFILE
        }

    def put_away(self, bodies: tuple[SealedBody, ...]) -> tuple[SealedBody, ...]:
        """The same bodies, with the great ones in the other place; raises ``StoreTrouble`` when it can't take
        them.
        """
        place, inside = self.place, self._inside
        if place is None or all(body.size <= inside or body.data is None for body in bodies):
            return bodies
        return tuple([self._put(place, body) if body.size > inside else body for body in bodies])

    @staticmethod
    def _put(place: Place, body: SealedBody) -> SealedBody:
        if body.data is None:
            return body
        place.put(body.content, [body.data])
        return msgspec.structs.replace(body, data=None, place=place.name)

    def discard(self, contents: Sequence[tuple[str, str]]) -> None:
        """Remove the bytes of (content, place) from there, "" being any other than the database; raises
        ``StoreTrouble`` for a place that can't be reached, or that this process was not told of.
        """
        other = {place for _, place in contents} - {"", self.place.name if self.place else ""}
        if self.place is None and not other:
            return
        if self.place is None or other:
            raise StoreTrouble(
                f"deleted bodies lie in another place ({', '.join(sorted(other))}), of which this process was"
                " not told; set CLEW_BODIES as it was when they came"
            )
        self.place.remove([content for content, _ in contents])

    @property
    def wrapping(self) -> Wrapping:
        """What wraps the keys of contents now."""
        self._keys.refresh()
        return self._keys.wrapping

    def open_body(self, tenant: str, row: SealedBody) -> bytes:
        """The content of a sealed body: UTF-8 for text, compact JSON for JSON. Raises ``StoreTrouble`` when
        it was changed.
        """
        return b"".join(self.open_range(tenant, row))

    def open_range(
        self, tenant: str, row: SealedBody, start: int = 0, end: int | None = None
    ) -> Iterator[bytes]:
        """The content from byte ``start`` to before ``end``, in pieces; raises ``StoreTrouble`` when it was
        changed or can't be fetched.
        """
        self._keys.refresh()

        def fetch(offset: int, length: int) -> bytes:
            if row.data is not None:
                return row.data[offset : offset + length] if length >= 0 else row.data[offset:]
            return self._place_of(row).get(row.content, offset, length)

        return unsealed(self._keys.wrapping, tenant, row, fetch, start, end)

    def _place_of(self, row: SealedBody) -> Place:
        if self.place is None or self.place.name != row.place:
            raise StoreTrouble(
                f"the body {row.id} lies in another place ({row.place}), which this process was not told of;"
                " set CLEW_BODIES as it was when the body came"
            )
        return self.place


def carries_content(event: Event) -> bool:
    """Whether there is something in an event to take out, be it a body by id alone."""
    return carries_body(event) or _is_labelled(event)


def _is_labelled(event: Envelope) -> bool:
    return isinstance(event, ArtifactVersion) and event.label is not None


def same_content(event: Event, under: TagKeys, salt: bytes, digest: bytes) -> bool | None:
    """Whether a settled event, with its bodies, is the one that ``salt`` and ``digest`` were made from; None
    when that was under other keys.
    """
    return under.is_delivery(salt, digest, _event.encode(event))


class _Content(msgspec.Struct, frozen=True, gc=False):
    """A body's content: as bytes, as the value that is tagged, and the media type that it has unless told
    otherwise.
    """

    content: bytes
    value: Any
    form: Literal["text", "base64", "json"]


def check_pin(ref: str | None, digest: Callable[[], str], where: str) -> None:
    """A digest in a name is of the content that comes under it; raises :class:`Refused` when it is not.

    One that is not whole is a name like any other, and of private content only a tag is left, which does not
    say of what it was made.
    """
    pinned = whole_digest(ref) if ref else ""
    if pinned and pinned != (found := digest()):
        reason = "its name holds the digest of another content"
        raise Refused(f"{where}/ref", reason, f"name it @sha256:{found}, or send what the name is of")


class _Taking:
    """The bodies of one event, as they are taken out."""

    def __init__(self, keys: TagKeys, wrapping: Wrapping, tenant: str, event: Envelope) -> None:
        self._keys = keys
        self._wrapping = wrapping
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
        redacted = kinds_in(taken.content)
        kept: Literal["present", "partial"] = "partial" if redacted else state or "present"
        cls = class_of(self._event, ref, where)
        if kept == "present" and taken.form != "json" and cls != PROFILE:
            check_pin(getattr(holder, "ref", None), lambda: hashlib.sha256(taken.content).hexdigest(), where)
        self._seal(without, taken.content, cls, ref, kept, field)
        computed = _computed(where, without, tags, redacted)
        if self._event.run and isinstance(holder, Args):
            again = _tagged(self._keys.tags, taken, True, field)
            computed = msgspec.structs.replace(computed, tenant_whole=again.whole, tenant_values=again.values)
        self.computed.append(computed)
        return without

    def take_label(self, event: S) -> S:
        """Seal the name that people know a version by, as a body of its own."""
        text = str(getattr(event, "label"))  # noqa: B009 (of one class alone)
        body = Body(id=self._made_id(LABEL), media_type="text/plain")
        try:
            content = text.encode()
        except UnicodeEncodeError as error:
            raise Refused(
                "label", f"it can't be written in UTF-8: {error.reason}", "leave the surrogate out"
            ) from None
        self._seal(body, content, PROFILE, None, "present", LABEL)
        self.computed.append(
            Computed(where=LABEL, body=str(body.id), size=len(content), alg="", whole="", strong=False)
        )
        return msgspec.structs.replace(event, label=None)

    def _made_id(self, where: str) -> str:
        """The same in every store: made of what names the place, never of the content."""
        place = _json.encode((self._event.source, self._event.id, where))
        return f"body:{hashlib.sha256(place).hexdigest()[:_ID_HEX]}"

    def _seal(
        self,
        body: Body,
        content: bytes,
        cls: str,
        ref: str | None,
        state: Literal["present", "partial"],
        field: str,
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
        sealed = seal(self._wrapping, self._tenant, content)
        self.sealed[name] = SealedBody(
            id=name,
            cls=cls,
            kind=kind_of(self._event, ref),
            label=label_of(self._event),
            media_type=str(body.media_type),
            size=len(content),
            state=state,
            content=sealed.content,
            digest=self._keys.same(content),
            wrapped_key=sealed.wrapped_key,
            data=sealed.data,
            segments=sealed.segments,
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


def _computed(where: str, body: Body, tags: Contents, redacted: tuple[str, ...]) -> Computed:
    return Computed(
        redacted=redacted,
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
