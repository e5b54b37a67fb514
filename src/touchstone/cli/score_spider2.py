"""`touchstone score spider2`: a folder of .sql or .csv files, in the official submission format."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..agents.scripted import ScriptedAgent
from ..benchmarks.spider2.benchmark import Spider2
from ..benchmarks.spider2.episode import SUBMIT_FILE, Compat, Settings
from ..benchmarks.spider2.golden import Golden
from ..benchmarks.spider2.submissions import Submission, load_submission, score_file
from ..benchmarks.spider2.tasks import Spider2Task, bare_task, load_tasks
from ..benchmarks.sql_episode import submission
from ..failures import InputError
from ..protocols import Limits
from ..runs.directory import read_records, replace_file
from ..runs.run import Plan
from ..values import Outcome, Record, ToolCall
from .building import Script, open_engine
from .conduct import conduct, exit_code
from .options import JudgeOptions, as_arguments
from .scoring import ScoreOptions, refuse_odd, scoring, write_verdicts


def spider2(
    folder: Path,
    *,
    gold: Path,
    databases: Path = Path("database"),
    data: Path | None = None,
    compat: Compat = "strict",
    all: Annotated[bool, Parameter(negative="")] = False,
    judged: JudgeOptions = JudgeOptions(),
    scored: ScoreOptions = ScoreOptions(),
) -> int:
    """Score a folder of .sql or .csv files named by instance id, the official submission format.

    Parameters
    ----------
    folder
        The submission.
    gold
        The gold folder, with exec_result/ and spider2lite_eval.jsonl.
    databases
        The directory that holds <db>/<db>.sqlite, or <db>.sqlite; needed for .sql files.
    data
        The official spider2-lite.jsonl, which says on which database a question is; by default the one beside the gold folder.
    compat
        The comparison that decides: strict (rows as rows) or official (to the letter). Both are recorded.
    all
        Count questions that have a golden result and no submission as failed.
    """
    refuse_odd(scored, judged)
    golden = Golden(gold)
    handed_in = load_submission(folder)
    folder = folder.resolve()
    tasks = _tasks(_find_data(data, gold, handed_in), golden, handed_in, everything=all)
    given = {"folder": folder, "gold": gold, "databases": databases, "data": data, "compat": compat, "all": all}
    results = folder.with_name(f"{folder.name}_csv")
    settings = Settings(compat=compat, judging=Limits(seconds=judged.sql_timeout), results=str(results))
    files = {task.key: handed_in.files.get(task.key) for task in tasks if task.key not in handed_in.sql}

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(judged, stack)
            benchmark = Spider2(tasks, databases, golden, engine, settings=settings, files=files)
            plan = Plan(
                title=f"Spider2-lite: {folder.name}, {compat} comparison",
                benchmark=benchmark,
                agent=ScriptedAgent(_script(handed_in)),
                parallel=scored.parallel,
            )
            how = scoring("spider2", scored, folder.name, as_arguments(judged, **given), await benchmark.identity())
            finished, path = await conduct(plan, how)
            if path.exists():
                _write_scores(folder, scored.json, path)
            return exit_code(finished, path, resumable=False)  # a second run finds its results in the cache

    return asyncio.run(main())


def _find_data(data: Path | None, gold: Path, handed_in: Submission) -> Path | None:
    """SQL can only be run if the database of its question is known."""
    beside = gold.resolve().parent.parent / "spider2-lite.jsonl"
    found = data or (beside if beside.is_file() else None)
    if handed_in.sql and found is None:
        raise InputError("to run .sql files the databases of the questions must be known: give spider2-lite.jsonl with --data")
    return found


def _tasks(data: Path | None, golden: Golden, handed_in: Submission, *, everything: bool) -> list[Spider2Task]:
    known = {task.key: task for task in load_tasks(data)} if data else {}
    without = sorted(golden.ids - handed_in.ids)
    if without and not everything:
        text = "questions have a golden result and no submission; they are left out (--all counts them as failed)"
        print(f"touchstone: {len(without)} {text}", file=sys.stderr)
    wanted = sorted({*handed_in.ids, *(without if everything else ())})
    return [known.get(name) or bare_task(name, number) for number, name in enumerate(wanted)]


def _script(handed_in: Submission) -> Script:
    def script(key: str) -> list[ToolCall] | None:
        if key in handed_in.files:
            return [ToolCall("submission", SUBMIT_FILE.name, "{}")]
        return [submission(handed_in.sql[key])] if key in handed_in.sql else None

    return script


def _write_scores(folder: Path, json: Path | None, run: Path) -> None:
    records = list(read_records(run))
    correct = [record.task for record in records if record.metrics.get("official") == 1]
    scores = folder.with_name(f"{folder.name}-ids.csv")
    try:
        replace_file(scores, score_file(correct).encode())
    except OSError as error:
        raise InputError(f"cannot write the scores: {error}") from None
    write_verdicts(json, records, _verdict)
    print(f"Official score: {len(correct)} of {len(records)}; the correct ids are in {scores}")


def _verdict(record: Record) -> dict[str, Any]:
    judged = record.outcome in (Outcome.passed, Outcome.failed)
    values = {name: bool(record.metrics.get(name, 0)) if judged else None for name in ("official", "strict")}
    return {**values, "outcome": record.outcome, "reason": record.reason}
