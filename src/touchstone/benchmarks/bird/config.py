"""BIRD's options, and what can be done with them: play, score predictions, audit the gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec.structs import force_setattr

from ...datasets import named_data, named_suite
from ...distribution import pip_install
from ...failures import InputError
from ...options import Opt, Positive
from ...protocols import JUDGING, TASKS, WHO, Hints, Limits, Opening
from ...values import Task, ToolCall
from ..audit import remaining
from ..selecting import Selection
from ..sql_episode import read_instructions, submission
from .tasks import BirdTask, load_tasks, select

if TYPE_CHECKING:
    from ...engines.sqlite.engine import SqliteEngine
    from ...proof import Suite
    from .benchmark import Bird
    from .episode import Settings

Calls = Mapping[str, Sequence[ToolCall]]
Metric = Literal["ex", "proven", "multiset", "soft-f1", "r-ves", "r-ves-wall"]


class BirdConfig(Selection, frozen=True):
    """Play BIRD text-to-SQL tasks with an agent, and score it."""

    name: ClassVar[str] = "bird"
    label: ClassVar[str] = "BIRD"

    tasks: Annotated[Path | None, Opt(names=("--data-file", "--data"), positional=True)] = None
    """BIRD's task file: dev.json, mini_dev_sqlite.json, or the same as .jsonl. Alone, a dataset's name: demo, bird-dev or
    bird-mini-dev, once it is fetched."""
    databases: Annotated[Path | None, Opt(names=("--db-dir",), positional=True)] = None
    """The directory that holds <db_id>/<db_id>.sqlite."""
    overlay: Annotated[Path | None, Opt(group=TASKS)] = None
    """A file of corrections to questions, evidence or golds. Both scores are recorded: with them (ex), and by the published
    golds (ex_published)."""
    difficulty: Annotated[Literal["simple", "moderate", "challenging"] | None, Opt(group=TASKS)] = None
    """Only tasks of this difficulty."""
    metric: Annotated[Metric, Opt(group=JUDGING)] = "ex"
    """The metric that decides whether a task is passed; ex, multiset and soft-f1 are always recorded."""
    proof: Annotated[bool, Opt(group=JUDGING)] = False
    """For each prediction that is right by EX, look for a small database on which it differs from the gold. --metric proven
    counts only those that hold."""
    suite: Annotated[Path | None, Opt(group=JUDGING)] = None
    """The same without a search: on the databases of a file that touchstone suite build made, or of the one that ships
    for the demo data (--suite demo)."""
    laws: Annotated[Path | None, Opt(group=JUDGING, advanced=True)] = None
    """A TOML file that adds and forbids invariants of the small databases, see docs/proof.md."""
    evidence: Annotated[bool, Opt(group=WHO)] = True
    """Show the task's evidence to the agent as a hint."""
    schema: Annotated[bool, Opt(group=WHO)] = False
    """Tell the agent the tables and columns together with the question."""
    system_prompt: Annotated[Path | None, Opt(group=WHO, advanced=True)] = None
    """A file with instructions that replace the built-in ones."""
    sql_timeout: Annotated[Positive, Opt(group=JUDGING)] = 30.0
    """Seconds for each statement, the gold and the prediction apart. They are counted as work, 70 million steps of SQLite
    each, so a busy machine changes no verdict."""
    cache: Annotated[bool, Opt(group=JUDGING, advanced=True)] = True
    """Remember results by content across runs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.databases is None and (found := named_data("bird", self.tasks)):
            force_setattr(self, "tasks", found[0])
            force_setattr(self, "databases", found[1])
        if self.proof and self.suite:
            raise InputError("--proof searches and --suite does not: give one of them")
        if self.laws and (self.suite or not (self.proof or self.metric == "proven")):
            raise InputError("--laws is for a search: give --proof or --metric proven with it, without --suite")
        if self.tasks is None or self.databases is None:
            raise InputError("a task file and its databases belong together: give both, or the name of a dataset such as demo")

    async def open(self, opening: Opening) -> Bird:
        return self.built(self.chosen(opening.say), self._engine(opening), opening.say)

    def hints(self) -> Hints:
        return Hints(service_template={"question": "{question}", "db_id": "{database}", "evidence": "{evidence}"})

    def title(self, who: str) -> str:
        return f"{self.label}: {who}, metric {self.metric}"

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
        if self.overlay is None:
            return tasks
        from .overlay import corrected, read_overlay

        return corrected(read_overlay(self.overlay), self.overlay, tasks, self.tasks)

    def built(
        self,
        tasks: Sequence[BirdTask],
        engine: SqliteEngine,
        say: Callable[[str], None] = lambda _: None,
        *,
        also: Sequence[Metric] = (),
    ) -> Bird:
        """The benchmark with these tasks, on an engine that is open; `also` are metrics to record besides."""
        from .benchmark import Bird

        assert self.databases is not None
        benchmark = Bird(
            tasks,
            self.databases,
            engine,
            settings=self._settings({self.metric, *also}, tasks),
            evidence=self.evidence,
            schema=self.schema,
            instructions=read_instructions(self.system_prompt),
        )
        if missing := benchmark.missing:
            names = ", ".join(missing)
            say(f"{len(missing)} databases are not in {self.databases}: {names}; their tasks are unscorable")
        return benchmark

    def predictions(self, path: Path, tasks: Sequence[Task], *, allow_missing: bool = False) -> Calls:
        """What a prediction file or a run has for the chosen tasks. Of the file's own tasks none may be missing."""
        from .predictions import load_predictions

        found = load_predictions(path, self.every(), allow_missing=allow_missing or path.is_dir())
        missing = [] if allow_missing else [task.key for task in tasks if task.key not in found]
        if missing:
            raise InputError(
                f"{path}: {len(missing)} of the {len(tasks)} chosen tasks are not in it, the first is {missing[0]}"
            )
        return {key: [submission(sql)] for key, sql in found.items()}

    def _engine(self, opening: Opening) -> SqliteEngine:
        from ...engines.cache import default_path
        from ...engines.sqlite.engine import SqliteEngine

        engine = SqliteEngine(cache=default_path() if self.cache else None)
        opening.stack.push_async_callback(engine.close)
        return engine

    def _settings(self, metrics: set[Metric], tasks: Sequence[BirdTask]) -> Settings:
        from .episode import Settings

        overlay: dict[str, Any] | None = None
        if self.overlay is not None:
            from .overlay import read_overlay

            overlay = read_overlay(self.overlay).identity()
        searched = self.suite is None and (self.proof or "proven" in metrics)
        if (searched or self.suite) and find_spec("sqlglot") is None:
            what = "--suite" if self.suite else "--proof" if self.proof else "--metric proven"
            raise InputError(f"{what} needs the package 'sqlglot': {pip_install('proof')}")
        return Settings(
            metric=self.metric.replace("-", "_"),
            overlay=overlay,
            r_ves="r-ves" in metrics,
            r_ves_wall="r-ves-wall" in metrics,
            proof=searched,
            suite=self._read_suite(self.suite, tasks) if self.suite else None,
            laws=self._read_laws(self.laws, tasks) if self.laws else "",
            exploring=Limits(seconds=self.sql_timeout, rows=10_000, cut_rows=True),
            judging=Limits(seconds=self.sql_timeout),
        )

    def _read_suite(self, path: Path, tasks: Sequence[BirdTask]) -> Suite:
        from ...proof import load

        suite = load(named_suite(path))
        if not any(task.key in suite.tasks and suite.tasks[task.key].gold == task.gold for task in tasks):
            raise InputError(f"--suite {path}: it was built for other tasks: none of the {len(tasks)} chosen ones is in it")
        return suite

    def _read_laws(self, path: Path, tasks: Sequence[BirdTask]) -> str:
        """The text; a law that fits none of the databases is refused before hours of work."""
        from ...engines.sqlite.files import find
        from ...proof import Source, read_amendments

        assert self.databases is not None
        amendments, text = read_amendments(path)
        files = [find(self.databases, name) for name in sorted({task.database for task in tasks})]
        with ExitStack() as stack:
            amendments.refuse_misfits([stack.enter_context(closing(Source(file))) for file in files if file.is_file()])
        return text
