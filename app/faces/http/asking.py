"""GET /v1/questions: each question of the shelf at an address of its own, with its own parameters."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from app.faces.addresses import address_of
from app.faces.http.admitting import needs
from app.faces.http.describing import ANSWERS, TEXT, query_parameters, ref
from app.faces.http.given import given_by
from app.faces.http.problems import problem, respond
from app.faces.http.server import server_of
from app.faces.http.telling import told
from queries import answer as answers
from queries import shelf
from queries.question import Parameter, Question


class Offered(msgspec.Struct, frozen=True):
    """One question: what it asks, where, with which parameters, and an example over the story that ships."""

    name: str
    sentence: str
    address: str
    parameters: tuple[Parameter, ...]
    example: dict[str, Any]


class Questions(msgspec.Struct, frozen=True):
    """What can be asked."""

    questions: list[Offered]


def router() -> APIRouter:
    """The list of questions, and one route a question."""
    made = APIRouter(tags=["questions"], dependencies=[needs("graph:read")])
    made.add_api_route(
        "/v1/questions",
        list_questions,
        summary="The questions that can be asked",
        responses={200: ref("Questions", "Every question with its parameters.")},
    )
    for question in shelf.everything().values():
        _add(made, question)
    made.add_api_route("/v1/questions/{name}", unknown, include_in_schema=False)
    return made


def _add(made: APIRouter, question: Question[Any, Any]) -> None:
    made.add_api_route(
        address_of(question),
        _endpoint(question),
        summary=question.sentence,
        operation_id=question.name,
        responses={200: _answered(question), **ANSWERS},
        openapi_extra={
            "parameters": query_parameters(question.parameters(), question.example, question.needs)
        },
    )


def _answered(question: Question[Any, Any]) -> dict[str, Any]:
    described = ref(f"Answer_{question.name}", "The answer; as plain text a few sentences.")
    described["content"] |= TEXT
    return described


def list_questions() -> Response:
    """Every question with its sentence, its parameters and an example."""
    offered = [
        Offered(
            question.name,
            question.sentence,
            address_of(question),
            question.parameters(),
            dict(question.example),
        )
        for question in shelf.questions().values()
    ]
    return Response(msgspec.json.encode(Questions(offered)), media_type="application/json")


def unknown(name: str) -> Response:
    """No question has this name; says which there are."""
    offered = tuple(shelf.questions())
    return respond(problem("not-found", 404, f"there is no question {name!r}", near=offered))


def _endpoint(question: Question[Any, Any]) -> Any:
    def ask(request: Request) -> Response:
        server = server_of(request)
        asked = server.service.answer(question, given_by(request), server.principal)
        return told(request, answers.encode(asked.answer), asked.told)

    return ask
