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
    passed_on = ("PATH", "LANG", *(name for name in os.environ if name.startswith(("PIP_", "SSL_", "HTTP", "http"))))
    variables = {name: os.environ[name] for name in passed_on if name in os.environ} | {"HOME": str(cwd), **(env or {})}
    return subprocess.run(
        [*somebody, *map(str, words)], cwd=cwd, env=variables, capture_output=True, text=True, timeout=600, check=False
    )


def test_the_wheel_alone_plays_the_demo(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    built = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT, cwd=tmp_path)
    if "No matching distribution found" in built.stderr:
        pytest.skip("what builds the wheel cannot be fetched")
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.glob("touchstone_harness-*.whl")
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
