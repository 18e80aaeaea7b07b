"""Cases: a worklist of what a retraction affects, worked through, and asked again for its delta."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.cases.forms import Case, Counts, Deciding, Listing, Opening, Rerunning, Showing
from app.cases.telling import case_told, list_told, run_told
from app.cases.work import NoCase
from app.faces import mcp
from app.service import Service
from provmodel.errors import Ambiguous, BadQuestion, NotFound
from tests.app.faces import client_of, service_at

STORY = json.loads(resources.files("app").joinpath("data/story.json").read_text())
TARIFF = "document:tariff-2025@sha256:65c8b57a12f58c02c829a85fc42b79adfd1462f28163d3523a74d9b101cbb9e5"
RETRACTION = "retraction:records-office/records-office-15"
REPORT = "report:late-fees-february@version:1"
REFUNDED = "ledger:account-4711@version:18"
WAIVED = "ledger:account-4712@version:9"
ITEMS = [REFUNDED, WAIVED, "ledger:account-4713@version:4", REPORT]
TIME = "2026-05-01T10:00:00Z"
ME = "service:desk"


@pytest.fixture
def told(store_url: str, tmp_path: Path) -> Iterator[Service]:
    """The story that ships, in a store of each kind."""
    with service_at(store_url, tmp_path) as service:
        tell(service, STORY)
        yield service


def tell(service: Service, events: list[dict[str, Any]]) -> None:
    results = service.record([json.dumps(item).encode() for item in events])
    assert {result.status for result in results} == {"recorded"}


def event(number: int, tag: str, /, **more: Any) -> dict[str, Any]:
    return {"type": tag, "id": f"later-{number}", "source": "later", "time": TIME, **more}


def opened(service: Service, **more: Any) -> Case:
    return service.cases.open(Opening(**({"target": ("document:tariff-2025",)} | more)), ME)


def refs(case: Case) -> list[str]:
    return [item.ref for item in case.items]


def another_report() -> list[dict[str, Any]]:
    """A report made of the tariff that was taken back, and a check of a posting."""
    shared = {"run": "run:later", "call": "call:later", "model": "model:m@version:1"}
    sent = {"inputs": [{"ref": TARIFF}], "outputs": [{"ref": "report:later@version:1"}]}
    check = {"verification": "check:4712", "subject": "attempt:waive-4712-1", "verdict": "confirmed"}
    return [
        event(1, "model_call", **shared, **sent),
        event(2, "artifact_version", ref="report:later@version:1", kind="report"),
        event(3, "verification", **check, method="read-back"),
    ]


# --- opening ---


def test_a_case_holds_the_reports_and_writes_with_how_each_is_affected(told: Service) -> None:
    case = opened(told)
    assert (case.case, case.targets, case.opened_by) == (1, (TARIFF,), ME)
    assert refs(case) == ITEMS
    assert case.counts.todo == case.counts.open == case.total == 4
    posting = next(item.found for item in case.items if item.ref == WAIVED)
    assert (posting.kind, posting.standing, posting.nearest) == ("ledger", "survivor", TARIFF)
    assert (posting.evidence, posting.links) == ("declared", ("cited", "sent"))
    assert (posting.path[0], posting.path[-1]) == (TARIFF, WAIVED)
    assert case.runs[0].affected > case.total
    assert not case.complete
    assert any("never recorded" in line for line in case.runs[0].missing)


def test_a_retraction_stands_for_what_it_retracts(told: Service) -> None:
    by_input = opened(told)
    for ref in (RETRACTION, f"{RETRACTION};notice"):
        by_notice = told.cases.open(Opening(retraction=(ref,), title="Taken back", by="ann"), ME)
        assert (by_notice.title, by_notice.opened_by) == ("Taken back", "person:ann")
        assert by_notice.items == by_input.items
    assert [line.case for line in told.cases.listed(Listing()).cases] == [3, 2, 1]


def test_a_retraction_of_a_thing_makes_a_case_of_all_its_versions(told: Service) -> None:
    shared = {"run": "run:later", "model": "model:m@version:1"}
    tell(
        told,
        [
            event(
                number, "model_call", **shared, call=f"call:{number}", inputs=[{"ref": version}], outputs=out
            )
            for number, version in enumerate(("rates@version:1", "rates@version:2", "rates@version:3"), 1)
            for out in [[{"ref": f"report:rates@version:{number}"}]]
        ]
        + [
            event(10 + number, "artifact_version", ref=f"report:rates@version:{number}", kind="report")
            for number in (1, 2, 3)
        ]
        + [event(20, "retracted", what="rates", by="ann", replaced_by="rates@version:3")],
    )
    case = told.cases.open(Opening(retraction=("retraction:later/later-20",)), ME)
    assert sorted(case.targets) == ["rates@version:1", "rates@version:2"]
    assert refs(case) == ["report:rates@version:1", "report:rates@version:2"]


def test_several_inputs_make_one_case(told: Service) -> None:
    case = opened(told, target=("document:tariff-2025", "file:/ledger/february.csv"))
    assert len(case.targets) == 2
    assert {item.found.nearest for item in case.items} <= set(case.targets)
    assert set(refs(case)) >= set(ITEMS)


def test_a_case_of_nothing_affected_says_so(told: Service) -> None:
    case = opened(told, target=("document:newsletter-2019",))
    assert case.items == []
    assert "No report and no write is affected." in case_told(case)


def test_a_case_stays_about_the_version_that_it_was_opened_for(told: Service) -> None:
    opened(told)
    tell(told, [event(1, "artifact_version", ref="document:tariff-2025@version:9", kind="document")])
    assert told.cases.rerun(1, Rerunning(), ME).delta.gone == ()


# --- deciding ---


def test_items_are_acknowledged_cleared_reopened_and_noted_with_who_and_when(told: Service) -> None:
    opened(told)
    told.cases.decide(1, Deciding(verb="ack", ref=("account-4711",), by="ann"), ME)
    case = told.cases.decide(1, Deciding(verb="clear", ref=(WAIVED, REPORT), note="Paid back", by="bob"), ME)
    states = {item.ref: (item.state, item.decided_by) for item in case.items}
    assert states[REFUNDED] == ("acknowledged", "person:ann")
    assert states[WAIVED] == states[REPORT] == ("cleared", "person:bob")
    assert (case.counts.todo, case.counts.acknowledged, case.counts.cleared) == (1, 1, 2)
    assert [(action.verb, action.ref, action.note) for action in case.actions] == [
        ("open", "", ""),
        ("ack", REFUNDED, ""),
        ("clear", WAIVED, "Paid back"),
        ("clear", REPORT, "Paid back"),
    ]
    assert all(action.at and action.by for action in case.actions)
    case = told.cases.decide(1, Deciding(verb="reopen", ref=(REPORT,)), ME)
    assert next(item for item in case.items if item.ref == REPORT).decided_by == ""
    case = told.cases.decide(1, Deciding(verb="note", note="Called the office"), ME)
    assert (case.actions[-1].ref, case.actions[-1].note) == ("", "Called the office")
    case = told.cases.decide(1, Deciding(verb="ack", all=True), ME)
    assert case.counts.todo == 0
    assert case.counts.cleared == 1


def test_items_are_shown_by_state_and_in_pages(told: Service) -> None:
    opened(told)
    told.cases.decide(1, Deciding(verb="clear", ref=(REPORT,)), ME)
    assert refs(told.cases.show(1, Showing(state="cleared"))) == [REPORT]
    assert refs(told.cases.show(1, Showing(state="todo"))) == ITEMS[:3]
    assert refs(told.cases.show(1, Showing(state="gone"))) == []
    first = told.cases.show(1, Showing(limit=3))
    assert (refs(first), first.total) == (ITEMS[:3], 4)
    assert refs(told.cases.show(1, Showing(limit=3, cursor=first.cursor))) == ITEMS[3:]
    with pytest.raises(BadQuestion, match="cursor"):
        told.cases.show(1, Showing(state="open", limit=3, cursor=first.cursor))


def test_what_can_not_be_decided_changes_nothing(told: Service) -> None:
    opened(told)
    before = told.cases.show(1, Showing())
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"verb": "ack"}, BadQuestion),
        ({"verb": "ack", "ref": (REPORT,), "all": True}, BadQuestion),
        ({"verb": "note"}, BadQuestion),
        ({"verb": "ack", "ref": (REPORT, "nothing")}, NotFound),
        ({"verb": "ack", "ref": ("1",)}, Ambiguous),
        ({"verb": "ack", "ref": (REPORT,), "by": "\x00"}, BadQuestion),
    ]
    for given, error in wrong:
        with pytest.raises(error):
            told.cases.decide(1, Deciding(**given), ME)
    assert told.cases.show(1, Showing()) == before
    with pytest.raises(NoCase, match="cases 1 to 1"):
        told.cases.show(2, Showing())


# --- asking again ---


def test_a_case_that_is_asked_again_tells_what_is_new_gone_and_affected_otherwise(told: Service) -> None:
    opened(told)
    told.cases.decide(1, Deciding(verb="clear", ref=(WAIVED,), by="ann"), ME)
    same = told.cases.rerun(1, Rerunning(), ME)
    assert (same.run, run_told(same)[1]) == (2, "Nothing differs from the time before.")
    tell(told, another_report())
    run = told.cases.rerun(1, Rerunning(by="bob"), ME)
    assert (run.run, run.by) == (3, "person:bob")
    assert run.delta.new == ("report:later@version:1",)
    [changed] = run.delta.changed
    assert (changed.ref, changed.fields["evidence"]) == (WAIVED, ("declared", "observed"))
    case = told.cases.show(1, Showing(state="todo"))
    assert WAIVED in refs(case)
    posting = next(item for item in case.items if item.ref == WAIVED)
    assert (posting.state, posting.changed) == ("cleared", True)
    assert case.counts == Counts(items=5, todo=5, open=4, acknowledged=0, cleared=0, gone=0)
    assert "5 reports and writes: 5 to be seen to (1 of them decided, and changed since)." in case_told(case)
    assert refs(told.cases.show(1, Showing(state="cleared"))) == []
    case = told.cases.decide(1, Deciding(verb="clear", ref=(WAIVED,)), ME)
    assert not next(item for item in case.items if item.ref == WAIVED).changed
    assert (case.counts.todo, case.counts.cleared) == (4, 1)


def test_an_item_counts_once_whatever_became_of_it(told: Service) -> None:
    opened(told)
    told.cases.decide(1, Deciding(verb="clear", ref=(WAIVED, REPORT)), ME)
    refuting = {"verification": "check:r", "subject": REPORT, "verdict": "confirmed_failed", "method": "m"}
    tell(told, [*another_report()[2:], event(1, "verification", **refuting)])
    told.cases.rerun(1, Rerunning(), ME)
    counts = told.cases.show(1, Showing()).counts
    assert counts.todo + counts.acknowledged + counts.cleared + counts.gone == counts.items == 4


def test_a_case_says_what_a_name_was_taken_for(told: Service) -> None:
    case = opened(told, target=("tariff-2025",))
    assert [(one.asked, one.ref, one.found) for one in case.resolved] == [("tariff-2025", TARIFF, "suffix")]
    by_notice = opened(told, target=(RETRACTION,))
    assert by_notice.targets == (TARIFF,)
    assert f"For {RETRACTION} this answers what it is about, {TARIFF}." in case_told(by_notice)
    assert opened(told, target=(TARIFF,)).resolved == []
    assert "resolved" not in case.asked


def test_a_case_says_when_the_retraction_no_longer_stands(told: Service) -> None:
    opened(told, target=(), retraction=(RETRACTION,))
    tell(
        told,
        [
            {
                **event(1, "retracted", what="document:tariff-2025", by="person:clerk"),
                "source": "records-office",
                "withdraws": "records-office-15",
            }
        ],
    )
    run = told.cases.rerun(1, Rerunning(), ME)
    [line] = [line for line in run.missing if line.startswith("Retracted")]
    assert line.startswith(f"Retracted once, and the retraction taken back since: {TARIFF} (by ")


def test_what_is_no_longer_affected_is_kept_as_gone_and_comes_back(told: Service) -> None:
    head = opened(told, evidence=("observed", "verified")).as_of
    assert WAIVED not in refs(told.cases.show(1, Showing()))
    with pytest.raises(BadQuestion, match="last asked as of"):
        told.cases.rerun(1, Rerunning(as_of=head - 1), ME)
    with pytest.raises(NotFound, match="is not yet recorded at log entry 3; ask as of a later one"):
        told.cases.rerun(1, Rerunning(as_of=3), ME)
    refuting = {"verification": "check:r", "subject": REPORT, "verdict": "confirmed_failed", "method": "m"}
    tell(told, [event(1, "verification", **refuting)])
    run = told.cases.rerun(1, Rerunning(), ME)
    assert run.delta.gone == (REPORT,)
    case = told.cases.show(1, Showing(state="gone"))
    assert (refs(case), case.counts.gone) == ([REPORT], 1)
    why = f"that {REPORT} came of attempt:publish-1 is refuted since, by source:later"
    assert (case.items[0].why, run.delta.why) == (why, {REPORT: why})
    assert f"No longer affected: {REPORT} ({why})." in run_told(run)
    assert f"no longer affected ({why})" in " ".join(case_told(case))


# --- what may be personal, and what is no part of the graph ---


def test_a_note_is_sealed_and_goes_when_it_is_erased(told: Service) -> None:
    opened(told)
    before = told.ledger.keys.store.of(1).fetch("select count(*) from body_key")
    case = told.cases.decide(1, Deciding(verb="note", ref=(REPORT,), note="Mrs Quince called"), ME)
    body = case.actions[-1].body
    kept = "select b.class, c.data from body b join content c on c.content = b.content where b.body = ?"
    rows = told.ledger.store.of("default").fetch(kept, (body,))
    assert [(kind, b"Quince" in bytes(sealed)) for kind, sealed in rows] == [("note", False)]
    assert told.bodies.open(body).content == b"Mrs Quince called"
    tell(told, [event(1, "content_deleted", body=body, done=TIME, actor="ann")])
    [action] = [action for action in told.cases.show(1, Showing()).actions if action.body]
    assert (action.note, action.note_state) == ("", "deleted")
    keys = told.ledger.keys.store.of(1).fetch("select count(*) from body_key")
    assert keys == before


def test_a_case_leaves_no_trace_in_the_graph(told: Service) -> None:
    before = told.lists.nodes(limit=1000)
    opened(told)
    told.cases.decide(1, Deciding(verb="note", note="x"), ME)
    assert told.lists.nodes(limit=1000) == before
    assert told.check() == []
    told.ledger.rebuild(told.tenant)
    assert refs(told.cases.show(1, Showing())) == ITEMS


def test_tenants_have_cases_of_their_own(store_url: str, tmp_path: Path) -> None:
    with service_at(store_url, tmp_path) as one, service_at(store_url, tmp_path, tenant="other") as other:
        tell(one, STORY)
        tell(other, STORY)
        opened(one)
        assert other.cases.listed(Listing()).total == 0
        with pytest.raises(NoCase, match="no case was opened yet"):
            other.cases.show(1, Showing())
        assert opened(other).case == 1


# --- over REST and MCP ---


def test_rest_opens_lists_shows_decides_and_asks_again(told: Service) -> None:
    with client_of(told) as http:
        made = http.post("/v1/cases", json={"target": "document:tariff-2025", "by": "ann"}).json()
        assert [item["ref"] for item in made["items"]] == ITEMS
        decided = http.post("/v1/cases/1/actions", json={"verb": "clear", "ref": [REPORT], "note": "Done"})
        assert decided.json()["counts"]["cleared"] == 1
        assert http.get("/v1/cases/1", params={"state": "cleared"}).json()["total"] == 1
        assert http.get("/v1/cases").json()["cases"][0]["counts"]["todo"] == 3
        assert http.post("/v1/cases/1/runs").json()["delta"] == {
            "new": [],
            "gone": [],
            "changed": [],
            "why": {},
        }
        text = http.get("/v1/cases/1", headers={"Accept": "text/plain"})
        assert "3 to be seen to, 1 cleared" in text.text
        assert "1 case." in http.get("/v1/cases", headers={"Accept": "text/plain"}).text


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "named"),
    [
        ("POST", "/v1/cases", "{", 400, "body"),
        ("POST", "/v1/cases", "[]", 400, "object"),
        ("POST", "/v1/cases", "{}", 422, "target"),
        ("POST", "/v1/cases", '{"target": ["nothing"]}', 404, "nothing"),
        ("POST", "/v1/cases", '{"retraction": ["run:late-fees"]}', 422, "no retraction"),
        ("POST", "/v1/cases", '{"colour": "red"}', 422, "colour"),
        ("POST", "/v1/cases?target=x", "{}", 422, "target"),
        ("POST", "/v1/cases/1/actions", '{"verb": "burn"}', 422, "reopen"),
        ("POST", "/v1/cases/9/actions", '{"verb": "note", "note": "x"}', 404, "case 9"),
        ("POST", "/v1/cases/9/runs", "", 404, "case 9"),
        ("GET", "/v1/cases/nine", "", 422, "nine"),
        ("GET", "/v1/cases/9", "", 404, "case 9"),
        ("GET", "/v1/cases?limit=0", "", 422, "limit"),
        ("GET", "/v1/cases?cursor=x", "", 422, "cursor"),
        ("GET", "/v1/cases/1?state=lost", "", 422, "todo"),
    ],
)
def test_what_rest_can_not_do_it_says(
    http: TestClient, service: Service, method: str, path: str, body: str, status: int, named: str
) -> None:
    tell(service, STORY)
    opened(service)
    answer = http.request(method, path, content=body or None)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert named in answer.text


@pytest.mark.parametrize(
    ("kind", "status"),
    [("", 200), ("application/x-www-form-urlencoded", 200), ("application/json", 200), ("text/csv", 415)],
)
def test_a_case_is_opened_by_json_whose_type_may_be_left_out(
    http: TestClient, service: Service, kind: str, status: int
) -> None:
    tell(service, STORY)
    headers = {"Content-Type": kind} if kind else {}
    body = b'{"target": ["document:tariff-2025"]}'
    assert http.post("/v1/cases", content=body, headers=headers).status_code == status


def test_mcp_works_through_a_case(service: Service) -> None:
    tell(service, STORY)
    tools = mcp.Tools(service)
    assert tools.call("case-open", {"target": ["document:tariff-2025"]}).structured_content
    decided = tools.call("case-decide", {"case": 1, "verb": "ack", "all": True}).structured_content
    assert decided
    assert decided["counts"]["todo"] == 0
    shown = tools.call("case-show", {"case": 1}).structured_content
    assert shown
    assert shown["counts"] == decided["counts"]
    listed = tools.call("case-list", {}).structured_content
    assert listed
    assert listed["total"] == 1
    assert not tools.call("case-rerun", {"case": 1}).is_error
    for given in ({}, {"case": "one"}, {"case": 9}):
        assert tools.call("case-show", given).is_error
    offers = mcp.offers()
    assert offers["case-open"].tool.annotations
    assert offers["case-open"].tool.annotations.read_only_hint is False


def test_a_list_of_cases_is_told_in_a_line_each(service: Service) -> None:
    assert list_told(service.cases.listed(Listing())) == ["No case was opened yet."]
    tell(service, STORY)
    opened(service, title="The tariff was taken back")
    head, line = list_told(service.cases.listed(Listing()))
    assert head == "1 case."
    assert line.startswith("Case 1: The tariff was taken back. 4 reports and writes: 4 to be seen to.")
