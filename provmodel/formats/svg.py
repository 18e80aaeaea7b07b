"""Documents as pictures in SVG: drawn by Graphviz from the DOT that Clew writes.

Graphviz is a program of its own, run without a shell, for so long and for so large a picture at most.
"""

from __future__ import annotations

import shutil
import subprocess  # the one program that is run is Graphviz, by its name, without a shell
from collections.abc import Iterator

from provmodel.document import Document, Loss
from provmodel.documents.picture import dot
from provmodel.errors import Absent, TooLarge
from provmodel.formats import Documents

SECONDS = 20
MOST = 3000  # nodes and edges: nobody reads more, and Graphviz takes minutes for them
_PROGRAM = "dot"
_REMEDY = "export it as dot and draw that, or a run, or an answer"


def write(document: Document, told: list[Loss]) -> Iterator[bytes]:
    """The document as SVG. Raises :class:`Absent` without Graphviz, and :class:`TooLarge` for what can't be
    drawn in time.
    """
    program = shutil.which(_PROGRAM)
    if program is None:
        what = "SVG is drawn by Graphviz, and there is no program named dot"
        raise Absent(f"{what}; install Graphviz, or write dot and draw it elsewhere")
    text = b"".join(dot.write(document, told))
    if text.count(b"];\n") > MOST:
        raise TooLarge("the nodes and edges of this picture", str(MOST), _REMEDY)
    yield _drawn(program, text)


def _drawn(program: str, text: bytes) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 (no shell; the text goes to standard input)
            [program, "-Tsvg"], input=text, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        limit = f"what Graphviz draws in {SECONDS} s"
        raise TooLarge("the nodes and edges of this picture", limit, _REMEDY) from None
    except OSError as error:
        raise Absent(f"Graphviz ({program}) can't be run: {error.strerror}; install it again") from None
    if done.returncode:
        raise Absent(f"Graphviz ended with {done.returncode} and drew nothing; {_REMEDY}")
    return done.stdout


DOCUMENTS = Documents(
    name="svg",
    title="SVG (drawn by Graphviz)",
    media_types=("image/svg+xml",),
    endings=(".svg",),
    write=write,
)
