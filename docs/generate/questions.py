"""``reference/questions.md``: every question of the shelf, its parameters, and its answer over the story."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from app.content.keys import Keys
from app.content.vault import Vault
from app.demo import STORY
from docs.generate.markdown import code, document, made, prose, table
from docs.generate.meanings import FLOWS, GAPS
from docs.generate.spelling import fields, spell, structs
from provmodel.decoding import decode_event, split_items
from provmodel.relations import BY_NAME, Flow
from provmodel.settling import settle
from queries import shelf
from queries.answer import Answer, Graphed
from queries.gaps import KINDS
from queries.lineage import LINEAGE
from queries.memory import Arrived, MemoryGraph
from queries.policy import POLICIES, SHAPE, Policy
from queries.question import Asked, Parameter, Question, parameters_of


def page() -> str:
    """The page."""
    return document(_lines())


def _lines() -> Iterator[str]:
    yield made("queries/questions")
    yield from (*_HEAD.splitlines(), "")
    yield from table(
        ("question", "asks"),
        [
            (f"[`{question.name}`](#{question.name})", question.sentence)
            for question in shelf.everything().values()
        ],
    )
    yield from _common()
    for question in shelf.everything().values():
        yield from _question(question)


_HEAD = """
# Questions

Each question is asked in the same words everywhere: `clew ask <question> --target <reference>`, `GET
/v1/questions/<question>?target=<reference>`, or the MCP tool of the same name. All give the same answer.
A plain walk, with no question read into it, is `clew lineage`, `GET /v1/lineage`, and the tool `lineage`.
"""


def _common() -> Iterator[str]:
    yield from ("## Parameters", "", "Every question takes these.", "")
    yield from _parameters(parameters_of(Asked))
    yield from (*_ANSWER.splitlines(), "")
    yield from _keys(Graphed, set())
    yield from (prose(Graphed.__doc__), "")
    yield from _parts(_inside(Graphed))
    yield from (
        "### Gaps",
        "",
        "A gap is `{kind, count, example}`. Each kind is another way not to know.",
        "",
    )
    yield from table(("kind", "means"), [(f"`{kind}`", GAPS[kind]) for kind in KINDS])
    yield from _policies()


def _policies() -> Iterator[str]:
    yield from ("### Policies", "", prose(inspect.getdoc(Policy)), "")
    yield from table(
        ("policy", "direction", "crosses", "lists"),
        [
            (
                f"`{policy.name}`",
                policy.direction,
                ", ".join(policy.terms or policy.flows),
                ", ".join(policy.conditions),
            )
            for policy in POLICIES.values()
        ],
    )
    yield from (*_OWN.splitlines(), "")
    yield from table(("flow", "has"), [(f"`{flow}`", FLOWS[flow]) for flow in (flow.word for flow in Flow)])
    yield from ("The terms are " + ", ".join(f"`{term}`" for term in BY_NAME) + ".", "")
    yield from code(f"$ clew ask inputs-of --target report:late-fees-february --policy '{SHAPE}'", "console")


def _question(question: Question[Any, Any]) -> Iterator[str]:
    yield from (f"## {question.name}", "", f"*{question.sentence}*", "", prose(type(question).__doc__), "")
    common = {parameter.name for parameter in parameters_of(Asked)}
    own = [parameter for parameter in question.parameters() if parameter.name not in common]
    yield from _parameters(own)
    yield from ("Of its own it answers:", "")
    yield from _keys(question.graphed, {field.encode_name for field in fields(Graphed)})
    yield from (prose(question.graphed.__doc__), "")
    yield from _parts([part for part in _inside(question.graphed) if part not in _inside(Graphed)])
    yield from ("Over the story that ships:", "")
    yield from code(f"$ {command(question)}\n" + "\n".join(told(question)), "console")


def command(question: Question[Any, Any]) -> str:
    """The example of a question, as it is typed."""
    words = ["clew", *([] if question is LINEAGE else ["ask"]), question.name]
    for name, value in question.example.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [f"--{name.replace('_', '-')}", str(one)]
    return shlex.join(words)


def told(question: Question[Any, Any]) -> list[str]:
    """What the question says of its example, over the story."""
    answer: Answer[Any] = question.answer(story(), question.read(question.example))
    return question.sentences(answer)


_OWN = """
A question looks one way, and takes policies of that direction: `impact`, or an own one that leads forward,
for `impact-of`, `survivors-of` and `adopted-results`; `why`, `who`, `derivation`, or an own one that leads
backward, for the others. `how-known` and plain lineage take both. An own policy is a JSON object of
`direction`, `flows`, `terms` and `conditions`. Flows and conditions are of these:
"""


_ANSWER = """
## What every answer holds

`{"question": .., "graph": {..}, "availability": {..}}`. `graph` is fixed by as_of, parameters and version: it
is reproduced byte for byte, ordered by depth and reference. `availability` says which content can be read
now, and when that was looked up. `graph` has:
"""


def _inside(struct: type[msgspec.Struct]) -> list[type[msgspec.Struct]]:
    """The Structs that stand inside another, each once."""
    found: dict[type[msgspec.Struct], None] = {}
    waiting = [field.type for field in fields(struct)]
    while waiting:
        for kind in structs(waiting.pop(0)):
            if kind not in found:
                found[kind] = None
                waiting += [field.type for field in fields(kind)]
    return list(found)


def _parts(parts: list[type[msgspec.Struct]]) -> Iterator[str]:
    rows = [
        (
            f"`{part.__name__}`",
            ", ".join(f"`{field.encode_name}`" for field in fields(part)),
            prose(part.__doc__),
        )
        for part in parts
    ]
    yield from table(("part", "keys", "is"), rows)


@cache
def story() -> MemoryGraph:
    """The story that ships, in memory."""
    vault, graph = Vault(Keys(bytes(32))), MemoryGraph()
    for raw in split_items(STORY.read_bytes()):
        taken = vault.take_out("default", settle(decode_event(raw), vault.tagger("default")))
        graph.add(Arrived(taken.event, taken.computed, texts=vault.labels("default", taken)))
    return graph


def _parameters(parameters: tuple[Parameter, ...] | list[Parameter]) -> list[str]:
    return table(
        ("parameter", "holds", "meaning"),
        [
            (f"`{one.name}`", one.kind + (", repeatable" if one.repeatable else ""), _described(one))
            for one in parameters
        ],
    )


def _described(parameter: Parameter) -> str:
    words = ", ".join(f"`{word}`" for word in parameter.allowed if word)
    more = f" One of {words}." if words else ""
    default = parameter.default
    left_out = "" if default in (None, "", (), False) else f" Left out: `{default}`."
    return parameter.description + more + left_out


def _keys(graphed: type[msgspec.Struct], known: set[str]) -> list[str]:
    return table(
        ("key", "holds"),
        [
            (f"`{field.encode_name}`", spell(field.type))
            for field in fields(graphed)
            if field.encode_name not in known
        ],
    )
