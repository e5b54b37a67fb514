"""The requirement files with hashes hold what pyproject.toml names, in the versions of constraints.txt."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+) \\$", re.MULTILINE)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: Path) -> dict[str, str]:
    return {normal(name): version for name, version in PIN.findall(file.read_text())}


def constraints() -> dict[str, str]:
    pairs = (line.partition("==")[::2] for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    return {normal(name): version for name, version in pairs}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_versions_are_those_of_the_constraints(file: Path) -> None:
    known = constraints()
    assert {name: (version, known[name]) for name, version in pins(file).items() if known.get(name, version) != version} == {}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_requirement_of_the_extras_is_pinned_with_a_hash(file: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.findall(r"extras (\S+)", file.read_text())[0].split(",")
    wanted = [*project["dependencies"], *(need for extra in extras for need in project["optional-dependencies"][extra])]
    names = {normal(re.split(r"[\[<>=! ]", need)[0]) for need in wanted}
    assert names - set(pins(file)) == set()
    assert file.read_text().count("--hash=sha256:") == len(pins(file))


def test_the_makefile_installs_these_extras() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for file in FILES:
        extras = re.findall(r"extras (\S+)", file.read_text())[0]
        assert f"_EXTRAS := {extras}\n" in makefile, file.name
