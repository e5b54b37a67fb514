"""Whether a dataset is whole: names and parameters known, every task with its counterpart, lists that fit the tags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib.util import find_spec

from msgspec import Struct

from ...distribution import pip_install
from ...errors import InputError
from .getters import EXPECTED, RESULTS
from .image import Store, layers_for, not_given
from .metrics import METRICS
from .steps import STEPS
from .tasks import APPS, INFEASIBLE, Dataset, DesktopTask, Split, checks, load_task, task_files

SPLITS: tuple[Split, ...] = ("all", "abstract", "verbose", "account", "non_account")


class Findings(Struct, frozen=True):
    """A dataset as far as it can be read, and what is wrong with it."""

    tasks: list[DesktopTask]
    mistakes: list[str]
    warnings: list[str]


def examine_dataset(dataset: Dataset) -> Findings:
    """Reads every task file; a broken one does not hide the mistakes in others."""
    tasks: list[DesktopTask] = []
    errors: list[str] = []
    for index, path in enumerate(task_files(dataset)):
        try:
            tasks.append(load_task(path, index))
        except InputError as error:
            errors.append(str(error))
    errors += [f"{task.file}: {mistake}" for task in tasks for mistake in mistakes(task)]
    errors += [f"{task.file}: {mistake}" for task, mistake in pair_mistakes(tasks)]
    doubts = [f"{task.file}: {mistake}" for task in tasks for mistake in task_warnings(task)]
    return Findings(tasks, errors, [*list_warnings(tasks, dataset), *doubts])


def mistakes(task: DesktopTask) -> Iterator[str]:
    """What is wrong with one task, each as "where: what"."""
    form = task.form
    if form.snapshot != task.domain:
        yield f"field 'snapshot': expected '{task.domain}', the folder, found '{form.snapshot}'"
    if form.action_number < 1:
        yield f"field 'action_number': expected a positive number, found {form.action_number}"
    for name in form.related_apps:
        if name not in APPS:
            yield f"field 'related_apps': unknown application '{name}'"
    if ("abstract" in form.tags) is ("verbose" in form.tags):
        yield "field 'tags': expected either 'abstract' or 'verbose'"
    for field, steps in (("config", form.config), ("evaluator.postconfig", form.evaluator.postconfig)):
        for number, step in enumerate(steps):
            if problem := STEPS.problem(step.type, step.parameters):
                yield f"field '{field}[{number}]' ({step.type}): {problem}"
    yield from _evaluator_mistakes(task)


def _evaluator_mistakes(task: DesktopTask) -> Iterator[str]:
    if task.form.evaluator.func == INFEASIBLE:
        return
    for number, check in enumerate(checks(task.form.evaluator)):
        where = f"field 'evaluator', metric {number}"
        if problem := METRICS.problem(check.metric, check.options):
            yield f"{where} ({check.metric}): {problem}"
        for registry, specification in ((RESULTS, check.result), (EXPECTED, check.expected)):
            parameters = {key: value for key, value in specification.items() if key != "type"}
            needed = registry is RESULTS or bool(specification)
            if needed and (problem := registry.problem(str(specification.get("type")), parameters)):
                yield f"{where}, {registry.kind} {specification.get('type')}: {problem}"


def task_warnings(task: DesktopTask) -> Iterator[str]:
    """Rules that judge nothing: a sheet of the result compared with a sheet of the result."""
    for check in checks(task.form.evaluator):
        for number, rule in enumerate(check.options.get("rules", []) if check.metric == "compare_table" else []):
            sides = [rule.get("sheet_idx0"), rule.get("sheet_idx1")]
            if None not in sides and not any(isinstance(side, str) and side.startswith("E") for side in sides):
                yield f"field 'evaluator', rule {number} ({rule.get('type')}): compares the result with itself"


def pair_mistakes(tasks: Sequence[DesktopTask]) -> Iterator[tuple[DesktopTask, str]]:
    """Counterparts must point at each other, and be one abstract and one verbose form of the same task."""
    known = {task.key: task for task in tasks}
    for task in tasks:
        other = known.get(task.form.counterpart)
        if other is None:
            yield task, f"field 'counterpart': there is no task {task.form.counterpart}"
        elif other.form.counterpart != task.key:
            yield task, f"field 'counterpart': {other.key} names {other.form.counterpart} instead of this task"
        elif other.verbose is task.verbose:
            yield task, f"field 'counterpart': {other.key} is {'verbose' if task.verbose else 'abstract'} too"
        elif task.verbose and not task.form.instruction.startswith(other.form.instruction.rstrip()):
            yield task, f"field 'instruction': does not begin with that of {other.key}"


def list_warnings(tasks: Sequence[DesktopTask], dataset: Dataset) -> Iterator[str]:
    """Where the published lists do not say what the tags say. The tags count."""
    meant = {
        "all": {task.key for task in tasks},
        "abstract": {task.key for task in tasks if not task.verbose},
        "verbose": {task.key for task in tasks if task.verbose},
        "account": {task.key for task in tasks if task.account},
        "non_account": {task.key for task in tasks if not task.account},
    }
    for split in SPLITS:
        try:
            listed = set(dataset.listed(split))
        except InputError as error:
            yield str(error)
            continue
        if absent := sorted(listed - meant["all"]):
            named = ", ".join(absent[:3]) + (", …" if len(absent) > 3 else "")
            yield f"test_{split}.json lists {len(absent)} tasks that are not here: {named}"
        for key in sorted(meant["all"] & listed - meant[split]):
            yield f"test_{split}.json lists {key}, which does not belong there by its tags"
        for key in sorted(meant[split] - listed):
            yield f"test_{split}.json lacks {key}, which belongs there by its tags"


# The 21 applications of Spider2-V: what of them the images of desktops have, and which are services with an account.


def _missing_library(module: str, extra: str) -> str | None:
    """A cloud service has nothing to install here but the client."""
    try:
        installed = find_spec(module) is not None
    except ModuleNotFoundError:
        installed = False
    return None if installed else f"the library {module} is not installed: {pip_install(extra)}"


ACCOUNTS = {
    "servicenow": "servicenow/settings.json",
    "snowflake": "snowflake/settings.json",
    "bigquery": "google/gcp_config.json",
    "dbt_cloud": "dbt_cloud/settings.json",
    "hasura_cloud": "hasura_cloud/settings.json",
}
"""The settings of applications that are services."""
_CLIENTS = {
    "servicenow": ("browsergym.workarena", "desktop-servicenow"),
    "snowflake": ("snowflake.connector", "desktop-snowflake"),
    "bigquery": ("google.cloud.bigquery", "desktop-google"),
}
"""The library that a service needs, and its extra."""


class Applications:
    """What is here. `have` are applications that are, whatever the images and libraries say."""

    def __init__(self, have: Collection[str] = (), store: Store | None = None) -> None:
        self._have = have
        self._missing_clients = {app: why for app, client in _CLIENTS.items() if (why := _missing_library(*client))}
        self._made = (store or Store()).made()

    def missing(self, apps: Iterable[str]) -> dict[str, str]:
        """Those of a task that are not here, and why."""
        named = list(apps)
        wanted = [app for app in named if app not in self._have]
        missing_apps = {app: why for app in wanted if (why := self._missing_clients.get(app))}
        missing_apps |= {app: why for app, why in not_given(named).items() if app in wanted}
        needed = {"desktop", *layers_for(named)}.difference(self._made)
        for app in wanted:
            layers = [layer for layer in ["desktop", *layers_for([app])] if layer in needed]
            if layers and app not in missing_apps and app not in ACCOUNTS:
                missing_apps[app] = f"touchstone desktop image build {' '.join(layers)}"
        return missing_apps
