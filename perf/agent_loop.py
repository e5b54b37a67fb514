"""What an episode costs beside its model: 2,000 episodes with four scripted model replies and three SQL calls each.

The model answers at once, so what is measured is ours: the agent's loop, the workers, the verdict, the record and its way to
the disk. Each measurement runs in a process of its own; CPU is that of the whole process tree. With Inspect AI installed, the
same work is measured there too (the same replies, the same SQL on the same database, the same comparison).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measuring import arguments, peak_memory, report, tree_cpu

from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.bird.tasks import load_tasks
from touchstone.datasets import bird_demo
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.runs.directory import RunDirectory
from touchstone.runs.run import Plan, owed, run
from touchstone.types import CallPosition, Message, Reply, Tool, ToolCall, Usage

EXPLORATION = (
    "SELECT name, sql FROM sqlite_master",
    "SELECT name FROM pragma_table_list",
    "SELECT count(*) FROM sqlite_master",
)


class Script:
    """A model of no latency: three explorations, then the right answer."""

    name = "script"

    def __init__(self, answers: dict[str, str]) -> None:
        self._answers = answers

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        if position.call < len(EXPLORATION):
            name, sql = "execute_sql", EXPLORATION[position.call]
        else:
            name, sql = "submit_sql", self._answers[position.task]
        call = ToolCall(f"call-{position.call}", name, json.dumps({"sql": sql}))
        return Reply("", (call,), "tool_calls", Usage(1, 1000, 0, 50, 0.0))

    async def close(self) -> None:
        pass


async def measure(episodes: int, parallel: int) -> dict[str, float]:
    tasks, databases = bird_demo()
    loaded = load_tasks(tasks)
    with tempfile.TemporaryDirectory() as directory:
        started, cpu = time.perf_counter(), tree_cpu()
        engine = SqliteEngine(cache=Path(directory, "cache.sqlite"))
        benchmark = Bird(loaded, databases, engine)
        agent = ToolAgent(Script({task.key: task.gold for task in loaded}), 20)
        plan = Plan(title="", benchmark=benchmark, agent=agent, epochs=-(-episodes // len(loaded)), parallel=parallel)
        kept = RunDirectory.create(Path(directory, "runs"), {})
        jobs, counted = owed(loaded, plan.epochs, kept)
        finished = await run(plan, kept, jobs[:episodes], counted, lambda record, aggregate: None)
        wall, cpu = time.perf_counter() - started, tree_cpu() - cpu
        size = (kept.path / "runs.jsonl").stat().st_size
        await engine.close()
        kept.close()
    assert finished.overall["overall"]["passed"] == episodes, finished.summary
    return {
        "episodes": episodes,
        "parallel": parallel,
        "cpu_ms": 1000 * cpu / episodes,
        "per_second": episodes / wall,
        "peak_mb": peak_memory(),
        "record_kb": size / episodes / 1024,
    }


def inspect_ai(episodes: int, parallel: int) -> dict[str, float]:
    """The same episodes as an Inspect AI task."""
    import sqlite3

    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, Target, accuracy, scorer
    from inspect_ai.solver import TaskState, basic_agent
    from inspect_ai.tool import tool

    tasks, databases = bird_demo()
    loaded = load_tasks(tasks)

    def rows(database: str, sql: str) -> list[Any]:
        connection = sqlite3.connect(f"file:{databases / database / database}.sqlite?mode=ro&immutable=1", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    @tool
    def execute_sql() -> Any:
        async def execute(database: str, sql: str) -> str:
            """Run SQL.

            Args:
                database: The database.
                sql: The SQL.
            """
            return str(await asyncio.to_thread(rows, database, sql))

        return execute

    @scorer(metrics=[accuracy()])
    def execution_accuracy() -> Any:
        async def score(state: TaskState, target: Target) -> Score:
            database = state.metadata["database"]
            same = set(rows(database, state.output.completion)) == set(rows(database, target.text))
            return Score(value=CORRECT if same else INCORRECT)

        return score

    def output(messages: list[Any], *_: Any) -> ModelOutput:
        asked = sum(message.role == "assistant" for message in messages)
        task = by_question[messages[1].text]
        name, given = "submit", {"answer": task.gold}
        if asked < len(EXPLORATION):
            name, given = "execute_sql", {"database": task.database, "sql": EXPLORATION[asked]}
        reply = ModelOutput.for_tool_call("mockllm/model", name, given)
        reply.usage = ModelUsage(
            input_tokens=1000, output_tokens=50, total_tokens=1050
        )  # else it counts with a downloaded tokenizer
        return reply

    by_question = {task.question: task for task in loaded}
    chosen = [loaded[number % len(loaded)] for number in range(episodes)]
    samples = [
        Sample(id=n, input=task.question, target=task.gold, metadata={"database": task.database})
        for n, task in enumerate(chosen)
    ]
    solver = basic_agent(tools=[execute_sql()], max_attempts=1)
    with tempfile.TemporaryDirectory() as directory:
        started, cpu = time.perf_counter(), tree_cpu()
        (log,) = eval(
            Task(dataset=samples, solver=solver, scorer=execution_accuracy()),
            model=get_model("mockllm/model", custom_outputs=output),
            max_samples=parallel,
            log_dir=directory,
            display="none",
        )
        wall, cpu = time.perf_counter() - started, tree_cpu() - cpu
    assert log.status == "success", log.error.message
    return {
        "episodes": episodes,
        "parallel": parallel,
        "cpu_ms": 1000 * cpu / episodes,
        "per_second": episodes / wall,
        "peak_mb": peak_memory(),
    }


def in_own_process(what: str, episodes: int, parallel: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", what, str(episodes), str(parallel)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


def row(name: str, result: dict[str, float]) -> list[str]:
    return [
        name,
        f"{result['episodes']:,}",
        f"{result['parallel']}",
        f"{result['cpu_ms']:.2f}",
        f"{result['per_second']:.0f}",
        f"{result['peak_mb']:.0f}",
    ]


def main(options: argparse.Namespace) -> None:
    results = {
        "touchstone, 200": in_own_process("touchstone", 200, 100),
        "touchstone, 2000": in_own_process("touchstone", 2000, 100),
        "touchstone, one at a time": in_own_process("touchstone", 200, 1),
    }
    if find_spec("inspect_ai"):
        results["Inspect AI"] = in_own_process("inspect_ai", 200, 100)
    head = ["harness", "episodes", "parallel", "CPU ms per episode", "episodes per s", "peak MB"]
    report("agent_loop", results, [head, *(row(name, result) for name, result in results.items())], options.json)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--measure", nargs=3, metavar=("WHAT", "EPISODES", "PARALLEL"), help="one measurement in this process")
    options = parser.parse_args()
    if options.measure:
        what, episodes, parallel = options.measure[0], int(options.measure[1]), int(options.measure[2])
        print(json.dumps(inspect_ai(episodes, parallel) if what == "inspect_ai" else asyncio.run(measure(episodes, parallel))))
    else:
        main(options)
