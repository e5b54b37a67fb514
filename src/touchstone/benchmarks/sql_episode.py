"""What text-to-SQL episodes have in common: a private copy to explore with `execute_sql`, and `submit_sql` to hand in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Generic

import msgspec
from msgspec import Meta, Struct

from ..engines.sqlite.engine import SqliteEngine
from ..errors import SqlError, Unscorable
from ..options import OptionError
from ..protocols import Session
from ..types import Brief, Limits, Observation, PartialScore, Tool, ToolCall, Usage
from .task_file import Q

# What most episodes have in common: no other model at work, no price for a misread move, no credit before a verdict.


class PlainEpisode:
    usage_by: Mapping[str, Usage] = {}

    def unreadable(self, complaint: str) -> Observation:
        return Observation(complaint, error=True)

    def partial_score(self) -> PartialScore:
        return PartialScore()


INSTRUCTIONS = Path(__file__).with_name("sql_instructions.md")
EXPLORING = Limits(rows=10_000, cut_rows=True)
LOOKING = Limits(rows=100_000, bytes=16 * 2**20)
"""For what we ask ourselves of a database, and take whole."""

_TABLES = """
SELECT m.name, group_concat(CASE WHEN c.name GLOB '*[^a-zA-Z0-9_]*' THEN '"' || c.name || '"' ELSE c.name END, ', ')
FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
GROUP BY m.name
"""


class ExecuteSqlite(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT name, sql FROM sqlite_master"])]


class SubmitSqlite(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT count(*) FROM person"])]


TOOLS = (
    Tool("execute_sql", "Run SQL on your private copy of the SQLite database and see the result.", ExecuteSqlite),
    Tool("submit_sql", "Hand in the final SQL query. This ends the task.", SubmitSqlite),
)


class QueryEpisode(PlainEpisode):
    """A question on a database, until a query is submitted."""

    def __init__(self, brief: Brief) -> None:
        self.brief = brief
        self.submitted: str | None = None

    @property
    def finished(self) -> bool:
        return self.submitted is not None

    async def call(self, tool: str, arguments: Any) -> Observation:
        sql = arguments.sql.strip()
        if tool == "submit_sql":
            return self._submit(sql)
        try:
            return await self._show(sql)
        except SqlError as error:
            return Observation(f"SQL error: {error.message}" if error.kind == "sql" else error.message, error=True)

    async def _show(self, sql: str) -> Observation:
        raise NotImplementedError

    def _submit(self, sql: str) -> Observation:
        if not sql:
            return Observation("There is no SQL in this submission. Submit your final query.", error=True)
        self.submitted = sql
        return Observation("Submitted.")


class SqlEpisode(QueryEpisode):
    """On a SQLite file. Benchmarks add the verdict."""

    tools: Sequence[Tool] = TOOLS

    def __init__(self, brief: Brief, engine: SqliteEngine, database: Path, exploring: Limits = EXPLORING) -> None:
        super().__init__(brief)
        self._engine = engine
        self._database = database
        self._session: Session = engine.session(database, writable=True, limits=exploring)

    async def _show(self, sql: str) -> Observation:
        return await self._session.show(sql)

    async def close(self) -> None:
        await self._session.close()


class QueryBenchmark(Generic[Q]):
    """Questions on databases, and what agents are told of them."""

    name: str

    def __init__(self, tasks: Sequence[Q], instructions: str, *, evidence: bool = True, schema: bool = False) -> None:
        self._tasks = tasks
        self._instructions = instructions
        self._evidence = evidence
        self._schema = schema

    def tasks(self) -> Sequence[Q]:
        return self._tasks

    def _identity(self, judging: Limits, **more: Any) -> dict[str, Any]:
        return {
            "benchmark": self.name,
            "schema": self._schema,
            "instructions": hashlib.sha256(self._instructions.encode()).hexdigest()[:16],
            "limits": msgspec.to_builtins(judging) | more,
        }

    def _brief(self, task: Q, listing: str, **more: str) -> Brief:
        evidence = task.evidence if self._evidence else ""
        fields = {"question": task.question, "database": task.database, "evidence": evidence, **more}
        return Brief(self._instructions, request(fields, listing), fields)


class Listings:
    """Tables with their columns, a line each, read once per database: for briefs that tell the schema."""

    def __init__(self, engine: SqliteEngine) -> None:
        self._engine = engine
        self._known: dict[Path, str] = {}

    async def of(self, database: Path) -> str:
        if database not in self._known:
            session = self._engine.session(database, writable=False, limits=LOOKING)
            try:
                table = await session.run(_TABLES)
            except SqlError as error:
                raise Unscorable(f"the schema of {database} cannot be read: {error}") from None
            self._known[database] = "\n".join(f"{name}({columns})" for name, columns in table.rows)
        return self._known[database]


def request(fields: dict[str, str], listing: str = "") -> str:
    """A question in prose, from its parts: question, database and, if it is to be shown, evidence."""
    hint = f"\n\nHint: {fields['evidence']}" if fields.get("evidence") else ""
    if listing:
        return f"Database: {fields['database']}\n{listing}\n\n{fields['question']}{hint}"
    return f"{fields['question']}{hint}\n\nDatabase: {fields['database']}"


def read_instructions(path: Path | None) -> str | None:
    """What a file has in place of the built-in instructions."""
    try:
        return path.read_text() if path else None
    except (OSError, UnicodeError) as error:
        raise OptionError("system_prompt", path, getattr(error, "strerror", None) or "not UTF-8 text") from None


def instructions_in(path: Path | None, built_in: Path) -> str:
    """What agents are told: by the file, if there is one."""
    own = read_instructions(path)
    return built_in.read_text() if own is None else own


def submission(sql: str) -> ToolCall:
    """The call that hands in a query."""
    return ToolCall("submission", "submit_sql", msgspec.json.encode({"sql": sql}).decode())
