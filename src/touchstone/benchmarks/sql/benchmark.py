"""Questions of your own as a benchmark, on whichever engine their databases need."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from ...engines.judging_connection import wall_clock
from ...errors import SqlError, Unscorable
from ...protocols import Engine, EpisodeDatabase, Gold, Limits
from ...types import Brief, Observation, Outcome, Task, Tool, ToolCall, Verdict
from ..sql_episode import LOOKING, PlainEpisode, request, submission
from .judge import Judgement, Question, judge
from .questions import SqlTask

INSTRUCTIONS = Path(__file__).with_name("instructions.md")

DIALECTS = {
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
}
_SCHEMA_HINTS = {
    "sqlite": "The schema: SELECT name, sql FROM sqlite_master.",
    "duckdb": "The schema: SELECT table_name, column_name, data_type FROM information_schema.columns.",
    "postgres": "The schema: SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns.",
    "mysql": "The schema: SHOW TABLES, and SHOW CREATE TABLE of each.",
    "bigquery": "The schema: SELECT table_name, column_name, data_type FROM INFORMATION_SCHEMA.COLUMNS.",
    "snowflake": "The schema: SELECT table_name, column_name, data_type FROM information_schema.columns.",
}
_INFORMATION = """
SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position)
FROM information_schema.columns WHERE table_schema NOT IN ('information_schema', 'pg_catalog')
GROUP BY table_schema, table_name ORDER BY table_schema, table_name
"""
_LISTINGS = {
    "sqlite": """
SELECT m.name, group_concat(c.name || ' ' || c.type, ', ') FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' GROUP BY m.name
""",
    "duckdb": _INFORMATION,
    "postgres": _INFORMATION,
    "mysql": """
SELECT table_name, group_concat(column_name, ' ', column_type ORDER BY ordinal_position SEPARATOR ', ')
FROM information_schema.columns WHERE table_schema = DATABASE() GROUP BY table_name ORDER BY table_name
""",
    "bigquery": """
SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position)
FROM INFORMATION_SCHEMA.COLUMNS GROUP BY table_name ORDER BY table_name
""",
    "snowflake": """
SELECT table_name, listagg(column_name || ' ' || data_type, ', ') WITHIN GROUP (ORDER BY ordinal_position)
FROM information_schema.columns WHERE table_schema = current_schema() GROUP BY table_name ORDER BY table_name
""",
}


class ExecuteSql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT * FROM customer LIMIT 5"])]


class SubmitSql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT count(*) FROM customer"])]


class Settings(Struct, frozen=True):
    """What changes how an episode is played and judged."""

    evidence: bool = True
    schema: bool = False
    order: bool | None = None
    """For questions that do not say so themselves."""
    tolerance: str = ""
    exploring: Limits = Limits(rows=10_000, cut_rows=True)
    judging: Limits = Limits()


class SqlQuestions:
    """The questions given, on the databases of one engine."""

    name = "sql"

    def __init__(
        self, tasks: Sequence[SqlTask], engine: Engine, settings: Settings | None = None, instructions: str | None = None
    ) -> None:
        self._tasks = tasks
        self._engine = engine
        self.settings = settings or Settings()
        text = INSTRUCTIONS.read_text() if instructions is None else instructions
        dialect = DIALECTS.get(engine.name, engine.name)
        self._instructions = text.replace("{dialect}", dialect).replace("{schema_hint}", _SCHEMA_HINTS.get(engine.name, ""))
        self._listings: dict[str, str] = {}

    @property
    def versions(self) -> Mapping[str, str]:
        return self._engine.versions

    def tasks(self) -> Sequence[SqlTask]:
        return self._tasks

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[SqlQuestionEpisode]:
        assert isinstance(task, SqlTask)
        database = self.database(task)
        try:
            yield SqlQuestionEpisode(task, await self._brief(task, database), database, self._engine.name, self.settings)
        finally:
            await database.close()

    def database(self, task: SqlTask) -> EpisodeDatabase:
        return self._engine.database(task.database, task.key)

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, SqlTask)
        return [submission(task.golds[0])] if task.golds else []

    def gold(self) -> Gold:
        return Gold(tuple(sql for task in self._tasks for sql in task.golds))

    async def identity(self) -> Mapping[str, Any]:
        return {
            "benchmark": self.name,
            "engine": self._engine.name,
            "databases": await self._engine.digests(sorted({task.database for task in self._tasks})),
            "evidence": self.settings.evidence,
            "schema": self.settings.schema,
            "order": self.settings.order,
            "tolerance": self.settings.tolerance,
            "instructions": hashlib.sha256(self._instructions.encode()).hexdigest()[:16],
            "limits": msgspec.to_builtins(self.settings.judging),
        }

    async def _brief(self, task: SqlTask, database: EpisodeDatabase) -> Brief:
        fields = {
            "question": task.question,
            "database": task.database,
            "evidence": task.evidence if self.settings.evidence else "",
            "dialect": self._engine.name,
        }
        listing = await self._listing(task, database) if self.settings.schema else ""
        return Brief(self._instructions, request(fields, listing), fields)

    async def _listing(self, task: SqlTask, database: EpisodeDatabase) -> str:
        if task.database not in self._listings:
            try:
                table = await database.explore(_LISTINGS[self._engine.name], LOOKING)
            except SqlError as error:
                raise Unscorable(f"the schema of {task.database} cannot be read: {error}") from None
            self._listings[task.database] = "\n".join(f"{name}({columns})" for name, columns in table.rows)
        return self._listings[task.database]


class SqlQuestionEpisode(PlainEpisode):
    """Explore with `execute_sql`, hand in with `submit_sql`, be judged by rows."""

    def __init__(self, task: SqlTask, brief: Brief, database: EpisodeDatabase, engine: str, settings: Settings) -> None:
        self.brief = brief
        self.tools: Sequence[Tool] = (
            Tool("execute_sql", f"Run SQL on the {DIALECTS.get(engine, engine)} database and see the result.", ExecuteSql),
            Tool("submit_sql", "Hand in the final SQL query. This ends the task.", SubmitSql),
        )
        self.submitted: str | None = None
        self._task = task
        self._database = database
        self._settings = settings

    @property
    def finished(self) -> bool:
        return self.submitted is not None

    async def call(self, tool: str, arguments: Any) -> Observation:
        sql = arguments.sql.strip()
        if tool == "submit_sql":
            if not sql:
                return Observation("There is no SQL in this submission. Submit your final query.", error=True)
            self.submitted = sql
            return Observation("Submitted.")
        try:
            return await self._database.show(sql, self._settings.exploring)
        except SqlError as error:
            return Observation(f"SQL error: {error.message}" if error.kind == "sql" else error.message, error=True)

    async def verdict(self) -> Verdict:
        golds = self._task.golds
        gold = {"gold": golds[0]} if golds else {}
        if self.submitted is None:
            return Verdict(Outcome.failed, 0.0, "nothing was submitted", {}, gold)
        judgement = await judged(self._task, self.submitted, self._database, self._settings)
        if judgement.unscorable:
            raise Unscorable(judgement.unscorable)
        evidence = {"prediction": self.submitted, **gold, **judgement.evidence}
        outcome = Outcome.passed if judgement.passed else Outcome.failed
        score = float(judgement.passed)
        reason = f"The prediction cannot be run: {judgement.reason}" if judgement.fault else judgement.reason
        return Verdict(outcome, score, reason, {"accuracy": score}, evidence)


async def judged(task: SqlTask, prediction: str, database: EpisodeDatabase, settings: Settings) -> Judgement:
    order = task.order if settings.order is None else settings.order
    question = Question(prediction, task.golds, task.expected, order, task.tolerance or settings.tolerance, task.columns)
    wall = wall_clock(settings.judging) * (2 + len(task.golds))
    try:
        return await database.judge(judge, question, settings.judging, wall=wall)
    except SqlError as error:
        died = error
    # The worker died on one of the queries: the prediction is to blame if the golds run without it.
    alone = msgspec.structs.replace(question, prediction="SELECT 1")
    try:
        found = await database.judge(judge, alone, settings.judging, wall=wall)
    except SqlError as error:
        return Judgement(False, "", unscorable=f"the gold SQL cannot be run: {error.message}")
    return found if found.unscorable else Judgement(False, died.message, {"kind": "error"}, fault=died.kind)
