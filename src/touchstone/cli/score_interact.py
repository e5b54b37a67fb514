"""`touchstone score interact`: SQL that was submitted before, judged on the same path as a live run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..agents.scripted import ScriptedAgent
from ..benchmarks.interact.benchmark import Interact, Settings
from ..benchmarks.interact.predictions import Submissions, by_phase, calls, load_submissions
from ..benchmarks.interact.rules import Prices
from ..benchmarks.interact.tasks import InteractTask, data_file, load_tasks
from ..benchmarks.interact.user.building import SCRIPTED, build_user
from ..failures import InputError
from ..foreign import Unreadable, read_json
from ..protocols import Limits
from ..runs.directory import read_config, read_records
from ..runs.run import Plan
from ..values import ModelStep, Outcome, Record, ToolCall, ToolStep
from .conduct import conduct, exit_code
from .interact import choose, scorable_in_words, tell_withheld
from .interact_databases import open_worlds
from .interact_options import DatabaseOptions, InteractJudge, InteractSelect
from .options import as_arguments
from .scoring import ScoreOptions, refuse_odd, scoring, write_verdicts
from .terminal import say


def interact(
    predictions: Path,
    *,
    dataset: Path,
    compat: Literal["strict", "batch", "adk", "conv"] = "strict",
    mode: Literal["agentic", "conversational"] | None = None,
    allow_missing: Annotated[bool, Parameter(negative="")] = False,
    selected: InteractSelect = InteractSelect(),
    databases: DatabaseOptions = DatabaseOptions(),
    judged: InteractJudge = InteractJudge(),
    given: ScoreOptions = ScoreOptions(),
) -> int:
    """Score what was submitted for BIRD-Interact tasks.

    Parameters
    ----------
    predictions
        A .jsonl (instance_id, phase_1, phase_2), the results.jsonl of the published batch harness, the results (.json) of the
        service-based one, or a run directory.
    dataset
        The dataset directory or its task file, ground truth merged in.
    compat
        The rules to judge by.
    mode
        What a phase is worth that was not passed at the first try: all (agentic), or less (conversational). By default as the
        results were made; agentic for a prediction file.
    allow_missing
        Count tasks without a prediction as failed instead of refusing the file.
    """
    refuse_odd(given, judged)
    file = data_file(dataset)
    chosen = choose(load_tasks(file), selected)
    found = _submissions(predictions, load_tasks(file))
    chosen = _covered(predictions, chosen, found, allow_missing=allow_missing)
    settings = Settings(
        mode=mode or found.mode,
        compat=compat,
        prices=Prices(submit=0.0),  # what was submitted has been paid for
        judging=Limits(seconds=judged.sql_timeout),
    )
    options = {"predictions": predictions, "dataset": dataset, "compat": compat, "mode": mode, "allow_missing": allow_missing}
    arguments = as_arguments(selected, databases, judged, **options)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            worlds = await open_worlds(file.parent, chosen, databases, judged, stack)
            benchmark = Interact(chosen, file.parent, worlds, build_user(SCRIPTED), settings=settings)
            tell_withheld(benchmark)
            plan = Plan(
                title=f"BIRD-Interact: {predictions.name}, rules {compat}{scorable_in_words(benchmark)}",
                benchmark=benchmark,
                agent=ScriptedAgent(lambda key: calls(found.by_task.get(key, ()))),
                parallel=given.parallel,
                versions=worlds.versions,
            )
            how = scoring("interact", given, predictions.stem, arguments, await benchmark.identity())
            finished, path = await conduct(plan, how)
            if path.exists():
                write_verdicts(given.json, read_records(path), _verdict)
            return exit_code(finished, path, resumable=False)

    return asyncio.run(main())


def _submissions(path: Path, tasks: Sequence[InteractTask]) -> Submissions:
    known = {task.key: task for task in tasks}
    if not path.is_dir():
        return load_submissions(path, known)
    mode = read_config(path).get("identity", {}).get("mode", "agentic")
    records = {record.task: record for record in read_records(path) if record.epoch == 0}
    if stray := next((key for key in records if key not in known), None):
        raise InputError(f"{path}: task '{stray}' is not in the dataset")
    changed = sum(record.digest != known[key].digest for key, record in records.items())
    if changed:
        say(f"{changed} of {len(records)} tasks are not as the run found them: they are judged as they are now")
    played = {key: by_phase(_submitted(path, record)) for key, record in records.items()}
    return Submissions(played, mode, is_run=True)


def _submitted(path: Path, record: Record) -> list[tuple[str, bool]]:
    """All submissions of an episode, and whether they were accepted. One that could not be judged, because the gold was
    withheld, is a call that the model made and nobody answered."""
    found: list[tuple[str, bool]] = []
    open_calls: list[ToolCall] = []
    for step in record.steps:
        if isinstance(step, ModelStep):
            open_calls = list(step.reply.calls)
        if isinstance(step, ToolStep):
            open_calls = [call for call in open_calls if call.id != step.call.id]
            if step.call.name == "submit" and "call.arguments" in step.cut:
                raise InputError(f"{path}: task '{record.task}': its SQL was too long to be recorded as a whole")
            found += _sql(step.call, accepted=not step.observation.error)
    return found + [each for call in open_calls for each in _sql(call, accepted=False)][:1]


def _sql(call: ToolCall, *, accepted: bool) -> list[tuple[str, bool]]:
    try:
        arguments = read_json(call.arguments, dict[str, Any]) if call.name == "submit" else {}
    except Unreadable:
        return []
    return [(arguments["sql"], accepted)] if isinstance(arguments.get("sql"), str) else []


def _covered(path: Path, chosen: list[InteractTask], found: Submissions, *, allow_missing: bool) -> list[InteractTask]:
    """Results cover what was played; a prediction file must cover what is scored."""
    missing = [task.key for task in chosen if task.key not in found.by_task]
    if not missing or allow_missing:
        return chosen
    if not found.is_run:
        raise InputError(
            f"{path}: {len(missing)} of {len(chosen)} tasks have no prediction, the first is {missing[0]} "
            "(--allow-missing counts them as failed)"
        )
    if len(missing) == len(chosen):
        raise InputError(f"{path}: none of the chosen tasks was played")
    say(f"{len(missing)} of {len(chosen)} tasks were not played; they are left out (--allow-missing counts them as failed)")
    return [task for task in chosen if task.key in found.by_task]


def _verdict(record: Record) -> dict[str, Any]:
    """Phases are null where nothing could be judged: that is not a failure."""
    judged = record.outcome in (Outcome.passed, Outcome.failed)
    phases = {name: bool(value) for name, value in record.metrics.items() if name in ("phase_1", "phase_2")}
    values: dict[str, Any] = phases if judged else {"phase_1": None, "phase_2": None}
    return {**values, "reward": record.score if judged else None, "outcome": record.outcome, "reason": record.reason}
