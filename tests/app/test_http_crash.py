"""A server that is killed in the middle of its work: whatever it acknowledged is there, once."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.app.commands import address_of
from tests.app.faces import array, event, service_at
from tests.patience import HANGING

ROUNDS = 3  # each starts a server; what a ledger makes of 50 is tested beside it
CONNECTIONS = 4


def deliver(address: str, worker: int, acknowledged: list[str], stop: threading.Event) -> None:
    """Send small deliveries one after the other until the server is gone; note what it acknowledged."""
    number = worker * 1_000_000
    with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=HANGING)) as connection:
        while not stop.is_set():
            items = [event(number + n) for n in range(7)]
            number += 7
            try:
                connection.request("POST", "/v1/events", array(items), {"Content-Type": "application/json"})
                with connection.getresponse() as answer:
                    results = json.loads(answer.read())["results"]
            except (OSError, http.client.HTTPException, ValueError):
                return
            acknowledged += [one["id"] for one in results if one["status"] == "recorded"]


def killed_at_work(url: str, folder: Path, first_worker: int, acknowledged: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    environment |= {"CLEW_DB": url, "CLEW_KEY_FILE": str(folder / "clew.keys")}
    command = [sys.executable, "-c", "from app.faces.cli import main; main()", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    address, stop = address_of(process), threading.Event()
    threads = [
        threading.Thread(target=deliver, args=(address, first_worker + n, acknowledged, stop))
        for n in range(CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    before = len(acknowledged)
    while len(acknowledged) < before + 100:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    stop.set()
    for thread in threads:
        thread.join()
    process.communicate()


def test_what_was_acknowledged_before_a_kill_is_there_once(store_url: str, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for turn in range(ROUNDS):
        killed_at_work(store_url, tmp_path, 1 + turn * CONNECTIONS, acknowledged)
    with service_at(store_url, tmp_path, writing=False) as service:
        seqs: list[int] = []
        ids: list[str] = []
        cursor = ""
        while True:
            page = service.lists.events(cursor=cursor, limit=1000)
            seqs += [entry.seq for entry in page.events]
            ids += [json.loads(bytes(entry.event))["id"] for entry in page.events]
            cursor = page.cursor
            if not cursor:
                break
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(set(ids)) == len(ids)
        assert set(acknowledged) <= set(ids)
        assert service.check() == []


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_finishes_what_it_took(tmp_path: Path, sign: signal.Signals) -> None:
    url = f"sqlite:///{tmp_path / 'clew.db'}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "CLEW_DB": url}
    command = [sys.executable, "-c", "from app.faces.cli import main; main()", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    acknowledged: list[str] = []
    address, stop = address_of(process), threading.Event()
    thread = threading.Thread(target=deliver, args=(address, 1, acknowledged, stop))
    thread.start()
    while len(acknowledged) < 50:
        time.sleep(0.005)
    process.send_signal(sign)
    _, err = process.communicate(timeout=HANGING)
    stop.set()
    thread.join()
    assert process.returncode == 0
    assert "Traceback" not in err
    with service_at(url, tmp_path, writing=False) as service:
        assert service.lists.events().total == len(acknowledged)
