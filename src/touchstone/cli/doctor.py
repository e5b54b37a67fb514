"""`touchstone doctor`: what works on this machine, and what to install for the rest."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from .. import __version__
from ..distribution import pip_install, refuse_without_linux
from ..engines.cache import Cache, default_path
from ..engines.sqlite.clone import library
from ..errors import InputError, TouchstoneError
from ..plugins import Kind, available, load, model_config
from ..protocols import Limits


class Check(Struct, frozen=True):
    good: bool
    what: str
    detail: str
    needed: bool = False
    """Nothing works without it."""


def doctor() -> int:
    """Say what works on this machine and what to install for the rest."""
    machine = f"Python {platform.python_version()}, {platform.platform(terse=True)}, {os.cpu_count()} cores"
    print(f"Touchstone {__version__}, {machine}\n")
    findings = list(_examine())
    for finding in findings:
        print(f"{'ok     ' if finding.good else 'missing'}  {finding.what:<22} {finding.detail}")
    for kind in ("benchmarks", "agents", "models", "engines"):
        print(f"         {kind:<22} {', '.join(_loaded(kind))}")
    return 1 if any(finding.needed and not finding.good for finding in findings) else 0


def _loaded(kind: Kind) -> Iterator[str]:
    """What another package adds must load to be of use."""
    for name in available(kind):
        try:
            load(kind, name)
            yield name
        except Exception as error:  # whatever a foreign module does when it is imported
            yield f"{name} (does not load: {' '.join(str(error).split())})"


def _examine() -> Iterator[Check]:
    yield asyncio.run(_workers())
    yield _clones()
    yield _cache()
    yield _openai_key()
    yield openai_sdk(version("openai"), litellm=find_spec("litellm") is not None, inspect=find_spec("inspect_ai") is not None)
    yield _installed("LiteLLM", "litellm", pip_install("litellm"), "litellm/<provider>/<model>")
    yield _local_model()
    try:
        refuse_without_linux("what follows")
    except TouchstoneError:
        yield Check(False, "Linux", "private servers, hidden tests, programs under test and desktops need it")
    else:
        yield _postgres()
        yield _clock()
        yield _confinement()
        yield asyncio.run(_sandbox())
        yield _images()
    yield _installed("plots", "matplotlib", pip_install("plot"), "touchstone interact sweep")


async def _workers() -> Check:
    """Runs a real query in a real worker."""
    from ..engines.sqlite.engine import SqliteEngine

    with tempfile.TemporaryDirectory() as directory:
        database = Path(directory, "probe.sqlite")
        connection = sqlite3.connect(database)
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        connection.commit()
        connection.close()
        engine = SqliteEngine()
        started = time.perf_counter()
        try:
            session = engine.session(database, writable=True, limits=Limits(seconds=5))
            await session.run("DELETE FROM t")
            await session.close()
        except TouchstoneError as error:
            return Check(False, "SQL workers", str(error), needed=True)
        finally:
            await engine.close()
    return Check(True, "SQL workers", f"a query in a separate process after {time.perf_counter() - started:.2f} s", needed=True)


def _clones() -> Check:
    if library() is not None:
        return Check(True, f"SQLite {sqlite3.sqlite_version}", "private copies by copy-on-write, at any size")
    return Check(
        True, f"SQLite {sqlite3.sqlite_version}", "private copies by copying the file (this Python hides SQLite's library)"
    )


def _cache() -> Check:
    cache = Cache(default_path())
    cache.put(b"probe", b"1")
    works = cache.get(b"probe") == b"1"
    cache.close()
    return Check(
        works, "result cache", f"{default_path()}" if works else f"cannot write {default_path()}; set TOUCHSTONE_CACHE"
    )


def _openai_key() -> Check:
    """Only whether there is one: the key itself is never shown."""
    if os.environ.get("OPENAI_API_KEY"):
        return Check(True, "OpenAI-compatible", "OPENAI_API_KEY is set")
    if os.environ.get("OPENAI_BASE_URL"):
        return Check(True, "OpenAI-compatible", "OPENAI_BASE_URL is set")
    return Check(False, "OpenAI-compatible", "set OPENAI_API_KEY, or give --base-url for a server of your own")


def openai_sdk(installed: str, *, litellm: bool, inspect: bool) -> Check:
    """Touchstone works with 2.x and 3.x; LiteLLM wants the one, Inspect's own OpenAI models the other."""
    old = int(installed.partition(".")[0]) < 3
    problems = [
        *(["LiteLLM needs 2.x"] if litellm and not old else []),
        *(["Inspect's openai/ models need 3.4 or newer"] if inspect and old else []),
    ]
    advice = "; ".join(problems) + ": install the extras litellm and inspect in separate environments"
    return Check(not problems, "OpenAI SDK", f"{installed}; {advice}" if problems else installed)


def _installed(what: str, module: str, command: str, gives: str) -> Check:
    there = find_spec(module) is not None
    return Check(there, what, gives if there else command)


def _postgres() -> Check:
    """Starts a private server, as a run would."""
    if find_spec("psycopg") is None:
        return Check(False, "PostgreSQL", pip_install("interact"))
    from ..engines.postgres import binaries
    from ..engines.postgres.private_server import started

    clock = time.perf_counter()
    try:
        version = binaries.find().major
        with started():
            return Check(True, "PostgreSQL", f"version {version}, a private server after {time.perf_counter() - clock:.2f} s")
    except TouchstoneError as error:
        return Check(False, "PostgreSQL", str(error))


def _clock() -> Check:
    from ..engines.today import INSTALL, faketime

    library = faketime()
    return Check(library is not None, "libfaketime", f"--today on PostgreSQL: {library or INSTALL}")


def _confinement() -> Check:
    from ..sandbox.sandboxed_call import confinement

    missing = confinement()
    return Check(not missing, "hidden tests", "; ".join(missing) or "confined by Landlock and seccomp")


async def _sandbox() -> Check:
    """Starts a chamber, as a desktop would."""
    from ..benchmarks.desktop.providers.namespaces import Plan, host_programs, run

    clock = time.perf_counter()
    try:
        status, said = await run(Plan(program=["/bin/true"], layers=[], binds=host_programs()))
    except TouchstoneError as error:
        return Check(False, "desktop sandbox", str(error))
    spent = f"namespaces, after {time.perf_counter() - clock:.2f} s"
    return Check(status == 0, "desktop sandbox", said.strip() or spent)


def _images() -> Check:
    from ..benchmarks.desktop.image import Store

    made = sorted(Store().made())
    return Check("desktop" in made, "desktop image", ", ".join(made) or "touchstone desktop image build")


def _local_model() -> Check:
    try:
        model_config("local").build()
    except InputError as error:
        return Check(False, "local model", str(error))
    return Check(True, "local model", "--model local")
