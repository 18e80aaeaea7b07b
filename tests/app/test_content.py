"""Bodies taken out of events: nothing of them stays, each opens again, and each place is told apart."""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.content import SealedBody, Taken, Vault, open_keys
from app.content.classes import BY_PLACE
from app.content.places import carries_body, steps
from app.service import Service
from provmodel import computed
from provmodel.errors import StoreTrouble
from provmodel.events import (
    TYPES,
    ArtifactVersion,
    Body,
    ContentCaptured,
    ContentDeleted,
    Event,
    ModelCall,
    Ref,
)
from provmodel.names import keep
from tests.app import faces
from tests.app.contents import HEAD, SECRET, call, everywhere, message, text


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(open_keys(tmp_path / "clew.db.key", None))


# --- taking out and opening ---


@pytest.mark.parametrize("event", everywhere(), ids=lambda event: type(event).__name__)
def test_nothing_of_a_body_stays_in_what_is_logged(vault: Vault, event: Event) -> None:
    taken = vault.take_out("default", event)
    kept = msgspec.json.encode(taken.event) + computed.encode(taken.computed)
    kept += b"".join(part for body in taken.bodies for part in (body.wrapped_key, body.data or b""))
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
        for field in ("body", "reason"):
            if isinstance(value.get(field), dict):
                yield where, value[field]
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


OF_ITS_OWN: dict[type[Event], str] = {ArtifactVersion: "body", ContentDeleted: "reason"}
"""The field of a body that belongs to the event itself."""


def test_every_field_that_can_hold_a_body_is_tried_here_and_has_a_class() -> None:
    fields = {(kind, step.wire_name) for kind in TYPES.values() for step in steps(kind)}
    tried = {
        (type(event), where.split("/")[1] if where else OF_ITS_OWN[type(event)])
        for event in everywhere()
        for where, _ in _bodies(msgspec.json.decode(msgspec.json.encode(event)))
    }
    assert tried == fields
    others = {*OF_ITS_OWN.items(), (ContentCaptured, "content")}
    assert fields == BY_PLACE.keys() | others


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
        vault.open_body("default", msgspec.structs.replace(sealed, content="0" * 32))


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


@pytest.mark.parametrize("form", [{"text": "a,b"}, {"base64": "YSxi"}])
def test_a_digest_in_a_name_is_held_against_the_content_that_comes_under_it(
    service: Service, form: dict[str, str]
) -> None:
    digest = hashlib.sha256(b"a,b").hexdigest()
    told = faces.event(1, inputs=[{"ref": f"file:/fees@sha256:{digest}", "body": form}])
    forged = faces.event(2, inputs=[{"ref": f"file:/fees@sha256:{'0' * 64}", "body": form}])
    partial = faces.event(
        3, inputs=[{"ref": f"file:/fees@sha256:{'1' * 64}", "body": form, "state": "partial"}]
    )
    short = faces.event(4, inputs=[{"ref": "file:/fees@sha256:0a", "body": form}])
    results = service.record([json.dumps(one).encode() for one in (told, forged, partial, short)])
    assert [one.status for one in results] == ["recorded", "refused", "recorded", "recorded"]
    assert results[1].error is not None
    assert f"@sha256:{digest}" in results[1].error.remedy
