"""Options in a TOML file: read for `--config FILE`, and written into every run directory so that the file reproduces the run.

    touchstone = "bird"              # which command the options are for; may be left out
    data-file = "mini_dev_sqlite.json"
    db-dir = "dev_databases"
    model = "gpt-5-mini"
    task = ["17", "23"]              # what can be repeated is a list
    evidence = false                 # as --no-evidence

Names are those of the command line without the dashes in front. What is given on the command line counts more than the file,
and the file counts more than variables of the environment. Paths are as on the command line: from where one stands.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..failures import InputError
from ..runs.toml import COMMAND

if TYPE_CHECKING:
    from cyclopts import App


def configuration(app: App, argv: Sequence[str]) -> tuple[dict[str, Any], str]:
    """The options of the file that the command line names, under the words of its command, and the file's name; or nothing."""
    given = config_option(argv)
    if given is None:
        return {}, ""
    if any(word in ("--resume", "-r") or word.startswith("--resume=") for word in argv):
        raise InputError("--config and --resume exclude each other: a resumed run goes on with the options it had")
    options = arguments_of_file(Path(given))
    words = list(app.parse_commands(list(argv))[0])
    meant = str(options.pop(COMMAND, " ".join(words)))
    if meant.split() != words:
        raise InputError(f"{given}: these are options of 'touchstone {meant}', not of 'touchstone {' '.join(words)}'")
    stored: dict[str, Any] = options
    for word in reversed(words):
        stored = {word: stored}
    return stored, given


def config_option(argv: Sequence[str]) -> str | None:
    """What stands behind the last `--config`."""
    found = [value for option, value in pairwise(argv) if option == "--config"]
    found += [option.removeprefix("--config=") for option in argv if option.startswith("--config=")]
    return found[-1] if found else None


def arguments_of_file(path: Path) -> dict[str, Any]:
    """The options of a file, by name. Raises InputError; an option that the command lacks is refused when it is parsed."""
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--config {path}: {error.strerror}") from None
    except UnicodeError:
        raise InputError(f"--config {path}: not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"--config {path}: not valid TOML: {error}") from None
    for name, value in options.items():
        if name in ("config", "resume"):
            raise InputError(f"--config {path}: {name} cannot be in the file itself")
        if name.startswith("no-"):
            raise InputError(f"--config {path}: {name}: write {name.removeprefix('no-')} = false")
        if isinstance(value, dict):
            raise InputError(f"--config {path}: [{name}]: expected options without sections")
    return options
