"""`touchstone mcp`: the real command, played by the official client."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.cli.conftest import Cli
from tests.support.command import SCRIPTS, environment, finish, overall, records, run_directory, start
from tests.support.worlds import LONG, World, make_world
from touchstone.datasets import bird_demo


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path / "world")


def options(world: World, task: int = 11) -> list[str]:
    tasks, databases = world.arguments
    return ["mcp", "--benchmark", "bird", "--data", tasks, "--databases", databases, "--task", str(task), "-o", "out"]


@asynccontextmanager
async def over_stdio(tmp_path: Path, *arguments: str) -> AsyncGenerator[ClientSession]:
    """The command as an assistant starts it. What it says is in `said`."""
    server = StdioServerParameters(
        command=str(SCRIPTS / "touchstone"), args=list(arguments), cwd=tmp_path, env=environment(tmp_path / "cache")
    )
    with (tmp_path / "said").open("w") as said:
        async with stdio_client(server, errlog=said) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            yield session


def text(result: Any) -> str:
    return result.content[0].text


async def test_an_assistant_plays_a_demo_task_over_stdio(tmp_path: Path) -> None:
    row = json.loads(bird_demo()[0].read_text())[0]
    async with over_stdio(tmp_path, "mcp", "--benchmark", "bird", "--task", str(row["question_id"]), "-o", "out") as session:
        assert "1" in text(await session.call_tool("execute_sql", {"sql": "SELECT 1"}))
        assert text(await session.call_tool("submit_sql", {"sql": row["SQL"]})) == "Submitted."
        late = await session.call_tool("execute_sql", {"sql": "SELECT 1"})
        assert "over" in text(late)
    run = run_directory(tmp_path / "out")
    (record,) = records(run)
    assert (record["outcome"], record["usage"]["calls"]) == ("passed", 0)
    assert len(record["steps"]) == 2
    assert overall(run)["overall"]["passed"] == 1
    said = (tmp_path / "said").read_text()
    assert "passed after 2 calls" in said
    assert "not known" in said


async def test_a_client_that_leaves_is_judged_as_it_stands(tmp_path: Path, world: World) -> None:
    async with over_stdio(tmp_path, *options(world)) as session:
        await session.call_tool("execute_sql", {"sql": "SELECT 1"})
    (record,) = records(run_directory(tmp_path / "out"))
    assert (record["outcome"], record["reason"]) == ("failed", "nothing was submitted")


def test_standard_output_belongs_to_the_protocol(tmp_path: Path, world: World) -> None:
    """Also without a client that closes politely: the input ends, lines are broken, and the process ends by itself."""
    lines = [
        "not JSON",
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"x","version":"1"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    ]
    done = subprocess.run(
        [SCRIPTS / "touchstone", *options(world)],
        input="\n".join(lines) + "\n",
        cwd=tmp_path,
        env=environment(tmp_path / "cache"),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert 1 in {answer.get("id") for answer in answers}
    assert "nothing was submitted" in done.stderr


def test_what_was_asked_is_answered_although_the_input_has_ended(tmp_path: Path, world: World) -> None:
    """As when a shell pipes everything in at once. What was cancelled, or cannot be read, is not waited for."""

    def line(number: int | None, method: str, **parameters: Any) -> str:
        named = {} if number is None else {"id": number}
        return json.dumps({"jsonrpc": "2.0", **named, "method": method, "params": parameters})

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    lines = [
        line(1, "initialize", **hello),
        line(None, "notifications/initialized"),
        line(2, "tools/call", name="execute_sql", arguments={"sql": LONG.format(2_000_000)}),
        "not JSON",
        line(3, "no/such/method"),
        line(4, "tools/call", name="submit_sql", arguments={"sql": "SELECT count(*) FROM item"}),
    ]
    done = subprocess.run(
        [SCRIPTS / "touchstone", *options(world)],
        input="\n".join(lines) + "\n",
        cwd=tmp_path,
        env=environment(tmp_path / "cache"),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    assert {1, 2, 3, 4} <= answers.keys()
    assert "2000000" in answers[2]["result"]["content"][0]["text"]
    assert answers[4]["result"]["content"][0]["text"] == "Submitted."
    assert "passed after 2 calls" in done.stderr


async def test_over_http_a_look_is_not_a_game(tmp_path: Path, world: World) -> None:
    process = start(*options(world), "--http", cwd=tmp_path)
    assert process.stdout
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:")
    for sql in (None, "SELECT count(*) FROM item"):
        async with streamable_http_client(address) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await session.list_tools()
            if sql:
                assert text(await session.call_tool("submit_sql", {"sql": sql})) == "Submitted."
    done = finish(process)
    assert done.code == 0
    assert "passed after 1 calls" in done.err
    assert records(run_directory(tmp_path / "out"))[0]["outcome"] == "passed"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_the_task_as_it_stands(tmp_path: Path, world: World, number: signal.Signals) -> None:
    process = start(*options(world), "--http", cwd=tmp_path)
    assert process.stdout
    process.stdout.readline()
    process.send_signal(number)
    done = finish(process, 20)
    assert done.code == 0
    assert records(run_directory(tmp_path / "out"))[0]["reason"] == "nothing was submitted"


async def test_spider2_is_served_too(tmp_path: Path) -> None:
    from touchstone.datasets import spider2_demo

    questions, gold, _ = spider2_demo()
    first = json.loads(questions.read_text().splitlines()[0])["instance_id"]
    sql = (gold / "sql" / f"{first}.sql").read_text()
    async with over_stdio(tmp_path, "mcp", "--benchmark", "spider2", "--task", first, "-o", "out") as session:
        await session.call_tool("submit_sql", {"sql": sql})
    assert records(run_directory(tmp_path / "out"))[0]["outcome"] == "passed"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--benchmark", "bird", "--task", "no-such"], "no-such"),
        (["--benchmark", "spider2", "--task", "no-such"], "no-such"),
        (["--benchmark", "bird", "--task", "1", "--data", "x.json"], "a task file and its databases belong together"),
        (["--benchmark", "interact", "--task", "1", "--gold", "x"], "--gold is not for --benchmark interact"),
        (["DATASET", "--benchmark", "bird", "--task", "1"], "belong together"),
        (["--benchmark", "poker", "--task", "1"], "poker"),
        (["--benchmark", "bird"], "--task"),
        (["--benchmark", "bird", "--task", "101", "--http", "--port", "99999"], "cannot listen"),
        (
            ["--benchmark", "bird", "--task", "101", "--sql-timeout", "-1", "--http"],
            "--sql-timeout -1: expected a positive number",
        ),
    ],
)
def test_mistakes_are_told_in_a_line(cli: Cli, arguments: list[str], complaint: str) -> None:
    done = cli("mcp", *arguments, *([] if "--http" in arguments else ["--http"]))
    assert done.code == 2
    assert complaint in done.complaint


def test_an_option_of_another_benchmark_is_refused(cli: Cli) -> None:
    done = cli("mcp", "--benchmark", "bird", "--task", "101", "--mode", "single")
    assert done.code == 2
    assert done.complaint == "touchstone: --mode is not for --benchmark bird"
