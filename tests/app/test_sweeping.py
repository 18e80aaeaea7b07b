"""Sweeps that are killed, and sweeps on a full disk (tests/sweeping.py)."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import missing

ROOT = Path(__file__).parents[2]
MOUNTED = 'mount -t tmpfs -o size=12m tmpfs "$1" && exec "$2" -m tests.sweeping full "$1"'


def well(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_fifty_killed_sweeps_leave_each_body_there_or_gone_on_sqlite(store_url: str, tmp_path: Path) -> None:
    well(sys.executable, "-m", "tests.sweeping", "kill", store_url, tmp_path, "50")


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_five_killed_sweeps_leave_each_body_there_or_gone_on_postgresql(
    store_url: str, tmp_path: Path
) -> None:
    well(sys.executable, "-m", "tests.sweeping", "kill", store_url, tmp_path, "5")


def test_a_full_disk_leaves_each_body_there_or_gone(tmp_path: Path) -> None:
    unshare = shutil.which("unshare") or missing("no `unshare`, to mount a small file system")
    if subprocess.run([unshare, "-rm", "true"], check=False, capture_output=True).returncode:
        missing("no file system can be mounted here")
    well(unshare, "-rm", "sh", "-c", MOUNTED, "sh", tmp_path, sys.executable)
