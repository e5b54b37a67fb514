"""A database that must not change, an engine per module, and sessions that are closed in the end.

The tests of a module share one engine, as the episodes of a run do: what one test breaks, the next one sees.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from touchstone.engines.sqlite.engine import SqliteEngine, SqliteSession
from touchstone.protocols import Limits

SCHEMA = """
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT);
    INSERT INTO people VALUES
        (1, 'Ada', 36, 'London'), (2, 'Édouard', 51, 'Paris'), (3, 'Grace', 85, NULL), (4, '李', 29, '北京');
    CREATE TABLE log (text TEXT);
    CREATE INDEX people_by_city ON people (city);
    CREATE VIEW adults AS SELECT * FROM people WHERE age >= 36;
"""

Connect = Callable[..., SqliteSession]


def create(path: Path, script: str = SCHEMA) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"PRAGMA synchronous = OFF; {script}")
    return path


def snapshot(directory: Path) -> dict[str, tuple[str, int]]:
    """Every file's content and time of change."""
    files = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    return {path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """An original: whatever a test does with it, neither its bytes nor its directory may change."""
    path = create(tmp_path / "original" / "people.sqlite")
    before = snapshot(path.parent)
    yield path
    assert snapshot(path.parent) == before


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[SqliteEngine]:
    engine = SqliteEngine(workers=2)
    yield engine
    await engine.close()


@pytest_asyncio.fixture(loop_scope="module")
async def connect(engine: SqliteEngine, database: Path) -> AsyncIterator[Connect]:
    """Opens sessions; without a path on the database of the test. Other arguments are limits."""
    sessions: list[SqliteSession] = []

    def open_session(path: Path = database, *, writable: bool = True, **limits: Any) -> SqliteSession:
        sessions.append(engine.session(path, writable=writable, limits=Limits(**{"seconds": 10.0, **limits})))
        return sessions[-1]

    yield open_session
    for session in sessions:
        await session.close()
