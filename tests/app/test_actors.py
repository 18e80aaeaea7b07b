"""Who acts: by one rule wherever somebody decides, deletes or takes back, and said where a name is given."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
import typer.main
from starlette.testclient import TestClient

from app.actors import RULE
from app.cases.forms import Deciding, Opening, Rerunning
from app.credentials.identity import actor
from app.faces.cli import app as cli
from app.keeping.forms import Deleting, Ending, Erasing, Lifting, Placing, Putting
from app.service import Service
from provmodel.errors import BadQuestion
from queries.question import parameters_of
from tests.app.commands import Clew

STORY = json.loads(resources.files("app").joinpath("data/story.json").read_text())
FORMS = (Opening, Deciding, Rerunning, Putting, Ending, Placing, Lifting, Deleting, Erasing)


@pytest.mark.parametrize(
    ("named", "reference"),
    [
        ("bob", "person:bob"),
        ("person:bob", "person:bob"),
        ("agent:sweeper", "agent:sweeper"),
        ("", "service:desk"),
    ],
)
def test_a_bare_name_is_a_persons_and_none_is_the_credential(named: str, reference: str) -> None:
    assert actor(named, "desk") == reference


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(BadQuestion, match="by"):
        actor("bob\x07", "desk")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_that_takes_a_name_says_how_it_is_read(form: Any) -> None:
    [by] = [parameter for parameter in parameters_of(form) if parameter.name == "by"]
    assert RULE in by.description


def test_every_option_of_the_command_line_says_so() -> None:
    told = [
        option.help
        for command in _commands(typer.main.get_command(cli))
        for option in command.params
        if "--by" in option.opts
    ]
    assert len(told) > len(FORMS)
    assert all(RULE in (help_ or "") for help_ in told)


def _commands(command: Any) -> list[Any]:
    inner = getattr(command, "commands", {})
    return [one for each in inner.values() for one in _commands(each)] if inner else [command]


def test_rest_and_the_command_line_read_a_name_alike(
    service: Service, http: TestClient, clew: Clew, tmp_path: Any
) -> None:
    service.record([json.dumps(item).encode() for item in STORY])
    opened = http.post("/v1/cases", json={"target": "document:tariff-2025", "by": "bob"}).json()
    hold = {"hold": "h", "target": "message:late-fees/task", "reason": "r", "by": "bob"}
    held = http.post("/v1/retention/holds", json=hold).json()
    http.delete("/v1/retention/holds", params={"hold": "h", "by": "bob"})
    http.delete("/v1/content", params={"ref": "message:late-fees/task", "actor": "bob"})
    told = http.get("/v1/retention/deletions").json()["deletions"]
    [deleted] = [one for one in told if one["body"] == "body:task"]
    assert (opened["opened_by"], held["holds"][0]["placed_by"], deleted["actor"]) == ("person:bob",) * 3
    db = f"--db={tmp_path / 'clew.db'}"
    by_hand = clew("case", "open", "--target", "document:tariff-2025", "--by", "bob", "--json", db).json
    assert by_hand["opened_by"] == "person:bob"
    nobody = clew("case", "open", "--target", "document:tariff-2025", "--json", db).json
    assert nobody["opened_by"] == "person:operator"
