"""An export says the same in every format, whoever wrote it: a stream of its own, or the document it is."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from provmodel import exporting, formats
from provmodel.comparing import difference
from provmodel.document import Loss
from provmodel.errors import TooLarge
from provmodel.exporting import document_of
from provmodel.feeds import ListFeed
from provmodel.records import relation_key
from provmodel.relations import MEMBERSHIP, USAGE, Kind, Term
from provmodel.statements import ExportNode, ExportRelation
from tests.provmodel.formats.hostile import BASE, feeds

READABLE = [name for name in formats.writable() if formats.documents()[name].read]


@pytest.mark.parametrize("name", READABLE)
@given(feed=feeds())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_format_says_the_same_of_any_feed(name: str, feed: ListFeed) -> None:
    assume(name != "turtle" or not any(map(is_odd_plan, feed.nodes())))
    losses: list[Loss] = []
    data = b"".join(formats.write(feed, name, "all", losses))
    told = [loss for loss in losses if "xsd:QName" not in loss.what]  # Clew reads it all the same
    changed = difference(document_of(feed, "all"), formats.read(data, name))
    assert not changed or told, changed


def is_odd_plan(node: ExportNode) -> bool:
    """A plan that is no entity: in RDF, which knows classes alone, it is one."""
    is_plan = any(one[:2] == ("prov:type", "prov:Plan") for one in node.attributes)
    return is_plan and not node.kind & Kind.ENTITY


@pytest.mark.parametrize("name", READABLE)
def test_a_membership_keeps_its_evidence_and_its_name(name: str) -> None:
    feed = ListFeed(
        BASE, [ExportNode("ctx", Kind.ENTITY)], [link(MEMBERSHIP, "ctx", "msg", role) for role in ("", "x")]
    )
    losses: list[Loss] = []
    back = formats.read(b"".join(formats.write(feed, name, "none", losses)), name)
    assert not losses
    assert not difference(document_of(feed, "none"), back)


def link(term: Term, subject: str, argument: str, role: str = "") -> ExportRelation:
    key = relation_key(term.name, subject, (argument,), role)
    said = ((3, 1, "source:a", "", "a", "e-1", "", ""),)
    return ExportRelation(term, subject, (argument,), role, 0, key, said)


@pytest.mark.parametrize("name", READABLE)
def test_a_role_is_the_text_that_was_reported(name: str) -> None:
    feed = ListFeed(BASE, [], [link(USAGE, "call", "doc", 'odd "role" / é')])
    back = formats.read(b"".join(formats.write(feed, name, "none")), name)
    [used] = back.main.statements
    roles = [value for key, value in used.attributes if key.endswith(("#role", "hadRole"))]
    assert [(one.value, one.datatype) for one in roles] == [('odd "role" / é', "")]


def test_a_format_that_holds_whole_documents_refuses_more_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "MOST", 3)
    feed = ListFeed(BASE, [ExportNode(f"n{number}", Kind.ENTITY) for number in range(4)], [])
    with pytest.raises(TooLarge, match="prov-json or turtle"):
        b"".join(formats.write(feed, "prov-n"))
    assert b"".join(formats.write(feed, "turtle"))
