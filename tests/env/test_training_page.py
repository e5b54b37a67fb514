"""The code of docs/training.md runs as it is copied: each trainer's block in an environment that has the trainer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.command import environment

from .conftest import Served, start

ROOT = Path(__file__).parents[2]
BLOCKS = dict(
    re.findall(r"^### ([^\n]+)\n(?:(?!^###).)*?^```python\n(.*?)^```$", (ROOT / "docs/training.md").read_text(), re.M | re.S)
)
ADDRESS = "http://127.0.0.1:8000"
PRINTED = {
    "In process": "[1.0, 0.0]\n1.0 passed",
    "verl": "",
    "TRL": "[1.0, 0.0]",
    "NeMo Gym": "1.0",
    "verifiers": "['101', '102']",
    "SkyRL-Gym": "1.0",
    "Gymnasium": "1.0 True",
    "OpenEnv": "1.0",
}
ELSEWHERE = {"verifiers": "verifiers", "SkyRL-Gym": "", "Gymnasium": "", "OpenEnv": "openenv"}
"""Below .venv-trainers."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with ExitStack() as stack:
        yield start(stack, tmp_path_factory.mktemp("cache"), "bird", "demo", "--drain", "0")


def test_every_trainer_has_a_block() -> None:
    assert BLOCKS.keys() == PRINTED.keys()


def printed(block: str, python: str | Path, cache: Path) -> str:
    env = {**os.environ, **environment(cache), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([python, "-c", block], capture_output=True, text=True, timeout=300, env=env, cwd=cache)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", [name for name in PRINTED if name not in ELSEWHERE])
def test_a_block_runs_as_it_stands(name: str, demo: Served, tmp_path: Path) -> None:
    assert printed(BLOCKS[name].replace(ADDRESS, demo.address), sys.executable, tmp_path).endswith(PRINTED[name])


@pytest.mark.long
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_block_runs_with_its_trainer(name: str, demo: Served, tmp_path: Path) -> None:
    python = ROOT / ".venv-trainers" / ELSEWHERE[name] / "bin/python"
    if not python.exists():
        pytest.skip("the trainers are not installed: make .venv-trainers/.complete")
    assert printed(BLOCKS[name].replace(ADDRESS, demo.address), python, tmp_path).endswith(PRINTED[name])
