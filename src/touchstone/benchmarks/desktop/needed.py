"""What a task's own code asks of the outside: hosts, data that libraries download, and programs that are stand-ins here.

Only what runs is read: no comments; of Python the strings that are values, so no docstrings; of a notebook its code cells. The
example that astro puts into every project is run by nobody. A task whose code says too much or too little has an entry in
`overrides.toml`, with the reason.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

from msgspec import Struct, convert

from .tasks import DesktopTask

LARGEST_SCAN = 1 << 20
_OVERRIDES = Path(__file__).with_name("overrides.toml")
_ADDRESS = re.compile(r"https?://([A-Za-z0-9.-]+\.[A-Za-z]{2,})")
_INSTALLED = re.compile(r"\bpip3? install (?:-\S+ )*([A-Za-z][\w.-]*)")
_HARMLESS = ("www.bing.com", "www.google.com", "example.com", "www.apache.org", "github.com/dbt-labs")
"""The search page that most tasks open first, and names in texts."""
_THERE = {"pytest"}
"""Packages that scripts install although they are there."""
_DOWNLOADS = {"fetch_california_housing": "California housing", "nltk": "NLTK"}
"""Libraries that fetch data when they are used, by a word in the code."""
_UNUSED = re.compile(r"(^|/)dags/exampledag\.py$")

STANDINS = {"vscode": "code", "docker": "docker", "superset": "docker", "airflow": "astro", "mysql": "MariaDB"}
"""By application. conda and Chromium in Chrome's place are not counted: nothing of what tasks do with them differs."""
_CALLED = {
    r"\bdocker\b": "docker",
    r"\bastro\b": "astro",
    r"\bcode\s+[~/$\w]": "code",
    r"\bsystemctl\b": "systemctl",
    r"\bdate\s+-s\b|\btimedatectl\b": "date",
    r"\bdagster project (scaffold|from-example)\b": "package index",
}
OFFLINE_WEB = frozenset({"hacker-news.firebaseio.com", "wttr.in", "www.thecocktaildb.com", "docs.dagster.io"})
"""Hosts for which image/standins/web.py answers, where a run asks for it."""


_USED = {
    r"\bcode\s+[~/$\w]": "vscode",
    r"\bastro\s+(dev|run)\b": "airflow",
    r"\bdocker(-| )compose\b": "superset",
    r"-u postgres\b|\bpsql\b.*-h (localhost|172\.17\.0\.1)": "postgresql",
    r"(?m)^[^#\n]*\bmysql\s+(-|<)": "mysql",
    r"\bjupyter[ -](lab|notebook)\b": "jupyter",
}
"""Applications that scripts call, whatever the task lists."""
_ACTIVATED = re.compile(r"\bconda activate (dagster|dbt|airflow|jupyter)\b")


class Outside(Struct, frozen=True):
    hosts: frozenset[str]
    standins: frozenset[str]
    apps: frozenset[str] = frozenset()
    """What its scripts call. Some tasks leave an application out of their list."""


class Override(Struct, frozen=True, forbid_unknown_fields=True):
    """For these tasks, hosts that the code names do not matter, or something is needed that the code does not name."""

    tasks: list[str]
    why: str
    ignore: list[str] = []
    needs: str = ""
    kind: str = "network"


@cache
def overrides() -> Mapping[str, Override]:
    """By task."""
    entries = convert(tomllib.loads(_OVERRIDES.read_text())["override"], list[Override])
    return {task: entry for entry in entries for task in entry.tasks}


def needed(task: DesktopTask) -> Outside:
    """By the task's own form."""
    outside = read(task.folder, task.form.instruction, json.dumps([step.parameters for step in task.form.config]))
    own = overrides().get(task.key)
    standins = {STANDINS[app] for app in task.form.related_apps if app in STANDINS} | outside.standins
    return Outside(outside.hosts - set(own.ignore if own else ()), frozenset(standins), outside.apps)


def applications(task: DesktopTask) -> list[str]:
    """Those that the task lists, and those that its scripts call all the same."""
    return [*task.form.related_apps, *sorted(needed(task).apps - set(task.form.related_apps))]


@cache
def read(folder: Path, instruction: str, parameters: str) -> Outside:
    """What the code of a task and of its steps names."""
    scripts = list(_scripts(folder))
    texts = [instruction, *(text for _, text in scripts)]
    hosts = {host.lower().rstrip(".") for text in texts for host in _ADDRESS.findall(text)}
    hosts |= {f"data of {name}" for text in texts for word, name in _DOWNLOADS.items() if re.search(rf"\b{word}\b", text)}
    if any(name not in _THERE for text in texts for name in _INSTALLED.findall(text)):
        hosts.add("the package index")
    shell = [text for name, text in scripts if name.endswith(".sh")] + [parameters]
    called = {name for text in shell for pattern, name in _CALLED.items() if re.search(pattern, text)}
    used = {app for text in shell for pattern, app in _USED.items() if re.search(pattern, text)}
    used |= {name for text in shell for name in _ACTIVATED.findall(text)}
    harmless = {host for host in hosts if any(part in host for part in _HARMLESS)}
    return Outside(frozenset(hosts - harmless), frozenset(called), frozenset(used))


def _scripts(folder: Path) -> Iterator[tuple[str, str]]:
    """Code beside the task, also inside its archives: name, and what of it runs."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _RUNS and path.stat().st_size < LARGEST_SCAN:
            yield path.name, _RUNS[path.suffix](path.read_text(errors="replace"))
        elif path.suffix == ".zip":
            yield from _archived(path)


def _archived(path: Path) -> Iterator[tuple[str, str]]:
    try:
        with ZipFile(path) as opened:
            for part in opened.infolist()[:2_000]:
                suffix = PurePosixPath(part.filename).suffix
                if suffix in _RUNS and part.file_size < LARGEST_SCAN and not _UNUSED.search(part.filename):
                    yield part.filename, _RUNS[suffix](opened.read(part).decode(errors="replace"))
    except (BadZipFile, OSError, NotImplementedError, RuntimeError):
        return  # a broken archive is no statement about the network


def without_comments(text: str, mark: str = "#") -> str:
    """A comment begins at the start of a line or after a blank, outside quotes that this line opened."""
    return "\n".join(_line(line, mark) for line in text.splitlines())


def _line(line: str, mark: str) -> str:
    quote = ""
    for position, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif line.startswith(mark, position) and (position == 0 or line[position - 1] in " \t;"):
            return line[:position]
    return line


def python_values(text: str) -> str:
    """Strings that are values, and names: one a line. What is no Python (a cell with a shell command) is read like shell."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return without_comments(text)
    aside = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return "\n".join(word for node in nodes if id(node) not in aside and (word := _word(node)))


def _word(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name
        case _:
            return ""


def notebook_code(text: str) -> str:
    try:
        cells: list[dict[str, Any]] = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return "\n".join(python_values(source) for source in sources)


_RUNS: dict[str, Callable[[str], str]] = {
    ".sh": without_comments,
    ".yml": without_comments,
    ".yaml": without_comments,
    ".toml": without_comments,
    ".sql": lambda text: without_comments(text, "--"),
    ".py": python_values,
    ".ipynb": notebook_code,
}
