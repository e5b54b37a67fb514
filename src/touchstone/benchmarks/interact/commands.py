"""`touchstone interact combine`, `load`, `sweep`, `report` and `export`. Imported when one of them is called."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter
from msgspec.structs import replace as replaced

from ...addresses import address_of
from ...cli.run import RunCommand
from ...cli.terminal import play, say
from ...errors import InputError
from ...runs.config import FORMAT, RunConfig
from ...runs.directory import replace_file
from ...runs.records import read_config, read_records
from ...runs.runner import safe_name
from ...types import Outcome
from .combine import combine as merge
from .config import SweepConfig
from .databases import load_dumps, own_server
from .report import InteractReport, interact_report, is_of_interact
from .report_tables import as_csv, as_latex, as_text, draw_curves, told_apart
from .results import adk_results, batch_results
from .sweep import is_sweep, load_sweeps, plot, steps, sweep_text


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
        Write the file even if some tasks have no ground truth, or some ground truth has no task.
    """
    done = merge(public, gt, out, allow_missing=allow_missing)
    print(f"{out}: {done.written} tasks, {done.matched} with ground truth")
    for what, ids in (("no ground truth", done.missing), ("no task in the public file", done.unknown)):
        if ids:
            print(f"  {what}: {', '.join(ids[:20])}{' …' if len(ids) > 20 else ''}")
    return 0


def load(
    dumps_dir: Path,
    *,
    database_url: Annotated[str | None, Parameter(env_var="TOUCHSTONE_DATABASE_URL")] = None,
    db_host: Annotated[str | None, Parameter(name=["--db-host", "--db_host"])] = None,
    db_port: Annotated[int | None, Parameter(name=["--db-port", "--db_port"])] = None,
    only: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    replace: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Build the databases from the published dumps, check them, and keep them for later runs.

    Parameters
    ----------
    dumps_dir
        The directory that holds <db>_template/<table>.sql.
    database_url
        Load them into this PostgreSQL server: postgresql://user@host:port.
    db_host
        The host of such a server; user and password come from PGUSER and PGPASSWORD, else from the published image.
    db_port
        Its port.
    only
        With a server of your own: only this database (repeatable).
    replace
        With a server of your own: drop a <db>_template that is there already.
    """
    loaded = asyncio.run(load_dumps(dumps_dir, own_server(database_url, db_host, db_port), say, only, replace=replace))
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


class Sweep(RunCommand):
    """Play the tasks once for each level of patience, and plot how success grows with interaction."""

    def __init__(self, words: Sequence[str], argv: Sequence[str]) -> None:
        super().__init__(SweepConfig, words, argv, {})

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        self.refuse_no_data(SweepConfig, values, ", or --resume SWEEP_DIR")
        config = self.config(values)
        benchmark, resume = config.benchmark, typed.get("resume")
        assert isinstance(benchmark, SweepConfig)
        if any(path and address_of(path) for path in (config.run.output, resume)):
            raise InputError("a sweep is written to a folder of this machine, not to an address")
        runs = benchmark.runs()
        directory = resume or _sweep_directory(config)
        for folder, level in runs.items():
            base, latest = directory / folder, directory / folder / "latest"
            one = replaced(config, benchmark=level, run=replaced(config.run, output=base))
            if code := play(one, resume=latest.resolve() if latest.exists() else None):
                say(f"the sweep stopped at {folder}; continue it with `touchstone interact sweep --resume {directory}`")
                return code
        _report_sweeps([directory], directory)
        return 0


def report(
    run_dir: Annotated[tuple[Path, ...], Parameter(name="RUN_DIR", negative="")],
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
) -> int:
    """Print the tables and curves of a paper: success by category, cost, actions, the simulated user.

    Parameters
    ----------
    run_dir
        Run directories, folders that hold some, or directories of sweeps, which are then compared level by level.
    output
        Write the same as CSV, LaTeX, JSON, PNG and SVG into this directory.
    """
    if not run_dir:
        raise InputError("interact report needs a run directory, or that of a sweep")
    paths = [path for folder in run_dir for path in _runs_in(folder)]
    sweeps = [path for path in paths if is_sweep(path)]
    if sweeps and len(sweeps) < len(paths):
        raise InputError("interact report: give runs or sweeps, not both")
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--output {output}: {error.strerror}") from None
    if sweeps:
        _report_sweeps(sweeps, output)
    else:
        _report_runs(_told_apart([interact_report(path) for path in paths]), output)
    return 0


def _runs_in(path: Path) -> list[Path]:
    """A run or sweep itself; of a folder, such as `results`, all that it and its folders hold."""
    if (path / "config.json").exists() or is_sweep(path) or not path.is_dir():
        return [path]
    folders = [one for pattern in ("*", "*/*") for one in sorted(path.glob(pattern)) if not one.is_symlink()]
    inside = [one for one in folders if (one / "runs.jsonl").exists() or is_sweep(one)]
    of_interact = [one for one in inside if is_sweep(one) or is_of_interact(one)]
    if not of_interact:
        raise InputError(f"{path}: no run of BIRD-Interact is in it; name a run directory, a folder of them, or a sweep's")
    if others := len(inside) - len(of_interact):
        say(f"{path}: {others} runs of other benchmarks are left out")
    return of_interact


def _told_apart(reports: Sequence[InteractReport]) -> list[InteractReport]:
    """Those with the same title by their folder's name too."""
    titles = told_apart([(report.title, Path(report.path)) for report in reports])
    return [msgspec.structs.replace(report, title=title) for report, title in zip(reports, titles, strict=True)]


def _report_sweeps(paths: Sequence[Path], output: Path | None) -> None:
    sweeps = load_sweeps(paths)
    compared = steps(sweeps)
    print(sweep_text(sweeps, compared), end="")
    for path in plot(sweeps, output, compared) if output else ():
        print(f"Written: {path}")


def _report_runs(reports: Sequence[InteractReport], output: Path | None) -> None:
    print("\n".join(map(as_text, reports)), end="")
    if output is None:
        return
    texts = {
        "report.csv": as_csv(reports),
        "report.tex": as_latex(reports),
        "report.json": msgspec.json.format(msgspec.json.encode(reports)).decode(),
    }
    for name, text in texts.items():
        (output / name).write_text(text, encoding="utf-8")
    for path in [*(output / name for name in texts), *draw_curves(reports, output)]:
        print(f"Written: {path}")


def export(run_dir: Path, *, output: Annotated[Path, Parameter(name=["--output", "-o"])]) -> int:
    """Write a run of BIRD-Interact as the original harnesses write their results; without the gold.

    Parameters
    ----------
    run_dir
        The run directory.
    output
        A .jsonl for the format of the batch harness, a .json for that of the service-based one.
    """
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


def _who(config: RunConfig) -> str:
    return config.model.model if config.model else config.agent.name


def _sweep_directory(config: RunConfig) -> Path:
    base = config.run.output or Path("results", f"{safe_name(_who(config))}-interact-sweep")
    directory = base / f"sweep-{datetime.now().strftime('%Y%m%d-%H%M%S')}"
    stored = {"format": FORMAT, "command": SweepConfig.name, **config.as_json()}
    try:
        directory.mkdir(parents=True)
        replace_file(directory / "config.json", msgspec.json.format(msgspec.json.encode(stored)))
    except OSError as error:
        raise InputError(f"{directory}: cannot make the directory of the sweep: {error.strerror}") from None
    print(f"Sweep directory: {directory}")
    return directory
