"""The loops of `make torture` can lose: their checks find what is wrong; and the page shows the figures of the file."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from tests.support.command import touchstone
from tests.support.worlds import make_world, many_rows

from .__main__ import BEGIN, END, FIGURES, PAGE, table
from .hostile import hostile_statements
from .loops import TASKS, complaint_about_records, complaint_about_whole, hostile_sql


def test_hostile_statements_are_all_different_and_the_same_each_time() -> None:
    first = list(hostile_statements(2000, "/outside", seed=3))
    assert len(set(first)) == 2000
    assert first == list(hostile_statements(2000, "/outside", seed=3))


def test_hostile_statements_are_refused(tmp_path: Path) -> None:
    assert [complaint for complaint in islice(hostile_sql(tmp_path, seed=5), 60) if complaint] == []


def test_a_lost_or_repeated_record_is_seen(tmp_path: Path) -> None:
    world = make_world(tmp_path / "world", many_rows(TASKS))
    done = touchstone("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-p", "4", cwd=tmp_path)
    run = next((tmp_path / "out").glob("run-*"))
    assert complaint_about_records(run) is None
    assert complaint_about_whole(run, done.code, done.err) is None
    lines = (run / "runs.jsonl").read_text().splitlines(keepends=True)
    (run / "runs.jsonl").write_text("".join(lines[1:]))
    assert "not every task" in str(complaint_about_whole(run, 0, ""))
    (run / "runs.jsonl").write_text("".join([*lines, lines[0]]))
    assert "recorded twice" in str(complaint_about_records(run))


def test_the_page_shows_the_figures_of_the_file() -> None:
    if not FIGURES.exists():
        pytest.skip("make torture has not written its figures yet")
    shown = PAGE.read_text().partition(f"{BEGIN}\n")[2].partition(f"\n{END}")[0]
    assert shown == table(json.loads(FIGURES.read_text()))
