"""The package's own name: in one place, and never that of the stranger's package on the index."""

from __future__ import annotations

import tomllib
from pathlib import Path

from touchstone.distribution import NAME, pip_install

ROOT = Path(__file__).parents[1]


def test_the_name_is_that_of_the_project() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"] == NAME


def test_every_hint_names_an_extra_that_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for extra in extras:
        assert pip_install(extra) == f"pip install 'touchstone-harness[{extra}]'"


def test_no_hint_installs_a_strangers_package() -> None:
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    wrong = [str(page.relative_to(ROOT)) for page in pages if "install 'touchstone[" in page.read_text()]
    assert wrong == []
    assert not [page for page in pages if "pip install touchstone\n" in page.read_text()]
