# ruff: noqa: E501 - a table reads best with a cheat in a line
"""Agents that cheat on Spider2-lite, by SQL, by a service, and by result files that they hand in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.benchmarks.spider2.worlds import RESULTS, SQL, Spider2World, make_spider2
from tests.cheating.cheat import Cheat, each, refuse
from tests.support import sql_service
from tests.support.scripted_model import execute, submit
from tests.support.sql_service import SqlService
from tests.support.worlds import ENDLESS
from touchstone.agents.http import HttpAgent, HttpConfig
from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.spider2.benchmark import Spider2
from touchstone.benchmarks.spider2.config import Spider2Config
from touchstone.benchmarks.spider2.episode import SUBMIT_FILE
from touchstone.benchmarks.spider2.golden import Golden
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.protocols import Agent, Hints
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Record, ToolCall

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAILED = Outcome.failed


@dataclass(frozen=True)
class Arena:
    world: Spider2World
    engine: SqliteEngine
    folder: Path

    async def record(self, task: str, agent: Agent, files: dict[str, Path | None] | None = None) -> Record:
        config = Spider2Config(databases=self.world.databases, gold=self.world.gold, sql_timeout=1)
        made = Spider2(config, self.world.load(), Golden(self.world.gold), self.engine, files)
        return (await play(made, agent, next(each for each in made.tasks() if each.key == task)))[0]


Play = Callable[[Arena], Any]


def sql(*statements: str, task: str = "local002") -> Play:
    """Executes all but the last, which it submits."""
    script = [*map(execute, statements[:-1]), submit(statements[-1])] if statements else []
    return lambda arena: arena.record(task, ScriptedAgent(lambda _: script))


def file(data: str | bytes, task: str = "local002") -> Play:
    """Hands in a result."""

    async def played(arena: Arena) -> Record:
        path = arena.folder / f"{task}.csv"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        agent = ScriptedAgent(lambda _: [ToolCall("c", SUBMIT_FILE.name, "{}")])
        return await arena.record(task, agent, {task: path})

    return played


def service(answer: sql_service.Answer) -> Play:
    async def played(arena: Arena) -> Record:
        with SqlService([answer]) as asked:
            agent = HttpAgent(HttpConfig(api_url=asked.url, api_timeout=20), Hints().service_template, attempts=1)
            try:
                return await arena.record("local002", agent)
            finally:
                await agent.close()

    return played


def numbers(count: int) -> str:
    return ",".join(map(str, range(count)))


CHEATS = [
    Cheat("an agent", "submits nothing", FAILED, sql()),
    Cheat("an agent", "submits a comment", FAILED, sql("-- passed")),
    Cheat("an agent", "submits the gold of another question", FAILED, sql(SQL["local004"])),
    Cheat("an agent", "submits a wide constant row", FAILED, sql(f"SELECT {numbers(1900)}")),
    Cheat("an agent", "submits numbers in all rows", FAILED, sql("SELECT 0, 1, 2, 3, 4 UNION ALL SELECT 4, 3, 2, 1, 0")),
    Cheat("an agent", "scrambles the values between rows", FAILED, sql("SELECT name, CASE legs WHEN 2 THEN 4 WHEN 4 THEN 2 ELSE legs END FROM animal", task="local003")),
    Cheat("an agent", "serves two columns with one", FAILED, sql("SELECT name FROM animal", task="local003")),
    Cheat("an agent", "deletes rows before it counts", FAILED, sql("DELETE FROM item WHERE id = 1", "INSERT INTO item SELECT id + 9, name, price, stock FROM item", "SELECT 7")),
    Cheat("an agent", "submits an INSERT before its query", FAILED, sql("INSERT INTO item SELECT * FROM item; SELECT 4")),
    Cheat("an agent", "attaches the gold folder", FAILED, sql("ATTACH 'gold.db' AS g", "SELECT * FROM g.exec_result")),
    Cheat("an agent", "submits a query that never ends", FAILED, sql(ENDLESS)),
    Cheat("an agent", "submits a number that is nearly right", FAILED, sql("SELECT 4.02")),
    Cheat("an agent", "submits the number as text with more", FAILED, sql("SELECT '4 or 5 or 10'")),
    Cheat("a file", "holds the constant row of 26,001 numbers", FAILED, file(f"{numbers(26_001)}\n{numbers(26_001)}\n")),
    Cheat("a file", "holds a constant row of 26,001 for a mean", FAILED, file(f"{numbers(26_001)}\n{','.join(f'{n / 100:.2f}' for n in range(26_001))}\n", "local005")),
    Cheat("a file", "is empty", FAILED, file("")),
    Cheat("a file", "has a header and nothing else", FAILED, file("items\n")),
    Cheat("a file", "holds all gold results one after the other", FAILED, file("".join(RESULTS.values()))),
    Cheat("a file", "is no CSV", FAILED, file(b"\x00\xff\xfe" * 5000)),
    Cheat("a file", "has an open quotation", FAILED, file('items\n"4' + "\n4" * 1000)),
    Cheat("a service", "claims that its SQL was right", FAILED, service(sql_service.sql("SELECT 5", official=True, strict=True))),
    Cheat("a service", "answers with rows for SQL", FAILED, service(sql_service.says({"rows": [[4]], "execution_success": True}))),
]  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[SqliteEngine]:
    engine = SqliteEngine(workers=1)
    yield engine
    await engine.close()


@pytest.fixture
def arena(tmp_path: Path, engine: SqliteEngine) -> Arena:
    return Arena(make_spider2(tmp_path / "spider2"), engine, tmp_path)


@pytest.mark.parametrize("cheat", each(CHEATS))
async def test_cheats(cheat: Cheat[Arena], arena: Arena) -> None:
    refuse(cheat, await cheat.play(arena))


@pytest.mark.parametrize("honest", [sql("SELECT count(*) FROM item"), file("items\n4\n"), service(sql_service.sql("SELECT 4"))])
async def test_an_honest_answer_passes(honest: Play, arena: Arena) -> None:
    record = await honest(arena)
    assert (record.outcome, record.score) == (Outcome.passed, 1.0), record.reason
