"""What a program in a container can see, keep and reach. On a bare file system of the host's programs: no image is needed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.providers.namespaces import (
    Bind,
    Container,
    ContainerPlan,
    File,
    host_ids,
    host_programs,
    make_upper,
    run,
)
from touchstone.errors import InputError, WorkerFailure

PROGRAMS = host_programs()


def unavailable() -> str | None:
    try:
        host_ids()
        asyncio.run(run(ContainerPlan(program=["/bin/true"], layers=[], binds=PROGRAMS)))
    except (InputError, WorkerFailure) as error:
        return str(error)
    return None


REASON = unavailable()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f"no chambers here: {REASON}")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A layer with nothing but places to mount the host's programs at. Made in a container, so that it belongs to its root."""
    layer = tmp_path / "layer"
    layer.mkdir()
    names = [*(bind.inside.lstrip("/") for bind in PROGRAMS), *"proc sys dev tmp run etc home".split()]
    make = ["/bin/sh", "-c", f"cd /run/layer && mkdir {' '.join(names)}"]
    done = asyncio.run(run(ContainerPlan(program=make, layers=[], binds=[*PROGRAMS, Bind(layer, "/run/layer", True)])))
    assert done == (0, "")
    return layer


def plan(bare: Path, script: str, **more: object) -> ContainerPlan:
    binds = [*PROGRAMS, *more.pop("binds", ())]  # type: ignore[misc]
    return ContainerPlan(program=["/bin/sh", "-c", script], layers=[bare], binds=binds, **more)  # type: ignore[arg-type]


async def said(bare: Path, script: str, **more: object) -> str:
    return (await run(plan(bare, script, **more)))[1]


async def test_the_status_of_the_program_and_what_it_prints_come_back(bare: Path) -> None:
    lines: list[str] = []
    assert await run(plan(bare, "echo one; echo two >&2; exit 7"), lines.append) == (7, "one\ntwo\n")
    assert lines == ["one", "two"]


async def test_root_inside_has_no_power_over_what_is_the_hosts(bare: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("gold")
    secret.chmod(0o600)
    told = await said(bare, "id -u; cat /run/secret; echo x > /run/secret; echo end", binds=[Bind(secret, "/run/secret")])
    assert told.startswith("0\n")
    assert "gold" not in told
    assert told.endswith("end\n")
    assert secret.read_text() == "gold"


async def test_only_what_was_bound_is_there(bare: Path) -> None:
    told = await said(bare, f"ls / /root /etc /home 2>&1; ls {Path(__file__).parent} 2>&1; ls /proc/1/root/ | tr '\\n' ' '")
    assert Path(__file__).name not in told
    assert "passwd" not in told


async def test_keys_of_ours_are_not_in_there(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    told = await said(bare, "env; cat /proc/*/environ | tr '\\0' '\\n'")
    assert "PATH=" in told
    assert "secret" not in told


async def test_what_is_bound_to_be_read_stays_so(bare: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shown"
    folder.mkdir()
    folder.chmod(0o777)
    script = "mount -o remount,rw,bind /run/shown; touch /run/shown/x; umount /run/shown; touch /run/shown/y; true"
    refused = await said(bare, "touch /run/shown/x 2>&1; " + script, binds=[Bind(folder, "/run/shown")])
    assert "Read-only" in refused
    assert not (folder / "y").exists()


async def test_writes_are_gone_with_the_chamber(bare: Path) -> None:
    before = names(bare)
    assert "kept" in await said(bare, "echo kept > /x; rm -r /home; cat /x; ls /")
    assert names(bare) == before


async def test_writes_make_a_layer_if_they_are_to_be_kept(bare: Path, tmp_path: Path) -> None:
    upper = make_upper(tmp_path / "upper")
    await run(plan(bare, "echo new > /etc/made; rm -r /home", upper=upper))
    assert (upper / "files" / "etc" / "made").read_text() == "new\n"
    stacked = ContainerPlan(program=["/bin/sh", "-c", "cat /etc/made; ls /"], layers=[upper / "files", bare], binds=PROGRAMS)
    told = (await run(stacked))[1].split()
    assert "new" in told
    assert "home" not in told


async def test_small_files_belong_to_whom_they_are_for(bare: Path) -> None:
    files = [File("/run/mine/token", "abc", 1000), File("/etc/motd", "hello")]
    script = "stat -c '%u %a' /run/mine /run/mine/token /etc/motd; cat /run/mine/token"
    assert await said(bare, script, files=files) == "1000 755\n1000 600\n0 644\nabc"


async def test_there_is_no_network_but_its_own_loopback(bare: Path, listening: int) -> None:
    script = f"exec 3<>/dev/tcp/127.0.0.1/{listening} && echo reached; tail -n +3 /proc/net/dev | wc -l"
    done = ContainerPlan(program=["/bin/bash", "-c", script], layers=[bare], binds=PROGRAMS)
    told = (await run(done))[1]
    assert "reached" not in told
    assert told.endswith("1\n")
    open_to_all = ContainerPlan(program=["/bin/bash", "-c", script], layers=[bare], binds=PROGRAMS, network=True)
    assert "reached" in (await run(open_to_all))[1]


@pytest.fixture
def listening() -> Iterator[int]:
    """A service of the host's: the kernel accepts for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def test_devices_and_other_file_systems_cannot_be_had(bare: Path) -> None:
    tries = (
        "mknod /disk b 254 0",
        "mount -t ext4 /dev/vda /home",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo b > /proc/sysrq-trigger",
    )
    for attempt in tries:
        assert (await run(plan(bare, attempt)))[0] != 0, attempt


async def test_its_processes_are_its_own(bare: Path) -> None:
    first, second = Container(plan(bare, "sleep 1000")), Container(plan(bare, "sleep 1000"))
    await asyncio.gather(first.start(), second.start())
    try:
        seen = await said(bare, "ls /proc | grep -c '^[0-9]'")
        assert int(seen) < 10
        assert first.first != second.first
    finally:
        await asyncio.gather(first.end(), second.end())


async def test_ending_it_ends_all_that_was_started_in_it(bare: Path) -> None:
    mark = f"100{os.getpid()}"
    room = Container(plan(bare, f"(setsid sleep {mark} &); setsid sleep {mark}"))
    before = mounts()
    await room.start()
    await until(lambda: len(processes(mark)) >= 2)
    await room.end()
    await room.end()
    assert processes(mark) == []
    assert mounts() == before


async def test_it_ends_when_whoever_made_it_is_killed(bare: Path, tmp_path: Path) -> None:
    mark = f"200{os.getpid()}"
    script = tmp_path / "makes_one.py"
    script.write_text(MAKES_ONE.format(bare=str(bare), mark=mark, binds=[(str(b.host), b.inside) for b in PROGRAMS]))
    process = await asyncio.create_subprocess_exec(sys.executable, str(script), stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    assert await process.stdout.readline() == b"started\n"
    await until(lambda: processes(mark) != [])
    process.kill()
    await process.wait()
    await until(lambda: processes(mark) == [])


MAKES_ONE = """
import asyncio
from pathlib import Path
from touchstone.benchmarks.desktop.providers.namespaces import Bind, Container, ContainerPlan

async def main():
    binds = [Bind(Path(host), inside) for host, inside in {binds}]
    room = Container(ContainerPlan(program=["/bin/sh", "-c", "sleep {mark}; true"], layers=[Path({bare!r})], binds=binds))
    await room.start()
    print("started", flush=True)
    await room.wait()

asyncio.run(main())
"""


async def test_what_cannot_be_started_is_said(bare: Path) -> None:
    with pytest.raises(WorkerFailure, match="No such file or directory"):
        await run(ContainerPlan(program=["/bin/true"], layers=[bare / "nowhere"]))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mounts() -> str:
    return Path("/proc/self/mounts").read_text()


def processes(mark: str) -> list[int]:
    """By a number on their command line; the script that names it is not one of them."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if words[0].endswith(b"sleep") and mark.encode() in words:
                    found.append(int(folder.name))
    return found


async def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)
