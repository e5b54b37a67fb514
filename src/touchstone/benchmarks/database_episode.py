"""Questions on the database of any engine: what agents are told of it, and how they look at it and hand in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, cast

from msgspec import Meta, Struct

from ..errors import SqlError, Unscorable
from ..protocols import DIALECTS, Engine, Episode, EpisodeDatabase
from ..types import Brief, Limits, Observation, Task, Tool
from .sql_episode import LOOKING, QueryBenchmark, QueryEpisode
from .task_file import Q, QueryTask

_SCHEMA_HINTS = {
    "sqlite": "The schema: SELECT name, sql FROM sqlite_master.",
    "duckdb": "The schema: SELECT table_name, column_name, data_type FROM information_schema.columns.",
    "postgres": "The schema: SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns.",
    "bigquery": "The schema: SELECT table_name, column_name, data_type FROM INFORMATION_SCHEMA.COLUMNS.",
    "snowflake": "The schema: SELECT table_name, column_name, data_type FROM information_schema.columns.",
    "mysql": "The schema: SHOW TABLES, and SHOW CREATE TABLE of each.",
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
    "snowflake": """
SELECT table_name, listagg(column_name || ' ' || data_type, ', ') WITHIN GROUP (ORDER BY ordinal_position)
FROM information_schema.columns WHERE table_schema = current_schema() GROUP BY table_name ORDER BY table_name
""",
    "bigquery": """
SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position)
FROM INFORMATION_SCHEMA.COLUMNS GROUP BY table_name ORDER BY table_name
""",
    "mysql": """
SELECT table_name, group_concat(column_name, ' ', column_type ORDER BY ordinal_position SEPARATOR ', ')
FROM information_schema.columns WHERE table_schema = DATABASE() GROUP BY table_name ORDER BY table_name
""",
}


def instructed(text: str, engine: str) -> str:
    """Instructions with the engine's words in place of {dialect} and {schema_hint}."""
    return text.replace("{dialect}", DIALECTS.get(engine, engine)).replace("{schema_hint}", _SCHEMA_HINTS.get(engine, ""))


class SchemaListings:
    """Tables with their columns, a line each, read once per database: for briefs that tell the schema."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._known: dict[str, str] = {}

    async def of(self, name: str, database: EpisodeDatabase) -> str:
        if name not in self._known:
            try:
                table = await database.explore(_LISTINGS.get(self._engine, _INFORMATION), LOOKING)
            except SqlError as error:
                raise Unscorable(f"the schema of {name} cannot be read: {error}") from None
            self._known[name] = "\n".join(f"{table}({columns})" for table, columns in table.rows)
        return self._known[name]


class ExecuteSql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT * FROM customer LIMIT 5"])]


class SubmitSql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT count(*) FROM customer"])]


class DatabaseEpisode(QueryEpisode):
    """On a database of any engine. Benchmarks add the verdict."""

    def __init__(self, brief: Brief, database: EpisodeDatabase, engine: str, exploring: Limits) -> None:
        super().__init__(brief)
        self.tools: Sequence[Tool] = (
            Tool("execute_sql", f"Run SQL on the {DIALECTS.get(engine, engine)} database and see the result.", ExecuteSql),
            Tool("submit_sql", "Hand in the final SQL query. This ends the task.", SubmitSql),
        )
        self._database = database
        self._exploring = exploring

    async def _show(self, sql: str) -> Observation:
        return await self._database.show(sql, self._exploring)


class DatabaseBenchmark(QueryBenchmark[Q]):
    """Questions on the databases of any engine. Benchmarks add the episode."""

    def __init__(
        self, tasks: Sequence[Q], engine: Engine, instructions: str, *, evidence: bool, schema: bool, judging: Limits
    ) -> None:
        super().__init__(tasks, instructed(instructions, engine.name), evidence=evidence, schema=schema)
        self._engine = engine
        self._judging = judging
        self._listings = SchemaListings(engine.name)

    @property
    def versions(self) -> Mapping[str, str]:
        return self._engine.versions

    def database(self, task: QueryTask) -> EpisodeDatabase:
        return self._engine.database(task.database, task.key)

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[Episode]:
        task = cast("Q", task)
        database = self.database(task)
        try:
            listing = await self._listings.of(task.database, database) if self._schema else ""
            yield self._episode(task, self._brief(task, listing, dialect=self._engine.name), database)
        finally:
            await database.close()

    def _episode(self, task: Q, brief: Brief, database: EpisodeDatabase) -> Episode:
        raise NotImplementedError

    async def identity(self) -> Mapping[str, Any]:
        return self._identity(self._judging) | {
            "engine": self._engine.name,
            "databases": await self._engine.digests(sorted({task.database for task in self._tasks})),
            "evidence": self._evidence,
        }
