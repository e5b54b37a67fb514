"""Our verdicts against those of the original evaluators, recorded for eight models' predictions on mini-dev.

Two predictions (task 247) reach the originals' limit of 30 seconds. All others take less than half of `SECONDS`, so a shorter
limit gives the same verdicts.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.data import shared_data
from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.bird.benchmark import Bird, BirdSettings
from touchstone.benchmarks.bird.predictions import load_predictions
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.benchmarks.sql_episode import submission
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.protocols import Limits
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, Record

SECONDS = 8.0
MODELS = (
    "gpt-35-turbo",
    "gpt-35-turbo-instruct",
    "gpt-35-turbo-ta",
    "gpt-4",
    "gpt-4o-ta",
    "gpt-5-2",
    "llama-3-70b",
    "phi-3-medium",
)

Scores = tuple[float, float, float]
"""ex, multiset and soft_f1."""


@pytest.fixture
def bird_data() -> Path:
    return shared_data("bird")


@pytest.fixture
def tasks(bird_data: Path) -> list[BirdTask]:
    return load_tasks(bird_data / "tasks" / "mini_dev_sqlite.json")


@pytest.fixture
def present(bird_data: Path, tasks: list[BirdTask]) -> dict[str, Path]:
    """The databases that are here, by name."""
    files = {task.database: bird_data / "dev_databases" / task.database / f"{task.database}.sqlite" for task in tasks}
    return {name: file for name, file in files.items() if file.exists()}


def official(bird_data: Path, model: str) -> dict[str, Scores]:
    """By question id."""
    verdicts: dict[str, Any] = json.loads((bird_data / "official_verdicts" / f"{model}.json").read_text())
    return {str(v["question_id"]): (float(v["ex"]), float(v["multiset"]), round(v["soft_f1"], 9)) for v in verdicts.values()}


def scores(record: Record) -> Scores:
    metrics = record.metrics
    return metrics.get("ex", 0.0), metrics.get("multiset", 0.0), round(metrics.get("soft_f1", 0.0), 9)


async def judge(bird: Bird, predictions: Mapping[str, str]) -> dict[str, Record]:
    """Every task's record when its prediction is handed in."""
    agent = ScriptedAgent(lambda key: [submission(predictions[key])])
    gate = asyncio.Semaphore(8)

    async def one(task: BirdTask) -> Record:
        async with gate:
            return (await play(bird, agent, task))[0]

    records = await asyncio.gather(*map(one, bird.tasks()))
    return {record.task: record for record in records}


async def judge_all(
    bird_data: Path, tasks: list[BirdTask], cache: Path, files: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, Record]]:
    """Several sets of predictions, on one engine with one cache."""
    engine = SqliteEngine(cache=cache)
    try:
        bird = Bird(tasks, bird_data / "dev_databases", engine, settings=BirdSettings(judging=Limits(seconds=SECONDS)))
        judged = await asyncio.gather(*(judge(bird, predictions) for predictions in files.values()))
        return dict(zip(files, judged, strict=True))
    finally:
        await engine.close()


async def test_verdicts_equal_the_original_evaluators(
    bird_data: Path, tasks: list[BirdTask], present: dict[str, Path], tmp_path: Path
) -> None:
    files = {model: load_predictions(bird_data / "predictions" / f"{model}.json", tasks) for model in MODELS}
    judged = await judge_all(bird_data, tasks, tmp_path / "cache.sqlite", files)
    differing: dict[tuple[str, str], tuple[Scores, Scores]] = {}
    compared = 0
    for model, records in judged.items():
        for key, expected in official(bird_data, model).items():
            compared += 1
            if scores(records[key]) != expected:
                differing[model, key] = scores(records[key]), expected
            assert records[key].outcome is (Outcome.passed if expected[0] else Outcome.failed)
    assert not differing
    assert compared == len(MODELS) * sum(task.database in present for task in tasks) == 1360


async def test_tasks_without_a_database_are_unscorable_and_say_which_is_missing(
    bird_data: Path, tasks: list[BirdTask], present: dict[str, Path], tmp_path: Path
) -> None:
    gold = {"gold": {task.key: task.gold for task in tasks}}
    records = (await judge_all(bird_data, tasks, tmp_path / "cache.sqlite", gold))["gold"]
    absent = [task for task in tasks if task.database not in present]
    assert len(absent) == 330
    for task in absent:
        assert records[task.key].outcome is Outcome.unscorable
        assert records[task.key].reason.startswith("database missing: ")
        assert records[task.key].reason.endswith(f"{task.database}.sqlite")


async def test_the_gold_passes_everything_and_what_is_no_query_nothing(
    bird_data: Path, tasks: list[BirdTask], present: dict[str, Path], tmp_path: Path
) -> None:
    """In the original, a DELETE passes 111 of these tasks, and a blank passes each whose gold is empty."""
    tables = {name: _first_table(file) for name, file in present.items()}
    deletes = {task.key: f'DELETE FROM "{tables.get(task.database, "t")}"' for task in tasks}
    files = {
        "gold": {task.key: task.gold for task in tasks},
        "delete": deletes,
        "blank": {task.key: " \n" for task in tasks},
        "comment": {task.key: "-- nothing" for task in tasks},
    }
    judged = await judge_all(bird_data, tasks, tmp_path / "cache.sqlite", files)
    passed = {name: sum(record.outcome is Outcome.passed for record in records.values()) for name, records in judged.items()}
    assert passed == {"gold": 170, "delete": 0, "blank": 0, "comment": 0}
    for name, reason in (
        ("delete", "The prediction changes the database; only a query can be judged."),
        ("blank", "nothing was submitted"),
        ("comment", "The prediction is empty."),
    ):
        failed = [record for record in judged[name].values() if record.outcome is Outcome.failed]
        assert (len(failed), {record.reason for record in failed}) == (170, {reason})


def _first_table(database: Path) -> str:
    with closing(sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)) as connection:
        return connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchone()[0]
