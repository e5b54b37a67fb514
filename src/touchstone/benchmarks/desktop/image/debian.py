"""A new Debian system as an archive, made with mmdebstrap on the host; the options it is made with stay in force in it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from ....failures import InputError, WorkerFailure

SUITE = "bookworm"
_INCLUDE = "ca-certificates,sudo,locales"
_LEFT_OUT = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/help/*", "/usr/share/gtk-doc/*")
"""Nobody reads these on a desktop that lives for minutes."""
_APT = (
    'APT::Install-Recommends "false"',
    'Acquire::Languages "none"',
    'Acquire::PDiffs "false"',
    'Acquire::GzipIndexes "true"',
    'Dpkg::Use-Pty "false"',
)


def options() -> list[str]:
    return [
        "--variant=minbase",
        f"--include={_INCLUDE}",
        "--dpkgopt=force-unsafe-io",
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in _LEFT_OUT),
        *(f"--aptopt={option}" for option in _APT),
    ]


async def make_archive(archive: Path, mirror: str | None, heard: Callable[[str], None]) -> None:
    if not shutil.which("mmdebstrap"):
        raise InputError("the layer system is made with mmdebstrap: apt-get install mmdebstrap")
    # It ends, and removes its own folder, when we are killed.
    words = ["setpriv", "--pdeathsig", "TERM", "mmdebstrap", *options(), SUITE, str(archive), *([mirror] if mirror else [])]
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout
    try:
        async for line in process.stdout:
            heard(line.decode(errors="replace").rstrip("\n"))
        if await process.wait():
            raise WorkerFailure(f"mmdebstrap ended with {process.returncode}", kind="image")
    finally:
        if process.returncode is None:
            process.terminate()  # it removes its own folder
            await process.wait()
