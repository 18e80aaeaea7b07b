"""What each event becomes, rule by rule (model, section 5)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from provmodel import mapping, settling
from provmodel.errors import Refused
from provmodel.events import TYPES, Envelope, Event
from provmodel.evidence import LOCAL, Evidence, Principal
from provmodel.records import Records
from provmodel.relations import Flow

Edge = tuple[str, str, str, str, str]


def event(type_: str, **fields: Any) -> Envelope:
    given = {
        "type": type_,
        "id": "e1",
        "source": "harness",
        "time": "2026-03-01T09:00:00Z",
        "run": "r1",
        **fields,
    }
    decoded: Envelope = msgspec.convert(given, Event)
    return settling.settle(decoded, lambda digest: f"keyed-{digest}")


def records(type_: str, principal: Principal = LOCAL, **fields: Any) -> Records:
    return mapping.project(event(type_, **fields), (), principal)


def edges(found: Records) -> set[Edge]:
    """(term, subject, first argument, flow, evidence), one for each statement."""
    return {
        (
            a.relation.term.name,
            a.relation.subject,
            str(a.relation.arguments[0]),
            _flow(a.relation).word,
            a.evidence.word,
        )
        for a in found.assertions
    }


def _flow(relation: Any) -> Flow:
    return relation.term.arguments[0].flow if relation.flow is None else relation.flow  # type: ignore[no-any-return]


def attributes(found: Records, node: str) -> dict[str, str]:
    return {a.name: a.value for a in found.attributes if a.node == node}


def agent_principal(*kinds: str) -> Principal:
    return Principal("key-1", frozenset(kinds), None, vouches=False)


class TestModelCalls:
    def test_inputs_are_used_and_outputs_generated_as_observed_data(self) -> None:
        found = edges(
            records("model_call", call="c1", model="m", inputs=[{"ref": "in"}], outputs=[{"ref": "out"}])
        )
        assert ("used", "c1", "in", "data", "observed") in found
        assert ("wasGeneratedBy", "out", "c1", "data", "observed") in found

    def test_a_citation_is_declared_by_the_model_whoever_delivered_it(self) -> None:
        found = records("model_call", call="c1", model="m", citations=[{"output": "out", "source": "doc"}])
        (cited,) = [a for a in found.assertions if a.relation.term.name == "wasDerivedFrom"]
        assert (cited.evidence, cited.asserter) == (Evidence.DECLARED, "model:m")

    def test_no_derivation_is_made_from_use_and_generation(self) -> None:
        found = records("model_call", call="c1", model="m", inputs=[{"ref": "in"}], outputs=[{"ref": "out"}])
        assert not [a for a in found.assertions if a.relation.term.name == "wasDerivedFrom"]

    def test_an_instruction_is_control_and_stands_as_the_plan_of_the_association(self) -> None:
        found = records("model_call", call="c1", model="m", instructions=[{"ref": "skill:s@version:1"}])
        assert ("used", "c1", "skill:s@version:1", "control", "observed") in edges(found)
        plans = [
            a.relation.arguments for a in found.assertions if a.relation.term.name == "wasAssociatedWith"
        ]
        assert plans == [("model:m", "skill:s@version:1")]

    def test_a_snapshot_holds_the_earlier_one_only_when_nothing_was_omitted(self) -> None:
        kept = records("model_call", call="c", model="m", context={"id": "s2", "extends": "s1"})
        cut = records(
            "model_call", call="c", model="m", context={"id": "s2", "extends": "s1", "omits": ["m1"]}
        )
        assert ("hadMember", "s2", "s1", "data", "observed") in edges(kept)
        assert not [a for a in cut.assertions if a.relation.term.name == "hadMember"]
        assert attributes(cut, "s2")["clew:bodyState"] == "partial"


class TestActions:
    def test_a_write_makes_an_occurrence_that_the_tool_declares(self) -> None:
        found = edges(
            records(
                "tool_call",
                attempt="a1",
                tool="t",
                outcome="completed",
                writes=[{"ref": "file:/x@sha256:1", "mode": "create"}],
            )
        )
        assert ("wasGeneratedBy", "file:/x@sha256:1;by=a1", "a1", "data", "declared") in found
        assert (
            "specializationOf",
            "file:/x@sha256:1;by=a1",
            "file:/x@sha256:1",
            "structure",
            "observed",
        ) in found

    def test_a_version_pin_is_an_occurrence_already(self) -> None:
        found = edges(
            records(
                "tool_call",
                attempt="a1",
                tool="t",
                outcome="completed",
                writes=[{"ref": "file:/x@version:2", "mode": "create"}],
            )
        )
        assert ("wasGeneratedBy", "file:/x@version:2", "a1", "data", "declared") in found

    @pytest.mark.parametrize(
        ("mode", "flow"), [("edit", "data"), ("append", "data"), ("replace", "structure")]
    )
    def test_a_revision_carries_data_only_when_the_write_kept_content(self, mode: str, flow: str) -> None:
        write = {"ref": "file:/x@version:2", "mode": mode, "before": "file:/x@version:1"}
        found = edges(records("tool_call", attempt="a1", tool="t", outcome="completed", writes=[write]))
        assert ("wasRevisionOf", "file:/x@version:2", "file:/x@version:1", flow, "observed") in found

    def test_a_write_of_unknown_outcome_is_only_inferred(self) -> None:
        write = {"ref": "issue:8@version:1", "mode": "create"}
        found = edges(records("tool_call", attempt="a1", tool="t", outcome="unknown", writes=[write]))
        assert ("wasGeneratedBy", "issue:8@version:1", "a1", "data", "inferred") in found

    def test_a_delete_invalidates_in_the_world_and_generates_nothing(self) -> None:
        write = {"ref": "file:/x@version:2", "mode": "delete"}
        found = edges(records("tool_call", attempt="a1", tool="t", outcome="completed", writes=[write]))
        assert ("wasInvalidatedBy", "file:/x@version:2", "a1", "record", "declared") in found
        assert not [edge for edge in found if edge[0] == "wasGeneratedBy"]

    def test_members_of_a_result_are_generated_by_the_attempt_too(self) -> None:
        result = {"ref": "rows", "members": [{"ref": "row1"}]}
        found = edges(records("tool_call", attempt="a1", tool="t", outcome="completed", results=[result]))
        assert ("wasGeneratedBy", "row1", "a1", "data", "observed") in found
        assert ("hadMember", "rows", "row1", "data", "observed") in found

    def test_arguments_are_data_and_the_authorization_is_control(self) -> None:
        found = edges(
            records("tool_call", attempt="a1", tool="t", outcome="completed", action="op1", decision="d1")
        )
        assert ("used", "a1", "op1", "data", "observed") in found
        assert ("used", "a1", "d1", "control", "observed") in found

    @pytest.mark.parametrize(
        ("decider", "principal", "said"),
        [
            ({"id": "kim", "kind": "person"}, LOCAL, "claimed"),
            ({"id": "kim", "kind": "person", "authenticated_by": "sso"}, LOCAL, "authenticated"),
            (
                {"id": "kim", "kind": "person", "authenticated_by": "sso"},
                agent_principal("harness"),
                "claimed",
            ),
            ({"id": "key-1", "kind": "person"}, agent_principal("person", "harness"), "authenticated"),
        ],
    )
    def test_a_decider_is_authenticated_only_by_his_own_or_a_vouching_credential(
        self, decider: dict[str, str], principal: Principal, said: str
    ) -> None:
        found = records(
            "authorization_decided", principal, decision="d1", action="op1", verdict="allow", decider=decider
        )
        assert attributes(found, "d1")["clew:authentication"] == said


class TestAdoption:
    def test_a_rejected_draft_is_looked_at_and_nothing_more(self) -> None:
        found = edges(records("adoption_decided", decision="ad", draft="draft", verdict="rejected"))
        assert {(e[0], e[3]) for e in found if e[2] == "draft"} == {("used", "record")}

    def test_what_was_adopted_is_derived_from_the_draft(self) -> None:
        found = edges(
            records("adoption_decided", decision="ad", draft="draft", verdict="adopted", accepted="ours")
        )
        assert ("wasDerivedFrom", "ours", "draft", "data", "observed") in found
        assert ("wasGeneratedBy", "ours", "ad", "data", "observed") in found


class TestNotices:
    def test_a_retraction_never_invalidates_what_it_concerns(self) -> None:
        found = edges(records("retracted", what="doc", by="kim"))
        assert ("wasInfluencedBy", "retraction:harness/e1;notice", "doc", "record", "observed") in found
        assert not [edge for edge in found if edge[0] == "wasInvalidatedBy"]

    def test_a_deletion_invalidates_the_body_and_leaves_the_version(self) -> None:
        found = edges(records("content_deleted", body="b1", done="2026-03-02T00:00:00Z"))
        assert ("wasInvalidatedBy", "b1", "deletion:harness/e1", "record", "observed") in found


class TestWhatIsRefused:
    def test_one_id_as_entity_and_activity(self) -> None:
        with pytest.raises(Refused, match="entity and as an activity"):
            records("model_call", call="x", model="m", inputs=[{"ref": "x"}])

    def test_something_derived_from_itself(self) -> None:
        with pytest.raises(Refused, match="itself"):
            records("derived", LOCAL, to="x", method="copy", **{"from": [{"ref": "x"}]})

    @pytest.mark.parametrize("bad", ["a\x00b", "a\nb", "a\x7fb"])
    def test_a_control_character_in_an_id(self, bad: str) -> None:
        with pytest.raises(Refused, match="inputs/0/ref"):
            event("model_call", call="c", model="m", inputs=[{"ref": bad}])

    def test_a_time_that_is_not_in_the_calendar(self) -> None:
        with pytest.raises(Refused, match="started"):
            event("model_call", call="c", model="m", started="2026-02-30T09:00:00Z")


class TestEvidence:
    def test_an_event_may_lower_itself(self) -> None:
        found = records("model_call", call="c", model="m", inputs=[{"ref": "in"}], evidence="declared")
        assert {a.evidence for a in found.assertions} == {Evidence.DECLARED}

    @pytest.mark.parametrize("type_", ["model_call", "tool_call", "verification"])
    def test_a_claim_above_the_bound_is_refused_with_the_remedy(self, type_: str) -> None:
        own = {
            "model_call": {"call": "c", "model": "m"},
            "tool_call": {"attempt": "a", "tool": "t", "outcome": "completed"},
            "verification": {"verification": "v", "subject": "a", "method": "read", "verdict": "confirmed"},
        }
        with pytest.raises(Refused, match='send "evidence": "declared"'):
            records(type_, agent_principal("agent"), **own[type_])

    def test_what_an_agent_lowers_to_declared_is_taken(self) -> None:
        found = records("model_call", agent_principal("agent"), call="c", model="m", evidence="declared")
        assert {a.evidence for a in found.assertions} == {Evidence.DECLARED}

    def test_a_derivation_earns_what_its_deliverer_may_claim(self) -> None:
        fields: dict[str, Any] = {"to": "t", "method": "join", "rerunnable": True, "from": [{"ref": "s"}]}
        best = {a.evidence for a in records("derived", **fields).assertions}
        plain = {a.evidence for a in records("derived", agent_principal("harness"), **fields).assertions}
        assert (best, plain) == ({Evidence.VERIFIED}, {Evidence.OBSERVED})


def test_every_event_has_its_rule() -> None:
    assert set(mapping._WRITERS) == set(TYPES.values())


def test_a_private_digest_becomes_a_keyed_tag_and_a_public_one_stays() -> None:
    found = event(
        "model_call",
        call="c",
        model="m",
        inputs=[{"ref": "message:r1/1@sha256:AB"}, {"ref": "file:/x@sha256:ab"}],
    )
    assert [ref.ref for ref in found.inputs] == ["message:r1/1@tag:keyed-ab", "file:/x@sha256:ab"]  # type: ignore[attr-defined]
