"""Search: how text is cut into words, and that both stores find the same by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.ledger.search import index
from app.ledger.search.words import Wanted, asked_for, words_of
from app.searching import Hits, sentences
from app.service import Service
from provmodel.errors import BadQuestion, NotFound
from tests.app.faces import client_of, service_at

STORY = json.loads(resources.files("app").joinpath("data/story.json").read_text())
TARIFF = "document:tariff-2025@sha256:65c8b57a12f58c02c829a85fc42b79adfd1462f28163d3523a74d9b101cbb9e5"


@pytest.fixture
def told(store_url: str, tmp_path: Path) -> Iterator[Service]:
    """The story that ships, in a store of each kind."""
    with service_at(store_url, tmp_path) as service:
        tell(service, STORY)
        yield service


@pytest.fixture(scope="module")
def read(kept: Service) -> Service:
    """The same, for tests that only read."""
    tell(kept, STORY)
    return kept


def tell(service: Service, events: list[dict[str, Any]]) -> None:
    results = service.record([json.dumps(item).encode() for item in events])
    assert {result.status for result in results} <= {"recorded", "duplicate"}


def version(number: int, ref: str, **more: Any) -> dict[str, Any]:
    time = f"2026-05-01T10:00:{number:02}Z"
    whole = {"type": "artifact_version", "id": f"v{number}", "source": "library", "time": time}
    return {**whole, "ref": ref, "kind": "document", **more}


def refs(hits: Hits) -> list[str]:
    return [hit.ref for hit in hits.nodes]


# --- words ---


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("file:/data/Late-Fees_feb.md", {"file", "data", "late", "fees", "feb", "md"}),
        ("writeFile", {"writefile", "write", "file"}),
        ("Müller, ﬁne Straße", {"muller", "fine", "strasse"}),
        ("a%20b", {"a", "b"}),
        ("黒猫が", {"黒猫", "猫が", "が"}),
        ("第3章report", {"第", "3", "章", "report"}),
        ("हिन्दी", {"हिन्दी"}),
        ("-- / --", set()),
        ("x" * 100, {"x" * 64}),
    ],
)
def test_text_is_cut_at_paths_humps_and_pairs_of_characters_and_folded(text: str, words: set[str]) -> None:
    assert words_of(text) == words


def test_a_query_asks_for_each_word_once_and_a_star_for_all_that_begin_so() -> None:
    assert asked_for("Late late rep*") == [Wanted("late"), Wanted("rep", True)]
    assert asked_for("foo-ba*") == [Wanted("foo"), Wanted("ba", True)]
    assert asked_for("猫") == [Wanted("猫", True)]
    assert asked_for("黒猫が") == [Wanted("黒猫"), Wanted("猫が")]
    assert asked_for("writeFile") == [Wanted("writefile")]


# --- what is found ---


def test_words_of_the_reference_come_before_labels_and_labels_before_other_attributes(told: Service) -> None:
    hits = told.search({"q": "late fees"})
    assert hits.total == len(hits.nodes) == 10
    assert [hit.score for hit in hits.nodes] == [6, 6, 6, 6, 6, 6, 6, 6, 4, 4]
    assert refs(hits)[-2:] == [TARIFF, "document:tariff-2026@version:1"]
    assert hits.nodes[-1].found[0].value == "Tariff of late fees 2026"
    assert hits.complete


def test_conditions_narrow_what_is_found(told: Service) -> None:
    def found(**given: Any) -> list[str]:
        return refs(told.search(given))

    assert found(kind="clew:Run") == ["run:late-fees", "run:summary", "run:summary-again"]
    assert "agent:bookkeeper" in found(run="run:late-fees", kind="agent")
    assert "call:write" not in found(run="run:summary", kind="activity")
    assert "draft:summary" in found(run="run:summary")
    assert "call:write" in found(agent="agent:bookkeeper", kind="activity")
    assert found(q="tariff", evidence="declared") != found(q="tariff")
    assert found(since="2030-01-01T00:00:00Z") == []
    assert set(found(until="2030-01-01T00:00:00Z")) == set(found())
    assert found(prefix="run:", q="late") == ["run:late-fees"]
    assert found(q="report", run="run:summary", kind="clew:Message") == []
    assert found(q="late", run="run:late-fees", kind="clew:Run") == ["run:late-fees"]
    assert found(kind=["clew:Run", "clew:Grant"]) == sorted(found(kind="clew:Run") + found(kind="clew:Grant"))
    assert set(found(kind=["clew:Run", "agent"])) == {*found(kind="clew:Run"), *found(kind="agent")}
    assert found(kind="clew:Nothing") == []
    assert found(q="tariff", kind=["agent", "activity"]) == ["person:tariff-office"]


def test_what_events_of_a_run_tell_without_a_step_is_of_that_run(told: Service) -> None:
    whole = {"source": "analyst", "time": "2026-05-01T10:00:00Z", "run": "run:late-fees"}
    derived = {
        "type": "derived",
        "id": "d1",
        "to": "table:fees",
        "from": [{"ref": "mail:fees"}],
        "method": "m",
    }
    tell(told, [version(1, "report:q@version:1", run="run:late-fees"), {**whole, **derived}])
    for ref in ("report:q@version:1", "table:fees", "mail:fees"):
        assert refs(told.search({"prefix": ref, "run": "run:late-fees"})) == [ref]
    assert refs(told.search({"prefix": "table:fees", "agent": "agent:bookkeeper"})) == ["table:fees"]


def test_a_sub_run_that_is_not_looked_at_is_named(told: Service) -> None:
    answer = told.ask("impact-of", {"target": "run:late-fees"}).answer
    [unchecked] = [one.what for one in answer.graph.unchecked if "sub-run" in one.what]
    assert "run:late-fees" not in unchecked


def test_it_is_told_what_the_run_of_a_condition_was_taken_for(told: Service) -> None:
    hits = told.search({"q": "report", "run": "late-fees"})
    assert [(one.asked, one.ref, one.found) for one in hits.resolved] == [
        ("late-fees", "run:late-fees", "suffix")
    ]
    assert "For late-fees this answers what ends so, run:late-fees." in sentences(hits)
    assert told.search({"q": "report", "run": "run:late-fees"}).resolved == ()


def test_pages_fit_together_while_events_keep_coming(told: Service) -> None:
    whole = refs(told.search({"q": "la*"}))
    assert len(whole) > 4
    page, pages = told.search({"q": "la*", "limit": 2}), []
    while True:
        pages.append(page)
        if not page.cursor:
            break
        tell(told, [version(len(pages), f"document:late-{len(pages)}")])
        page = told.search({"q": "la*", "limit": 2, "cursor": page.cursor})
    assert [ref for page in pages for ref in refs(page)] == whole
    assert {page.total for page in pages} == {len(whole)}
    assert len(refs(told.search({"q": "la*"}))) > len(whole)


def test_a_cursor_of_another_search_or_made_up_is_refused(told: Service) -> None:
    cursor = told.search({"q": "la*", "limit": 2}).cursor
    for given in ({"q": "other", "cursor": cursor}, {"q": "la*", "cursor": cursor[:-3] + "AAA"}):
        with pytest.raises(BadQuestion, match="cursor"):
            told.search(given)
    with pytest.raises(BadQuestion, match="log ends"):
        told.search({"q": "la*", "as_of": "100000"})


def test_what_was_said_later_is_not_found_as_of_before(told: Service) -> None:
    head = told.search({}).as_of
    tell(told, [version(1, "document:minutes", label="Minutes of the zebra council")])
    assert refs(told.search({"q": "zebra"})) == ["document:minutes"]
    assert refs(told.search({"q": "zebra", "as_of": str(head)})) == []


def test_a_word_that_is_asked_for_may_stand_in_what_several_events_say(told: Service) -> None:
    tell(told, [version(1, "document:plan", label="Ocean"), version(2, "document:plan", label="Desert")])
    assert refs(told.search({"q": "ocean desert plan"})) == ["document:plan"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"q": "!!"}, "q"),
        ({"q": " ".join(str(n) for n in range(20))}, "16"),
        ({"since": "yesterday"}, "since"),
        ({"limit": "0"}, "limit"),
        ({"evidence": "heard"}, "verified"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_can_not_be_searched_for_says_why(read: Service, given: dict[str, Any], named: str) -> None:
    with pytest.raises(BadQuestion, match=named):
        read.search(given)


# --- names that look alike ---


def test_a_name_that_nothing_has_is_answered_with_names_like_it(told: Service) -> None:
    for missing in ("document:tarif-2025", "tariff"):
        with pytest.raises(NotFound) as error:
            told.ask("inputs-of", {"target": missing})
        assert TARIFF in error.value.near
    with pytest.raises(NotFound) as error:
        told.details(["report:late-fee-february"])
    assert error.value.near[0] == "report:late-fees-february@version:1"
    with pytest.raises(NotFound) as error:
        told.ask("inputs-of", {"target": "zzz"})
    assert error.value.near == ()


def test_a_name_that_nothing_has_at_an_earlier_time_is_answered_with_names_of_that_time(
    told: Service,
) -> None:
    with pytest.raises(NotFound, match="is not yet recorded at log entry 0") as error:
        told.ask("inputs-of", {"target": "report:late-fees-february", "as_of": 0})
    assert error.value.near == ()
    with pytest.raises(NotFound) as error:
        told.ask("inputs-of", {"target": "report:late-fee-february", "as_of": 20})
    assert "run:late-fees" in error.value.near
    assert "report:late-fees-february@version:1" not in error.value.near


# --- over REST ---


def test_rest_finds_nodes_as_json_and_as_text(told: Service) -> None:
    with client_of(told) as http:
        found = http.get("/v1/nodes", params={"q": "late fees", "limit": 3}).json()
        assert (found["total"], len(found["nodes"])) == (10, 3)
        text = http.get("/v1/nodes", params={"q": "late fees"}, headers={"Accept": "text/plain"})
        assert text.headers["content-type"].startswith("text/plain; format=flowed")
        assert text.text.startswith("10 nodes fit.\nmessage:late-fees/complaint: Message.")
        nothing = http.get("/v1/nodes", params={"q": "nowhere"}, headers={"Accept": "text/plain"}).text
        assert "nothing fits" in nothing
        assert wrong(http, q="x", ref="run:late-fees") == "q"
        assert wrong(http, kind="agent", cursor="x") == "cursor"
        missing = http.get("/v1/questions/inputs-of", params={"target": "document:tarif-2025"})
        assert (missing.status_code, TARIFF in missing.json()["near"]) == (404, True)


def wrong(http: TestClient, **given: str) -> str:
    answer = http.get("/v1/nodes", params=given)
    assert answer.status_code == 422
    return str(answer.json()["field"])


# --- the index ---


def test_the_index_is_made_again_and_checked(told: Service) -> None:
    before = told.search({"q": "fees"})
    assert told.check() == []
    told.ledger.rebuild("default")
    assert told.check() == []
    assert told.search({"q": "fees"}) == before


def test_words_that_the_tables_do_not_have_are_found_by_a_check_and_gone_after_a_rebuild(
    told: Service,
) -> None:
    told.search({"q": "fees"})
    with told.ledger.store.of("default").writing() as session:
        session.run("update search_text set words = '1.other' where node = 5")
    assert {finding.kind for finding in told.check()} == {"search"}
    told.ledger.rebuild("default")
    assert told.check() == []


def test_words_of_what_was_erased_are_nowhere(told: Service) -> None:
    tell(told, [version(1, "document:missive", label="Aurelia Quince")])
    assert refs(told.search({"q": "aurelia"})) == ["document:missive"]
    with told.ledger.store.of("default").writing() as session:
        [(node,)] = session.fetch("select node from node where ref = 'document:missive'")
        session.run("update attribute set value = '' where node = ? and value = 'Aurelia Quince'", (node,))
        index.take_again(session, "default", [node])
    assert refs(told.search({"q": "aurelia"})) == []
    assert refs(told.search({"q": "missive"})) == ["document:missive"]
    held = [
        row
        for row in told.ledger.store.of("default").fetch("select words from search_text")
        if "aurelia" in row[0]
    ]
    assert held == []
    with told.ledger.store.of("default").writing() as session:
        indexed = session.indexed(1)
        assert indexed is None or not [word for word, _ in indexed if "aurelia" in word]


def test_tenants_find_their_own(store_url: str, tmp_path: Path) -> None:
    with service_at(store_url, tmp_path) as one, service_at(store_url, tmp_path, tenant="other") as other:
        tell(one, [version(1, "document:mine", label="zebra")])
        tell(other, [version(1, "document:theirs", label="zebra")])
        assert refs(one.search({"q": "zebra"})) == ["document:mine"]
        assert refs(other.search({"q": "zebra"})) == ["document:theirs"]
        assert one.search({"q": "theirs"}).total == 0


def test_an_index_that_could_not_catch_up_says_what_it_has_not_seen(
    told: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.searching.SECONDS_TO_CATCH_UP", 0.0)
    monkeypatch.setattr("app.ledger.search.index.EVENTS", 20)
    hits = told.search({"q": "tariff"})
    assert not hits.complete
    assert hits.unchecked[0].what.startswith("events 21 to ")
    while not told.search({"q": "tariff"}).complete:
        pass
    assert told.search({"q": "tariff"}).total == 5
