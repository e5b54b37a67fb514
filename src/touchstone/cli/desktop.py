"""`touchstone desktop`: Spider2-V's tasks, what of them can run here, their evaluators, the accounts they need."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import App, Group, Parameter

from ..failures import InputError, Skipped, Unscorable
from .desktop_documents import documents

if TYPE_CHECKING:
    from ..benchmarks.desktop.accounts import Accounts
    from ..benchmarks.desktop.checking import Report
    from ..benchmarks.desktop.dataset import Dataset
    from ..benchmarks.desktop.scene import Given
    from ..benchmarks.desktop.selecting import Selection
    from ..benchmarks.desktop.tasks import DesktopTask
    from ..values import Verdict

app = App(name="desktop", help="Spider2-V: data-engineering work on a desktop.")
accounts = App(name="accounts", help="The settings of cloud services that some tasks need.")
app.command(accounts)
app.command(documents)
app.command(
    "touchstone.cli.desktop_image:app", name="image", help="The desktop's root file system: make, list, remove its layers."
)
app.command("touchstone.cli.desktop_run:run", name="run", help="Play desktop tasks with an agent, and score it.")
app.command("touchstone.cli.desktop_demo:demo", name="demo", help="Watch a few tasks being done on a real desktop.")

EXAMPLES = Path("evaluation_examples")
_SELECT = Group("Which tasks", sort_key=1)
NOT_HERE = 3
"""The exit code of `evaluate` when the task could not be judged here."""


@Parameter(name="*", group=_SELECT)
@dataclass(frozen=True, kw_only=True)
class DesktopSelect:
    split: Literal["all", "abstract", "verbose", "account", "non_account", "one"] | None = None
    """A published list. The two account lists follow from the tags."""
    domain: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only this folder of tasks, such as excel (repeatable)."""
    app: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only tasks that use this application (repeatable)."""
    tag: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only tasks with this tag, such as cli+gui (repeatable)."""
    difficulty: Annotated[tuple[Literal["easy", "medium", "hard"], ...], Parameter(negative="")] = ()
    """By the expert's number of actions: easy up to 5, medium up to 15, hard above (repeatable)."""
    abstract: Annotated[bool, Parameter(negative="")] = False
    """Only abstract instructions."""
    verbose: Annotated[bool, Parameter(negative="")] = False
    """Only verbose instructions."""
    exclude_account: Annotated[bool, Parameter(negative="")] = False
    """Leave out tasks that need an account."""
    task: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only the task with this id (repeatable)."""

    def selection(self) -> Selection:
        from ..benchmarks.desktop.selecting import Selection

        return Selection(**{name: getattr(self, name) for name in Selection.__struct_fields__})


EVERY_TASK = DesktopSelect()


@app.command
def check(
    dataset: Path = EXAMPLES,
    *,
    select: DesktopSelect = EVERY_TASK,
    settings: Path | None = None,
    have: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    network: Annotated[bool, Parameter(negative="")] = False,
    json: Path | None = None,
    brief: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Validate all tasks, and say for each whether it can run here, and if not, why.

    Parameters
    ----------
    dataset
        The published evaluation_examples.
    settings
        The accounts' settings; by default those in the dataset.
    have
        An application that is there although no image has it, such as on a machine of yours (repeatable).
    network
        The network may be used.
    json
        Write one line per task to this file too.
    brief
        Print the tables only.
    """
    from ..benchmarks.desktop.checking import KINDS, examine
    from ..benchmarks.desktop.dataset import Dataset
    from ..benchmarks.desktop.selecting import select as chosen_of
    from ..benchmarks.desktop.tasks import APPS
    from ..benchmarks.desktop.validating import examine_dataset

    for name in have:
        if name not in APPS:
            raise InputError(f"--have {name}: unknown application; expected one of {', '.join(APPS)}")
    source = Dataset(dataset)
    findings = examine_dataset(source)
    for warning in findings.warnings:
        print(f"touchstone: warning: {warning}", file=sys.stderr)
    wanted = chosen_of(findings.tasks, select.selection(), source)
    known = {task.key: task for task in findings.tasks}
    reports = examine(wanted, known, source, _accounts(source, settings), network=network, have=have)
    if not brief:
        print("\n".join(_lines(reports)) + "\n")
    print("\n".join(_application_table(reports)))
    counts = Counter(report.standing for report in reports)
    print("\n" + ", ".join(f"{name} {counts[name]}" for name in ("runs", "stand-ins", *KINDS) if counts[name]))
    print(f"{sum(report.runs for report in reports)} of {len(reports)} tasks can run here; ", end="")
    print(f"{sum(report.offline for report in reports)} can be judged from files alone (touchstone desktop evaluate)")
    if json is not None:
        json.write_bytes(b"".join(msgspec.json.encode(_entry(report)) + b"\n" for report in reports))
    for mistake in findings.mistakes:
        print(f"touchstone: {mistake}", file=sys.stderr)
    return 2 if findings.mistakes else 0


@app.command
def evaluate(
    task: str,
    *,
    result: Path,
    dataset: Path = EXAMPLES,
    settings: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Run only the evaluator of a task, on files that an agent left.

    Parameters
    ----------
    task
        The id of a task, or its file.
    result
        A folder with the files, laid out as in the guest or by name; result_<n>.txt or .json for what is not a file.
    dataset
        The published evaluation_examples; not needed when the task is given as a file in it.
    settings
        The accounts' settings; by default those in the dataset.
    json
        Print the verdict as JSON.
    """
    from ..benchmarks.desktop.scene import Given
    from ..benchmarks.desktop.tasks import find_task

    source, chosen = find_task(task, dataset)
    given = Given(result)
    try:
        verdict = asyncio.run(_evaluated(source, chosen, settings, given))
    except (Skipped, Unscorable) as error:
        outcome = "skipped" if isinstance(error, Skipped) else "unscorable"
        print(msgspec.json.encode({"outcome": outcome, "reason": str(error)}).decode() if json else f"{outcome}: {error}")
        return NOT_HERE
    print(msgspec.json.encode(verdict).decode() if json else f"{verdict.outcome} {verdict.score:g}: {verdict.reason}")
    return 0


@accounts.command
def init(directory: Path = EXAMPLES / "settings") -> int:
    """Write the templates of all accounts; files that exist are left alone.

    Parameters
    ----------
    directory
        The settings folder.
    """
    from ..benchmarks.desktop.accounts import Accounts

    for path, written in Accounts(directory).init():
        print(f"{'written' if written else 'kept   '}  {path}")
    return 0


@accounts.command(name="check")
def check_accounts(directory: Path = EXAMPLES / "settings") -> int:
    """Say which accounts are filled in, by the names of their fields; values are never printed.

    Parameters
    ----------
    directory
        The settings folder.
    """
    from ..benchmarks.desktop.accounts import Accounts

    if not directory.is_dir():
        raise InputError(f"{directory}: no such directory; make it with 'touchstone desktop accounts init'")
    for standing in Accounts(directory).standings():
        missing = f"not filled in: {', '.join(standing.empty)}" if standing.empty else ""
        detail = "; ".join(part for part in (standing.problem, missing) if part) or f"{len(standing.filled)} fields filled in"
        print(f"{'ready  ' if standing.ready else 'missing'}  {standing.name:<28} {detail}")
    return 0


async def _evaluated(source: Dataset, task: DesktopTask, settings: Path | None, given: Given) -> Verdict:
    from ..benchmarks.desktop.evaluate import evaluate
    from ..benchmarks.desktop.scene import Scene

    with tempfile.TemporaryDirectory() as cache:
        return await evaluate(task, Scene(source, _accounts(source, settings), Path(cache), given=given))


def _accounts(source: Dataset, settings: Path | None) -> Accounts:
    from ..benchmarks.desktop.accounts import Accounts

    return Accounts(settings or source.root / "settings")


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
    from ..benchmarks.desktop.checking import KINDS
    from ..benchmarks.desktop.tasks import APPS

    yield f"{'application':<14}{'tasks':>7}{'run':>7}" + "".join(f"{kind:>9}" for kind in KINDS)
    for name in [*APPS, "all"]:
        mine = [report for report in reports if name == "all" or name in report.task.form.related_apps]
        stopped = Counter(kind for report in mine for kind in {obstacle.kind for obstacle in report.obstacles})
        counts = "".join(f"{stopped[kind]:>9}" for kind in KINDS)
        yield f"{name:<14}{len(mine):>7}{sum(report.runs for report in mine):>7}{counts}"


def _entry(report: Report) -> dict[str, object]:
    obstacles = [{"kind": obstacle.kind, "detail": obstacle.detail} for obstacle in report.obstacles]
    runs = {"runs": report.runs, "standing": report.standing, "stand_ins": report.standins}
    return {"task": report.task.key, **report.task.facets, **runs, "offline": report.offline, "obstacles": obstacles}
