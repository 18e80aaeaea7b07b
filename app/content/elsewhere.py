"""Where sealed contents lie when not in the database: a directory, or a bucket of S3.

Names are the random ids of contents, so nothing that a producer sends becomes part of a path. Whatever goes
wrong outside is told as :class:`StoreTrouble`, with what to do.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from provmodel.errors import StoreTrouble

if TYPE_CHECKING:
    from obstore.store import S3Store

_S3 = "s3://"
_FILE = "file://"
_OWNER_ONLY = 0o700
SECONDS = 10  # for one request to S3
TRIES = 2  # more after the first
PART = 8 * 2**20  # bytes of a part of a multipart upload; S3 wants 5 MiB


class Place(Protocol):
    """A place for sealed contents, by their ids."""

    @property
    def name(self) -> str:
        """What tombstones and errors call it: ``directory`` or ``s3``."""
        ...

    def put(self, content: str, chunks: Iterable[bytes]) -> None:
        """Keep bytes under an id, whole or not at all, and durably."""
        ...

    def get(self, content: str, offset: int, length: int) -> bytes:
        """Bytes from ``offset`` on, all of them when ``length`` is -1."""
        ...

    def remove(self, contents: Sequence[str]) -> None:
        """Remove contents; those that aren't there are no error."""
        ...

    def names(self) -> Iterator[str]:
        """The ids of all that is there."""
        ...


def place_at(where: str, options: Mapping[str, str]) -> Place:
    """The place that a path, a ``file://`` or an ``s3://`` URL names; raises :class:`StoreTrouble`."""
    if where.startswith(_S3):
        return Bucket(where, options)
    if "://" in where and not where.startswith(_FILE):
        raise StoreTrouble(f"bodies can't be kept at {where!r}; give a directory or s3://BUCKET/PREFIX")
    return Directory(Path(where.removeprefix(_FILE)))


class Directory:
    """A folder, with one file a content in 256 folders below it."""

    name = "directory"

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, content: str, chunks: Iterable[bytes]) -> None:
        path = self._path(content)
        aside = path.with_name(f"{content}.{secrets.token_hex(4)}.new")
        with self._told("written"):
            path.parent.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
            try:
                with aside.open("xb") as file:
                    for chunk in chunks:
                        file.write(chunk)
                    file.flush()
                    os.fsync(file.fileno())
                aside.replace(path)
            finally:
                aside.unlink(missing_ok=True)
            _sync(path.parent)

    def get(self, content: str, offset: int, length: int) -> bytes:
        with self._told("read"), self._path(content).open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def remove(self, contents: Sequence[str]) -> None:
        with self._told("removed"):
            for content in contents:
                path = self._path(content)
                for found in (path, *path.parent.glob(f"{content}.*.new")):  # a crash cut those off
                    found.unlink(missing_ok=True)
            for parent in {self._path(content).parent for content in contents}:
                if parent.exists():
                    _sync(parent)

    def names(self) -> Iterator[str]:
        with self._told("listed"):
            yield from sorted({path.name.partition(".")[0] for path in self.root.glob("??/*")})

    def _path(self, content: str) -> Path:
        if not content.isalnum():
            raise StoreTrouble(f"{content!r} is no id of a content; run `clew db fsck`")
        return self.root / content[-2:] / content

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreTrouble(
                f"a body can't be {what} in {self.root}: {error.strerror or error};"
                " see that the directory is there, writable and not full"
            ) from error


class Bucket:
    """A bucket of S3, or of what speaks like it, below a prefix."""

    name = "s3"

    def __init__(self, url: str, options: Mapping[str, str]) -> None:
        self.url = url
        self._store = _s3(url, options)

    def put(self, content: str, chunks: Iterable[bytes]) -> None:
        import obstore

        coming, held, size = iter(chunks), list[bytes](), 0
        for chunk in coming:
            held.append(chunk)
            size += len(chunk)
            if size > PART:
                break
        with self._told("written to"):
            if size > PART:
                obstore.put(self._store, content, chain(held, coming), chunk_size=PART)
            else:  # one request, which S3 carries out wholly or not at all
                obstore.put(self._store, content, b"".join(held), use_multipart=False)

    def get(self, content: str, offset: int, length: int) -> bytes:
        import obstore

        with self._told("read from"):
            if length < 0:
                return bytes(obstore.get(self._store, content).bytes())[offset:]
            return bytes(obstore.get_range(self._store, content, start=offset, length=length))

    def remove(self, contents: Sequence[str]) -> None:
        import obstore

        with self._told("removed from"):
            obstore.delete(self._store, list(contents))

    def names(self) -> Iterator[str]:
        import obstore

        with self._told("listed in"):
            for found in obstore.list(self._store):
                yield from [meta["path"] for meta in found]

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        import obstore.exceptions

        missing = obstore.exceptions.NotFoundError
        try:
            yield
        except FileNotFoundError:
            if what != "removed from":
                raise self._trouble(what, "it is not there") from None
        except missing as error:
            if what != "removed from":
                raise self._trouble(what, "it is not there") from error
        except obstore.exceptions.BaseError as error:
            raise self._trouble(what, _first_line(error)) from error

    def _trouble(self, what: str, why: str) -> StoreTrouble:
        return StoreTrouble(
            f"a body can't be {what} {self.url}: {why};"
            " see that the bucket can be reached and has room, and that the credentials may read, write and"
            " delete there"
        )


def _s3(url: str, options: Mapping[str, str]) -> S3Store:
    try:
        from obstore.store import S3Store
    except ImportError:
        raise StoreTrouble(f"bodies at {url} need obstore; install clew-prov[s3]") from None
    bucket, _, prefix = url.removeprefix(_S3).partition("/")
    config: Any = dict(options)
    client: Any = {"timeout": timedelta(seconds=SECONDS), "connect_timeout": timedelta(seconds=3)}
    if options.get("endpoint", "").startswith("http://"):
        client["allow_http"] = True
    retry: Any = {"max_retries": TRIES, "retry_timeout": timedelta(seconds=SECONDS)}
    return S3Store(bucket, prefix=prefix or None, config=config, client_options=client, retry_config=retry)


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return text[0][:300] if text else type(error).__name__


def _sync(folder: Path) -> None:
    """A name in a folder is durable only when the folder is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
