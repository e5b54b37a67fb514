"""`touchstone summary`, `verify`, `tag` and `history`: what there is to say of run directories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def summary(run_dir: Path) -> int:
    """Print the summary of a run, even one that was killed or is still running.

    Parameters
    ----------
    run_dir
        A run directory.
    """
    from ..runs.aggregate import aggregate
    from ..runs.custody import answer_in
    from ..runs.directory import read_config, read_records
    from ..runs.run import versions
    from ..runs.summary import summary_text

    config = read_config(run_dir)
    overall = {**aggregate(read_records(run_dir)).overall(), **answer_in(config)}
    print(summary_text(str(config.get("title") or run_dir), overall, config.get("versions") or versions()), end="")
    return 0


def verify(run_dir: Path, *, seal: str | None = None) -> int:
    """Check that a run is as it was written: records, configuration, summaries. Exit code 1 if it is not, or nobody can say.

    Parameters
    ----------
    run_dir
        A run directory, or the address of one.
    seal
        The seal that was published for the run; another one is an error.
    """
    from ..runs.verification import verify as verified

    verification = verified(run_dir, seal)
    for mark, lines in (("ok", verification.right), ("open", verification.open), ("WRONG", verification.wrong)):
        for line in lines:
            print(f"{mark:<8} {line}")
    if verification.seal and not verification.wrong:
        print(f"seal     {verification.seal}")
    return 0 if verification.holds else 1


def tag(
    run_dir: Path, *words: str, remove: Annotated[list[str] | None, Parameter(negative="")] = None, note: str | None = None
) -> int:
    """Tag a run, or add a note, for the viewer. Without tags, print those that it has.

    Parameters
    ----------
    run_dir
        A run directory, finished or running. Tags and note are kept in its labels.json, which no seal covers.
    words
        Tags to add: one word each.
    remove
        A tag to remove (repeatable).
    note
        The note; it replaces an earlier one, and "" removes it.
    """
    from ..runs.labels import label_run

    labels = label_run(run_dir, words, remove or (), note)
    print(f"tags  {' '.join(labels.tags) or '–'}")
    print(f"note  {labels.note or '–'}")
    return 0


def history(*results: Path, tag: Annotated[list[str] | None, Parameter(negative="")] = None, json: Path | None = None) -> int:
    """Print the scores of runs over time, with intervals, grouped by benchmark, agent and model.

    Parameters
    ----------
    results
        Run directories, or directories with runs up to four levels below; by default results.
    tag
        Only runs with this tag (repeatable).
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
    series = in_order([run for run in library.runs() if wanted <= set(run.labels.tags)])
    if not series:
        raise InputError(f"{library.where}: there is no run with a counted task{' and these tags' if wanted else ''}")
    print(history_text(series))
    if json is not None:
        write_file("--json", json, msgspec.json.format(msgspec.json.encode(history_rows(series)), indent=1) + b"\n")
    return 0
