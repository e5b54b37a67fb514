"""Tasks as records of bird_interact_data.jsonl, ground truth included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demo_interact.model import Database, FollowUp, Hidden, Task, Vague, text


def records(database: Database) -> Iterator[dict[str, Any]]:
    """Queries and management tasks are numbered apart."""
    for category, infix in (("Query", "_"), ("Management", "_M_")):
        tasks = [task for task in database.tasks if task.category == category]
        for number, task in enumerate(tasks, 1):
            yield {"instance_id": f"{database.name}{infix}{number}", **record(database, task)}


def record(database: Database, task: Task) -> dict[str, Any]:
    return {
        "selected_database": database.name,
        "query": task.clear,
        "amb_user_query": task.ambiguous,
        "preprocess_sql": [text(sql) for sql in task.before],
        "clean_up_sqls": [text(sql) for sql in task.after],
        **truth(database, task),
        "category": task.category,
        "high_level": task.high_level,
        "conditions": conditions(task),
        "user_query_ambiguity": {
            "critical_ambiguity": [vague(item) for item in task.critical],
            "non_critical_ambiguity": [vague(item) for item in task.minor],
        },
        "knowledge_ambiguity": [hidden(database, item) for item in task.hidden],
        "follow_up": follow_up(database, task.follow_up),
    }


def follow_up(database: Database, phase: FollowUp) -> dict[str, Any]:
    labels = {"type": phase.kind, "category": phase.category, "conditions": conditions(phase)}
    return {"query": phase.query, **truth(database, phase), **labels}


def truth(database: Database, phase: Task | FollowUp) -> dict[str, Any]:
    return {
        "sol_sql": [text(phase.sql)],
        "external_knowledge": sorted(database.number(name) for name in phase.knowledge),
        "test_cases": [text(test) for test in phase.tests],
    }


def conditions(phase: Task | FollowUp) -> dict[str, Any]:
    return {"decimal": phase.decimal, "distinct": phase.distinct, "order": phase.order}


def vague(item: Vague) -> dict[str, Any]:
    kind = f"{item.kind}_ambiguity"
    return {"term": item.term, "sql_snippet": item.snippet, "is_mask": item.mask, "type": kind}


def hidden(database: Database, item: Hidden) -> dict[str, Any]:
    return {
        "term": item.term or item.knowledge,
        "sql_snippet": item.snippet,
        "is_mask": False,
        "type": "knowledge_ambiguity",
        "deleted_knowledge": database.number(item.knowledge),
    }
