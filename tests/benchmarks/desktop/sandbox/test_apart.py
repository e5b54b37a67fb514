"""Nothing of the host, of the gold and of another desktop can be reached from a desktop, by its root neither."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4

import pytest

from touchstone.benchmarks.desktop.benchmark import DesktopBenchmark
from touchstone.benchmarks.desktop.config import DesktopConfig
from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.episode import Code
from touchstone.benchmarks.desktop.tasks import demo

pytestmark = [pytest.mark.desktop, pytest.mark.asyncio(loop_scope="module")]
SUDO = "echo password | sudo -S -p '' "


async def output(desktop: Desktop, script: str) -> str:
    """Of a script, its errors included."""
    done = await desktop.execute(["bash", "-c", script])
    return (done.output + done.error).strip()


async def as_root(desktop: Desktop, script: str) -> str:
    return await output(desktop, f"{SUDO} bash -c {_quoted(script)}")


def _quoted(script: str) -> str:
    return "'" + script.replace("'", "'\\''") + "'"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file of the host's that everybody may read."""
    path = tmp_path / f"canary-{uuid4().hex}"
    path.write_text("only on the host")
    for folder in (path, *path.parents[:2]):
        folder.chmod(0o755)
    return path


async def test_the_guests_root_is_root_inside_only(desktop: Desktop) -> None:
    assert await output(desktop, "id -un") == "user"
    assert await as_root(desktop, "id -u; touch /etc/made && ls /etc/made") == "0\n/etc/made"
    assert not os.path.exists("/etc/made")  # noqa: PTH110, ASYNC240
    assert "cannot" in await as_root(desktop, "mknod /tmp/disk b 8 0 && head -c1 /tmp/disk || echo cannot")
    assert "cannot" in await as_root(desktop, "echo 1 > /proc/sys/kernel/sysrq || echo cannot")


@pytest.mark.parametrize("run", [output, as_root])
async def test_the_hosts_files_are_not_there(desktop: Desktop, canary: Path, run: Callable[..., object]) -> None:
    ask = as_root if run is as_root else output
    assert "No such file" in await ask(desktop, f"cat {canary}")
    assert await ask(desktop, f"find / -name '{canary.name}' 2>/dev/null") == ""
    assert await ask(desktop, f"cat /proc/*/root{canary} /proc/*/cwd/{canary.name} 2>/dev/null") == ""
    assert await ask(desktop, "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c ^TOUCHSTONE_CACHE=") == "0"


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"reached the host")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[int]:
    """A server on all addresses of the host."""
    running = ThreadingHTTPServer(("0.0.0.0", 0), _Answer)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield running.server_port
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.mark.parametrize("run", [output, as_root])
async def test_the_network_is_not_there(desktop: Desktop, server: int, run: Callable[..., object]) -> None:
    ask = as_root if run is as_root else output
    for host in {"127.0.0.1", own_address()}:
        said = await ask(desktop, f"curl -sS -m 5 http://{host}:{server}/")
        assert "reached" not in said
        assert "curl" in said
    assert await ask(desktop, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '") == "lo"
    assert "not" in await ask(desktop, "getent hosts example.com || echo not found")


def own_address() -> str:
    """Of the host, as others reach it; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return probe.getsockname()[0]


async def test_the_agent_finds_neither_gold_nor_solution(make: Callable[[], Desktop]) -> None:
    config = DesktopConfig(demo(), domain=("excel",), instruction="abstract")
    benchmark = DesktopBenchmark(config, config.loaded(), make)
    names = "-name '*gold*.xlsx' -o -name 'solution.py' -o -name 'Takings*'"
    script = f"{SUDO} find / \\( -path /proc -prune \\) -o \\( {names} \\) -print 2>/dev/null"
    code = f"import subprocess; print(subprocess.run({script!r}, shell=True, capture_output=True, text=True).stdout)"
    try:
        async with benchmark.open(benchmark.tasks()[0]) as episode:
            seen = await episode.call("pyautogui", Code(code))
    finally:
        await benchmark.close()
    assert not seen.error, seen.text
    assert "/home/user/Takings.xlsx" in seen.text
    assert "gold" not in seen.text
    assert "solution" not in seen.text


async def test_desktops_do_not_see_each_other(desktop: Desktop, other: Desktop, tmp_path: Path) -> None:
    await desktop.launch(["bash", "-c", "exec -a only-in-the-first sleep 1000"])
    await desktop.launch(["python3", "-m", "http.server", "8123"])
    await desktop.execute(["touch", "/home/user/first", "/tmp/first"])
    await desktop.launch(["gnome-terminal", "--", "bash", "-c", "echo Words of the first; sleep 1000"])
    for _ in range(60):
        if "Words of the first" in await desktop.accessibility():
            break
        await asyncio.sleep(0.5)
    assert "only-in-the-first" in await output(desktop, "ps -ef")
    assert "Directory listing" in await output(desktop, "curl -sS -m 5 http://127.0.0.1:8123/")
    assert "Words of the first" in await desktop.accessibility()
    assert "only-in-the-first" not in await output(other, f"ps -ef; {SUDO} ps -ef")
    assert "Failed to connect" in await output(other, "curl -sS -m 5 http://127.0.0.1:8123/")
    assert await output(other, "ls /home/user/first /tmp/first 2>/dev/null") == ""
    assert "Words of the first" not in await other.accessibility()
    assert "terminal" in await output(desktop, "wmctrl -lx")
    assert "terminal" not in await output(other, "wmctrl -lx")
    await other.execute(["touch", "/home/user/second"])
    assert not await desktop.get("/home/user/second", tmp_path / "second")


async def test_a_link_in_place_of_its_socket_leads_nowhere(make: Callable[[], Desktop], tmp_path: Path) -> None:
    """Who is root in the guest owns the folder in which the host looks for the controller."""
    desktop = make()
    await desktop.start()
    try:
        names = "controller.sock tunnel.sock"
        swap = f"cd /run/touchstone && rm {names} && for name in {names}; do ln -s {tmp_path}/s $name; done"
        asked: list[bytes] = []

        async def trap(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append(await reader.read(64))
            writer.close()

        async with await asyncio.start_unix_server(trap, tmp_path / "s"):
            assert (await desktop.execute(["bash", "-c", swap])).returncode == 0
            assert (await desktop.execute(["echo", "still here"])).output == "still here\n"
            port = (await desktop.endpoint(1234)).rpartition(":")[2]
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            assert await reader.read() == b""  # nobody listens there
            writer.close()
        assert asked == []
    finally:
        await desktop.stop()
