"""The options of a benchmark of your own: questions in a file, databases in files or on a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from msgspec.structs import force_setattr

from ...engines.duckdb.in_memory import MEMORY, is_recipe, only_name
from ...errors import InputError, Unscorable
from ...options import Opt, OptionError
from ...plugins import available, engine_at, engine_type, open_engine
from ...protocols import JUDGING, TASKS, WHO, Engine, Hints, Opening
from ...types import Task, ToolCall
from ..audit import remaining
from ..audit.audited import Audited, AuditOptions
from ..sql_episode import submission
from ..task_file import QuerySelection, cut, named, refuse_missing, refuse_unknown
from .questions import NAMES, SqlTask, expected_files, is_tolerance, load_questions

if TYPE_CHECKING:
    from .benchmark import SqlQuestions

Calls = Mapping[str, Sequence[ToolCall]]

DEMO = Path(__file__).with_name("demo")


class SqlConfig(QuerySelection, frozen=True):
    """Play your own questions on your own database with an agent, and score it."""

    name: ClassVar[str] = "sql"
    label: ClassVar[str] = "SQL questions"

    questions: Annotated[Path | None, Opt(positional=True)] = None
    """The questions, one row each: .csv, .tsv, .json, .jsonl, .yaml, .parquet, .xlsx or .ods. demo for the questions that
    ship with Touchstone."""
    databases: Annotated[Path | None, Opt(names=("--db",), positional=True)] = None
    """The database: a SQLite or DuckDB file, or a folder with one per name; for DuckDB also a folder of CSV, Parquet or JSON
    files, or a set-up script (--engine duckdb); or an address, as for --database-url."""
    database_url: Annotated[str | None, Opt(group=TASKS)] = None
    """A live database: postgresql://user@host:port/name, mysql://user@host:port/name, bigquery://project/dataset or
    snowflake://user@account/database/schema. It is only read: a role that could write is refused."""
    engine: Annotated[Literal["sqlite", "duckdb", "mysql", "postgres"] | None, Opt(group=TASKS)] = None
    """What the files are, if their names do not say so. Dumps that end in .sql are loaded into a private server; with duckdb, a
    .sql file is a set-up script."""
    column: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Map a column of the questions file, such as question=Frage (repeatable)."""
    tag: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only questions with this tag (repeatable)."""
    order: Annotated[bool | None, Opt(group=JUDGING)] = None
    """Whether rows must be in the gold's order, for all questions; by default each question says."""
    tolerance: Annotated[str | None, Opt(group=JUDGING)] = None
    """How far numbers may be off, for questions that do not say: 0.01, or 1%."""
    evidence: Annotated[bool, Opt(group=WHO)] = True
    """Show the question's evidence to the agent as a hint."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.questions is None or (str(self.questions) == "demo" and not self.questions.exists()):
            force_setattr(self, "questions", DEMO / "questions.csv")
            force_setattr(self, "databases", self.databases or DEMO / "shop.sqlite")
        if self.databases is not None and (scheme := str(self.databases).partition(":/"))[1]:
            force_setattr(self, "database_url", f"{scheme[0]}://{scheme[2].lstrip('/')}")
            force_setattr(self, "databases", None)
        if (self.databases is None) == (self.database_url is None):
            raise InputError("questions need a database: give a file, a folder or an address (one of them)")
        for each in self.column:
            if each.partition("=")[0] not in NAMES or not each.partition("=")[2]:
                raise OptionError("column", each, f"expected NAME=COLUMN with one of {', '.join(NAMES)}")
        if self.tolerance is not None and not is_tolerance(self.tolerance):
            raise OptionError("tolerance", self.tolerance, "expected a number such as 0.01, or 1%")

    async def open(self, opening: Opening) -> SqlQuestions:
        tasks = self.chosen(opening.say)
        return self._built(tasks, await self._engine(opening), opening.say)

    def hints(self) -> Hints:
        return Hints(service_template={"question": "{question}", "db_id": "{database}", "evidence": "{evidence}"})

    def all_questions(self) -> list[SqlTask]:
        assert self.questions is not None
        named = dict(each.split("=", 1) for each in self.column)
        return load_questions(self.questions, named, self._only_database())

    def chosen(self, say: Callable[[str], None] = lambda _: None) -> list[SqlTask]:
        """The questions to play."""
        tasks = self.all_questions()
        refuse_unknown("--tag", self.tag, {tag for task in tasks for tag in _tags(task)}, "the questions")
        there = remaining(tasks, self.exclude_audit, benchmark=self.name, say=say)
        chosen = named(there, self.database, self.task, "the questions")
        left = [task for task in chosen if not self.tag or set(self.tag) & _tags(task)]
        return cut(left, self.offset, self.limit, len(tasks))

    def predictions(self, path: Path, tasks: Sequence[Task], *, allow_missing: bool = False) -> Calls:
        """SQL by id: {"id": "SQL"}, rows with an id and sql in any format of questions, or a run."""
        from .predictions import load_predictions

        queries = load_predictions(path, [task.key for task in self.all_questions()])
        refuse_missing(path, tasks, queries, allow_missing=allow_missing)
        return {key: [submission(sql)] for key, sql in queries.items()}

    async def audit(self, opening: Opening, options: AuditOptions) -> Audited:
        from .audit import audit

        assert self.questions is not None
        benchmark = await self.open(opening)
        with opening.counting("questions looked at") as watch:
            findings = await audit(benchmark, parallel=options.parallel, watch=watch)
        return Audited(title=f"{self.label}: audit of {self.questions.name}", benchmark=benchmark, findings=findings)

    async def _engine(self, opening: Opening) -> Engine:
        if self.database_url is not None:
            return await open_engine(engine_at(self.database_url), opening, place=self.database_url, live=True)
        return await open_engine(self.engine_name(), opening, place=str(self.databases))

    def engine_name(self) -> str:
        """By the option, the file's first bytes, or the files in the folder."""
        assert self.databases is not None
        if self.engine is not None:
            return self.engine
        if self.databases.is_file():
            return _sniffed(self.databases)
        if self.databases.name == MEMORY:
            return "duckdb"
        for name in available("engines"):
            suffixes = engine_type(name).suffixes
            if any(file.suffix.lower() in suffixes for file in self.databases.rglob("*") if suffixes):
                return name
        for dump in sorted(self.databases.rglob("*.sql")):
            return _sniffed(dump)
        if is_recipe(self.databases):
            return "duckdb"
        raise InputError(
            f"{self.databases}: there is no SQLite or DuckDB file, no dump, and no CSV, Parquet or JSON file in it"
        )

    def in_order(self, task: SqlTask) -> bool:
        """Whether the rows of its answer must be in the gold's order."""
        return task.order if self.order is None else self.order

    def file_of(self, name: str) -> Path:
        """Of a database, or what would be one: its folder is where descriptions of it are looked for."""
        assert self.databases is not None
        return self.databases if self.databases.is_file() else self.databases / name / name

    def _only_database(self) -> str:
        """What a question is on that names no database; none if there are several."""
        if self.database_url is not None:
            return self.database_url.rpartition("/")[2].partition("?")[0]
        assert self.databases is not None
        if self.databases.name != MEMORY and not self.databases.exists():
            raise InputError(f"{self.databases}: there is no such database file or folder")
        if self.engine_name() == "duckdb" and is_recipe(self.databases):
            self._refuse_gold_among_data()
            return only_name(self.databases)
        return self.databases.stem if self.databases.is_file() else ""

    def _refuse_gold_among_data(self) -> None:
        """Every file of data becomes a table that agents can read."""
        assert self.questions is not None
        assert self.databases is not None
        for file in (self.questions, *expected_files(self.questions)):
            if self.databases.is_dir() and file.resolve().is_relative_to(self.databases.resolve()):
                raise InputError(
                    f"{file}: it lies in the database's folder, where agents could read it; move it out of {self.databases}"
                )

    def _built(self, tasks: Sequence[SqlTask], engine: Engine, say: Callable[[str], None]) -> SqlQuestions:
        from .benchmark import SqlQuestions

        benchmark = SqlQuestions(self, tasks, engine)
        missing: dict[str, str] = {}
        for task in tasks:
            try:
                benchmark.database(task)
            except Unscorable as error:
                missing.setdefault(task.database, str(error))
        if len(missing) == len({task.database for task in tasks}):
            raise InputError(next(iter(missing.values())))
        if missing:
            say(f"{len(missing)} databases cannot be used, and their questions are unscorable: {', '.join(missing)}")
        return benchmark


def _tags(task: SqlTask) -> set[str]:
    return {tag for tag in task.facets.get("tags", "").split(", ") if tag}


def _sniffed(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(2000)
    if head.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    if head[8:12] == b"DUCK":
        return "duckdb"
    if path.suffix.lower() == ".sql":
        for name, words in (("mysql", (b"MySQL dump", b"MariaDB dump")), ("postgres", (b"PostgreSQL database dump",))):
            if any(word in head for word in words):
                return name
        raise InputError(
            f"{path}: which system is this SQL for? Add --engine mysql or postgres for a dump, duckdb for a script"
        )
    raise InputError(f"{path}: neither a SQLite nor a DuckDB database, nor a dump or script that ends in .sql")
