"""PROV-JSON (W3C Member Submission, 24 April 2013) as a stream: a record a line, sections in a fixed order.

Rules that the submission leaves open (docs/vocabulary.md explains them):

- ``t:`` names a tenant's nodes, ``about:`` what Clew says about them. A reference that no local name can hold
  is cut at its last separator; what stands before is declared as ``n1``, ``n2``, ... in code point order.
- A relation is named by its key. The four that carry no attributes are written plainly, and once more as an
  entity of the class that qualifies them. A refuted relation is none: it is a ``clew:RefutedRelation``.
- Every assertion is an entity ``clew:Assertion`` attributed to its asserter.

Entities are all written first. The other sections are made in the same pass and wait in a temporary file, so
that the feed's relations are read once and memory stays constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring as text
from tempfile import SpooledTemporaryFile
from typing import IO
from urllib.parse import quote

from provmodel.document import Bundle, Document
from provmodel.formats import Format, write_document
from provmodel.lexical import (
    CLEW,
    INVISIBLE,
    PROV,
    PROVEXT,
    RDF,
    XSD,
    Memo,
    about,
    iri,
    is_local,
    is_plain,
    is_word,
    split_iri,
)
from provmodel.relations import ATTRIBUTION, TERMS, Kind, Term
from provmodel.statements import (
    EXTENSION_ARGUMENTS,
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
    is_refuted,
    more_properties,
    node_properties,
    properties_of,
    statement_properties,
    summed_up,
)

BATCH = 512  # records between two chunks: about 100 kB
SPOOL = 1 << 20  # bytes that wait in memory before they wait in a file
COPY = 1 << 18  # bytes of one chunk that is copied from the file

SECTIONS: dict[str, list[Term]] = {}
"""Each section of relations and its terms; attributions are the last, since every assertion adds one."""
for _term in sorted(TERMS, key=lambda term: (term is ATTRIBUTION, term.index)):
    SECTIONS.setdefault(_term.json_name or _term.name, []).append(_term)

# PROV-DM 5.7.2: the attributes in PROV's own namespace that a record may have beside its formal ones.
_PROV_ATTRIBUTES = {"prov:label", "prov:location", "prov:role", "prov:type", "prov:value"}
_PROV_TIMES = {"prov:startTime", "prov:endTime"}
_SPACES = {PROV: "prov", XSD: "xsd", RDF: "rdf", CLEW: "clew"}
_TYPES = {
    "qname": "xsd:QName",
    "json": "rdf:JSON",
    "dateTime": "xsd:dateTime",
    "integer": "xsd:integer",
    "double": "xsd:double",
}


def visible(chunk: str) -> str:
    """Escape the characters that can't be seen: in JSON they stand in strings alone."""
    if chunk.isascii() and "\x7f" not in chunk:
        return chunk
    return INVISIBLE.sub(lambda found: "".join(f"\\u{unit:04x}" for unit in _utf16(found[0])), chunk)


def _utf16(character: str) -> Iterator[int]:
    raw = character.encode("utf-16-be")
    return (int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2))


class Names:
    """Turns references into quoted qualified names, and properties into members of a JSON object; the
    namespaces of odd names (those of ``more`` among them) are found beforehand.
    """

    def __init__(self, base: str, refs: Iterable[str], more: Iterable[str] = ()) -> None:
        self.base = base
        odd = {split_iri(iri(ref, base))[0] for ref in refs if not is_local(ref)} | set(more)
        self._known = {**_SPACES, base: "t", about(base): "about"}
        new = sorted(odd - self._known.keys())
        self.spaces = {**self._known, **{space: f"n{number}" for number, space in enumerate(new, 1)}}
        self.quoted = Memo(self._quoted)
        self.keys = Memo(self._key)

    def _quoted(self, ref: str) -> str:
        if is_plain(ref):
            return f'"t:{ref}"'
        if is_local(ref):
            return text(f"t:{ref}")
        space, local = split_iri(iri(ref, self.base))
        return text(f"{self.spaces[space]}:{local}")

    def of_iri(self, whole: str) -> str | None:
        """The quoted name of an IRI; None when nothing was found beforehand that it could be in."""
        if whole.startswith(self.base) and is_local(whole[len(self.base) :]):
            return text(f"t:{whole[len(self.base) :]}")
        space, local = split_iri(whole)
        return text(f"{self.spaces[space]}:{local}") if space in self.spaces else None

    def _key(self, name: str) -> str:
        """The JSON key of an attribute: its qualified name, or one in Clew's space for a producer's free
        name.
        """
        prefix, _, local = name.partition(":")
        known = name in _PROV_ATTRIBUTES or name in _PROV_TIMES or prefix in {"clew", "provext"}
        if known and is_word(local):
            return f'"{name}"'
        if prefix == "attr":
            return f'"about:attr/{quote(local, safe="")}"'
        given = self.of_iri(name[1:-1]) if name[0] == "<" else None
        return given or f'"about:name/{quote(name, safe="")}"'

    def value(self, value: str, datatype: str) -> str:
        """The JSON of a value: native for strings and truth, typed for all others."""
        if datatype == "string":
            return text(value)
        if datatype == "boolean":
            return value
        if datatype in _TYPES:
            return f'{{"$":{text(value)},"type":"{_TYPES[datatype]}"}}'
        if datatype[0] == "@":
            return f'{{"$":{text(value)},"lang":"{datatype[1:]}"}}'
        if datatype == "iri":
            whole = iri(value, self.base)
            name = self.of_iri(whole)
            return f'{{"$":{name or text(whole)},"type":"{"xsd:QName" if name else "xsd:anyURI"}"}}'
        return f'{{"$":{text(value)},"type":{self.of_iri(datatype[1:-1]) or text(datatype[1:-1])}}}'

    def members(self, properties: Sequence[Property]) -> str:
        """Properties, ordered by name, as members of a JSON object, each after a comma; several values of a
        name are an array.
        """
        found = last = ""
        for name, value, datatype in properties:
            if name == last:
                return self._with_arrays(properties)
            last = name
            if datatype == "string":
                found += f",{self.keys[name]}:{text(value)}"
            else:
                found += f",{self.keys[name]}:{self.value(value, datatype)}"
        return found

    def _with_arrays(self, properties: Sequence[Property]) -> str:
        found: dict[str, dict[str, None]] = {}
        for name, value, datatype in properties:
            found.setdefault(self.keys[name], {})[self.value(value, datatype)] = None
        return "".join(
            f",{key}:[{','.join(values)}]" if len(values) > 1 else f",{key}:{next(iter(values))}"
            for key, values in found.items()
        )

    def prefixes(self, more: Mapping[str, str]) -> str:
        """The members of the prefix block."""
        fixed = {prefix: space for space, prefix in self._known.items()}
        odd = {prefix: space for space, prefix in self.spaces.items() if space not in self._known}
        declared = {**fixed, **more, **odd}
        return ",".join(f"{text(prefix)}:{text(space)}" for prefix, space in declared.items())


class _Section:
    """One section of the document, written to a file record by record; nothing is written of an empty one."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.name = name
        self.file = file
        self.before = f',\n"{name}":{{\n'
        self.lines: list[str] = []

    def flush(self) -> None:
        if self.lines:
            self.file.write(visible(self.before + ",\n".join(self.lines)).encode())
            self.before = ",\n"
            self.lines.clear()

    def close(self) -> None:
        self.flush()
        if self.before == ",\n":
            self.file.write(b"\n}")


def write(feed: Feed, detail: Detail) -> Iterator[bytes]:
    """Write what ``feed`` gives as PROV-JSON."""
    with SpooledTemporaryFile(SPOOL) as others, SpooledTemporaryFile(SPOOL) as attributions:
        writer = _Writer(feed, detail, others, attributions)
        yield visible(f'{{"prefix":{{{writer.names.prefixes(_extension(feed))}}}').encode()
        before = ',\n"entity":{\n'
        for lines in writer.entities():
            yield visible(before + ",\n".join(lines)).encode()
            before = ",\n"
        if before == ",\n":
            yield b"\n}"
        for file in (others, attributions):
            file.seek(0)
            while chunk := file.read(COPY):
                yield chunk
        yield from _bundles(feed, writer.names)
        yield b"\n}\n"


def _bundles(feed: Feed, names: Names) -> Iterator[bytes]:
    """What documents say: a bundle is written like a document, with the prefixes that it has."""
    before = ',\n"bundle":{\n'
    for bundle in feed.bundles():
        name = names.of_iri(bundle.id or "") or text(bundle.id or "")
        yield f"{before}{name}:".encode()
        alone = Document(Bundle(None, bundle.prefixes, bundle.statements))
        yield from (visible(chunk.decode()).encode() for chunk in write_document(alone, "prov-json")[0])
        before = ","
    if before == ",":
        yield b"}"


def _extension(feed: Feed) -> dict[str, str]:
    """The prefix of the extension, when a relation is there that needs it."""
    terms = (term for term in TERMS if term.qualified[0].startswith("provext:"))
    return {"provext": PROVEXT} if any(True for term in terms for _ in feed.relations(term)) else {}


class _Writer:
    """Makes the records. Entities come out batch by batch; the other sections go to a file, and attributions
    to one of their own, since every assertion adds one.
    """

    def __init__(self, feed: Feed, detail: Detail, others: IO[bytes], attributions: IO[bytes]) -> None:
        self.feed = feed
        self.detail = detail
        self.others = others
        self.names = Names(feed.base, feed.refs(), feed.namespaces())
        self.quoted = self.names.quoted
        self.heads: Memo[Head] = Memo(lambda head: members([*_types(head), *head_properties(head)]))
        self.said: Memo[_Shared] = Memo(lambda key: members(statement_properties(*key)))
        self.more: Memo[tuple[str, str]] = Memo(lambda given: members(more_properties((given,))))
        members = self.names.members
        self.lines: list[str] = []
        self.attributed = _Section("wasAttributedTo", attributions)

    def entities(self) -> Iterator[list[str]]:
        """Make every record, and give the entities in batches."""
        for section in self._sections():
            section.flush()
            self.attributed.flush()
            if self.lines:
                yield self.lines
                self.lines.clear()
        self.attributed.close()

    def _sections(self) -> Iterator[_Section]:
        """Go through the nodes and the relations; stop after every batch and at the end of a section."""
        for kind in (Kind.ENTITY, Kind.UNKNOWN, Kind.ACTIVITY, Kind.AGENT):
            section = _Section(kind.word, self.others)
            lines = section.lines if kind > Kind.ENTITY else self.lines
            for number, node in enumerate(self.feed.nodes(kind), 1):
                self._node(node, kind, lines)
                if not number % BATCH:
                    yield section
            yield section
            section.close()
        for name, terms in SECTIONS.items():
            section = self.attributed if name == self.attributed.name else _Section(name, self.others)
            for term in terms:
                for _ in self._relations(term, section.lines):
                    yield section
            yield section
            if section is not self.attributed:
                section.close()

    def _node(self, node: ExportNode, kind: Kind, lines: list[str]) -> None:
        properties = node_properties(node)
        times = ""
        if node.kind & Kind.ACTIVITY:
            # Formal attributes of an activity: a time as it is, without its type.
            own = [one for one in properties if one[0] in _PROV_TIMES]
            if own:
                properties = [one for one in properties if one[0] not in _PROV_TIMES]
            if kind == Kind.ACTIVITY:
                times = "".join([f',"{name}":"{value}"' for name, value, _ in own])
        elif not node.kind:
            properties = sorted([*properties, _UNKNOWN])
        if node.kind & (node.kind - 1):
            properties = properties_of(kind, node.kind, properties)
        name = self.quoted[node.ref]
        lines.append(f"{name}:{{{(self.names.members(properties) + times)[1:]}}}")
        if self.detail == "all" and not node.kind & (kind - 1):
            for evidence, stance, asserter, source, event, stated, digest in descriptions(node):
                said = self.said[evidence, stance, "", source]
                self._attribute(f"description/{digest}", asserter)
                self.lines.append(
                    f'"about:description/{digest}":{{"prov:type":{_DESCRIPTION},"clew:describes":{{"$":{name},'
                    f'"type":"xsd:QName"}},"clew:stated":{{"$":{text(stated)},"type":"rdf:JSON"}}{said}'
                    f"{_event(event)}}}"
                )

    def _attribute(self, local: str, asserter: str) -> None:
        self.attributed.lines.append(
            f'"_:{local}":{{"prov:entity":"about:{local}","prov:agent":{self.quoted[asserter]}}}'
        )

    def _relations(self, term: Term, lines: list[str]) -> Iterator[None]:
        """Write the relations of one term; stop after every batch."""
        write_one = self._plain(term, lines) if term.attributes else self._bare(term, lines)
        refuted = self._refuted(term)
        detail, heads, entity = self.detail, self.heads, self.lines.append
        summaries = enumerate(summed_up(self.feed.relations(term)), 1)
        for number, (relation, said, is_none, head, more) in summaries:
            local = f"{relation.key:016x}"
            tail = self._tail(head, more) if more else heads[head]
            (refuted if is_none else write_one)(relation, local, tail)
            for assertion in chosen(said, detail):
                name = f"assertion/{local}-{assertion_digest(assertion)}"
                entity(
                    f'"about:{name}":{{"prov:type":{_ASSERTION},"clew:relation":{{"$":"about:rel/{local}",'
                    f'"type":"xsd:QName"}}{self._claim(assertion)}}}'
                )
                self._attribute(name, assertion[2])
            if not number % BATCH:
                yield

    def _tail(self, head: Head, more: More) -> str:
        """What a relation says beside its arguments."""
        time = instant(head, more)
        at = f',"prov:time":"{time}"' if time else ""
        if len(more) == 1 and '"prov:' not in more[0][1]:
            given = ("", more[0][1]) if time else more[0]
            return f"{self.heads[head]}{at}{self.more[given]}"
        return at + self.names.members(
            sorted([*_types(head), *head_properties(head), *more_properties(more, time)])
        )

    def _plain(self, term: Term, lines: list[str]) -> _Write:
        """Writes relations that carry attributes."""
        subject_key = f'"prov:{term.subject}"'
        first, *rest = (f'"prov:{argument.name}"' for argument in term.arguments)
        quoted = self.quoted

        def write_one(relation: ExportRelation, local: str, tail: str) -> None:
            argument, *others = relation.arguments
            body = "" if argument is None else f",{first}:{quoted[argument]}"
            for key, other in zip(rest, others, strict=True):
                if other is not None:
                    body += f",{key}:{quoted[other]}"
            subject = quoted[relation.subject]
            lines.append(f'"about:rel/{local}":{{{subject_key}:{subject}{body}{tail}}}')

        return write_one

    def _bare(self, term: Term, lines: list[str]) -> _Write:
        """Writes relations that carry none: plainly, once for the same ends, and qualified as an entity."""
        plain = self._plain(term, lines)
        last: tuple[str, tuple[str | None, ...]] | None = None
        qualified = self._entity(("clew:subject", *EXTENSION_ARGUMENTS[term.name]))

        def write_one(relation: ExportRelation, local: str, tail: str) -> None:
            nonlocal last
            ends = relation.subject, relation.arguments
            if ends != last:
                plain(relation, local, "")
                lines[-1] = lines[-1].replace('"about:rel/', '"_:', 1)
            last = ends
            qualified(relation, local, tail)

        return write_one

    def _refuted(self, term: Term) -> _Write:
        """Writes relations that are refuted."""
        others = (f"clew:{argument.name}" for argument in term.arguments[1:])
        more = f',"clew:term":{{"$":"prov:{term.name}","type":"xsd:QName"}}'
        return self._entity(("clew:subject", "clew:argument", *others), more)

    def _entity(self, names: tuple[str, ...], more: str = "") -> _Write:
        """Writes a relation as an entity; its subject and arguments are attributes of these names."""
        quoted = self.quoted
        lines = self.lines

        def write_one(relation: ExportRelation, local: str, tail: str) -> None:
            ends = zip(names, (relation.subject, *relation.arguments), strict=True)
            body = "".join(
                f',"{name}":{{"$":{quoted[end]},"type":"xsd:QName"}}' for name, end in ends if end is not None
            )
            lines.append(f'"about:rel/{local}":{{{body[1:]}{more}{tail}}}')

        return write_one

    def _claim(self, one: ExportAssertion) -> str:
        """What an assertion's entity says beside its relation."""
        evidence, stance, _, method, source, event, time, attributes = one
        said = self.said[evidence, stance, method, source]
        more = self.more[time, attributes] if time or attributes else ""
        return f'{said},"clew:event":{text(event)}{more}' if event else f"{said}{more}"


_Shared = tuple[int, int, str, str]
_Write = Callable[[ExportRelation, str, str], None]
_UNKNOWN = ("prov:type", "clew:UnknownKind", "qname")
_ASSERTION = '{"$":"clew:Assertion","type":"xsd:QName"}'
_DESCRIPTION = '{"$":"clew:Description","type":"xsd:QName"}'


def _event(event: str) -> str:
    return f',"clew:event":{text(event)}' if event else ""


def _types(head: Head) -> list[Property]:
    """The type of a relation that is written as another, or as an entity."""
    term = TERMS[head[0]]
    name = "clew:RefutedRelation" if is_refuted(head) else term.json_type
    if not name and not term.attributes:
        name = term.qualified[1]
    return [("prov:type", name, "qname")] if name else []


FORMAT = Format(
    name="prov-json",
    title="PROV-JSON",
    media_types=("application/json", "application/provenance+json"),
    endings=(".prov.json", ".provjson", ".json"),
    write=write,
)
