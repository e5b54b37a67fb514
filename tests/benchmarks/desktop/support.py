"""A small dataset in the published form, and a guest that is a folder and processes on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from touchstone.benchmarks.desktop.accounts import Accounts
from touchstone.benchmarks.desktop.desktop import CONTROLLER_PORT, HOME, Execution
from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext, LeftFiles
from touchstone.benchmarks.desktop.tasks import Dataset

ABSTRACT, VERBOSE = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"


def task_form(id: str = ABSTRACT, counterpart: str = VERBOSE, **changes: Any) -> dict[str, Any]:
    """A task whose evaluator compares a CSV file."""
    verbose = id == VERBOSE
    result = {"type": "vm_file", "path": "/home/user/out.csv", "dest": "out.csv"}
    expected = {"type": "local_file", "path": f"evaluation_examples/examples/jupyter/{id}/gold.csv", "dest": "gold.csv"}
    form = {
        "id": id,
        "snapshot": "jupyter",
        "instruction": "Do it." + ("\nStep by step:\n1. Do it." if verbose else ""),
        "source": ["https://example.com"],
        "action_number": 4,
        "config": [{"type": "launch", "parameters": {"command": ["true"]}}],
        "related_apps": ["jupyter"],
        "tags": ["verbose" if verbose else "abstract", "gui", "traditional_data_processing"],
        "evaluator": {"func": "compare_csv", "result": result, "expected": expected},
        "counterpart": counterpart,
    }
    return {**form, **changes}


def write_task(root: Path, form: dict[str, Any], domain: str = "jupyter") -> Path:
    folder = root / "examples" / domain / form["id"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gold.csv").write_text("a,b\n1,2\n")
    path = folder / f"{form['id']}.json"
    path.write_text(json.dumps(form))
    return path


def make_dataset(directory: Path, *forms: dict[str, Any]) -> Dataset:
    root = directory / "evaluation_examples"
    chosen = forms or (task_form(), task_form(VERBOSE, ABSTRACT))
    for form in chosen:
        write_task(root, form)
    ids = [form["id"] for form in chosen]
    lists = {"all": ids, "abstract": [ABSTRACT], "verbose": [VERBOSE], "account": [], "non_account": ids, "one": [ABSTRACT]}
    for name, listed in lists.items():
        (root / f"test_{name}.json").write_text(json.dumps({"jupyter": [key for key in listed if key in ids]}))
    return Dataset(directory)


def make_scene(
    dataset: Dataset, directory: Path, guest: LocalGuest | None = None, given: Path | None = None
) -> EvaluationContext:
    cache = directory / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    settings = Accounts(dataset.root / "settings")
    return EvaluationContext(dataset, settings, cache, guest, None if given is None else LeftFiles(given))


class LocalGuest:
    """A guest's files below a folder, its commands as processes here; its home in arguments is replaced by the folder's."""

    def __init__(self, root: Path, ports: dict[int, str] | None = None) -> None:
        self.root = root
        self.home = root / HOME.lstrip("/")
        self.programs = root / "bin"
        self.ports = ports or {}
        self.started: list[asyncio.subprocess.Process] = []
        self.late = False
        """Scripts print what they print, and are then stopped at their time limit."""
        self.home.mkdir(parents=True)
        self.programs.mkdir()

    def program(self, name: str, script: str) -> None:
        """A program of the guest."""
        path = self.programs / name
        path.write_text(script)
        path.chmod(0o755)

    async def execute(self, command: Sequence[str] | str, *, shell: bool = False, seconds: float = 300) -> Execution:
        process = await self._start(command, shell)
        out, err = await asyncio.wait_for(process.communicate(), seconds)
        late = self.late and "/bin/bash" in command
        return Execution(out.decode(), err.decode(), 124 if late else process.returncode or 0)

    async def launch(self, command: Sequence[str] | str, *, shell: bool = False) -> None:
        self.started.append(await self._start(command, shell))

    async def put(self, source: Path, destination: str) -> None:
        path = self.path(destination)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, path)

    async def get(self, path: str, destination: Path) -> bool:
        if not self.path(path).is_file():
            return False
        shutil.copy(self.path(path), destination)
        return True

    async def endpoint(self, port: int) -> str:
        return self.ports[port]

    async def accessibility(self) -> str:
        async with httpx.AsyncClient() as client:
            answer = await client.get(f"{self.ports[CONTROLLER_PORT]}/accessibility")
        return str(answer.raise_for_status().json()["AT"])

    def path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    async def settle(self) -> None:
        """Until what was started has ended by itself."""
        for process in self.started:
            await asyncio.wait_for(process.wait(), 20)

    async def close(self) -> None:
        for process in self.started:
            if process.returncode is None:
                process.terminate()
            await process.wait()

    async def _start(self, command: Sequence[str] | str, shell: bool) -> asyncio.subprocess.Process:
        words = [command] if isinstance(command, str) else list(command)
        local = [word.replace(HOME, str(self.home)) for word in words]
        python = str(Path(sys.executable).parent)
        env = {**os.environ, "HOME": str(self.home), "PATH": f"{self.programs}:{python}:{os.environ['PATH']}"}
        arguments = ["/bin/sh", "-c", " ".join(local)] if shell else local
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(*arguments, cwd=self.home, env=env, stdout=pipe, stderr=pipe)
