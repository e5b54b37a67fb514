"""Episodes on a Ray cluster, as the driver sees it.

Every node with a free CPU gets one long-lived actor (`node.Node`), which is sent the data it does not have, opens what the
run's configuration names and must come to the same identity as the driver; a node that cannot is left out, and it is said why.
From then on the driver sends jobs (`lease`) and long-polls for what was played (`collect`): Ray never hears of a single query.
A node whose actor does not answer any more is lost, and its jobs are leased again; nodes that come later are taken on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from ...code_digest import code_digest
from ...distribution import pip_install
from ...errors import EpisodeFailure, InputError
from ...files import new_folder
from ...types import Record
from ..directory import differences
from ..remote import EPISODES
from ..run import versions
from ..scheduler import Job, Say
from .leases import Holder, Leases
from .node import Begun, Build, Node, PlayedJob
from .shipping import Listed, at, hash_of, pieces_of, unplaced, with_folder

# The way into a Ray cluster.


def connected(address: str | None) -> Any:
    """The ray module, connected. Without an address: RAY_ADDRESS, a cluster that runs on this machine, or a new one here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", "(?s).*")  # pages of a lost node's log on our standard output
    try:
        ray: Any = import_module("ray")
        for name in ("exceptions", "util.scheduling_strategies"):
            import_module(f"ray.{name}")
    except ImportError:
        raise InputError(f"--executor ray needs Ray: {pip_install('ray')}") from None
    if ray.is_initialized():
        return ray
    if address not in (None, "auto", "local"):
        _refuse_unreachable(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
    except Exception as error:  # Ray raises many kinds
        reason = str(error).strip().partition("\n")[0]
        where = f" at {address}" if address else ""
        hint = "if it asks for a token, this machine must have it as Ray's documentation says"
        raise InputError(f"cannot connect to the Ray cluster{where} ({hint}): {reason}") from None
    return ray


def in_words(error: Exception) -> str:
    """Ray's errors are pages; what caused one is in its first line, or in its cause."""
    if "No module named 'touchstone'" in str(error):
        return "touchstone is not installed there"
    cause = getattr(error, "cause", None) or error
    return f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0][:200]}"


def _refuse_unreachable(address: str) -> None:
    """In a few seconds, where Ray takes a minute."""
    host, colon, port = address.rpartition(":")
    if "://" in address or not colon or not port.isdigit():
        raise InputError(f"--ray-address {address}: expected the host:port of the cluster, seen from one of its machines")
    try:
        socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"--ray-address {address}: nothing answers there ({error})") from None


_POLL = 10.0
"""Seconds that a node waits for something to be played before it answers with nothing."""
_LOOK = 5.0
"""Seconds between two looks for new nodes."""
_STARTS = 3
"""How often an actor is started on one node."""
_PASSED_ON = re.compile(r"OPENAI_.*|.*_API_(KEY|BASE|VERSION)|PGUSER|PGPASSWORD")


@dataclass(frozen=True, kw_only=True)
class ClusterWork:
    """What nodes are to play, and with what."""

    build: Build
    payload: Callable[[Mapping[str, str]], Any]
    """What `build` is given, for a node on which the driver's paths are at these."""
    identity: Mapping[str, Any]
    listings: Sequence[Listed]
    environment: Mapping[str, str]
    parallel: int
    directory: Path
    """Of the run: takes the files that episodes left on nodes."""


def environment(names: Iterable[str]) -> dict[str, str]:
    """The variables that nodes are given: keys of models and of database servers, and those named."""
    for name in names:
        if name not in os.environ:
            raise InputError(f"--ray-env {name}: there is no such variable in the environment")
    return {name: value for name, value in os.environ.items() if name in names or _PASSED_ON.fullmatch(name)}


@asynccontextmanager
async def ray_cluster(work: ClusterWork, address: str | None, say: Say) -> AsyncGenerator[RayCluster]:
    cluster = RayCluster(connected(address), work, say)
    try:
        await cluster.start()
        yield cluster
    finally:
        await cluster.close()


class RayCluster:
    """An executor."""

    def __init__(self, ray: Any, work: ClusterWork, say: Say) -> None:
        self._ray = ray
        self._work = work
        self._say = say
        self._leases = Leases()
        self._hashes: dict[str, str] = {}
        self._members: dict[str, asyncio.Task[None]] = {}
        self._left_out: list[str] = []
        self._ready = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    @property
    def capacity(self) -> int:
        """At least one, who is told if no node is left."""
        return self._work.parallel * max(1, sum(not member.done() for member in self._members.values()))

    async def play(self, job: Job) -> tuple[Record, EpisodeFailure | None]:
        return await self._leases.play(job)

    async def start(self) -> None:
        """Returns when the first node is ready: the others join when they are."""
        await self._recruit()
        self._looking = asyncio.create_task(self._look())
        await self._ready.wait()
        if len(self._left_out) == len(self._members):
            raise InputError(f"no node of the cluster can play: {self._left_out[0]}")

    async def close(self) -> None:
        tasks = [task for task in (self._looking, *self._members.values()) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self) -> None:
        """Takes on new nodes, and gives up when there are none left."""
        why = "there is no node of the Ray cluster left"
        try:
            while not all(task.done() for task in self._members.values()):
                await asyncio.wait(self._members.values(), timeout=_LOOK)
                await self._recruit()
        except Exception as error:
            why = f"the Ray cluster does not answer ({in_words(error)})"
        self._leases.give_up(f"{why}; the last one left out: {self._left_out[-1]}" if self._left_out else why)

    async def _recruit(self) -> None:
        for node in await asyncio.to_thread(self._ray.nodes):
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1 and node["NodeID"] not in self._members:
                self._members[node["NodeID"]] = asyncio.create_task(self._employ(node["NodeID"], node["NodeManagerAddress"]))
        if not self._members:
            raise InputError("the Ray cluster has no node with a CPU")

    async def _employ(self, node: str, name: str) -> None:
        """One node, from its first actor to its loss."""
        try:
            for _ in range(_STARTS):
                if not await self._serve(node, name):
                    return
        except Exception as error:
            why = str(error) if isinstance(error, InputError) else f"internal error: {type(error).__name__}: {error}"
            self._left_out.append(f"{name}: {why}")
            self._say(f"node {name} is left out: {why}")
        finally:
            if all(task.done() or task is asyncio.current_task() for task in self._members.values()):
                self._ready.set()

    async def _serve(self, node: str, name: str) -> bool:
        """Plays with one actor until it is lost; says whether it is worth starting another on this node."""
        actor = self._actor(node)
        holder = Holder(self._work.parallel, lambda jobs: _forget(actor.lease.remote(jobs)))
        try:
            await self._prepare(actor)
            self._leases.join(holder)
            self._ready.set()
            return await self._collect(actor, holder)
        except self._ray.exceptions.RayError as error:
            count = self._leases.lose(holder)
            again = "1 episode is" if count == 1 else f"{count} episodes are"
            self._say(f"node {name} is lost ({in_words(error)}); {again} played again elsewhere")
            self._kill(actor)
            return await self._is_alive(node)
        except BaseException:
            self._leases.lose(holder)
            await self._dismiss(actor)
            raise

    def _actor(self, node: str) -> Any:
        here = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        return self._ray.remote(Node).options(num_cpus=1, max_concurrency=4, scheduling_strategy=here).remote()

    async def _prepare(self, actor: Any) -> None:
        """Brings the data, builds the command, and makes sure that it is the same as here. Raises InputError."""
        work = self._work
        places = await self._supply(actor)
        begun: Begun = await actor.begin.remote(work.build, work.payload(places), work.environment)
        if begun.error:
            raise InputError(begun.error)
        here = versions()
        for what in ("touchstone", "SQLite"):
            if begun.versions[what] != here[what]:
                raise InputError(f"it has {what} {begun.versions[what]}, and here it is {here[what]}")
        if begun.code != code_digest():
            raise InputError(f"its Touchstone is not the same code: {begun.code[:12]} there and {code_digest()[:12]} here")
        there = msgspec.json.decode(begun.identity)
        for what, ours, theirs in differences(unplaced(work.identity), unplaced(there)):
            raise InputError(f"its records would not be comparable: {what} is {theirs!r} there and {ours!r} here")

    async def _supply(self, actor: Any) -> dict[str, str]:
        """Ships what the node does not have; gives the paths that are others there."""
        numbers: list[int] = await actor.absent.remote(self._work.listings)
        absent = [self._work.listings[number] for number in numbers]
        if not absent:
            return {}
        hashes = {str(at(listing, file)): "" for listing in absent for file in listing.files}
        for path in hashes:
            hashes[path] = self._hashes[path] = self._hashes.get(path) or await asyncio.to_thread(hash_of, Path(path))
        sources = {name: path for path, name in hashes.items()}
        for name in await actor.missing.remote(absent, hashes):
            for piece in pieces_of(Path(sources[name])):
                await actor.receive.remote(name, piece)
            await actor.receive.remote(name, None)
        return await actor.places.remote(absent, hashes)

    async def _collect(self, actor: Any, holder: Holder) -> NoReturn:
        while True:
            played: list[PlayedJob] = await actor.collect.remote(_POLL)
            for job, answer in played:
                if not isinstance(answer, InputError):
                    answer = (await self._with_files(actor, answer[0]), answer[1])
                self._leases.answer(holder, job, answer)

    async def _with_files(self, actor: Any, record: Record) -> Record:
        """Brings what the episode left on its node into the run directory. Another attempt has a folder of its own there."""
        there = record.evidence.get("episode")
        if not isinstance(there, str) or not there.startswith(f"{EPISODES}/"):
            return record
        here = new_folder(self._work.directory / there)
        for name, size in (await actor.files.remote(there)).items():
            with (here / name).open("wb") as file:
                while file.tell() < size and (piece := await actor.piece.remote(there, name, file.tell())):
                    file.write(piece)
        await actor.forget.remote(there)
        return with_folder(record, there, f"{EPISODES}/{here.name}")

    async def _is_alive(self, node: str) -> bool:
        return any(other["NodeID"] == node and other["Alive"] for other in await asyncio.to_thread(self._ray.nodes))

    async def _dismiss(self, actor: Any) -> None:
        """Lets it close what it has opened, if it still can, and ends it."""
        with suppress(Exception):
            await asyncio.wait_for(_answer(actor.end.remote()), 5.0)
        self._kill(actor)

    def _kill(self, actor: Any) -> None:
        with suppress(Exception):
            self._ray.kill(actor)


async def _answer(reference: Any) -> Any:
    return await reference


def _forget(reference: Any) -> None:
    """Nobody waits for it: if the node is lost, the collection says so."""
