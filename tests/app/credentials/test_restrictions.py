"""Rules of who may see what has a label: from when on they hold, for whom, and for what."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.access import Listing
from app.cases.forms import Listing as Cases
from app.cases.forms import Opening, Rerunning, Showing
from app.faces.mcp import Tools
from app.pingbacks import SentLink
from app.service import Service
from provmodel import formats
from provmodel.errors import BadQuestion, NotFound
from queries import shelf
from queries.lineage import LINEAGE
from tests.app.commands import Clew, address_of, start
from tests.app.faces import event, service_at
from tests.patience import HANGING

NOBODYS: frozenset[str] = frozenset()
SECRET = "document:zebra@version:1"
CANARY = "zebra"


def version(number: int, ref: str, **fields: Any) -> dict[str, Any]:
    return event(number, "artifact_version", ref=ref, kind="document", **fields)


EVENTS = [
    version(1, SECRET, **{"class": "secret"}, body={"id": "body:z1", "text": "All that zebra earns."}),
    event(2, inputs=[{"ref": SECRET}], outputs=[{"ref": "report:r@version:1"}]),
    event(3, inputs=[{"ref": "report:r@version:1"}], outputs=[{"ref": "report:s@version:1"}]),
]


@pytest.fixture
def service(store_url: str, tmp_path: Path) -> Iterator[Service]:
    with service_at(store_url, tmp_path) as made:
        record(made, EVENTS)
        made.restrictions.restrict("secret", ["finance"], "person:ann")
        yield made


def record(service: Service, events: list[dict[str, Any]]) -> None:
    results = service.record([json.dumps(one).encode() for one in events])
    assert {result.status for result in results} == {"recorded"}, results


def seen(service: Service, target: str = "report:s@version:1", *groups: str, **given: Any) -> str:
    """What readers of these groups are answered about what stands before a target."""
    asked = service.of_readers(frozenset(groups)).ask("inputs-of", {"target": [target], **given})
    return " ".join(asked.sentences) + json.dumps([str(edge) for edge in asked.answer.graph.edges])


def test_a_rule_holds_for_what_was_recorded_before_it_and_for_earlier_answers(service: Service) -> None:
    assert CANARY in seen(service, "report:s@version:1", "finance", "other")
    assert CANARY not in seen(service)
    assert CANARY not in seen(service, "report:r@version:1", as_of=2)
    assert CANARY in " ".join(service.ask("inputs-of", {"target": ["report:s@version:1"]}).sentences)


def test_a_rule_that_is_lifted_or_changed_holds_at_once(service: Service) -> None:
    service.restrictions.restrict("secret", ["audit"], "person:ann")
    assert CANARY not in seen(service, "report:s@version:1", "finance")
    assert CANARY in seen(service, "report:s@version:1", "audit")
    service.restrictions.lift("secret", "person:ann")
    assert CANARY in seen(service)
    told = [one.purpose for one in service.who_read(Listing(verb="restrict")).accesses]
    assert told == ["lifted", "seen by audit", "seen by finance"]
    with pytest.raises(NotFound):
        service.restrictions.lift("secret", "person:ann")


@pytest.mark.parametrize(("label", "groups"), [(" ", []), ("x" * 201, []), ("x", [" "]), ("x", ["g"] * 101)])
def test_a_rule_needs_a_label_and_groups_with_names(service: Service, label: str, groups: list[str]) -> None:
    with pytest.raises(BadQuestion):
        service.restrictions.restrict(label, groups, "person:ann")


def test_what_comes_later_of_a_hidden_thing_is_hidden_with_it(service: Service) -> None:
    """A version without the label, a body that is captured apart, an occurrence, a name given late."""
    assert CANARY not in seen(service)
    record(
        service,
        [
            version(4, "document:zebra@version:2", before=SECRET, mode="edit"),
            event(5, "content_captured", content={"ref": SECRET, "body": {"id": "body:z2", "text": "more"}}),
            event(6, inputs=[{"ref": "document:zebra@version:2"}], outputs=[{"ref": "report:t@version:1"}]),
        ],
    )
    assert CANARY not in seen(service, "report:t@version:1")
    reader = service.of_readers(NOBODYS)
    for name in ("body:z1", "body:z2", SECRET, "document:zebra"):
        with pytest.raises(NotFound):
            reader.read(name)
    assert reader.lists.nodes(prefix="document:").total == 0
    assert service.lists.nodes(prefix="document:").total >= 2


def test_a_label_that_comes_late_hides_what_came_before_it(service: Service) -> None:
    plain = "document:yak@version:1"
    record(service, [event(7, inputs=[{"ref": plain}], outputs=[{"ref": "report:u@version:1"}])])
    assert plain in seen(service, "report:u@version:1")
    before = service.ledger.graph(service.tenant).head()
    record(service, [version(8, plain, attributes={"access": "secret"})])
    assert "yak" not in seen(service, "report:u@version:1")
    assert "yak" not in seen(service, "report:u@version:1", as_of=before)


def test_an_activity_can_be_hidden_as_well(service: Service) -> None:
    span: dict[str, Any] = {
        "span": "span:zebra",
        "kind": "CHAIN",
        "run": "run:1",
        "attributes": {"access": "secret"},
    }
    record(
        service,
        [
            event(
                9,
                "span",
                **span,
                inputs=[{"ref": "file:/a@version:1"}],
                outputs=[{"ref": "file:/b@version:1"}],
            )
        ],
    )
    told = seen(service, "file:/b@version:1")
    assert CANARY not in told
    assert "file:/a@version:1" in told, "the walk passes through"


def test_names_that_stand_for_hidden_ones_are_those_of_the_reader_s_groups(service: Service) -> None:
    def named(*groups: str) -> set[str]:
        reader = service.of_readers(frozenset(groups))
        graph = reader.answer(LINEAGE, {"target": ["report:s@version:1"]}).answer.graph
        return {node.ref for node in graph.nodes if node.kinds == ("restricted",)}

    assert len(named()) == 1
    assert named() == named()
    assert named("a", "b") == named("b", "a")
    assert named().isdisjoint(named("a"))
    assert named("a").isdisjoint(named("a", "b"))
    [name] = named()
    details = service.of_readers(NOBODYS).details([name]).nodes[0]
    assert (details.ref, details.kinds, details.attributes, details.reports) == (
        name,
        ("restricted",),
        [],
        [],
    )


def test_lists_and_search_are_without_what_is_hidden_and_count_so(service: Service) -> None:
    asked = {"action": "action:1", "tool": "tool:t", "target": SECRET, "arguments": {"body": {"json": 1}}}
    told = event(30, "action_proposed", **asked)
    record(service, [told, event(31, "retracted", what=SECRET, by="person:ann")])
    service.pingback(SECRET, [SentLink("has_provenance", "https://example.org/1")])
    service.cases.open(Opening(target=(SECRET,)), "ann")
    service.cases.open(Opening(target=("report:r@version:1",)), "ann")
    reader = service.of_readers(NOBODYS)
    assert service.search({"q": CANARY}).total == 2, "the document, and what names it"
    assert reader.search({"q": CANARY}).total == 0
    assert reader.search({"q": "action"}).total == service.search({"q": "action"}).total
    assert reader.search({}).total == service.search({}).total - 1
    assert reader.lists.nodes().total == service.lists.nodes().total - 1
    assert (service.pingbacks().total, reader.pingbacks().total) == (1, 0)
    assert (service.cases.listed(Cases()).total, reader.cases.listed(Cases()).total) == (2, 1)
    events = reader.lists.events()
    assert events.total == len(events.events) == service.lists.events().total
    withheld = [one for one in events.events if "restricted" in one.marks]
    assert len(withheld) == 4
    assert {(bytes(one.event), one.sha256) for one in withheld} == {(b'{"type":"restricted"}', "")}
    assert CANARY not in str(events)


def test_hidden_items_of_a_case_are_counted_and_not_named(service: Service) -> None:
    wrote = {"writes": [{"ref": "document:zebra@version:9", "mode": "create"}], "outcome": "completed"}
    read = {"reads": [{"ref": "report:r@version:1"}], "run": "run:1"}
    record(service, [event(40, "tool_call", attempt="attempt:1", tool="tool:t", **wrote, **read)])
    reader = service.of_readers(NOBODYS)
    opened = reader.cases.open(Opening(target=("report:r@version:1",)), "bob")
    whole = service.cases.show(opened.case, Showing())
    assert (opened.hidden, opened.counts) == (1, whole.counts)
    assert len(whole.items) == len(opened.items) + 1
    assert CANARY in str(whole)
    assert CANARY not in str(opened)
    assert CANARY not in str(reader.cases.rerun(opened.case, Rerunning(), "bob"))


def test_who_brings_events_learns_nothing_of_what_is_hidden(service: Service) -> None:
    def replies(ref: str, number: int) -> list[Any]:
        told = event(number, inputs=[{"ref": ref}], outputs=[{"ref": f"{ref}/out"}])
        results = service.of_readers(NOBODYS).record([json.dumps(told).encode()])
        return [(one.status, one.warnings) for one in results]

    assert replies(SECRET, 20) == replies("document:yebra@version:1", 21)


def test_an_export_for_some_can_be_read_back_and_says_what_is_left_out(service: Service) -> None:
    reader = service.of_readers(NOBODYS)
    for form in ("prov-json", "prov-n", "prov-xml", "turtle"):
        whole = b"".join(reader.export(form, "none").chunks)
        assert CANARY.encode() not in whole
        document = formats.read(whole, form)
        kinds = [str(value) for one in document.main.statements for value in getattr(one, "attributes", ())]
        assert sum("Restricted" in kind for kind in kinds) == 1, form
        terms = [one.term.name for one in document.main.statements if hasattr(one, "term")]
        assert terms.count("wasInfluencedBy") >= 1, form


def test_the_tools_of_a_model_tell_it_no_more(service: Service) -> None:
    tools = Tools(service.of_readers(NOBODYS))
    for name in shelf.questions():
        result = tools.call(name, {"target": ["report:s@version:1"]})
        assert CANARY not in result.model_dump_json(), name
    assert CANARY in Tools(service).call("inputs-of", {"target": ["report:s@version:1"]}).model_dump_json()


def test_the_command_line_sets_lists_and_lifts_rules(recorded: Clew) -> None:
    made = recorded("restriction", "set", "payroll", "--group", "finance", "--group", "audit")
    assert made.code == 0, made.err
    assert "payroll: seen by audit, finance" in made.out
    listed = json.loads(recorded("restriction", "list", "--json").out)
    assert [one["label"] for one in listed["restrictions"]] == ["payroll"]
    assert recorded("restriction", "lift", "payroll").code == 0
    assert "No label restricts anything" in recorded("restriction", "list").out
    assert recorded("restriction", "lift", "payroll").code != 0


def test_the_command_line_tells_no_more_than_its_server(
    tmp_path: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "events.json").write_text(json.dumps(EVENTS))
    assert clew("ingest", "events.json").code == 0
    scopes = [word for scope in ("graph:read", "export", "admin") for word in ("--scope", scope)]
    tokens = [
        clew("key", "create", "--name", "n", *scopes, *more).out.strip()
        for more in ([], ["--group", "finance"])
    ]
    server = start(tmp_path)
    try:
        url = address_of(server)
        for token, visible in zip(tokens, (False, True), strict=True):
            monkeypatch.setenv("CLEW_TOKEN", token)
            assert clew("restriction", "set", "secret", "--group", "finance", "--url", url).code == 0
            for command in (
                ("ask", "inputs-of", "--target", "report:s@version:1"),
                ("ask", "inputs-of", "--target", "report:r@version:1", "--json"),
                ("search", "report"),
                ("export", "--format", "prov-n"),
            ):
                told = clew(*command, "--url", url)
                assert told.code == 0, (command, told.err)
                assert visible is (CANARY in told.out) or command[0] == "search", (command, told.out)
                assert visible or CANARY not in told.out + told.err
            told = clew("ask", "inputs-of", "--target", SECRET, "--url", url)
            assert told.code == (0 if visible else 3), told.err + told.out
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=HANGING)
