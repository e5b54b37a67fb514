"""Inspect AI: every benchmark as an Inspect task, and run directories as Inspect logs.

    inspect eval touchstone/bird -T tasks=dev.json -T databases=dev_databases --model openai/gpt-5-mini
    touchstone export inspect RUN_DIR log.eval

`episodes` opens one of our episodes for each sample, offers its tools to whatever solver plays, and scores by its verdict;
`tasks` is what Inspect finds through the entry point; `logs` writes logs.
"""

from __future__ import annotations

from pathlib import Path


def export(run: str | Path, target: str | Path) -> Path:
    """Writes a run directory as an Inspect log: .eval or .json by its name, or with a name of its own into a directory."""
    from .logs import write

    return write(Path(run), Path(target))
