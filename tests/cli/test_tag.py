"""`touchstone tag`: tags and a note beside a run, which is not changed by them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.reports.web.runs import write_run
from tests.support.command import run_directory
from tests.support.records import a_record
from tests.support.worlds import World
from touchstone.runs.labels import label_run, read_labels


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "x" / "run", a_record("1"))


def test_tags_and_a_note_come_and_go(cli: Cli, run: Path) -> None:
    assert cli("tag", run).out == "tags  –\nnote  –\n"
    assert cli("tag", run, "paper", "baseline", "--note", "Before the prompt was changed").code == 0
    assert json.loads((run / "labels.json").read_text()) == {
        "tags": ["paper", "baseline"],
        "note": "Before the prompt was changed",
    }
    done = cli("tag", run, "seed-2", "paper", "--remove", "baseline")
    assert done.out == "tags  paper seed-2\nnote  Before the prompt was changed\n"
    assert cli("tag", run, "--remove", "paper", "--remove", "seed-2", "--note", "").out == "tags  –\nnote  –\n"


def test_a_run_is_the_same_with_and_without_them(cli: Cli, world: World, tmp_path: Path) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    sealed = cli("verify", run).out
    assert cli("tag", tmp_path / "out" / "latest", "paper").code == 0
    assert read_labels(run).tags == ["paper"]
    assert cli("verify", run).out == sealed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["two words"], "'two words': expected one word without spaces or commas, at most 60 characters"),
        (["fine", ""], "'': expected one word without spaces or commas, at most 60 characters"),
        (["fine", "--remove", "none"], "--remove none: the run has no such tag (it has old)"),
        (["--note", "x" * 10_001], "--note: 10,001 characters, at most 10,000 are allowed"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(cli: Cli, run: Path, words: list[str], complaint: str) -> None:
    cli("tag", run, "old")
    done = cli("tag", run, *words)
    assert (done.code, done.complaint) == (2, f"touchstone: {complaint}")
    assert read_labels(run).tags == ["old"]


def test_what_is_no_run_here_is_refused(cli: Cli, tmp_path: Path, run: Path) -> None:
    assert cli("tag", tmp_path, "a").complaint == f"touchstone: {tmp_path}: not a run directory (it has no config.json)"
    assert "s3://b/r: only a run directory on this machine can be tagged" in cli("tag", "s3://b/r", "a").complaint
    (run / "labels.json").write_text('{"tags": "x"}')
    assert 'labels.json: expected {"tags": ["…"], "note": "…"}' in cli("tag", run, "a").complaint
    assert (run / "labels.json").read_text() == '{"tags": "x"}'


def test_tags_of_two_writers_at_once_are_all_kept(run: Path) -> None:
    writers = [threading.Thread(target=label_run, args=(run, [f"tag-{number}"])) for number in range(20)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(read_labels(run).tags) == sorted(f"tag-{number}" for number in range(20))
    assert sorted(file.name for file in run.iterdir()) == ["config.json", "labels.json", "runs.jsonl"]
