"""`touchstone demo`: the whole job on a small dataset that ships with the package, without a key or a network."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..datasets import bird_demo
from ..failures import InputError
from .bird import bird
from .options import PlayOptions, RunOptions, SelectOptions

_LOCAL_TASKS = ("101", "102", "201", "202", "203", "301", "302", "303")


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("results", "demo"),
    local: bool = True,
) -> int:
    """Watch agents play a small text-to-SQL benchmark: first the oracle, then a real model that runs on this machine.

    Parameters
    ----------
    output
        Where the run directories are made.
    local
        Play with the local model too.
    """
    tasks, databases = bird_demo()
    print("1. The oracle plays the reference of every task. It must pass them all: this checks the whole pipeline.\n")
    code = bird(tasks, databases, play=PlayOptions(agent="oracle"), run=RunOptions(output=output / "oracle", parallel=4))
    if code or not local:
        return code
    print(
        "\n2. A small language model plays the easiest tasks, in process and on one core. At 135 million parameters it rarely\n"
        "   finds the answer; what you see is a real model that calls tools, reads observations, errs and is told why.\n"
    )
    try:
        code = bird(
            tasks,
            databases,
            selected=SelectOptions(task=_LOCAL_TASKS),
            play=PlayOptions(model="local", max_turns=4),
            schema=True,
            run=RunOptions(output=output / "local", verbose=True),
        )
    except InputError as error:
        print(f"   Left out: {error}")
    _say_what_next(tasks, databases, output)
    return code


def _say_what_next(tasks: Path, databases: Path, output: Path) -> None:
    oracle = shlex.quote(str(output / "oracle" / "latest"))
    print(f"""
What to try next:
  Your own model on these tasks (OPENAI_API_KEY, or --base-url for a server of your own):
    touchstone bird {tasks} {databases} --model gpt-5-mini
  Predictions you have already, scored without a model:
    touchstone score bird {oracle} --data {tasks} --databases {databases}
  The real BIRD data (docs/bird.md says where it is):
    touchstone bird mini_dev_sqlite.json dev_databases --model gpt-5-mini --parallel 8""")
