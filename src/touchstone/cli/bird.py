"""`touchstone bird`: an agent plays BIRD tasks."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from ..benchmarks.bird.benchmark import Bird
from ..benchmarks.bird.episode import Settings
from ..benchmarks.bird.predictions import load_predictions
from ..benchmarks.bird.tasks import BirdTask, load_tasks, select
from ..benchmarks.sql_episode import submission
from ..engines.cache import default_path
from ..engines.sqlite.engine import SqliteEngine
from ..failures import InputError
from ..plugins import agent_plugin, build_model
from ..protocols import AgentSettings, Limits, Model, ModelSettings
from ..runs.run import Plan
from ..values import ToolCall
from .conduct import Conduct, conduct, exit_code, safe_name
from .options import JudgeOptions, Metric, PlayOptions, RunOptions, SelectOptions, as_arguments


def bird(
    data_file: Path | None = None,
    db_dir: Path | None = None,
    *,
    selected: SelectOptions = SelectOptions(),
    play: PlayOptions = PlayOptions(),
    judged: JudgeOptions = JudgeOptions(),
    run: RunOptions = RunOptions(),
    metric: Metric = "ex",
    evidence: Annotated[bool, Parameter(negative="--no-evidence")] = True,
    schema: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Play BIRD text-to-SQL tasks with an agent, and score it.

    Parameters
    ----------
    data_file
        BIRD's task file: dev.json, mini_dev_sqlite.json, or the same as .jsonl.
    db_dir
        The directory that holds <db_id>/<db_id>.sqlite.
    metric
        The metric that decides whether a task is passed; ex, multiset and soft-f1 are always recorded.
    evidence
        Show the task's evidence to the agent as a hint.
    schema
        Tell the agent the tables and columns together with the question.
    """
    if data_file is None or db_dir is None:
        raise InputError("bird needs DATA_FILE and DB_DIR, or --resume RUN_DIR")
    if play.epochs < 1 or run.parallel < 1 or play.max_turns < 1 or not 0 < judged.sql_timeout < inf:
        raise InputError("--epochs, --parallel, --max-turns and --sql-timeout must be positive")
    tasks = load_tasks(data_file)
    chosen = choose(tasks, selected)
    arguments = as_arguments(
        selected, play, judged, run, data_file=data_file, db_dir=db_dir, metric=metric, evidence=evidence, schema=schema
    )
    instructions = _read_instructions(play.system_prompt)
    settings = settings_for((metric,), judged)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(judged, stack)
            benchmark = Bird(
                chosen, db_dir, engine, settings=settings, evidence=evidence, schema=schema, instructions=instructions
            )
            warn_of_missing(benchmark, db_dir)
            plugin = agent_plugin(play.agent)
            model = _model(play, run, stack) if plugin.needs_model else None
            script = _script(plugin.needs_script, benchmark, tasks, play.predictions)
            agent = plugin.build(AgentSettings(model=model, max_turns=play.max_turns, script=script))
            who = model.name if model else play.agent
            identity = {
                **await benchmark.identity(),
                "agent": play.agent,
                "model": model.name if model else None,
                "max_turns": play.max_turns if model else None,
                "predictions": _digest(script, tasks) if plugin.needs_script == "predictions" else None,
            }
            plan = Plan(
                title=f"BIRD: agent {play.agent}" + (f", model {model.name}" if model else "") + f", metric {metric}",
                benchmark=benchmark,
                agent=agent,
                epochs=play.epochs,
                parallel=run.parallel,
                max_consecutive_errors=run.max_consecutive_errors,
            )
            how = Conduct(
                command="bird",
                arguments=arguments,
                identity=identity,
                base=run.output or Path("results", f"{safe_name(who)}-bird"),
                resume=run.resume,
                verbose=run.verbose,
            )
            return exit_code(*await conduct(plan, how))

    return asyncio.run(main())


def choose(tasks: Sequence[BirdTask], selected: SelectOptions) -> list[BirdTask]:
    return select(
        tasks,
        difficulty=selected.difficulty,
        databases=selected.database,
        ids=selected.task,
        offset=selected.offset,
        limit=selected.limit,
    )


def settings_for(metrics: Sequence[Metric], judged: JudgeOptions) -> Settings:
    """The first metric decides."""
    seconds = judged.sql_timeout
    return Settings(
        metric=metrics[0].replace("-", "_"),
        r_ves="r-ves" in metrics,
        exploring=Limits(seconds=seconds, rows=10_000, cut_rows=True),
        judging=Limits(seconds=seconds),
    )


def open_engine(judged: JudgeOptions, stack: AsyncExitStack) -> SqliteEngine:
    engine = SqliteEngine(cache=default_path() if judged.cache else None)
    stack.push_async_callback(engine.close)
    return engine


def warn_of_missing(benchmark: Bird, db_dir: Path) -> None:
    if benchmark.missing:
        names = ", ".join(benchmark.missing)
        print(
            f"touchstone: {len(benchmark.missing)} databases are not in {db_dir}: {names}; their tasks are unscorable",
            file=sys.stderr,
        )


def _model(play: PlayOptions, run: RunOptions, stack: AsyncExitStack) -> Model:
    settings = ModelSettings(base_url=play.base_url, service_tier=play.service_tier, concurrency=run.parallel)
    model = build_model(play.model, settings)
    stack.push_async_callback(model.close)
    return model


def _script(
    source: str | None, benchmark: Bird, tasks: Sequence[BirdTask], predictions: Path | None
) -> Callable[[str], Sequence[ToolCall] | None]:
    if source == "solution":
        solutions = {task.key: benchmark.solution(task) for task in benchmark.tasks()}
        return solutions.get
    if source == "predictions":
        if predictions is None:
            raise InputError("the replay agent needs --predictions: a prediction file or a run directory")
        return script_of(load_predictions(predictions, tasks))
    return lambda _: None


def _digest(script: Callable[[str], Sequence[ToolCall] | None], tasks: Sequence[BirdTask]) -> str:
    return blake2b(msgspec.json.encode([script(task.key) for task in tasks]), digest_size=8).hexdigest()


def script_of(predictions: dict[str, str]) -> Callable[[str], Sequence[ToolCall] | None]:
    """Hands in each task's prediction."""
    return lambda key: [submission(predictions[key])] if key in predictions else None


def _read_instructions(path: Path | None) -> str | None:
    try:
        return path.read_text() if path else None
    except (OSError, UnicodeError) as error:
        raise InputError(f"--system-prompt {path}: {error}") from None
