"""One more question is one more file: it then stands in REST, OpenAPI, the command line, MCP and the docs.

The file is put into a copy of the package, and every face is asked in a process of its own that has only this
copy.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.app.faces import event, service_at

ROOT = Path(__file__).parents[2]
TARGET = "message:1/1/out"
QUESTION = '''
"""how-many: how many nodes stand before something."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from queries import building
from queries.answer import Answer, Graphed
from queries.graph import Graph
from queries.question import Asked, Question
from queries.walk import walk


class HowManyAsked(Asked, frozen=True, kw_only=True):
    """The parameters of how-many."""

    more_than: Annotated[int, Meta(ge=0, description="Say whether there are more than so many.")] = 0


class HowMany(Graphed, frozen=True, kw_only=True):
    """``many`` is the number of nodes."""

    many: int = 0


class Counting(Question[HowManyAsked, HowMany]):
    """Counts what a walk backward finds."""

    name: ClassVar[str] = "how-many"
    sentence: ClassVar[str] = "How many nodes stand before it?"
    params = HowManyAsked
    graphed = HowMany
    example: ClassVar[dict[str, Any]] = {"target": ["report:late-fees-february"], "more_than": 3}

    def answer(self, graph: Graph, params: HowManyAsked) -> Answer[HowMany]:
        scope = self.scope(graph, params)
        trip = building.trip_of(scope, params)
        found = building.find(graph, trip, walk(graph, trip))
        fields = building.common(graph, scope, params, found)
        told = HowMany(**fields, many=len(found.order))
        return Answer(self.name, told, building.availability(graph, found))

    def sentences(self, answer: Answer[HowMany]) -> list[str]:
        return [f"{answer.graph.many} nodes stand before it."]
'''
ASKING = """
import json, sys
from pathlib import Path

import queries

assert Path(queries.__file__).is_relative_to(Path(__file__).parent), queries.__file__
sys.path.append(sys.argv[1])

from app.main import http_app, open_service
from app.settings import Settings
from docs.generate import addresses, questions
from starlette.testclient import TestClient

settings = Settings(db=sys.argv[2], key_file=Path(sys.argv[3]))
service = open_service(settings)
with TestClient(http_app(service, settings), base_url="http://localhost") as client:
    told = {
        "listed": client.get("/v1/questions").json(),
        "answer": client.get("/v1/questions/how-many", params={"target": sys.argv[4]}).json(),
        "refused": client.get(
            "/v1/questions/how-many", params={"target": sys.argv[4], "more_than": "-1"}
        ).status_code,
        "openapi": client.get("/openapi.json").json(),
    }
service.close()
told["page"] = questions.page()
told["addresses"] = addresses.page()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of questions, one file more, and a ledger."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "queries", folder / "queries", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "queries" / "questions" / "how_many.py").write_text(QUESTION)
    with service_at(_ledger(folder), folder, writing=False) as service:
        service.record([json.dumps(event(1)).encode()])
    return folder


def _ledger(folder: Path) -> str:
    return f"sqlite:///{folder / 'clew.db'}"


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def _run(house: Path, *arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=house, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def told(house: Path) -> dict[str, Any]:
    """What HTTP and the docs say."""
    script = house / "asking.py"
    script.write_text(ASKING)
    arguments = [str(ROOT), _ledger(house), str(house / "clew.keys"), TARGET]
    answer: dict[str, Any] = json.loads(_run(house, str(script), *arguments))
    return answer


def test_rest_lists_and_answers_it(told: dict[str, Any]) -> None:
    [listed] = [one for one in told["listed"]["questions"] if one["name"] == "how-many"]
    assert listed["sentence"] == "How many nodes stand before it?"
    assert told["answer"]["graph"]["many"] == 3
    assert told["refused"] == 422


def test_openapi_describes_its_own_parameter_and_its_answer(told: dict[str, Any]) -> None:
    operation = told["openapi"]["paths"]["/v1/questions/how-many"]["get"]
    [own] = [one for one in operation["parameters"] if one["name"] == "more_than"]
    assert own["description"] == "Say whether there are more than so many."
    assert own["schema"]["minimum"] == 0
    assert "HowMany" in json.dumps(told["openapi"]["components"]["schemas"])


def test_the_docs_tell_of_it_with_its_answer_over_the_story(told: dict[str, Any]) -> None:
    assert "## how-many" in told["page"]
    assert "$ clew ask how-many --target report:late-fees-february --more-than 3" in told["page"]
    assert "nodes stand before it." in told["page"]
    assert "/v1/questions/how-many" in told["addresses"]


def test_the_command_line_asks_it(house: Path) -> None:
    clew = ("-c", "from app.faces.cli import main; main()")
    assert "--more-than" in _run(house, *clew, "ask", "how-many", "--help")
    shown = _run(house, *clew, "ask", "how-many", "--target", TARGET, "--db", _ledger(house), "--json")
    assert json.loads(shown)["graph"]["many"] == 3


def test_mcp_offers_it_as_a_tool(house: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from app.faces.cli import main; main()", "mcp", "--db", _ledger(house)],
        env={"PYTHONPATH": str(ROOT)},
        cwd=house,
    )
    seen: dict[str, Any] = {}

    async def session() -> None:
        async with Client(stdio_client(server)) as client:
            seen["tools"] = {tool.name: tool for tool in (await client.list_tools()).tools}
            seen["answer"] = await client.call_tool("how-many", {"target": [TARGET]})

    anyio.run(session)
    assert seen["tools"]["how-many"].description == "How many nodes stand before it?"
    assert "more_than" in seen["tools"]["how-many"].input_schema["properties"]
    assert not seen["answer"].is_error
