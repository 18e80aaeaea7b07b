"""The compiled part of the index: where it is found, and what it refuses."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import hatch_build
from queries.adjacency.compiled import address, file_of
from tests.needs import missing

ROOT = Path(hatch_build.__file__).parent


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The C alone in a folder."""
    return Path(shutil.copy(ROOT / hatch_build.SOURCE, tmp_path))


def test_a_library_is_named_after_its_source_and_fits_no_other(source: Path) -> None:
    if shutil.which("cc") is None:
        missing("no C compiler")
    made = hatch_build.compiled(source)
    assert made == file_of(source)
    source.write_text(source.read_text() + "\n")
    assert made != file_of(source)
    assert not file_of(source).exists()
    assert hatch_build.compiled(source) == file_of(source)
    assert list(source.parent.glob("*.so")) == [file_of(source)]


@pytest.mark.parametrize("compiler", ["/nowhere/cc", f"{sys.executable} -c 'raise SystemExit(1)'"])
def test_without_a_compiler_that_works_an_installation_goes_on(
    compiler: str, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", compiler)
    assert hatch_build.compiled(source) is None
    assert "NumPy does its work" in capsys.readouterr().err
    assert [path.name for path in source.parent.iterdir()] == [source.name]


def test_an_array_of_another_width_or_with_gaps_is_refused() -> None:
    assert address(np.zeros(4, np.uint32), np.uint32) > 0
    for array in (np.zeros(4, np.uint64), np.zeros(8, np.uint32)[::2]):
        with pytest.raises(TypeError):
            address(array, np.uint32)
