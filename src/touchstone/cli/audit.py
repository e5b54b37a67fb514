"""`touchstone audit`: check a benchmark's own gold answers before blaming an agent."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..failures import InputError
from ..protocols import Limits
from .audit_running import DEFAULTS, AuditOptions, Subject, conclude, counting, refuse
from .building import open_engine, refuse_without_proof
from .interact_options import DatabaseOptions, InteractSelect
from .options import SelectOptions
from .terminal import say

app = App(name="audit", help="Check a benchmark's own gold answers before blaming an agent.")
app.command("touchstone.cli.audit_suspects:suspects", name="suspects", help="List golds that several systems agree against.")


@app.command
def bird(
    data_file: Path,
    db_dir: Path,
    *,
    selected: SelectOptions = SelectOptions(),
    audited: AuditOptions = DEFAULTS,
    gold_file: Path | None = None,
    mutants: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Audit BIRD: golds that fail, are empty or not deterministic, and tasks that contradict each other.

    Parameters
    ----------
    data_file
        BIRD's task file: dev.json, mini_dev_sqlite.json, or the same as .jsonl.
    db_dir
        The directory that holds <db_id>/<db_id>.sqlite.
    gold_file
        BIRD's gold as its own evaluator reads it (SQL, tab, database per line): is it the gold of the task file?
    mutants
        Count how many one-step mutants of each gold its database tells from it, and how many small generated ones do.
    """
    from ..benchmarks.bird.audit import audit
    from ..benchmarks.bird.config import BirdConfig

    refuse(audited)
    if mutants:
        refuse_without_proof("--mutants")
    config = BirdConfig(data_file, db_dir, **asdict(selected), sql_timeout=audited.sql_timeout, cache=audited.cache)
    tasks = config.chosen(say)
    limits = Limits(seconds=audited.sql_timeout)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(audited.judged, stack)
            benchmark = config.built(tasks, engine)
            with counting("tasks looked at") as watch:
                findings = await audit(
                    benchmark, engine, limits=limits, gold_file=gold_file, parallel=audited.parallel, watch=watch
                )
            strength = None
            if mutants:
                from ..benchmarks.bird.strength import measured

                with counting("tasks mutated") as watch:
                    strength = await measured(benchmark, engine, limits=limits, parallel=audited.parallel, watch=watch)
            title = f"BIRD: what {data_file.name} is worth here"
            subject = Subject(title=title, benchmark=benchmark, tasks=tasks, strength=strength)
            return await conclude(subject, findings, audited)

    return asyncio.run(main())


@app.command
def spider2(
    questions: Path,
    *,
    databases: Annotated[Path, Parameter(name=["--databases", "--database_dir"])],
    gold: Path,
    documents: Path | None = None,
    task: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    audited: AuditOptions = DEFAULTS,
) -> int:
    """Audit Spider2-lite: golden results, their metadata, and gold SQL that does not give them.

    Parameters
    ----------
    questions
        The official spider2-lite.jsonl, or the converted file.
    databases
        The directory that holds <db>/<db>.sqlite, or <db>.sqlite.
    gold
        The gold folder, with exec_result/ and spider2lite_eval.jsonl.
    documents
        The folder of documents that questions name.
    task
        Only the question with this instance_id (repeatable).
    """
    from ..benchmarks.spider2.audit import audit, is_hopeless
    from ..benchmarks.spider2.benchmark import Spider2
    from ..benchmarks.spider2.episode import Settings
    from ..benchmarks.spider2.golden import Golden
    from ..benchmarks.spider2.tasks import load_tasks

    refuse(audited)
    golden = Golden(gold)
    loaded = load_tasks(questions, golden.sql)
    if unknown := set(task) - {each.key for each in loaded}:
        raise InputError(f"--task {min(unknown)}: not in {questions}")
    wanted = [each for each in loaded if not task or each.key in task]
    tasks = [each for each in wanted if each.platform == "sqlite" or golden.has(each.key)]
    if not tasks:
        raise InputError(f"{questions}: no question is left of {len(wanted)}: none is on SQLite or has a golden result")
    limits = Limits(seconds=audited.sql_timeout)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            engine = open_engine(audited.judged, stack)
            playable = [each for each in tasks if not is_hopeless(golden, each)]
            benchmark = Spider2(playable, databases, golden, engine, settings=Settings(judging=limits))
            with counting("questions looked at") as watch:
                findings = await audit(
                    tasks,
                    databases,
                    golden,
                    engine,
                    limits=limits,
                    documents=documents,
                    parallel=audited.parallel,
                    watch=watch,
                )
            subject = Subject(
                title=f"Spider2-lite: what {questions.name} is worth here",
                benchmark=benchmark,
                tasks=tasks,
                left_out={"on another platform, without a golden result": len(wanted) - len(tasks)},
            )
            return await conclude(subject, findings, audited)

    return asyncio.run(main())


@app.command
def interact(
    dataset: Path,
    *,
    selected: InteractSelect = InteractSelect(),
    databases: DatabaseOptions = DatabaseOptions(),
    audited: AuditOptions = DEFAULTS,
) -> int:
    """Audit BIRD-Interact: golds and hidden tests of both phases, and the annotations around them.

    Parameters
    ----------
    dataset
        The directory of Lite, Full or mini-interact as published, ground truth merged in; or its task file.
    """
    from ..benchmarks.interact.audit import audit
    from ..benchmarks.interact.benchmark import Interact, Settings
    from ..benchmarks.interact.tasks import data_file, load_tasks, select
    from ..benchmarks.interact.user.building import build_user
    from .interact_databases import open_worlds

    refuse(audited)
    file = data_file(dataset)
    tasks = select(
        load_tasks(file),
        category=selected.category,
        databases=selected.database,
        ids=selected.task,
        offset=selected.offset,
        limit=selected.limit,
    )
    limits = Limits(seconds=audited.sql_timeout)

    async def main() -> int:
        async with AsyncExitStack() as stack:
            worlds = await open_worlds(file.parent, tasks, databases, audited.judged, stack)
            benchmark = Interact(tasks, file.parent, worlds, build_user("scripted"), settings=Settings(judging=limits))
            with counting("tasks looked at") as watch:
                findings = await audit(tasks, file, worlds, limits=limits, parallel=audited.parallel, watch=watch)
            subject = Subject(
                title=f"BIRD-Interact: what {file.name} is worth here",
                benchmark=benchmark,
                tasks=tasks,
                versions=worlds.versions,
                metrics="phase_",
            )
            return await conclude(subject, findings, audited)

    return asyncio.run(main())
