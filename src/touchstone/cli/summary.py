"""`touchstone summary`: the summary of a run directory, made anew from its records."""

from __future__ import annotations

from pathlib import Path

from ..runs.aggregate import aggregate
from ..runs.custody import told
from ..runs.directory import read_config, read_records
from ..runs.run import versions
from ..runs.summary import summary_text


def summary(run_dir: Path) -> int:
    """Print the summary of a run, even one that was killed or is still running.

    Parameters
    ----------
    run_dir
        A run directory.
    """
    config = read_config(run_dir)
    overall = {**aggregate(read_records(run_dir)).overall(), **told(config)}
    print(summary_text(str(config.get("title") or run_dir), overall, config.get("versions") or versions()), end="")
    return 0
