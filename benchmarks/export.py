"""Export: the writers on records in memory, and the libraries that write the same.

A peer is given what Clew wrote, in its own terms: `prov` the records of the PROV-JSON, the RDF libraries the
triples of the Turtle. What lies between Clew's records and those (which statements stand, what they amount
to, how they are named) is Clew's work alone.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from benchmarks import export_peers as peers
from benchmarks.export_workload import DETAIL, STATEMENTS, records
from benchmarks.frame import Figure, cpu, micros, ratio, take_turns
from provmodel import formats
from provmodel.feeds import ListFeed


def figures(quick: bool) -> Iterable[Figure]:
    """The two writers beside their peers, and what a long export takes of memory."""
    turns = 3 if quick else 5
    feed = records((10_000 if quick else 100_000) // STATEMENTS)
    yield from _prov_json(feed, turns)
    yield from _turtle(feed, turns)
    yield from _rdflib(records((2_000 if quick else 10_000) // STATEMENTS), turns)
    yield from _memory(10_000 if quick else 100_000)


def _prov_json(feed: ListFeed, turns: int) -> Iterable[Figure]:
    built = peers.Records.of(written(feed, "prov-json"))
    count = len(built.records)
    seconds = take_turns(turns, {"clew": writing(feed, "prov-json"), "prov": lambda: cpu(built.write)})
    each = {name: micros(median(took), count) for name, took in seconds.items()}
    yield Figure(
        name="PROV-JSON, faster than `prov`",
        measured=ratio(seconds["prov"], seconds["clew"]),
        goal=15,
        unit="x",
        peer="`prov`: build the document of the same records, and serialise it",
        least=True,
        note=f"{count:,} statements; Clew {each['clew']} a statement, `prov` {each['prov']}",
    )


def _turtle(feed: ListFeed, turns: int) -> Iterable[Figure]:
    plain = peers.plain_triples(written(feed, "turtle"))
    store = peers.pyoxigraph_store(plain)
    seconds = take_turns(
        turns,
        {
            "clew": writing(feed, "turtle"),
            "stream": lambda: cpu(lambda: peers.pyoxigraph_stream(plain)),
            "store": lambda: cpu(lambda: peers.pyoxigraph_dump(peers.pyoxigraph_store(plain))),
            "dump": lambda: cpu(lambda: peers.pyoxigraph_dump(store)),
        },
    )
    clew = median(seconds["clew"]) / len(plain) * 1e6
    yield Figure(
        name="Turtle, faster than `pyoxigraph`",
        measured=ratio(seconds["stream"], seconds["clew"]),
        goal=4,
        unit="x",
        peer="`pyoxigraph`: make the same triples, and serialise them one by one",
        least=True,
        note=f"{len(plain):,} triples; Clew {clew:.2f} us a triple",
    )
    yield Figure(
        name="Turtle, faster than a store of `pyoxigraph`",
        measured=ratio(seconds["store"], seconds["clew"]),
        goal=4,
        unit="x",
        peer="`pyoxigraph`: make the same triples, put them into a store, and dump it",
        least=True,
        note="the same run",
    )
    yield Figure(
        name="Turtle, beside a store of `pyoxigraph` that is filled already",
        measured=ratio(seconds["dump"], seconds["clew"]),
        goal=None,
        unit="x",
        peer="`pyoxigraph`: dump the store",
        note="here the peer starts from finished terms, and Clew from its records; compiled code serialises a"
        " triple in the time in which Python calls a function or two. Done to come near: a function for each"
        " term with its text ready, texts remembered where they repeat, characters escaped a chunk at a time",
    )


def _rdflib(feed: ListFeed, turns: int) -> Iterable[Figure]:
    data = written(feed, "turtle")
    graph = peers.rdflib_graph(data)
    seconds = take_turns(
        turns,
        {
            "clew": writing(feed, "turtle"),
            "rdflib": lambda: cpu(lambda: graph.serialize(format="turtle")),
        },
    )
    yield Figure(
        name="Turtle, faster than `rdflib`",
        measured=ratio(seconds["rdflib"], seconds["clew"]),
        goal=50,
        unit="x",
        peer="`rdflib`: serialise a graph that is filled already",
        least=True,
        note=f"{len(graph):,} triples",
    )


def _memory(few: int) -> Iterable[Figure]:
    """Peak memory of a process that streams so many statements, and of one that streams ten times as many."""
    for name in ("prov-json", "turtle"):
        small, large = (_peak(name, count) for count in (few, few * 10))
        yield Figure(
            name=f"{name}, peak memory at ten times the statements",
            measured=large / small,
            goal=1.2,
            unit="x",
            peer="itself",
            note=f"{few:,} statements {small:.1f} MB, {few * 10:,} statements {large:.1f} MB; whole"
            " processes, from records that are made as they are asked for",
        )


def _peak(name: str, statements: int) -> float:
    """Megabytes at most resident in a process that writes and forgets."""
    command = [sys.executable, "-m", "benchmarks.export_workload", name, str(statements)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    return int(done.stdout) / 1024


def written(feed: ListFeed, name: str) -> bytes:
    """The whole document."""
    return b"".join(formats.write(feed, name, DETAIL))


def writing(feed: ListFeed, name: str) -> Callable[[], float]:
    """A side that writes chunk by chunk and forgets."""

    def side() -> float:
        return cpu(lambda: sum(map(len, formats.write(feed, name, DETAIL))))

    return side
