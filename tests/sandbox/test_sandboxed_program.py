"""Programs of others: the limits that they are held to, the attack that once worked, and programs in closed folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from touchstone.sandbox import bubblewrap, sandboxed_program, seccomp
from touchstone.sandbox.sandboxed_program import Confinement, Level, launch, make_private

LEVELS: list[Level] = ["landlock", *(["bubblewrap"] if bubblewrap.works() else [])]


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest) -> Level:
    return request.param


def ran(level: Level, folder: Path, words: Sequence[str], visible: Sequence[Path] = ()) -> tuple[int, str]:
    """The status, and all that was printed."""
    for parent in folder.parents:
        if parent.owner() != "root" or parent == Path("/tmp"):
            break
        parent.chmod(0o711)
    make_private(folder, level)
    start = launch(Confinement(level=level, visible=tuple(visible)), folder, words)
    environment = {"PATH": os.defpath, "TMPDIR": "/tmp" if level == "bubblewrap" else str(folder / "tmp")}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        start.arguments, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, pass_fds=start.descriptors, env=environment
    ) as process:
        start.close()
        assert process.stdout  # its input must stay open: when that ends, so does the program
        text = process.stdout.read().decode()
    return process.returncode, text


def test_the_way_to_become_root_on_the_host_is_shut(level: Level, tmp_path: Path) -> None:
    """Of issue 10: it handed in SELECT 42 as root with bubblewrap. The value that is written is the one that is there."""
    attack = 'v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern && echo "SELECT 42"'
    status, text = ran(level, tmp_path / "1", ["/bin/sh", "-c", attack])
    assert status != 0
    assert "SELECT 42" not in text
    assert "/proc/sys/kernel/core_pattern" in text


@pytest.mark.parametrize("where", ["memory", "/tmp", "work"])
def test_memory_is_limited_for_all_processes_together(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(sandboxed_program, "MEMORY", 200 * 2**20)
    monkeypatch.setattr(sandboxed_program, "DISK", 150 * 2**20)
    grab = "x = bytearray(80 * 2**20); import time; time.sleep(300)"
    fill = 'dd if=/dev/zero of="$0/file" bs=1M count=300 2>&1; sleep 300'
    python = str(getattr(sys, "_base_executable", sys.executable))
    scripts = {
        "memory": ["/bin/sh", "-c", f'for i in 1 2 3 4; do "$0" -I -S -c "{grab}" & done; wait', python],
        "/tmp": ["/bin/sh", "-c", fill.replace("$0", "$TMPDIR") + " & wait"],
        "work": ["/bin/sh", "-c", fill.replace("$0/", "")],
    }
    if where != "memory" and level == "bubblewrap":
        scripts[where][-1] = scripts[where][-1].replace("sleep 300", "exit 3")
    status, text = ran(level, tmp_path / "1", scripts[where], [Path(sys.base_prefix)])
    if where == "memory":
        assert (status, "more than 0.195312 GB of memory" in text) == (137, True)
    elif level == "bubblewrap":
        assert "No space left on device" in text
    else:
        assert (status, "more than 0.146484 GB of disk" in text) == (137, True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_each_program_is_a_user_of_its_own(level: Level, tmp_path: Path) -> None:
    """The kernel counts processes by user: what one program forks must not keep another from forking."""
    users = {ran(level, tmp_path / name, ["/bin/sh", "-c", "id -u"])[1] for name in ("1", "2", "3")}
    assert len(users) == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="root's own folders")
def test_a_program_in_a_closed_folder_starts_and_reads_its_own(level: Level, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "key").write_text("sesame")
    (closed / "key").chmod(0o600)
    program = closed / "program"
    program.write_text(f"#!/bin/sh\ncat {closed}/key; cat /etc/shadow; id -u")
    program.chmod(0o700)
    _, text = ran(level, tmp_path / "1", [str(program)], [closed])
    assert text.startswith("sesame")
    assert "root:" not in text
    assert text.splitlines()[-1] != "0"


def test_names_of_calls_have_the_numbers_of_libseccomp() -> None:
    tools = Path(__file__).parent.parent.parent / "tools" / "make_syscalls.py"
    code = f"import runpy; made = runpy.run_path({str(tools)!r}); print(made['text'](), end='')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if "libseccomp" in done.stderr:
        pytest.skip("there is no libseccomp here")
    namespace: dict[str, object] = {}
    exec(done.stdout, namespace)
    assert namespace["NUMBERS"] == seccomp.NUMBERS
