"""The server on the nodes of a real Ray cluster."""

from __future__ import annotations

import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from tests.support.command import SCRIPTS, environment
from tests.support.worlds import ROWS, World
from touchstone.env.ray_group import node_command


def test_a_node_is_given_the_command_without_the_cluster() -> None:
    typed = ["env", "serve", "bird", "t.json", "--executor", "ray", "--ray-address=local", "--port", "0"]
    assert node_command(typed) == ["env", "serve", "bird", "t.json", "--port", "0"]


@pytest.mark.long
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_a_node_of_a_cluster_serves_episodes(world: World, tmp_path: Path) -> None:
    command = [
        "env",
        "serve",
        "bird",
        world.tasks,
        world.databases,
        "--port",
        "0",
        "--executor",
        "ray",
        "--ray-address",
        "local",
    ]
    process = subprocess.Popen(
        [SCRIPTS / "touchstone", *map(str, command)], stdout=subprocess.PIPE, text=True, env=environment(tmp_path / "cache")
    )
    assert process.stdout is not None
    try:
        address = "http" + process.stdout.readline().partition("http")[2].split()[0]
        message = {"role": "assistant", "content": [{"type": "output_text", "text": ROWS[0]["SQL"]}]}
        body = {"verifier_metadata": {"task": "10"}, "response": {"output": [message]}}
        assert httpx.post(f"{address}/verify", json=body, timeout=60).json()["reward"] == 1.0
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{address}/health")
    finally:
        process.kill()
        process.stdout.close()
