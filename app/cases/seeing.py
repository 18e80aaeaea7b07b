"""A case as a reader sees it who may not see all that is affected: such items are counted, and not named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from app.cases.forms import Action, Changed, Delta, Found, Item, Run
from queries.answer import Target
from queries.hiding import Hiding


def found_seen(found: Found, hiding: Hiding) -> Found:
    """How an item is affected; of a way that leads over something hidden, not how well it is known."""
    path = tuple(hiding.shown(ref) for ref in found.path)
    nearest = hiding.shown(found.nearest)
    if path == found.path and nearest == found.nearest:
        return found
    return replace(found, path=path, nearest=nearest, evidence="", links=())


def item_seen(item: Item, hiding: Hiding) -> Item:
    return replace(item, found=found_seen(item.found, hiding), why=hiding.told(item.why))


def target_seen(target: Target, hiding: Hiding) -> Target:
    """What a name was taken for; of other versions those that are seen."""
    asked, record = hiding.covered(target.asked), hiding.covered(target.record)
    return replace(target, asked=asked, record=record, others=_seen(target.others, hiding))


def run_seen(run: Run, hiding: Hiding) -> Run:
    """An asking; its delta names what is seen alone."""
    missing = tuple(hiding.told(line) for line in run.missing)
    return replace(run, missing=missing, delta=_delta(run.delta, hiding))


def _delta(delta: Delta, hiding: Hiding) -> Delta:
    changed = [_changed(one, hiding) for one in delta.changed if not hiding.hides(one.ref)]
    why = {ref: hiding.told(told) for ref, told in delta.why.items() if not hiding.hides(ref)}
    return Delta(_seen(delta.new, hiding), _seen(delta.gone, hiding), tuple(changed), why)


def _changed(changed: Changed, hiding: Hiding) -> Changed:
    """A change; of one that has to do with something hidden only that there was one."""
    fields: Mapping[str, tuple[object, object]] = changed.fields
    hidden = any(hiding.hides(ref) for pair in fields.values() for side in pair for ref in _texts(side))
    return replace(changed, fields={}) if hidden else changed


def _texts(side: object) -> list[str]:
    if isinstance(side, str):
        return [side]
    return [one for one in side if isinstance(one, str)] if isinstance(side, list | tuple) else []


def _seen(refs: Iterable[str], hiding: Hiding) -> tuple[str, ...]:
    return tuple(ref for ref in refs if not hiding.hides(ref))


def action_seen(action: Action, hiding: Hiding) -> Action:
    return replace(action, ref="") if action.ref and hiding.hides(action.ref) else action
