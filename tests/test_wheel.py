"""What a stranger does: the wheel into a fresh environment, as an ordinary user, and the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
USER = 12345

pytestmark = pytest.mark.long


def run(
    *words: str | Path, user: int | None = None, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """With nothing of ours in the environment, as somebody else if that is wanted."""
    somebody: Sequence[str] = ()
    if user is not None and os.geteuid() == 0:
        somebody = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups")
    passed_on = ("PATH", "LANG", *(name for name in os.environ if name.startswith(("PIP_", "UV_", "SSL_", "HTTP", "http"))))
    variables = {name: os.environ[name] for name in passed_on if name in os.environ} | {"HOME": str(cwd), **(env or {})}
    return subprocess.run(
        [*somebody, *map(str, words)], cwd=cwd, env=variables, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheels = tmp_path_factory.mktemp("wheels")
    built = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT, cwd=wheels)
    if "No matching distribution found" in built.stderr:
        pytest.skip("what builds the wheel cannot be fetched")
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.glob("touchstone_harness-*.whl")
    return wheel


def test_the_wheel_alone_plays_the_demo(tmp_path: Path, wheel: Path) -> None:
    python = tmp_path / "env" / "bin" / "python"
    assert run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path).returncode == 0
    installed = run(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    if installed.returncode != 0:
        pytest.skip(f"the packages that it needs cannot be fetched: {installed.stderr.strip()[-200:]}")
    home = tmp_path / "home"
    home.mkdir()
    for folder in (home, *tmp_path.parents[:3], tmp_path):
        folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(home, USER, USER)
    # Our interpreter may lie in a folder that is closed to others.
    reachable = all(folder.stat().st_mode & 1 for folder in python.resolve().parents)
    user = USER if reachable else None
    done = run(tmp_path / "env" / "bin" / "touchstone", "demo", user=user, cwd=home)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "30/30 passed" in done.stdout + done.stderr
    assert "The HTTP services are left out: they need pip install 'touchstone-harness[serve]'" in done.stdout


def test_uvx_plays_the_demo(tmp_path: Path, wheel: Path) -> None:
    uvx = Path(sys.executable).with_name("uvx")
    if not uvx.exists():
        pytest.skip("uv is not installed")
    _plays_the_demo(tmp_path, uvx, "--constraints", ROOT / "constraints.txt", "--from", wheel, "touchstone", "demo")


def test_pipx_plays_the_demo(tmp_path: Path, wheel: Path) -> None:
    assert run(sys.executable, "-m", "venv", tmp_path / "tools", cwd=tmp_path).returncode == 0
    if run(tmp_path / "tools" / "bin" / "pip", "install", "-q", "pipx", cwd=tmp_path).returncode != 0:
        pytest.skip("pipx cannot be fetched")
    pipx = tmp_path / "tools" / "bin" / "pipx"
    _plays_the_demo(tmp_path, pipx, "run", "--spec", wheel, "touchstone", "demo")


def _plays_the_demo(folder: Path, *words: str | Path) -> None:
    """Whatever a tool keeps is kept below the test's folder, its home."""
    done = run(*words, cwd=folder)
    if "touchstone" not in done.stdout and any(
        each in done.stderr for each in ("No solution found", "Could not find a version")
    ):
        pytest.skip(f"the packages that it needs cannot be fetched: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "30/30 passed" in done.stdout + done.stderr
    assert (folder / "results" / "demo" / "oracle" / "latest" / "overall.json").is_file()
