"""The files of the dataset: tasks, dumps, and per database its schema text, column meanings and knowledge base."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from demo_interact.dumps import dump
from demo_interact.model import Column, Database, Row, Table
from demo_interact.postgres import shown
from demo_interact.records import records

SEED = 2311
"""One under which every misreading gives another answer: the tests say which those are."""


def write_dataset(databases: Sequence[Database], output: Path) -> Iterator[Path]:
    """Write everything, and give each path as soon as it is there."""
    for database in databases:
        rows = database.rows(Random(f"{SEED}/{database.name}"))
        for table in database.tables:
            folder = output / "postgre_table_dumps" / f"{database.name}_template"
            yield written(folder / f"{table.name}.sql", dump(table, rows[table.name]))
        start = output / database.name / database.name
        schema = "".join(described(table, rows[table.name]) for table in database.tables)
        yield written(start.with_name(f"{start.name}_schema.txt"), schema)
        yield written(start.with_name(f"{start.name}_column_meaning_base.json"), meanings(database))
        yield written(start.with_name(f"{start.name}_kb.jsonl"), lines(knowledge(database)))
    tasks = [record for database in databases for record in records(database)]
    yield written(output / "bird_interact_data.jsonl", lines(tasks))


def written(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="\n")
    return path


def lines(objects: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in objects)


def described(table: Table, rows: Sequence[Row]) -> str:
    """The definition and the first three rows, as an agent reads them."""
    parts = [f"{column.name} {column.type} {'' if column.null else 'NOT '}NULL" for column in table.columns]
    parts.append(f"    PRIMARY KEY ({', '.join(table.key)})")
    parts += [f"    FOREIGN KEY ({column}) REFERENCES {target}" for column, target in table.foreign.items()]
    return f'CREATE TABLE "{table.name}" (\n' + ",\n".join(parts) + "\n);\n" + sample(table.columns, rows[:3]) + "...\n\n"


def sample(columns: Sequence[Column], rows: Sequence[Row]) -> str:
    grid = [[column.name for column in columns]]
    grid += [[shown(cell, c.type) or "NULL" for cell, c in zip(row, columns, strict=True)] for row in rows]
    widths = [max(len(row[place]) for row in grid) for place in range(len(columns))]
    padded = ["    ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in grid]
    return "First 3 rows:\n" + "\n".join(padded) + "\n"


def meanings(database: Database) -> str:
    """Keys are in mixed case, as in the published files: whoever looks something up must not rely on it."""
    found = {
        f"{database.name}|{table.name.title()}|{column.name.title()}": meaning(column)
        for table in database.tables
        for column in table.columns
    }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def meaning(column: Column) -> str | dict[str, Any]:
    if column.fields is None:
        return f"{column.type.upper()}. {column.meaning}"
    return {"column_meaning": f"JSONB. {column.meaning}", "fields_meaning": column.fields}


def knowledge(database: Database) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "knowledge": entry.name,
            "description": entry.description,
            "definition": entry.definition,
            "type": entry.type,
            "children_knowledge": [database.number(child) for child in entry.children] or -1,
        }
        for number, entry in enumerate(database.knowledge)
    ]
