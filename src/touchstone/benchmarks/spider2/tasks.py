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
from msgspec.structs import replace

from ...errors import InputError
from ..task_file import QueryTask, entries, in_words

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


class Flat(Struct, frozen=True, kw_only=True):
    """A question in whichever form it was read."""

    instance_id: str
    question: str
    db_id: str | None = None
    db: str | None = None
    external_knowledge: str | None = None
    gold_sql: str | None = ""
    gold_sql_available: bool | None = None


class Spider2Task(QueryTask, frozen=True, kw_only=True):
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
    return _build(index, Flat(instance_id=instance_id, question=""), {})


def platform_of(instance_id: str) -> str:
    """By the prefix of the id, as the official suite does; questions of one's own, whose ids have none of them, are local."""
    return next((platform for prefix, platform in PLATFORMS.items() if instance_id.startswith(prefix)), "sqlite")


def _task(where: str, index: int, value: Any, gold_sql: Path | None) -> Spider2Task:
    entry = _convert(where, value, dict[str, Any])
    converted = _convert(where, entry, Converted) if "turns" in entry else None
    row = _flattened(where, converted) if converted else _convert(where, entry, Flat)
    if (row.db_id or row.db) is None:
        raise InputError(f"{where}: missing field 'db_id' (or 'db')")
    if not row.instance_id or "/" in row.instance_id or "\0" in row.instance_id:
        raise InputError(f"{where}: field 'instance_id': {row.instance_id!r} cannot be the name of a file")
    file = gold_sql / f"{row.instance_id}.sql" if gold_sql and converted is None else None
    if not row.gold_sql and file and file.is_file():
        row = replace(row, gold_sql=file.read_text(errors="replace").strip())
    return _build(index, row, entry, converted.metadata.platform if converted else None)


def _convert(where: str, value: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {in_words(str(error))}") from None


def _flattened(where: str, row: Converted) -> Flat:
    if not row.turns:
        raise InputError(f"{where}: field 'turns': expected at least one turn")
    metadata = row.metadata
    return Flat(
        instance_id=metadata.instance_id,
        question=row.turns[0].input,
        db=metadata.database,
        gold_sql=row.gold_sql,
        gold_sql_available=metadata.gold_sql_available,
    )


def _build(index: int, row: Flat, entry: dict[str, Any], platform: str | None = None) -> Spider2Task:
    platform = platform or platform_of(row.instance_id)
    database, sql = row.db_id or row.db or "", row.gold_sql or ""
    content = msgspec.json.encode([row.instance_id, database, row.question])
    return Spider2Task(
        key=row.instance_id,
        index=index,
        facets={"platform": platform, "database": database},
        digest=hashlib.blake2b(content, digest_size=8).hexdigest(),
        database=database,
        question=row.question,
        platform=platform,
        knowledge=row.external_knowledge,
        gold_sql=sql,
        gold_sql_available=bool(sql) if row.gold_sql_available is None else row.gold_sql_available,
        entry=entry,
    )


def _refuse_twice(path: Path, tasks: Sequence[Spider2Task]) -> None:
    seen: set[str] = set()
    for task in tasks:
        if task.key in seen:
            raise InputError(f"{path}: instance_id {task.key} occurs twice")
        seen.add(task.key)
