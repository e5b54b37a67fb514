"""What a program finds around it: variables, and files with the brief."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ..errors import InputError
from ..files import cache_folder
from ..models.wire import arguments_schema
from ..options import OptionError
from ..types import Brief, Tool
from .served import brief_text

_KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "TZ")


def own_data() -> tuple[Path, ...]:
    """Where Touchstone itself has references: the datasets that ship with it, and what it remembers of results."""
    return Path(__file__).resolve().parents[2] / "datasets", cache_folder()


def remembered_searches() -> Path:
    """Where it is remembered which files did not hold the gold. The program sees nothing of it."""
    return cache_folder() / "gold-searches"


def passed_on(names: Sequence[str]) -> dict[str, str]:
    """The variables that the user wants the program to have. Raises InputError for one that is not set."""
    for name in names:
        if name not in os.environ:
            raise InputError(f"--pass-env {name}: this variable is not set")
    return {name: os.environ[name] for name in names}


def environment(home: Path, tmp: Path) -> dict[str, str]:
    """Nothing of ours that could tell anything."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"PATH": os.defpath, **kept, "HOME": str(home), "TMPDIR": str(tmp)}


def write_brief(folder: Path, brief: Brief, tools: Sequence[Tool], address: str | None) -> dict[str, str]:
    """Files, and the variables that name them."""
    files = {
        "BRIEF": ("brief.txt", brief_text(brief).encode()),
        "INSTRUCTIONS": ("instructions.txt", brief.instructions.encode()),
        "REQUEST": ("request.txt", brief.request.encode()),
        "FIELDS": ("fields.json", msgspec.json.encode(brief.fields)),
    }
    if address is not None:
        server = {"touchstone": {"type": "http", "url": address}}
        files["MCP_CONFIG"] = ("mcp.json", msgspec.json.encode({"mcpServers": server}))
        files["TOOLS"] = ("tools.json", msgspec.json.encode([_described(tool) for tool in tools]))
    for name, content in files.values():
        (folder / name).write_bytes(content)
    named = {f"TOUCHSTONE_{variable}": str(folder / name) for variable, (name, _) in files.items()}
    return named | ({"TOUCHSTONE_MCP_URL": address} if address is not None else {})


def _described(tool: Tool) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, "arguments": arguments_schema(tool)}


# A command line made ready for another folder: which program is meant, which files it names, and what must be visible for it.
#
# The program starts in an empty folder, so words that name existing files become absolute. Of the user's files it can see the
# folders of those; of a program in `<prefix>/bin` all of the prefix, since its libraries are there. A folder that holds much
# else (the home folder, one for temporary files) is never made visible as a whole.


def resolved(words: Sequence[str]) -> list[str]:
    """The words with absolute paths. Raises InputError if there is no such program, or it cannot be started."""
    if not words or not words[0]:
        raise InputError("the command agent needs a program: --command 'PROGRAM ARGUMENT …', or -- PROGRAM ARGUMENT …")
    program = shutil.which(words[0])
    if program is None:
        what = "is not executable" if Path(words[0]).is_file() else "there is no such program"
        raise OptionError("command", words[0], what)
    _refuse_unstartable(words[0], Path(program))
    return [str(Path(program).absolute()), *(str(Path(word).absolute()) if _is_file(word) else word for word in words[1:])]


def folders(words: Sequence[str]) -> list[Path]:
    """What must be visible for this command line, system folders aside."""
    program, *others = words
    paths = [
        *_folders_of_program(Path(program)),
        *(folder for word in others if _is_file(word) for folder in _folder(Path(word))),
    ]
    return list(dict.fromkeys(paths))


def whole_folders(hidden: Sequence[Path]) -> list[Path]:
    """What must not be seen, and of a file all that lies beside it: published archives have the gold there once more. A folder
    that holds much else stays, and is searched for the gold instead."""
    beside = [path.resolve().parent for path in hidden if path.is_file()]
    places = list(dict.fromkeys([*hidden, *(parent for parent in beside if not _is_broad(parent))]))
    real = [path.resolve() for path in places]
    return [
        folder
        for folder, path in zip(places, real, strict=True)
        if not any(path != other and path.is_relative_to(other) for other in real)
    ]


def not_of_the_system(visible: Sequence[Path]) -> list[Path]:
    """What may hold files of a user's: all that the program can read but for what the system's packages brought."""
    places = [*visible, Path(sys.base_prefix), *map(Path, ("/etc", "/opt", "/usr/local"))]
    return [path for path in places if not _is_of_the_system(path)]


def _is_of_the_system(path: Path) -> bool:
    real = path.resolve()
    if real.is_relative_to("/usr/local"):
        return False
    return any(real.is_relative_to(root) for root in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"))


def refuse_hidden(words: Sequence[str], hidden: Sequence[Path]) -> None:
    """Raises InputError if the command line names something that the program must not see."""
    for word in words:
        for folder in hidden:
            if _is_file(word) and Path(word).resolve().is_relative_to(folder.resolve()):
                why = f"this is in {folder}, which the program must not see; keep program and data in separate folders"
                raise OptionError("command", word, why)


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):  # too long for a name, or with a zero in it
        return False


def _folders_of_program(program: Path) -> Iterator[Path]:
    yield from _folder(program)
    interpreter = _interpreter(program)
    if interpreter is not None:
        yield from _folder(interpreter)


def _folder(file: Path) -> Iterator[Path]:
    for path in dict.fromkeys((file.absolute(), file.resolve())):
        wanted = [path.parent.parent, path.parent] if path.parent.name == "bin" else [path.parent]
        yield next((folder for folder in wanted if not _is_broad(folder)), path)


def _is_broad(folder: Path) -> bool:
    home = Path.home().resolve()
    places = (home, home / ".local", Path(tempfile.gettempdir()).resolve(), Path("/tmp"), Path("/var/tmp"))
    return any(path.is_relative_to(folder.resolve()) for path in places)


def _interpreter(program: Path) -> Path | None:
    """Of a script: what its first line names; if that is `env`, what it looks up."""
    with program.open("rb") as file:
        first = file.read(512).partition(b"\n")[0]
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode("utf-8", "replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    located = shutil.which(words[0]) if words else None
    return Path(located).absolute() if located else None


def _refuse_unstartable(typed: str, program: Path) -> None:
    with program.open("rb") as file:
        start = file.read(4)
    if start.startswith(b"#!"):
        if _interpreter(program) is None:
            raise OptionError("command", typed, "its first line names an interpreter that does not exist")
    elif start != b"\x7fELF" and not _registered_formats():
        raise OptionError("command", typed, "neither a program nor a script; a script's first line must be like #!/bin/sh")


def _registered_formats() -> bool:
    """Whether the kernel may know other kinds of programs."""
    places = Path("/proc/sys/fs/binfmt_misc")
    return places.is_dir() and any(name not in ("register", "status") for name in os.listdir(places))  # noqa: PTH208
