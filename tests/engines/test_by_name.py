"""Engines by the names of their entry points: what opens a place, and what a plug-in must give."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from tests.support.worlds import World
from touchstone import AgentConfig, BenchmarkConfig, InputError, Limits, ModelConfig, Opening, bird, run
from touchstone.agents.tools import ToolsConfig
from touchstone.plugins import checked_engine, engine_at, expected_of, open_engine

LIMITS = Limits(seconds=5)


@pytest.mark.parametrize(
    ("place", "engine"), [("shop.sqlite", "sqlite"), ("a/b.db", "sqlite"), ("postgresql://me@host:5432/shop", "postgres")]
)
def test_a_place_says_which_engine_opens_it(place: str, engine: str) -> None:
    assert engine_at(place) == engine


def test_a_place_that_none_opens() -> None:
    with pytest.raises(InputError, match=r"no engine opens this; there are: .*sqlite"):
        engine_at("shop.xlsx")


@pytest.mark.parametrize("one", [True, False])
def test_a_database_of_a_folder_or_a_file_is_private_to_its_episode(world: World, one: bool) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            place = world.databases / "zoo" / "zoo.sqlite" if one else world.databases
            engine = await open_engine("sqlite", Opening(stack=stack), place=str(place), cache=False)
            first, second = engine.database("zoo", "1"), engine.database("zoo", "2")
            table = (await first.explore("SELECT name FROM sqlite_master WHERE type = 'table'", LIMITS)).rows[0][0]
            before = (await first.explore(f"SELECT count(*) FROM {table}", LIMITS)).rows
            await first.advance([f"DELETE FROM {table}"], LIMITS)
            assert (await first.explore(f"SELECT count(*) FROM {table}", LIMITS)).rows == [(0,)]
            assert (await second.explore(f"SELECT count(*) FROM {table}", LIMITS)).rows == before
            assert len((await engine.digests(["zoo"]))["zoo"] or "") == 64
            await first.close()
            await second.close()

    asyncio.run(main())


def test_an_unknown_engine_and_an_unknown_option() -> None:
    async def opened(name: str, **options: Any) -> None:
        async with AsyncExitStack() as stack:
            await open_engine(name, Opening(stack=stack), **options)

    with pytest.raises(InputError, match="there is no engine named 'oracle'; there are: "):
        asyncio.run(opened("oracle"))
    with pytest.raises(InputError, match="the engine 'sqlite' has no option 'colour'"):
        asyncio.run(opened("sqlite", colour="red"))


class Broken(BenchmarkConfig, frozen=True, kw_only=True):
    name: ClassVar[str] = "broken"
    label: ClassVar[str] = "Broken"

    async def open(self, opening: Opening) -> Any:
        return "a text"


class NoTasks(Broken, frozen=True, kw_only=True):
    async def open(self, opening: Opening) -> Any:
        class Nearly:
            def tasks(self) -> list[str]:
                return ["one"]

            open = solution = identity = tasks

        return Nearly()


class NoAgent(AgentConfig, frozen=True, kw_only=True):
    name: ClassVar[str] = "no-agent"

    def build(self, context: Any) -> Any:
        return 7


class NoModel(ModelConfig, frozen=True, kw_only=True):
    provider: ClassVar[str] = "no-model"

    def build(self, concurrency: int = 16) -> Any:
        return 7


@pytest.mark.parametrize(
    ("benchmark", "agent", "model", "complaint"),
    [
        (Broken(), "oracle", None, "the benchmark 'broken': open() returned a str, expected a Benchmark (it has no tasks())"),
        (NoTasks(), "oracle", None, "the benchmark 'broken': tasks() returned a list, expected a sequence of Task"),
        (None, NoAgent(), None, "the agent 'no-agent': build() returned an int, expected an Agent (it has no play())"),
        (
            None,
            ToolsConfig(),
            NoModel(model="m"),
            "the model 'm': build() returned an int, expected a Model (it has no reply())",
        ),
    ],
)
def test_a_plug_in_that_gives_something_else_is_named(
    world: World, benchmark: Any, agent: Any, model: Any, complaint: str
) -> None:
    with pytest.raises(InputError) as caught:
        run(benchmark or bird(world.tasks, world.databases), agent, model=model)
    assert str(caught.value) == complaint


def test_a_forgotten_await_is_said() -> None:
    async def forgotten() -> None: ...

    waiting = forgotten()
    with pytest.raises(InputError, match="returned a coroutine \\(is an await missing"):
        expected_of(waiting, "the engine 'x': open()", "an Engine", "database")
    waiting.close()


def test_a_path_is_shipped_because_of_its_type(tmp_path: Path, world: World) -> None:
    config = bird(world.tasks, world.databases, system_prompt=tmp_path / "prompt.md")
    assert {world.tasks, world.databases, tmp_path / "prompt.md"} <= set(_paths(config))


def _paths(config: Any) -> list[Path]:
    from touchstone.options import paths

    return list(paths(config))


class OddEngine:
    """Another package's: every answer is the wrong thing."""

    name = "odd"
    versions = "1.0"

    def __init__(self, database: Any = None) -> None:
        self._database = database

    def database(self, name: str, key: str = "") -> Any:
        return self._database

    async def digests(self, names: Any) -> Any:
        return [None]

    async def close(self) -> None: ...


class OddDatabase:
    async def explore(self, sql: str, limits: Limits) -> Any:
        return [(1,)]

    async def show(self, sql: str, limits: Limits) -> Any:
        return "1"

    async def judge(self, function: Any, request: Any, limits: Limits, **more: Any) -> Any:
        return {"passed": True}

    async def advance(self, scripts: Any, limits: Limits) -> None: ...

    async def close(self) -> None: ...


def _judgement(connection: Any, request: Any) -> float:
    raise NotImplementedError


def test_what_a_foreign_engine_answers_is_checked_and_named() -> None:
    whose = "the engine 'odd'"
    engine: Any = checked_engine(cast(Any, OddEngine(OddDatabase())), whose)
    database = engine.database("shop")
    answers: list[tuple[Callable[[], Any], str]] = [
        (lambda: database.explore("SELECT 1", LIMITS), "explore() returned a list, expected a Table"),
        (lambda: database.show("SELECT 1", LIMITS), "show() returned a str, expected an Observation"),
        (
            lambda: database.judge(_judgement, 1, LIMITS, wall=1.0),
            "judge() returned a dict, expected what _judgement() returned",
        ),
        (lambda: engine.digests(["shop"]), "digests() returned a list, expected a mapping of names to digests"),
    ]
    for ask, complaint in answers:
        with pytest.raises(InputError) as caught:
            asyncio.run(ask())
        assert str(caught.value) == f"{whose}: {complaint}"
    with pytest.raises(InputError, match=r"versions returned a str, expected a mapping of strings"):
        _ = engine.versions
    with pytest.raises(InputError, match=r"database\(\) returned None, expected an EpisodeDatabase \(it has no explore\(\)\)"):
        checked_engine(cast(Any, OddEngine()), whose).database("shop")
    asyncio.run(database.advance([], LIMITS))
