"""What may be asked of an export, declared once for all faces: parameters of its own, and with a question
those of the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from provmodel import formats
from provmodel.errors import BadQuestion
from queries import shelf
from queries.question import Parameter, parameters_of, read_params

HIDE = "hide"
_WHOLE = ("fold", "view")
"""Parameters of questions that an export does not take: it holds whole nodes and edges, folded into none."""


class Exporting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of the graph is written as PROV, and how; without a part, all of it."""

    format: Annotated[
        str,
        Meta(description="The format; left out: as the Accept header or the file's name says, or prov-json."),
    ] = ""
    run: Annotated[
        str,
        Meta(description="Only what the events of this run state; with a question, its own parameter run."),
    ] = ""
    question: Annotated[
        str,
        Meta(description="Only the answer to this question, or to lineage; the other parameters are for it."),
    ] = ""
    document: Annotated[
        str, Meta(description="Only this document, as it was submitted: its name, reference or digest.")
    ] = ""
    replay: Annotated[
        str,
        Meta(description="What a re-run of this run needs: contents, events and a manifest, as a ZIP file."),
    ] = ""
    assertions: Annotated[
        Literal["none", "best", "all"],
        Meta(description="How many assertions become entities of their own."),
    ] = "best"


class Wanted(NamedTuple):
    """What is exported: the form, and what is asked of its question."""

    form: Exporting
    asked: dict[str, Any]


@cache
def parameters() -> tuple[Parameter, ...]:
    """All that an export takes, once each."""
    own = {one.name: one for one in parameters_of(Exporting)}
    own["format"] = msgspec.structs.replace(own["format"], allowed=("", *formats.writable()))
    return (*own.values(), *_of_questions().values())


@cache
def _of_questions() -> dict[str, Parameter]:
    """The parameters of what can be asked, beside those of an export itself."""
    found: dict[str, Parameter] = {}
    for question in shelf.everything().values():
        for one in question.parameters():
            described = f"Of the question: {one.description}"
            found.setdefault(one.name, msgspec.structs.replace(one, description=described))
    for name in (*Exporting.__struct_fields__, *_WHOLE):
        found.pop(name, None)
    found[HIDE] = Parameter(
        name=HIDE,
        kind="text",
        repeatable=True,
        default=(),
        description="Of the answer: leave out nodes of this kind (entity, activity, agent) or with this "
        "mark, and edges with this evidence, or refuted ones.",
    )
    return found


def read(given: Mapping[str, Any]) -> Wanted:
    """What a face's words ask for; raises :class:`BadQuestion` for what does not go together."""
    form = read_params(
        Exporting, {name: given[name] for name in given if name in Exporting.__struct_fields__}
    )
    asked = {name: value for name, value in given.items() if name not in Exporting.__struct_fields__}
    if form.replay and len(given) > 1:
        other = next(name for name in given if name != "replay")
        raise BadQuestion(other, "what a re-run needs is written whole", "leave it out")
    for name in asked:
        _check(name, form.question)
    if form.question and form.run:
        asked["run"] = form.run
        form = msgspec.structs.replace(form, run="")
    return Wanted(form, asked)


def _check(name: str, question: str) -> None:
    if name in _WHOLE:
        raise BadQuestion(name, "an answer is exported whole", "leave it out")
    if name not in _of_questions():
        known = ", ".join(one.name for one in parameters())
        raise BadQuestion(name, "there is no such parameter", f"use {known}")
    if not question:
        raise BadQuestion(name, "it belongs to a question", "name the question, too")
