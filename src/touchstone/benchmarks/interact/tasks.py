"""BIRD-Interact's task files: Lite, Full and mini-interact as published, with or without the ground truth merged in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ...errors import InputError
from ...types import Task
from ...verdicts.by_value import StrictConditions
from ..task_file import cut, entries, in_words, refuse_odd_cut, refuse_unknown
from .user.view import Ambiguity

NAMES = ("bird_interact_data.jsonl", "mini_interact.jsonl")
Category = Literal["Query", "Management"]

Texts = list[str] | str | None


class QueryAmbiguity(Struct, frozen=True):
    critical_ambiguity: list[Ambiguity] = []
    non_critical_ambiguity: list[Ambiguity] = []


class FollowUp(Struct, frozen=True):
    query: str
    sol_sql: Texts = None
    test_cases: Texts = None
    category: str = "Query"
    conditions: dict[str, Any] | None = None
    type: str = ""


class InteractRow(Struct, frozen=True):
    """One task as published. What only the ground truth has may be empty."""

    instance_id: str
    selected_database: str
    amb_user_query: str
    user_query_ambiguity: QueryAmbiguity
    knowledge_ambiguity: list[Ambiguity] = []
    query: str | None = None
    preprocess_sql: Texts = None
    clean_up_sqls: Texts = None
    sol_sql: Texts = None
    test_cases: Texts = None
    category: str = "Query"
    high_level: bool | None = None
    conditions: dict[str, Any] | None = None
    follow_up: FollowUp | None = None
    db_file_path: str | None = None


class Phase(Struct, frozen=True):
    """The request, or its follow-up."""

    shown: str
    clear: str
    category: str
    gold: tuple[str, ...]
    tests: tuple[str, ...]
    conditions: StrictConditions


class InteractTask(Task, frozen=True, kw_only=True):
    database: str
    phases: tuple[Phase, ...]
    preprocess: tuple[str, ...]
    clean_up: tuple[str, ...]
    critical: tuple[Ambiguity, ...]
    non_critical: tuple[Ambiguity, ...]
    knowledge: tuple[Ambiguity, ...]
    database_file: str | None = None
    has_clear_query: bool = True

    @property
    def ambiguities(self) -> int:
        """Those that the budget pays for."""
        return len(self.critical) + len(self.knowledge)

    @property
    def hidden(self) -> frozenset[int]:
        """Entries of the knowledge base that the agent must not see."""
        return frozenset(each.deleted_knowledge for each in self.knowledge if each.deleted_knowledge is not None)


def data_file(dataset: Path) -> Path:
    """The task file of a dataset directory, or the file itself."""
    if dataset.is_file():
        return dataset
    if not dataset.is_dir():
        raise InputError(f"{dataset}: there is no such dataset directory")
    files = [dataset / name for name in NAMES if (dataset / name).is_file()]
    if not files:
        raise InputError(f"{dataset}: expected {' or '.join(NAMES)} in this directory")
    return files[0]


def load_tasks(path: Path) -> list[InteractTask]:
    """All tasks of a file. Raises InputError naming the row and the field that is wrong."""
    seen: dict[str, int] = {}
    tasks: list[InteractTask] = []
    for number, value in entries(path):
        row = _row(path, number, value)
        if row.instance_id in seen:
            raise InputError(f"{path}: row {number}: instance_id '{row.instance_id}' is also in row {seen[row.instance_id]}")
        seen[row.instance_id] = number
        try:
            tasks.append(_task(len(tasks), row))
        except ValueError as error:
            raise InputError(f"{path}: row {number}: {error}") from None
    if not tasks:
        raise InputError(f"{path}: there are no tasks in this file")
    return tasks


def select(
    tasks: Sequence[InteractTask],
    *,
    category: Category | None = None,
    databases: Sequence[str] = (),
    ids: Sequence[str] = (),
    offset: int = 0,
    limit: int | None = None,
) -> list[InteractTask]:
    """The tasks to play: filtered, then cut. Raises InputError if none is left or a name is unknown."""
    refuse_odd_cut(offset, limit)
    refuse_unknown("--database", databases, {task.database for task in tasks})
    refuse_unknown("--task", ids, {task.key for task in tasks})
    chosen = [
        task
        for task in tasks
        if (category is None or task.facets["category"] == category)
        and (not databases or task.database in databases)
        and (not ids or task.key in ids)
    ]
    return cut(chosen, offset, limit, len(tasks))


def _row(path: Path, number: int, value: Any) -> InteractRow:
    try:
        return msgspec.convert(value, InteractRow)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: row {number}: {in_words(str(error))}") from None


def _task(index: int, row: InteractRow) -> InteractTask:
    ambiguity = row.user_query_ambiguity
    count = len(ambiguity.critical_ambiguity) + len(row.knowledge_ambiguity)
    return InteractTask(
        key=row.instance_id,
        index=index,
        facets={"category": row.category, "database": row.selected_database, "ambiguities": str(count)},
        digest=hashlib.blake2b(msgspec.json.encode(row), digest_size=8).hexdigest(),
        database=row.selected_database,
        phases=tuple(_phases(row)),
        preprocess=_texts(row.preprocess_sql),
        clean_up=_texts(row.clean_up_sqls),
        critical=tuple(ambiguity.critical_ambiguity),
        non_critical=tuple(ambiguity.non_critical_ambiguity),
        knowledge=tuple(row.knowledge_ambiguity),
        database_file=row.db_file_path,
        has_clear_query=bool(row.query),
    )


def _phases(row: InteractRow) -> list[Phase]:
    first = Phase(
        shown=row.amb_user_query,
        clear=row.query or row.amb_user_query,
        category=row.category,
        gold=_texts(row.sol_sql),
        tests=_tests(row.test_cases),
        conditions=read_conditions(row.conditions),
    )
    then = row.follow_up
    if then is None:
        return [first]
    second = Phase(
        shown=then.query,
        clear=then.query,
        category=then.category,
        gold=_texts(then.sol_sql),
        tests=_tests(then.test_cases),
        conditions=read_conditions(then.conditions),
    )
    return [first, second]


def _texts(value: Texts) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value or []
    return tuple(text for text in texts if text.strip())


def _tests(value: Texts) -> tuple[str, ...]:
    """Also an empty one: it is a test that cannot be passed."""
    return tuple([value] if isinstance(value, str) and value.strip() else value or [])


def read_conditions(data: Mapping[str, Any] | None) -> StrictConditions:
    """What is missing, null or unknown does not count; a wrong type is a ValueError."""
    data = data or {}
    decimal, distinct, order = (data.get(name) for name in ("decimal", "distinct", "order"))
    if decimal is not None and type(decimal) is not int:
        raise ValueError(f"conditions.decimal must be an integer, not {decimal!r}")
    for name, value in (("distinct", distinct), ("order", order)):
        if value is not None and type(value) is not bool:
            raise ValueError(f"conditions.{name} must be true or false, not {value!r}")
    return StrictConditions(decimal, bool(distinct), bool(order))
