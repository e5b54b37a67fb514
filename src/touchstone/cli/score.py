"""`touchstone score`: predictions that exist already, judged without a model on the same path as a live run."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from ..agents.scripted import ScriptedAgent
from ..benchmarks.bird.config import BirdConfig, Metric
from ..runs.directory import read_records
from ..runs.run import Plan
from ..values import Outcome, Record
from .building import open_engine
from .conduct import conduct, exit_code
from .options import JudgeOptions, SelectOptions, as_arguments
from .scoring import ScoreOptions, refuse_odd, scoring, write_verdicts
from .terminal import say

app = App(name="score", help="Score predictions that exist already, without a model.")
app.command("touchstone.cli.score_interact:interact", name="interact", help="Score BIRD-Interact predictions or results.")
app.command("touchstone.cli.score_spider2:spider2", name="spider2", help="Score a Spider2-lite submission folder.")


@app.command
def bird(
    predictions: Path,
    *,
    data: Path,
    databases: Path | None = None,
    metric: Annotated[tuple[Metric, ...], Parameter(negative="")] = ("ex",),
    allow_missing: Annotated[bool, Parameter(negative="")] = False,
    proof: Annotated[bool, Parameter(negative="")] = False,
    suite: Path | None = None,
    laws: Path | None = None,
    overlay: Path | None = None,
    selected: SelectOptions = SelectOptions(),
    judged: JudgeOptions = JudgeOptions(),
    given: ScoreOptions = ScoreOptions(),
) -> int:
    """Score a BIRD prediction file.

    Parameters
    ----------
    predictions
        BIRD's prediction JSON, a .jsonl (question_id, sql), a .sql file with one statement per line, or a run directory.
    data
        BIRD's task file; alone, the name of a dataset, such as demo.
    databases
        The directory that holds <db_id>/<db_id>.sqlite.
    metric
        Repeatable. The first decides whether a task is passed; ex, multiset and soft-f1 are always recorded, the others on
        request.
    allow_missing
        Count tasks without a prediction as failed instead of refusing the file.
    proof
        For each prediction that is right by EX, look for a small database on which it differs from the gold.
    suite
        The same without a search: on the databases of a file that touchstone suite build made.
    laws
        A TOML file that adds and forbids invariants of the small databases, see docs/proof.md.
    overlay
        A file of corrections to questions, evidence or golds; the published golds are asked, too (ex_published).
    """
    refuse_odd(given, judged)
    config = BirdConfig(
        data,
        databases,
        **asdict(selected),
        metric=metric[0],
        proof=proof or (suite is None and "proven" in metric),
        suite=suite,
        laws=laws,
        overlay=overlay,
        sql_timeout=judged.sql_timeout,
        cache=judged.cache,
    )
    chosen = config.chosen(say)
    is_run = predictions.is_dir()
    found = config.predictions(predictions, chosen, allow_missing=allow_missing or is_run)
    if is_run and not allow_missing:  # what a run did not play was not asked for
        chosen = [task for task in chosen if task.key in found]
    arguments = as_arguments(
        selected,
        judged,
        predictions=predictions,
        data=data,
        databases=databases,
        metric=metric,
        allow_missing=allow_missing,
        proof=proof or None,
        suite=suite,
        laws=laws,
        overlay=overlay,
    )

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(judged, stack)
            benchmark = config.built(chosen, engine, say, also=metric)
            plan = Plan(
                title=f"BIRD: {predictions.name}, metric {metric[0]}",
                benchmark=benchmark,
                agent=ScriptedAgent(found.get),
                parallel=given.parallel,
            )
            how = scoring("bird", given, predictions.stem, arguments, await benchmark.identity())
            finished, path = await conduct(plan, how)
            if path.exists():
                write_verdicts(given.json, read_records(path), _verdict)
            return exit_code(finished, path, resumable=False)  # a second run finds its results in the cache

    return asyncio.run(main())


def _verdict(record: Record) -> dict[str, Any]:
    """Metrics are null where nothing could be judged: that is not a 0."""
    judged = record.outcome in (Outcome.passed, Outcome.failed)
    names = sorted({"ex", "soft_f1", "multiset", *record.metrics})
    values: dict[str, Any] = {name: record.metrics.get(name, 0.0) if judged else None for name in names}
    if judged:
        values |= {name: int(values[name]) for name in ("ex", "multiset")}
    proof = {"proof": record.evidence["proof"]} if "proof" in record.evidence else {}
    return {**values, "outcome": record.outcome, "reason": record.reason, **proof}
