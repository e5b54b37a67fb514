"""`touchstone bird`: an agent plays BIRD tasks."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..benchmarks.audit import remaining
from ..benchmarks.bird.benchmark import Bird
from ..benchmarks.bird.episode import Settings
from ..benchmarks.bird.predictions import load_predictions
from ..benchmarks.bird.tasks import BirdTask, load_tasks, select
from ..failures import InputError
from ..protocols import Limits
from ..runs.run import Plan
from .building import (
    Script,
    build_player,
    digest_of,
    open_engine,
    read_instructions,
    refuse_odd_numbers,
    script_of,
    service_settings,
    solutions,
)
from .command_options import CommandOptions, command_settings
from .conduct import Conduct, conduct, exit_code, safe_name, say
from .options import JudgeOptions, Metric, PlayOptions, RunOptions, SelectOptions, ServiceOptions, as_arguments
from .progress import one_line

SERVICE_TEMPLATE = {"question": "{question}", "db_id": "{database}", "evidence": "{evidence}"}


def bird(
    data_file: Path | None = None,
    db_dir: Path | None = None,
    *,
    selected: SelectOptions = SelectOptions(),
    play: PlayOptions = PlayOptions(),
    judged: JudgeOptions = JudgeOptions(),
    run: RunOptions = RunOptions(),
    service: ServiceOptions = ServiceOptions(),
    command: CommandOptions = CommandOptions(),
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
    refuse_odd_numbers(play, judged, run)
    tasks = load_tasks(data_file)
    chosen = choose(tasks, selected)
    arguments = as_arguments(
        selected,
        play,
        judged,
        run,
        service,
        command,
        data_file=data_file,
        db_dir=db_dir,
        metric=metric,
        evidence=evidence,
        schema=schema,
    )
    instructions = read_instructions(play.system_prompt)
    settings = settings_for((metric,), judged)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(judged, stack)
            benchmark = Bird(
                chosen, db_dir, engine, settings=settings, evidence=evidence, schema=schema, instructions=instructions
            )
            warn_of_missing(benchmark, db_dir)
            predictions: dict[str, str] = {}

            def replayed() -> Script:
                if play.predictions is None:
                    raise InputError("the replay agent needs --predictions: a prediction file or a run directory")
                predictions.update(_predictions(play.predictions, tasks, chosen))
                return script_of(predictions)

            scripts = {"solution": lambda: solutions(benchmark), "predictions": replayed}
            hidden = (data_file, db_dir, run.output or Path("results"), run.resume, play.predictions)
            player = build_player(
                play,
                service_settings(service, SERVICE_TEMPLATE),
                run.parallel,
                stack,
                scripts,
                command=command_settings(command, hidden),
            )
            replay = {"predictions": digest_of(predictions) if predictions else None}
            plan = Plan(
                title=f"BIRD: {player.title}, metric {metric}",
                benchmark=benchmark,
                agent=player.agent,
                epochs=play.epochs,
                parallel=run.parallel,
                max_consecutive_errors=run.max_consecutive_errors,
            )
            how = Conduct(
                command="bird",
                arguments=arguments,
                identity={**await benchmark.identity(), **player.identity, **replay},
                base=run.output or Path("results", f"{safe_name(player.name)}-bird"),
                resume=run.resume,
                describe=one_line if run.verbose else None,
                live=play.agent != "human",
            )
            return exit_code(*await conduct(plan, how))

    return asyncio.run(main())


def _predictions(path: Path, tasks: Sequence[BirdTask], chosen: Sequence[BirdTask]) -> dict[str, str]:
    """An earlier run may have played only some tasks: it is enough if those chosen now are among them."""
    found = load_predictions(path, tasks, allow_missing=path.is_dir())
    missing = [task.key for task in chosen if task.key not in found]
    if missing:
        raise InputError(f"{path}: {len(missing)} of the {len(chosen)} chosen tasks are not in it, the first is {missing[0]}")
    return found


def choose(tasks: Sequence[BirdTask], selected: SelectOptions) -> list[BirdTask]:
    return select(
        remaining(tasks, selected.exclude_audit, benchmark="bird", say=say),
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
        r_ves_wall="r-ves-wall" in metrics,
        exploring=Limits(seconds=seconds, rows=10_000, cut_rows=True),
        judging=Limits(seconds=seconds),
    )


def warn_of_missing(benchmark: Bird, db_dir: Path) -> None:
    if benchmark.missing:
        names = ", ".join(benchmark.missing)
        print(
            f"touchstone: {len(benchmark.missing)} databases are not in {db_dir}: {names}; their tasks are unscorable",
            file=sys.stderr,
        )
