"""Baselines that a number is compared with: the schema in the prompt, one question to the model, and its SQL handed in.

    direct   one reply, handed in as it is
    vote     several replies; the result that most of them give wins, not the text
    repair   one reply, run first: after an error or an empty result the model sees it and tries again

They see what every agent sees: the brief, and what the tools show. The schema is read with `execute_sql`, page by page, since
an observation shows a hundred rows; so it is in the record, and so is the prompt.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from ..errors import Skipped
from ..options import Count, Opt, OptionError
from ..protocols import WHO, Agent, AgentConfig, AgentContext, Model, Stage
from ..types import Message, NoteStep, Observation, ToolCall
from .model_turns import only_tools

SchemaForm = Literal["ddl", "full", "values"]

_PAGE, _MOST_PAGES = 100, 50
_SEPARATOR = " ~ "
_SAMPLES = 3
_LINES = {
    "sqlite": "SELECT m.name || ' ~ ' || c.name || ' ~ ' || c.type || CASE WHEN c.pk THEN ' ~ PRIMARY KEY' ELSE '' END AS line "
    "FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type IN ('table', 'view') "
    "AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY m.name, c.cid",
    "mysql": "SELECT concat(table_name, ' ~ ', column_name, ' ~ ', column_type, if(column_key = 'PRI', ' ~ PRIMARY KEY', '')) "
    "AS line FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position",
    "bigquery": "SELECT table_name || ' ~ ' || column_name || ' ~ ' || data_type AS line FROM INFORMATION_SCHEMA.COLUMNS "
    "ORDER BY table_name, ordinal_position",
    "": "SELECT table_name || ' ~ ' || column_name || ' ~ ' || data_type AS line FROM information_schema.columns "
    "WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY table_schema, table_name, ordinal_position",
}
_KEYS = {
    "sqlite": "SELECT m.name || '.' || k.\"from\" || ' REFERENCES ' || k.\"table\" || coalesce('.' || k.\"to\", '') AS line "
    "FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS k WHERE m.type = 'table' ORDER BY 1",
    "duckdb": "SELECT table_name || ': ' || constraint_text AS line FROM duckdb_constraints() "
    "WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY 1",
    "mysql": "SELECT concat(table_name, '.', column_name, ' REFERENCES ', referenced_table_name, '.', referenced_column_name) "
    "AS line FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL "
    "ORDER BY 1",
    "postgres": "SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) AS line FROM pg_constraint "
    "WHERE contype IN ('p', 'f') AND connamespace <> 'pg_catalog'::regnamespace ORDER BY 1",
}
_NAMES = {
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
}
_FENCED = re.compile(r"```[ \t]*(?:sql\w*|\w*)[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_QUERY = re.compile(r"\b(?:SELECT|WITH)\b.*", re.DOTALL | re.IGNORECASE)
_EMPTY = "(0 rows)"


class DirectAgent:
    """One reply to one prompt."""

    gold_reach = only_tools

    def __init__(self, model: Model, form: SchemaForm, shots: Sequence[tuple[str, str]]) -> None:
        self._model = model
        self._form: SchemaForm = form
        self._shots = shots
        self._schemas: dict[tuple[str, str], str] = {}

    async def play(self, stage: Stage) -> None:
        await _submit(stage, await self.answer(stage, await self.prompted(stage)))

    async def prompted(self, stage: Stage) -> list[Message]:
        """The conversation before the first reply. Its prompt is kept in the record."""
        if not {"execute_sql", "submit_sql"} <= {tool.name for tool in stage.tools}:
            raise Skipped("this agent plays tasks that have the tools execute_sql and submit_sql")
        fields = stage.brief.fields
        dialect = fields.get("dialect", "sqlite")
        known_as = (dialect, fields.get("database", stage.task))
        schema = self._schemas[known_as] = self._schemas.get(known_as) or await _schema(stage, dialect, self._form)
        shots = "".join(f"Question: {question}\n```sql\n{sql}\n```\n\n" for question, sql in self._shots)
        hint = f"\nHint: {fields['evidence']}" if fields.get("evidence") else ""
        question = fields.get("question", stage.brief.request)
        prompt = (
            f"Write one {_NAMES.get(dialect, dialect)} query that answers the question. Return exactly the requested columns. "
            f"Reply with the query alone, in a block marked sql.\n\n{schema}\n\n{shots}Question: {question}{hint}"
        )
        stage.log(NoteStep(prompt))
        return [Message(role="user", content=prompt)]

    async def answer(self, stage: Stage, messages: Sequence[Message]) -> str:
        return sql_of((await stage.ask(self._model, messages)).text)


class VoteAgent(DirectAgent):
    """The result that most of several replies give."""

    def __init__(self, model: Model, form: SchemaForm, shots: Sequence[tuple[str, str]], votes: int) -> None:
        super().__init__(model, form, shots)
        self._votes = votes

    async def play(self, stage: Stage) -> None:
        messages = await self.prompted(stage)
        candidates = [await self.answer(stage, messages) for _ in range(self._votes)]
        results: dict[str, str] = {}
        for number, sql in enumerate(dict.fromkeys(candidates)):
            shown = await _execute(stage, sql, f"vote-{number}")
            if not shown.error:
                results[sql] = "\n".join(sorted(shown.text.splitlines()[1:]))  # whatever the columns are called
        ballots = Counter(results[sql] for sql in candidates if sql in results)
        winner = ballots.most_common(1)[0][0] if ballots else None
        await _submit(stage, next((sql for sql in candidates if results.get(sql, "") == winner), candidates[0]))


class RepairAgent(DirectAgent):
    """Corrects its query after an error or an empty result."""

    def __init__(self, model: Model, form: SchemaForm, shots: Sequence[tuple[str, str]], repairs: int) -> None:
        super().__init__(model, form, shots)
        self._repairs = repairs

    async def play(self, stage: Stage) -> None:
        messages = await self.prompted(stage)
        sql = await self.answer(stage, messages)
        for number in range(self._repairs):
            shown = await _execute(stage, sql, f"repair-{number}")
            if not shown.error and _EMPTY not in shown.text:
                break
            complaint = shown.text if shown.error else "The query returned no rows."
            messages += [
                Message(role="assistant", content=f"```sql\n{sql}\n```"),
                Message(role="user", content=f"{complaint}\n\nCorrect the query, or repeat it if it is right."),
            ]
            sql = await self.answer(stage, messages)
        await _submit(stage, sql)


def sql_of(text: str) -> str:
    """The SQL in a reply: its last block, else from the first SELECT or WITH on; else all of it."""
    if blocks := [block.strip() for block in _FENCED.findall(text) if block.strip()]:
        return blocks[-1]
    query = _QUERY.search(text)
    return (query[0] if query else text).strip().strip("`").strip()


async def _schema(stage: Stage, dialect: str, form: SchemaForm) -> str:
    tables: dict[str, list[str]] = {}
    for line in await _lines(stage, _LINES.get(dialect, _LINES[""])):
        table, column, kind, key, *_ = [*line.split(_SEPARATOR.strip()), "", "", "", ""]
        words = [_quoted(column.strip(), dialect), kind.strip(), key.strip() if form != "ddl" else ""]
        tables.setdefault(table.strip(), []).append(" ".join(word for word in words if word))
    parts = [
        f"CREATE TABLE {_quoted(name, dialect)} (\n  " + ",\n  ".join(columns) + "\n);" for name, columns in tables.items()
    ]
    if form != "ddl" and dialect in _KEYS and (keys := await _lines(stage, _KEYS[dialect])):
        parts.append("Keys:\n" + "\n".join(keys))
    if form == "values":
        for name in tables:
            shown = await _execute(stage, f"SELECT * FROM {_quoted(name, dialect)} LIMIT {_SAMPLES}", f"sample-{name}")
            parts += [] if shown.error else [f"Some rows of {name}:\n{shown.text}"]
    return "\n\n".join(parts)


async def _lines(stage: Stage, sql: str) -> list[str]:
    """All rows of one text column."""
    rows: list[str] = []
    for page in range(_MOST_PAGES):
        shown = await _execute(stage, f"{sql} LIMIT {_PAGE} OFFSET {page * _PAGE}", f"schema-{page}")
        lines = [] if shown.error else shown.text.splitlines()[2:-1]
        rows += [line.strip() for line in lines]
        if len(lines) < _PAGE:
            break
    return rows


def _quoted(name: str, dialect: str) -> str:
    mark = "`" if dialect in ("mysql", "bigquery") else '"'
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else mark + name.replace(mark, 2 * mark) + mark


async def _execute(stage: Stage, sql: str, id: str) -> Observation:
    return await stage.call(ToolCall(id, "execute_sql", json.dumps({"sql": sql})))


async def _submit(stage: Stage, sql: str) -> None:
    await stage.call(ToolCall("submission", "submit_sql", json.dumps({"sql": sql})))


class DirectConfig(AgentConfig, frozen=True, kw_only=True):
    """The schema in one prompt, one reply: a baseline."""

    name: ClassVar[str] = "direct"
    needs_model: ClassVar[bool] = True
    reads_instructions: ClassVar[bool] = False

    schema_form: Annotated[SchemaForm, Opt(group=WHO)] = "ddl"
    """What the prompt has of the schema: tables and columns (ddl), keys too (full), sample rows too (values)."""
    shots: Annotated[Path | None, Opt(group=WHO)] = None
    """Solved examples for the prompt: .json or .jsonl of objects with question and sql."""

    def build(self, context: AgentContext) -> Agent:
        assert context.model is not None
        return DirectAgent(context.model, self.schema_form, self.examples())

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {"schema_form": self.schema_form, "shots": [list(each) for each in self.examples()]}

    def examples(self) -> list[tuple[str, str]]:
        if self.shots is None:
            return []
        try:
            text = self.shots.read_text(encoding="utf-8-sig")
            if self.shots.suffix == ".jsonl":
                text = f"[{','.join(line for line in text.splitlines() if line.strip())}]"
            rows: Any = json.loads(text)
            return [(str(row["question"]), str(row.get("sql") or row["SQL"])) for row in cast("list[dict[str, Any]]", rows)]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise OptionError("shots", self.shots, f"expected objects with question and sql: {error}") from None


class VoteConfig(DirectConfig, frozen=True, kw_only=True):
    """Several replies to one prompt; the most frequent result wins: a baseline."""

    name: ClassVar[str] = "vote"

    votes: Annotated[Count, Opt(names=("-k",), group=WHO)] = 5
    """How many replies vote."""

    def build(self, context: AgentContext) -> Agent:
        assert context.model is not None
        return VoteAgent(context.model, self.schema_form, self.examples(), self.votes)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {**super().identity(agent, context), "votes": self.votes}


class RepairConfig(DirectConfig, frozen=True, kw_only=True):
    """One reply, corrected after an error or an empty result: a baseline."""

    name: ClassVar[str] = "repair"

    repairs: Annotated[Count, Opt(group=WHO)] = 2
    """How often the model may correct itself."""

    def build(self, context: AgentContext) -> Agent:
        assert context.model is not None
        return RepairAgent(context.model, self.schema_form, self.examples(), self.repairs)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {**super().identity(agent, context), "repairs": self.repairs}
