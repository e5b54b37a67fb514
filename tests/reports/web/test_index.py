"""The index of a run: what is added, torn, damaged and rewritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.records import a_record
from touchstone.reports.web.episodes import RecordGone, read
from touchstone.reports.web.index import RunIndex
from touchstone.reports.web.library import Run
from touchstone.types import Brief, ModelStep, Outcome, Record, Reply, Usage


def line(task: str, **more: Any) -> bytes:
    return msgspec.json.encode(a_record(task, **more)) + b"\n"


def tasks(index: RunIndex) -> list[str]:
    return [entry.record.task for entry in index.refresh()]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text("{}")
    return tmp_path / "runs.jsonl"


def test_it_grows_with_the_file_and_leaves_a_torn_line_until_it_is_whole(file: Path) -> None:
    file.write_bytes(line("1"))
    index = RunIndex(file)
    assert tasks(index) == ["1"]
    with file.open("ab") as more:
        more.write(line("2") + line("3")[:40])
    assert tasks(index) == ["1", "2"]
    stamp = index.stamp
    assert tasks(index) == ["1", "2"]
    assert index.stamp == stamp
    with file.open("ab") as more:
        more.write(line("3")[40:])
    assert tasks(index) == ["1", "2", "3"]
    assert index.stamp != stamp
    assert index.generation == 0
    assert index.aggregate.done == 3


def test_a_resumed_run_is_read_anew(file: Path) -> None:
    file.write_bytes(line("1") + line("2", outcome=Outcome.error) + line("3"))
    index = RunIndex(file)
    assert tasks(index) == ["1", "2", "3"]
    kept = file.with_suffix(".kept")
    kept.write_bytes(line("1") + line("3") + line("2") + line("4"))
    kept.replace(file)
    assert tasks(index) == ["1", "3", "2", "4"]
    assert index.generation == 1
    assert index.aggregate.outcomes[Outcome.error] == 0


def test_a_file_that_is_rewritten_in_place_is_noticed(file: Path) -> None:
    file.write_bytes(line("1") + line("2"))
    index = RunIndex(file)
    assert tasks(index) == ["1", "2"]
    file.write_bytes(line("7") + line("8") + line("9"))
    assert tasks(index) == ["7", "8", "9"]


def test_lines_that_are_no_records_are_named_and_left_out(file: Path) -> None:
    file.write_bytes(line("1") + b"{broken\n" + b'{"task": 5}\n' + b"\xff\xfe\n" + line("2"))
    index = RunIndex(file)
    assert tasks(index) == ["1", "2"]
    assert [fault.split(" is ")[0] for fault in index.faults] == ["line 2", "line 3", "line 4"]
    assert [entry.record.task for entry in index.entries if json.loads(index.line(entry))["task"] == entry.record.task] == [
        "1",
        "2",
    ]


def test_transcripts_stay_on_the_disk_until_they_are_asked_for(file: Path) -> None:
    steps = [ModelStep(Reply("a secret thought"), "x", 1.0)]
    file.write_bytes(line("1") + line("2", steps=steps, brief=Brief("", "long", {"question": "What\n is it? " * 50})))
    run = Run(file.parent, "label", "name").refresh()
    entry = run.index.by_name["t-2~0"]
    assert entry.record.steps == []
    assert len(entry.record.question) == 160
    assert "secret thought" in str(read(run, entry).steps)


def test_a_record_that_moved_is_not_taken_for_another(file: Path) -> None:
    file.write_bytes(line("1") + line("2"))
    run = Run(file.parent, "label", "name").refresh()
    entry = run.index.by_name["t-2~0"]
    file.write_bytes(line("2") + line("1"))
    with pytest.raises(RecordGone):
        read(run, entry)


def test_the_numbers_are_those_of_the_run(file: Path) -> None:
    usage = Usage(1, 10, 0, 5, 0.25)
    records: list[Record] = [
        a_record("1", usage=usage, usage_by={"user": usage}),
        a_record("2", Outcome.failed, evidence={"kind": "rounding", "gold": "SELECT 1"}, started="no time at all"),
    ]
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    index = RunIndex(file)
    index.refresh()
    overall = index.aggregate.overall()
    assert overall["overall"]["accuracy"] == 0.5
    assert overall["failed_because"] == {"rounding": 1}
    assert index.cost == 0.5
    assert index.began is not None
    assert index.began.year == 2026
