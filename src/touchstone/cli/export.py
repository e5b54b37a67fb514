"""`touchstone export`: a run in the form of somebody else's tool."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter

from ..distribution import pip_install
from ..failures import InputError
from ..runs.directory import read_config, read_records, replace_file
from ..values import Outcome
from .terminal import say

app = App(name="export", help="Write a run in another tool's format.")


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


@app.command
def interact(run_dir: Path, *, output: Annotated[Path, Parameter(name=["--output", "-o"])]) -> int:
    """Write a run of BIRD-Interact as the original harnesses write their results; without the gold.

    Parameters
    ----------
    run_dir
        The run directory.
    output
        A .jsonl for the format of the batch harness, a .json for that of the service-based one.
    """
    from ..reports.interact_results import adk_results, batch_results

    identity: dict[str, Any] = read_config(run_dir).get("identity", {})
    if identity.get("benchmark") != "interact":
        raise InputError(f"{run_dir}: expected a run of BIRD-Interact")
    mode = identity["mode"]
    if output.suffix not in (".jsonl", ".json"):
        raise InputError(f"--output {output}: expected .jsonl (the batch harness's format) or .json (the service-based one's)")
    if output.suffix == ".jsonl" and mode != "agentic":
        raise InputError(f"--output {output}: the batch harness plays agentic tasks only, this run is {mode}; name a .json")
    everything = list(read_records(run_dir))
    judged = [record for record in everything if record.outcome not in (Outcome.unscorable, Outcome.skipped)]
    records = sorted((record for record in judged if record.epoch == 0), key=lambda record: record.index)
    for count, what in (
        (len(everything) - len(judged), "could not be scored"),
        (len(judged) - len(records), "are repetitions"),
    ):
        if count:
            say(f"{count} of {len(everything)} episodes {what}; the originals have no word for that, so they are left out")
    if not records:
        raise InputError(f"{run_dir}: nothing in this run was scored")
    encode = msgspec.json.encode
    lines = b"".join(encode(row) + b"\n" for row in batch_results(records)) if output.suffix == ".jsonl" else None
    try:
        replace_file(output, lines or msgspec.json.format(encode(adk_results(records, mode)), indent=2) + b"\n")
    except OSError as error:
        raise InputError(f"--output {output}: {error.strerror}") from None
    print(output)
    return 0
