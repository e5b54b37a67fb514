"""The code of docs/python.md runs as it is copied: block after block, as a reader pastes them into one notebook."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import touchstone
from tests.support.command import environment
from touchstone import plugins

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def program(page: str) -> str:
    """All blocks in one namespace. Each keeps the line numbers of the page, so that a traceback points into it."""
    parts: list[str] = []
    for block in _BLOCK.finditer(page):
        above = page.count("\n", 0, block.start(1)) - sum(part.count("\n") for part in parts)
        parts.append("\n" * above + block[1])
    return "".join(parts)


def test_the_code_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    page = PAGE.read_text()
    assert page.count("```python") == len(_BLOCK.findall(page)) > 3
    copied = tmp_path / "python.md.py"
    copied.write_text(program(page))
    folder = tmp_path / "work"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, str(copied)],
        cwd=folder,
        env=environment(tmp_path / "cache"),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    for shown in ("n = 6", "sums: 5 of 5 passed", "mean reward", "RunConfig: 3 of 3 passed"):
        assert shown in done.stdout, done.stdout


def test_the_public_names_that_the_docs_list_are_those_of_the_package() -> None:
    page = PAGE.with_name("plug-in.md").read_text()
    table = page.partition("| from `touchstone` | |")[2].partition("`touchstone.plugins` has")
    names, functions = set(re.findall(r"`(\w+)`", table[0])), re.findall(r"`(\w+)\(", table[2])
    assert names == {*touchstone.__all__} - {"__version__"}
    assert all(hasattr(plugins, name) for name in functions)
