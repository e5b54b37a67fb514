"""The command line as a user runs it: a process of its own, with its own cache and nothing of the caller's settings."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRIPTS = Path(sys.executable).parent
Started = subprocess.Popen[str]
_NOT_PASSED_ON = ("OPENAI_", "TOUCHSTONE_", "XDG_CACHE")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The last line on stderr, which is where a command says why it failed."""
        return self.err.strip().rpartition("\n")[2]


def environment(cache: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
    return {**kept, "TOUCHSTONE_CACHE": str(cache), **(more or {})}


def start(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    script: str = "touchstone",
    largest_file: int | None = None,
    stdin: bool = False,
) -> Started:
    """Starts a command; its cache is below `cwd`, which must be a test's own directory."""

    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.Popen(
        [SCRIPTS / script, *map(str, arguments)],
        cwd=cwd,
        env=environment(cwd / "cache", env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        text=True,
        preexec_fn=limit,
    )


def until_it_says(process: Started, words: str) -> str:
    """The first line on stderr that holds these words; what comes before it is not seen again."""
    assert process.stderr is not None
    patience = threading.Timer(60, process.kill)
    patience.start()
    try:
        return next(line for line in process.stderr if words in line)
    finally:
        patience.cancel()


def finish(process: Started, timeout: float = 120) -> Done:
    out, err = process.communicate(timeout=timeout)
    return Done(process.returncode, out, err)


def touchstone(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None, script: str = "touchstone") -> Done:
    return finish(start(*arguments, cwd=cwd, env=env, script=script))


def run_directory(output: Path) -> Path:
    """The only run below an output directory."""
    (found,) = [path for path in output.iterdir() if path.is_dir() and not path.is_symlink()]
    return found


def records(run: Path) -> list[dict[str, Any]]:
    """A run's records; every line must be whole."""
    text = (run / "runs.jsonl").read_text()
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def times_recorded(run: Path) -> Counter[tuple[str, int]]:
    """How often each task and epoch is in a run."""
    return Counter((record["task"], record["epoch"]) for record in records(run))


def overall(run: Path) -> dict[str, Any]:
    return json.loads((run / "overall.json").read_text())
