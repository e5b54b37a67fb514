"""Runs from Python: functions as agents, inside and outside an event loop, in memory and on the disk."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples.own_benchmark import Sums

import touchstone
from tests.support.worlds import ROWS, World
from touchstone import InputError, Outcome, Record, Stage, ToolCall
from touchstone.benchmarks.bird.config import BirdConfig

GOLD = {row["question"]: row["SQL"] for row in ROWS}


@pytest.fixture
def bird(world: World) -> BirdConfig:
    return touchstone.bird(world.tasks, world.databases)


def gold(question: str) -> str:
    return GOLD[question]


async def staged(stage: Stage) -> None:
    sql = json.dumps({"sql": GOLD[stage.brief.fields["question"]]})
    assert not (await stage.call(ToolCall("1", "execute_sql", sql))).error
    await stage.call(ToolCall("2", "submit_sql", sql))


class Player:
    async def play(self, stage: Stage) -> None:
        await staged(stage)


async def asked(question: str) -> str:
    return GOLD[question]


@pytest.mark.parametrize("agent", [gold, touchstone.answers(asked), staged, Player(), "oracle"])
def test_every_kind_of_agent_plays(bird: BirdConfig, agent: Any) -> None:
    results = touchstone.run(bird, agent, parallel=3)
    assert (results.accuracy, results.n, results.passed, len(results)) == (1.0, 6, 6, 6)
    assert results.interval == pytest.approx((0.6097, 1.0), abs=1e-3)
    assert [record.task for record in results] == [str(row["question_id"]) for row in ROWS]


async def test_it_runs_inside_a_running_loop_as_in_a_notebook(bird: BirdConfig) -> None:
    assert touchstone.run(bird, gold).passed == 6
    assert (await touchstone.run_async(bird, gold)).passed == 6


def test_plain_functions_are_asked_at_once(bird: BirdConfig) -> None:
    """All six must be inside the function together, or none gets out."""
    together = threading.Barrier(6, timeout=90)

    def agent(question: str) -> str:
        together.wait()
        return GOLD[question]

    assert touchstone.run(bird, agent, parallel=6).passed == 6


def test_a_function_gets_the_fields_that_it_names(bird: BirdConfig) -> None:
    told: list[tuple[str, ...]] = []

    def agent(database: str, evidence: str, question: str, request: str, note: str = "mine") -> str | None:
        told.append((database, evidence, question, request, note))
        return None

    results = touchstone.run(bird, agent)
    database, evidence, question, request, note = told[0]
    assert (database, evidence, question, note) == ("shop", "dear means price > 1", "Which items are dear?", "mine")
    assert "Hint: dear means price > 1" in request
    assert {record.reason for record in results} == {"nothing was submitted"}


@pytest.mark.parametrize(
    ("agent", "complaint"),
    [
        (lambda question, colour: "", "a parameter 'colour'; it can have: instructions, request, question, database, evidence"),
        (lambda: "", "no parameters"),
        ("sphinx", "no agent named 'sphinx'"),
        ("tools", "needs model="),
        ("replay", "needs a prediction file"),
        (7, "expected a function as the agent, found int"),
    ],
)
def test_an_agent_that_cannot_play_is_refused(bird: BirdConfig, agent: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        touchstone.run(bird, agent)


def test_a_defect_in_the_function_is_told_and_stops_the_run(bird: BirdConfig) -> None:
    def agent(question: str) -> str:
        raise ValueError("my mistake")

    results = touchstone.run(bird, agent, max_consecutive_errors=2)
    assert results.stopped is not None
    assert "my mistake" in results.stopped
    assert len(results) == 2
    assert "in agent" in results.failures[0].evidence["traceback"]
    assert "stopped" in repr(results)


def test_an_answer_that_is_no_text_is_told(bird: BirdConfig) -> None:
    results = touchstone.run(bird, lambda question: 7, max_consecutive_errors=0)  # pyright: ignore
    assert "returned int" in results.records[0].reason
    assert {record.outcome for record in results} == {Outcome.error}


def test_results_are_a_table_and_a_summary(bird: BirdConfig) -> None:
    results = touchstone.run(bird, lambda question: "SELECT '<b>'", epochs=2)
    rows = results.table()
    assert len(rows) == 12
    assert rows[0]["task"] == rows[1]["task"] == "10"
    assert {"difficulty", "database", "outcome", "reason", "ex", "cost", "seconds"} <= set(rows[0])
    assert "Total tasks:      6 (12 attempts)" in str(results)
    assert results["13"].epoch == 0
    assert len(results.failures) == 12
    with pytest.raises(KeyError):
        results["99"]
    html = results._repr_html_()
    assert html.count("<tr>") == 13
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


def test_tasks_are_selected_as_on_the_command_line(world: World) -> None:
    def keys(**selection: Any) -> list[str]:
        return [task.key for task in touchstone.bird(world.tasks, world.databases, **selection).chosen()]

    assert keys(database="zoo") == ["12", "14", "15"]
    assert keys(task=["10", "15"]) == ["10", "15"]
    assert keys(difficulty="moderate", limit=1) == ["11"]
    with pytest.raises(InputError, match="task='99': not in the task file"):
        keys(task="99")


def test_files_are_checked_before_anything_runs(world: World) -> None:
    with pytest.raises(InputError, match="belong together"):
        touchstone.bird(world.tasks)
    with pytest.raises(InputError, match="cannot read the task file"):
        touchstone.run(touchstone.bird("nowhere.json", world.databases), "oracle")
    with pytest.raises(InputError, match="sql_timeout=-1: expected a positive number"):
        touchstone.bird(sql_timeout=-1)
    with pytest.raises(InputError, match="parallel=0: expected a positive whole number"):
        touchstone.run(touchstone.bird(), "oracle", parallel=0)


def test_a_run_on_the_disk_is_read_and_resumed(bird: BirdConfig, tmp_path: Path) -> None:
    played: list[str] = []

    def agent(question: str) -> str:
        played.append(question)
        if len(played) == 4:
            raise OSError("gone")
        return GOLD[question]

    first = touchstone.run(bird, agent, output=tmp_path / "runs", max_consecutive_errors=1)
    assert first.stopped is not None
    assert first.directory is not None
    assert touchstone.read(first.directory).passed == 3
    seen: list[Record] = []
    second = touchstone.run(bird, agent, resume=first.directory, watch=seen.append)
    assert (second.passed, len(second), len(seen), len(played)) == (6, 6, 3, 7)
    again = touchstone.read(first.directory)
    assert again.records == second.records
    assert again.title == "BIRD: agent agent, metric ex"
    assert (first.directory / "overall.json").exists()


def test_another_agent_cannot_go_on_with_a_run(bird: BirdConfig, tmp_path: Path) -> None:
    first = touchstone.run(bird, gold, output=tmp_path)
    with pytest.raises(InputError, match="agent was 'gold' and is now 'oracle'"):
        touchstone.run(bird, "oracle", resume=first.directory)


def slow_after(calls: int) -> Callable[[str], str]:
    """Answers at once this often, then never; by then somebody has pressed Ctrl-C."""
    made: list[str] = []

    def agent(question: str) -> str:
        made.append(question)
        if len(made) > calls:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1.5)
        return GOLD[question]

    return agent


def test_an_interrupt_keeps_what_was_played(bird: BirdConfig) -> None:
    results = touchstone.run(bird, slow_after(2))
    assert results.interrupted
    assert len(results) == 3, "the episode in flight is played to its end"


def test_an_interrupt_in_a_notebook_keeps_what_was_played(bird: BirdConfig, tmp_path: Path) -> None:
    """The loop is busy waiting for the run, so the interrupt arrives as an exception, as it does in a notebook."""

    async def cell() -> touchstone.Results:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return touchstone.run(bird, slow_after(2), output=tmp_path)

    gc.disable()  # an exception that arrives in a callback of the collector, of which hypothesis has one, is lost
    try:
        results = asyncio.new_event_loop().run_until_complete(cell())
    finally:
        gc.enable()
    assert results.interrupted
    assert len(results) == 2
    assert results.directory is not None
    assert touchstone.run(bird, "oracle", output=tmp_path).passed == 6, "nothing is left in the way"


@pytest.mark.parametrize("name", ["spider2", "interact"])
def test_the_other_benchmarks_open(name: str) -> None:
    source = touchstone.benchmark(name, limit=2)
    if name == "interact":
        pytest.importorskip("psycopg")
    results = touchstone.run(source, "oracle")
    assert results.passed == 2, results.failures
    assert ("PostgreSQL" in results.versions) == (name == "interact")
    assert ("PostgreSQL 1" in str(results)) == (name == "interact"), "as a run directory's summary has it"


def test_a_benchmark_of_ones_own_is_run() -> None:
    assert touchstone.run(Sums(3), "oracle").accuracy == 1.0
    assert touchstone.run(Sums(3), lambda question: "1").passed == 1
    assert touchstone.run(Sums(3), lambda question: "1").title.startswith("sums: agent")


def test_a_tool_for_the_answer_must_be_clear() -> None:
    with pytest.raises(InputError, match="there are: add, submit"):
        touchstone.run(Sums(1), touchstone.answers(lambda question: "1", tool="add"))


def test_a_benchmark_of_another_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from touchstone.plugins import installed

    metadata = tmp_path / "sums-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: sums\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[touchstone.benchmarks]\nsums = examples.own_benchmark:SumsConfig\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    try:
        found = touchstone.benchmark("sums", count=4)
        assert touchstone.run(found, "oracle").passed == 4
        with pytest.raises(InputError, match="no benchmark named 'odds'"):
            touchstone.benchmark("odds")
    finally:
        installed.cache_clear()
