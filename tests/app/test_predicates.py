"""What watches over statements sees those without a tenant."""

import pytest

from app.ledger import Ledger
from app.ledger.search.index import taken
from tests import predicates


@pytest.mark.parametrize(
    ("statement", "tables"),
    [
        ("select count(*) from event", ["event"]),
        ("select e.seq from event e where e.seq = ?", ["event"]),
        ("select e.seq from event e join word w on w.word = e.type where e.tenant = ?", ["word"]),
        ("delete from content where bodies = 0", ["content"]),
        ("update body set content = null where body = ?", ["body"]),
        ("insert into word (word, text) values (?, ?)", ["word"]),
        ("select t.name from tenant t join event e on e.tenant = t.tenant", []),
        ("select t.name from tenant t join event e on e.seq = 1 where t.tenant = 1", ["event"]),
        ("select e.seq from event e where e.tenant = ?", []),
        ("insert into word (tenant, word, text) values (?, ?, ?)", []),
        ("delete from content where tenant = ? and bodies = 0", []),
        ("select name from tenant order by name", []),
        ("select value from store where property = ?", []),
        ("create table event (seq integer)", []),
    ],
)
def test_a_statement_must_name_the_tenant_of_each_table(statement: str, tables: list[str]) -> None:
    assert predicates.missing_in(statement) == tables


def test_a_statement_of_the_app_without_its_tenant_is_refused(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ledger.search.index._HEADS", "select 1, 2, 3, 4, 5, 6 from event where seq = ?")
    with (
        Ledger.open(store_url) as ledger,
        pytest.raises(predicates.WithoutTenant, match="event without a tenant"),
    ):
        taken(ledger.store, "default")
