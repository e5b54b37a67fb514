"""A run that somebody sends can be checked: whatever was changed is named, and no kill or resume breaks a seal."""

from __future__ import annotations

import json
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runs.test_killed import killed_at_work, size
from tests.support.command import finish, overall, records, run_directory, start, times_recorded, touchstone
from tests.support.records import a_record
from tests.support.worlds import World, make_world, many_rows
from touchstone.errors import InputError
from touchstone.runs.aggregate import aggregate
from touchstone.runs.directory import RunDirectory, encoded, read_records
from touchstone.runs.run import versions
from touchstone.runs.seal import Chain, opened
from touchstone.runs.summary import summary_text
from touchstone.runs.verification import verify
from touchstone.types import Outcome, Record

CONFIG = {"title": "t", "command": "bird", "identity": {"metric": "ex"}, "versions": versions()}


def close(directory: RunDirectory) -> Path:
    """As a run ends."""
    counted = aggregate(directory.records()).overall()
    directory.finish(counted, summary_text("t", counted, versions()))
    directory.close()
    return directory.path


async def make(base: Path, *given_records: Record) -> Path:
    directory = RunDirectory.create(base, CONFIG)
    for record in given_records:
        await directory.append(record)
    return close(directory)


async def ten(base: Path) -> Path:
    return await make(base, *(a_record(str(number), seconds=number / 7) for number in range(10)))


def lines(run: Path) -> list[bytes]:
    return (run / "runs.jsonl").read_bytes().splitlines(keepends=True)


def put(run: Path, changed: list[bytes]) -> None:
    (run / "runs.jsonl").write_bytes(b"".join(changed))


async def test_a_finished_run_holds_and_has_a_seal(tmp_path: Path) -> None:
    found = verify(await ten(tmp_path))
    assert found.holds, found
    assert found.seal is not None
    assert len(found.seal) == 64
    assert verify(tmp_path / "latest", found.seal).holds
    assert verify(tmp_path / "latest", "0" * 64).wrong == [f"the seal is {found.seal}, expected {'0' * 64}"]


@pytest.mark.parametrize("number", [1, 2, 5, 10])
async def test_a_changed_line_is_named(tmp_path: Path, number: int) -> None:
    run = await ten(tmp_path)
    changed = lines(run)
    changed[number - 1] = changed[number - 1].replace(b'"outcome":"passed"', b'"outcome":"failed"')
    put(run, changed)
    named = [line for line in verify(run).wrong if line.startswith("runs.jsonl: line")]
    assert len(named) == 1
    assert named[0].startswith(f"runs.jsonl: line {number} (task {number - 1}, epoch 0) was changed after it was written")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_single_byte_can_change_unnoticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    import asyncio

    run = asyncio.run(make(tmp_path_factory.mktemp("r"), *(a_record(str(number)) for number in range(3))))
    name = data.draw(st.sampled_from(["runs.jsonl", "config.json", "overall.json", "summary.txt", "seal.json"]))
    content = bytearray((run / name).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    white = b" \n\t\r"
    if name == "seal.json" and byte in white and content[at] in white:
        return  # how seal.json is laid out says nothing
    content[at] = byte
    (run / name).write_bytes(bytes(content))
    try:
        assert not verify(run).holds
    except InputError:  # config.json is no configuration any more
        assert name == "config.json"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda all_: [*all_[:4], *all_[5:]], "line 5 "),
        (lambda all_: [*all_[:4], all_[5], all_[4], *all_[6:]], "line 5 "),
        (lambda all_: [*all_[:4], encoded(a_record("new")) + b"\n", *all_[4:]], "line 5 (task new, epoch 0) has no seal"),
        (lambda all_: all_[1:], "line 1 "),
        (lambda all_: all_[:-2], "the run was closed with 10 records and has 8"),
        (lambda all_: [*all_, all_[3]], "line 11 records task 3, epoch 0 again, after line 4"),
        (lambda all_: [*all_[:2], b"{}\n", *all_[3:]], "line 3 is not a record of Touchstone"),
    ],
    ids=["taken out", "moved", "put in", "first taken out", "cut off", "twice", "nonsense"],
)
async def test_lines_cannot_come_and_go(tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], named: str) -> None:
    run = await ten(tmp_path)
    put(run, change(lines(run)))
    wrong = verify(run).wrong
    assert any(f"runs.jsonl: {named}" in line for line in wrong), wrong


async def test_records_sealed_anew_do_not_fit_the_published_seal(tmp_path: Path) -> None:
    """Anybody can make a run that holds; nobody can make another one with the same seal."""
    published = verify(await ten(tmp_path / "a")).seal
    forged = await make(tmp_path / "b", *(a_record(str(number), Outcome.failed) for number in range(10)))
    assert verify(forged).holds
    assert not verify(forged, published).holds


async def test_a_summary_that_lies_is_told_by_field(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, CONFIG)
    await directory.append(a_record("1", Outcome.failed))
    counted = aggregate(directory.records()).overall()
    counted["overall"]["passed"] = 1
    directory.finish(counted, summary_text("t", counted, versions()))
    directory.close()
    found = verify(directory.path)
    assert found.wrong == [
        "overall.json: overall.passed is 1, and 0 by the records",
        "summary.txt does not follow from the records",
    ]


@pytest.mark.parametrize("name", ["config.json", "overall.json", "summary.txt"])
async def test_a_changed_file_is_named(tmp_path: Path, name: str) -> None:
    run = await ten(tmp_path)
    (run / name).write_bytes((run / name).read_bytes() + b" ")
    assert f"{name} was changed after the run was closed" in verify(run).wrong


async def test_another_identity_breaks_the_chain_even_without_the_closing_seal(tmp_path: Path) -> None:
    run = await ten(tmp_path)
    (run / "seal.json").unlink()
    config = json.loads((run / "config.json").read_text())
    config["identity"]["metric"] = "multiset"
    (run / "config.json").write_text(json.dumps(config))
    assert any("line 1 " in line for line in verify(run).wrong)


async def test_a_run_from_before_seals_is_told_so_and_goes_on_without(tmp_path: Path) -> None:
    run = await ten(tmp_path)
    config = json.loads((run / "config.json").read_text())
    del config["seal"]
    (run / "config.json").write_text(json.dumps(config))
    put(run, [opened(line)[0] + b"\n" for line in lines(run)])
    (run / "seal.json").unlink()
    directory = RunDirectory.resume(run, {"metric": "ex"})
    await directory.append(a_record("more"))
    close(directory)
    found = verify(run)
    assert (found.wrong, found.seal) == ([], None)
    assert found.open == ["not sealed: made by a Touchstone that did not seal runs, or its seal was taken out on purpose"]
    assert "overall.json and summary.txt follow from the records" in found.right


class TestResume:
    async def test_errors_and_a_torn_line_are_taken_out_and_the_rest_is_sealed_anew(self, tmp_path: Path) -> None:
        run = await make(
            tmp_path, *(a_record(str(number), Outcome.error if number % 3 else Outcome.passed) for number in range(9))
        )
        with (run / "runs.jsonl").open("ab") as file:
            file.write(b'{"task": "torn')
        assert verify(run).open == ["runs.jsonl: line 10 is torn: the run was killed, or is being written"]
        directory = RunDirectory.resume(run, {"metric": "ex"})
        await directory.append(a_record("1"))
        assert verify(run).open[0].startswith("not closed")
        close(directory)
        assert verify(run).holds
        assert [record.task for record in read_records(run)] == ["0", "3", "6", "1"]

    async def test_a_changed_record_is_not_sealed_anew(self, tmp_path: Path) -> None:
        run = await make(tmp_path, a_record("0", Outcome.error), a_record("1"), a_record("2"))
        changed = lines(run)
        changed[1] = changed[1].replace(b'"score":1.0', b'"score":0.5')
        put(run, changed)
        with pytest.raises(InputError, match=r"runs\.jsonl: line 2 was changed after it was written"):
            RunDirectory.resume(run, {"metric": "ex"})
        assert lines(run) == changed

    async def test_records_of_another_copy_are_taken_in(self, tmp_path: Path) -> None:
        run = await make(tmp_path, a_record("1"))
        chain = Chain.of(json.loads((run / "config.json").read_text()))
        assert chain is not None
        elsewhere, _ = chain.sealed([encoded(a_record("2")), encoded(a_record("1")), encoded(a_record("3"))])
        (run / ".runs.jsonl.fetched").write_bytes(elsewhere)
        close(RunDirectory.resume(run, {"metric": "ex"}))
        assert verify(run).holds
        assert [record.task for record in read_records(run)] == ["1", "2", "3"]

    async def test_other_code_is_refused(self, tmp_path: Path) -> None:
        run = await ten(tmp_path)
        config = json.loads((run / "config.json").read_text())
        config["identity"]["code"] = 64 * "0"
        (run / "config.json").write_text(json.dumps(config))
        with pytest.raises(InputError, match="cannot resume, Touchstone's own code has changed since"):
            RunDirectory.resume(run, {"metric": "ex"})


def test_a_seal_survives_kills_and_resumes(tmp_path: Path) -> None:
    """kill -9 at any moment: after each no line is wrong, and the run that ends at last holds as a whole."""
    world = make_world(tmp_path / "world", many_rows(300))
    chance = random.Random(1)
    arguments: list[str | Path] = ["bird", *world.arguments, "--agent", "oracle", "-o", "out", "-p", "4"]
    for _ in range(3):
        process = start(*arguments, cwd=tmp_path)
        runs = list((tmp_path / "out").glob("run-*"))
        if not killed_at_work(process, tmp_path / "out", size(runs[0]) if runs else 0, chance.random() / 10):
            break
        run = run_directory(tmp_path / "out")
        assert verify(run).wrong == []
        arguments = ["bird", "--resume", run, "-p", "4"]
    done = touchstone(*arguments, cwd=tmp_path)
    assert done.code == 0, done.err
    run = run_directory(tmp_path / "out")
    assert verify(run).holds
    assert len(records(run)) == 300


def test_of_many_resumes_at_once_that_make_a_run_larger_one_gets_in(tmp_path: Path) -> None:
    """What was seen: a larger -n replaced the file that was locked, and 20 tasks had 32 records."""
    world = make_world(tmp_path / "world", many_rows(60))
    program = f"{sys.executable} -c 'import time; time.sleep(0.02); print(\"SELECT 1\")'"
    first = touchstone(
        *("bird", *world.arguments, "--agent", "command", "--command-output", "sql", "-n", "2", "-o", "out"),
        *("--no-confine", "--command", program),
        cwd=tmp_path,
    )
    assert first.code == 0, first.err
    run = run_directory(tmp_path / "out")
    started = [start("bird", "--resume", run, "-n", str(20 + 10 * number), "-p", "1", cwd=tmp_path) for number in range(4)]
    ended = [finish(process) for process in started]
    refused = [done for done in ended if done.code == 2]
    assert all(done.complaint == f"touchstone: {run}: another process is writing to this run" for done in refused), ended
    assert {done.code for done in ended} <= {0, 2}
    assert set(times_recorded(run).values()) == {1}
    assert verify(run).holds
    assert overall(run)["total"] == len(records(run))


def waiting_for(gate: Path) -> tuple[str, ...]:
    """An agent that plays when the file is there."""
    program = f"{sys.executable} -c 'import os, time\nwhile not os.path.exists(\"{gate}\"): time.sleep(0.01)'"
    return ("--agent", "command", "--command-output", "sql", "--no-confine", "--command", program)


def test_a_second_resume_is_refused_while_the_first_plays(world: World, tmp_path: Path) -> None:
    """The same, with nothing left to chance: the first has replaced config.json and waits when the second comes."""
    gate = tmp_path / "gate"
    options = waiting_for(gate)
    touchstone("bird", *world.arguments, "--agent", "oracle", "-n", "1", "-o", "oracle", cwd=tmp_path)
    gate.touch()
    assert touchstone("bird", *world.arguments, *options, "-n", "1", "-o", "out", cwd=tmp_path).code == 0
    gate.unlink()
    run = run_directory(tmp_path / "out")
    before = (run / "config.json").stat().st_ino
    first = start("bird", "--resume", run, "-n", "4", cwd=tmp_path)
    while (run / "config.json").stat().st_ino == before:
        assert first.poll() is None, finish(first)
    second = touchstone("bird", "--resume", run, "-n", "6", cwd=tmp_path)
    assert (second.code, second.complaint) == (2, f"touchstone: {run}: another process is writing to this run")
    gate.touch()
    assert finish(first).code == 0
    assert times_recorded(run) == {(key, 0): 1 for key in ("10", "11", "12", "13")}
    assert not (run / ".lock").exists()


def test_a_lock_that_a_killed_run_has_left_holds_nobody_up(world: World, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    process = start("bird", *world.arguments, *waiting_for(gate), "-o", "out", cwd=tmp_path)
    while not list((tmp_path / "out").glob("run-*/.lock")):
        assert process.poll() is None, finish(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    gate.touch()
    run = run_directory(tmp_path / "out")
    (run / ".lock").touch()
    assert touchstone("bird", "--resume", run, cwd=tmp_path).code == 0
    assert verify(run).holds
