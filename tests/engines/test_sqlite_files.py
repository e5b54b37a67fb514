"""Original files in odd places and odd states: read as they are, never changed; refused with a reason if unreadable."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from touchstone.engines.sqlite import files
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import SqlError, Unscorable
from touchstone.protocols import Limits

from .conftest import Connect, create, snapshot

pytestmark = pytest.mark.asyncio(loop_scope="module")

COUNT = "SELECT count(*) FROM people"
EMPTY_AND_COUNT = "DELETE FROM people; SELECT count(*) FROM people"


@pytest.fixture(autouse=True)
def _own_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def in_wal_mode(path: Path) -> Path:
    create(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def with_open_log(path: Path) -> Path:
    """As a program that was killed leaves it: one person is in the log only."""
    live = in_wal_mode(path.parent.with_name("live") / "live.sqlite")
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(live, isolation_level=None)) as connection:
        connection.execute("INSERT INTO people (name) VALUES ('only in the log')")
        shutil.copyfile(live, path)
        shutil.copyfile(f"{live}-wal", f"{path}-wal")
    assert Path(f"{path}-wal").stat().st_size > 0
    return path


async def read_and_write(connect: Connect, path: Path, people: int) -> None:
    """Both ways to a database see its content, and neither leaves a trace."""
    before = snapshot(path.parent)
    assert (await connect(path, writable=False).run(COUNT)).rows == [(people,)]
    assert (await connect(path).run(EMPTY_AND_COUNT)).rows == [(0,)]
    assert (await connect(path).run(COUNT)).rows == [(people,)]
    assert snapshot(path.parent) == before


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "a?b",
        "a?mode=rw",
        "a#b",
        "100%",
        "a%20b",
        "%41",
        "a&b=c",
        "a'b",
        'a"b',
        "a;b",
        "-rf",
        "[x]*",
        "Übung-数据",
        "a\nb",
        ":memory:",
    ],
)
async def test_odd_names(connect: Connect, tmp_path: Path, name: str) -> None:
    await read_and_write(connect, create(tmp_path / f"dir {name}" / f"{name}.sqlite"), people=4)


async def test_a_relative_path(connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(tmp_path / "here" / "a.sqlite")
    await connect().run(COUNT)  # the workers are started elsewhere
    monkeypatch.chdir(tmp_path)
    await read_and_write(connect, Path("here/a.sqlite"), people=4)


async def test_a_read_only_file_in_a_read_only_directory(connect: Connect, tmp_path: Path) -> None:
    path = create(tmp_path / "closed" / "a.sqlite")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        await read_and_write(connect, path, people=4)
    finally:
        path.parent.chmod(0o755)


async def test_wal_mode_without_a_log(connect: Connect, tmp_path: Path) -> None:
    path = in_wal_mode(tmp_path / "wal" / "a.sqlite")
    assert [file.name for file in path.parent.iterdir()] == ["a.sqlite"]
    await read_and_write(connect, path, people=4)


async def test_wal_mode_with_an_empty_log(connect: Connect, tmp_path: Path) -> None:
    path = in_wal_mode(tmp_path / "wal" / "a.sqlite")
    path.with_name("a.sqlite-wal").touch()
    await read_and_write(connect, path, people=4)


async def test_what_is_only_in_the_log_is_seen(connect: Connect, tmp_path: Path) -> None:
    await read_and_write(connect, with_open_log(tmp_path / "wal" / "a.sqlite"), people=5)


async def test_what_is_only_in_the_log_is_seen_through_a_link(connect: Connect, tmp_path: Path) -> None:
    path = with_open_log(tmp_path / "wal" / "a.sqlite")
    link = tmp_path / "links" / "b.sqlite"
    link.parent.mkdir()
    link.symlink_to(path)
    before = snapshot(path.parent)
    await read_and_write(connect, link, people=5)
    assert snapshot(path.parent) == before


async def test_a_log_counts_for_the_digest(engine: SqliteEngine, tmp_path: Path) -> None:
    path = with_open_log(tmp_path / "wal" / "a.sqlite")
    with_log = files.digest(path)
    path.with_name("a.sqlite-wal").unlink()
    assert files.digest(path) != with_log


async def test_a_log_that_has_grown_is_read_anew(tmp_path: Path) -> None:
    path = with_open_log(tmp_path / "wal" / "a.sqlite")
    seen: list[int] = []
    for _ in range(2):
        engine = SqliteEngine(workers=1)
        session = engine.session(path, writable=False, limits=Limits())
        seen.append((await session.run(COUNT)).rows[0][0])
        await engine.close()
        with closing(sqlite3.connect(tmp_path / "live" / "live.sqlite", isolation_level=None)) as connection:
            connection.execute("INSERT INTO people (name) VALUES ('one more')")
            shutil.copyfile(tmp_path / "live" / "live.sqlite", path)
            shutil.copyfile(tmp_path / "live" / "live.sqlite-wal", f"{path}-wal")
    assert seen == [5, 6]


def missing(path: Path) -> None:
    pass


def empty(path: Path) -> None:
    path.touch()


def text(path: Path) -> None:
    path.write_text("SQLite format 2, as it were\n" * 100)


def large_file_pointer(path: Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")


def directory(path: Path) -> None:
    path.mkdir()


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (missing, "database missing: .*a.sqlite"),
        (dangling, "database missing: .*a.sqlite"),
        (empty, "not a SQLite database: .*a.sqlite"),
        (text, "not a SQLite database: .*a.sqlite"),
        (large_file_pointer, "not a SQLite database: .*a.sqlite"),
        (directory, "database unreadable: .*a.sqlite: Is a directory"),
    ],
)
async def test_what_is_no_database_is_unscorable_with_the_reason(
    connect: Connect, tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    make(tmp_path / "a.sqlite")
    with pytest.raises(Unscorable, match=reason):
        connect(tmp_path / "a.sqlite")


def only_a_header(content: bytes) -> bytes:
    return content[:16]


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2 + 100]


def scribbled(content: bytes) -> bytes:
    return content[:100] + b"\xa5" * (len(content) - 100)


def wrong_page_size(content: bytes) -> bytes:
    return content[:16] + b"\x00\x03" + content[18:]


@pytest.mark.parametrize("damage", [only_a_header, cut, scribbled, wrong_page_size])
async def test_a_damaged_database_gives_an_error_in_words_and_harms_nobody(
    connect: Connect, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = create(tmp_path / "damaged" / "a.sqlite")
    path.write_bytes(damage(path.read_bytes()))
    before = snapshot(path.parent)
    for session in (connect(path, writable=False), connect(path)):
        for sql in (COUNT, "INSERT INTO people (name) VALUES ('x')", "PRAGMA integrity_check; SELECT sum(age) FROM people"):
            with pytest.raises(SqlError) as caught:
                await session.run(sql)
            assert caught.value.kind in ("sql", "write", "crash")
            assert caught.value.message
    assert snapshot(path.parent) == before
    assert (await connect().run(COUNT)).rows == [(4,)]


async def test_the_digest_of_a_file_that_was_missing_is_made_when_it_is_there(engine: SqliteEngine, tmp_path: Path) -> None:
    path = tmp_path / "late.sqlite"
    assert await engine.digests({"first": path, "again": path}) == {"first": None, "again": None}
    create(path)
    assert await engine.digests({"first": path, "again": path}) == dict.fromkeys(("first", "again"), files.digest(path))
