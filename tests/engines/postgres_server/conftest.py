"""One real server for the tests that only load; directories of their own for those that look at what is left behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started

Dump = Callable[..., Path]
Ask = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with started() as server:
        yield server


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A directory in memory, where servers start quickly, below ones that everybody can enter."""
    memory = Path("/dev/shm")
    path = Path(tempfile.mkdtemp(prefix="touchstone-test-", dir=memory if os.access(memory, os.W_OK) else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def base(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the servers of a test live, and nobody else's."""
    base = scratch / "base"
    monkeypatch.setenv("TOUCHSTONE_POSTGRES_DIR", str(base))
    return base


@pytest.fixture
def dump(tmp_path: Path) -> Dump:
    """Writes the files of a database: dump("shop", orders="CREATE TABLE …")."""

    def write(database: str, **tables: str | bytes) -> Path:
        folder = tmp_path / "dumps" / f"{database}_template"
        folder.mkdir(parents=True, exist_ok=True)
        for table, text in tables.items():
            (folder / f"{table}.sql").write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder.parent

    return write


def ask(server: PostgresServer, database: str, query: str, *, user: str | None = None) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.conninfo(database, user), autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        return cursor.fetchall() if cursor.description else []


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
