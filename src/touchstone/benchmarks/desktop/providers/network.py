"""A way out for a sandbox: slirp4netns stands in its network for a router, and speaks to the outside as an ordinary program.

The guest reaches what this machine reaches, but no service that listens on this machine's own loopback.
"""

from __future__ import annotations

import asyncio
import os
import shutil

from ....failures import InputError, WorkerFailure

PROGRAM = "slirp4netns"
RESOLVER = "nameserver 10.0.2.3\n"
SECONDS_TO_START = 15.0


def refuse_missing() -> None:
    if shutil.which(PROGRAM) is None:
        raise InputError(f"--network needs {PROGRAM}: apt-get install {PROGRAM}")


class Way:
    """Ends when it is closed, and also when Touchstone is gone."""

    def __init__(self, process: asyncio.subprocess.Process, held: int) -> None:
        self._process = process
        self._held = held

    @classmethod
    async def open(cls, inside: int) -> Way:
        """Into the network of this process, which must be in a user and a network namespace of its own."""
        watched, held = os.pipe()
        ready, says = os.pipe()
        options = ["--configure", "--mtu=65520", "--disable-host-loopback", f"--exit-fd={watched}", f"--ready-fd={says}"]
        try:
            process = await asyncio.create_subprocess_exec(
                *(PROGRAM, *options, f"--userns-path=/proc/{inside}/ns/user", str(inside), "tap0"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                pass_fds=(watched, says),
                start_new_session=True,
            )
        finally:
            os.close(watched)
            os.close(says)
        way = cls(process, held)
        try:
            said = await asyncio.wait_for(asyncio.to_thread(os.read, ready, 1), SECONDS_TO_START)
        except TimeoutError:
            said = b""
        finally:
            os.close(ready)
        if not said:
            await way.close()
            raise WorkerFailure(f"{PROGRAM} cannot open a way out of the sandbox", kind="sandbox")
        return way

    async def close(self) -> None:
        os.close(self._held)
        await self._process.wait()
