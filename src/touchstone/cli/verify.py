"""`touchstone verify`: whether a run is as it was written."""

from __future__ import annotations

from pathlib import Path

from ..runs.verification import verify as verified


def verify(run_dir: Path, *, seal: str | None = None) -> int:
    """Check that a run is as it was written: records, configuration, summaries. Exit code 1 if it is not, or cannot be told.

    Parameters
    ----------
    run_dir
        A run directory, or the address of one.
    seal
        The seal that was published for the run; another one is an error.
    """
    found = verified(run_dir, seal)
    for mark, lines in (("ok", found.right), ("open", found.open), ("WRONG", found.wrong)):
        for line in lines:
            print(f"{mark:<8} {line}")
    if found.seal and not found.wrong:
        print(f"seal     {found.seal}")
    return 0 if found.holds else 1
