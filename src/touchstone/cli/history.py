"""`touchstone history`: scores over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def history(*results: Path, tag: Annotated[list[str] | None, Parameter(negative="")] = None, json: Path | None = None) -> int:
    """Print the scores of runs over time, with intervals: a list for each benchmark, agent and model.

    Parameters
    ----------
    results
        Run directories, or directories with runs up to four levels below; by default results.
    tag
        Only runs that have this tag. Can be given more than once.
    json
        Write the list to this file too, a row per run.
    """
    import msgspec

    from ..errors import InputError
    from ..reports.history import history as in_order
    from ..reports.history import history_rows, history_text
    from ..reports.web.library import Library
    from .terminal import refuse_no_file, write_file

    refuse_no_file("--json", json)
    library = Library(results or [Path("results")])
    wanted = set(tag or ())
    found = in_order([run for run in library.runs() if wanted <= set(run.labels.tags)])
    if not found:
        raise InputError(f"{library.where}: there is no run with a counted task{' and these tags' if wanted else ''}")
    print(history_text(found))
    if json is not None:
        write_file("--json", json, msgspec.json.format(msgspec.json.encode(history_rows(found)), indent=1) + b"\n")
    return 0
