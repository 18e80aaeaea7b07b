"""Citations held against what their call was sent.

A name without a version, and pins of unlike kinds, can't be compared: what was cited then may have been sent,
and the claim is *unclear*, never unsupported. So it is where what the call was sent is not recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from provmodel import names
from provmodel.evidence import WORDS, Evidence
from queries.authority.views import unique
from queries.claims.reading import Calls
from queries.graph import Graph
from queries.links import Link, weighed

_WORD = WORDS


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A source that ``output`` of ``call`` cites. ``evidence`` says how well it is known that it does;
    ``other_versions`` are versions of it that the call was sent; ``why`` tells what keeps it unclear.
    """

    ref: str
    output: str
    call: str
    run: str | None
    evidence: str
    other_versions: tuple[str, ...] = ()
    why: str = ""


class Uncited(msgspec.Struct, frozen=True):
    """A thing that ``call`` was sent, and that none of its outputs cites though they cite others."""

    ref: str
    call: str
    run: str | None


class Judged(msgspec.Struct):
    """The claims of some calls: ``supported`` counts those cited and sent; ``uncited`` are calls whose
    outputs cite nothing, ``veiled`` those of whose outputs that can't be told, for something is hidden.
    """

    cited_not_sent: list[Claim] = []
    sent_not_cited: list[Uncited] = []
    unclear: list[Claim] = []
    supported: int = 0
    uncited: list[str] = []
    veiled: list[str] = []


def judged_of(graph: Graph, as_of: int, evidence: frozenset[Evidence], calls: Iterable[int]) -> Judged:
    """The citations of these calls, read and judged."""
    read = Calls(graph, as_of, sorted(set(calls)), evidence)
    return judge(read, graph)


def judge(calls: Calls, graph: Graph) -> Judged:
    """Judge the citations of every call, in the order of their references."""
    judged = Judged()
    refs = graph.refs(sorted(calls.nodes.union(*(calls.sent(call) for call in calls.calls))))
    for call in sorted(calls.calls, key=lambda node: refs[node]):
        _judge(judged, calls, call, refs)
    for claims in (judged.cited_not_sent, judged.unclear):
        claims.sort(key=lambda claim: (claim.ref, claim.output, claim.call))
    judged.sent_not_cited.sort(key=lambda uncited: (uncited.ref, uncited.call))
    return judged


def _judge(judged: Judged, calls: Calls, call: int, refs: Mapping[int, str]) -> None:
    outputs = sorted(calls.made.get(call, ()), key=lambda node: refs[node])
    cited = [link for output in outputs for link in calls.cites.get(output, ())]
    if not calls.veiled.isdisjoint(outputs):
        judged.veiled.append(refs[call])
    elif outputs and not cited:
        judged.uncited.append(refs[call])
    if not cited:
        return
    sent = calls.sent(call)
    by_thing = _by_thing(refs[node] for node in sent)
    unknown = _unknown(calls, call, sent, refs)
    perhaps: set[str] = set()
    for link in weighed(cited, calls.evidence):
        if not link.supporting:
            continue
        same = tuple(
            ref for ref in by_thing[names.split(refs[link.target]).thing] if ref != refs[link.target]
        )
        if link.target in sent:
            judged.supported += 1
        else:
            unlike = _unclear(refs[link.target], same)
            perhaps.update(same if unlike else ())
            why = unlike or unknown
            into = judged.unclear if why else judged.cited_not_sent
            into.append(_claim(calls, call, link, refs, same, why))
    backed = _backed(calls, {link.target for link in cited})
    run = _run(calls, call)
    judged.sent_not_cited += [
        Uncited(refs[node], refs[call], run)
        for node in sent - backed - calls.contexts - calls.open
        if refs[node] not in perhaps
    ]


def _claim(
    calls: Calls, call: int, link: Link, refs: Mapping[int, str], same: tuple[str, ...], why: str = ""
) -> Claim:
    return Claim(
        ref=refs[link.target],
        output=refs[link.source],
        call=refs[call],
        run=_run(calls, call),
        evidence=_WORD[link.supporting],
        other_versions=same,
        why=why,
    )


def _run(calls: Calls, call: int) -> str | None:
    """The run of a call; of several, the first by name."""
    return min(unique(report.event.run for report in calls.reports.get(call, ())), default=None)


def _by_thing(refs: Iterable[str]) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for ref in sorted(refs):
        found[names.split(ref).thing].append(ref)
    return found


def _unclear(cited: str, same: Sequence[str]) -> str:
    """Why a version that was sent may be the one that was cited; "" when it is another for certain."""
    name = names.split(cited)
    for other in map(names.split, same):
        if not name.pin or not other.pin:
            return f"{other.ref if name.pin else cited} is named without a version"
        if name.pin != other.pin:
            return f"{cited} and {other.ref} are named by unlike versions"
        if name.value == other.value:
            return f"{cited} and {other.ref} have the same version"
    return ""


def _unknown(calls: Calls, call: int, sent: set[int], refs: Mapping[int, str]) -> str:
    """Why it isn't known what the call was sent; "" when it is."""
    if call in calls.veiled:
        return f"something that {refs[call]} was sent is hidden from you"
    if not sent:
        return f"{refs[call]} reports nothing that it was sent"
    wanting = sorted(refs[node] for node in sent & calls.open)
    return f"what {wanting[0]} holds was never recorded" if wanting else ""


def _backed(calls: Calls, cited: set[int]) -> set[int]:
    """What is cited, what stands in it, and the collections of which something is cited."""
    backed, waiting = set(cited), list(cited)
    while waiting:
        fresh = [node for node in calls.members.get(waiting.pop(), ()) if node not in backed]
        backed.update(fresh)
        waiting += fresh
    holders = {holder for holder, members in calls.members.items() if cited & set(members)}
    return backed | (holders - calls.contexts)
