"""Does a decision cover this attempt's write: its scope, its object, its arguments.

A decision *reaches* an attempt by its scope and object; a grant that reaches it *covers* it when nothing else
differs from what was granted: arguments, tool, tool definition, the state of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from provmodel import names
from provmodel.events import Write
from queries.authority.arguments import WHOLE, Tags, compare_all
from queries.authority.views import Action, Case, Decision, unique
from queries.graph import Unchecked

Side = Literal["pointer", "object", "scope"]


class Misfit(NamedTuple):
    """One way in which a decision does not cover an attempt; ``pointers`` for arguments that differ."""

    side: Side
    detail: str
    pointers: tuple[str, ...] = ()


class Coverage(NamedTuple):
    """How a decision fits an attempt: what keeps it from covering, and what could not be checked."""

    misfits: tuple[Misfit, ...]
    unchecked: tuple[Unchecked, ...] = ()


Check = Callable[[Decision, Case, Write | None], Iterator[Misfit | Unchecked]]


def reach(decision: Decision, case: Case, write: Write | None) -> Coverage:
    """Whether the decision is about this attempt at all, by scope and object."""
    return _run((_scope, _object), decision, case, write)


def cover(decision: Decision, case: Case, write: Write | None) -> Coverage:
    """Whether the grant covers the write: scope and object, and for the action it was asked for all that was
    granted.
    """
    own = (_tool, _before, _arguments) if is_own(decision, case) else ()
    return _run((_scope, _object, *own), decision, case, write)


def is_own(decision: Decision, case: Case) -> bool:
    """Whether the decision is about the very action of this attempt (one that names no action takes its
    decision's).
    """
    about = decision.event.action
    if about is None:
        return decision.ref in case.attempt.named and bool(decision.authorized or decision.shown)
    return about in case.attempt.actions or (not case.attempt.actions and decision.ref in case.attempt.named)


def granted(decision: Decision) -> tuple[Tags, ...]:
    """The arguments that a grant is for: those authorized and those shown; of a modification those it made.

    Without either, those that were proposed.
    """
    if decision.event.verdict == "modify":
        return decision.authorized
    given = (*decision.authorized, *decision.shown)
    return given or (decision.about.proposed if decision.about else ())


def _run(checks: Iterable[Check], decision: Decision, case: Case, write: Write | None) -> Coverage:
    found = [item for check in checks for item in check(decision, case, write)]
    return Coverage(
        tuple(item for item in found if isinstance(item, Misfit)),
        tuple(item for item in found if isinstance(item, Unchecked)),
    )


def _scope(decision: Decision, case: Case, write: Write | None) -> Iterator[Misfit | Unchecked]:
    del write
    listed = decision.event.scope.calls if decision.event.scope else ()
    if decision.scope == "calls" and listed:
        if not set(listed) & set(case.attempt.actions):
            yield Misfit("scope", f"it lists {_some(listed)}, not {_some(case.attempt.actions)}")
    elif is_own(decision, case) or decision.event.action in case.attempt.actions:
        return
    elif decision.scope == "session":
        yield from _session(decision, case)
    elif decision.scope == "sticky":
        yield from _sticky(decision, case)
    elif decision.event.action is not None or decision.ref not in case.attempt.named:
        mine = f", not for {_some(case.attempt.actions)}" if case.attempt.actions else ""
        yield Misfit("scope", f"it is for {decision.event.action or 'who names it'}{mine}")


def _session(decision: Decision, case: Case) -> Iterator[Misfit | Unchecked]:
    held = unique((decision.event.run, *(decision.about.runs if decision.about else ())))
    if not held:
        yield Unchecked(f"scope of {decision.ref}", "it holds for a session, and no run is named")
    elif not set(held) & set(case.runs()):
        yield Misfit("scope", f"it holds for run {_some(held)}, not for {_some(case.runs())}")


def _sticky(decision: Decision, case: Case) -> Iterator[Misfit | Unchecked]:
    """The same tool and object (checked beside this), asked by the same agent."""
    tools = decision.about.tools if decision.about else frozenset()
    askers = frozenset(asker for action in case.actions for asker in action.askers) or case.run_actors
    for what, theirs, ours in (
        ("tool", tools, case.attempt.tools),
        ("agent", decision.askers, askers),
    ):
        if not theirs or not ours:
            yield Unchecked(
                f"{what} of {decision.ref}", f"the {what} that a sticky grant is for is not recorded"
            )
        elif not theirs & ours:
            yield Misfit("scope", f"it is for {what} {_some(theirs)}, not {_some(ours)}")


def _object(decision: Decision, case: Case, write: Write | None) -> Iterator[Misfit | Unchecked]:
    if decision.event.object is None:
        return
    touched = unique((write.ref, write.before)) if write else case.targets()
    if not touched:
        yield Unchecked(f"object of {decision.ref}", "what the attempt wrote is not recorded")
        return
    granted_name = names.split(decision.event.object)
    same_thing = [ref for ref in touched if names.split(ref).thing == granted_name.thing]
    if not same_thing:
        yield from _other_object(granted_name, case, touched)
    elif granted_name.pin and not _any_same_state(granted_name.ref, (*same_thing, *_befores(case))):
        yield Misfit("object", f"it is for {granted_name.ref}; {touched[0]} was written")


def _other_object(
    granted_name: names.Name, case: Case, touched: tuple[str, ...]
) -> Iterator[Misfit | Unchecked]:
    """An action's own target vouches for an object under another scheme than what was written; nothing else
    does.
    """
    aimed = any(names.split(target).thing == granted_name.thing for target in case.targets())
    if aimed and names.split(touched[0]).scheme != granted_name.scheme:
        yield Unchecked(f"object {granted_name.ref}", f"{touched[0]} is named under another scheme")
    else:
        yield Misfit("object", f"it is for {granted_name.ref}; {touched[0]} was written")


def _tool(decision: Decision, case: Case, write: Write | None) -> Iterator[Misfit | Unchecked]:
    del write
    actions = _asked_for(decision, case)
    for what, asked, ran in (
        ("", frozenset(tool for action in actions for tool in action.tools), case.attempt.tools),
        ("definition ", frozenset(b for action in actions for b in action.bindings), case.attempt.bindings),
    ):
        if asked and ran and not asked & ran:
            yield Misfit("scope", f"{what}{_some(asked)} was asked for; {_some(ran)} ran")


def _before(decision: Decision, case: Case, write: Write | None) -> Iterator[Misfit | Unchecked]:
    """The state of the target when the action was asked for, against the state that the write replaced."""
    for stood in unique(ref for action in _asked_for(decision, case) for ref in action.targets_before):
        if write is None:
            continue
        if write.before is None and write.mode != "delete":
            yield Unchecked(f"state before {write.ref}", "the write does not say what it replaced")
            continue
        replaced = write.before or write.ref
        same = _same_state(stood, replaced)
        if same is None:
            yield Unchecked(f"state before {write.ref}", f"{stood} and {replaced} can't be compared")
        elif not same:
            yield Misfit("object", f"the target was {stood} when it was asked for; {replaced} was replaced")


def _arguments(decision: Decision, case: Case, write: Write | None) -> Iterator[Misfit | Unchecked]:
    del write
    compared = compare_all(granted(decision), case.attempt.executed)
    if decision.event.verdict == "modify" and not decision.authorized:
        yield from _unmodified(decision, case)
    elif compared.equal is None:
        yield Unchecked(f"arguments of {case.attempt.ref} under {decision.ref}", compared.why)
    elif not compared.equal:
        where = ", ".join(pointer for pointer in compared.pointers if pointer != WHOLE)
        detail = f"other values ran at {where}" if where else "other arguments ran"
        yield Misfit("pointer", detail, compared.pointers)


def _unmodified(decision: Decision, case: Case) -> Iterator[Misfit | Unchecked]:
    """A modification that was not recorded: all that can be told is whether the arguments ran as proposed."""
    proposed = decision.about.proposed if decision.about else ()
    if compare_all(proposed, case.attempt.executed).equal:
        yield Misfit("pointer", "the arguments ran as proposed, not as modified", (WHOLE,))
    else:
        yield Unchecked(
            f"arguments of {case.attempt.ref} under {decision.ref}", "what it modified is not recorded"
        )


def _asked_for(decision: Decision, case: Case) -> tuple[Action, ...]:
    if case.actions:
        return case.actions
    return (decision.about,) if decision.about else ()


def _befores(case: Case) -> tuple[str, ...]:
    return unique(ref for action in case.actions for ref in action.targets_before)


def _any_same_state(granted_ref: str, refs: Iterable[str]) -> bool:
    """Whether any is the state granted; states that can't be compared do not count against it."""
    found = [_same_state(granted_ref, ref) for ref in refs]
    return any(found) or all(same is None for same in found)


def _same_state(one: str, other: str) -> bool | None:
    """Whether two references name one state of a thing; ``None`` when their pins can't be compared."""
    first, second = names.split(one), names.split(other)
    if first.thing != second.thing or first.pin != second.pin:
        return None
    if not first.pin:
        return None
    return first.value == second.value


def _some(refs: Iterable[str]) -> str:
    return ", ".join(sorted(refs)) or "nothing named"
