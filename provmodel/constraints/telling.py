"""Statements, names and events in words, for those who read a verdict."""

from __future__ import annotations

from collections.abc import Mapping

from provmodel.constraints.facts import Facts
from provmodel.document import PROV, XSD, Element, Statement, named
from provmodel.lexical import CLEW
from provmodel.relations import TERMS

NOUNS: dict[str, str] = {
    "wasGeneratedBy": "generation",
    "used": "usage",
    "wasInformedBy": "communication",
    "wasStartedBy": "start",
    "wasEndedBy": "end",
    "wasInvalidatedBy": "invalidation",
    "wasDerivedFrom": "derivation",
    "wasAttributedTo": "attribution",
    "wasAssociatedWith": "association",
    "actedOnBehalfOf": "delegation",
    "wasInfluencedBy": "influence",
    "specializationOf": "specialization",
    "alternateOf": "alternate",
    "hadMember": "membership",
    "mentionOf": "mention",
}
"""What the relation of each term is called."""

NOUN_OF = tuple(NOUNS.get(term.name, "derivation") for term in TERMS)
"""The noun of each term, by index."""


MOST_STATEMENTS = 100
"""As many are told of one reason."""

_EVIDENCE = CLEW + "evidence"  # says in an export how well a relation is known


def with_article(noun: str) -> str:
    """Such as "an influence"."""
    return f"{'an' if noun[0] in 'aeiou' and noun != 'usage' else 'a'} {noun}"


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning."""
    return sentence[0].upper() + sentence[1:]


class Teller:
    """Words for what ``facts`` hold. ``prefixes`` shorten IRIs; those of PROV and XML Schema always do. Ids
    of relations that begin with ``made`` were made by a program, say nothing to a reader, and are left out.
    """

    def __init__(self, facts: Facts, prefixes: Mapping[str, str], made: str = "") -> None:
        self._facts, self._made = facts, made
        given = {"prov": PROV, "xsd": XSD, **prefixes}
        self._namespaces = sorted(
            ((space, prefix) for prefix, space in given.items() if space),
            key=lambda one: (-len(one[0]), one[1]),
        )

    def name(self, iri: str) -> str:
        """An IRI with its prefix, in angle brackets when none fits; a blank name as it is."""
        if iri.startswith("_:"):
            return iri
        for space, prefix in self._namespaces:
            if iri.startswith(space) and len(iri) > len(space):
                return f"{prefix}:{iri[len(space) :]}" if prefix else iri[len(space) :]
        return f"<{iri}>"

    def statement(self, number: int) -> str:
        """A statement as PROV-N without its attributes, and how well it is known if it says so; of an
        implied one, that which implies it.
        """
        one = self._facts.all[self._facts.source(number)]
        return self._element(one) if isinstance(one, Element) else self._relation(one) + _known(one)

    def statements(self, *numbers: int) -> tuple[str, ...]:
        """Several, each once, in the order of the document; at most :data:`MOST_STATEMENTS`, the first."""
        sources = sorted({self._facts.source(number) for number in numbers})
        return tuple(self.statement(number) for number in sources[:MOST_STATEMENTS])

    def _element(self, one: Element) -> str:
        times = f", {one.start or '-'}, {one.end or '-'}" if one.start or one.end else ""
        return f"{one.kind.word}({self.name(one.id)}{times})"

    def _relation(self, one: Statement) -> str:
        written: list[str | None] = [*one.arguments, *([one.time] if one.term.timed else [])]
        while written and written[-1] is None:
            written.pop()
        last = len(one.arguments)
        given = [
            value if value is not None and place == last else self._argument(value)
            for place, value in enumerate(written)
        ]
        identity = f"{self.name(one.id)}; " if one.id and not self._is_made(one.id) else ""
        return f"{one.term.name}({identity}{', '.join(given)})"

    def _is_made(self, name: str) -> bool:
        return bool(self._made) and name.startswith(self._made)

    def _argument(self, value: str | None) -> str:
        return "-" if value is None or named(value) is None else self.name(value)


def _known(one: Statement) -> str:
    said = sorted({value.value for name, value in one.attributes if name == _EVIDENCE})
    return f" ({', '.join(said)})" if said else ""
