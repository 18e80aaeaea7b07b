"""The index walks by compiled code and by NumPy: what holds for one has to hold for the other."""

import pytest

from queries.adjacency import compiled
from tests.needs import missing


@pytest.fixture
def compiled_code() -> None:
    """The library is there."""
    if compiled.LIBRARY is None:
        missing("the C of the index is not compiled; `make setup` compiles it where there is a C compiler")


@pytest.fixture(params=["compiled", "numpy"])
def steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By which of both an index works."""
    by(request.param, request, monkeypatch)


def by(name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let indexes work by ``compiled`` code, or by ``numpy`` alone."""
    if name == "compiled":
        request.getfixturevalue("compiled_code")
    else:
        monkeypatch.setattr(compiled, "LIBRARY", None)
