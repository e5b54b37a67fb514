"""What only shows in an environment of its own: the other major version of the OpenAI SDK, and the source distribution."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.support.chat_players import knowing
from tests.support.chat_server import ChatServer
from tests.support.worlds import make_world
from tests.test_wheel import run

ROOT = Path(__file__).parents[1]
PLAYED = """
import json, sys
from inspect_ai import eval
from touchstone.integrations.inspect.tasks import bird
(log,) = eval(bird(tasks=sys.argv[1], databases=sys.argv[2]), model="openai/scripted", model_base_url=sys.argv[3],
              log_dir="logs", display="none", model_args={"responses_api": False})
import openai
accuracy = log.results.scores[0].metrics["accuracy"].value if log.results else None
print(json.dumps([openai.__version__, log.status, accuracy, log.error and log.error.message]))
"""
PART = (
    "tests/verdicts",
    "tests/conformance",
    "tests/test_requirements.py",
    "tests/test_docs_code.py",
    "tests/cli/test_options.py",
)
"""Tests that need the recorded verdicts, the documentation, the lists of packages and the demo data."""

pytestmark = pytest.mark.long


def fresh(folder: Path, *packages: str | Path) -> Path:
    """The Python of a new environment with these packages and nothing else."""
    assert run(sys.executable, "-m", "venv", folder / "env", cwd=folder).returncode == 0
    python = folder / "env" / "bin" / "python"
    done = run(python, "-m", "pip", "install", "-q", *packages, cwd=folder)
    if done.returncode != 0:
        pytest.skip(f"the packages cannot be fetched: {done.stderr.strip()[-200:]}")
    return python


def test_inspect_plays_with_version_3_of_the_openai_sdk_and_so_do_we(tmp_path: Path) -> None:
    others = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("openai==")]
    versions = tmp_path / "constraints.txt"
    versions.write_text("\n".join(others))
    python = fresh(tmp_path, "-c", versions, f"{ROOT}[inspect]", "openai>=3.4")
    world = make_world(tmp_path / "world")
    script = tmp_path / "play.py"
    script.write_text(PLAYED)
    key = {"OPENAI_API_KEY": "none"}
    with ChatServer(knowing()) as server:
        done = run(python, script, *world.arguments, server.url, cwd=tmp_path, env=key)
        assert done.returncode == 0, done.stderr
        version, status, accuracy, error = json.loads(done.stdout.splitlines()[-1])
        assert (version.partition(".")[0], status, accuracy) == ("3", "success", 1.0), error
        ours = run(
            *(python, "-m", "touchstone", "bird", *world.arguments, "--base-url", server.url, "-o", "out"),
            cwd=tmp_path,
            env=key,
        )
    assert ours.returncode == 0, ours.stderr
    assert "6/6 passed" in ours.stderr


def test_the_tests_of_a_source_distribution_run(tmp_path: Path) -> None:
    clone, dist = tmp_path / "clone", tmp_path / "dist"
    dist.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("this is no clone: a source distribution is made from one")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, clone / name)
    python = fresh(tmp_path, "setuptools>=77")
    built = run(python, "-c", f"from setuptools.build_meta import build_sdist; build_sdist({str(dist)!r})", cwd=clone)
    assert built.returncode == 0, built.stderr
    (archive,) = dist.glob("touchstone_harness-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (root,) = (tmp_path / "unpacked").iterdir()
    source = {"PYTHONPATH": str(root / "src")}
    from_there = run(sys.executable, "-c", "import touchstone; print(touchstone.__file__)", cwd=root, env=source)
    assert Path(from_there.stdout.strip()).is_relative_to(root)
    tested = run(sys.executable, "-m", "pytest", "-n", "0", "-m", "not long", *PART, cwd=root, env=source)
    assert tested.returncode == 0, tested.stdout[-3000:] + tested.stderr[-1000:]
