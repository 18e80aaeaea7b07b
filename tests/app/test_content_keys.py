"""The key file: made once, whole, for its owner alone; and refused, never replaced, when it is not the
right one.
"""

import multiprocessing
import os
import stat
from pathlib import Path

import msgspec
import pytest

from app.content import open_keys
from app.content.keys import TagKeys
from provmodel.errors import StoreTrouble
from tests.patience import HANGING


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clew.db.key"


def test_a_key_file_is_made_for_its_owner_alone_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        open_keys(path, None)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_file_is_all_that_is_left_in_the_folder(path: Path) -> None:
    open_keys(path, None)
    assert list(path.parent.iterdir()) == [path]


def test_the_same_file_gives_the_same_keys(path: Path) -> None:
    first, second = open_keys(path, None), open_keys(path, None)
    assert first.fingerprint == second.fingerprint
    assert first.tenant("a").names.tag(b"x") == second.tenant("a").names.tag(b"x")


def test_two_files_hold_two_keys(tmp_path: Path) -> None:
    assert open_keys(tmp_path / "a", None).fingerprint != open_keys(tmp_path / "b", None).fingerprint


def test_keys_differ_by_tenant_run_and_purpose(path: Path) -> None:
    keys = open_keys(path, None)
    secrets = [keys.tenant(tenant).tags for tenant in ("a", "b")] + [
        TagKeys(bytes(32)),
        TagKeys(bytes(32), 2),
    ]
    tag_keys = {of.tag_key(run) for of in secrets[:3] for run in (None, "run:1", "run:2")}
    assert len(tag_keys) == 9
    assert len({of.tags_of("run:1").alg for of in secrets}) == 2


def _fingerprint(
    path: str, start: "multiprocessing.synchronize.Barrier", answers: "multiprocessing.Queue[str]"
) -> None:
    start.wait()
    answers.put(open_keys(Path(path), None).fingerprint)


def test_processes_that_come_at_once_all_get_the_one_key(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    start, answers = context.Barrier(4), context.Queue()
    workers = [context.Process(target=_fingerprint, args=(str(path), start, answers)) for _ in range(4)]
    for worker in workers:
        worker.start()
    given = {answers.get(timeout=HANGING) for _ in workers}
    for worker in workers:
        worker.join(HANGING)
    assert given == {open_keys(path, None).fingerprint}
    assert list(path.parent.iterdir()) == [path]


def test_the_fingerprint_and_the_text_of_keys_do_not_give_the_key_away(path: Path) -> None:
    keys = open_keys(path, None)
    master = msgspec.json.decode(path.read_bytes())["master"]
    assert master not in repr(keys)
    assert len(keys.fingerprint) == 32


# --- refused ---


def refusal(path: Path, fingerprint: str | None) -> str:
    """What is said about a key file that can't be used; nothing beside it may have changed."""
    before = {
        file: file.read_bytes()
        for file in path.parent.iterdir()
        if file.is_file() and os.access(file, os.R_OK)
    }
    with pytest.raises(StoreTrouble) as trouble:
        open_keys(path, fingerprint)
    assert str(path) in str(trouble.value)
    after = {
        file: file.read_bytes()
        for file in path.parent.iterdir()
        if file.is_file() and os.access(file, os.R_OK)
    }
    assert after == before
    return str(trouble.value)


def test_a_missing_key_is_not_replaced_when_the_database_has_one(path: Path) -> None:
    said = refusal(path, "f" * 32)
    assert "is missing" in said
    assert "put the key file back" in said


def test_the_key_of_another_database_is_refused(path: Path) -> None:
    fingerprint = open_keys(path, None).fingerprint
    said = refusal(path, "f" * 32)
    assert f"holds the key {fingerprint}" in said
    assert "f" * 32 in said


def test_a_whole_key_of_this_database_is_taken(path: Path) -> None:
    fingerprint = open_keys(path, None).fingerprint
    assert open_keys(path, fingerprint).fingerprint == fingerprint


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[]",
        b'{"type": "clew-key", "version": 1}',
        b'{"type": "clew-key", "version": "1", "master": "", "fingerprint": ""}',
        b'{"type": "clew-key", "version": 1, "master": "AAAA", "fingerprint": ""}',
        b'{"type": "clew-key", "version": 1, "master": "!!", "fingerprint": ""}',
        b'{"type": "other", "version": 1, "master": "AAAA", "fingerprint": ""}',
    ],
)
def test_what_is_no_key_file_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "is no whole key file" in refusal(path, None)


@pytest.mark.parametrize("field", ["master", "fingerprint"])
def test_a_key_file_with_one_changed_character_is_refused(path: Path, field: str) -> None:
    open_keys(path, None)
    file = msgspec.json.decode(path.read_bytes())
    first = "b" if file[field][0] != "b" else "c"
    file[field] = first + file[field][1:]
    path.write_bytes(msgspec.json.encode(file))
    assert "does not fit the fingerprint" in refusal(path, None)


def test_a_key_file_cut_short_is_refused(path: Path) -> None:
    open_keys(path, None)
    path.write_bytes(path.read_bytes()[:40])
    assert "is no whole key file" in refusal(path, None)


def test_a_file_of_a_newer_version_names_the_remedy(path: Path) -> None:
    path.write_bytes(b'{"type": "clew-key", "version": 3, "keys": []}')
    assert "newer Clew" in refusal(path, None)


def test_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.mkdir()
    assert "can't be read" in refusal(path, None)


def test_a_folder_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(StoreTrouble, match="can't be made: No such file or directory"):
        open_keys(path.parent / "none" / "clew.db.key", None)


def test_a_file_that_can_not_be_opened_is_refused(path: Path) -> None:
    path.symlink_to(path)
    assert "can't be read: Too many levels of symbolic links" in refusal(path, None)
