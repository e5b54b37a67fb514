"""Spider2-V's tasks as published: one JSON file per task, `examples/<domain>/<id>/<id>.json`.

Every task exists twice, with an abstract and a verbose instruction; `counterpart` names the other form. All ten fields are
required and no others are known. Whether a task needs an account follows from its tags, since the published lists are
wrong for two tasks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from ...errors import InputError, Unscorable
from ...foreign import in_words
from ...types import Task

# The folder `evaluation_examples` as published, and the paths in task files that point into it.


NAME = "evaluation_examples"
SETTINGS = f"{NAME}/settings/"
"""Where the accounts' settings are, as tasks name them."""
Split = Literal["all", "abstract", "verbose", "account", "non_account", "one"]


def demo() -> Path:
    """The directory of the tasks that ship with Touchstone; `tools/make_demo_desktop.py` generates them."""
    return Path(__file__).parent / "demo"


class Dataset:
    """Task files name host files as `evaluation_examples/…`; nothing outside that folder is ever opened for them."""

    def __init__(self, directory: Path) -> None:
        inner = directory / NAME
        self.root = inner if inner.is_dir() else directory
        if not self.root.is_dir():
            raise InputError(f"{directory}: no such directory; expected the published {NAME}")

    def resolve(self, published: str) -> Path:
        """The file of a published path. It need not exist."""
        parts = PurePosixPath(published).parts
        path = self.root.joinpath(*(parts[1:] if parts[:1] == (NAME,) else parts))
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise InputError(f"{published}: this path leads out of the dataset {self.root}")
        return path

    def file(self, published: str, what: str = "file") -> Path:
        """The same; a file that is not there makes the task unscorable."""
        path = self.resolve(published)
        if not path.is_file():
            raise Unscorable(f"{published}: the {what} is not in the dataset", kind="gold_missing")
        return path

    def listed(self, split: Split) -> dict[str, str]:
        """The domain of each id in a published list."""
        path = self.root / f"test_{split}.json"
        try:
            ids = msgspec.json.decode(path.read_bytes(), type=dict[str, list[str]])
        except OSError as error:
            raise InputError(f"{path}: cannot read the split list: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeError) as error:
            raise InputError(f"{path}: expected an object of domains with lists of ids: {error}") from None
        return {key: domain for domain, keys in ids.items() for key in keys}


APPS = (
    "chromium terminal vscode docker excel servicenow snowflake airbyte metabase jupyter bigquery dagster airflow "
    "postgresql superset dbt duckdb dbt_cloud sqlite3 mysql hasura_cloud"
).split()
INFEASIBLE = "infeasible"
"""In place of a metric: the task cannot be done, and the agent should say so. No published task uses it."""
EASY, MEDIUM = 5, 15
"""The largest number of expert actions of an easy and of a medium task."""


class SetupStep(Struct, frozen=True, forbid_unknown_fields=True):
    """One set-up step."""

    type: str
    parameters: dict[str, Any] = {}


class Evaluator(Struct, frozen=True, forbid_unknown_fields=True):
    """How a task is judged, as in the file; `checks` gives it in one form."""

    func: str | list[str]
    result: dict[str, Any] | list[dict[str, Any] | None]
    expected: dict[str, Any] | list[dict[str, Any] | None]
    options: dict[str, Any] | list[dict[str, Any] | None] | None = None
    conj: Literal["and", "or"] = "and"
    postconfig: list[SetupStep] = []


class MetricCheck(Struct, frozen=True):
    """One metric with what it is applied to."""

    metric: str
    result: dict[str, Any]
    expected: dict[str, Any]
    """Empty: the metric needs no reference."""
    options: dict[str, Any]


class Form(Struct, frozen=True, forbid_unknown_fields=True):
    """A task file."""

    id: str
    snapshot: str
    instruction: str
    source: list[str]
    action_number: int
    config: list[SetupStep]
    related_apps: list[str]
    tags: list[str]
    evaluator: Evaluator
    counterpart: str


class DesktopTask(Task, frozen=True, kw_only=True):
    domain: str
    form: Form
    folder: Path
    """Where its file is, with its scripts, inputs and gold files beside it."""

    @property
    def file(self) -> Path:
        return self.folder / f"{self.key}.json"

    @property
    def account(self) -> bool:
        return "account" in self.form.tags

    @property
    def verbose(self) -> bool:
        return "verbose" in self.form.tags


def checks(evaluator: Evaluator) -> list[MetricCheck]:
    """The metrics of an evaluator in order, whether the file gives one or a list."""
    names = [evaluator.func] if isinstance(evaluator.func, str) else evaluator.func
    results, expected = _parallel(evaluator.result, len(names)), _parallel(evaluator.expected, len(names))
    options = _parallel(evaluator.options, len(names))
    if len(results) != len(names) or len(expected) != len(names) or len(options) != len(names):
        raise ValueError(
            f"{len(names)} functions with {len(results)} results, {len(expected)} expected values and {len(options)} options"
        )
    return [MetricCheck(*parts) for parts in zip(names, results, expected, options, strict=True)]


def _parallel(value: dict[str, Any] | Sequence[dict[str, Any] | None] | None, count: int) -> list[dict[str, Any]]:
    """No options at all mean none for each; what is null counts as empty."""
    if isinstance(value, dict):
        return [value] if value or count == 1 else [{}] * count
    return [item or {} for item in cast("Sequence[dict[str, Any] | None]", value or [None] * count)]


def task_files(dataset: Dataset) -> list[Path]:
    """The task files of a dataset, by domain and id."""
    files = sorted(path for path in dataset.root.glob("examples/*/*/*.json") if path.stem == path.parent.name)
    if not files:
        raise InputError(f"{dataset.root}: there are no tasks here; expected examples/<domain>/<id>/<id>.json")
    return files


def find_task(name: str, directory: Path) -> tuple[Dataset, DesktopTask]:
    """A task by its id in a dataset, or by its file, which says where the dataset is."""
    path = Path(name)
    if path.suffix != ".json":
        dataset = Dataset(directory)
        files = [file for file in task_files(dataset) if file.stem == name]
        if not files:
            raise InputError(f"{dataset.root}: there is no task {name}")
        return dataset, load_task(files[0])
    above = path.resolve().parents
    if len(above) < 4 or above[2].name != "examples":
        raise InputError(f"{path}: expected a file examples/<domain>/<id>/<id>.json")
    return Dataset(above[3]), load_task(path)


def load_tasks(dataset: Dataset) -> list[DesktopTask]:
    """All tasks of a dataset."""
    tasks = [load_task(path, index) for index, path in enumerate(task_files(dataset))]
    _refuse_twice(tasks)
    return tasks


def load_task(path: Path, index: int = 0) -> DesktopTask:
    """One task file."""
    try:
        text = path.read_bytes()
        form = msgspec.json.decode(text, type=Form)
        checks(form.evaluator)
    except OSError as error:
        raise InputError(f"{path}: cannot read the task: {error.strerror}") from None
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {in_words(str(error))}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"{path}: not valid JSON: {error}") from None
    except ValueError as error:
        raise InputError(f"{path}: field 'evaluator': {error}") from None
    if form.id != path.stem:
        raise InputError(f"{path}: field 'id': expected '{path.stem}', the name of the file, found '{form.id}'")
    domain = path.parent.parent.name
    return DesktopTask(
        key=form.id,
        index=index,
        facets=_facets(domain, form),
        digest=hashlib.blake2b(msgspec.json.encode(form, order="sorted"), digest_size=8).hexdigest(),
        domain=domain,
        form=form,
        folder=path.parent,
    )


def difficulty(actions: int) -> str:
    return "easy" if actions <= EASY else "medium" if actions <= MEDIUM else "hard"


def _facets(domain: str, form: Form) -> dict[str, str]:
    shapes = {"abstract", "verbose", "account"}
    kinds = {"cli", "gui", "cli+gui"}
    category = [tag for tag in form.tags if tag not in shapes | kinds]
    return {
        "domain": domain,
        "instruction": "verbose" if "verbose" in form.tags else "abstract",
        "account": "account" if "account" in form.tags else "no account",
        "difficulty": difficulty(form.action_number),
        "interface": next((tag for tag in form.tags if tag in kinds), ""),
        "category": category[0] if category else "",
        "apps": ", ".join(form.related_apps),
    }


def _refuse_twice(tasks: Sequence[DesktopTask]) -> None:
    seen: dict[str, DesktopTask] = {}
    for task in tasks:
        if task.key in seen:
            raise InputError(f"{task.folder}: the id {task.key} is also in {seen[task.key].folder}")
        seen[task.key] = task
