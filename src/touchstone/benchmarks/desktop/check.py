"""Whether a task can be run on this machine, and if not, why: account, software, network, file, app.

The network is needed by every account, and by tasks whose instruction or code names an address outside (see `needed`). A good
guess and no proof, corrected by `overrides.toml`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from .accounts import Accounts
from .evaluate import FILE_GETTERS
from .image import not_given
from .needed import OFFLINE_WEB, needed, overrides
from .needed import applications as applications_of
from .tasks import NAME, SETTINGS, Dataset, DesktopTask, checks
from .validate import ACCOUNTS, Applications

Kind = Literal["account", "software", "network", "file", "app"]
KINDS: tuple[Kind, ...] = ("account", "software", "network", "file", "app")
"""Software is what no layer can give, an app what a layer gives that has not been built. The first that is found counts."""
Standing = Literal["runs", "stand-ins", "account", "software", "network", "file", "app"]


class Obstacle(Struct, frozen=True):
    kind: Kind
    detail: str


class Report(Struct, frozen=True):
    """What `check` says about one task."""

    task: DesktopTask
    obstacles: list[Obstacle]
    standins: tuple[str, ...]
    """Programs that stand in for what it calls."""
    offline: bool
    """Its evaluator needs files only, so that `evaluate` can judge it without a desktop."""

    @property
    def runs(self) -> bool:
        return not self.obstacles

    @property
    def standing(self) -> Standing:
        """In one word: the first of what stops it, or how it runs."""
        kinds = {obstacle.kind for obstacle in self.obstacles}
        for kind in KINDS:
            if kind in kinds:
                return kind
        return "stand-ins" if self.standins else "runs"


def examine(
    tasks: Sequence[DesktopTask],
    known: Mapping[str, DesktopTask],
    dataset: Dataset,
    accounts: Accounts,
    *,
    network: bool = False,
    have: Collection[str] = (),
    offline_web: bool = False,
) -> list[Report]:
    """`known` has all tasks by id, for counterparts; `have` are applications that are there whatever the images say."""
    applications = Applications(have)
    reached = None if network else OFFLINE_WEB if offline_web else frozenset[str]()
    return [_examined(task, known, dataset, accounts, applications, reached) for task in tasks]


def _examined(
    task: DesktopTask,
    known: Mapping[str, DesktopTask],
    dataset: Dataset,
    accounts: Accounts,
    applications: Applications,
    reached: Collection[str] | None,
) -> Report:
    """`reached` are the hosts that are there; None: all are."""
    obstacles = [Obstacle("account", why) for why in _account_obstacles(task, accounts)]
    used = applications_of(task)
    impossible = not_given(used)
    missing = applications.missing(used).items()
    obstacles += [Obstacle("software" if app in impossible else "app", f"{app}: {why}") for app, why in missing]
    own = overrides().get(task.key)
    if own and own.needs and own.kind == "software":
        obstacles.append(Obstacle("software", own.needs))
    hosts = _outside(task, known)
    if reached is not None and (absent := [host for host in hosts if host not in reached]):
        obstacles.append(Obstacle("network", ", ".join(absent)))
    obstacles += [Obstacle("file", path) for path in files_named(task) if not dataset.resolve(path).exists()]
    standins = tuple(sorted({*needed(task).standins, *(host for host in hosts if reached and host in reached)}))
    offline = all(check.result.get("type") in FILE_GETTERS for check in checks(task.form.evaluator))
    return Report(task, obstacles, standins, offline)


def files_named(task: DesktopTask) -> list[str]:
    """The dataset's files that a task uses, settings apart."""
    return [path for path in _paths(task) if not path.startswith(SETTINGS)]


def _paths(task: DesktopTask) -> Sequence[str]:
    """All of the published folder that its steps and its evaluator name, each once."""

    def within(value: Any) -> Iterator[str]:
        if isinstance(value, str) and value.startswith(f"{NAME}/"):
            yield value
        elif isinstance(value, dict | list):
            items = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
            for item in items:
                yield from within(item)

    return list(dict.fromkeys(within(msgspec.to_builtins([task.form.config, task.form.evaluator]))))


def _account_obstacles(task: DesktopTask, accounts: Accounts) -> list[str]:
    named = [path.removeprefix(SETTINGS) for path in _paths(task) if path.startswith(SETTINGS)]
    named += [ACCOUNTS[app] for app in task.form.related_apps if app in ACCOUNTS and task.account]
    standings = map(accounts.standing, dict.fromkeys(named))
    return [standing.lack for standing in standings if not standing.ready]


def _outside(task: DesktopTask, known: Mapping[str, DesktopTask]) -> list[str]:
    """Hosts that the task or its other form names."""
    if task.account:
        return ["the service of its account"]
    forms = [task] + ([known[task.form.counterpart]] if task.form.counterpart in known else [])
    hosts = {host for form in forms for host in needed(form).hosts}
    own = overrides().get(task.key)
    return sorted(hosts | ({own.needs} if own and own.needs and own.kind == "network" else set()))
