"""GET: questions, lists, nodes, content, export; their problems, and what surrounds every response."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.faces import mcp
from app.faces.http import LOOPBACK
from app.faces.http.application import WEB
from app.faces.http.guard import HEADERS
from app.faces.http.metrics import Metrics
from app.service import Service
from provmodel import formats
from queries import shelf
from tests.app.faces import client_of, event


@pytest.fixture
def told(both: TestClient) -> TestClient:
    """A server that was told of two runs, an artifact with content, and an end."""
    return tell(both)


@pytest.fixture(scope="module")
def read(kept: Service) -> Iterator[TestClient]:
    """The same, for tests that only read."""
    with client_of(kept) as client:
        yield tell(client)


def tell(client: TestClient) -> TestClient:
    bodies = {"inputs": [{"ref": "message:1/ask", "body": {"text": "ask"}}]}
    events = [
        event(0, "run_started", run="run:1", agent="agent:a", task="report"),
        event(1, **bodies),
        *[event(n, inputs=[{"ref": f"message:1/{n - 1}/out"}]) for n in range(2, 8)],
        event(
            8,
            "artifact_version",
            run="run:2",
            ref="file:/fees.csv@version:1",
            kind="file",
            body={"text": "a,b"},
        ),
        event(9, "run_ended", run="run:1", status="completed"),
    ]
    assert client.post("/v1/events", json=events).json()["counts"]["recorded"] == len(events)
    return client


def problem(response: Any, status: int) -> Any:
    assert response.status_code == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    found = response.json()
    assert found["status"] == status
    assert found["title"]
    assert found["detail"]
    return found


# --- questions ---


def test_every_question_is_listed_and_has_an_address_that_answers(read: TestClient) -> None:
    listed = read.get("/v1/questions").json()["questions"]
    assert [one["name"] for one in listed] == list(shelf.questions())
    for one in listed:
        question = shelf.questions()[one["name"]]
        about = ["run:1"] if question.of_runs else ["message:1/7/out"]
        answer = read.get(one["address"], params={"target": about})
        if question.needs > 1:  # it has its own tests
            assert "target" in problem(answer, 422)["detail"]
            continue
        assert answer.status_code == 200, answer.text
        assert answer.json()["question"] == one["name"]
        assert {parameter["name"] for parameter in one["parameters"]} >= {"target", "as_of", "evidence"}


def test_the_graph_part_of_an_answer_is_the_same_bytes_each_time(read: TestClient) -> None:
    def graph() -> str:
        text = read.get("/v1/questions/inputs-of", params={"target": "message:1/7/out"}).text
        return text[: text.index('"availability"')]

    assert graph() == graph()


def test_as_of_is_a_seq_or_a_time_and_what_comes_later_changes_nothing(read: TestClient) -> None:
    def nodes(as_of: Any) -> list[str]:
        params = {"target": "message:1/3/out", "as_of": as_of}
        graph = read.get("/v1/questions/impact-of", params=params).json()["graph"]
        return [node["ref"] for node in graph["nodes"]]

    entries = read.get("/v1/events").json()["events"]
    early = nodes(5)
    assert "call:4" in early
    assert "call:5" not in early
    assert nodes(entries[-1]["received"]) == nodes("") == nodes(len(entries))
    problem(read.get("/v1/questions/impact-of", params={"target": "call:1", "as_of": "soon"}), 422)
    problem(read.get("/v1/questions/impact-of", params={"target": "call:1", "as_of": 999}), 422)


def test_a_walk_goes_both_ways_and_stops_where_it_is_told(read: TestClient) -> None:
    def refs(**params: Any) -> list[str]:
        answer = read.get("/v1/lineage", params={"target": "message:1/3/out", **params})
        assert answer.status_code == 200, answer.text
        return [node["ref"] for node in answer.json()["graph"]["nodes"]]

    backward, forward = refs(), refs(direction="forward")
    assert {"call:3", "call:1", "message:1/ask"} <= set(backward)
    assert {"call:4", "message:1/7/out"} <= set(forward)
    assert refs(direction="backward", policy="impact") == backward
    assert refs(depth=1) == [ref for ref in backward if ref in refs(depth=1)] != backward
    assert "call:1" not in refs(stop_at=["call:3", "activity"])


UNANSWERED: list[tuple[str, int, str]] = [
    ("/v1/questions/inputs-of?target=nothing", 404, "nothing"),
    ("/v1/questions/inputs-of", 422, "target"),
    ("/v1/questions/inputs-of?target=call:1&colour=red", 422, "colour"),
    ("/v1/questions/inputs-of?target=call:1&depth=x", 422, "depth"),
    ("/v1/questions/inputs-of?target=call:1&depth=1&depth=2", 422, "depth"),
    ("/v1/questions/inputs-of?target=call:1&evidence=sure", 422, "evidence"),
    ("/v1/questions/inputs-of?target=out", 422, "message:1/2/out"),
    ("/v1/questions/who-knows", 404, "inputs-of"),
    ("/v1/lineage?target=call:1&direction=up", 422, "use one of backward, forward, or leave it out"),
    ("/v1/runs?as_of=2026-13-45T99:00:00Z", 422, "is not a time"),
    ("/v1/events?after=9223372036854775808", 422, "after"),
    ("/v1/events?type=modelcall", 422, "use one of source_reported, run_started"),
    ("/v1/nodes?ref=nothing", 404, "nothing"),
    ("/v1/events?limit=0", 422, "limit"),
    ("/v1/events?limit=x", 422, "limit"),
    ("/v1/events?colour=red", 422, "colour"),
    ("/v1/events?cursor=x", 422, "cursor"),
    ("/v1/runs?as_of=999", 422, "as_of"),
    ("/v1/content", 422, "ref"),
    ("/v1/content?ref=nothing", 404, "nothing"),
    ("/v1/runs/tag-key", 422, "run"),
    ("/v1/export?format=word", 422, "prov-json"),
    ("/v1/export?assertions=some", 422, "best"),
    ("/v1/export?run=run:9", 404, "run:9"),
    ("/v1/export?run=run:1&question=inputs-of", 422, "run"),
    ("/v1/export?question=inputs-of&target=call:1&fold=run", 422, "fold"),
    ("/v1/lineage?target=call:1&fold=colour", 422, "agent"),
    ("/v1/lineage?target=call:1&fold=run&view=ids", 422, "fold"),
    ("/v1/export?target=call:1", 422, "target"),
    ("/v1/export?question=inputs-of&target=nothing", 404, "nothing"),
    ("/v1/nowhere", 404, "/v1/nowhere"),
    ("/page/nowhere.css", 404, "/page/nowhere.css"),
    ("/page/../../settings.py", 404, "settings.py"),
]


def test_what_can_not_be_answered_says_why(read: TestClient) -> None:
    for path, status, names in UNANSWERED:
        found = problem(read.get(path), status)
        assert names in json.dumps(found), path
        assert not found["detail"].startswith(":"), path
        assert "isoformat" not in found["detail"], path


def test_a_method_that_is_not_offered_is_a_problem_too(http: TestClient) -> None:
    for path in ("/v1/model-calls", "/v1/runs", "/v1/questions/inputs-of", "/healthz"):
        problem(http.put(path), 405)


# --- lists ---


@pytest.mark.parametrize("key", ["events", "runs", "sources", "nodes"])
def test_pages_fit_together_and_counts_agree_while_events_keep_coming(told: TestClient, key: str) -> None:
    whole = told.get(f"/v1/{key}", params={"limit": 1000}).json()
    assert whole["total"] == len(whole[key]) > 0
    assert whole["cursor"] == ""
    pages = [told.get(f"/v1/{key}", params={"limit": 2}).json()]
    while pages[-1]["cursor"]:
        told.post("/v1/run-starts", json={"agent": "agent:late"})
        pages.append(told.get(f"/v1/{key}", params={"limit": 2, "cursor": pages[-1]["cursor"]}).json())
    assert {page["total"] for page in pages} == {whole["total"]}
    assert [entry for page in pages for entry in page[key]] == whole[key]


@pytest.mark.parametrize("key", ["events", "runs", "sources"])
@pytest.mark.parametrize("place", ["made_up_place", "2A", "-1", "9" * 30])
def test_a_cursor_that_no_page_gave_is_refused(read: TestClient, key: str, place: str) -> None:
    at = read.get(f"/v1/{key}").json()["as_of"]
    assert "cursor" in json.dumps(problem(read.get(f"/v1/{key}", params={"cursor": f"{at}:{place}"}), 422))


def test_the_log_is_read_from_a_seq_on(read: TestClient) -> None:
    def ids(**params: int) -> list[str]:
        return [entry["event"]["id"] for entry in read.get("/v1/events", params=params).json()["events"]]

    assert ids(after=8) == ["e8", "e9"]
    assert ids(after=4, limit=1) == ["e4"]
    assert ids(after=99) == []


def test_the_log_is_listed_by_run_source_and_type(read: TestClient) -> None:
    def ids(**params: str) -> list[str]:
        found = read.get("/v1/events", params=params).json()
        assert found["total"] == len(found["events"])
        return [entry["event"]["id"] for entry in found["events"]]

    assert ids(run="run:2") == ["e8"]
    assert ids(type="run_ended") == ["e9"]
    assert ids(run="run:1", type="model_call", source="harness") == [f"e{n}" for n in range(1, 8)]
    assert ids(source="source:harness", type="run_ended") == ids(source="harness", type="run_ended") == ["e9"]
    assert ids(as_of="2") == ["e0", "e1"]
    assert ids(run="run:9") == []
    assert read.get("/v1/events", params={"source": "nobody"}).status_code == 404


def test_bodies_are_not_in_the_log(read: TestClient) -> None:
    entry = read.get("/v1/events").json()["events"][1]
    body = entry["event"]["inputs"][0]["body"]
    assert body.keys() == {"id", "media_type", "size"}
    assert re.fullmatch(r"[0-9a-f]{64}", entry["sha256"])


def test_a_run_without_an_end_is_open_and_not_a_success(told: TestClient) -> None:
    runs = {run["run"]: run for run in told.get("/v1/runs").json()["runs"]}
    assert runs["run:1"]["state"] == "completed"
    assert runs["run:1"]["agent"] == "agent:a"
    assert runs["run:1"]["events"] == 9
    assert runs["run:2"]["state"] == "open"
    told.post("/v1/events", json=[event(20, "source_reported", state="closed")])
    again = {run["run"]: run["state"] for run in told.get("/v1/runs").json()["runs"]}
    assert again == {"run:1": "completed", "run:2": "incomplete"}
    told.post("/v1/events", json=[event(21, "run_ended", run="run:1", status="failed")])
    assert {run["run"]: run["state"] for run in told.get("/v1/runs").json()["runs"]}["run:1"] == "several"


def test_a_node_is_told_with_its_versions_reports_and_bodies(read: TestClient) -> None:
    [node] = read.get("/v1/nodes", params={"ref": "fees.csv"}).json()["nodes"]
    assert node["ref"] == "file:/fees.csv@version:1"
    assert node["found"] in ("suffix", "newest")
    assert node["kinds"] == ["entity"]
    assert [report["id"] for report in node["reports"]] == ["e8"]
    assert [(body["state"], body["size"]) for body in node["bodies"]] == [("present", 3)]
    kinds = [a for a in node["attributes"] if a["name"] == "clew:kind"]
    assert [(a["value"], a["evidence"], a["stance"]) for a in kinds] == [("file", "observed", "supports")]


def test_nodes_are_listed_by_how_they_begin(read: TestClient) -> None:
    found = read.get("/v1/nodes", params={"prefix": "call:"}).json()
    assert [node["ref"] for node in found["nodes"]] == [f"call:{n}" for n in range(1, 8)]


# --- content ---


def test_content_is_given_to_be_saved_and_never_to_be_shown(read: TestClient) -> None:
    by_ref = read.get("/v1/content", params={"ref": "file:/fees.csv@version:1"})
    assert by_ref.text == "a,b"
    assert by_ref.headers["Content-Disposition"].startswith("attachment")
    assert by_ref.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in by_ref.headers["Content-Security-Policy"]
    assert by_ref.headers["Content-Type"] == "text/plain; charset=utf-8"
    by_id = read.get("/v1/content", params={"ref": by_ref.headers["X-Clew-Body"]})
    assert by_id.content == by_ref.content


def test_a_media_type_that_is_none_is_not_sent_as_one(http: TestClient) -> None:
    evil = "text/html\r\nSet-Cookie: a=b"
    body = {"media_type": evil, "text": "<script>"}
    http.post("/v1/events", json=[event(1, inputs=[{"ref": "message:1", "body": body}])])
    given = http.get("/v1/content", params={"ref": "message:1"})
    assert given.headers["Content-Type"] == "application/octet-stream"
    assert "Set-Cookie" not in given.headers


def test_content_that_was_never_captured_and_content_that_never_was(read: TestClient) -> None:
    captured = problem(read.get("/v1/content", params={"ref": "call:1"}), 404)
    absent = problem(read.get("/v1/content", params={"ref": "call:99"}), 404)
    assert captured["type"].endswith("not-captured")
    assert absent["type"].endswith("not-found")


def test_deleted_content_is_gone_and_its_tombstone_is_told(both: TestClient) -> None:
    both.post("/v1/events", json=[event(1, inputs=[{"ref": "message:1", "body": {"text": "private"}}])])
    body = both.get("/v1/content", params={"ref": "message:1"}).headers["X-Clew-Body"]
    [deleted] = both.delete("/v1/content", params={"ref": "message:1"}).json()["deleted"]
    assert deleted["body"] == body
    for ref in ("message:1", body):
        gone = problem(both.get("/v1/content", params={"ref": ref}), 410)
        [tombstone] = gone["tombstones"]
        assert (tombstone["body"], tombstone["actor"], tombstone["state"]) == (body, "service:local", "done")
        assert tombstone["provable"]
        assert tombstone["lost"]


def test_the_tag_key_of_a_run_is_its_own(http: TestClient) -> None:
    keys = [http.get("/v1/runs/tag-key", params={"run": run}).json() for run in ("r1", "r1", "r2")]
    assert keys[0] == keys[1] != keys[2]
    assert len(base64.b64decode(keys[0]["key"])) == 32


# --- export ---


@pytest.mark.parametrize("form", sorted(formats.shelf()))
def test_the_graph_a_run_and_an_answer_are_exported(read: TestClient, form: str) -> None:
    kind = formats.by_name(form).media_types[0]
    whole = read.get("/v1/export", params={"format": form})
    run = read.get("/v1/export", params={"format": form, "run": "run:2"})
    answer = read.get(
        "/v1/export", params={"format": form, "question": "inputs-of", "target": "message:1/2/out"}
    )
    for document in (whole, run, answer):
        assert document.status_code == 200, document.text
        assert document.headers["Content-Type"].startswith(kind)
        assert "attachment" in document.headers["Content-Disposition"]
    assert "fees.csv" in whole.text
    assert "fees.csv" in run.text
    assert "call:1" not in run.text
    assert "call:2" in answer.text
    assert "call:7" not in answer.text
    assert read.get("/v1/export", headers={"Accept": kind}).content == whole.content


def test_an_export_says_nothing_of_arrival(told: TestClient) -> None:
    document = json.loads(told.get("/v1/export", params={"assertions": "all"}).content)
    assert "received" not in json.dumps(document)
    before = told.get("/v1/export").content
    told.post("/v1/events", json=[event(n) for n in (1,)])
    told.post("/v1/events", json=[event(0, "run_started", run="run:1", agent="agent:a", task="report")])
    after = told.get("/v1/export").content
    assert (before == after) is (told.get("/v1/events").json()["total"] == 10)


# --- what surrounds a response ---


def test_every_response_carries_the_security_headers(http: TestClient) -> None:
    for path in (
        "/",
        "/page/clew.css",
        "/healthz",
        "/openapi.json",
        "/nowhere",
        "/v1/runs?limit=0",
        "/v1/export",
    ):
        found = http.get(path).headers
        assert {name: found.get(name) for name in HEADERS} == HEADERS, path
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_the_first_page_holds_no_script_and_tells_how_to_begin_without_any(http: TestClient) -> None:
    page = http.get("/")
    assert page.headers["Content-Type"].startswith("text/html")
    assert "/v1/model-calls" in page.text
    assert "<noscript>" in page.text
    assert re.findall(r"<script[^>]*>([^<]+)", page.text) == []
    assert "style=" not in page.text
    for address in re.findall(r'href="(/[^"]*)"', page.text):
        assert http.get(address).status_code == 200, address


def test_the_first_page_asks_for_all_modules_at_once_and_not_one_after_the_other(http: TestClient) -> None:
    named = re.findall(r'rel="modulepreload" href="/page/([^"]*)"', http.get("/").text)
    assert sorted(named) == sorted(path.name for path in WEB.glob("*.js"))


def test_the_whole_page_is_small_and_sent_compressed(http: TestClient) -> None:
    sent = [http.get(f"/page/{path.name}", headers={"Accept-Encoding": "gzip"}) for path in WEB.iterdir()]
    assert {answer.status_code for answer in sent} == {200}
    assert sum(int(answer.headers["Content-Length"]) for answer in sent) < 150_000


def test_a_server_for_this_machine_answers_to_its_names_alone(service: Service) -> None:
    with client_of(service, hosts=LOOPBACK) as client:
        for host in ("127.0.0.1", "127.0.0.1:8080", "localhost:9", "[::1]", "[::1]:8080"):
            assert client.get("/healthz", headers={"Host": host}).status_code == 200, host
        for host in ("example.org", "example.org:8080", "127.0.0.1.example.org", "[::2]:8080", ""):
            problem(client.get("/healthz", headers={"Host": host}), 421)


def test_a_page_of_another_origin_may_not_write(http: TestClient) -> None:
    elsewhere = {"Origin": "https://example.org", "Content-Type": "text/plain"}
    problem(http.post("/v1/events", content=b"[]", headers=elsewhere), 403)
    own = {"Origin": "http://testserver"}
    assert http.post("/v1/events", content=b"[]", headers=own).status_code == 200
    assert http.get("/v1/runs", headers=elsewhere).status_code == 200


def test_readiness_is_that_of_the_store(http: TestClient, service: Service) -> None:
    assert http.get("/readyz").json()["head"] == 0
    http.post("/v1/events", json=[event(1)])
    assert http.get("/readyz").json()["head"] == 1


def test_metrics_count_requests_items_and_commits(told: TestClient) -> None:
    problem(told.get("/v1/runs?limit=0"), 422)
    text = told.get("/metrics").text
    assert 'clew_items_total{status="recorded"} 10' in text
    assert 'clew_http_requests_total{method="POST",route="/v1/events",status="200"} 1' in text
    assert 'clew_http_requests_total{method="GET",route="/v1/runs",status="422"} 1' in text
    assert 'clew_http_request_seconds_bucket{route="/v1/events",le="+Inf"} 1' in text
    assert "clew_events_committed_total 10\n" in text
    assert "clew_commits_total 1\n" in text
    assert "clew_log_head 10\n" in text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{.*\})? \S+", line), line


def test_labels_of_metrics_are_escaped() -> None:
    metrics = Metrics()
    metrics.count("GET", 'a"b\\c\nd', 200, 0.01)
    assert r'route="a\"b\\c\nd"' in metrics.text({})


def test_a_page_in_words_says_how_to_go_on_over_http_and_mcp(service: Service, http: TestClient) -> None:
    http.post("/v1/events", json=[event(1), event(2, inputs=[{"ref": "message:1/1/out"}])])
    asked: dict[str, Any] = {"target": ["message:1/2/out"], "depth": 1}
    cursor = http.get("/v1/questions/inputs-of", params=asked).json()["graph"]["cursor"]
    words = http.get("/v1/questions/inputs-of", params=asked, headers={"Accept": "text/plain"}).text
    tool = mcp.Tools(service).call("inputs-of", asked)
    assert cursor
    assert f"To go on, ask the same with cursor={cursor}" in " ".join(words.split())
    assert f"To go on, ask the same with cursor={cursor}" in str(tool.content[0])
