"""`touchstone tag`: what a reader wants to remember of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def tag(
    run_dir: Path, *words: str, remove: Annotated[list[str] | None, Parameter(negative="")] = None, note: str | None = None
) -> int:
    """Tag a run and write a note on it, for the viewer. Without words, print what it has.

    Parameters
    ----------
    run_dir
        A run directory, finished or running. Tags and note are kept in its labels.json, which no seal covers.
    words
        Tags to add: one word each.
    remove
        A tag to take away. Can be given more than once.
    note
        The note, in place of an earlier one; "" takes it away.
    """
    from ..runs.labels import label_run

    labels = label_run(run_dir, words, remove or (), note)
    print(f"tags  {' '.join(labels.tags) or '–'}")
    print(f"note  {labels.note or '–'}")
    return 0
