"""Pages and terminals: the commands that a page shows are run, and what they print is what the page shows.

In a block of ``console`` a line that begins with ``$ `` is a command (it goes on while a quote is open or the
line ends in a backslash); the lines after it are what it prints, if they are shown. There ``...`` stands for
anything in a line, and alone in a line for any lines. A block with ``title="name"`` is a file. Blocks of
``sh`` are not run. One folder serves a whole page. ``clew serve`` and ``clew demo`` stay, on a free port in
place of 8080.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

COLUMNS = 90
PORT = "8080"
SECONDS = 120.0
_FENCE = re.compile(r"^```(\w*)(?: +title=\"([^\"]+)\")?\s*$")
_STAYS = re.compile(r"^((?:\w+=\S+ )*)clew (serve|demo)\b(?!.*--(once|help))")


class File(msgspec.Struct, frozen=True):
    """A file that the page shows."""

    name: str
    text: str


class Command(msgspec.Struct, frozen=True):
    """A command, and the lines that it prints; they stand at ``first`` to before ``last`` (lines from 0)."""

    text: str
    shown: tuple[str, ...]
    first: int
    last: int

    @property
    def stays(self) -> bool:
        """Whether it serves until it is stopped."""
        return bool(_STAYS.match(self.text))


def read(page: str) -> Iterator[File | Command]:
    """What a page tells its reader to do, in order."""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        number += 1
        if not fence:
            continue
        end = lines.index("```", number)
        if fence[2]:
            yield File(fence[2], "\n".join(lines[number:end]) + "\n")
        elif fence[1] == "console":
            yield from _commands(lines, number, end)
        number = end + 1


def _commands(lines: list[str], start: int, end: int) -> Iterator[Command]:
    begins = [number for number in range(start, end) if lines[number].startswith("$ ")]
    for begin, following in zip(begins, [*begins[1:], end], strict=True):
        first = begin + 1
        text = lines[begin].removeprefix("$ ")
        while first < following and not _whole(text):
            text += "\n" + lines[first]
            first += 1
        yield Command(text, tuple(lines[first:following]), first, following)


def _whole(text: str) -> bool:
    try:
        shlex.split(text)
    except ValueError:
        return False
    return not text.endswith("\\")


def alike(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether what was printed is what a page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def mended(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """What a page shows, each line as it is printed now; all that is printed where lines can't be matched."""
    for found in (_by_line(shown, printed), _by_ends(shown, printed)):
        if alike(tuple(found), printed):
            return found
    return printed


def _by_line(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """Each line that is printed otherwise now as it is."""
    return [now for line in shown for now in ([line] if line == "..." else _now(line, printed))]


def _by_ends(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """All that is printed from the first line shown to the last."""
    lines = [line for line in shown if line != "..."]
    begins, ends = _now(lines[0], printed), _now(lines[-1], printed)
    if not (begins and ends and {begins[0], ends[0]} <= set(printed)):
        return []
    first, last = printed.index(begins[0]), len(printed) - printed[::-1].index(ends[0])
    return [*(["..."] if first else []), *printed[first:last], *(["..."] if last < len(printed) else [])]


def _now(line: str, printed: list[str]) -> list[str]:
    """The line as it is printed now: none when nothing is like it."""
    if any(alike((line,), [each]) for each in printed):
        return [line]
    return get_close_matches(line, printed, 1)


class Terminal:
    """A folder in which the commands of one page run; ``instead`` replaces what only stands for something."""

    def __init__(self, folder: Path, instead: Mapping[str, str]) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = str(free.getsockname()[1])
        self._instead = {**instead, PORT: self._port}
        self._servers: list[subprocess.Popen[bytes]] = []
        path = os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()])
        self._environment = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "COLUMNS": str(COLUMNS)}

    def write(self, file: File) -> None:
        (self._folder / file.name).write_text(self._real(file.text))

    def run(self, command: Command) -> list[str]:
        """The lines that a command prints, errors included; raises AssertionError when it fails."""
        if command.stays:
            self._serve(command)
            return []
        done = subprocess.run(  # noqa: S602 - a page of this project, and a shell is what its reader has
            self._real(command.text),
            shell=True,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        printed = self._told(done.stdout.decode())
        if done.returncode:
            raise AssertionError(f"$ {command.text}\nended with {done.returncode}:\n{printed}")
        return [line.rstrip() for line in printed.splitlines()]

    def stop(self) -> None:
        """End the servers that were started, each by its own process id."""
        for server in self._servers:
            server.send_signal(signal.SIGINT)
        for server in self._servers:
            server.wait(SECONDS)

    def _serve(self, command: Command) -> None:
        words = shlex.split(self._real(command.text))
        variables = dict(word.split("=", 1) for word in takewhile(lambda word: word != "clew", words))
        words = [*words[len(variables) :], *([] if "--port" in words else ["--port", self._port])]
        environment = {**self._environment, **variables}
        log = (self._folder / "server.log").open("wb")
        self._servers.append(
            subprocess.Popen(words, cwd=self._folder, env=environment, stdout=log, stderr=log)  # noqa: S603
        )
        log.close()
        until = time.monotonic() + SECONDS
        while not self._answers():
            if time.monotonic() > until or self._servers[-1].poll() is not None:
                raise AssertionError(f"$ {command.text}\n{(self._folder / 'server.log').read_text()}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=SECONDS):
                return True
        except (urllib.error.URLError, ConnectionError):
            return False

    def _real(self, text: str) -> str:
        for word, real in self._instead.items():
            text = text.replace(word, real)
        return text

    def _told(self, text: str) -> str:
        for word, real in self._instead.items():
            text = text.replace(real, word)
        return text


@contextmanager
def terminal(instead: Mapping[str, str] | None = None) -> Iterator[Terminal]:
    """A terminal in a folder that is gone afterwards, its servers with it."""
    with TemporaryDirectory(prefix="clew-page-") as folder:
        begun = Terminal(Path(folder), instead or {})
        try:
            yield begun
        finally:
            begun.stop()


def refresh(page: str, instead: Mapping[str, str] | None = None) -> str:
    """The page with what its commands print now, where that is not what it shows."""
    lines = page.splitlines()
    changes: list[tuple[Command, list[str]]] = []
    with terminal(instead) as run:
        for step in read(page):
            if isinstance(step, File):
                run.write(step)
                continue
            printed = run.run(step)
            if step.shown and not alike(step.shown, printed):
                changes.append((step, mended(step.shown, printed)))
    for command, printed in reversed(changes):
        lines[command.first : command.last] = printed
    return "\n".join(lines) + "\n"
