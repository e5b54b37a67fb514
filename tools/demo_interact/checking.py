"""What must hold of every task before it is written; a ValueError names the task and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from demo_interact.model import Database, Task, text

CRITICAL = {"knowledge_linking", "schema_linking", "semantic", "intent", "lexical", "syntactic"}
MINOR = {"sort", "decimal", "null", "join", "distinct", "divide_zero", "rank", "date_format"}


def check(database: Database) -> None:
    for entry in database.knowledge:
        unknown = [child for child in entry.children if child not in known(database)]
        if unknown:
            raise ValueError(f"{database.name}: {entry.name} builds on unknown {unknown}")
    for task in database.tasks:
        for fault in faults(database, task):
            raise ValueError(f"{database.name}: {task.ambiguous!r}: {fault}")


def known(database: Database) -> set[str]:
    return {entry.name for entry in database.knowledge}


def faults(database: Database, task: Task) -> Iterator[str]:
    names = (*task.knowledge, *task.follow_up.knowledge, *(item.knowledge for item in task.hidden))
    yield from (f"unknown knowledge {name!r}" for name in names if name not in known(database))
    yield from (f"unknown kind {item.kind}" for item in task.critical if item.kind not in CRITICAL)
    yield from (f"unknown kind {item.kind}" for item in task.minor if item.kind not in MINOR)
    gold = words(text(task.sql))
    for item in (*task.critical, *task.minor, *task.hidden):
        if words(item.snippet) not in gold:
            yield f"not in the gold: {item.snippet!r}"
    yield from (f"hidden but not needed: {item.knowledge}" for item in task.hidden if item.knowledge not in task.knowledge)
    yield from (f"not in the request: {item.term}" for item in task.critical if item.term not in task.ambiguous)
    if not 1 <= len(task.critical) + len(task.hidden) <= 4:
        yield "it should have one to four ambiguities that count"


def words(sql: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(sql.split())
