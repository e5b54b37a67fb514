"""A new Debian system as an archive, made with mmdebstrap on the host; the options it is made with stay in force in it."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ....errors import InputError, WorkerFailure

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
    """Works in a folder beside the archive, and ends when we do, however that happens."""
    if not shutil.which("mmdebstrap"):
        raise InputError("the layer system is made with mmdebstrap: apt-get install mmdebstrap")
    words = ["mmdebstrap", *options(), SUITE, "-", *([mirror] if mirror else [])]
    with archive.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *_apart(words, archive.with_suffix(".tmp")),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.PIPE,
            cwd="/",  # where we are may lie below a /tmp that it does not see
        )
        assert process.stderr
        try:
            async for line in process.stderr:
                heard(line.decode(errors="replace").rstrip("\n"))
            if await process.wait():
                raise WorkerFailure(f"mmdebstrap ended with {process.returncode}", kind="image")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _apart(words: Sequence[str], folder: Path) -> list[str]:
    """It takes no heed of signals. Run by root it gets namespaces that end with it, with its mounts and all that it started,
    and a /tmp of its own; run by a user it makes its own."""
    if os.geteuid() != 0:
        return ["setpriv", "--pdeathsig", "KILL", *words]
    folder.mkdir()
    folder.chmod(0o1777)
    inside = 'mount --bind "$0" /tmp && exec "$@"'
    apart = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"]
    return ["setpriv", "--pdeathsig", "KILL", *apart, "sh", "-c", inside, str(folder), *words]
