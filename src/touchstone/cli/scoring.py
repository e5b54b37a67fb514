"""What `touchstone score` does alike for every benchmark: its options, and the file of verdicts that it writes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from ..failures import InputError
from ..runs.directory import replace_file
from ..values import Record
from .building import refuse_unless_positive
from .conduct import Conduct, safe_name
from .options import RUN, Arguments, JudgeOptions
from .progress import one_line


@Parameter(name="*", group=RUN)
@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 2 * (os.cpu_count() or 1)
    """How many tasks at once."""
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    """Where the run directory is made; by default results/<name of the predictions>-<benchmark>/."""
    json: Path | None = None
    """Write each task's verdict to this file, by the task's id."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative="")] = False
    """Print each task's outcome and reason as it ends."""


def refuse_odd(given: ScoreOptions, judged: JudgeOptions) -> None:
    refuse_unless_positive(given.parallel, "--parallel")
    refuse_unless_positive(judged.sql_timeout, "--sql-timeout")
    if given.json is not None and not given.json.absolute().parent.is_dir():
        raise InputError(f"--json {given.json}: there is no directory {given.json.parent}")


def scoring(benchmark: str, given: ScoreOptions, name: str, arguments: Arguments, identity: Mapping[str, Any]) -> Conduct:
    """How a run is conducted in which nobody plays."""
    return Conduct(
        command=f"score {benchmark}",
        arguments=arguments,
        identity={**identity, "agent": "replay", "model": None},
        base=given.output or Path("results", f"{safe_name(name)}-{benchmark}"),
        describe=one_line if given.verbose else None,
    )


def write_verdicts(target: Path | None, records: Iterable[Record], verdict: Callable[[Record], dict[str, Any]]) -> None:
    if target is None:
        return
    verdicts = {record.task: verdict(record) for record in records}
    try:
        replace_file(target, msgspec.json.format(msgspec.json.encode(verdicts), indent=1) + b"\n")
    except OSError as error:
        raise InputError(f"--json {target}: {error.strerror}") from None
