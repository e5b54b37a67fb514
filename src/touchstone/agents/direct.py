"""Baselines that a number is compared with: the schema in the prompt, one question to the model, and its SQL handed in.

    direct   one reply, handed in as it is
    vote     several replies; the result that most of them give wins, not the text
    repair   one reply, run first: after an error or an empty result the model sees it and tries again

They see what every agent sees: the brief, what the tools show, and what the benchmark says of its columns. The prompt is in the
record as a note, and its digest is in the step of the model's reply.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from ..errors import Skipped
from ..options import Count, Opt, OptionError, WholeNumber
from ..protocols import DIALECTS, WHO, Agent, AgentConfig, AgentContext, Model, Stage
from ..types import Message, NoteStep, Observation
from .model_turns import only_tools
from .schema_prompt import DatabaseText, Meanings, SchemaForm, SqlTools, cells, database_text, matching_values

_FENCED = re.compile(r"```[ \t]*(?:sql\w*|\w*)[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_QUERY = re.compile(r"\b(?:SELECT|WITH)\b.*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Examples:
    """Solved questions for the prompt."""

    pairs: Sequence[tuple[str, str]] = ()
    most: int | None = None
    """How many of them a prompt has: those whose words are most like the question's. None for all, as they come."""

    def of(self, question: str) -> list[tuple[str, str]]:
        """Never the question itself: its answer would be in the prompt."""
        asked = _words(question)
        others = [pair for pair in self.pairs if _words(pair[0]) != asked]
        if self.most is None:
            return others
        return sorted(others, key=lambda pair: -_likeness(_words(pair[0]), asked))[: self.most]


class DirectAgent:
    """One reply to one prompt."""

    gold_reach = only_tools

    def __init__(
        self,
        model: Model,
        form: SchemaForm = "ddl",
        examples: Examples | None = None,
        meanings: Callable[[str], Meanings] = lambda _: {},
    ) -> None:
        self._model = model
        self._form: SchemaForm = form
        self._examples = examples or Examples()
        self._meanings = meanings
        self._databases: dict[tuple[str, str], DatabaseText] = {}

    async def play(self, stage: Stage) -> None:
        """One query for the question, and one for each request that follows a right answer."""
        tools = SqlTools(stage)
        if tools.submits is None:
            raise Skipped("this agent plays tasks in which SQL is submitted")
        messages = [await self._prompt(stage, tools)]
        while not stage.finished:
            sql = await self.query(stage, tools, messages)
            seen = await tools.submit(sql)
            if stage.finished or not await self.goes_on(seen):
                return
            messages += _turn(sql, seen.text)

    async def query(self, stage: Stage, tools: SqlTools, messages: list[Message]) -> str:
        """What to submit."""
        return await self.reply(stage, messages)

    async def goes_on(self, seen: Observation) -> bool:
        """Whether to answer what a submission that did not end the task was told."""
        return not seen.error

    async def reply(self, stage: Stage, messages: Sequence[Message]) -> str:
        return sql_of((await stage.ask(self._model, messages)).text)

    async def _prompt(self, stage: Stage, tools: SqlTools) -> Message:
        """All that the model is told. It is kept in the record."""
        fields = stage.brief.fields
        dialect = fields.get("dialect", "sqlite")
        question = fields.get("question", stage.brief.request)
        examples = "".join(f"Question: {asked}\n```sql\n{sql}\n```\n\n" for asked, sql in self._examples.of(question))
        head = (
            f"Answer the question below with SQL for {DIALECTS.get(dialect, dialect)}: one query, unless something is to be "
            "changed. Return exactly the requested columns. Reply with the SQL alone, in a block marked sql."
        )
        if tools.executes is None:  # nothing can be looked up: the request has it all
            prompt = f"{head}\n\n{examples}{stage.brief.request}"
        else:
            hint = f"\nHint: {fields['evidence']}" if fields.get("evidence") else ""
            database = await self._database(stage, tools, dialect, question + hint)
            if document := await tools.look_up("read_document"):
                database += f"\n\nA document for this question:\n{document}"
            prompt = f"{head}\n\n{database}\n\n{examples}Question: {question}{hint}"
        stage.log(NoteStep(prompt))
        return Message(role="user", content=prompt)

    async def _database(self, stage: Stage, tools: SqlTools, dialect: str, question: str) -> str:
        if schema := await tools.look_up("get_schema"):
            more = ("get_all_column_meanings", "get_all_knowledge_definitions") if self._form != "ddl" else ()
            return "\n\n".join(text for text in (schema, await tools.look_up(*more)) if text)
        name = stage.brief.fields.get("database", stage.task)
        if (dialect, name) not in self._databases:
            self._databases[dialect, name] = await database_text(tools, dialect, self._form, self._meanings(name))
        database = self._databases[dialect, name]
        if self._form != "values":
            return database.text
        values = await matching_values(tools, dialect, database.text_columns, question)
        return "\n\n".join(text for text in (database.text, values) if text)


class VoteAgent(DirectAgent):
    """The result that most of several replies give."""

    def __init__(self, *common: Any, votes: int) -> None:
        super().__init__(*common)
        self._votes = votes

    async def query(self, stage: Stage, tools: SqlTools, messages: list[Message]) -> str:
        if tools.executes is None:
            raise Skipped("a vote by results needs a tool that runs SQL")
        candidates = [await self.reply(stage, messages) for _ in range(self._votes)]
        results: dict[str, list[str]] = {}
        for sql in dict.fromkeys(candidates):
            if sql and not (shown := await tools.execute(sql)).error:
                results[sql] = sorted(map(_row_in_words, cells(shown)))  # whatever the columns are called, in any order
        ballots = Counter(tuple(results[sql]) for sql in candidates if sql in results)
        winner = ballots.most_common(1)[0][0] if ballots else None
        return next((sql for sql in candidates if sql in results and tuple(results[sql]) == winner), candidates[0])


class RepairAgent(DirectAgent):
    """Corrects its query after an error or an empty result. Where nothing can be run, a submission that is not the last is the
    trial."""

    def __init__(self, *common: Any, repairs: int) -> None:
        super().__init__(*common)
        self._repairs = repairs

    async def query(self, stage: Stage, tools: SqlTools, messages: list[Message]) -> str:
        sql = await self.reply(stage, messages)
        for _ in range(self._repairs if tools.executes else 0):
            shown = await tools.execute(sql)
            if not shown.error and (cells(shown) or "table" not in shown.details):
                break
            messages += _turn(sql, f"{shown.text if shown.error else 'The query returned no rows.'}\n\n{_CORRECT}")
            sql = await self.reply(stage, messages)
        return sql

    async def goes_on(self, seen: Observation) -> bool:
        return True


_CORRECT = "Correct the query, or repeat it if it is right."


def _turn(sql: str, answer: str) -> list[Message]:
    return [Message(role="assistant", content=f"```sql\n{sql}\n```"), Message(role="user", content=answer)]


def _row_in_words(row: Sequence[str | None]) -> str:
    """Numbers by their value: 5 and 5.0 are the same."""
    return repr([_number(cell) if cell is not None else None for cell in row])


def _number(cell: str) -> str:
    try:
        return f"{float(cell):.9g}"
    except ValueError:
        return cell


def _words(question: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", question.casefold()))


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / (len(some | others) or 1)


def sql_of(text: str) -> str:
    """The SQL in a reply: its last block, else from the first SELECT or WITH on; else all of it."""
    if blocks := [block.strip() for block in _FENCED.findall(text) if block.strip()]:
        return blocks[-1]
    query = _QUERY.search(text)
    return (query[0] if query else text).strip().strip("`").strip()


class DirectConfig(AgentConfig, frozen=True, kw_only=True):
    """The schema in one prompt, one reply: a baseline."""

    name: ClassVar[str] = "direct"
    needs_model: ClassVar[bool] = True
    reads_instructions: ClassVar[bool] = False

    schema_form: Annotated[SchemaForm, Opt(names=("--schema",), group=WHO)] = "ddl"
    """What the prompt has of the schema: tables and columns (ddl); keys and what columns mean too (full); sample rows, and
    values that occur in the question, too (values)."""
    shots: Annotated[WholeNumber | None, Opt(group=WHO)] = None
    """How many solved examples the prompt has: those most like the question. By default all of --examples."""
    examples: Annotated[Path | None, Opt(group=WHO)] = None
    """Solved examples for the prompt: a .json, .jsonl or .csv file with question and sql."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shots and self.examples is None:
            raise OptionError("shots", self.shots, "needs examples, a file of questions with their sql")

    def build(self, context: AgentContext) -> Agent:
        return DirectAgent(*self.common(context))

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        text = json.dumps([self.shots, self.solved()]).encode()
        digest = hashlib.sha256(text).hexdigest()[:16] if self.examples else None
        return {"schema_form": self.schema_form, "shots": self.shots, "examples": digest}

    def common(self, context: AgentContext) -> tuple[Model, SchemaForm, Examples, Callable[[str], Meanings]]:
        """What all three are built with."""
        assert context.model is not None
        return context.model, self.schema_form, Examples(self.solved(), self.shots), context.meanings

    def solved(self) -> list[tuple[str, str]]:
        if self.examples is None:
            return []
        try:
            text = self.examples.read_text(encoding="utf-8-sig")
            match self.examples.suffix.lower():
                case ".csv":
                    rows: Any = list(csv.DictReader(io.StringIO(text, newline="")))
                case ".jsonl":
                    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
                case _:
                    rows = json.loads(text)
            return [(str(row["question"]), _sql_in(row)) for row in cast("list[dict[str, Any]]", rows)]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
            raise OptionError("examples", self.examples, f"expected objects with question and sql: {error}") from None


def _sql_in(row: Mapping[str, Any]) -> str:
    """Under any of the names that questions have for it."""
    sql = next((row[name] for name in ("sql", "SQL", "query", "gold") if row.get(name)), None)
    if sql is None:
        raise KeyError("sql")
    return str(sql)


class VoteConfig(DirectConfig, frozen=True, kw_only=True):
    """Several replies to one prompt; the most frequent result wins: a baseline."""

    name: ClassVar[str] = "vote"

    votes: Annotated[Count, Opt(names=("-k",), group=WHO)] = 5
    """How many replies vote."""

    def build(self, context: AgentContext) -> Agent:
        return VoteAgent(*self.common(context), votes=self.votes)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {**super().identity(agent, context), "votes": self.votes}


class RepairConfig(DirectConfig, frozen=True, kw_only=True):
    """One reply, corrected after an error or an empty result: a baseline."""

    name: ClassVar[str] = "repair"

    repairs: Annotated[Count, Opt(names=("-n",), group=WHO)] = 2
    """How often the model may correct itself."""

    def build(self, context: AgentContext) -> Agent:
        return RepairAgent(*self.common(context), repairs=self.repairs)

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {**super().identity(agent, context), "repairs": self.repairs}
