"""A desktop in a Docker container: the same root file system, imported as an image once.

The container has no network unless it is asked for, and is reached through two sockets in a folder that it shares with the
host. It ends when its standard input does, so that it does not outlive Touchstone. Folders that a killed Touchstone has left
are removed by the next.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from ....errors import InputError, WorkerFailure
from ....sandbox.process import Tail
from ..desktop import HOME
from ..image import Image
from . import ProviderSettings
from .local import BINDS, PLACE, SESSION, LocalDesktop
from .namespaces import Bind, ContainerPlan, run

NAME = "touchstone-desktop"
_PREFIX = "touchstone-docker-"
_WATCHED = f"{' '.join(SESSION)} & cat > /dev/null"
_PACK = "tar --one-file-system -cf /run/out/root.tar -C / ."


class DockerDesktop(LocalDesktop):
    """One container. Raises InputError at once if there is no Docker."""

    provider = "docker"

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__(settings)
        if shutil.which("docker") is None:
            raise InputError("--provider docker: there is no docker on the path")
        self._folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._said = Tail(4096)

    async def begin(self, image: Image, token: str) -> None:
        tag = await _imported(image)
        self._folder = await asyncio.to_thread(_make_folder, token)
        self._process = await asyncio.create_subprocess_exec(
            *_words(tag, self._folder, self.settings),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C is for us
        )
        self._listening = asyncio.create_task(_listen(self._process, self._said))

    async def end(self) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.close()
        if self._folder:
            await _docker("rm", "--force", self._folder.name)
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
        if self._process:
            await self._process.wait()
        self._process = self._folder = None

    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def inside(self, name: str) -> Path:
        if self._folder is None:
            raise WorkerFailure("the desktop has not been started", kind="desktop")
        return self._folder / name

    def output(self) -> str:
        return self._said.text


def _words(tag: str, folder: Path, settings: ProviderSettings) -> list[str]:
    width, height = settings.screen
    options = {
        "--name": folder.name,
        "--hostname": "ubuntu",
        "--user": "user",
        "--workdir": HOME,
        "--shm-size": "1g",
        "--network": "bridge" if settings.network else "none",
        "--env": f"TOUCHSTONE_SCREEN={width}x{height}x24",
        "--security-opt": "seccomp=unconfined",  # Chromium's own sandbox makes namespaces
    }
    shared = [f"{bind.host}:{bind.inside}:ro" for bind in BINDS] + [f"{folder}:{PLACE}"]
    pairs = [*options.items(), *(("--volume", share) for share in shared)]
    words = [word for pair in pairs for word in pair]
    return ["docker", "run", "--rm", "--interactive", "--init", *words, tag, "/bin/bash", "-c", _WATCHED]


def _make_folder(token: str) -> Path:
    _remove_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    folder.chmod(0o777)  # its session runs as another user than we do
    (folder / "token").write_text(token)
    (folder / "token").chmod(0o644)
    return folder


def _remove_leftovers() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)


async def _imported(image: Image) -> str:
    """The name of the image in Docker, which gets it if it has not got it yet."""
    tag = f"{NAME}:{hashlib.sha256(' '.join(image.names).encode()).hexdigest()[:12]}"
    if (await _docker("image", "inspect", tag))[0] == 0:
        return tag
    with tempfile.TemporaryDirectory() as folder:
        binds = [Bind(Path(folder), "/run/out", True)]
        status, output = await run(ContainerPlan(program=["/bin/sh", "-c", _PACK], layers=image.paths, binds=binds))
        if status:
            raise WorkerFailure(f"the root file system could not be packed: {output[-400:]}", kind="image")
        status, output = await _docker("import", f"{folder}/root.tar", tag)
    if status:
        raise InputError(f"--provider docker: {' '.join(output.split())[-400:]}")
    return tag


async def _docker(*words: str) -> tuple[int, str]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("docker", *words, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    return process.returncode or 0, (out + err).decode(errors="replace")


async def _listen(process: asyncio.subprocess.Process, output: Tail) -> None:
    assert process.stderr
    while data := await process.stderr.read(4096):
        output.add(data)
