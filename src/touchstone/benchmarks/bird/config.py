"""BIRD's options, and what can be done with them: play, score predictions, audit the gold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from msgspec.structs import force_setattr

from ...datasets import named_data, named_suite
from ...distribution import refuse_without
from ...engines.today import checked_day
from ...errors import InputError
from ...options import Count, Opt, OptionError, expected
from ...plugins import engine_at, open_engine
from ...protocols import JUDGING, RUN, TASKS, WHO, Hints, Opening, ScoreOptions
from ...types import Outcome, Record, Task, ToolCall
from ..audit import remaining
from ..audit.audited import AUDIT, Audited, AuditOptions
from ..sql_episode import read_instructions, submission
from ..task_file import QuerySelection, refuse_missing
from .tasks import BirdTask, corrected, load_tasks, read_overlay, select

if TYPE_CHECKING:
    from ...datasets.catalogue import Dataset
    from ...engines.sqlite.engine import SqliteEngine
    from ...proof import Suite
    from ..data_check import Found
    from .benchmark import Bird, BirdSettings
    from .server import ServerBird

Calls = Mapping[str, Sequence[ToolCall]]
Metric = Literal["ex", "ex-ties", "proven", "multiset", "soft-f1", "r-ves", "r-ves-wall"]


class BirdScoreOptions(ScoreOptions, frozen=True):
    """How predictions are scored. Many at once, so that records share their way to the disk; statements are run by as many
    workers as there are cores in any case."""

    parallel: Annotated[Count, Opt(names=("-p",), group=RUN)] = 128 * (os.cpu_count() or 1)
    """How many tasks to judge at once."""


class BirdAuditOptions(AuditOptions, frozen=True):
    gold_file: Annotated[Path | None, Opt(group=AUDIT)] = None
    """BIRD's gold file, as its own evaluator reads it (SQL, tab, database per line), to compare with the task file's gold."""
    mutants: Annotated[bool, Opt(group=AUDIT)] = False
    """Count how many one-step mutants of each gold query its own database detects, and how many small generated ones do."""


class BirdConfig(QuerySelection, frozen=True):
    """Play BIRD text-to-SQL tasks with an agent, and score it."""

    name: ClassVar[str] = "bird"
    label: ClassVar[str] = "BIRD"
    score_options: ClassVar[type[ScoreOptions]] = BirdScoreOptions
    audit_options: ClassVar[type[AuditOptions]] = BirdAuditOptions
    shared_commands: ClassVar[Mapping[str, str]] = {
        "audit suspects": "touchstone.benchmarks.bird.commands:suspects",
        "suite build": "touchstone.benchmarks.bird.commands:build",
    }

    tasks: Annotated[Path | None, Opt(names=("--data-file", "--data"), positional=True)] = None
    """BIRD's task file: dev.json, mini_dev_sqlite.json, or the same as .jsonl. Alone, a dataset's name: demo, bird-dev or
    bird-mini-dev, once it is fetched."""
    databases: Annotated[Path | None, Opt(names=("--db-dir",), positional=True)] = None
    """The directory that holds <db_id>/<db_id>.sqlite; with --engine, a dump or an address: postgresql://…/name,
    mysql://…/name."""
    engine: Annotated[Literal["sqlite", "postgres", "mysql"] | None, Opt(group=TASKS)] = None
    """What the databases are: SQLite files, or PostgreSQL or MySQL dumps, which are loaded into a private server. An
    address needs no --engine; a live server is only read."""
    overlay: Annotated[Path | None, Opt(group=TASKS)] = None
    """A file of corrections to questions, evidence or gold queries. Both scores are recorded: corrected (ex) and published
    (ex_published)."""
    difficulty: Annotated[Literal["simple", "moderate", "challenging"] | None, Opt(group=TASKS)] = None
    """Only tasks of this difficulty."""
    metric: Annotated[tuple[Metric, ...], Opt(group=JUDGING)] = ("ex",)
    """The metric that decides whether a task is passed; ex, multiset and soft-f1 are always recorded, the others only if named
    (repeatable)."""
    proof: Annotated[bool, Opt(group=JUDGING)] = False
    """For each answer that is right by EX, look for a small database on which it differs from the gold. --metric proven counts
    only answers without one."""
    suite: Annotated[Path | None, Opt(group=JUDGING)] = None
    """Like --proof, but on the databases in this file instead of a search. touchstone suite build makes such a file; demo is
    the one for the demo data."""
    laws: Annotated[Path | None, Opt(group=JUDGING, advanced=True)] = None
    """A TOML file that adds and forbids invariants of the small databases, see docs/proof.md."""
    evidence: Annotated[bool, Opt(group=WHO)] = True
    """Show the task's evidence to the agent as a hint."""
    today: Annotated[str | None, Opt(group=JUDGING)] = None
    """The date that SQL sees as today, such as 2025-02-19, for gold queries that depend on it."""
    cache: Annotated[bool, Opt(group=JUDGING, advanced=True)] = True
    """Reuse cached results of earlier runs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_day(self.today)
        if self.databases is None and (paths := named_data("bird", self.tasks)):
            force_setattr(self, "tasks", paths[0])
            force_setattr(self, "databases", paths[1])
        if self.tasks is None or self.databases is None:
            raise InputError("a task file and its databases belong together: give both, or the name of a dataset such as demo")
        if not self.metric:
            raise OptionError("metric", None, f"expected {expected(Metric)}")
        if self.proof and self.suite:
            raise OptionError("suite", self.suite, "cannot be combined with proof, which searches")
        if self.laws and not self._searched:
            raise OptionError("laws", self.laws, "works only with a search: proof, or the metric proven, without a suite")

    async def open(self, opening: Opening) -> Bird | ServerBird:
        if self._system != "sqlite":
            return await self._on_server(opening)
        return self.built(self.chosen(opening.say), await self.sqlite_engine(opening), opening.say)

    def hints(self) -> Hints:
        return Hints(service_template={"question": "{question}", "db_id": "{database}", "evidence": "{evidence}"})

    def title(self, who: str) -> str:
        return f"{self.label}: {who}, metric {self.metric[0]}"

    def chosen(self, say: Callable[[str], None] = lambda _: None) -> list[BirdTask]:
        """The tasks to play."""
        return select(
            remaining(self.every(), self.exclude_audit, benchmark=self.name, say=say),
            difficulty=self.difficulty,
            databases=self.database,
            ids=self.task,
            offset=self.offset,
            limit=self.limit,
        )

    def every(self) -> list[BirdTask]:
        """All tasks of the file, corrected."""
        assert self.tasks is not None
        tasks = load_tasks(self.tasks)
        return tasks if self.overlay is None else corrected(read_overlay(self.overlay), self.overlay, tasks, self.tasks)

    def built(self, tasks: Sequence[BirdTask], engine: SqliteEngine, say: Callable[[str], None] = lambda _: None) -> Bird:
        """The benchmark with these tasks, on an engine that is open."""
        from .benchmark import Bird

        assert self.databases is not None
        benchmark = Bird(
            tasks,
            self.databases,
            engine,
            settings=self._settings(tasks),
            evidence=self.evidence,
            schema=self.schema,
            instructions=read_instructions(self.system_prompt),
        )
        if missing := benchmark.missing:
            names = ", ".join(missing)
            say(f"{len(missing)} databases are not in {self.databases}: {names}; their tasks are unscorable")
        return benchmark

    async def sqlite_engine(self, opening: Opening) -> SqliteEngine:
        if self._system != "sqlite":
            raise InputError(f"this needs BIRD's SQLite files, not --engine {self._system}")
        engine = await open_engine("sqlite", opening, place=str(self.databases), cache=self.cache, today=self.today)
        return cast("SqliteEngine", engine)

    @property
    def _address(self) -> str | None:
        """The databases, if they are not files. A path has lost one of the address's slashes."""
        scheme, mark, rest = str(self.databases).partition(":/")
        return f"{scheme}://{rest.lstrip('/')}" if mark else None

    @property
    def _system(self) -> str:
        return self.engine or (engine_at(self._address) if self._address else "sqlite")

    async def _on_server(self, opening: Opening) -> ServerBird:
        from .server import ServerBird

        other = [name for name in self.metric if name not in ("ex", "multiset", "soft-f1")]
        asked = {f"--metric {other[0]}" if other else "": other, "--proof": self.proof, "--suite": self.suite}
        for option, value in (asked | {"--laws": self.laws, "--overlay": self.overlay, "--today": self.today}).items():
            if value:
                raise InputError(f"{option} is for SQLite, not for --engine {self._system}")
        tasks = self.chosen(opening.say)
        address = self._address or str(self.databases)
        engine = await open_engine(self._system, opening, place=address, live=self._address is not None)
        return ServerBird(
            tasks,
            engine,
            settings=self._settings(tasks),
            evidence=self.evidence,
            schema=self.schema,
            instructions=read_instructions(self.system_prompt),
        )

    def predictions(self, path: Path, tasks: Sequence[Task], *, allow_missing: bool = False) -> Calls:
        """What a prediction file or a run has for the chosen tasks. Of the file's own tasks none may be missing."""
        from .predictions import load_predictions

        by_task = load_predictions(path, self.every(), allow_missing=allow_missing or path.is_dir())
        refuse_missing(path, tasks, by_task, allow_missing=allow_missing)
        return {key: [submission(sql)] for key, sql in by_task.items()}

    def verdict(self, record: Record) -> dict[str, Any]:
        judged = record.outcome in (Outcome.passed, Outcome.failed)
        names = sorted({"ex", "soft_f1", "multiset", *record.metrics})
        values: dict[str, Any] = {name: record.metrics.get(name, 0.0) if judged else None for name in names}
        if judged:
            values |= {name: int(values[name]) for name in ("ex", "multiset")}
        proof = {"proof": record.evidence["proof"]} if "proof" in record.evidence else {}
        return {**values, "outcome": record.outcome, "reason": record.reason, **proof}

    async def audit(self, opening: Opening, options: BirdAuditOptions) -> Audited:
        from .audit import audit

        assert self.tasks is not None
        if options.mutants:
            refuse_without("sqlglot", "--mutants", "proof")
        engine = await self.sqlite_engine(opening)
        benchmark = self.built(self.chosen(opening.say), engine)
        with opening.counting("tasks looked at") as watch:
            findings = await audit(
                benchmark, engine, limits=self.judging, gold_file=options.gold_file, parallel=options.parallel, watch=watch
            )
        strength = None
        if options.mutants:
            from ..audit.report import in_all
            from .proof import mutated, over_tasks, votes_on

            with opening.counting("tasks mutated") as watch:
                votes = votes_on(benchmark, {})
                strength = in_all(
                    *await over_tasks(
                        benchmark, engine, mutated, votes, limits=self.judging, parallel=options.parallel, watch=watch
                    )
                )
        title = f"{self.label}: audit of {self.tasks.name}"
        return Audited(title=title, benchmark=benchmark, findings=findings, strength=strength)

    @classmethod
    def gold_queries(cls, file: Path) -> Iterator[tuple[str, str, str]]:
        return ((task.question, task.database, task.gold) for task in load_tasks(file))

    @classmethod
    def check_data(cls, dataset: Dataset, file: Path, found: Found, deep: bool) -> None:
        from ..data_check import count_tasks, find_folder, is_sound

        tasks = load_tasks(file)
        count_tasks(dataset, len(tasks), found)
        names = sorted({task.database for task in tasks})
        databases = find_folder(file.parent, dataset.database_folder, names)
        broken = [name for name in names if not is_sound(databases, name, deep)]
        found.counted(f"databases in {databases}", broken, len(names))
        found.use = dataset.use.format(task_file=file, databases=databases)

    def _settings(self, tasks: Sequence[BirdTask]) -> BirdSettings:
        from .benchmark import BirdSettings

        return BirdSettings(
            metric=self.metric[0].replace("-", "_"),
            r_ves="r-ves" in self.metric,
            r_ves_wall="r-ves-wall" in self.metric,
            ties="ex-ties" in self.metric,
            overlay=read_overlay(self.overlay).identity() if self.overlay else None,
            proof=self._searched,
            suite=self._suite(tasks),
            laws=self._laws(self.laws, tasks) if self.laws else "",
            exploring=self.exploring,
            judging=self.judging,
        )

    @property
    def _searched(self) -> bool:
        return self.suite is None and (self.proof or "proven" in self.metric)

    def _suite(self, tasks: Sequence[BirdTask]) -> Suite | None:
        if "ex-ties" in self.metric:
            refuse_without("sqlglot", "--metric ex-ties", "proof")
        if self._searched or self.suite:
            what = "--suite" if self.suite else "--proof" if self.proof else "--metric proven"
            refuse_without("sqlglot", what, "proof")
        if self.suite is None:
            return None
        from ...proof import load

        suite = load(named_suite(self.suite))
        if not any(task.key in suite.tasks and suite.tasks[task.key].gold == task.gold for task in tasks):
            raise InputError(
                f"--suite {self.suite}: it was built for other tasks: none of the {len(tasks)} chosen ones is in it"
            )
        return suite

    def _laws(self, path: Path, tasks: Sequence[BirdTask]) -> str:
        """The text; a law that fits none of the databases is refused before hours of work."""
        from ...engines.sqlite.files import find
        from ...proof import Source, read_amendments

        assert self.databases is not None
        amendments, text = read_amendments(path)
        files = [find(self.databases, name) for name in sorted({task.database for task in tasks})]
        with ExitStack() as stack:
            amendments.refuse_misfits([stack.enter_context(closing(Source(file))) for file in files if file.is_file()])
        return text
