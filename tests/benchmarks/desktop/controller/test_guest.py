"""A guest as steps and episodes use it, against the real controller."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.providers.controlled import ControlledGuest, at_socket
from touchstone.errors import Skipped, WorkerFailure

from .running import Running


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def lines(path: Path) -> str:
    """What is in a file, if it is there and ends with a whole line."""
    text = path.read_text() if path.exists() else ""
    return text if text.endswith("\n") else ""


def names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def written(path: Path) -> str:
    for _ in range(1200):
        if text := lines(path):
            return text
        await asyncio.sleep(0.05)
    raise AssertionError(f"{path.name} was never written")


async def test_words_a_line_and_a_shell(guest: ControlledGuest, controller: Running) -> None:
    assert (await guest.execute(["echo", "a  b", "~/c"])).output == f"a  b {controller.home}/c\n"
    assert (await guest.execute("echo 'a  b' ~/c")).output == f"a  b {controller.home}/c\n"
    assert (await guest.execute("echo $((6*7)); pwd", shell=True)).output == f"42\n{controller.home}\n"
    assert (await guest.execute(["cat"])).returncode == 0


async def test_a_program_that_is_not_there(guest: ControlledGuest) -> None:
    done = await guest.execute(["no-such-program"])
    assert done.returncode == 127
    assert "no-such-program" in done.error
    with pytest.raises(Skipped, match="no-such-program"):
        await guest.launch(["no-such-program"])


async def test_at_the_time_limit_everything_is_ended_and_it_is_said(guest: ControlledGuest, controller: Running) -> None:
    script = "sleep 60 & echo $! > ~/one; set -m; sleep 60 & echo $! > ~/two; echo begun; wait"
    done = await guest.execute(["bash", "-c", script], seconds=3)
    assert done.returncode == 124
    assert done.output == "begun\n"
    assert "took longer than 3 s and was ended" in done.error
    pids = [int(await written(controller.home / name)) for name in ("one", "two")]
    assert not [pid for pid in pids if alive(pid)]


async def test_what_a_command_leaves_running_is_neither_waited_for_nor_ended(
    guest: ControlledGuest, controller: Running
) -> None:
    script = "(sleep 4; echo still here; echo here > ~/later) & echo $! > ~/pid; echo done"
    done = await guest.execute(["bash", "-c", script], seconds=30)
    assert (done.output, done.returncode) == ("done\n", 0)
    assert alive(int(await written(controller.home / "pid")))
    assert await written(controller.home / "later") == "here\n"


async def test_a_flood_of_output_is_cut_and_says_so(guest: ControlledGuest) -> None:
    done = await guest.execute("head -c 20000000 /dev/zero | tr '\\0' x", shell=True)
    assert done.returncode == 0
    assert done.output.startswith("xxxx")
    assert done.output.endswith(f"[cut: {20_000_000 - (8 << 20)} more bytes]")


async def test_bytes_that_are_no_text(guest: ControlledGuest) -> None:
    assert (await guest.execute(["printf", r"a\377b"])).output == "a\ufffdb"


async def test_a_killed_command(guest: ControlledGuest) -> None:
    assert (await guest.execute(["sh", "-c", "kill -9 $$"])).returncode == -signal.SIGKILL


async def test_commands_run_side_by_side(guest: ControlledGuest, controller: Running) -> None:
    os.mkfifo(controller.home / "fifo")
    reader = asyncio.create_task(guest.execute("cat ~/fifo", shell=True))
    await guest.execute("echo hello > ~/fifo", shell=True)
    assert (await reader).output == "hello\n"


async def test_launched_programs_are_not_waited_for(guest: ControlledGuest, controller: Running) -> None:
    await guest.launch("echo $$ > ~/launched; exec sleep 60", shell=True)
    pid = int(await written(controller.home / "launched"))
    assert alive(pid)
    os.kill(pid, signal.SIGKILL)
    for _ in range(1200):
        if str(pid) not in names(Path("/proc")):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it stays as a zombie")


@pytest.mark.parametrize("size", [0, 1, 3 << 20])
async def test_files_there_and_back(guest: ControlledGuest, controller: Running, tmp_path: Path, size: int) -> None:
    source, copy = tmp_path / 'a "b" ü.bin', tmp_path / "deep" / "copy.bin"
    source.write_bytes(os.urandom(size))
    await guest.put(source, f"{controller.home}/new folder/größe {size}.bin")
    assert await guest.get(f"~/new folder/größe {size}.bin", copy)
    assert copy.read_bytes() == source.read_bytes()
    assert names(copy.parent) == ["copy.bin"]
    assert not [name for name in names(controller.home) if name.startswith("upload-")]


async def test_a_file_that_is_replaced_keeps_its_rights(guest: ControlledGuest, controller: Running, tmp_path: Path) -> None:
    target, source = controller.home / "script.sh", tmp_path / "script.sh"
    target.write_text("a much longer old text\n")
    target.chmod(0o755)
    source.write_text("new\n")
    await guest.put(source, str(target))
    assert target.read_text() == "new\n"
    assert target.stat().st_mode & 0o777 == 0o755


async def test_a_file_that_is_not_there(guest: ControlledGuest, tmp_path: Path) -> None:
    assert not await guest.get("/nowhere/x", tmp_path / "x")
    assert not names(tmp_path)


async def test_a_place_that_cannot_be_written(guest: ControlledGuest, tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.touch()
    with pytest.raises(WorkerFailure, match="/proc/nothing/x could not be written"):
        await guest.put(source, "/proc/nothing/x")


async def test_hands_that_cannot_work_say_why(guest: ControlledGuest) -> None:
    with pytest.raises(WorkerFailure, match="the worker input_worker does not start"):
        await guest.act("pass")


async def test_a_wrong_token_and_a_controller_that_is_gone(controller: Running, tmp_path: Path) -> None:
    guest = ControlledGuest()
    with pytest.raises(WorkerFailure, match="not running"):
        await guest.execute(["true"])
    await guest.connect(at_socket(controller.socket, "wrong"))
    with pytest.raises(WorkerFailure, match="does not accept the token"):
        await guest.execute(["true"])
    await guest.connect(at_socket(tmp_path / "none", "x"))
    with pytest.raises(WorkerFailure, match="the desktop is gone"):
        await guest.screenshot()
    with pytest.raises(WorkerFailure, match=r"not ready after 0\.1 s"):
        await guest.until_ready(0.1)
    await guest.disconnect()
