"""Relations that lack an argument which PROV-DM requires.

They are in use: a relation may be partly known. One that has an id, or a subject, is kept and remarked on.
One that has neither says nothing of anything, and is refused.
"""

from __future__ import annotations

from provmodel.documents.faults import Trouble
from provmodel.relations import MENTION, Term


def required(term: Term) -> tuple[int, ...]:
    """The positions among a statement's arguments that PROV-DM requires (of a mention not the bundle)."""
    needed = [number for number, argument in enumerate(term.arguments, 1) if not argument.optional]
    return (0, *(needed[:1] if term is MENTION else needed))


def lacking(term: Term, argument: str) -> Trouble:
    """What to say of a relation without this argument."""
    return Trouble(f"{term.name} lacks {argument}, which PROV-DM requires", f"give {argument}")
