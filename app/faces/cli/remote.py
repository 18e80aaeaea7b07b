"""A server, as the command line talks to it: ``--url`` and CLEW_TOKEN."""

from __future__ import annotations

import gzip
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec

from app import settings
from provmodel.errors import ClewError

SECONDS = 300.0
_CHUNK = 1 << 16
Heard = Callable[[Mapping[str, str]], None]


class Remote(ClewError):
    """The reader must act: the server said no (``problem`` has its words), or did not answer (``status`` is
    0).
    """

    def __init__(self, text: str, status: int = 0, problem: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.problem = problem or {}


class Server:
    """One server, by its address."""

    def __init__(self, url: str) -> None:
        if not _is_address(url):
            raise Remote(f"{url!r} is no address of a server; give http://host:port")
        self._url = url.rstrip("/")
        token = _token()
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str, parameters: Mapping[str, Any] | None = None) -> bytes:
        """The body of an answer; raises :class:`Remote`."""
        return b"".join(self.stream(path, parameters))

    def stream(
        self, path: str, parameters: Mapping[str, Any] | None = None, heard: Heard | None = None
    ) -> Iterator[bytes]:
        """The body of an answer, piece by piece; ``heard`` is given its headers before the first."""
        url = self._url + path + _query(parameters)
        return self._send(urllib.request.Request(url, headers=self._headers), heard)  # noqa: S310

    def post(
        self, path: str, data: bytes, media_type: str, parameters: Mapping[str, Any] | None = None
    ) -> bytes:
        """The body of the answer to a delivery, which is sent compressed."""
        headers = {**self._headers, "Content-Type": media_type, "Content-Encoding": "gzip"}
        packed = gzip.compress(data, 1)
        url = self._url + path + _query(parameters)
        request = urllib.request.Request(url, packed, headers, method="POST")  # noqa: S310 (http, checked above)
        return b"".join(self._send(request))

    def send(
        self, method: str, path: str, data: bytes, media_type: str, parameters: Mapping[str, Any]
    ) -> bytes:
        """The body of the answer to a request that changes something."""
        headers = {**self._headers, **({"Content-Type": media_type} if media_type else {})}
        url = self._url + path + _query(parameters)
        request = urllib.request.Request(url, data or None, headers, method=method)  # noqa: S310 (http, checked above)
        return b"".join(self._send(request))

    def _send(self, request: urllib.request.Request, heard: Heard | None = None) -> Iterator[bytes]:
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:  # noqa: S310 (http, checked above)
                if heard:
                    heard(response.headers)
                while chunk := response.read(_CHUNK):
                    yield chunk
        except urllib.error.HTTPError as error:
            raise _said(error) from None
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise Remote(f"{self._url} does not answer: {reason}") from None
        except HTTPException as error:
            raise Remote(f"{self._url} does not answer as HTTP does: {error!r}") from None


def as_query(given: Mapping[str, Any]) -> dict[str, Any]:
    """Words as a query string has them."""
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname and parts.port != 0) and _plain(url)
    except ValueError:
        return False


def _token() -> str:
    """CLEW_TOKEN as a header can hold it: what reading a file may leave around it is taken off."""
    token = settings.read().token.strip()
    if not _plain(token):
        raise Remote(
            "CLEW_TOKEN holds a blank, a control character or one that is not ASCII, which no token has;"
            " set it again"
        )
    return token


def _plain(text: str) -> bool:
    return all("!" <= character <= "~" for character in text)


def _query(parameters: Mapping[str, Any] | None) -> str:
    given = {name: value for name, value in (parameters or {}).items() if value not in (None, "", ())}
    return f"?{urlencode(given, doseq=True)}" if given else ""


def _said(error: urllib.error.HTTPError) -> Remote:
    """What the server's problem says, or as much as its status does."""
    try:
        problem = msgspec.json.decode(error.read(), type=dict[str, Any])
    except msgspec.DecodeError:
        problem = {}
    return Remote(str(problem.get("detail") or f"the server answered {error.code}"), error.code, problem)
