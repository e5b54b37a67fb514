"""`touchstone desktop check`, `evaluate`, `accounts` and `demo`."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

import touchstone

from ...errors import InputError, Skipped, Unscorable
from ...options import Count, Opt, OptionError, Options
from ...types import Record, Verdict
from .accounts import Accounts
from .check import KINDS, Report, examine
from .config import DESKTOP, EXAMPLES, DesktopConfig, TaskChoice
from .evaluate import evaluate as judged
from .evaluation_context import EvaluationContext, LeftFiles
from .image import find, layers_for
from .tasks import APPS, Dataset, DesktopTask, find_task, load_tasks
from .tasks import demo as demo_data
from .validate import examine_dataset

NOT_HERE = 3
"""The exit code when a task cannot be judged, or the demo cannot be played, on this machine."""
SETTINGS = EXAMPLES / "settings"
_AGENTS = {"oracle": "1", "nothing": "0"}
"""Who plays the demo, and what that must score."""
_DEMO = """\
{count} tasks of our own in Spider2-V's format, each on a desktop of its own that is clean again after it:

{tasks}

The oracle plays each task's solution with mouse and keyboard, and must score 1 everywhere. Then an agent that does nothing
plays them, and must score 0. Pictures, videos and accessibility trees of all that go to {output}."""


class CheckOptions(TaskChoice, frozen=True):
    dataset: Annotated[Path, Opt(positional=True)] = EXAMPLES
    """The published evaluation_examples."""
    settings: Annotated[Path | None, Opt(group=DESKTOP)] = None
    """The accounts' settings; by default those in the dataset."""
    have: Annotated[tuple[str, ...], Opt(group=DESKTOP)] = ()
    """An application that is there although no image has it, such as on a machine of yours (repeatable)."""
    network: Annotated[bool, Opt(group=DESKTOP)] = False
    """The network may be used."""
    offline_web: Annotated[bool, Opt(group=DESKTOP)] = False
    """Stand-ins on the desktop may answer for a few public addresses."""
    json: Annotated[Path | None, Opt(target=True)] = None
    """Write one line per task to this file too."""
    brief: bool = False
    """Print the tables only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.have:
            if name not in APPS:
                raise OptionError("have", name, f"unknown application; expected one of {', '.join(APPS)}")


class EvaluateOptions(Options, frozen=True):
    task: Annotated[str, Opt(positional=True)]
    """The id of a task, or its file."""
    result: Path
    """A folder with the files, laid out as in the guest or by name; result_<n>.txt or .json for what is not a file."""
    dataset: Path = EXAMPLES
    """The published evaluation_examples; not needed when the task is given as a file in it."""
    settings: Path | None = None
    """The accounts' settings; by default those in the dataset."""
    json: bool = False
    """Print the verdict as JSON."""


class AccountsOptions(Options, frozen=True):
    directory: Annotated[Path, Opt(positional=True, target=True)] = SETTINGS
    """The settings folder."""


class DemoOptions(Options, frozen=True):
    output: Annotated[Path, Opt(names=("-o",), target=True)] = Path("results", "desktop-demo")
    """Where to create the run directories."""
    build: bool = False
    """Make what is missing of the desktop's image first: about 3 GB, ten minutes, and it needs the network."""
    parallel: Annotated[Count, Opt(names=("-p",))] = 1
    """How many tasks at once, each on a desktop of its own."""


def check(options: CheckOptions) -> int:
    """Validate all tasks, and show which can run here and why the others cannot."""
    source = Dataset(options.dataset)
    findings = examine_dataset(source)
    for warning in findings.warnings:
        print(f"touchstone: warning: {warning}", file=sys.stderr)
    known = {task.key: task for task in findings.tasks}
    accounts = Accounts(options.settings or source.root / "settings")
    wanted = options.select(findings.tasks, source)
    reports = examine(
        *(wanted, known, source, accounts), network=options.network, have=options.have, offline_web=options.offline_web
    )
    if not options.brief:
        print("\n".join(_lines(reports)) + "\n")
    print("\n".join(_application_table(reports)))
    counts = Counter(report.standing for report in reports)
    print("\n" + ", ".join(f"{name} {counts[name]}" for name in ("runs", "stand-ins", *KINDS) if counts[name]))
    print(f"{sum(report.runs for report in reports)} of {len(reports)} tasks can run here; ", end="")
    print(f"{sum(report.offline for report in reports)} can be judged from files alone (touchstone desktop evaluate)")
    if options.json is not None:
        options.json.write_bytes(b"".join(msgspec.json.encode(_entry(report)) + b"\n" for report in reports))
    for mistake in findings.mistakes:
        print(f"touchstone: {mistake}", file=sys.stderr)
    return 2 if findings.mistakes else 0


def evaluate(options: EvaluateOptions) -> int:
    """Run only the evaluator of a task, on files that an agent left."""
    source, task = find_task(options.task, options.dataset)
    files = LeftFiles(options.result)
    accounts = Accounts(options.settings or source.root / "settings")

    async def verdict() -> Verdict:
        with tempfile.TemporaryDirectory() as cache:
            return await judged(task, EvaluationContext(source, accounts, Path(cache), left=files))

    try:
        judgement = asyncio.run(verdict())
    except (Skipped, Unscorable) as error:
        outcome = "skipped" if isinstance(error, Skipped) else "unscorable"
        reason = {"outcome": outcome, "reason": str(error)}
        print(msgspec.json.encode(reason).decode() if options.json else f"{outcome}: {error}")
        return NOT_HERE
    words = f"{judgement.outcome} {judgement.score:g}: {judgement.reason}"
    print(msgspec.json.encode(judgement).decode() if options.json else words)
    return 0


def accounts_init(options: AccountsOptions) -> int:
    """Write the templates of all accounts; files that exist are left alone."""
    for path, written in Accounts(options.directory).init():
        print(f"{'written' if written else 'kept   '}  {path}")
    return 0


def accounts_check(options: AccountsOptions) -> int:
    """Say which accounts are filled in, by the names of their fields; values are never printed."""
    if not options.directory.is_dir():
        raise InputError(f"{options.directory}: no such directory; make it with 'touchstone desktop accounts init'")
    for standing in Accounts(options.directory).standings():
        missing = f"not filled in: {', '.join(standing.empty)}" if standing.empty else ""
        detail = "; ".join(part for part in (standing.problem, missing) if part) or f"{len(standing.filled)} fields filled in"
        print(f"{'ready  ' if standing.ready else 'missing'}  {standing.name:<28} {detail}")
    return 0


def demo(options: DemoOptions) -> int:
    """Watch tasks being done on a real desktop: a spreadsheet, a notebook, dbt, a terminal. No key, no network."""
    tasks = [task for task in load_tasks(Dataset(demo_data())) if not task.verbose]
    described = "\n".join(f"  {task.domain:<10}{task.form.instruction.split('. ')[0].rstrip('.')}." for task in tasks)
    print(_DEMO.format(count=len(tasks), tasks=described, output=options.output), flush=True)
    layers = layers_for({app for task in tasks for app in task.form.related_apps})
    if code := _image(layers, options.build):
        return code
    scores: dict[str, list[str]] = {}
    for number, agent in enumerate(_AGENTS, 1):
        print(f"\n{number}. {agent}\n", flush=True)
        config = DesktopConfig(demo_data(), instruction="abstract")
        played = touchstone.run(config, agent, output=options.output / agent, parallel=options.parallel, watch=_tell)
        if played.stopped or played.interrupted:
            print(f"touchstone: {played.stopped or 'interrupted'}", file=sys.stderr)
            return 1 if played.stopped else 130
        records = {record.task: record for record in played}
        scores[agent] = [_score(records.get(task.key)) for task in tasks]
    return _conclude(tasks, scores, options.output)


def _image(layers: Sequence[str], build: bool) -> int:
    """0 when the image is there."""
    try:
        find(layers)
    except InputError as error:
        if build:
            from .image_commands import ImageBuildOptions
            from .image_commands import build as build_layers

            return build_layers(ImageBuildOptions(tuple(layers)))
        print(f"touchstone: {error}, or this demo with --build: about 3 GB, ten minutes, with the network", file=sys.stderr)
        return NOT_HERE
    return 0


def _tell(record: Record) -> None:
    print(f"{record.outcome.value:<10} {record.facets['domain']:<10} {record.reason}", flush=True)


def _score(record: Record | None) -> str:
    """Of what was judged; otherwise why it was not."""
    if record is None:
        return "-"
    return f"{record.score:g}" if record.outcome in ("passed", "failed") else str(record.outcome)


def _conclude(tasks: Sequence[DesktopTask], scores: Mapping[str, Sequence[str]], output: Path) -> int:
    print(f"\n{'task':<12}" + "".join(f"{agent:>10}" for agent in _AGENTS))
    for number, task in enumerate(tasks):
        print(f"{task.domain:<12}" + "".join(f"{scores[agent][number]:>10}" for agent in _AGENTS))
    program = "touchstone" if shutil.which("touchstone") else shlex.quote(sys.argv[0])
    print(f"\nThese runs in the browser:\n  {program} view {shlex.quote(str(output))}")
    print(f"The same tasks, played by you:\n  {program} desktop run demo --abstract --agent human")
    wrong = [agent for agent, must in _AGENTS.items() if set(scores[agent]) != {must}]
    for agent in wrong:
        print(f"touchstone: {agent} must score {_AGENTS[agent]} everywhere, and does not", file=sys.stderr)
    return 1 if wrong else 0


def _lines(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        why = _why(report) or ", ".join(report.standins)
        yield f"{report.standing:<9}  {report.task.key}  {report.task.domain:<10}  {why}".rstrip()


def _why(report: Report) -> str:
    """On one line: of several missing files, the first and how many."""
    files = [obstacle.detail for obstacle in report.obstacles if obstacle.kind == "file"]
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    others = [f"{obstacle.kind}: {obstacle.detail}" for obstacle in report.obstacles if obstacle.kind != "file"]
    return "; ".join(others + ([f"file: {files[0]}{more}"] if files else []))


def _application_table(reports: Sequence[Report]) -> Iterator[str]:
    """How many tasks of each application can run, and in how many of them what is missing."""
    yield f"{'application':<14}{'tasks':>7}{'run':>7}" + "".join(f"{kind:>9}" for kind in KINDS)
    for name in [*APPS, "all"]:
        mine = [report for report in reports if name == "all" or name in report.task.form.related_apps]
        stopped = Counter(kind for report in mine for kind in {obstacle.kind for obstacle in report.obstacles})
        counts = "".join(f"{stopped[kind]:>9}" for kind in KINDS)
        yield f"{name:<14}{len(mine):>7}{sum(report.runs for report in mine):>7}{counts}"


def _entry(report: Report) -> dict[str, object]:
    runs = {"runs": report.runs, "standing": report.standing, "stand_ins": report.standins}
    return {"task": report.task.key, **report.task.facets, **runs, "offline": report.offline, "obstacles": report.obstacles}
