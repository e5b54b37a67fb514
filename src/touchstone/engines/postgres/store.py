"""Loading once: a cluster with all databases in it, kept for the next run, which copies it instead of loading again.

    <cache>/<key>/data          a cleanly stopped cluster
    <cache>/<key>/loaded.json   what became of each database when it was loaded
    <cache>/lock                held by the one process that builds

The key is made of everything that an entry depends on, so an entry is never wrong. It is built under a temporary name and gets
its own when it is complete; what a builder that was killed has left is removed by the next. The newest entries are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import platform
import shutil
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import msgspec

from ...code_digest import digest_of
from ...errors import InputError
from .. import cache as results
from . import binaries, dumps
from .dumps import LoadedDatabase, Say
from .locale import locale_for
from .private_server import SupervisedServer

FORMAT = 1
"""Of an entry's folder."""

KEPT = 5
_IN_USE = 3600.0
_PART = ".part"


class StoredCluster(msgspec.Struct, frozen=True):
    """A cluster for `embedded_server`, and how its databases were loaded."""

    data: Path
    loaded: list[LoadedDatabase]


def default_cache() -> Path:
    return results.default_path().parent / "postgres"


async def prepared(
    source: Path, databases: Sequence[str] | None, cache: Path, say: Say, *, locale: str | None = None
) -> StoredCluster:
    """A store with these databases, from the cache or loaded now. Raises InputError, and DatabaseFailure if a server fails."""
    dump_files = dumps.find(source, databases)
    programs = binaries.find()
    sorts = locale_for(locale, programs).name
    entry = cache / _key(dump_files, databases, programs.major, sorts)
    store = await asyncio.to_thread(_opened, entry)
    if store is not None:
        return store
    try:
        await asyncio.to_thread(cache.mkdir, parents=True, exist_ok=True)
        async with _locked(cache / "lock", say):
            store = await asyncio.to_thread(_opened, entry)  # somebody else may just have built it
            if store is None:
                store = await _build(
                    source, databases, entry, SupervisedServer(room=4 * _volume(dump_files), locale=locale), say
                )
    except OSError as error:
        raise InputError(f"loaded databases cannot be kept in {cache}: {error.strerror or error}") from error
    return store


def _key(dump_files: dict[str, list[Path]], databases: Sequence[str] | None, major: int, sorts: str) -> str:
    files = [
        (name, path.name, path.stat().st_size, path.stat().st_mtime_ns)
        for name, paths in sorted(dump_files.items())
        for path in paths
    ]
    asked = sorted(set(databases)) if databases is not None else None
    return f"{major}-{results.key(FORMAT, _own_code(), platform.machine(), sorts, asked, files).hex()[:24]}"


def _own_code() -> str:
    """What loading makes of a dump depends on this package."""
    return digest_of(Path(__file__).parent)


def _volume(dump_files: dict[str, list[Path]]) -> int:
    return sum(path.stat().st_size for paths in dump_files.values() for path in paths)


def _opened(entry: Path) -> StoredCluster | None:
    """An entry that is there; noted as used."""
    try:
        loaded = msgspec.json.decode((entry / "loaded.json").read_bytes(), type=list[LoadedDatabase])
        os.utime(entry)
    except (OSError, msgspec.MsgspecError):
        return None
    return StoredCluster(entry / "data", loaded)


@contextlib.asynccontextmanager
async def _locked(path: Path, say: Say) -> AsyncGenerator[None]:
    """Waits for whoever builds; the lock goes with its process."""
    announced = False
    with path.open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not announced:
                    say("waiting for another process that loads databases")
                announced = True
                await asyncio.sleep(0.1)
        yield


async def _build(source: Path, databases: Sequence[str] | None, entry: Path, kept: SupervisedServer, say: Say) -> StoredCluster:
    """Holding the lock: loads into a server and keeps its cluster."""
    loop = asyncio.get_running_loop()

    def pass_on(text: str) -> None:
        loop.call_soon_threadsafe(say, text)

    part = entry.with_name(entry.name + _PART)
    try:
        await asyncio.to_thread(_tidy, entry.parent)
        server = await asyncio.to_thread(kept.ready)
        loaded = await asyncio.to_thread(dumps.load, server, source, databases, pass_on)
        part.mkdir()
        await asyncio.to_thread(kept.keep, part / "data")
        (part / "loaded.json").write_bytes(msgspec.json.encode(loaded))
    finally:
        kept.hang_up()
        await asyncio.shield(asyncio.to_thread(kept.wait))
    await asyncio.to_thread(os.sync)  # the server did not: after a power failure, an entry is whole or not there
    shutil.rmtree(entry, ignore_errors=True)  # unreadable, or it would have been opened
    part.rename(entry)
    return StoredCluster(entry / "data", loaded)


def _tidy(cache: Path) -> None:
    """Removes leftovers and old entries, except for those that somebody may be copying."""
    entries = [path for path in cache.iterdir() if path.is_dir()]
    for path in [path for path in entries if path.name.endswith(_PART)]:
        shutil.rmtree(path, ignore_errors=True)
    entries = sorted((path for path in entries if path.exists()), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in entries[KEPT - 1 :]:
        if time.time() - path.stat().st_mtime > _IN_USE:
            shutil.rmtree(path, ignore_errors=True)
