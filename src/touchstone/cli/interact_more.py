"""`touchstone interact load`, `combine` and `sweep`."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from ..addresses import address_of
from ..benchmarks.interact.combine import combine as merge
from ..benchmarks.interact.tasks import data_file, load_tasks
from ..failures import InputError
from ..plugins import agent_type
from ..runs.directory import FORMAT, replace_file
from .command_options import CommandOptions
from .conduct import safe_name
from .interact import Request, app, arguments_of, play_all
from .interact_databases import load_into, own_server, prepared_store
from .interact_options import (
    DatabaseOptions,
    InteractionOptions,
    InteractJudge,
    InteractPlay,
    InteractRun,
    InteractSelect,
    SweptOptions,
)
from .interact_report import report

REFERENCE = "unambiguous"

app.command(report)


@app.command
def combine(public: Path, gt: Path, out: Path, *, allow_missing: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Merge the public data with the ground truth, by instance_id.

    Parameters
    ----------
    public
        The published task file.
    gt
        The ground truth that its authors send on request.
    out
        Where the merged file goes; it may be one of the two.
    allow_missing
        Write also if some tasks have no ground truth, or some ground truth has no task.
    """
    done = merge(public, gt, out, allow_missing=allow_missing)
    print(f"{out}: {done.written} tasks, {done.matched} with ground truth")
    for what, ids in (("no ground truth", done.missing), ("no task in the public file", done.unknown)):
        if ids:
            print(f"  {what}: {', '.join(ids[:20])}{' …' if len(ids) > 20 else ''}")
    return 0


@app.command
def load(
    dumps_dir: Path,
    *,
    databases: DatabaseOptions = DatabaseOptions(),
    only: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    replace: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Build the databases from the published dumps, check them, and keep them for later runs.

    Parameters
    ----------
    dumps_dir
        The directory that holds <db>_template/<table>.sql.
    only
        With a server of your own: only this database (repeatable).
    replace
        With a server of your own: drop a <db>_template that is there already.
    """
    server = own_server(databases)
    loading = load_into(server, dumps_dir, only, replace=replace) if server else prepared_store(dumps_dir)
    loaded = asyncio.run(loading)
    for database in loaded:
        rows = sum(database.tables.values())
        state = f"{len(database.errors)} errors" if database.errors else "complete"
        print(f"{database.database}: {len(database.tables)} tables, {rows:,} rows, {state}")
        for error in database.errors:
            print(f"  {error}")
    broken = [database.database for database in loaded if database.errors]
    if broken:
        raise InputError(
            f"{len(broken)} of {len(loaded)} databases are not complete: {', '.join(broken)}; their tasks are unscorable"
        )
    return 0


@app.command
def sweep(
    dataset: Annotated[Path | None, Parameter(name=["--dataset", "--data_path"])] = None,
    *,
    patience: Annotated[str | None, Parameter(name=["--patience", "--user_patience_budget"])] = None,
    reference: bool = True,
    selected: InteractSelect = InteractSelect(),
    play: InteractPlay = InteractPlay(),
    interaction: SweptOptions = SweptOptions(),
    databases: DatabaseOptions = DatabaseOptions(),
    judged: InteractJudge = InteractJudge(),
    run: InteractRun = InteractRun(),
    command: CommandOptions = CommandOptions(),
) -> int:
    """Play the tasks once for each level of patience, and plot how success grows with interaction.

    Parameters
    ----------
    dataset
        As for interact.
    patience
        The levels, separated by commas; by default 0,6,10,14, and 0,3,5,7 in conversations.
    reference
        Play the unambiguous requests in a single turn too, as the line to compare with.
    """
    from ..reports.interact_sweep import load_sweep, plot, steps, sweep_text

    if dataset is None:
        raise InputError("interact sweep needs DATASET_DIR, or --resume SWEEP_DIR")
    if interaction.mode == "single":
        raise InputError("--mode single has no patience to vary; it is the reference of the other modes")
    patience = patience or ("0,6,10,14" if interaction.mode == "agentic" else "0,3,5,7")
    if any(place and address_of(place) for place in (run.output, run.resume)):
        raise InputError("a sweep is written to a folder of this machine, not to an address")
    levels = _levels(patience)
    options = {field.name: getattr(interaction, field.name) for field in fields(interaction)}
    request = Request(
        dataset=dataset,
        selected=selected,
        play=play,
        interaction=InteractionOptions(**options),
        databases=databases,
        judged=judged,
        run=run,
        command=command,
    )
    directory = _sweep_directory(request, patience, reference)
    requests = [_at(request, directory / f"patience-{level:g}", patience=level) for level in levels]
    if reference and _has_clear_queries(dataset):
        requests.append(_at(request, directory / REFERENCE, mode="single"))
    if code := asyncio.run(play_all(requests)):
        return code
    played = [load_sweep(directory)]
    found = steps(played)
    print(sweep_text(played, found), end="")
    for path in plot(played, directory, found):
        print(f"Written: {path}")
    return 0


def _at(request: Request, base: Path, **changed: object) -> Request:
    """One run of a sweep: new, or what is there already resumed."""
    latest = base / "latest"
    run = replace(request.run, output=base, resume=latest.resolve() if latest.exists() else None)
    return replace(request, interaction=replace(request.interaction, **changed), run=run)


def _levels(text: str) -> list[float]:
    try:
        levels = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        levels = []
    if not levels or not all(0 <= level < inf for level in levels):
        raise InputError(f"--patience {text}: expected numbers of 0 or more, separated by commas")
    return sorted(set(levels))


def _who(play: InteractPlay) -> str:
    return play.model if agent_type(play.agent).needs_model else play.agent


def _has_clear_queries(dataset: Path) -> bool:
    return any(task.has_clear_query for task in load_tasks(data_file(dataset)))


def _sweep_directory(request: Request, patience: str, reference: bool) -> Path:
    if request.run.resume is not None:
        return request.run.resume
    base = request.run.output or Path("results", f"{safe_name(_who(request.play))}-interact-sweep")
    directory = base / f"sweep-{datetime.now().strftime('%Y%m%d-%H%M%S')}"
    arguments = arguments_of(request) | {"patience": patience, "reference": reference}
    config = {"format": FORMAT, "command": "interact sweep", "arguments": arguments}
    try:
        directory.mkdir(parents=True)
        replace_file(directory / "config.json", msgspec.json.format(msgspec.json.encode(config)))
    except OSError as error:
        raise InputError(f"{directory}: cannot make the directory of the sweep: {error.strerror}") from None
    print(f"Sweep directory: {directory}")
    return directory
