"""The digest of the code covers all that can change a result, and what is remembered under other code is not used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.spider2.worlds import SQL, make_spider2
from touchstone.code_digest import NO_PART_IN_RESULTS, PACKAGE, counted_files, digest_of

IMPORT_ALL = """if True:
    import importlib, json, pkgutil, sys
    for package in sys.argv[1:]:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if found.name.endswith((".commands", ".usersim", ".report", ".report_tables", ".sweep")):
                continue  # commands, which read finished runs and report: nothing that judges imports them
            try:
                importlib.import_module(found.name)
            except ImportError:
                pass  # needs an extra that is not installed here
    files = [getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("touchstone")]
    print(json.dumps([file for file in files if file]))
"""
NOTHING_MATCHES = """
import msgspec
_as_it_was = strict_any
def strict_any(*given): return msgspec.structs.replace(_as_it_was(*given), matched=False)
"""
JUDGING = ("touchstone.benchmarks", "touchstone.engines", "touchstone.verdicts", "touchstone.workers", "touchstone.runs")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("copied") / "touchstone"
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def test_a_copy_has_the_same_digest(copied: Path) -> None:
    assert digest_of(copied) == digest_of()


def test_every_module_that_judging_imports_is_counted() -> None:
    """Asked of the interpreter: whatever is loaded when all judges, engines and comparisons are."""
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, *JUDGING], stdout=subprocess.PIPE, check=True)
    loaded = {Path(file) for file in json.loads(done.stdout)}
    assert len(loaded) > 200
    demo_data = PACKAGE / "datasets"  # where the demo is; what is in it has its own digests
    assert {file for file in loaded - set(counted_files()) if not file.is_relative_to(demo_data)} == set()


def test_every_byte_of_every_counted_file_counts(copied: Path) -> None:
    before = digest_of(copied)
    files = counted_files(copied)
    assert {file.relative_to(copied) for file in files} == {file.relative_to(PACKAGE) for file in counted_files()}
    unnoticed: list[str] = []
    for file in files:
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if content else b"x")
        if digest_of(copied) == before:
            unnoticed.append(str(file))
        file.write_bytes(content)
    assert unnoticed == []
    assert digest_of(copied) == before


@pytest.mark.parametrize(
    "name", ["verdicts/new.py", "benchmarks/spider2/comparison/new.py", "engines/sqlite/new.py", "a_new_package/a.py", "top.py"]
)
def test_a_new_file_counts(copied: Path, name: str) -> None:
    before = digest_of(copied)
    file = copied / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    assert digest_of(copied) != before
    file.unlink()


@pytest.mark.parametrize("package", NO_PART_IN_RESULTS)
def test_what_only_shows_does_not(copied: Path, package: str) -> None:
    before = digest_of(copied)
    (copied / package / "new.py").write_text("x")
    assert digest_of(copied) == before


def test_after_a_change_to_a_comparison_the_old_verdict_does_not_come_out(copied: Path, tmp_path: Path) -> None:
    """What was seen: Spider2's comparison lay in a folder of `verdicts`, and was not in the digest."""
    world = make_spider2(tmp_path / "spider2")
    submitted = tmp_path / "mine"
    submitted.mkdir()
    for key, sql in SQL.items():
        (submitted / f"{key}.sql").write_text(sql)

    def passed() -> int:
        environment = {**os.environ, "PYTHONPATH": str(copied.parent), "TOUCHSTONE_CACHE": str(tmp_path / "cache")}
        words = ["score", "spider2", str(submitted), *map(str, world.options), "--json", "v.json", "-o", "out"]
        subprocess.run([sys.executable, "-m", "touchstone", *words], cwd=tmp_path, env=environment, check=True)
        return sum(each["strict"] for each in json.loads((tmp_path / "v.json").read_text()).values())

    assert (passed(), passed()) == (len(SQL), len(SQL))
    file = copied / "benchmarks" / "spider2" / "comparison" / "strict.py"
    content = file.read_text()
    file.write_text(content + NOTHING_MATCHES)
    assert passed() == 0
    file.write_text(content)
    assert passed() == len(SQL)
