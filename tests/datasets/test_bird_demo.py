"""The demo dataset: what ships is what the generator makes, and every gold answer can be trusted.

`NAIVE` lists, for each task with a trap, the query that somebody would write who fell into it. If the data ever
changes so that a trap no longer bites, a test fails.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from touchstone.datasets import bird_demo

GENERATOR = Path(__file__).parents[2] / "tools" / "make_demo_bird.py"
TASK_FILE, DATABASES = bird_demo()
TASKS: list[dict[str, Any]] = json.loads(TASK_FILE.read_text(encoding="utf-8"))
GOLD: dict[int, str] = {task["question_id"]: task["SQL"] for task in TASKS}
DATABASE: dict[int, str] = {task["question_id"]: task["db_id"] for task in TASKS}
NAMES = sorted(set(DATABASE.values()))
STEPS = 1_000_000
"""Instructions of SQLite's virtual machine that a gold query may take: well under 50 ms, and the same everywhere."""

Rows = list[tuple[Any, ...]]

NAIVE = {
    ("text as number", 103): "SELECT MAX(quote) FROM repairs",
    ("case and blanks", 104): "SELECT COUNT(*) FROM repairs WHERE status = 'cancelled'",
    ("case only", 104): "SELECT COUNT(*) FROM repairs WHERE LOWER(status) = 'cancelled'",
    ("duplicates", 105): "SELECT COUNT(*) FROM customers WHERE email IS NOT NULL",
    ("duplicates in another case", 105): "SELECT COUNT(DISTINCT email) FROM customers",
    ("empty text is not NULL", 105): "SELECT COUNT(DISTINCT LOWER(TRIM(email))) FROM customers",
    ("leading zeros", 106): """
        SELECT s.name, SUM(p.amount_cents) / 100.0 FROM payments p JOIN repairs r USING (repair_id)
        JOIN shops s ON s.shop_code = r.shop_code GROUP BY s.shop_code ORDER BY 2 DESC LIMIT 1""",
    ("integer division", 107): """
        SELECT SUM(amount_cents) / 100 FROM payments WHERE repair_id NOT IN (SELECT repair_id FROM repairs)""",
    ("NULL foreign key", 107): """
        SELECT SUM(p.amount_cents) / 100.0 FROM payments p LEFT JOIN repairs r USING (repair_id)
        WHERE r.repair_id IS NULL""",
    ("date formats", 108): "SELECT COUNT(*) FROM repairs WHERE STRFTIME('%Y-%m', received) = '2024-03'",
    ("join fan-out", 109): """
        SELECT s.name, SUM(l.quantity * l.unit_cents) / 100.0, SUM(p.amount_cents) / 100.0
        FROM shops s JOIN repairs r ON CAST(r.shop_code AS INTEGER) = CAST(s.shop_code AS INTEGER)
        LEFT JOIN part_lines l USING (repair_id) LEFT JOIN payments p USING (repair_id) GROUP BY s.shop_code""",
    ("duplicates", 110): """
        SELECT LOWER(TRIM(c.email)), SUM(p.amount_cents) / 100.0 FROM customers c JOIN repairs r USING (customer_id)
        JOIN payments p USING (repair_id) WHERE c.email <> '' GROUP BY c.customer_id ORDER BY 2 DESC LIMIT 3""",
    ("refunds", 110): """
        SELECT LOWER(TRIM(c.email)), SUM(p.amount_cents) / 100.0 FROM customers c JOIN repairs r USING (customer_id)
        JOIN payments p USING (repair_id) WHERE c.email <> '' AND p.amount_cents > 0
        GROUP BY 1 ORDER BY 2 DESC LIMIT 3""",
    ("leading zeros", 204): "SELECT COUNT(*) FROM patients WHERE postcode LIKE '01%'",
    ("join fan-out", 205): """
        SELECT COUNT(*) FROM patients p JOIN samples s USING (patient_no)
        WHERE LOWER(p.sex) IN ('f', 'female') AND CAST(
          CASE WHEN birth_date LIKE '%.%' THEN SUBSTR(birth_date, 7) ELSE birth_date END AS INTEGER) < 1950""",
    ("date formats", 205): """
        SELECT COUNT(DISTINCT p.patient_no) FROM patients p JOIN samples s USING (patient_no)
        WHERE LOWER(p.sex) IN ('f', 'female') AND p.birth_date < '1950'""",
    ("text as number", 206): "SELECT ROUND(AVG(value), 2) FROM results WHERE test_code = 'K'",
    ("decimal comma", 206): """
        SELECT ROUND(AVG(CAST(value AS REAL)), 2) FROM results WHERE test_code = 'K' AND value GLOB '[0-9]*'""",
    ("NULLs", 207): "SELECT ROUND(100.0 * SUM(rejected) / COUNT(*), 1) FROM samples",
    ("integer division", 207): "SELECT SUM(rejected) / COUNT(rejected) * 100 FROM samples",
    ("case", 208): """
        SELECT d.name, COUNT(*) FROM samples s JOIN departments d USING (dept_code)
        WHERE s.priority = 'urgent' GROUP BY d.dept_code ORDER BY 2 DESC LIMIT 1""",
    ("repeated runs", 209): """
        SELECT COUNT(DISTINCT sample_id) FROM results JOIN tests USING (test_code)
        WHERE test_code = 'GLU' AND value GLOB '[0-9]*' AND (
          CAST(REPLACE(value, ',', '.') AS REAL) < low OR CAST(REPLACE(value, ',', '.') AS REAL) > high)""",
    ("text as number", 209): """
        SELECT COUNT(*) FROM results r JOIN tests t USING (test_code) WHERE test_code = 'GLU' AND (
          value < low OR value > high)""",
    ("date formats", 210): """
        SELECT d.name, ROUND(AVG(hours), 1) FROM (
          SELECT s.dept_code, (JULIANDAY(MAX(r.reported_at)) - JULIANDAY(s.taken_at)) * 24 AS hours
          FROM samples s JOIN results r USING (sample_id) WHERE LOWER(TRIM(s.priority)) = 'urgent' GROUP BY s.sample_id
        ) JOIN departments d USING (dept_code) GROUP BY d.dept_code""",
    ("duplicates", 303): "SELECT COUNT(juror) FROM jury_scores",
    ("co-productions", 304): "SELECT COUNT(*) FROM films WHERE LOWER(TRIM(country)) = 'france'",
    ("case", 304): "SELECT COUNT(*) FROM films WHERE INSTR(country, 'France')",
    ("date formats", 305): """
        SELECT COUNT(*) FROM screenings
        WHERE "date" IN ('2024-09-14', '2024-09-15') AND CAST("time" AS INTEGER) < 12""",
    ("text as number", 305): """
        SELECT COUNT(*) FROM screenings
        WHERE "date" IN ('2024-09-14', '14 Sep 2024', '2024-09-15', '15 Sep 2024') AND "time" < '12:00'""",
    ("zero for nothing", 306): """
        SELECT f.title, ROUND(AVG(j.score), 2) FROM films f JOIN jury_scores j USING (film_id)
        WHERE f.section = 'Competition' AND CAST(f.runtime AS INTEGER) > 100
        GROUP BY f.film_id ORDER BY AVG(j.score) DESC LIMIT 1""",
    ("text as number", 306): """
        SELECT f.title, ROUND(AVG(j.score), 2) FROM films f JOIN jury_scores j USING (film_id)
        WHERE f.section = 'Competition' AND f.runtime > '100' AND j.score > 0
        GROUP BY f.film_id ORDER BY AVG(j.score) DESC LIMIT 1""",
    ("NULLs", 307): "SELECT title FROM films WHERE film_id NOT IN (SELECT film_id FROM screenings)",
    ("case", 308): "SELECT SUM(amount) FROM sales WHERE category = 'concession' AND channel IN ('online', 'web')",
    ("join fan-out", 309): """
        SELECT v.name, ROUND(100.0 * SUM(x.tickets) / SUM(v.seats), 1) FROM venues v JOIN screenings s USING (venue_id)
        JOIN sales x USING (screening_id) WHERE v.seats IS NOT NULL GROUP BY v.venue_id""",
    ("inner join", 309): """
        SELECT v.name, ROUND(100.0 * SUM(x.tickets) / SUM(v.seats), 1) FROM venues v JOIN screenings s USING (venue_id)
        JOIN (SELECT screening_id, SUM(tickets) AS tickets FROM sales GROUP BY 1) x USING (screening_id)
        WHERE v.seats IS NOT NULL GROUP BY v.venue_id""",
    ("returns", 310): """
        SELECT section, title, MAX(tickets) FROM (
          SELECT f.section, f.title, SUM(x.tickets) AS tickets FROM films f JOIN screenings USING (film_id)
          JOIN sales x USING (screening_id) WHERE f.section IS NOT NULL AND x.tickets > 0 GROUP BY f.film_id
        ) GROUP BY section""",
}


def database_file(root: Path, name: str) -> Path:
    return root / name / f"{name}.sqlite"


def ask(path: Path, sql: str, *settings: str) -> Rows:
    """Run one query read-only, and give up when it takes more steps than a gold query may."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")
        connection.set_progress_handler(lambda: 1, STEPS)
        return connection.execute(sql).fetchall()


def answer(question_id: int, sql: str, *settings: str) -> Rows:
    return ask(database_file(DATABASES, DATABASE[question_id]), sql, *settings)


def contents(path: Path) -> Iterator[tuple[str, str, Rows]]:
    for name, definition in ask(path, "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        yield name, definition, ask(path, f'SELECT * FROM "{name}" ORDER BY rowid')


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("bird_demo")
    subprocess.run([sys.executable, str(GENERATOR), "--output", str(output)], check=True, capture_output=True)
    return output


def test_shipped_tasks_are_what_the_generator_makes(regenerated: Path) -> None:
    assert (regenerated / "tasks.json").read_bytes() == TASK_FILE.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_shipped_databases_are_what_the_generator_makes(regenerated: Path, name: str) -> None:
    fresh = regenerated / "databases"
    assert list(contents(database_file(fresh, name))) == list(contents(database_file(DATABASES, name)))
    for made in (fresh / name / "database_description").iterdir():
        assert made.read_bytes() == (DATABASES / name / "database_description" / made.name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_databases_are_small_sound_and_dirty_enough(name: str) -> None:
    path = database_file(DATABASES, name)
    assert path.stat().st_size < 150_000
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]
    assert ask(path, "PRAGMA page_size") == [(4096,)]
    assert ask(path, "PRAGMA journal_mode") == [("delete",)]
    assert ask(path, "PRAGMA freelist_count") == [(0,)]
    assert ask(path, "PRAGMA foreign_key_check"), "orphans are part of the demo"
    tables = list(contents(path))
    assert 3 <= len(tables) <= 6
    assert 200 <= sum(len(rows) for _, _, rows in tables) <= 3000


@pytest.mark.parametrize("name", NAMES)
def test_descriptions_name_every_column(name: str) -> None:
    path = database_file(DATABASES, name)
    for table, _, _ in contents(path):
        with (path.parent / "database_description" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            described = [row["original_column_name"] for row in csv.DictReader(file)]
        assert described == [column[1] for column in ask(path, f'PRAGMA table_info("{table}")')]


def test_tasks_have_the_promised_shape() -> None:
    assert [list(task) for task in TASKS] == [
        ["question_id", "db_id", "question", "evidence", "SQL", "difficulty"],
    ] * 30
    assert Counter(task["difficulty"] for task in TASKS) == {"simple": 12, "moderate": 12, "challenging": 6}
    assert len(GOLD) == len(TASKS), "question_ids are unique"
    assert min(Counter(DATABASE.values()).values()) >= 8
    assert {bool(task["evidence"]) for task in TASKS} == {True, False}


@pytest.mark.parametrize("question_id", GOLD)
def test_gold_answers_and_does_not_depend_on_row_order(question_id: int) -> None:
    rows = answer(question_id, GOLD[question_id])
    assert rows
    assert any(cell is not None for cell in rows[0])
    assert len(set(rows)) == len(rows), "BIRD compares sets: a repeated row could go missing unnoticed"
    assert set(answer(question_id, GOLD[question_id], "reverse_unordered_selects = ON")) == set(rows)


@pytest.mark.parametrize("question_id", [number for number, sql in GOLD.items() if " LIMIT " in sql])
def test_gold_has_no_tie_where_it_cuts(question_id: int) -> None:
    """The last column is what those queries order by; one row more must differ in it."""
    sql, cut = re.fullmatch(r"(.*) LIMIT (\d+)", GOLD[question_id]).groups()  # type: ignore[union-attr]
    *_, last, next_one = answer(question_id, f"{sql} LIMIT {int(cut) + 1}")
    assert last[-1] > next_one[-1]


@pytest.mark.parametrize(("trap", "question_id"), NAIVE)
def test_trap_gives_another_answer(trap: str, question_id: int) -> None:
    assert set(answer(question_id, NAIVE[trap, question_id])) != set(answer(question_id, GOLD[question_id]))


def test_gold_never_asks_the_clock() -> None:
    for sql in GOLD.values():
        assert not re.search(r"\b(now|current_date|current_time|current_timestamp|random)\b", sql, re.IGNORECASE)
