"""Loading once: the second time is a copy, and only if nothing has changed."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.postgres_server.conftest import Dump, ask, wait_for
from tests.workers.processes import until
from touchstone.engines.postgres.private_server import embedded_server, started
from touchstone.engines.postgres.store import StoredCluster, default_cache, prepared
from touchstone.errors import InputError

pytestmark = pytest.mark.long

GOOD = "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2);\n"

BUILD = """
import asyncio, sys
from pathlib import Path
from touchstone.engines.postgres.store import prepared
store = asyncio.run(prepared(Path(sys.argv[1]), ["shop"], Path(sys.argv[2]), lambda text: print(text, flush=True)))
print(store.data, flush=True)
"""


@pytest.fixture
def cache(scratch: Path) -> Path:
    return scratch / "cache"


@pytest.fixture(autouse=True)
def _own_base(base: Path) -> Iterator[None]:
    """No server is left, whatever a test does."""
    yield
    assert not base.exists() or not list(base.iterdir())


async def prepare(dumps: Path, cache: Path, *databases: str) -> tuple[StoredCluster, list[str]]:
    """The store, and what was said: silence means that nothing was loaded."""
    said: list[str] = []
    store = await prepared(dumps, databases or ("shop",), cache, said.append)
    return store, said


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


async def test_loaded_once_and_copied_afterwards(dump: Dump, cache: Path) -> None:
    dumps = dump("shop", t=GOOD, bad="NONSENSE;\n")
    first, said = await prepare(dumps, cache, "shop", "absent")
    assert len(said) == 1
    again, silence = await prepare(dumps, cache, "absent", "shop")
    assert silence == []
    assert again == first
    assert [(item.database, item.tables, len(item.errors)) for item in first.loaded] == [
        ("shop", {"t": 2}, 1),
        ("absent", {}, 1),
    ]
    async with embedded_server(again.data) as server:
        assert await asyncio.to_thread(ask, server, "shop_template", "SELECT count(*) FROM t") == [(2,)]
        note = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = 'shop_template'"
        assert "bad.sql" in (await asyncio.to_thread(ask, server, "postgres", note))[0][0]


async def test_what_a_run_does_to_its_copy_stays_there(dump: Dump, cache: Path) -> None:
    dumps = dump("shop", t=GOOD)
    store, _ = await prepare(dumps, cache)
    shutil.rmtree(dumps)  # no longer needed
    with started(store.data) as server:
        ask(server, "shop_template", "DROP TABLE t")
    with started(store.data) as server:
        assert ask(server, "shop_template", "SELECT count(*) FROM t") == [(2,)]


async def test_built_again_when_a_file_changes(dump: Dump, cache: Path) -> None:
    dumps = dump("shop", t=GOOD)
    first, _ = await prepare(dumps, cache)
    dump("other", t=GOOD)  # a database that nobody asked for
    assert (await prepare(dumps, cache))[1] == []
    path = dumps / "shop_template" / "t.sql"
    text = path.read_text().replace("(2)", "(3)")
    path.write_text(text)  # the same size
    second, said = await prepare(dumps, cache)
    assert said
    assert second.data != first.data
    with started(second.data) as server:
        assert ask(server, "shop_template", "SELECT a FROM t ORDER BY a") == [(1,), (3,)]


def test_two_builders_at_once_load_once(dump: Dump, cache: Path) -> None:
    dumps = dump("shop", t=GOOD)
    command = [sys.executable, "-c", BUILD, str(dumps), str(cache)]
    builders = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    lines = [builder.communicate(timeout=180)[0].splitlines() for builder in builders]
    assert lines[0][-1] == lines[1][-1]
    assert sum(line.startswith("shop:") for answer in lines for line in answer) == 1
    assert sum(line.startswith("waiting") for answer in lines for line in answer) == 1


def test_a_builder_that_was_killed_is_no_obstacle(dump: Dump, cache: Path, base: Path) -> None:
    dumps = dump("shop", t=GOOD, slow="CREATE TABLE slow AS SELECT pg_sleep(60)::text;\n")
    with subprocess.Popen([sys.executable, "-c", BUILD, str(dumps), str(cache)], stdout=subprocess.DEVNULL) as builder:
        assert wait_for(lambda: base.exists() and any(base.iterdir()))  # its server is there, and loading takes a minute
        time.sleep(1.5)
        builder.kill()
    leftover = cache / "15-left.part"
    leftover.mkdir()
    (dumps / "shop_template" / "slow.sql").unlink()
    store, said = asyncio.run(prepare(dumps, cache))
    assert said[-1].startswith("shop: 1 tables")
    assert store.loaded[0].errors == []
    assert not leftover.exists()
    assert wait_for(lambda: not list(base.iterdir()))


async def test_cancelled_while_building(dump: Dump, cache: Path, base: Path) -> None:
    dumps = dump("shop", slow="CREATE TABLE slow AS SELECT pg_sleep(60)::text;\n")
    task = asyncio.create_task(prepare(dumps, cache))
    assert await until(lambda: base.exists() and any(base.iterdir()))
    await asyncio.sleep(1.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 50)
    assert names(cache) == ["lock"]


async def test_a_damaged_entry_is_built_again(dump: Dump, cache: Path) -> None:
    dumps = dump("shop", t=GOOD)
    first, _ = await prepare(dumps, cache)
    (first.data.parent / "loaded.json").write_text("{")
    second, said = await prepare(dumps, cache)
    assert said
    assert second.loaded[0].tables == {"t": 2}


@pytest.mark.parametrize(("hours", "kept"), [(2.0, 5), (0.0, 8)])
async def test_old_entries_go_unless_they_are_in_use(dump: Dump, cache: Path, hours: float, kept: int) -> None:
    dumps = dump("shop", t=GOOD)
    for age in range(7):
        entry = cache / f"15-{age}"
        entry.mkdir(parents=True)
        then = time.time() - hours * 3600 - age
        os.utime(entry, (then, then))
    store, _ = await prepare(dumps, cache)
    assert names(cache) == sorted(["lock", store.data.parent.name, *(f"15-{age}" for age in range(kept - 1))])


async def test_a_cache_that_cannot_be_written(dump: Dump, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be kept in .*file/cache"):
        await prepare(dump("shop", t=GOOD), tmp_path / "file" / "cache")


def test_the_cache_is_beside_that_of_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    assert default_cache() == tmp_path / "postgres"
