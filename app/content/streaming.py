"""Sealing a content of any length as it comes.

Beside one segment, nothing of it is held in memory when there is another place for it than the database. Its
words and values are not tagged: what is in it can't be looked for, and the event says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from app.content.elsewhere import Place
from app.content.keys import TagKeys
from app.content.sealing import SealedBody, Sealer, Wrapping, cut
from app.content.vault import Vault
from app.content.words import LONG
from provmodel.computed import Computed
from provmodel.errors import TooLarge
from provmodel.events import Body

WHERE = "/content"


class Streamed(msgspec.Struct, frozen=True):
    """A content that was sealed as it came: its body as the event names it, sealed, and what the log keeps
    of it.
    """

    sealed: SealedBody
    body: Body
    computed: Computed


class Limit(msgspec.Struct, frozen=True):
    """How many bytes of content are taken at most, and the class, kind and label that the body gets."""

    most: int
    cls: str
    kind: str = ""
    label: str | None = None


def take_in(
    vault: Vault,
    tenant: str,
    body: Body,
    chunks: Iterable[bytes],
    limit: Limit,
    under: TagKeys,
    run: str | None = None,
) -> Streamed:
    """Seal what comes in chunks; raises ``TooLarge`` beyond the limit, and ``StoreTrouble`` when the other
    place can't take it. What was put there before an error is removed.
    """
    taking = _TakingIn(vault.wrapping, tenant, limit.most, under, run)
    place = vault.place
    data = taking.all(chunks, place)
    without = msgspec.structs.replace(body, size=taking.size)
    tagged = taking.computed(str(body.id))
    sealed = SealedBody(
        id=str(body.id),
        cls=limit.cls,
        kind=limit.kind,
        label=limit.label,
        media_type=str(body.media_type),
        size=taking.size,
        state="present",
        content=taking.sealer.content,
        digest=taking.digest(),
        wrapped_key=taking.sealer.wrapped_key,
        data=data,
        segments=taking.sealer.segments,
        place=place.name if place else "database",
    )
    return Streamed(sealed, without, tagged)


class _TakingIn:
    """One content on its way through."""

    def __init__(self, wrapping: Wrapping, tenant: str, most: int, keys: TagKeys, run: str | None) -> None:
        tags = keys.tags_of(run)
        self.sealer = Sealer(wrapping, tenant)
        self.size = 0
        self._most = most
        self._same = keys.same_chunks()
        self._tagged = tags.chunks()
        self._alg = tags.bytes_alg

    def all(self, chunks: Iterable[bytes], place: Place | None) -> bytes | None:
        """All of it to the other place, or back as bytes."""
        if place is None:
            return b"".join(self._segments(chunks))
        try:
            place.put(self.sealer.content, self._segments(chunks))
        except TooLarge:
            place.remove([self.sealer.content])
            raise
        return None

    def _segments(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        held: bytes | None = None
        for piece in cut(chunks):
            if held is not None:
                yield self.sealer.segment(held, last=False)
            self._count(piece)
            held = piece
        yield self.sealer.segment(held or b"", last=True)

    def _count(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size > self._most:
            raise TooLarge(
                f"{self.size} bytes and more", f"{self._most} bytes", "send less, or raise CLEW_BODY_LIMIT"
            )
        self._same.update(piece)
        self._tagged.update(piece)

    def digest(self) -> bytes:
        return bytes.fromhex(self._same.tag())

    def computed(self, body: str) -> Computed:
        return Computed(
            where=WHERE,
            body=body,
            size=self.size,
            alg=self._alg,
            whole=self._tagged.tag(),
            strong=self.size >= LONG,
            skipped="what is in it: it came as a stream",
        )
