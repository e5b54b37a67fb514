"""BIRD as a benchmark: wrong directories are refused at once, and its identity changes with what is measured."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.worlds import ROWS, World, make_database, make_world, row
from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.bird.benchmark import Bird, BirdSettings
from touchstone.benchmarks.sql_episode import submission
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import InputError
from touchstone.protocols import Limits
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome
from touchstone.workers.pool import Worker

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def identity(world: World, engine: SqliteEngine, **options: Any) -> dict[str, Any]:
    return dict(await Bird(world.load(), world.databases, engine, **options).identity())


async def test_a_directory_that_is_not_there_is_refused(shared_world: World, engine: SqliteEngine, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Bird(shared_world.load(), tmp_path / "no", engine)
    assert str(caught.value) == f"{tmp_path / 'no'}: there is no such directory of databases"


async def test_a_directory_without_any_of_the_databases_is_refused(
    shared_world: World, engine: SqliteEngine, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        Bird(shared_world.load(), tmp_path, engine)
    example = tmp_path / "shop" / "shop.sqlite"
    assert str(caught.value) == f"{tmp_path}: none of the 2 databases is here; expected for example {example}"


async def test_some_missing_databases_are_named(engine: SqliteEngine, tmp_path: Path) -> None:
    world = make_world(tmp_path, [*ROWS, row(1, "b", "?", "SELECT 1"), row(2, "a", "?", "SELECT 1")])
    assert Bird(world.load(), world.databases, engine).missing == ["a", "b"]


async def test_the_solution_submits_the_gold(shared_world: World, engine: SqliteEngine) -> None:
    bird = Bird(shared_world.load(), shared_world.databases, engine)
    (call,) = bird.solution(bird.tasks()[0])
    assert (call.name, json.loads(call.arguments)) == ("submit_sql", {"sql": ROWS[0]["SQL"]})


async def test_the_identity_is_the_same_for_the_same_benchmark(shared_world: World, engine: SqliteEngine) -> None:
    assert await identity(shared_world, engine) == await identity(shared_world, engine)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"settings": BirdSettings(metric="multiset")}, "metric"),
        ({"settings": BirdSettings(r_ves=True)}, "r_ves"),
        ({"settings": BirdSettings(judging=Limits(seconds=5))}, "limits"),
        ({"evidence": False}, "evidence"),
        ({"schema": True}, "schema"),
        ({"instructions": "Do it."}, "instructions"),
    ],
)
async def test_the_identity_changes_with_every_option_that_matters(
    shared_world: World, engine: SqliteEngine, options: dict[str, Any], name: str
) -> None:
    before, after = await identity(shared_world, engine), await identity(shared_world, engine, **options)
    assert {key for key in before if before[key] != after[key]} == {name}


async def test_the_identity_changes_with_a_database(engine: SqliteEngine, tmp_path: Path) -> None:
    one, other = make_world(tmp_path / "one"), make_world(tmp_path / "other")
    assert await identity(one, engine) == await identity(other, engine)
    make_database(other.databases, "shop", "INSERT INTO item (name) VALUES ('fig')")
    # A fresh engine: within one run a database is taken to stay as it is.
    fresh = SqliteEngine()
    assert (await identity(one, fresh))["databases"] != (await identity(other, fresh))["databases"]
    await fresh.close()


async def test_a_prediction_is_judged_by_one_call_and_the_same_again_by_none(
    shared_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Worker.send

    def counting(worker: Worker, *encoded: bytes, **more: Any) -> Any:
        calls[-1] += len(encoded)
        return send(worker, *encoded, **more)

    monkeypatch.setattr(Worker, "send", counting)
    calls: list[int] = []
    outcomes: list[list[Outcome]] = []
    for _ in range(2):
        calls.append(0)
        engine = SqliteEngine(cache=tmp_path / "cache.sqlite")
        bird = Bird(shared_world.load(), shared_world.databases, engine)
        agent = ScriptedAgent(lambda key: [submission("SELECT 1")])
        played = await asyncio.gather(*(play(bird, agent, task) for task in bird.tasks()))
        outcomes.append([record.outcome for record, _ in played])
        await engine.close()
    assert outcomes[0] == outcomes[1]
    assert calls == [len(outcomes[0]), 0]
