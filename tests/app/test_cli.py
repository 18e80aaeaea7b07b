"""The command line: what it takes, what it prints, and how it ends."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from app import settings
from app.faces.cli.serving import is_loopback
from app.faces.http import examples
from queries import shelf
from tests.app.commands import EVENTS, OUTPUT, Clew, address_of, start
from tests.app.faces import event
from tests.patience import HANGING

# --- help and usage ---


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--help"], ["msgspec", "rich"]),
        (["version"], ["msgspec", "rich"]),
        (["ask", "inputs-of", "--target", OUTPUT], ["alembic", "cryptography.x509", "joserfc"]),
    ],
    ids=" ".join,
)
def test_a_command_loads_nothing_heavy_that_it_does_not_need(
    recorded: Clew, arguments: list[str], more: list[str]
) -> None:
    heavy = ["fastapi", "mcp", "numpy", "pydantic", "sqlalchemy", "uvicorn", *more]
    script = (
        "import sys; from app.faces.cli import app; from app.faces.cli.outcome import run;"
        f"code = run(app, {arguments!r});"
        f"print(code, [name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    there = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", script], env=there, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "0 []"


def test_help_lists_the_commands(clew: Clew) -> None:
    out = clew("--help").out
    assert out.startswith("Usage: clew [OPTIONS] COMMAND [ARGS]...\n\n  Record what AI agents did")
    for command in ("serve", "demo", "ingest", "ask", "export", "mcp", "db", "version"):
        assert command in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["ingest"],
        ["ask"],
        ["ask", "nothing"],
        ["ask", "inputs-of", "--colour", "red"],
        ["ask", "inputs-of", "--depth", "deep"],
        ["ask", "inputs-of"],
        ["ask", "inputs-of", "--target", "nothing"],
        ["ask", "inputs-of", "--target", "nothing", "--url", "http://127.0.0.1:9"],
        ["ask", "inputs-of", "--target", "nothing", "--url", "ftp://127.0.0.1"],
        ["export", "--format", "word"],
        ["export", "--target", "call:1"],
        ["export", "--run", "run:9"],
        ["export", "--assertions", "some"],
        ["export", "-o", "/dev/full"],
        ["export", "-o", "nowhere/out.json"],
        ["export", "-o", "."],
        ["export", "--db", "."],
        ["ingest", "events.json", "--source", "nothing"],
        ["ingest", "events.json", "--evidence-cap", "sure"],
        ["serve", "--host", "0.0.0.0"],
        ["serve", "--host", "192.0.2.1"],
        ["serve", "--db", "mysql://nowhere"],
        ["serve", "--port", "70000"],
        ["db", "upgrade", "--db", "mysql://nowhere"],
    ],
    ids=" ".join,
)
def test_what_can_not_be_done_ends_with_3_and_says_why_in_words(recorded: Clew, arguments: list[str]) -> None:
    done = recorded(*arguments)
    assert done.code == 3
    assert done.err.strip()
    assert "Traceback" not in done.err
    assert done.out == ""


def test_every_question_is_a_command_with_its_parameters_as_options(clew: Clew) -> None:
    for question in shelf.questions().values():
        shown = clew("ask", question.name, "--help")
        assert shown.code == 0
        for parameter in question.parameters():
            assert f"--{parameter.name.replace('_', '-')}" in shown.out


def test_the_version_is_said(clew: Clew) -> None:
    assert re.fullmatch(r"clew \d+\.\d+\.\d+\n", clew("version").out)
    assert clew("version", "--json").json["version"]


# --- ingest ---


def test_events_are_told_apart_by_looking(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "array.json").write_text(json.dumps(EVENTS))
    (tmp_path / "lines.ndjson").write_text("".join(json.dumps(one) + "\n" for one in EVENTS))
    (tmp_path / "cloud.json").write_text(json.dumps(examples.CLOUDEVENT))
    (tmp_path / "trace.json").write_text(json.dumps(examples.OTLP))
    done = clew("ingest", "array.json", "lines.ndjson", "cloud.json", "trace.json", "--json")
    assert done.code == 0
    assert done.json["counts"] == {"recorded": 5, "duplicate": 3, "conflict": 0, "refused": 0}
    assert done.json["files"] == 4
    assert done.json["items"] == 8
    assert {remark["file"] for remark in done.json["not_understood"]} == {"trace.json"}
    words = clew("ingest", "trace.json")
    assert words.out == "1 item of 1 file: 1 duplicate.\n"
    assert "not understood: " in words.err


def test_what_is_refused_is_told_and_the_rest_recorded(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "mixed.json").write_text(json.dumps([EVENTS[0], {"type": "no_type"}, EVENTS[1]]))
    done = clew("ingest", "mixed.json", "missing.json")
    assert done.code == 3
    assert done.out == "3 items of 2 files: 2 recorded, 1 refused.\n"
    assert "refused: mixed.json item 1 /type: this is no type of event; use one of" in done.err
    assert "missing.json: No such file or directory" in done.err
    told = clew("ingest", "mixed.json", "--json").json
    assert told["refused"][0]["where"] == "item 1 /type"
    assert told["counts"]["duplicate"] == 2


@pytest.mark.parametrize("file", ["cut.ndjson", "cut.json"])
@pytest.mark.parametrize("bad", ["last", "middle"])
def test_a_broken_line_is_refused_by_its_number_and_the_others_recorded(
    clew: Clew, tmp_path: Path, file: str, bad: str
) -> None:
    lines = [json.dumps(event(n)) for n in range(60)]
    lines[30:30] = ["", "not json"] if bad == "middle" else [""]
    lines += [] if bad == "middle" else [json.dumps(event(60))[:40]]
    (tmp_path / file).write_text("\n".join(lines))
    done = clew("ingest", file)
    assert done.code == 3
    assert done.out == "61 items of 1 file: 60 recorded, 1 refused.\n"
    place = "line 32 column 1" if bad == "middle" else "line 62 column 37"
    assert f"refused: {file} {place}: this is not JSON" in done.err


def test_one_event_over_many_lines_is_one_whatever_the_file_is_called(clew: Clew, tmp_path: Path) -> None:
    for file in ("one.json", "one.ndjson"):
        (tmp_path / file).write_text(json.dumps(EVENTS[1], indent=1))
        assert clew("ingest", file).out.startswith("1 item of 1 file: 1 ")


def test_odd_text_of_others_can_not_steer_the_terminal(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(json.dumps([{"type": "model_call", "\x1b[31m": 1}]))
    done = clew("ingest", "odd.json")
    assert "\x1b" not in done.err
    assert "\\u001b[31m" in done.err


def test_evidence_may_be_capped(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "events.json").write_text(json.dumps(EVENTS))
    assert clew("ingest", "events.json", "--evidence-cap", "declared").code == 0
    answer = clew("ask", "inputs-of", "--target", OUTPUT, "--json").json
    assert {edge["evidence"] for edge in answer["graph"]["edges"]} == {"declared"}


def test_a_long_file_is_recorded_in_parts(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "long.ndjson").write_text("".join(json.dumps(event(n)) + "\n" for n in range(1200)))
    assert clew("ingest", "long.ndjson").out == "1,200 items of 1 file: 1,200 recorded.\n"


# --- ask ---


def test_an_answer_is_sentences_that_name_what_is_missing_then_a_table(recorded: Clew) -> None:
    done = recorded("ask", "inputs-of", "--target", OUTPUT)
    assert done.code == 0
    sentences, _, table = done.out.partition("\n\n")
    assert OUTPUT in sentences
    assert "has no reported end" in sentences
    assert "reference" in table
    assert "open_run" not in table
    assert "As of log entry" in table
    assert "\x1b" not in done.out


@pytest.mark.parametrize("form", [(), ("--text",)])
def test_an_answer_that_was_cut_prints_the_cursor_to_its_next_page(
    recorded: Clew, form: tuple[str, ...]
) -> None:
    asked = ("ask", "inputs-of", "--target", OUTPUT, "--max-nodes", "1", *form)
    first = " ".join(recorded(*asked).out.split())
    assert "(max_nodes); the cursor goes on from there; a greater max_nodes shows more." in first
    [cursor] = re.findall(r"To go on, ask the same with (--cursor=[\w-]+)", first)
    second = recorded(*asked, cursor)
    assert second.code == 0
    assert "This page goes on from an earlier one" in second.out
    assert cursor not in second.out
    assert "--cursor" not in recorded(*asked[:4], *form).out


def test_the_command_line_and_the_service_give_equal_answers(recorded: Clew, tmp_path: Path) -> None:
    from app.main import open_service
    from queries import answer as answers

    done = recorded("ask", "inputs-of", "--target", OUTPUT, "--as-of", "3", "--json")
    service = open_service(settings.read(str(tmp_path / "clew.db"), {}))
    asked = service.ask("inputs-of", {"target": [OUTPUT], "as_of": "3"})
    service.close()
    assert done.json["graph"] == json.loads(answers.encode(asked.answer))["graph"]


def test_flags_numbers_and_repeats_reach_the_question(recorded: Clew) -> None:
    graph = recorded(
        *("ask", "inputs-of", "--target", OUTPUT, "--target", "message:1/1/out", "--include-refuted"),
        *("--depth", "1", "--evidence", "observed", "--evidence", "verified", "--json"),
    ).json["graph"]
    assert [target["ref"] for target in graph["targets"]] == [OUTPUT, "message:1/1/out"]
    assert graph["evidence"]["set"] == ["verified", "observed"]
    assert max(node["depth"] for node in graph["nodes"]) == 1


# --- export ---


def test_an_export_goes_to_standard_output_or_a_file(recorded: Clew, tmp_path: Path) -> None:
    shown = recorded("export", "--format", "prov-json")
    assert shown.code == 0
    assert json.loads(shown.raw)["activity"]
    written = recorded("export", "-o", "out.json")
    assert written.out == ""
    assert (tmp_path / "out.json").read_bytes() == shown.raw
    turtle = recorded("export", "--format", "turtle", "--run", "run:1", "--assertions", "none")
    assert "prov:Activity" in turtle.out
    answer = recorded("export", "--question", "inputs-of", "--target", "message:1/1/out")
    assert "call:1" in answer.out
    assert "call:2" not in answer.out


def test_an_export_to_a_full_standard_output_ends_with_3_and_says_so(recorded: Clew, tmp_path: Path) -> None:
    recorded("export")  # the ledger is there
    command = [sys.executable, "-c", "from app.faces.cli import main; main()", "export"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 3
    assert b"No space left" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_an_export_that_can_not_be_made_leaves_the_file_as_it_was(recorded: Clew, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("before")
    assert recorded("export", "--run", "run:9", "-o", "out.json").code == 3
    assert (tmp_path / "out.json").read_text() == "before"


def test_a_reader_that_has_enough_ends_an_export_quietly(recorded: Clew, tmp_path: Path) -> None:
    command = " ".join([sys.executable, "-c", "'from app.faces.cli import main; main()'", "export"])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -c 10"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(done.stdout) == 10
    assert done.stderr == ""


# --- a server ---


@pytest.mark.parametrize("token", ["a\u00e9", "a b", "a\rb", "\udcff"])
def test_a_token_that_no_header_can_hold_is_told_in_a_line_and_not_shown(
    clew: Clew, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("CLEW_TOKEN", token)
    done = clew("ask", "inputs-of", "--target", OUTPUT, "--url", "http://127.0.0.1:9")
    assert done.code == 3
    assert done.err.startswith("clew: CLEW_TOKEN holds a blank, a control character or one that is not ASCII")
    assert done.err.count("\n") == 1


def test_what_stands_around_a_token_is_taken_off(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_TOKEN", " a\r\n")
    done = clew("ask", "inputs-of", "--target", OUTPUT, "--url", "http://127.0.0.1:9")
    assert done.code == 3
    assert "127.0.0.1:9 does not answer" in done.err


@pytest.mark.parametrize(
    "url", ["http://", "http://[", "http://a:b", "http://a b", "http://\u00e9", "ftp://a"]
)
def test_an_address_that_is_none_is_told_as_such(clew: Clew, url: str) -> None:
    done = clew("ask", "inputs-of", "--target", OUTPUT, "--url", url)
    assert done.code == 3
    assert "is no address of a server" in done.err


def test_a_server_serves_what_the_commands_record_in_place_and_over_it(
    clew: Clew, server: str, tmp_path: Path
) -> None:
    (tmp_path / "events.json").write_text(json.dumps(EVENTS))
    (tmp_path / "trace.json").write_text(json.dumps(examples.OTLP))
    (tmp_path / "bad.json").write_text(json.dumps({"type": "no_type"}))
    assert clew("ingest", "events.json", "--url", server).out == "3 items of 1 file: 3 recorded.\n"
    assert clew("ingest", "events.json").out == "3 items of 1 file: 3 duplicate.\n"
    over = clew("ingest", "trace.json", "--url", server, "--json").json
    assert over["counts"]["recorded"] == 1
    assert over["not_understood"]
    alone = clew("ingest", "bad.json", "--url", server)
    assert alone.code == 3
    assert "refused: bad.json item 0 /type: this is no type of event; use one of" in alone.err
    arguments = ("ask", "inputs-of", "--target", OUTPUT, "--as-of", "4", "--json")
    here, there = clew(*arguments), clew(*arguments, "--url", server)
    assert here.json["graph"] == there.json["graph"]
    words = ("ask", "inputs-of", "--target", OUTPUT, "--include-refuted")
    assert clew(*words).out == clew(*words, "--url", server).out
    assert clew("export", "--url", server).raw == clew("export").raw
    missing = clew("ask", "inputs-of", "--target", "nothing", "--url", server)
    assert (missing.code, missing.err) == (3, clew("ask", "inputs-of", "--target", "nothing").err)


def test_a_server_for_others_starts_with_a_credential_alone_and_stops_when_told(
    clew: Clew, tmp_path: Path
) -> None:
    refused = clew("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 3
    assert "clew key create" in refused.err
    key = clew("key", "create", "--name", "person:ann", "--scope", "graph:read").out.strip()
    process = start(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")
    address = address_of(process).rpartition(":")[2]
    runs = f"http://127.0.0.1:{address}/v1/runs"
    with pytest.raises(HTTPError, match="401"):
        urlopen(runs)
    with urlopen(Request(runs, headers={"Authorization": f"Bearer {key}"})) as answer:
        assert json.load(answer)["runs"] == []
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=HANGING)
    assert "Traceback" not in err


def test_keys_are_listed_replaced_and_revoked(clew: Clew) -> None:
    made = clew(
        "key", "create", "--name", "harness-1", "--scope", "ingest", "--kind", "harness", "--json"
    ).json
    assert made["text"].startswith("clew_")
    listed = clew("key", "list").out
    assert made["key"]["id"] in listed
    assert made["text"] not in listed
    other = clew("key", "rotate", made["key"]["id"], "--json").json
    assert other["key"]["kinds"] == ["harness"]
    clew("key", "revoke", other["key"]["id"])
    assert clew("key", "list").out.count("revoked") == 2
    assert clew("key", "create", "--name", "x", "--scope", "read").code == 3
    assert clew("key", "revoke", "0000").code == 3


def test_a_port_that_is_taken_is_told(clew: Clew, server: str) -> None:
    done = clew("serve", "--port", server.rpartition(":")[2])
    assert done.code == 3
    assert "choose another with --port" in done.err


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("example.org", False),
        ("192.0.2.1", False),
        ("localhost.example.org", False),
    ],
)
def test_only_loopback_is_this_machine_alone(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


# --- the demonstration and the ledger ---


def test_the_demonstration_answers_three_questions(clew: Clew, tmp_path: Path) -> None:
    shown = clew("demo", "--once")
    assert shown.code == 0
    assert (tmp_path / "clew-demo.db").exists()
    told = clew("demo", "--once", "--json").json
    assert told.keys() == {"inputs_of", "who_authorized", "impact_of"}


def test_the_demonstration_serves_what_it_told_until_it_is_stopped(tmp_path: Path) -> None:
    process = start(tmp_path, "demo", "--port", "0")
    with urlopen(f"{address_of(process)}/v1/runs") as answer:
        assert json.load(answer)["total"] > 0
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGING)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "late-fees" in out


def test_a_ledger_is_made_by_upgrading_nothing(clew: Clew, tmp_path: Path) -> None:
    assert "are now of version" in clew("db", "upgrade").out
    told = clew("db", "upgrade", "--json").json
    assert told["before"] == told["after"]
    assert (tmp_path / "clew.db").exists()
    assert "which this Clew reads" in clew("db", "upgrade").out


def test_the_graph_is_checked_and_made_again_from_the_log(recorded: Clew, tmp_path: Path) -> None:
    before = recorded("export").raw
    assert recorded("db", "fsck").out.startswith("default: the log matches its digests")
    with closing(sqlite3.connect(tmp_path / "clew.db")) as ledger, ledger:
        ledger.execute("delete from assertion where assertion = 1")
    wrong = recorded("db", "fsck")
    assert wrong.code == 2
    assert "clew db rebuild" in wrong.out
    told = recorded("db", "fsck", "--json")
    assert told.code == 2
    assert told.json["tenants"][0]["findings"]
    assert recorded("db", "rebuild").out == "default: the graph was made again from 3 events.\n"
    assert recorded("db", "rebuild", "--json").json == {"tenants": [{"tenant": "default", "events": 3}]}
    assert recorded("db", "fsck").code == 0
    assert recorded("export").raw == before


def test_a_backup_is_a_whole_ledger_with_its_keys(recorded: Clew, tmp_path: Path) -> None:
    assert "copy.keys" in recorded("db", "backup", "copy.db").out
    assert (tmp_path / "copy.keys").stat().st_mode & 0o777 == 0o600
    for file in ("clew.db", "clew.keys"):
        (tmp_path / file).rename(tmp_path / f"{file}.away")
    assert recorded("export", "--db", "copy.db").raw
    assert recorded("ingest", "events.json", "--db", "copy.db").out == "3 items of 1 file: 3 duplicate.\n"
    assert recorded("db", "backup", "copy.db", "--db", "copy.db").code == 3


# --- settings ---


def test_the_ledger_is_named_by_option_environment_or_default() -> None:
    assert settings.read(None, {}).db == "sqlite:///clew.db"
    assert settings.read(None, {"CLEW_DB": "/data/a.db"}).db == "sqlite:////data/a.db"
    assert settings.read("b.db", {"CLEW_DB": "/data/a.db"}).db == "sqlite:///b.db"
    assert settings.read("postgres://u:p@h/d", {}).db == "postgresql+psycopg://u:p@h/d"
    assert settings.read(None, {"CLEW_DB": "postgresql+psycopg://u@h/d"}).db == "postgresql+psycopg://u@h/d"


def test_the_key_file_lies_beside_the_ledger() -> None:
    assert settings.read("/data/a.db", {}).key_file == Path("/data/a.keys")
    assert settings.read("postgres://h/d", {}).key_file == Path("clew.keys")
    assert settings.read("/data/a.db", {"CLEW_KEY_FILE": "/keys/k"}).key_file == Path("/keys/k")


def test_secrets_are_not_shown() -> None:
    told = settings.read("postgres://u:hunter2@h/d", {"CLEW_TOKEN": "s3cret"})
    assert "hunter2" not in repr(told)
    assert "s3cret" not in repr(told)
    assert settings.without_password(told.db) == "postgresql+psycopg://u@h/d"


@pytest.mark.parametrize("command", ["ask inputs-of --target x", "export", "db fsck", "validate"])
def test_a_ledger_that_is_not_there_is_told_and_not_made(clew: Clew, tmp_path: Path, command: str) -> None:
    done = clew(*command.split(), "--db", "nope.db")
    assert (done.code, list(tmp_path.glob("nope*"))) == (3, [])
    assert "no file" in done.err
