"""Containers from here: what one is made of, starting it, and ending it with all that is in it (see `container`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pwd
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ....errors import InputError, WorkerFailure
from ....sandbox.process import Tail
from . import container

ROOTS_IDS = 700_000_000
"""The first of the ids that root gives away: far above those of any real user."""
SECONDS_TO_START, SECONDS_TO_END = 300.0, 20.0
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Bind(NamedTuple):
    """A folder or file of the host that is visible inside. If it is writable, it is given to the root inside."""

    host: Path
    inside: str
    writable: bool = False


class File(NamedTuple):
    """A small file that is there before the program starts."""

    inside: str
    text: str
    owner: int = 0


@dataclass(frozen=True, kw_only=True)
class ContainerPlan:
    """What a container is made of, and what runs in it."""

    program: Sequence[str]
    layers: Sequence[Path]
    """The topmost first. They are never written to. None: an empty file system."""
    upper: Path | None = None
    """Takes what is written, with `files` and `work` in it (see `make_upper`); without it, memory does."""
    binds: Sequence[Bind] = ()
    files: Sequence[File] = ()
    network: bool = False
    """The host's own. Without it, there is only a loopback inside."""
    user: int = 0
    variables: Mapping[str, str] = field(default_factory=lambda: {})
    memory: str = "50%"
    host: str = "ubuntu"


class Ids(NamedTuple):
    """The first of the 65536 user and group ids of the host that a container's users are."""

    user: int
    group: int


def host_ids() -> Ids:
    """Raises InputError if this user has none."""
    if os.geteuid() == 0:
        return Ids(ROOTS_IDS, ROOTS_IDS)
    if not (shutil.which("newuidmap") and shutil.which("newgidmap")):
        raise InputError("a sandbox needs root, or the programs newuidmap and newgidmap: apt-get install uidmap")
    return Ids(_range("/etc/subuid"), _range("/etc/subgid"))


def _range(path: str) -> int:
    names = {str(os.getuid()), pwd.getpwuid(os.getuid()).pw_name}
    with contextlib.suppress(OSError, ValueError):
        for line in Path(path).read_text().splitlines():
            name, first, count = line.split(":")
            if name in names and int(count) >= container.IDS:
                return int(first)
    raise InputError(
        f"{path}: a sandbox needs {container.IDS} ids for {sorted(names)[-1]}; add some with usermod --add-subuids and so on"
    )


class Container:
    """One container. What its program prints goes to `heard`, line by line, and its end is kept."""

    def __init__(self, plan: ContainerPlan, heard: Callable[[str], None] | None = None) -> None:
        self.plan = plan
        self.output = Tail(16_384)
        self.first = 0
        """The process id of its process 1, as the host sees it."""
        self._heard = heard
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Returns when its program has been started. Raises WorkerFailure if that cannot be done."""
        python = str(getattr(sys, "_base_executable", None) or sys.executable)
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *(python, "-I", "-S", container.__file__, _as_json(self.plan)),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env={"PATH": os.environ.get("PATH", _PATH)},  # no key of ours is to be found in the memory of its process 1
            start_new_session=True,  # a Ctrl-C is for us
        )
        assert self._process.stdout
        self._listening = asyncio.create_task(self._listen())
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), SECONDS_TO_START)
        except TimeoutError:
            line = b""
        if not line.startswith(b"started "):
            await self.end()
            raise WorkerFailure(f"the sandbox cannot be started: {self.output.text.strip() or 'no answer'}", kind="sandbox")
        self.first = int(line.split()[1])

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def wait(self) -> int:
        """The program's status, when it has ended."""
        assert self._process
        assert self._listening
        status = await self._process.wait()
        await self._listening
        return status

    async def end(self) -> None:
        """Ends all that runs in it. When this returns, its processes and mounts are gone. May be called twice."""
        if self._process is None or self._listening is None:
            return
        if self._process.stdin:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_END)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        self._listening.cancel()

    async def _listen(self) -> None:
        assert self._process
        assert self._process.stderr
        rest = b""
        while data := await self._process.stderr.read(65536):
            self.output.add(data)
            if self._heard:
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._heard(line.decode(errors="replace"))


async def run(plan: ContainerPlan, heard: Callable[[str], None] | None = None) -> tuple[int, str]:
    """Runs a program in a container of its own to its end: its status, and the end of what it printed."""
    room = Container(plan, heard)
    try:
        await room.start()
        return await room.wait(), room.output.text
    finally:
        await room.end()


def host_programs() -> list[Bind]:
    """What makes the programs of the host's work in a container that has no layer, for what we do in there ourselves."""
    folders = (Path("/", name) for name in ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"))
    return [Bind(folder, str(folder)) for folder in folders if folder.exists()]


def make_upper(folder: Path) -> Path:
    """A new folder that can take what a container writes; the layer is then in `files`."""
    for path in (folder, folder / "files", folder / "work"):
        path.mkdir()
    return folder


async def remove(folder: Path) -> None:
    """Also what belongs to the users of a container, which only a container may remove."""
    if os.geteuid() != 0 and await asyncio.to_thread(folder.is_dir):
        empty = ["/bin/sh", "-c", "find /run/old -mindepth 1 -delete"]
        await run(ContainerPlan(program=empty, layers=[], binds=[*host_programs(), Bind(folder, "/run/old", True)]))
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _as_json(plan: ContainerPlan) -> str:
    variables = {"PATH": _PATH, "LANG": "C.UTF-8", **plan.variables}
    facts = {**vars(plan), "users": host_ids(), "variables": variables}
    return json.dumps(facts, default=lambda path: str(path.absolute()))
