"""Whether a task can be run on this machine, and if not, why: account, app, network, file.

The network is needed by every account, and by tasks whose instruction, tutorial or scripts name an address outside. That is
found by looking for addresses, so it is a good guess and no proof. The search page that most tasks open first does not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast
from zipfile import BadZipFile, ZipFile

import msgspec
from msgspec import Struct

from .accounts import Accounts, accounts_needed
from .applications import ACCOUNTS, Applications
from .dataset import NAME, Dataset
from .evaluate import FILE_GETTERS
from .tasks import DesktopTask, checks

Kind = Literal["account", "app", "network", "file"]
KINDS: tuple[Kind, ...] = ("account", "app", "network", "file")
LARGEST_SCAN = 1 << 20
_ADDRESS = re.compile(r"https?://([A-Za-z0-9.-]+\.[A-Za-z]{2,})")
_CODE = {".sh", ".py", ".sql", ".yml", ".yaml", ".toml"}
_DOWNLOADS = ("fetch_california_housing",)
_HARMLESS = ("www.bing.com", "www.google.com", "example.com", "www.apache.org", "docs.", "github.com/dbt-labs")


class Obstacle(Struct, frozen=True):
    kind: Kind
    detail: str


class Report(Struct, frozen=True):
    """What `check` says about one task."""

    task: DesktopTask
    obstacles: list[Obstacle]
    offline: bool
    """Its evaluator needs files only, so that `evaluate` can judge it without a desktop."""

    @property
    def runs(self) -> bool:
        return not self.obstacles


def examine(
    tasks: Sequence[DesktopTask],
    known: Mapping[str, DesktopTask],
    dataset: Dataset,
    accounts: Accounts,
    *,
    network: bool = False,
    have: Collection[str] = (),
) -> list[Report]:
    """`known` has all tasks by id, for counterparts; `have` are applications that are there whatever the images say."""
    applications = Applications(have)
    return [_examined(task, known, dataset, accounts, applications, network) for task in tasks]


def _examined(
    task: DesktopTask,
    known: Mapping[str, DesktopTask],
    dataset: Dataset,
    accounts: Accounts,
    applications: Applications,
    network: bool,
) -> Report:
    found = [Obstacle("account", why) for why in _account_obstacles(task, accounts)]
    found += [Obstacle("app", f"{app}: {why}") for app, why in applications.missing(task.form.related_apps).items()]
    if not network and (hosts := _outside(task, known)):
        found.append(Obstacle("network", ", ".join(hosts)))
    found += [Obstacle("file", path) for path in files_named(task) if not dataset.resolve(path).exists()]
    return Report(task, found, all(check.result.get("type") in FILE_GETTERS for check in checks(task.form.evaluator)))


def files_named(task: DesktopTask) -> list[str]:
    """The dataset's files that a task uses, settings apart."""
    found = dict.fromkeys(_paths(msgspec.to_builtins([task.form.config, task.form.evaluator])))
    return [path for path in found if not path.startswith(f"{NAME}/settings/")]


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.startswith(f"{NAME}/"):
        yield value
    elif isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from _paths(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _paths(item)


def _account_obstacles(task: DesktopTask, accounts: Accounts) -> list[str]:
    named = list(accounts_needed(msgspec.to_builtins([task.form.config, task.form.evaluator])))
    named += [ACCOUNTS[app] for app in task.form.related_apps if app in ACCOUNTS and task.account]
    found: list[str] = []
    for name in dict.fromkeys(named):
        standing = accounts.standing(name)
        if not standing.ready:
            found.append(f"settings/{name}: {standing.problem or 'not filled in: ' + ', '.join(standing.empty)}")
    return found


def _outside(task: DesktopTask, known: Mapping[str, DesktopTask]) -> list[str]:
    """Hosts that the task or its other form names."""
    if task.account:
        return ["the service of its account"]
    forms = [task] + ([known[task.form.counterpart]] if task.form.counterpart in known else [])
    hosts = {host for form in forms for host in _hosts(form.folder, form.form.instruction)}
    return sorted(hosts)


@cache
def _hosts(folder: Path, instruction: str) -> frozenset[str]:
    texts = [instruction, *_scripts(folder)]
    found = {host.lower().rstrip(".") for text in texts for host in _ADDRESS.findall(text)}
    found |= {f"a download ({name})" for text in texts for name in _DOWNLOADS if name in text}
    return frozenset(host for host in found if not any(harmless in host for harmless in _HARMLESS))


def _scripts(folder: Path) -> Iterator[str]:
    """Code beside the task, also inside its archives."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _CODE and path.stat().st_size < LARGEST_SCAN:
            yield path.read_text(errors="replace")
        elif path.suffix == ".zip":
            yield from _archived(path)


def _archived(path: Path) -> Iterator[str]:
    try:
        with ZipFile(path) as opened:
            for part in opened.infolist()[:2_000]:
                if Path(part.filename).suffix in _CODE and part.file_size < LARGEST_SCAN:
                    yield opened.read(part).decode(errors="replace")
    except (BadZipFile, OSError, NotImplementedError, RuntimeError):
        return  # a broken archive is no statement about the network
