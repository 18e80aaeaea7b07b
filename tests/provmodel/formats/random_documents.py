"""Random documents, as odd as a document may be."""

from __future__ import annotations

from hypothesis import strategies as st

from provmodel.document import (
    ABSENT_MARK,
    PROV,
    PROV_QUALIFIED_NAME,
    XSD,
    AnyStatement,
    Bundle,
    Document,
    Element,
    Extension,
    Literal,
    Statement,
)
from provmodel.documents.scope import is_iri
from provmodel.relations import TERMS, Kind, Term

SPACES = (
    "http://example.org/",
    "http://example.org/runs#",
    "urn:x-test:",
    "http://example.org/a?b=1&c=",
    "http://camflow.org",
    "http://prov.example/",
)
PREFIXES = ("", "ex", "run", "EX2", "pré", "a.b", "default", "ns1", "n1", "1x", "bundle", "xs")
_CHARACTERS = "aZ09-._~:/?@!$&'()*+,;=é报"
_TYPES = ("", "string", "int", "double", "boolean", "dateTime", "anyURI", "token", "base64Binary")

locals_ = st.text(_CHARACTERS, max_size=6)
iris = st.builds("".join, st.tuples(st.sampled_from(SPACES), locals_)).filter(is_iri)
blanks = st.sampled_from(["_:a", "_:b1", "_:x-y"])
names = st.one_of(iris, iris, iris, blanks)
texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.sampled_from(
        ['"', "\\", "'", "\r\n", "\x00\x01", " a ", "]]>", "<a>&b;", "\\u0041", '"""', "", "%%", "\ufffe"]
    ),
)
languages = st.sampled_from(["en", "fr-CA", "zh-Hans"])
times = st.sampled_from(
    ["2024-03-10T02:30:00Z", "2024-03-10T02:30:00", "2016-12-31T23:59:60+01:00", "-0044-03-15T12:00:00.250Z"]
)

literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(lambda text, tag: Literal(text, language=tag), texts, languages),
    st.builds(lambda text, kind: Literal(text, XSD + kind if kind else ""), texts, st.sampled_from(_TYPES)),
    st.builds(lambda number: Literal(str(number), XSD + "int"), st.integers(-5, 2**33)),
    st.builds(lambda number: Literal(str(number), XSD + "int", native=True), st.integers(-5, 9)),
    st.builds(lambda name: Literal(name, PROV_QUALIFIED_NAME), names),
    st.builds(Literal, texts, iris),
)
attribute_names = st.one_of(
    iris, st.sampled_from([PROV + one for one in ("type", "label", "role", "location", "value")])
)
attributes = st.lists(st.tuples(attribute_names, literals), max_size=4).map(tuple)


def _elements(kind: Kind) -> st.SearchStrategy[AnyStatement]:
    time = st.none() | times if kind is Kind.ACTIVITY else st.none()
    return st.builds(lambda *given: Element(kind, *given), names, attributes, time, time)


def _statements(term: Term) -> st.SearchStrategy[AnyStatement]:
    end = st.one_of(names, names, st.none(), st.just(ABSENT_MARK))
    more = len(term.arguments) + len(term.references) - 1
    ends = st.builds(
        lambda subject, first, others: (subject, first, *others),
        names,
        names,
        st.lists(end, min_size=more, max_size=more),
    )
    time = st.none() | times if term.timed else st.none()
    return st.builds(lambda *given: Statement(term, *given), st.none() | names, ends, time, attributes)


keys = st.builds(Literal, texts)
dictionaries = st.one_of(
    st.builds(
        lambda first, second, pairs: Extension(
            PROV + "derivedByInsertionFrom", None, (first, second, tuple(pairs))
        ),
        names,
        names,
        st.lists(st.tuples(keys, names), max_size=2),
    ),
    st.builds(
        lambda *given: Extension(PROV + "hadDictionaryMember", None, given),
        names,
        names,
        keys,
    ),
)
any_statement = st.one_of(
    *(_elements(kind) for kind in Kind if kind),
    *(_statements(term) for term in TERMS if not term.json_name),
    dictionaries,
)
prefixes = st.dictionaries(st.sampled_from(PREFIXES), st.sampled_from(SPACES), max_size=4)


def parts(name: str | None) -> st.SearchStrategy[Bundle]:
    return st.builds(Bundle, st.just(name), prefixes, st.lists(any_statement, max_size=5).map(tuple))


documents = st.builds(
    lambda main, bundles: Document(main, tuple(bundles)),
    parts(None),
    st.lists(iris, max_size=2, unique=True).flatmap(lambda found: st.tuples(*map(parts, found))),
)
