"""Spider2-lite's questions, in any of three forms.

    converted   {"id", "turns": [{"input": question}], "gold_sql",
                 "metadata": {"instance_id", "database", "platform", "gold_sql_available"}}
    flat        {"instance_id", "db_id", "question", …}
    official    {"instance_id", "db", "question", "external_knowledge"}, the lines of spider2-lite.jsonl

A file is a JSON array or JSON Lines. Each entry is kept as it was read, since the results repeat it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from ...errors import InputError
from ...types import Task
from ..task_file import entries, in_words

T = TypeVar("T")

PLATFORMS = {"local": "sqlite", "bq": "bigquery", "ga": "bigquery", "sf": "snowflake"}


class Turn(Struct, frozen=True):
    input: str


class Metadata(Struct, frozen=True):
    instance_id: str
    database: str
    platform: str | None = None
    gold_sql_available: bool = False


class Converted(Struct, frozen=True):
    turns: list[Turn]
    metadata: Metadata
    gold_sql: str | None = ""


class Flat(Struct, frozen=True):
    instance_id: str
    question: str
    db_id: str | None = None
    db: str | None = None
    external_knowledge: str | None = None
    gold_sql: str | None = ""
    gold_sql_available: bool | None = None


class Spider2Task(Task, frozen=True, kw_only=True):
    database: str
    question: str
    platform: str
    knowledge: str | None
    """The name of a document that goes with the question."""
    gold_sql: str
    gold_sql_available: bool
    entry: dict[str, Any]
    """As it stands in the file."""


def load_tasks(path: Path, gold_sql: Path | None = None) -> list[Spider2Task]:
    """All entries of a file. `gold_sql` is a folder of gold SQL for forms that do not say whether there is one."""
    tasks = [_task(f"{path}: row {number}", index, value, gold_sql) for index, (number, value) in enumerate(entries(path))]
    if not tasks:
        raise InputError(f"{path}: there are no entries in this file")
    _refuse_twice(path, tasks)
    return tasks


def bare_task(instance_id: str, index: int) -> Spider2Task:
    """A task of which only the id is known: enough to compare a result with its golden files."""
    return _build(
        index,
        instance_id,
        database="",
        question="",
        platform=None,
        knowledge=None,
        gold_sql="",
        available=False,
        entry={},
    )


def platform_of(instance_id: str) -> str:
    """By the prefix of the id, as the official suite does; questions of one's own, whose ids have none of them, are local."""
    return next((platform for prefix, platform in PLATFORMS.items() if instance_id.startswith(prefix)), "sqlite")


def _task(where: str, index: int, value: Any, gold_sql: Path | None) -> Spider2Task:
    entry = _convert(where, value, dict[str, Any])
    if "turns" in entry:
        task = _from_converted(where, index, _convert(where, entry, Converted), entry)
    else:
        task = _from_flat(where, index, _convert(where, entry, Flat), entry, gold_sql)
    if not task.key or "/" in task.key or "\0" in task.key:
        raise InputError(f"{where}: field 'instance_id': {task.key!r} cannot be the name of a file")
    return task


def _convert(where: str, value: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {in_words(str(error))}") from None


def _from_converted(where: str, index: int, row: Converted, entry: dict[str, Any]) -> Spider2Task:
    if not row.turns:
        raise InputError(f"{where}: field 'turns': expected at least one turn")
    metadata = row.metadata
    return _build(
        index,
        metadata.instance_id,
        database=metadata.database,
        question=row.turns[0].input,
        platform=metadata.platform,
        knowledge=None,
        gold_sql=row.gold_sql or "",
        available=metadata.gold_sql_available,
        entry=entry,
    )


def _from_flat(where: str, index: int, row: Flat, entry: dict[str, Any], gold_sql: Path | None) -> Spider2Task:
    database = row.db_id or row.db
    if database is None:
        raise InputError(f"{where}: missing field 'db_id' (or 'db')")
    file = gold_sql / f"{row.instance_id}.sql" if gold_sql else None
    from_file = file.read_text(errors="replace").strip() if file and file.is_file() else ""
    sql = row.gold_sql or from_file
    return _build(
        index,
        row.instance_id,
        database=database,
        question=row.question,
        platform=None,
        knowledge=row.external_knowledge,
        gold_sql=sql,
        available=bool(sql) if row.gold_sql_available is None else row.gold_sql_available,
        entry=entry,
    )


def _build(
    index: int,
    instance_id: str,
    *,
    database: str,
    question: str,
    platform: str | None,
    knowledge: str | None,
    gold_sql: str,
    available: bool,
    entry: dict[str, Any],
) -> Spider2Task:
    platform = platform or platform_of(instance_id)
    return Spider2Task(
        key=instance_id,
        index=index,
        facets={"platform": platform, "database": database},
        digest=hashlib.blake2b(msgspec.json.encode([instance_id, database, question]), digest_size=8).hexdigest(),
        database=database,
        question=question,
        platform=platform,
        knowledge=knowledge,
        gold_sql=gold_sql,
        gold_sql_available=available,
        entry=entry,
    )


def _refuse_twice(path: Path, tasks: Sequence[Spider2Task]) -> None:
    seen: set[str] = set()
    for task in tasks:
        if task.key in seen:
            raise InputError(f"{path}: instance_id {task.key} occurs twice")
        seen.add(task.key)
