"""Without what only Linux has: scoring, playing, comparing, viewing and exporting work, and the rest refuses in one sentence.

A child process, and those that it starts, see a Python without these modules and functions, as on Windows.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SITE = """
import importlib.abc, os, select, signal, socket, sys, time

GONE = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"}

class Gone(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in GONE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gone())
for name in GONE:
    sys.modules.pop(name, None)
for module, names in {
    os: ["fork", "forkpty", "sched_getaffinity", "setsid", "O_CLOEXEC", "memfd_create", "unshare", "wait4", "WTERMSIG"],
    socket: ["send_fds", "recv_fds"],
    select: ["poll", "epoll"],
    signal: ["SIGXCPU", "SIGHUP", "SIGQUIT", "pthread_sigmask"],
    time: ["tzset"],
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""
QUESTIONS = "id,question,sql\na,How many customers?,SELECT count(*) FROM customer\nb,Names?,SELECT name FROM customer\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    site = tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text(SITE)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "PYTHONPATH": str(site), "TOUCHSTONE_CACHE": str(tmp_path_factory.mktemp("cache"))}


def touchstone(environment: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from touchstone.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def test_modules_are_really_gone(environment: dict[str, str]) -> None:
    for name in ("resource", "fcntl", "pwd"):
        done = subprocess.run([sys.executable, "-c", f"import {name}"], env=environment, capture_output=True, text=True)
        assert f"No module named '{name}'" in done.stderr


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import sqlite3

    import duckdb

    folder = tmp_path_factory.mktemp("shop")
    made = "CREATE TABLE customer (id INTEGER, name VARCHAR); INSERT INTO customer VALUES (1, 'a'), (2, 'b');"
    with sqlite3.connect(folder / "shop.sqlite") as connection:
        connection.executescript(made)
    connection.close()
    with duckdb.connect(str(folder / "shop.duckdb")) as other:
        other.execute(made)
    (folder / "questions.csv").write_text(QUESTIONS)
    (folder / "right.json").write_text('{"a": "SELECT 2", "b": "SELECT name FROM customer ORDER BY 1 DESC"}')
    (folder / "wrong.json").write_text('{"a": "SELECT 2", "b": "DELETE FROM customer"}')
    return folder


@pytest.mark.parametrize("database", ["shop.sqlite", "shop.duckdb"])
def test_answers_are_scored_and_runs_compared_viewed_and_exported(
    environment: dict[str, str], shop: Path, database: str
) -> None:
    where = ["--questions", "questions.csv", "--db", database]
    for name, passed in (("right", 2), ("wrong", 1)):
        done = touchstone(environment, shop, "score", "sql", f"{name}.json", *where, "-o", f"{database}-{name}")
        assert done.returncode == 0, done.stderr
        assert f"Passed:           {passed}" in done.stdout
    runs = [str(next((shop / f"{database}-{name}").glob("run-*"))) for name in ("right", "wrong")]
    compared = touchstone(environment, shop, "compare", *runs)
    assert compared.returncode == 0, compared.stderr
    viewed = touchstone(environment, shop, "view", runs[0], "--export", f"{database}-pages")
    assert viewed.returncode == 0, viewed.stderr


def test_a_run_of_the_oracle_explores_too(environment: dict[str, str], shop: Path) -> None:
    done = touchstone(
        environment, shop, "run", "sql", "--questions", "questions.csv", "--db", "shop.sqlite", "--agent", "oracle"
    )
    assert done.returncode == 0, done.stderr
    assert "Passed:           2" in done.stdout


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["doctor"], ["bird", "--help"], ["data", "list"]])
def test_nothing_ends_in_a_traceback(environment: dict[str, str], tmp_path: Path, words: list[str]) -> None:
    done = touchstone(environment, tmp_path, *words)
    assert "Traceback" not in done.stderr + done.stdout
    assert "Error:" not in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "sql", "questions.csv", "shop.sql", "--engine", "postgres", "--agent", "oracle"], "needs Linux"),
        (["run", "sql", "questions.csv", "shop.sql", "--engine", "mysql", "--agent", "oracle"], "needs Linux"),
        (["run", "desktop", "demo", "--agent", "oracle"], "Linux"),
        (["run", "sql", "demo", "--agent", "command", "--command", "cat"], "Linux"),
    ],
)
def test_what_needs_linux_says_so_in_one_line(environment: dict[str, str], shop: Path, words: list[str], sentence: str) -> None:
    (shop / "shop.sql").write_text("-- MySQL dump\n")
    done = touchstone(environment, shop, *words)
    assert done.returncode != 0
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
