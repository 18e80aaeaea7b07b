"""Turtle (W3C Recommendation, 25 February 2014) in the terms of PROV-O, as a stream: a block a node, then a
block a relation with its assertions, in the feed's order. No node is blank, so equal feeds give equal bytes.

Rules (docs/vocabulary.md explains them):

- A relation that isn't refuted has its plain triple, once for the same subject and object, and its qualified
  form with all arguments, named by its key. What a term implies is not written, but for one: a revision (or
  quotation) that carries data is plainly a derivation too, so that ``prov:wasDerivedFrom+`` crosses what the
  policy ``derivation`` crosses.
- The four terms without attributes are qualified by the PROV extension's classes.
- PROV-O infers the plain triple from a qualified form, so a refuted relation has neither: it is a
  ``clew:RefutedRelation`` that names its term and its ends.
- Every assertion is a ``clew:Assertion`` attributed to its asserter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring as text  # every escape of JSON is one of Turtle
from urllib.parse import quote

from provmodel.documents.rdf.spelling import visible
from provmodel.documents.rdf.vocabulary import ARGUMENT_NAMES
from provmodel.formats import Format
from provmodel.lexical import (
    CLEW,
    PROV,
    PROVEXT,
    RDF,
    RDFS,
    XSD,
    Memo,
    about,
    iri,
    is_plain,
    is_word,
)
from provmodel.relations import MENTION, TERMS, Flow, Kind, Term
from provmodel.statements import (
    Detail,
    ExportAssertion,
    ExportNode,
    ExportRelation,
    Feed,
    Head,
    More,
    Property,
    assertion_digest,
    chosen,
    descriptions,
    head_properties,
    instant,
    more_properties,
    node_properties,
    statement_properties,
    summed_up,
)

BATCH = 512  # blocks of one chunk: about 100 kB

_CLASSES = {
    mask: ", ".join(f"prov:{kind.word.capitalize()}" for kind in Kind if kind & mask)
    or "prov:Entity, clew:UnknownKind"
    for mask in range(8)
}
_PREDICATES = {
    "prov:label": "rdfs:label",
    "prov:startTime": "prov:startedAtTime",
    "prov:endTime": "prov:endedAtTime",
    "prov:value": "prov:value",
}
# What has a place in PROV-O for a resource alone.
_RESOURCES = {"prov:type": "a", "prov:location": "prov:atLocation"}
_TYPES = {"json": "rdf:JSON", "dateTime": "xsd:dateTime", "integer": "xsd:integer", "double": "xsd:double"}


def write(feed: Feed, detail: Detail) -> Iterator[bytes]:
    """Write what ``feed`` gives as Turtle."""
    writer = _Writer(feed, detail)
    blocks = writer.blocks
    yield writer.prefixes().encode()
    for _ in writer.batches():
        if blocks:
            yield visible("".join(blocks)).encode()
            blocks.clear()


_Write = Callable[[ExportRelation, str, str], None]


class _Writer:
    """Makes the blocks, and stops for them to be taken after every batch."""

    def __init__(self, feed: Feed, detail: Detail) -> None:
        self.feed = feed
        self.detail = detail
        self.base = feed.base
        self.about = about(feed.base)
        self.blocks: list[str] = []
        self.iris = Memo(self._iri)
        self.predicates = Memo(self._predicate)
        self.heads = Memo(self._head)
        self.said: Memo[tuple[int, int, str, str]] = Memo(
            lambda key: self.members(statement_properties(*key))
        )
        self.more: Memo[tuple[str, str]] = Memo(lambda key: self.members(more_properties((key,))))

    def prefixes(self) -> str:
        """The head of the document."""
        spaces = {"prov": PROV, "provext": PROVEXT, "clew": CLEW, "xsd": XSD, "rdf": RDF, "rdfs": RDFS}
        own = {f"{word}": f"{self.about}{word}/" for word in ("rel", "assertion", "description")}
        return "".join(f"@prefix {prefix}: <{space}> .\n" for prefix, space in {**spaces, **own}.items())

    def _iri(self, ref: str) -> str:
        return f"<{self.base}{ref}>" if is_plain(ref) else f"<{iri(ref, self.base)}>"

    def _predicate(self, name: str) -> str:
        """The property of an attribute; a producer's free name is one in Clew's space."""
        prefix, _, local = name.partition(":")
        if name in _PREDICATES or name[0] == "<":
            return _PREDICATES.get(name, name)
        if prefix in {"clew", "provext"} and is_word(local):
            return name
        own = f"attr/{quote(local, safe='')}" if prefix == "attr" else f"name/{quote(name, safe='')}"
        return f"<{self.about}{own}>"

    def members(self, properties: Iterable[Property]) -> str:
        """Properties as they follow others of the same subject."""
        found = ""
        for name, value, datatype in properties:
            if datatype == "string":
                found += f" ;\n  {self.predicates[name]} {text(value)}"
            elif datatype in _TYPES:
                found += f" ;\n  {self.predicates[name]} {text(value)}^^{_TYPES[datatype]}"
            else:
                found += (
                    f" ;\n  {_RESOURCES.get(name) or self.predicates[name]} {self._seldom(value, datatype)}"
                )
        return found

    def _seldom(self, value: str, datatype: str) -> str:
        """A value that is a term or a truth, or of a kind that only documents have."""
        if datatype == "iri":
            return self.iris[value]
        if datatype[0] == "@":
            return f"{text(value)}{datatype}"
        return f"{text(value)}^^{datatype}" if datatype[0] == "<" else value

    def batches(self) -> Iterator[None]:
        """Go through the nodes and the relations."""
        for number, node in enumerate(self.feed.nodes(), 1):
            self._node(node)
            if not number % BATCH:
                yield
        for term in TERMS:
            yield from self._relations(term)
        yield

    def _node(self, node: ExportNode) -> None:
        name = self.iris[node.ref]
        self.blocks.append(f"{name}\n  a {_CLASSES[node.kind]}{self.members(node_properties(node))} .\n")
        if self.detail == "all":
            for evidence, stance, asserter, source, event, stated, digest in descriptions(node):
                said = self.said[evidence, stance, "", source]
                self.blocks.append(
                    f"description:{digest}\n  a prov:Entity, clew:Description ;\n"
                    f"  clew:describes {name} ;\n"
                    f"  clew:stated {text(stated)}^^rdf:JSON{_event(event)}{said} ;\n"
                    f"  prov:wasAttributedTo {self.iris[asserter]} .\n"
                )

    def _relations(self, term: Term) -> Iterator[None]:
        """Write the relations of one term with their assertions; stop after every batch."""
        write_one = self._standing(term)
        refuted = self._refuted(term)
        detail = self.detail
        append = self.blocks.append
        summaries = enumerate(summed_up(self.feed.relations(term)), 1)
        for number, (relation, said, is_none, head, more) in summaries:
            local = f"{relation.key:016x}"
            tail = self._tail(head, more) if more else self.heads[head]
            (refuted if is_none else write_one)(relation, local, tail)
            for assertion in chosen(said, detail):
                append(
                    f"assertion:{local}-{assertion_digest(assertion)}\n  a prov:Entity, clew:Assertion ;\n"
                    f"  clew:relation rel:{local}{self._claim(assertion)} .\n"
                )
            if not number % BATCH:
                yield

    def _tail(self, head: Head, more: More) -> str:
        """What a relation says beside its arguments."""
        time = instant(head, more)
        at = f' ;\n  prov:atTime "{time}"^^xsd:dateTime' if time else ""
        if len(more) == 1:
            return f"{self.heads[head]}{at}{self.more['' if time else more[0][0], more[0][1]]}"
        return f"{self.heads[head]}{at}{self.members(more_properties(more, time))}"

    def _standing(self, term: Term) -> _Write:
        """Writes relations that stand: the plain triple, unless the last had it, and the qualified form."""
        qualified, class_ = term.qualified
        plain = f"prov:{term.name}"
        first, *rest = ARGUMENT_NAMES.get(term.name, ("prov:entity",))[: len(term.arguments)]
        derives = bool(term.json_name)  # a subtype of derivation
        iris, append = self.iris, self.blocks.append
        last: tuple[str, tuple[str | None, ...]] = ("", (None,))
        derived: tuple[str, str] = ("", "")

        def write_one(relation: ExportRelation, local: str, tail: str) -> None:
            nonlocal last, derived
            subject, arguments = relation.subject, relation.arguments
            before, last = last, (subject, arguments)
            head, body = iris[subject], ""
            if arguments[0] is not None:
                target = iris[arguments[0]]
                body = f" ;\n  {first} {target}"
                if subject != before[0] or arguments[0] != before[1][0]:
                    head = f"{head} {plain} {target} ;\n "
                if derives and relation.flow == Flow.DATA and derived != (subject, target):
                    derived = subject, target
                    head += f" prov:wasDerivedFrom {target} ;\n "
            for name, other in zip(rest, arguments[1:], strict=True):
                if other is not None:
                    body += f" ;\n  {name} {iris[other]}"
                    if term is MENTION and last != before:
                        head += f" prov:asInBundle {iris[other]} ;\n "
            append(f"{head} {qualified} rel:{local} .\nrel:{local}\n  a {class_}{body}{tail} .\n")

        return write_one

    def _refuted(self, term: Term) -> _Write:
        """Writes relations that are refuted."""
        names = ("clew:argument", *(f"clew:{argument.name}" for argument in term.arguments[1:]))

        def write_one(relation: ExportRelation, local: str, tail: str) -> None:
            ends = zip(names, relation.arguments, strict=True)
            body = "".join(f" ;\n  {name} {self.iris[end]}" for name, end in ends if end is not None)
            self.blocks.append(
                f"rel:{local}\n  a prov:Entity, clew:RefutedRelation ;\n  clew:term prov:{term.name} ;\n"
                f"  clew:subject {self.iris[relation.subject]}{body}{tail} .\n"
            )

        return write_one

    def _claim(self, one: ExportAssertion) -> str:
        """What an assertion's entity says beside its relation."""
        evidence, stance, asserter, method, source, event, time, attributes = one
        said = self.said[evidence, stance, method, source]
        more = self.more[time, attributes] if time or attributes else ""
        return f"{said}{_event(event)}{more} ;\n  prov:wasAttributedTo {self.iris[asserter]}"

    def _head(self, head: Head) -> str:
        """What relations of one shape say. In PROV-O a role is a resource; its text is by it."""
        found = ""
        for name, value, datatype in head_properties(head):
            if name == "prov:role":
                found += f" ;\n  prov:hadRole <{self.about}role/{quote(value, safe='')}>"
            found += self.members([("clew:role" if name == "prov:role" else name, value, datatype)])
        return found


def _event(event: str) -> str:
    return f" ;\n  clew:event {text(event)}" if event else ""


FORMAT = Format(
    name="turtle",
    title="Turtle (PROV-O)",
    media_types=("text/turtle", "application/x-turtle"),
    endings=(".ttl", ".turtle"),
    write=write,
)
