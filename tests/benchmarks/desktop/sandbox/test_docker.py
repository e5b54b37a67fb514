"""The same desktop in a container of a real Docker engine: the machine's, or one that is started for these tests."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.providers import ProviderSettings, provider

pytestmark = pytest.mark.desktop
SECONDS_TO_START = 60


@pytest.fixture(scope="module")
def engine() -> Iterator[None]:
    """Sets DOCKER_HOST if an engine has to be started, without a bridge, so that no rule of the host's network changes."""
    if shutil.which("docker") is None:
        pytest.skip("there is no docker on the path")
    if _answers():
        yield
        return
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("no Docker engine answers, and none can be started: that needs root and dockerd")
    with tempfile.TemporaryDirectory(prefix="docker") as folder, pytest.MonkeyPatch.context() as patch:
        address = f"unix://{folder}/socket"
        places = ["--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid"]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(["dockerd", "--host", address, "--bridge=none", "--iptables=false", *places], stderr=log)
        patch.setenv("DOCKER_HOST", address)
        try:
            _wait_for(process, Path(folder, "log"))
            yield
        finally:
            process.terminate()
            process.wait(60)


def _answers() -> bool:
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


def _wait_for(process: subprocess.Popen[bytes], log: Path) -> None:
    limit = time.monotonic() + SECONDS_TO_START
    while not _answers():
        if process.poll() is not None or time.monotonic() > limit:
            pytest.skip(f"dockerd does not start here: {log.read_text()[-300:]}")
        time.sleep(0.2)


def containers() -> list[str]:
    listed = subprocess.run(["docker", "ps", "-a", "--format", "{{.Names}}"], capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split() if name.startswith("touchstone-docker-")]


async def test_a_container_is_a_desktop_without_a_network_and_leaves_nothing(make: object, engine: None) -> None:
    before = await asyncio.to_thread(containers)
    desktop = provider("docker", ProviderSettings())()
    try:
        await desktop.start()
        assert desktop.description()["provider"] == "docker"
        assert (await desktop.screenshot()).startswith(b"\x89PNG")
        assert "xfce4-panel" in await desktop.accessibility()
        assert (await desktop.execute("echo password | sudo -S id -u", shell=True)).output == "0\n"
        assert (await desktop.act("pyautogui.moveTo(40, 50); print(*pyautogui.position())")).output == "40 50\n"
        assert (await desktop.execute("ls /sys/class/net", shell=True)).output.split() == ["lo"]

        await desktop.execute(["touch", "/home/user/trace"])
        await desktop.launch(["python3", "-m", "http.server", "8123", "--directory", "/home/user"])
        assert "trace" in await _page(await desktop.endpoint(8123))
        await desktop.reset()
        assert (await desktop.execute(["ls", "/home/user/trace"])).returncode != 0
    finally:
        await desktop.stop()
    assert await asyncio.to_thread(containers) == before


async def _page(address: str) -> str:
    import httpx

    async with httpx.AsyncClient(trust_env=False) as client:
        for _ in range(100):
            try:
                return (await client.get(address)).text
            except httpx.HTTPError:
                await asyncio.sleep(0.1)
    pytest.fail("the guest's server does not answer")
