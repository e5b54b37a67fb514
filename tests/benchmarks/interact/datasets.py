"""A small dataset in the published layout, on SQLite: a shop with a request, a management task and their follow-ups."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, tier TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer(id), amount REAL, day TEXT);
"""

ACTIVE = "SELECT c.name FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id HAVING count(*) >= 2"
TOTALS = "SELECT c.name, sum(p.amount) AS total FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.id"
VIEW = "CREATE VIEW big AS SELECT * FROM purchase WHERE amount > 50"
COUNTED = "SELECT count(*) FROM big"
TEST = """
def test_case(pred_sqls, sol_sqls, db_name, conn):
    rows, error, timeout = execute_queries(["SELECT count(*) FROM big"], db_name, conn)
    assert not error and rows == [(2,)], "expected two big purchases"
"""


def ambiguity(term: str, snippet: str, **more: Any) -> dict[str, Any]:
    return {"term": term, "sql_snippet": snippet, "is_mask": False, "type": "semantic_ambiguity", **more}


def query_task(**changed: Any) -> dict[str, Any]:
    return {
        "instance_id": "shop_1",
        "selected_database": "shop",
        "query": "Names of customers with two or more purchases.",
        "amb_user_query": "Who are our active customers?",
        "preprocess_sql": [],
        "clean_up_sqls": [],
        "sol_sql": [ACTIVE],
        "external_knowledge": [0],
        "test_cases": [],
        "category": "Query",
        "high_level": True,
        "conditions": {"decimal": -1, "distinct": False, "order": False},
        "user_query_ambiguity": {
            "critical_ambiguity": [ambiguity("active customers", "HAVING count(*) >= 2")],
            "non_critical_ambiguity": [],
        },
        "knowledge_ambiguity": [ambiguity("Active Customer", "count(*) >= 2", deleted_knowledge=0)],
        "follow_up": {"query": "Give the total of each customer.", "sol_sql": [TOTALS], "test_cases": [], "category": "Query"},
    } | changed


def management_task(**changed: Any) -> dict[str, Any]:
    return (
        query_task(
            instance_id="shop_M_1",
            query="Create a view big of purchases above 50.",
            amb_user_query="Create a view big of the large purchases.",
            sol_sql=[VIEW],
            test_cases=[TEST],
            category="Management",
            user_query_ambiguity={
                "critical_ambiguity": [ambiguity("large purchases", "WHERE amount > 50")],
                "non_critical_ambiguity": [],
            },
            knowledge_ambiguity=[],
            follow_up={"query": "How many rows has it?", "sol_sql": [COUNTED], "test_cases": [], "category": "Query"},
        )
        | changed
    )


def make_dataset(directory: Path, *tasks: dict[str, Any]) -> Path:
    shop = directory / "shop"
    shop.mkdir(parents=True)
    connection = sqlite3.connect(shop / "shop_template.sqlite")
    connection.executescript(SCHEMA)
    connection.executemany("INSERT INTO customer VALUES (?, ?, ?)", [(1, "Ann", "gold"), (2, "Bo", None), (3, "Cy", "gold")])
    rows = [(1, 1, 10.5, "2024-01-01"), (2, 1, 60, "2024-01-02"), (3, 2, 20, "2024-02-01"), (4, 3, 70, "2024-03-01")]
    connection.executemany("INSERT INTO purchase VALUES (?, ?, ?, ?)", [*rows, (5, 3, 5, "2024-03-02")])
    connection.commit()
    connection.close()
    (shop / "shop_schema.txt").write_text(SCHEMA)
    (shop / "shop_column_meaning_base.json").write_text(json.dumps({"shop|customer|tier": "how dear the customer is"}))
    knowledge = [
        {"id": 0, "knowledge": "Active Customer", "description": "who buys", "definition": "two or more purchases"},
        {"id": 1, "knowledge": "Tier", "description": "a class", "definition": "gold or none"},
    ]
    (shop / "shop_kb.jsonl").write_text("\n".join(map(json.dumps, knowledge)))
    write_tasks(directory, *(tasks or (query_task(), management_task())))
    return directory


def write_tasks(directory: Path, *tasks: dict[str, Any]) -> None:
    (directory / "bird_interact_data.jsonl").write_text("\n".join(map(json.dumps, tasks)))
