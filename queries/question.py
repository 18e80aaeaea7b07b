"""What a question must have to stand on the shelf, and the parameters that all of them share.

A question is one file in ``queries/questions/`` with one class::

    class Params(Asked, frozen=True, kw_only=True):          # or Asked itself
        since: Annotated[str, Meta(description="...")] = ""

    class WhoAuthorized(Question[Params, Who]):              # Who is a subclass of queries.answer.Graphed
        name = "who-authorized"
        sentence = "Who authorized what was written, and did the authorization cover it?"
        params = Params
        example = {"target": ["ledger:account-4711"]}     # over the story that ships

        def answer(self, graph: Graph, params: Params) -> Answer[Who]:
            scope = self.scope(graph, params)                 # as_of, evidence, policy, starts, all checked
            ...

        def sentences(self, answer: Answer[Who]) -> list[str]: ...

From ``params`` (a frozen struct whose fields have a default, a description and their allowed values) come
the REST query parameters, the command line's options, the MCP tool's schema and the reference page:
:meth:`Question.parameters`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from provmodel.errors import BadQuestion, NotFound, one_of
from provmodel.events import TIME_PATTERN
from provmodel.evidence import ALL_EVIDENCE, ORDER, Evidence
from provmodel.explaining import explained
from provmodel.relations import Kind, kind_words
from queries import cursor, limits
from queries.answer import Answer, EvidenceUsed, Graphed, Target
from queries.concerning import concerned
from queries.cursor import Position
from queries.graph import Graph, Unchecked
from queries.policy import POLICIES, Policy, read_policy
from queries.targets import Chosen, choose

DEFAULT_DEPTH = 40
DEFAULT_NODES = 20_000
MOST = 1_000_000
DEFAULT_MILLISECONDS = 2_000
MOST_MILLISECONDS = 600_000
_SEQ = re.compile(r"[0-9]{1,100}")
_TIME = re.compile(TIME_PATTERN.removesuffix("$"))
_HALF = re.compile("[\ud800-\udfff]")
"""A surrogate: what is left of bytes that are not UTF-8, or half of a character."""
PROV_KINDS = kind_words(sum(Kind))
EvidenceWord = Literal["verified", "observed", "declared", "inferred"]
Fold = Literal["", "run", "agent"]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters that every question takes."""

    target: Annotated[
        tuple[str, ...],
        Meta(
            description="What is asked about: a version, a thing (its newest version answers), "
            "or an unambiguous suffix."
        ),
    ] = ()
    evidence: Annotated[
        tuple[EvidenceWord, ...],
        Meta(
            description="Cross only edges that one of these kinds of evidence supports; "
            "none given means all four."
        ),
    ] = ()
    policy: Annotated[
        str | Policy,
        Meta(
            description="Which relations to cross: why, impact, who, derivation, or a JSON object; "
            "empty: the question's own."
        ),
    ] = ""
    expand: Annotated[
        tuple[str, ...],
        Meta(
            description="Hubs (over 1,000 neighbours one way) to expand all the same; named as targets are."
        ),
    ] = ()
    include_refuted: Annotated[
        bool,
        Meta(
            description="Also cross edges whose best refuting evidence is at least their best supporting one."
        ),
    ] = False
    as_of: Annotated[
        str | int,
        Meta(
            description="Answer as it was known then: a seq of the log, or an RFC 3339 time by which it had "
            "arrived; empty: now."
        ),
    ] = ""
    depth: Annotated[int, Meta(ge=0, le=MOST, description="How many activities deep to walk.")] = (
        DEFAULT_DEPTH
    )
    max_nodes: Annotated[int, Meta(ge=1, le=MOST, description="How many nodes to answer with at most.")] = (
        DEFAULT_NODES
    )
    part: Annotated[
        str,
        Meta(
            description="Only what is recorded of this part of the target: a JSON pointer (/total), "
            "or a range such as char:10-42, line:3-8 or byte:0-99; elsewhere the whole stands in, "
            "and the answer says so."
        ),
    ] = ""
    fold: Annotated[
        Fold,
        Meta(
            description="Let one node for each run, or for each agent, stand for what it did and made; "
            "name it in expand to see that."
        ),
    ] = ""
    deadline: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_MILLISECONDS,
            description="Milliseconds for the walk; then it is cut at a whole level, and the cursor goes on.",
        ),
    ] = DEFAULT_MILLISECONDS
    cursor: Annotated[str, Meta(description="Go on where the answer that gave this cursor was cut.")] = ""
    view: Annotated[
        Literal["full", "ids"],
        Meta(description="full: nodes and edges with their assertions; ids: references alone."),
    ] = "full"


class Parameter(msgspec.Struct, frozen=True):
    """One parameter as the faces show it.

    ``kind`` is text, integer or flag; ``allowed`` lists the only values, if any.
    """

    name: str
    kind: Literal["text", "integer", "flag"]
    repeatable: bool
    default: Any
    description: str
    allowed: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None


class Table(NamedTuple):
    """What an answer is about, a row each: the names of the columns, and a text for each of them in a row."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


class Scope(msgspec.Struct, frozen=True):
    """A question made ready: every common parameter read and checked.

    ``asked`` is the digest by which a cursor knows its question; ``unchecked`` says what could not be read.
    """

    as_of: int
    evidence: frozenset[Evidence]
    policy: Policy
    starts: tuple[Chosen, ...]
    asked: bytes = b""
    position: Position = Position()
    expand: frozenset[int] = frozenset()
    unchecked: tuple[Unchecked, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(start.id for start in self.starts)

    def targets(self) -> tuple[Target, ...]:
        return tuple(target_of(start) for start in self.starts)

    def used(self) -> EvidenceUsed:
        return EvidenceUsed(set=tuple(word for word in ORDER if Evidence[word.upper()] in self.evidence))


def target_of(start: Chosen) -> Target:
    """How a target was found, as answers tell it."""
    return Target(start.asked, start.ref, start.found, start.others, start.record)


P = TypeVar("P", bound=Asked)
S = TypeVar("S", bound=msgspec.Struct)
G = TypeVar("G", bound=Graphed)


class Question(ABC, Generic[P, G]):
    """One named question. Subclasses set the class variables and write the two methods."""

    name: ClassVar[str]
    sentence: ClassVar[str]
    params: ClassVar[type[Asked]]
    graphed: ClassVar[type[Graphed]]
    policy: ClassVar[str] = "why"
    both_ways: ClassVar[bool] = False
    """Whether a policy of either direction answers it; else one of the direction of its own."""
    needs: ClassVar[int] = 1
    """How many targets it must be given; 0: without one it is about all that the tenant has."""
    along_any: ClassVar[bool] = False
    """Whether it is asked along whichever policy, so that none leaves out anything of it."""
    of_runs: ClassVar[bool] = False
    """Whether its targets are runs."""
    of_subjects: ClassVar[bool] = False
    """Whether a record about something (a retraction, a verification) stands for that as a target."""
    example: ClassVar[Mapping[str, Any]]

    @abstractmethod
    def answer(self, graph: Graph, params: P) -> Answer[G]:
        """Answer; raises NotFound, Ambiguous or BadQuestion for what the reader must put right."""

    @abstractmethod
    def sentences(self, answer: Answer[G]) -> list[str]:
        """The answer in a few plain sentences that also name what is missing."""

    def table(self, answer: Answer[G]) -> Table | None:
        """The answer as rows, where it is about something else than the nodes that it found."""
        return None

    def scope(self, graph: Graph, params: P, policy: str = "") -> Scope:
        """Read the common parameters; raises :class:`BadQuestion`, NotFound or Ambiguous."""
        if params.fold and params.view == "ids":
            raise BadQuestion("fold", "references alone can't be folded", "ask with view=full")
        if len(params.target) < self.needs:
            raise self.miscounted(len(params.target))
        asked = cursor.digest_of(self.name, params, graph.tenant)
        as_of, position = _when(graph, params, asked)
        starts = tuple(self._starts(graph, params.target, as_of))
        expand = expanded(graph, params.expand, as_of)
        evidence = frozenset(Evidence[word.upper()] for word in params.evidence) or ALL_EVIDENCE
        crossed = self._policy(params.policy or policy)
        return Scope(
            as_of=as_of,
            evidence=evidence,
            policy=crossed,
            starts=starts,
            asked=asked,
            position=position,
            expand=frozenset().union(*expand.values()),
            unchecked=(
                *(() if position.first else (limits.EARLIER,)),
                *limits.of_evidence(evidence),
                *(one for start in starts for one in limits.of_newest(start.ref, start.later)),
                *(() if self.along_any else limits.of_policy(crossed, POLICIES[policy or self.policy])),
                *(
                    Unchecked(f"expand {ref}", "no node of that name")
                    for ref in params.expand
                    if not expand[ref]
                ),
            ),
        )

    def _starts(self, graph: Graph, named: Sequence[str], as_of: int) -> list[Chosen]:
        """The targets, each once; for a record what it is about, where the question asks of that."""
        chosen = choose(graph, named, as_of)
        if not self.of_subjects:
            return chosen
        meant = [one for each in chosen for one in concerned(graph, each, as_of)]
        return list({one.id: one for one in meant}.values())

    def _policy(self, given: str | Policy) -> Policy:
        """The policy to walk by: the question's own, or one given that goes the way it asks."""
        own = POLICIES[self.policy]
        policy = read_policy(given) if given else own
        if not self.both_ways and policy.direction != own.direction:
            alike = ", ".join(name for name, one in POLICIES.items() if one.direction == own.direction)
            raise BadQuestion(
                "policy",
                f"{self.name} looks {own.direction}, and the policy {policy.name} leads {policy.direction}",
                f"use one of {alike}, or a JSON object whose direction is {own.direction}",
            )
        return policy

    def miscounted(self, given: int) -> BadQuestion:
        """What to say when so many different targets are given, and it needs others."""
        if self.needs == 1:
            return BadQuestion(
                "target", "a target is needed", "name a version, a thing or an unambiguous suffix"
            )
        what = "runs" if self.of_runs else "targets"
        return BadQuestion(
            "target",
            f"{self.needs} different {what} are needed, not {given}",
            "give target once for each of them",
        )

    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters with type, default, description and allowed values, in the order of the struct."""
        return parameters_of(self.params)

    def read(self, given: Mapping[str, Any]) -> P:
        """The parameters from a face's words (text, or lists of text); raises :class:`BadQuestion`."""
        return read_params(self.params, given)  # type: ignore[return-value]


def expanded(graph: Graph, named: Sequence[str], as_of: int) -> dict[str, set[int]]:
    """The nodes that each name stands for, found as targets are, and what bears the very name; none for a
    name that nothing has. Raises Ambiguous.
    """
    known = graph.ids(named, as_of) if named else {}
    found = {ref: {known[ref]} if ref in known else set() for ref in named}
    for ref, nodes in found.items():
        with suppress(NotFound):
            nodes.update(one.id for one in choose(graph, [ref], as_of, "expand"))
    return found


def _when(graph: Graph, params: Asked, asked: bytes) -> tuple[int, Position]:
    """As of when, and from where: a cursor goes on as of the seq at which its question was first answered."""
    if not params.cursor:
        return read_as_of(graph, params.as_of), Position()
    as_of, position = cursor.read(params.cursor, asked)
    if as_of > graph.head() or (params.as_of != "" and read_as_of(graph, params.as_of) != as_of):
        raise BadQuestion("cursor", f"it goes on as of {as_of}", "leave as_of out, or give that seq")
    return as_of, position


def read_as_of(graph: Graph, given: str | int) -> int:
    """The seq that ``as_of`` stands for, never beyond the head; raises :class:`BadQuestion`."""
    head = graph.head()
    if given == "":
        return head
    if isinstance(given, int) or _SEQ.fullmatch(given):
        seq = int(given)
        if not 0 <= seq <= head:
            remedy = f"give 0 to {head}, or a time"
            raise BadQuestion("as_of", f"the log ends at {head}, not at {seq}", remedy)
        return seq
    if not _TIME.fullmatch(given):
        remedy = f"give 0 to {head}, or a time such as 2026-03-01T09:00:00Z"
        raise BadQuestion("as_of", f"{given!r} is neither the number of a log entry nor a time", remedy)
    try:
        return graph.seq_at(given)
    except ValueError as error:
        raise BadQuestion(
            "as_of", f"{given!r} is not a time: {error}", "give a day of the calendar"
        ) from None


def read_kinds(parameter: str, given: Sequence[str]) -> frozenset[str]:
    """Kinds of node: entity, activity, agent, or a type such as clew:Attempt; raises :class:`BadQuestion`."""
    for kind in given:
        if kind not in PROV_KINDS and ":" not in kind:
            allowed = f"use {', '.join(PROV_KINDS)}, or a type with its prefix, such as clew:Attempt"
            raise BadQuestion(parameter, f"there is no kind {kind!r}", allowed)
    return frozenset(given)


def read_params(params: type[S], given: Mapping[str, Any]) -> S:
    """``given`` as the struct; a single text stands for a list of one.

    Raises :class:`BadQuestion` naming the parameter.
    """
    known = {parameter.name: parameter for parameter in parameters_of(params)}
    fields: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise BadQuestion(name, "there is no such parameter", f"use {', '.join(known)}")
        fields[name] = _as_given(known[name], value)
    return _convert(params, fields)


def _as_given(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, Mapping):
        value = msgspec.json.encode(value).decode()
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, Sequence) and any(isinstance(text, str) and _HALF.search(text) for text in texts):
        raise BadQuestion(parameter.name, "it holds what is no character", "give it in UTF-8")
    if parameter.repeatable:
        return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != 1:
            given = f"given {len(value)} times" if value else "given without a value"
            raise BadQuestion(parameter.name, given, "give it once")
        return value[0]
    return value


def _convert(params: type[S], fields: dict[str, Any]) -> S:
    try:
        return msgspec.convert(fields, type=params, strict=False)
    except msgspec.ValidationError as error:
        name, reason = explained(str(error))
        described = {parameter.name: parameter for parameter in parameters_of(params)}.get(name)
        raise BadQuestion(name or "question", _reason(described, reason), _remedy(described)) from None


def _reason(parameter: Parameter | None, reason: str) -> str:
    """What is wrong with a value; of a text that stands for no number or flag, just that."""
    if parameter is None or not reason.endswith("is expected, not a text"):
        return reason
    return {"integer": "it is no whole number", "flag": "it is neither true nor false"}.get(
        parameter.kind, reason
    )


def _remedy(parameter: Parameter | None) -> str:
    if parameter is None:
        return "see the reference of questions"
    if parameter.allowed:
        return one_of(parameter.allowed)
    if parameter.maximum is not None:
        return f"give {parameter.minimum} to {parameter.maximum}"
    return {"integer": "give a whole number", "flag": "give true or false"}.get(parameter.kind, "give a text")


@cache
def parameters_of(params: type[msgspec.Struct]) -> tuple[Parameter, ...]:
    """The fields of a parameter struct, as the faces show them."""
    info = msgspec.inspect.type_info(params)
    assert isinstance(info, msgspec.inspect.StructType)  # noqa: S101 - Asked is a Struct
    return tuple(_parameter(field) for field in info.fields)


def _parameter(field: msgspec.inspect.Field) -> Parameter:
    kind, description = field.type, ""
    if isinstance(kind, msgspec.inspect.Metadata):
        description = str((kind.extra_json_schema or {}).get("description", ""))
        kind = kind.type
    repeatable = isinstance(kind, msgspec.inspect.VarTupleType)
    if isinstance(kind, msgspec.inspect.VarTupleType):
        kind = kind.item_type
    return Parameter(
        name=field.encode_name,
        kind=_kind_word(kind),
        repeatable=repeatable,
        default=None if field.required else field.default,
        description=description,
        allowed=tuple(str(value) for value in kind.values)
        if isinstance(kind, msgspec.inspect.LiteralType)
        else (),
        minimum=kind.ge if isinstance(kind, msgspec.inspect.IntType) else None,
        maximum=kind.le if isinstance(kind, msgspec.inspect.IntType) else None,
    )


def _kind_word(kind: msgspec.inspect.Type) -> Literal["text", "integer", "flag"]:
    if isinstance(kind, msgspec.inspect.IntType):
        return "integer"
    return "flag" if isinstance(kind, msgspec.inspect.BoolType) else "text"
