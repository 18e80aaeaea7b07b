"""What is still known of a body that was taken out: its tags, and a second delivery."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from app.content import Vault, open_keys, same_content
from app.content.tags import Tags
from provmodel import computed
from provmodel.computed import RUN_ALG, RUN_BYTES_ALG, TENANT_ALG
from provmodel.events import (
    ArtifactVersion,
    Body,
    Envelope,
    Event,
    Ref,
)
from provmodel.names import keep
from provmodel.settling import settle
from tests.app.contents import HEAD, SECRET, UNDER, call, everywhere, message, proposal, refusal, tags, text


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(open_keys(tmp_path / "clew.db.key", None))


# --- tags ---


def test_equal_content_has_equal_tags_within_a_run(vault: Vault) -> None:
    first = tags(vault, call(message(), id="event:1"))
    second = tags(vault, call(message("message:9"), id="event:2"))
    assert (first.whole, first.tokens, first.alg) == (second.whole, second.tokens, RUN_ALG)


def test_equal_content_has_unlike_tags_across_runs_and_tenants(vault: Vault) -> None:
    found = [
        tags(vault, call(message(), run=run), tenant)
        for run in ("run:1", "run:2", None)
        for tenant in ("default", "other")
    ]
    assert len({item.whole for item in found}) == len(found)
    assert len({token for item in found for token in item.tokens}) == sum(len(item.tokens) for item in found)


def test_an_event_without_a_run_says_that_its_tags_are_the_tenant_s(vault: Vault) -> None:
    assert tags(vault, call(message(), run=None)).alg == TENANT_ALG


def test_an_argument_is_found_in_what_the_model_was_sent(vault: Vault) -> None:
    sent = tags(vault, call(message(body=text("Refund $4,312.57 for order ORD-88412, please."))))
    asked = tags(vault, proposal(Body(json={"order": "ORD-88412", "amount": 4312.57, "urgent": True})))
    assert {asked.values["/order"].tag, asked.values["/amount"].tag} <= set(sent.tokens)
    assert asked.values["/order"].strong
    assert not asked.values["/urgent"].strong


def test_arguments_sent_as_text_compare_with_arguments_sent_as_json(vault: Vault) -> None:
    as_json = tags(vault, proposal(Body(json={"a": 1, "b": [True]})))
    as_text = tags(vault, proposal(Body(text='{ "b": [true], "a": 1.0 }')))
    assert (as_json.whole, as_json.values) == (as_text.whole, as_text.values)


def test_a_text_of_json_type_counts_as_the_value_that_it_spells(vault: Vault) -> None:
    spelled = tags(vault, call(message(body=Body(text='{"a": 1}', media_type="application/json"))))
    assert spelled.whole == tags(vault, call(message(body=Body(json={"a": 1})))).whole


@pytest.mark.parametrize(
    "arguments", ["not json", "{", "[" * 257 + "]" * 257, "[" * 900 + "]" * 900, "[" * 9000]
)
def test_arguments_that_are_no_json_are_a_text(vault: Vault, arguments: str) -> None:
    as_text = tags(vault, call(message(body=text(arguments))))
    as_arguments = tags(vault, proposal(Body(text=arguments)))
    assert (as_arguments.whole, as_arguments.values, as_arguments.tokens) == (
        as_text.whole,
        as_text.values,
        as_text.tokens,
    )


def test_arguments_have_the_tags_of_the_tenant_beside_those_of_the_run(vault: Vault) -> None:
    in_a_run = tags(vault, proposal(Body(json={"a": 1})))
    without = tags(vault, msgspec.structs.replace(proposal(Body(json={"a": 1})), run=None))
    assert (in_a_run.tenant_whole, in_a_run.tenant_values) == (without.whole, without.values)
    assert without.tenant_whole == ""


def test_bytes_have_a_tag_and_no_parts(vault: Vault) -> None:
    found = tags(vault, call(message(body=Body(base64="AP+A"))))
    assert (found.alg, found.values, found.tokens) == (RUN_BYTES_ALG, {}, ())


def test_a_producer_with_the_run_s_key_makes_the_same_tags(vault: Vault) -> None:

    theirs = Tags(UNDER.tag_key("run:1"), RUN_ALG, RUN_BYTES_ALG)
    mine = tags(vault, proposal(Body(json={"a": "ORD-88412"})))
    assert theirs.of_json({"a": "ORD-88412"}).whole == mine.whole


def test_a_private_pin_becomes_the_tenant_s_tag(vault: Vault) -> None:
    sha256 = "ab" * 32
    kept = keep(f"message:1@sha256:{sha256}", "", vault.tagger("default"))
    assert kept == f"message:1@tag:{vault.tagger('default')(sha256)}"
    assert sha256 not in kept
    assert vault.tagger("default")(sha256) != vault.tagger("other")(sha256)


# --- re-delivery ---


@pytest.mark.parametrize("event", everywhere(), ids=lambda event: type(event).__name__)
def test_the_same_event_delivered_again_is_recognised(vault: Vault, event: Event) -> None:
    taken = vault.take_out("default", event, UNDER)
    again = msgspec.json.decode(msgspec.json.encode(event), type=Event)
    assert taken.salt is not None
    assert taken.redelivery is not None
    assert same_content(again, UNDER, taken.salt, taken.redelivery)


def test_the_order_of_keys_does_not_make_another_event(vault: Vault) -> None:
    taken = vault.take_out("default", proposal(Body(json={"a": 1, "b": 2})), UNDER)
    assert same_content(
        proposal(Body(json={"b": 2, "a": 1})), UNDER, taken.salt or b"", taken.redelivery or b""
    )


@pytest.mark.parametrize(
    "other",
    [
        call(message(body=text(SECRET + "."))),
        call(message(), finish="stop"),
        call(message(body=text(media_type="text/markdown"))),
        call(Ref(ref="message:1")),
    ],
)
def test_any_other_content_is_told_apart(vault: Vault, other: Event) -> None:
    taken = vault.take_out("default", call(message()), UNDER)
    assert not same_content(other, UNDER, taken.salt or b"", taken.redelivery or b"")


def test_each_event_has_a_salt_of_its_own(vault: Vault) -> None:
    first, second = (vault.take_out("default", call(message()), UNDER) for _ in range(2))
    assert len(first.salt or b"") == 16
    assert (first.salt, first.redelivery) != (second.salt, second.redelivery)
    assert first.redelivery != second.redelivery


# --- refused ---


@pytest.mark.parametrize(
    ("event", "field", "reason"),
    [
        (call(message(body=Body())), "/inputs/0/body", "neither content nor id"),
        (
            call(message(body=Body(size=3, media_type="text/plain"))),
            "/inputs/0/body",
            "neither content nor id",
        ),
        (call(message(), message(body=Body(base64="A"))), "/inputs/1/body/base64", "not base64"),
        (call(message(body=Body(base64="AA=A"))), "/inputs/0/body/base64", "not base64"),
        (call(message(body=Body(base64="AP-_"))), "/inputs/0/body/base64", "not base64"),
        (call(message(body=Body(base64="AP+A\n"))), "/inputs/0/body/base64", "not base64"),
        (call(message(body=Body(base64="é"))), "/inputs/0/body/base64", "not base64"),
        (call(message(body=Body(base64="AP+A", size=4))), "/inputs/0/body/size", "has 3 bytes, not 4"),
        (call(message(body=text("é", size=1))), "/inputs/0/body/size", "has 2 bytes, not 1"),
        (proposal(Body(json=[1, 2], size=6)), "/arguments/body/size", "has 5 bytes, not 6"),
        (proposal(Body(json=[1], text="[1]")), "/arguments/body", "text and json"),
        (proposal(Body(json=None, text="")), "/arguments/body", "text and json"),
        (proposal(Body(json=float("inf"))), "/arguments/body/json", "no canonical form"),
        (call(message(body=text("\ud800"))), "/inputs/0/body/text", "UTF-8"),
        (proposal(Body(json=["\ud800"])), "/arguments/body/json", "UTF-8"),
        (call(message(state="never_captured")), "/inputs/0/state", "captured"),
        (
            call(message(body=text("a", id="b")), message(body=text("c", id="b"))),
            "/inputs/1/body/id",
            "two bodies",
        ),
        (ArtifactVersion(**HEAD, ref="x:1", kind="report", body=Body()), "/body", "neither content nor id"),
    ],
)
def test_a_body_that_can_not_be_taken_is_refused(vault: Vault, event: Event, field: str, reason: str) -> None:
    error = refusal(vault, event)
    assert error.field == field
    assert reason in error.reason
    assert error.remedy


def test_what_was_never_captured_has_its_place_on_the_ref(vault: Vault) -> None:
    assert '"state": "never_captured" beside the ref' in refusal(vault, call(message(body=Body()))).remedy


def test_a_right_size_is_no_trouble(vault: Vault) -> None:
    event = call(
        message(body=text("é", size=2)),
        message(body=Body(base64="AP+A", size=3)),
        message(body=Body(json=[1, 2], size=5)),
    )
    assert len(vault.take_out("default", event, UNDER).bodies) == 3


def test_a_value_of_many_leaves_under_a_long_key_costs_no_more_than_its_size(vault: Vault) -> None:
    long = proposal(Body(json={"k" * 500_000: [str(number) for number in range(50_000)]}))
    assert len(computed.encode(vault.take_out("default", long).computed)) < 1000


def test_many_threads_may_use_one_vault(vault: Vault) -> None:
    events = [call(message(body=text(f"{SECRET} {number}")), id=f"event:{number}") for number in range(64)]
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda event: vault.take_out("default", event, UNDER), events))
    assert [item.computed for item in taken] == [
        vault.take_out("default", event, UNDER).computed for event in events
    ]


def test_a_settled_event_goes_in(vault: Vault) -> None:
    event = settle(call(message("message:1@sha256:" + "ab" * 32)), vault.tagger("default"))
    assert isinstance(event, Envelope)
    assert "@tag:" in msgspec.json.encode(vault.take_out("default", event, UNDER).event).decode()
