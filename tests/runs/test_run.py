"""A whole run: what is owed is played, exactly once, and the directory is complete however it ends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.support.scripted_model import Answer, ScriptedModel, calls, submit
from tests.support.worlds import ROWS, World, make_world
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import InputError, ModelFailure, ModelRejected
from touchstone.runs.aggregate import aggregate
from touchstone.runs.directory import RunDirectory, read_records
from touchstone.runs.run import Finished, Plan, owed, run
from touchstone.types import CallPosition, Outcome

GOLD = {str(row["question_id"]): row["SQL"] for row in ROWS}


@pytest.fixture
async def bird(world: World) -> AsyncIterator[Bird]:
    engine = SqliteEngine(workers=1)
    yield Bird(world.load(), world.databases, engine)
    await engine.close()


class Sitting:
    """Plays what is owed of a run in `base`, with a model that answers so, and remembers which tasks it was asked."""

    def __init__(self, base: Path, bird: Bird, answer: Callable[[str], Answer] | None = None) -> None:
        self._base = base
        self._bird = bird
        self._answer = answer or (lambda key: calls(submit(GOLD[key])))
        self.asked: list[tuple[str, int]] = []
        self.path: Path | None = None

    async def play(self, *, epochs: int = 1, parallel: int = 1, patience: int = 5) -> Finished:
        model = ScriptedModel(self._reply)
        plan = Plan(
            title="t",
            benchmark=self._bird,
            agent=ToolAgent(model, 5),
            epochs=epochs,
            parallel=parallel,
            max_consecutive_errors=patience,
        )
        directory = self._open()
        try:
            todo, counted = owed(self._bird.tasks(), epochs, directory)
            return await run(plan, directory, todo, counted, lambda record, aggregate: None)
        finally:
            directory.close()
            self.path = directory.path

    def _open(self) -> RunDirectory:
        found = sorted(self._base.glob("run-*"))
        return RunDirectory.resume(found[0], {"a": 1}) if found else RunDirectory.create(self._base, {"identity": {"a": 1}})

    def _reply(self, position: CallPosition) -> Answer:
        self.asked.append((position.task, position.epoch))
        return self._answer(position.task)


def outcomes(path: Path) -> dict[str, str]:
    return {record.task: record.outcome.value for record in read_records(path)}


def some_fail(*keys: str) -> Callable[[str], Answer]:
    return lambda key: ModelFailure("500") if key in keys else calls(submit(GOLD[key]))


async def test_a_run_plays_every_task_once_and_writes_its_files(tmp_path: Path, bird: Bird) -> None:
    sitting = Sitting(tmp_path / "out", bird)
    finished = await sitting.play(parallel=3)
    assert sitting.path is not None
    assert outcomes(sitting.path) == dict.fromkeys(GOLD, "passed")
    assert finished.overall == aggregate(read_records(sitting.path)).overall()
    assert json.loads((sitting.path / "overall.json").read_text())["overall"]["passed"] == 6
    assert (sitting.path / "summary.txt").read_text() == finished.summary
    assert (finished.interrupted, finished.stopped) == (False, None)


async def test_a_finished_run_owes_nothing(tmp_path: Path, bird: Bird) -> None:
    await Sitting(tmp_path / "out", bird).play()
    again = Sitting(tmp_path / "out", bird)
    finished = await again.play()
    assert again.asked == []
    assert finished.overall["total"] == 6


async def test_a_resume_plays_errors_again_and_nothing_else(tmp_path: Path, bird: Bird) -> None:
    first = Sitting(tmp_path / "out", bird, some_fail("11", "14"))
    assert (await first.play()).overall["outcomes"]["error"] == 2
    second = Sitting(tmp_path / "out", bird)
    finished = await second.play()
    assert [task for task, _ in second.asked] == ["11", "14"]
    assert finished.overall["outcomes"] == {**dict.fromkeys((o.value for o in Outcome), 0), "passed": 6}
    assert second.path is not None
    assert Counter(record.task for record in read_records(second.path)) == dict.fromkeys(GOLD, 1)


async def test_a_failed_task_is_not_played_again(tmp_path: Path, bird: Bird) -> None:
    await Sitting(tmp_path / "out", bird, lambda key: calls(submit("SELECT 0"))).play()
    again = Sitting(tmp_path / "out", bird)
    assert (await again.play()).overall["outcomes"]["failed"] == 6
    assert again.asked == []


async def test_epochs_are_played_apart_and_more_can_be_asked_for(tmp_path: Path, bird: Bird) -> None:
    first = Sitting(tmp_path / "out", bird)
    await first.play(epochs=2)
    assert sorted(first.asked) == sorted((key, epoch) for key in GOLD for epoch in (0, 1))
    more = Sitting(tmp_path / "out", bird)
    finished = await more.play(epochs=3)
    assert sorted(more.asked) == [(key, 2) for key in sorted(GOLD)]
    assert (finished.overall["total"], finished.overall["tasks"]) == (18, 6)


async def test_five_errors_in_a_row_stop_the_run_and_the_directory_is_complete(tmp_path: Path, bird: Bird) -> None:
    sitting = Sitting(tmp_path / "out", bird, some_fail(*GOLD))
    finished = await sitting.play()
    assert finished.stopped == "5 errors in a row, the last: 500"
    assert sitting.path is not None
    assert json.loads((sitting.path / "overall.json").read_text())["outcomes"]["error"] == 5
    assert (await Sitting(tmp_path / "out", bird).play()).overall["outcomes"]["passed"] == 6


async def test_a_run_stopped_at_full_speed_counts_what_is_on_the_disk(tmp_path: Path, bird: Bird) -> None:
    sitting = Sitting(tmp_path / "out", bird, some_fail("14", "15"))
    finished = await sitting.play(parallel=6, patience=1)
    assert finished.stopped is not None
    assert sitting.path is not None
    assert finished.overall["total"] == len(list(read_records(sitting.path)))


async def test_a_run_that_never_got_going_leaves_no_directory(tmp_path: Path, bird: Bird) -> None:
    finished = await Sitting(tmp_path / "out", bird, lambda key: ModelRejected("no such model")).play(parallel=3)
    assert finished.stopped == "no such model"
    assert list((tmp_path / "out").iterdir()) == []


async def test_a_task_that_has_changed_is_refused_by_name(tmp_path: Path, bird: Bird) -> None:
    await Sitting(tmp_path / "out", bird).play()
    other = make_world(tmp_path / "other", [*ROWS[:3], {**ROWS[3], "question": "Another?"}, *ROWS[4:]])
    changed = Bird(other.load(), other.databases, SqliteEngine())
    with pytest.raises(InputError, match="cannot resume, task 13 has changed in the task file since"):
        await Sitting(tmp_path / "out", changed).play()
