"""Audits of benchmarks that are not structs yet."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from ..benchmarks.audit import audited as audited_module
from ..benchmarks.audit.findings import Finding
from ..benchmarks.audit.report import MutationStrength
from ..failures import InputError
from ..protocols import Benchmark, Limits
from ..values import Task
from .audit import conclude as concluded
from .building import open_engine, refuse_unless_positive
from .interact_options import DatabaseOptions, InteractSelect
from .options import JudgeOptions
from .progress import counting

_AUDIT = Group("The audit", sort_key=4)


@Parameter(name="*", group=_AUDIT)
@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    json: Path | None = None
    """Write everything that was found to this file."""
    exclude: Path | None = None
    """Write the list of tasks to leave out, for --exclude-audit of the commands that play."""
    exclude_severity: Literal["error", "warning", "note"] = "error"
    """What is bad enough for that list: errors; errors and warnings; or everything."""
    sql_timeout: float = 30.0
    """Seconds for each run of a gold."""
    cache: bool = True
    """Remember results by content across runs."""
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = min(os.cpu_count() or 1, 8)
    """How many tasks at once; by default as many as there are processors."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative="")] = False
    """Print every finding, not only examples."""

    @property
    def judged(self) -> JudgeOptions:
        return JudgeOptions(sql_timeout=self.sql_timeout, cache=self.cache)


DEFAULTS = AuditOptions()


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is audited."""

    title: str
    benchmark: Benchmark
    tasks: Sequence[Task]
    left_out: Mapping[str, int] = field(default_factory=lambda: {})
    versions: Mapping[str, str] = field(default_factory=lambda: {})
    metrics: str = ""
    """What the names of metrics that tell about the gold begin with."""
    strength: MutationStrength | None = None


def refuse(audited: AuditOptions) -> None:
    """Mistakes that are better told before anything runs."""
    refuse_unless_positive(audited.parallel, "--parallel")
    refuse_unless_positive(audited.sql_timeout, "--sql-timeout")
    for option, path in (("--json", audited.json), ("--exclude", audited.exclude)):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise InputError(f"{option} {path}: expected the name of a file in a directory that exists")


async def conclude(subject: Subject, findings: Sequence[Finding], audited: AuditOptions) -> int:
    options = audited_module.AuditOptions(
        json=audited.json,
        exclude=audited.exclude,
        exclude_severity=audited.exclude_severity,
        parallel=audited.parallel,
        verbose=audited.verbose,
    )
    if subject.versions:
        subject.benchmark.versions = subject.versions  # pyright: ignore
    found = audited_module.Audited(
        title=subject.title,
        benchmark=subject.benchmark,
        findings=findings,
        tasks=subject.tasks,
        left_out=subject.left_out,
        metrics=subject.metrics,
    )
    return await concluded(found, options)


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
