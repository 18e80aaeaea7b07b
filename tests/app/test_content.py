"""Bodies taken out of events: nothing of them stays, each opens again, and each place is told apart."""

import base64
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.content import SealedBody, Taken, Vault, open_keys, same_content
from app.content.classes import BY_PLACE
from app.content.places import carries_body, steps
from app.content.tags import Tags
from provmodel import computed
from provmodel.computed import RUN_ALG, RUN_BYTES_ALG, TENANT_ALG, Computed
from provmodel.errors import Refused, StoreTrouble
from provmodel.events import (
    TYPES,
    ActionProposed,
    Args,
    ArtifactVersion,
    AuthorizationDecided,
    Body,
    ContextOf,
    Decider,
    Delegated,
    Derived,
    Envelope,
    Event,
    ModelCall,
    Ref,
    Result,
    RunEnded,
    Span,
    ToolCall,
    Verification,
)
from provmodel.names import keep
from provmodel.settling import settle

SECRET = "canary-7f3a9c and what Maria wrote"
HEAD: Any = {"id": "event:1", "source": "harness:a", "time": "2026-03-01T09:00:00Z", "run": "run:1"}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(open_keys(tmp_path / "clew.db.key", None))


def text(content: str = SECRET, **more: Any) -> Body:
    return Body(text=content, **more)


def message(ref: str = "message:1", body: Body | None = None, **more: Any) -> Ref:
    return Ref(ref=ref, body=body or text(), **more)


def call(*inputs: Ref, **more: Any) -> ModelCall:
    return ModelCall(**(HEAD | more), call="call:1", model="model:m", inputs=inputs)


def proposal(arguments: Body, **more: Any) -> ActionProposed:
    return ActionProposed(**(HEAD | more), action="action:1", tool="tool:t", arguments=Args(body=arguments))


def everywhere() -> list[Event]:
    """Events with a body in each place where one can stand."""
    args = Args(body=Body(json={"note": SECRET}))
    parts = message("message:m")
    return [
        ModelCall(
            **HEAD,
            call="call:1",
            model="model:m",
            inputs=(message("m:1"), message("file:/a"), message("m:3")),
            context=ContextOf(id="context:1", adds=(parts, parts)),
            instructions=(message("skill:s@sha256:ab"), message("note")),
            outputs=(parts,),
        ),
        ActionProposed(**HEAD, action="action:1", tool="tool:t", arguments=args),
        AuthorizationDecided(
            **HEAD,
            decision="decision:1",
            verdict="modify",
            decider=Decider(id="person:p", kind="person"),
            shown=args,
            authorized=args,
        ),
        ToolCall(
            **HEAD,
            attempt="attempt:1",
            tool="tool:t",
            outcome="completed",
            arguments=args,
            reads=(message("database:customers/1"),),
            results=(Result(ref="result:1", body=text(), members=(message("r:1"), message("document:d"))),),
        ),
        Verification(
            **HEAD,
            verification="v:1",
            subject="action:1",
            method="read-back",
            verdict="confirmed",
            expected=args,
            observed=args,
        ),
        ArtifactVersion(**HEAD, ref="report:r@version:1", kind="report", members=(parts,), body=text()),
        Delegated(
            **HEAD, delegation="d:1", from_run="run:1", to_run="run:2", agent="agent:b", inputs=(parts,)
        ),
        Derived(**HEAD, to="file:/b@version:1", from_=(parts,), method="extract"),
        RunEnded(**HEAD, status="completed", outputs=(parts,)),
        Span(**HEAD, span="span:1", kind="CHAIN", inputs=(parts,), outputs=(parts,)),
    ]


def tags(vault: Vault, event: Event, tenant: str = "default") -> Computed:
    [found] = vault.take_out(tenant, event).computed
    return found


def refusal(vault: Vault, event: Event) -> Refused:
    with pytest.raises(Refused) as error:
        vault.take_out("default", event)
    return error.value


# --- taking out and opening ---


@pytest.mark.parametrize("event", everywhere(), ids=lambda event: type(event).__name__)
def test_nothing_of_a_body_stays_in_what_is_logged(vault: Vault, event: Event) -> None:
    taken = vault.take_out("default", event)
    kept = msgspec.json.encode(taken.event) + computed.encode(taken.computed)
    kept += b"".join(part for body in taken.bodies for part in (body.wrapped_key, body.data))
    for form in (SECRET.encode(), b"canary", b"Maria", base64.b64encode(SECRET.encode())[:12]):
        assert form not in kept


@pytest.mark.parametrize("event", everywhere(), ids=lambda event: type(event).__name__)
def test_every_body_opens_again(vault: Vault, event: Event) -> None:
    taken = vault.take_out("default", event)
    opened = {body.id: vault.open_body("default", body) for body in taken.bodies}
    assert len(opened) == len(taken.bodies) == len(taken.computed) > 0
    assert set(opened.values()) <= {SECRET.encode(), msgspec.json.encode({"note": SECRET})}
    assert all(body.size == len(opened[body.id]) for body in taken.bodies)


def _bodies(value: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each body in an event's JSON with the pointer of what holds it."""
    if isinstance(value, dict):
        if isinstance(value.get("body"), dict):
            yield where, value["body"]
        for key, inner in value.items():
            yield from _bodies(inner, f"{where}/{key}")
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _bodies(inner, f"{where}/{index}")


@pytest.mark.parametrize("event", everywhere(), ids=lambda event: type(event).__name__)
def test_what_was_computed_names_the_place_of_each_body(vault: Vault, event: Event) -> None:
    taken = vault.take_out("default", event)
    left = dict(_bodies(msgspec.json.decode(msgspec.json.encode(taken.event))))
    assert {item.where: {"id": item.body, "size": item.size} for item in taken.computed} == {
        where: {"id": body["id"], "size": body["size"]} for where, body in left.items()
    }
    assert left.keys() == dict(_bodies(msgspec.json.decode(msgspec.json.encode(event)))).keys()
    assert all(body.keys() == {"id", "media_type", "size"} for body in left.values())


def test_every_field_that_can_hold_a_body_is_tried_here_and_has_a_class() -> None:
    fields = {(kind, step.wire_name) for kind in TYPES.values() for step in steps(kind)}
    tried = {
        (type(event), where.split("/")[1] if where else "body")
        for event in everywhere()
        for where, _ in _bodies(msgspec.json.decode(msgspec.json.encode(event)))
    }
    assert tried == fields
    assert fields == BY_PLACE.keys() | {(ArtifactVersion, "body")}


def test_the_class_of_a_body_follows_its_place_and_scheme(vault: Vault) -> None:
    classes = {
        (type(event).__name__, item.where): body.cls
        for event in everywhere()
        for taken in [vault.take_out("default", event)]
        for item, body in zip(taken.computed, taken.bodies, strict=True)
    }
    assert classes["ModelCall", "/inputs/0"] == "message"
    assert classes["ModelCall", "/inputs/1"] == "file"
    assert classes["ModelCall", "/instructions/0"] == "skill"
    assert classes["ModelCall", "/instructions/1"] == "instruction"
    assert classes["ToolCall", "/arguments"] == "arguments"
    assert classes["ToolCall", "/reads/0"] == "record"
    assert classes["ToolCall", "/results/0"] == "result"
    assert classes["ToolCall", "/results/0/members/0"] == "record"
    assert classes["ToolCall", "/results/0/members/1"] == "document"
    assert classes["ArtifactVersion", ""] == "report"


def test_an_artifact_s_own_class_goes_before_its_kind(vault: Vault) -> None:
    event = ArtifactVersion(**HEAD, ref="x:1", kind="report", class_="raw", body=text())
    [body] = vault.take_out("default", event).bodies
    assert body.cls == "raw"


@pytest.mark.parametrize(
    ("body", "content", "media_type"),
    [
        (Body(text=""), b"", "text/plain"),
        (Body(text="Grüße 😀"), "Grüße 😀".encode(), "text/plain"),
        (Body(base64=""), b"", "application/octet-stream"),
        (Body(base64="AP+A"), b"\x00\xff\x80", "application/octet-stream"),
        (Body(json=None), b"null", "application/json"),
        (Body(json={"b": 1.0, "a": [2**63]}), b'{"b":1.0,"a":[9223372036854775808]}', "application/json"),
        (Body(text="# Hi", media_type="text/markdown"), b"# Hi", "text/markdown"),
    ],
)
def test_each_form_of_content_comes_back(vault: Vault, body: Body, content: bytes, media_type: str) -> None:
    taken = vault.take_out("default", call(message(body=body)))
    [sealed] = taken.bodies
    assert vault.open_body("default", sealed) == content
    assert (sealed.media_type, sealed.size, sealed.state) == (media_type, len(content), "present")


def test_a_body_that_is_null_is_not_a_body_that_is_absent(vault: Vault) -> None:
    decoded = msgspec.json.decode(msgspec.json.encode(call(message(body=Body(json=None)))), type=ModelCall)
    assert len(vault.take_out("default", decoded).bodies) == 1


def test_a_partial_body_says_so(vault: Vault) -> None:
    [sealed] = vault.take_out("default", call(message(state="partial"))).bodies
    assert sealed.state == "partial"


def test_deep_json_and_big_integers_are_bodies_like_others(vault: Vault) -> None:
    value: Any = 2**64 - 1
    for _ in range(200):
        value = {"a": value}
    taken = vault.take_out("default", call(message(body=Body(json=value))))
    assert msgspec.json.decode(vault.open_body("default", taken.bodies[0])) == value
    assert list(taken.computed[0].values) == ["/a" * 200]


def test_what_was_computed_comes_back_from_the_log(vault: Vault) -> None:
    for event in everywhere():
        taken = vault.take_out("default", event)
        raw = computed.encode(taken.computed)
        assert computed.decode(raw) == taken.computed
        assert computed.encode(computed.decode(raw)) == raw


# --- events without content ---


def test_an_event_without_bodies_is_given_back_as_it_is(vault: Vault) -> None:
    event = call(Ref(ref="message:1"), Ref(ref="message:2", state="never_captured"))
    taken = vault.take_out("default", event)
    assert taken == Taken(event)
    assert taken.event is event


def test_a_body_by_id_alone_was_sealed_before(vault: Vault) -> None:
    event = call(message(body=Body(id="body:7", size=3)))
    taken = vault.take_out("default", event)
    assert carries_body(event)
    assert (taken.event, taken.bodies, taken.computed, taken.salt) == (event, (), (), None)


# --- ids ---


def test_a_made_id_is_the_same_in_every_store_and_unlike_in_every_place(tmp_path: Path) -> None:
    event = call(message(), message(), outputs=(message(),))
    ids = [
        [body.id for body in Vault(open_keys(tmp_path / name, None)).take_out("default", event).bodies]
        for name in ("one", "two")
    ]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 3


def test_a_made_id_says_nothing_of_the_content_and_may_stand_as_a_reference(vault: Vault) -> None:
    first, second = (vault.take_out("default", call(message(body=text(word)))).bodies[0].id for word in "ab")
    assert first == second
    assert keep(first, "", vault.tagger("default")) == first


def test_a_given_id_is_kept(vault: Vault) -> None:
    [sealed] = vault.take_out("default", call(message(body=text(id="body:mine")))).bodies
    assert sealed.id == "body:mine"


def test_one_content_under_one_id_is_sealed_once(vault: Vault) -> None:
    taken = vault.take_out("default", call(message(body=text(id="b")), message(body=text(id="b"))))
    assert (len(taken.bodies), len(taken.computed)) == (1, 2)


# --- sealing ---


def test_equal_contents_are_sealed_unlike(vault: Vault) -> None:
    bodies = [vault.take_out("default", call(message())).bodies[0] for _ in range(2)]
    assert bodies[0].data != bodies[1].data
    assert bodies[0].wrapped_key != bodies[1].wrapped_key


def changed(sealed: SealedBody, field: str, at: int) -> SealedBody:
    raw = bytearray(getattr(sealed, field))
    raw[at] ^= 1
    return msgspec.structs.replace(sealed, **{field: bytes(raw)})


@pytest.mark.parametrize("field", ["wrapped_key", "data"])
def test_a_flipped_bit_anywhere_is_found(vault: Vault, field: str) -> None:
    [sealed] = vault.take_out("default", call(message())).bodies
    for at in range(len(getattr(sealed, field))):
        with pytest.raises(StoreTrouble, match="does not open"):
            vault.open_body("default", changed(sealed, field, at))


@pytest.mark.parametrize("field", ["wrapped_key", "data"])
def test_bytes_cut_off_are_found(vault: Vault, field: str) -> None:
    [sealed] = vault.take_out("default", call(message())).bodies
    for length in (0, 1, 20, len(getattr(sealed, field)) - 1):
        cut = msgspec.structs.replace(sealed, **{field: getattr(sealed, field)[:length]})
        with pytest.raises(StoreTrouble, match=sealed.id):
            vault.open_body("default", cut)


def test_a_row_moved_to_another_tenant_or_id_does_not_open(vault: Vault) -> None:
    [sealed] = vault.take_out("default", call(message())).bodies
    with pytest.raises(StoreTrouble):
        vault.open_body("other", sealed)
    with pytest.raises(StoreTrouble):
        vault.open_body("default", msgspec.structs.replace(sealed, id="body:other"))


def test_the_content_of_one_row_does_not_open_with_the_key_of_another(vault: Vault) -> None:
    first, second = vault.take_out("default", call(message(), message())).bodies
    with pytest.raises(StoreTrouble):
        vault.open_body("default", msgspec.structs.replace(first, wrapped_key=second.wrapped_key))


def test_another_key_file_opens_nothing(vault: Vault, tmp_path: Path) -> None:
    [sealed] = vault.take_out("default", call(message())).bodies
    with pytest.raises(StoreTrouble):
        Vault(open_keys(tmp_path / "other.key", None)).open_body("default", sealed)


def test_what_was_sealed_opens_after_a_restart(vault: Vault, tmp_path: Path) -> None:
    [sealed] = vault.take_out("default", call(message())).bodies
    again = Vault(open_keys(tmp_path / "clew.db.key", vault.fingerprint))
    assert again.open_body("default", sealed) == SECRET.encode()


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

    theirs = Tags(vault.run_tag_key("default", "run:1"), RUN_ALG, RUN_BYTES_ALG)
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
    taken = vault.take_out("default", event)
    again = msgspec.json.decode(msgspec.json.encode(event), type=Event)
    assert taken.salt is not None
    assert taken.redelivery is not None
    assert same_content(again, taken.salt, taken.redelivery)


def test_the_order_of_keys_does_not_make_another_event(vault: Vault) -> None:
    taken = vault.take_out("default", proposal(Body(json={"a": 1, "b": 2})))
    assert same_content(proposal(Body(json={"b": 2, "a": 1})), taken.salt or b"", taken.redelivery or b"")


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
    taken = vault.take_out("default", call(message()))
    assert not same_content(other, taken.salt or b"", taken.redelivery or b"")


def test_each_event_has_a_salt_of_its_own(vault: Vault) -> None:
    first, second = (vault.take_out("default", call(message())) for _ in range(2))
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
    assert len(vault.take_out("default", event).bodies) == 3


# --- cost ---

PROSE = (
    "The customer wrote on Monday that invoice INV-2026-00417 over $4,312.50 was charged twice, and "
    "asked for a refund to the same card. Please compare it with order ORD-88412 in the warehouse "
    "system and with the file /srv/reports/q3/refunds.csv before you answer; the usual limit without a "
    "second person is 5,000 dollars. If both charges were settled, propose a refund of the later one "
    "and tell Maria Kowalski (maria.k@example.com) that it takes three to five working days. Should "
    "only one of them have been settled, explain how an authorization differs from a charge, and that "
    "the bank releases it by itself within a week. Do not promise a date, do not offer a voucher, and "
    "keep the tone friendly but brief. When you are unsure which of the two payments she means, ask "
    "first and wait for her answer. Note in the ticket which documents you have read, where you found "
    "each number, and whom you asked; the team in Kraków looks at every ticket above one thousand "
    "dollars again before the evening."
)
RECORD = {
    "customer": {"id": "C-10293", "name": "Maria Kowalski", "email": "maria.k@example.com", "vip": False},
    "order": "ORD-88412",
    "amount": 4312.57,
    "currency": "USD",
    "comment": "The customer wrote that the invoice was charged twice, and asked for a refund.",
    "lines": [
        {
            "sku": f"SKU-20{line}17",
            "count": line,
            "text": "Office chair, black, with a high back and armrests, put together by hand, no wheels",
        }
        for line in range(6)
    ],
}
NO_BODY = call(*(Ref(ref=f"message:{n}") for n in range(4)), outputs=(Ref(ref="message:9"),))


def cost(work: Callable[[], object], times: int) -> float:
    """CPU microseconds of one call: the least of five rounds."""
    rounds = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(times):
            work()
        rounds.append((time.process_time() - start) / times * 1e6)
    return min(rounds)


@pytest.mark.parametrize(
    ("name", "event", "limit"),
    [
        ("no body", NO_BODY, 15.0),
        ("1 kB of prose", call(message(body=text(PROSE[:1000]))), 400.0),
        ("1 kB of JSON", proposal(Body(json=RECORD)), 600.0),
        ("1 kB of bytes", call(message(body=Body(base64="QUJD" * 333))), 200.0),
    ],
)
def test_the_cost_of_a_body_is_small(
    vault: Vault, name: str, event: Event, limit: float, capsys: pytest.CaptureFixture[str]
) -> None:
    spent = cost(lambda: vault.take_out("default", event), 200)
    with capsys.disabled():
        print(f"\n{name}: {spent:.1f} us")
    assert spent < limit  # some five times what was measured, so that only a blunder fails it


def test_a_value_of_many_leaves_under_a_long_key_costs_no_more_than_its_size(vault: Vault) -> None:
    long = proposal(Body(json={"k" * 500_000: [str(number) for number in range(50_000)]}))
    assert len(computed.encode(vault.take_out("default", long).computed)) < 1000


def test_many_threads_may_use_one_vault(vault: Vault) -> None:
    events = [call(message(body=text(f"{SECRET} {number}")), id=f"event:{number}") for number in range(64)]
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda event: vault.take_out("default", event), events))
    assert [item.computed for item in taken] == [
        vault.take_out("default", event).computed for event in events
    ]


def test_a_settled_event_goes_in(vault: Vault) -> None:
    event = settle(call(message("message:1@sha256:" + "ab" * 32)), vault.tagger("default"))
    assert isinstance(event, Envelope)
    assert "@tag:" in msgspec.json.encode(vault.take_out("default", event).event).decode()
