"""``clew search``, ``clew case`` and ``--text``."""

from __future__ import annotations

from app.faces.cli.shortening import Shortener
from tests.app.commands import OUTPUT, Clew


def test_an_answer_as_text_is_whole_and_one_form_is_given_at_a_time(recorded: Clew) -> None:
    told = recorded("ask", "inputs-of", "--target", OUTPUT, "--text")
    assert told.code == 0
    assert "As of log entry" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80
    both = recorded("ask", "inputs-of", "--target", OUTPUT, "--text", "--json")
    assert (both.code, "--text" in both.err) == (3, True)


def test_digests_in_a_table_are_cut_to_what_tells_them_apart() -> None:
    one, other, third = "a" * 12 + "b" * 52, "a" * 12 + "c" * 52, "d" * 64
    texts = [f"document:x@sha256:{digest}" for digest in (one, other, third)]
    short = Shortener(texts)
    cut = [short(text) for text in texts]
    assert len(set(cut)) == len(texts)
    assert cut[0] == f"document:x@sha256:{'a' * 12}b…"
    assert short.cuts
    assert Shortener(texts[2:])(texts[2]) == f"document:x@sha256:{'d' * 8}…"
    plain = Shortener(["file:/a.md"])
    assert (plain("file:/a.md"), plain.cuts) == ("file:/a.md", False)


def test_nodes_are_found_by_words_here_and_on_a_server(recorded: Clew, server: str) -> None:
    found = recorded("search", "out", "--kind", "entity", "--json").json
    assert OUTPUT in [node["ref"] for node in found["nodes"]]
    assert found["complete"] is True
    over = recorded("search", "out", "--kind", "entity", "--json", "--url", server)
    assert over.json["nodes"] == found["nodes"]
    every = recorded("search", "--json", "--url", server)
    assert every.json == recorded("search", "--json").json
    table, text = recorded("search", "out"), recorded("search", "out", "--text")
    assert (table.code, text.code) == (0, 0)
    assert OUTPUT in table.out
    assert text.out.startswith(f"{recorded('search', 'out', '--json').json['total']} nodes fit.")
    assert recorded("search", "--evidence", "heard").code == 3


def test_a_case_is_worked_through_here_and_on_a_server(clew: Clew, server: str) -> None:
    assert clew("demo", "--once", "--db", "clew.db").code == 0
    made = clew("case", "open", "--target", "document:tariff-2025", "--by", "ann")
    assert made.code == 0
    assert "4 reports and writes: 4 to be seen to." in made.out
    cleared = clew("case", "clear", "1", "account-4711", "--note", "Paid back", "--json", "--url", server)
    assert cleared.json["counts"]["cleared"] == 1
    noted = clew("case", "note", "1", "Called the office", "--text")
    assert "Called the office" in noted.out
    assert clew("case", "ack", "1", "--all").code == 0
    assert clew("case", "reopen", "1", "account-4711", "--json").json["counts"]["todo"] == 1
    assert "Nothing differs from the time before." in clew("case", "rerun", "1").out
    assert clew("case", "show", "1", "--state", "todo", "--json").json["total"] == 1
    listed = clew("case", "list", "--json", "--url", server)
    assert listed.json == clew("case", "list", "--json").json
    assert clew("case", "show", "2").code == 3
    assert clew("case", "ack", "1").code == 3
