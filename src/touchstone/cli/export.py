"""`touchstone export`: a run in the form of somebody else's tool."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from cyclopts import App

from ..distribution import pip_install
from ..errors import InputError
from ..plugins import available, benchmark_type

app = App(name="export", help="Write a run in another tool's format.")
for _name in available("benchmarks"):
    with suppress(InputError):  # one that cannot be loaded says so when it is called
        if _target := benchmark_type(_name).commands.get("export"):
            app.command(_target, name=_name)


@app.command
def inspect(run_dir: Path, out: Path) -> int:
    """Write a run as a log of Inspect AI, for its viewer and its analyses.

    Parameters
    ----------
    run_dir
        The run directory.
    out
        The log: a file named .eval or .json, or a directory, in which it gets a name as Inspect gives it.
    """
    if find_spec("inspect_ai") is None:
        raise InputError(f"this needs Inspect AI: {pip_install('inspect')}")
    from ..integrations.inspect import export

    print(export(run_dir, out))
    return 0
