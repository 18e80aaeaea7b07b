"""The OpenAPI description: FastAPI's own of what is read, and for what is written that of the plain routes.

Schemas are those of the Structs that decode and encode, so that no description can differ from what is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import Mount

from app.credentials.scopes import MEANINGS, Scope
from app.faces.http import content, examples, replies, submitting
from app.faces.http.admitting import Needs
from app.faces.http.describing import SCHEMAS, ref, trouble
from app.faces.http.minimal import OWN_ID
from app.faces.http.problems import Problem
from app.faces.http.recording import LINES, Made, Recorded, Traced
from provmodel import cloudevents
from provmodel.events import TYPES, plural
from queries import shelf
from queries.answer import Answer
from queries.picture import Picture

JSON = "application/json"
_CONTENT_LISTS = ("inputs", "outputs", "instructions", "results", "adds")
_ARGUMENTS = ("arguments", "shown", "authorized", "expected", "observed")
_FILLED = ("id", "source", "time", "type", "outcome")
_TAKEN: dict[str, Any] = {
    "400": trouble("This can't be read: no JSON, not UTF-8, or no such stream as Content-Encoding says."),
    "409": trouble("A single event of a source and id that is there with other content: kept, and flagged."),
    "413": trouble("More than is taken at once, after inflation."),
    "415": trouble("This form of content is not understood; Accept or Accept-Encoding says which are."),
    "422": trouble("A single event that is refused: the field, the reason and the remedy."),
    "503": trouble(
        "Too much waits to be written, or the store can't be used; Retry-After says when to come again."
    ),
}


def described(app: FastAPI) -> dict[str, Any]:
    """All of it, as a dict."""
    made = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes, tags=_TAGS
    )
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    schemas.clear()  # FastAPI knows only of its own errors, which nobody gets to see
    schemas.update(_schemas())
    for path, operation in _recording().items():
        made["paths"].setdefault(path, {})["post"] = operation
    made["paths"][content.PATH]["put"] = _PUT
    for operations in made["paths"].values():
        for operation in operations.values():
            _complete(operation)
    made["components"]["securitySchemes"] = {"bearer": _BEARER}
    for path, method, scope in declared(app):
        if scope and method in made["paths"].get(path, {}):
            _secure(made["paths"][path][method], scope)
    return made


_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key (clew key create) or a token of a configured issuer. Scopes: "
    + "; ".join(f"{scope}: {meaning}" for scope, meaning in MEANINGS.items()),
}


def declared(app: FastAPI) -> Iterator[tuple[str, str, Scope | None]]:
    """Each address with its method in small letters and the scope that it takes; None for a public one.

    Raises LookupError for a route that declares nothing: it would serve nobody.
    """
    for route in iter_route_contexts(app.routes):
        original = route.original_route
        if isinstance(original, Mount) or route.path in _OWN_PAGES:
            continue
        scope: Scope | None = "ingest"  # what a plain route asks for, see recording
        if isinstance(original, APIRoute):
            found = [one.call for one in route.dependant.dependencies if isinstance(one.call, Needs)]
            if not found:
                raise LookupError(f"{route.path} declares no scope")
            scope = found[0].scope
        path = route.path or ""
        yield from ((path, method.lower(), scope) for method in sorted(route.methods or ()))


_OWN_PAGES = frozenset({"/openapi.json", "/docs", "/redoc", "/docs/oauth2-redirect"})


def _secure(operation: dict[str, Any], scope: Scope) -> None:
    operation["security"] = [{"bearer": [scope]}]
    operation["responses"].setdefault("401", trouble("Nobody is signed in."))
    operation["responses"].setdefault("429", trouble("More than this key may; Retry-After says when."))
    operation["responses"].setdefault("403", trouble(f"The credential does not hold the scope {scope}."))


_TAGS = [
    {"name": "record", "description": "Report what agents did."},
    {"name": "questions", "description": "Ask, and learn how well each edge of the answer is known."},
    {"name": "graph", "description": "Look at nodes, runs, events and sources, and export."},
    {"name": "cases", "description": "Work through what a retraction affects."},
    {"name": "retention", "description": "Say how long content is kept, hold it, delete it."},
    {"name": "operation", "description": "For whoever runs the server."},
]


def _schemas() -> dict[str, Any]:
    types: list[Any] = [*TYPES.values(), Problem, Recorded, Made, Traced, Picture, *replies.types()]
    answers = {name: Answer[question.graphed] for name, question in shelf.everything().items()}  # type: ignore[name-defined]
    named, found = msgspec.json.schema_components(
        [*types, *answers.values()], ref_template=SCHEMAS + "{name}"
    )
    for name, schema in zip(answers, named[len(types) :], strict=True):
        found[f"Answer_{name}"] = schema
    events = [{"$ref": f"{SCHEMAS}{kind.__name__}"} for kind in TYPES.values()]
    mapping = {tag: f"{SCHEMAS}{kind.__name__}" for tag, kind in TYPES.items()}
    found["Event"] = {
        "oneOf": events,
        "discriminator": {"propertyName": "type", "mapping": mapping},
        "description": "One event, whole.",
    }
    found["Said"] = _SAID
    for tag, kind in TYPES.items():
        found[f"{kind.__name__}Short"] = _short(found[kind.__name__], tag)
    return found


_SAID: dict[str, Any] = {
    "description": "A ref, or content that a ref is made for: text, or an object that holds it.",
    "anyOf": [
        {"type": "string"},
        {"$ref": f"{SCHEMAS}Ref"},
        {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "json": {},
                "base64": {"type": "string"},
                "media_type": {"type": "string"},
                "role": {"type": "string"},
            },
        },
    ],
}


def _short(whole: dict[str, Any], tag: str) -> dict[str, Any]:
    """The schema of the short form: what is filled in need not be there."""
    own = OWN_ID.get(tag, ("",))[0]
    properties = dict(whole["properties"])
    for name in _CONTENT_LISTS:
        if name in properties:
            properties[name] = {"type": "array", "items": {"$ref": f"{SCHEMAS}Said"}}
    for name in _ARGUMENTS:
        if name in properties:
            properties[name] = {"description": "Any JSON value, or Args."}
    if "decider" in properties:
        properties["decider"] = {"anyOf": [{"type": "string"}, properties["decider"]]}
    return {
        **whole,
        "title": f"{whole['title']}Short",
        "properties": properties,
        "required": [name for name in whole["required"] if name not in (*_FILLED, own)],
    }


_PUT: dict[str, Any] = {
    "summary": "Keep content",
    "description": "The body of the request becomes the content of something that events have named.",
    "tags": ["record"],
    "parameters": [
        {
            "name": name,
            "in": "query",
            "required": name == "ref",
            "description": text,
            "schema": {"type": "string", **more},
        }
        for name, text, more in (
            ("ref", "A reference that some event has named.", {}),
            (
                "as",
                "content, or label: the name that people know a person or thing by.",
                {"enum": ["content", "label"], "default": "content"},
            ),
            ("run", "The run within which its values are compared.", {}),
            ("label", "What retention may choose by.", {}),
        )
    ],
    "requestBody": {
        "required": True,
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    },
    "responses": {
        "201": ref("Captured", "The body that it is now, and the event that says so."),
        "404": trouble("Nothing has that name."),
        "410": trouble("What was deleted stays deleted; the tombstone is told."),
        "413": trouble("More than is taken of one content."),
        "415": trouble("It comes with a Content-Encoding."),
        "422": trouble("It is not what it is said to be, or a parameter is wrong."),
        "503": trouble("The store, or the place where bodies are kept, can't be used now."),
    },
}


def _recording() -> dict[str, dict[str, Any]]:
    event = {"$ref": f"{SCHEMAS}Event"}
    array = {"type": "array", "items": event}
    lines = {"schema": {"type": "string", "description": "One event a line."}, "example": examples.NDJSON}
    found = {
        "/v1/events": _operation(
            "Record events",
            "Each item is taken or refused by itself; the reply says which, with its seq. Of several the "
            "status is 200, whatever became of them. An item that is sent alone, in an array of one too, is "
            "the request: the reply is a problem when it is refused (422, or 400 when it is no JSON), and "
            "when it conflicts (409; it is kept all the same).",
            {
                JSON: {"schema": {"anyOf": [array, event]}, "example": examples.EVENTS},
                **dict.fromkeys(sorted(LINES), lines),
                cloudevents.BATCHED: {"schema": {"type": "array", "items": {"type": "object"}}},
                cloudevents.STRUCTURED: {"schema": {"type": "object"}, "example": examples.CLOUDEVENT},
            },
            ref("Recorded", "What became of each item."),
        ),
        "/v1/traces": _operation(
            "Record a trace (OTLP/HTTP, JSON)",
            "Spans become events. What was not understood is listed, and never dropped in silence.",
            {JSON: {"schema": {"type": "object"}, "example": examples.OTLP}},
            ref("Traced", "The reply of OTLP, and what became of the spans."),
        ),
    }
    found["/v1/documents"] = _documents()
    for tag, kind in TYPES.items():
        short = {"schema": {"$ref": f"{SCHEMAS}{kind.__name__}Short"}, "example": examples.SHORT[tag]}
        text = f"{(kind.__doc__ or '').strip()} What is left out is filled in, and the reply names it."
        reply = ref("Made", "What became of it, and what was filled in.")
        found[f"/v1/{plural(tag)}"] = _operation(f"Record one {tag}", text, {JSON: short}, reply)
    return found


_PROVN = """document
  prefix ex <http://example.org/>
  entity(ex:report)
  entity(ex:data)
  wasDerivedFrom(ex:report, ex:data)
endDocument
"""


def _documents() -> dict[str, Any]:
    operation = _operation(
        "Submit a PROV document",
        "It is taken or refused as a whole, becomes a bundle of the graph, and is kept word for word.",
        {
            kind: {"schema": {"type": "string", "format": "binary"}}
            | ({"example": _PROVN} if kind == "text/provenance-notation" else {})
            for kind in submitting.media_types()
        },
        ref("Submitted", "What became of it, and of what it says."),
    )
    operation["parameters"] = [
        {"name": name, "in": "query", "required": False, "description": text, "schema": {"type": "string"}}
        for name, text in submitting.PARAMETERS.items()
    ]
    return operation


def _operation(summary: str, text: str, content: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    return {
        "tags": ["record"],
        "summary": summary,
        "description": " ".join(text.split()),
        "requestBody": {"required": True, "content": content},
        "responses": {"200": reply, **_TAKEN},
    }


def _complete(operation: dict[str, Any]) -> None:
    """FastAPI describes its own form of 422, which is answered as a problem here."""
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        responses["422"] = trouble("A parameter is out of its range.")
