"""Relations that lack an argument which PROV-DM requires.

They are in use: a relation may be partly known. One that has an id, or a subject, is kept and remarked on.
One that could have an id but has neither says nothing of anything, and is refused. Those that never have an
id are left to validation.
"""

from __future__ import annotations

from provmodel.documents.faults import Trouble
from provmodel.documents.scope import BLANK
from provmodel.relations import MENTION, Term


def required(term: Term) -> tuple[int, ...]:
    """The positions among a statement's arguments that PROV-DM requires (of a mention not the bundle)."""
    needed = [number for number, argument in enumerate(term.arguments, 1) if not argument.optional]
    return (0, *(needed[:1] if term is MENTION else needed))


def lacking(term: Term, argument: str) -> Trouble:
    """What to say of a relation without this argument."""
    return Trouble(f"{term.name} lacks {argument}, which PROV-DM requires", f"give {argument}")


def is_void(term: Term, place: int, name: str | None) -> bool:
    """True when a relation called ``name`` that lacks the argument at ``place`` says nothing of anything."""
    return place == 0 and term.attributes and (not name or name.startswith(BLANK))
