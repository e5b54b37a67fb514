"""The day that SQL and hidden tests are told it is."""

from __future__ import annotations

import asyncio
import datetime
import os
import time
from pathlib import Path

import pytest

from touchstone.engines.sqlite.database import SqliteEpisodeDatabase
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.engines.today import checked_day, faketime, server_environment, set_python_clock
from touchstone.options import OptionError
from touchstone.protocols import Limits

DAY = "2025-02-19"
LIMITS = Limits(seconds=10)
CLOCKS = "SELECT date('now'), CURRENT_DATE, CURRENT_TIMESTAMP, datetime(), date('now', '-1 day'), strftime('%Y')"
ON_THE_DAY = ("2025-02-19", "2025-02-19", "2025-02-19 12:00:00", "2025-02-19 12:00:00", "2025-02-18", "2025")


@pytest.mark.parametrize("text", ["19.2.2025", "2025-02-30", "2025-2-19", "", "20250219", "yesterday"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="expected a date such as 2025-02-19"):
        checked_day(text)


def test_sqlite_lives_on_the_day_in_sessions_copies_and_judgements(tmp_path: Path) -> None:
    database = tmp_path / "a.sqlite"
    _database(database)

    async def play() -> list[object]:
        engine = SqliteEngine(today=DAY, workers=1)
        try:
            reading = engine.session(database, writable=True, limits=LIMITS)
            rows = [(await reading.run(CLOCKS)).rows[0]]
            await reading.run("CREATE TABLE copied (a)")
            rows.append((await reading.run(CLOCKS)).rows[0])
            await reading.close()
            world = SqliteEpisodeDatabase(engine, database)
            rows.append((await world.explore(CLOCKS, LIMITS)).rows[0])
            await world.close()
            return list(rows)
        finally:
            await engine.close()

    assert asyncio.run(play()) == [ON_THE_DAY] * 3


def test_without_a_day_sqlite_has_the_real_one(tmp_path: Path) -> None:
    database = tmp_path / "a.sqlite"
    _database(database)

    async def play() -> object:
        engine = SqliteEngine(workers=1)
        try:
            return (await engine.session(database, writable=False, limits=LIMITS).run("SELECT date('now')")).rows[0][0]
        finally:
            await engine.close()

    before = datetime.datetime.now(datetime.UTC).date().isoformat()
    assert asyncio.run(play()) in (before, datetime.datetime.now(datetime.UTC).date().isoformat())


def test_pythons_clock_moves_to_the_day_and_its_classes_stay_alike() -> None:
    """In a child, since it is for good."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            real = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1)
            set_python_clock(DAY)
            from datetime import date  # as a test imports them
            from datetime import datetime as moment

            assert date.today().isoformat() == moment.now().date().isoformat() == moment.utcnow().date().isoformat() == DAY
            assert moment.fromtimestamp(time.time()).date().isoformat() == DAY
            assert isinstance(real[0], date)
            assert isinstance(real[1], date)
            assert isinstance(real[1], moment)
            assert not isinstance(real[0], moment)
            assert isinstance(moment.now(), moment)
            assert date.today() - real[0] == datetime.timedelta(days=1876)
            assert moment.strptime("2025", "%Y").year == 2025
            assert time.strftime("%Y-%m-%d") == time.strftime("%Y-%m-%d", time.gmtime()) == DAY
            assert time.ctime()[-4:] == time.asctime()[-4:] == str(time.localtime().tm_year) == "2025"
            assert (time.gmtime(0).tm_year, time.ctime(0)[-4:]) == (1970, "1970")
            assert abs(time.time() - time.time_ns() / 1e9) < 60
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0


def test_the_private_server_lives_on_the_day_and_its_limits_hold() -> None:
    psycopg = pytest.importorskip("psycopg")
    if faketime() is None:
        pytest.skip("libfaketime is not installed")
    from touchstone.engines.postgres.private_server import started

    with started(today=DAY) as server, psycopg.connect(server.conninfo("postgres"), autocommit=True) as connection:
        assert connection.execute("SELECT current_date::text, now()::date::text").fetchone() == (DAY, DAY)
        connection.execute("SET statement_timeout = '200ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT pg_sleep(600)")
        assert not [file for file in Path("/dev/shm").iterdir() if file.name.endswith(f"_{_postmaster(server.host)}")]


def test_the_server_needs_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    from touchstone.engines.postgres.private_server import started
    from touchstone.errors import InputError

    monkeypatch.setenv("TOUCHSTONE_FAKETIME", "/nowhere/libfaketime.so.1")
    with pytest.raises(InputError, match=r"--today needs libfaketime.*apt install libfaketime"), started(today=DAY):
        pass


def test_waiting_is_measured_by_the_real_clock() -> None:
    given = server_environment(DAY, Path("/lib/x.so"))
    assert given["FAKETIME"] == "@2025-02-19 12:00:00"
    assert given["DONT_FAKE_MONOTONIC"] == "1"


def _postmaster(socket: str) -> str:
    return (Path(socket).parent / "data" / "postmaster.pid").read_text().split()[0]


def _database(path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.commit()
    connection.close()
