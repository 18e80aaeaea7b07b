"""PROV-AQ (W3C Note, 30 April 2013): the description of the service, direct queries, and pingbacks."""

from __future__ import annotations

import json
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.faces.http import documents, linking
from app.faces.http.admitting import PUBLIC, needs
from app.faces.http.describing import ANSWERS, DOCUMENT, ref, trouble
from app.faces.http.intake import Unsupported, media_type
from app.faces.http.listing import AsOf, Cursor, Limit, only_known
from app.faces.http.negotiating import chosen
from app.faces.http.server import Server, server_of
from app.pingbacks import SentLink
from provmodel.documents.scope import is_iri
from provmodel.errors import TooLarge, Unreadable

LIST = "text/uri-list"
MOST = 100  # links of one pingback
LONGEST = 2048  # characters of a URI
SCHEMES = ("http", "https", "urn")
_RELATIONS = {
    linking.HAS_PROVENANCE: "has_provenance",
    linking.HAS_QUERY_SERVICE: "has_query_service",
}
_DESCRIPTIONS = {"text/turtle": "turtle", "application/ld+json": "json-ld"}
_PREFIXES = {
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "dcterms": "http://purl.org/dc/terms/",
}
_LABEL = "Clew: what AI agents did, and how well each edge of it is known"
Target = Annotated[
    str, Query(description="What it is about: the IRI of a node, or its reference.", min_length=1)
]


def router() -> APIRouter:
    made = APIRouter(tags=["graph"], dependencies=[Depends(only_known)])
    kinds = {kind: {"schema": {"type": "string"}} for kind in _DESCRIPTIONS}
    made.add_api_route(
        linking.SERVICE,
        service,
        dependencies=[PUBLIC],
        summary="What can be asked of this server, as PROV-AQ describes it",
        responses={200: {"description": "In Turtle or JSON-LD.", "content": kinds}, 406: DOCUMENT[406]},
    )
    made.add_api_route(
        linking.QUERY,
        query,
        dependencies=[needs("export")],
        summary="The provenance of one node",
        responses={200: {"description": "The document.", "content": documents.content()}, **DOCUMENT},
    )
    made.add_api_route(
        linking.PINGBACKS,
        pingbacks,
        dependencies=[needs("graph:read")],
        summary="What others say that they know",
        responses={200: ref("PingbackList", "One page."), **ANSWERS},
    )
    made.add_api_route(
        linking.PINGBACKS,
        pingback,
        dependencies=[needs("ingest")],
        methods=["POST"],
        status_code=204,
        summary="Tell where more is known of a node",
        responses={
            204: {"description": "Kept."},
            400: trouble("The list can't be read, or says nothing."),
            404: trouble("There is no such node."),
            413: trouble("More links than are taken at once, or are kept of one node."),
            415: trouble("Only text/uri-list is understood."),
        },
        openapi_extra={
            "requestBody": {
                "content": {LIST: {"schema": {"type": "string"}, "example": "https://example.org/prov/1\r\n"}}
            }
        },
    )
    return made


def service(request: Request) -> Response:
    """Where provenance of which node is found, in terms that other tools understand."""
    template = f"{str(request.base_url).rstrip('/')}{linking.QUERY}?target={{uri}}"
    accepted = chosen(request.headers.get("accept", ""), {kind: kind for kind in _DESCRIPTIONS})
    text = _json_ld(template) if accepted != "text/turtle" else _turtle(template)
    return Response(text, media_type=accepted, headers={"Vary": "Accept"})


def _turtle(template: str) -> str:
    prefixes = "".join(f"@prefix {prefix}: <{space}> .\n" for prefix, space in _PREFIXES.items())
    kinds = ", ".join(json.dumps(kind) for kind in documents.media_types())
    return f"""{prefixes}
<> a prov:ServiceDescription ;
  rdfs:label {json.dumps(_LABEL)} ;
  prov:describesService <#direct> .

<#direct> a prov:DirectQueryService ;
  prov:provenanceUriTemplate {json.dumps(template)} ;
  dcterms:format {kinds} .
"""


def _json_ld(template: str) -> str:
    direct = {
        "@id": "#direct",
        "@type": "prov:DirectQueryService",
        "prov:provenanceUriTemplate": template,
        "dcterms:format": list(documents.media_types()),
    }
    described = {
        "@context": _PREFIXES,
        "@id": "",
        "@type": "prov:ServiceDescription",
        "rdfs:label": _LABEL,
        "prov:describesService": direct,
    }
    return json.dumps(described, indent=2) + "\n"


def query(
    request: Request,
    target: Target,
    form: documents.Form = "",
    assertions: documents.Assertions = "best",
    as_of: AsOf = "",
    depth: Annotated[str, Query(description="How many steps to go at most.")] = "",
    max_nodes: Annotated[str, Query(description="How many nodes to go to at most.")] = "",
) -> Response:
    """What led to a node, as a PROV document. When it is not all that is recorded, X-Clew-Truncated says so;
    X-Clew-Complete is false whenever something is known to be missing.
    """
    wanted = documents.format_for(request, form)
    given = {"target": [target], "as_of": as_of, "depth": depth, "max_nodes": max_nodes}
    asked = {name: value for name, value in given.items() if value}
    server = server_of(request)
    clew = server.service
    answer, export = clew.provenance(wanted, assertions, asked, server.principal)
    response = documents.sent(export)
    graph = answer.graph
    response.headers["X-Clew-As-Of"] = str(graph.as_of)
    response.headers["X-Clew-Complete"] = str(graph.complete).lower()
    response.headers["X-Clew-Truncated"] = str(graph.truncated).lower()
    response.headers.update(linking.of_nodes(clew.iri(chosen.ref) for chosen in graph.targets))
    return response


def pingbacks(
    request: Request,
    target: Annotated[str, Query(description="Only links about this node: its IRI, or its reference.")] = "",
    cursor: Cursor = "",
    limit: Limit = 100,
) -> Response:
    """Links that others sent, oldest first. They are not part of the graph, and nobody has looked behind
    them.
    """
    found = server_of(request).service.pingbacks(target, cursor, limit)
    return Response(msgspec.json.encode(found), media_type="application/json")


async def pingback(request: Request, target: Target) -> Response:
    """Take a list of URIs under which others keep provenance of this node; Link headers with an anchor may
    tell of services to ask (PROV-AQ, section 5). They are kept and shown, and never fetched.
    """
    server = server_of(request)
    data = await server.intake.read(request)
    try:
        return await run_in_threadpool(_taken, server, request, target, data)
    finally:
        server.intake.done(len(data))


def _taken(server: Server, request: Request, target: str, data: bytes) -> Response:
    kind = media_type(request)
    if kind != LIST and (data or kind):
        raise Unsupported(kind or "a body without Content-Type", f"send {LIST}", ("Accept", LIST))
    links = [*_listed(data), *_linked(request)]
    if not links:
        raise Unreadable("body", "it names no URI", "send one URI a line, or Link headers")
    if len(links) > MOST:
        raise TooLarge("the links of this pingback", str(MOST), "send them in several requests")
    server.service.pingback(target, links, server.principal)
    return Response(status_code=204)


def _listed(data: bytes) -> list[SentLink]:
    """The URIs of a text/uri-list (RFC 2483, section 5): one a line, # before comments."""
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start}", "the text is not UTF-8", "send UTF-8") from None
    found = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    named = [(number, line) for number, line in found if line and not line.startswith("#")]
    return [SentLink("has_provenance", _checked(line, f"line {number}")) for number, line in named]


def _linked(request: Request) -> list[SentLink]:
    links = linking.read(request.headers.getlist("link"))
    return [
        SentLink(
            _RELATIONS[name], _checked(link.uri, "Link"), link.anchor and _checked(link.anchor, "anchor")
        )
        for link in links
        for name in link.relations
        if name in _RELATIONS
    ]


def _checked(uri: str, where: str) -> str:
    """A URI that may be kept; raises :class:`Unreadable`."""
    if len(uri) > LONGEST:
        raise Unreadable(where, f"the URI has {len(uri)} characters", f"send at most {LONGEST}")
    if uri.partition(":")[0].lower() not in SCHEMES:
        shown = uri[:60]
        raise Unreadable(
            where, f"{shown!r} is no URI with one of the schemes {', '.join(SCHEMES)}", "send such"
        )
    if not is_iri(uri):
        raise Unreadable(where, f"{uri[:60]!r} is no URI", "percent-encode what a URI may not hold")
    return uri
