"""The three answers on a terminal, for someone who sees Clew for the first time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.demo import inputs, postings, traces
from app.demo.layout import Screen
from app.demo.loading import Loaded

_TOLD = (
    "On 9 March 2026 an agent was asked to report on the late fees of February, and to refund those "
    "charged by mistake. It searched for the tariff, read the list of fees, and had a sub-agent write a "
    "summary, which it did not adopt. Then it wrote the report and posted to three accounts. An hour later "
    "the tariff that it had read was taken back. Since then a customer's message expired, another one was "
    "erased on request, and the list of fees is kept by a legal hold."
)

_EVIDENCE = (
    ("verified", "checked: read back, equal content, or a step that can be run again"),
    ("observed", "the recorder itself saw it go in or come out"),
    ("declared", "a model, a tool or a person says so"),
    ("inferred", "concluded from content, position or order"),
)


def show(answers: Mapping[str, Any], commands: Mapping[str, str], loaded: Loaded, where: str) -> None:
    """Print them; ``commands`` are how each is asked for, by the key of the answer."""
    screen = Screen()
    screen.heading("A story to try Clew on")
    screen.text(_TOLD)
    screen.blank()
    screen.text(_state(loaded, where))
    screen.label("How well a link is known")
    screen.pairs(_EVIDENCE)
    screen.text("A chain of links is known as well as the weakest of them.")
    for key, part in {"inputs_of": inputs, "who_authorized": postings, "impact_of": traces}.items():
        screen.heading(part.TITLE)
        screen.command(commands[key])
        part.show(screen, answers[key])
    screen.heading("Ask on")
    screen.command(f"clew ask impact-of --target skill:late-fee-rules --db {where}")
    screen.command(f"clew ask who-authorized --target run:late-fees --db {where} --json")
    screen.command(f"clew export --format turtle --db {where}")
    screen.command(f"clew validate --db {where}")


def _state(loaded: Loaded, where: str) -> str:
    if not loaded.new:
        return f"{where} holds the {loaded.events} events of it already; nothing was added."
    rest = loaded.events - loaded.new
    before = f"; {rest} were there already" if rest else ""
    return f"{loaded.new} events from {loaded.sources} sources were recorded in {where}{before}."
