"""Arguments compared pointer by pointer, by their keyed tags: proposed, shown, authorized, executed.

Tags of unlike algorithms or keys are *not comparable*, never different (model, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from provmodel.computed import (
    RUN_ALG,
    RUN_BYTES_ALG,
    TENANT_ALG,
    TENANT_BYTES_ALG,
    Computed,
    Value,
    without_key,
)
from provmodel.events import Args
from queries.graph import Report

WHOLE = ""
_OWN_ALGS = frozenset({RUN_ALG, RUN_BYTES_ALG, TENANT_ALG, TENANT_BYTES_ALG})
_RUN_ALGS = frozenset({RUN_ALG, RUN_BYTES_ALG})


class Tags(msgspec.Struct, frozen=True):
    """The tags of one set of arguments.

    ``run`` is the run under whose key they were made: "" for the tenant's, ``None`` when the producer, who
    made them, did not say. ``partial`` when not every leaf has its tag. ``also`` are those of the same
    arguments under the tenant's key.
    """

    alg: str
    run: str | None
    whole: str
    values: Mapping[str, str]
    partial: bool = False
    also: Tags | None = None


class Comparison(NamedTuple):
    """``equal`` is ``None`` when the two can't be compared, and ``why`` says why; ``pointers`` are those that
    differ.
    """

    equal: bool | None
    pointers: tuple[str, ...] = ()
    why: str = ""


SAME = Comparison(True)


def tags_of(report: Report, args: Args | None, where: str) -> Tags | None:
    """The tags of ``args``, which stand at ``where`` in the report's event; ``None`` when there are none."""
    if args is None:
        return None
    for item in report.computed:
        if item.where == where:
            return _computed_tags(item, report.event.run or "")
    if args.whole or args.by_pointer:
        alg = args.alg or ""
        run = report.event.run if without_key(alg)[0] in _OWN_ALGS else None
        return Tags(alg, run, args.whole or "", args.by_pointer or {}, partial=not args.by_pointer)
    return None


def _computed_tags(item: Computed, run: str) -> Tags:
    partial = bool(item.skipped)
    also = None
    bare, key = without_key(item.alg)
    if item.tenant_whole:
        alg = TENANT_BYTES_ALG if bare == RUN_BYTES_ALG else TENANT_ALG
        also = Tags(alg + key, "", item.tenant_whole, _plain(item.tenant_values), partial)
    made_in = run if bare in _RUN_ALGS else ""
    return Tags(item.alg, made_in, item.whole, _plain(item.values), partial, also)


def _plain(values: Mapping[str, Value]) -> dict[str, str]:
    return {pointer: value.tag for pointer, value in values.items()}


def compare(granted: Tags, executed: Tags) -> Comparison:
    """Whether two sets of arguments are the same, and at which JSON pointers they differ."""
    why = _incomparable(granted, executed)
    if why:
        again = [(one, other) for one in _forms(granted) for other in _forms(executed)]
        pair = next((pair for pair in again if not _incomparable(*pair)), None)
        return compare(*pair) if pair else Comparison(None, (), why)
    if granted.whole and granted.whole == executed.whole:
        return SAME
    changed = _changed(granted, executed)
    if changed:
        return Comparison(False, changed)
    if not (granted.whole and executed.whole):
        return (
            SAME
            if _full(granted) and _full(executed)
            else Comparison(None, (), "not every argument has its tag")
        )
    if _full(granted) and _full(executed):
        return Comparison(None, (), "each value is the same, the two texts are not")
    return Comparison(False, (WHOLE,))


def compare_all(granted: Sequence[Tags], executed: Sequence[Tags]) -> Comparison:
    """Each of ``granted`` with each of ``executed``: different if any pair is, the same only if all are."""
    found = [compare(one, other) for one in granted for other in executed]
    pointers = tuple(sorted({pointer for each in found for pointer in each.pointers}))
    if pointers:
        return Comparison(False, pointers)
    if found and all(each.equal for each in found):
        return SAME
    whys = sorted({each.why for each in found if each.why}) or ["no arguments were reported"]
    return Comparison(None, (), "; ".join(whys))


def disagree(one: Sequence[Tags], other: Sequence[Tags]) -> bool:
    """Whether some of the reports are of the same, and others are not: which of them holds is not known."""
    found = {compare(mine, theirs).equal for mine in one for theirs in other}
    return {True, False} <= found


def letters(pointer: str, sides: Iterable[Sequence[Tags]]) -> tuple[str, ...]:
    """One letter for each side's value at ``pointer``: equal letters, equal values; "" where none is known.

    Tags themselves never stand in an answer. A side with several variants has several letters.
    """
    given = [list(side) for side in sides]
    everyone = [tags for side in given for tags in side]
    if any(_incomparable(everyone[0], other) for other in everyone[1:]):
        given = [[tags.also or tags for tags in side] for side in given]
    known: dict[str, str] = {}
    return tuple("".join(dict.fromkeys(_letter(tags, pointer, known) for tags in side)) for side in given)


def _forms(tags: Tags) -> list[Tags]:
    return [tags, tags.also] if tags.also else [tags]


def _letter(tags: Tags, pointer: str, known: dict[str, str]) -> str:
    tag = tags.whole if pointer == WHOLE else tags.values.get(pointer, "")
    if not tag:
        return ""
    key = f"{tags.alg}\x1f{tags.run or ''}\x1f{tag}"
    return known.setdefault(key, chr(ord("A") + len(known) % 26))


def _incomparable(granted: Tags, executed: Tags) -> str:
    if granted.alg != executed.alg:
        return f"tags by {granted.alg or 'no named algorithm'} and by {executed.alg or 'no named algorithm'}"
    if granted.run is not None and executed.run is not None and granted.run != executed.run:
        return "tags under the keys of two runs"
    return ""


def _full(tags: Tags) -> bool:
    return bool(tags.values) and not tags.partial


def _changed(granted: Tags, executed: Tags) -> tuple[str, ...]:
    """Pointers whose tags differ, or that only one side has (when the other would have it)."""
    if not (granted.values and executed.values):
        return ()
    both = granted.values.keys() & executed.values.keys()
    changed = {pointer for pointer in both if granted.values[pointer] != executed.values[pointer]}
    if not executed.partial:
        changed |= granted.values.keys() - executed.values.keys()
    if not granted.partial:
        changed |= executed.values.keys() - granted.values.keys()
    return tuple(sorted(changed))
