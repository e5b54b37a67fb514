"""The run directory: every record is in it once, whatever happens; what does not fit is refused."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.records import a_record
from touchstone.code_digest import code_digest
from touchstone.errors import InputError
from touchstone.runs.directory import RunDirectory, read_config, read_records, replace_file
from touchstone.runs.seal import MARK
from touchstone.types import Brief, ModelStep, NoteStep, Observation, Outcome, Record, Reply, ToolCall, ToolStep, Usage

IDENTITY: dict[str, Any] = {"benchmark": "bird", "metric": "ex", "databases": {"shop": "abc", "zoo": "def"}}
CONFIG: dict[str, Any] = {"format": 1, "title": "t", "command": "bird", "arguments": {}, "identity": IDENTITY}


async def make(base: Path, *records: Record, config: dict[str, Any] = CONFIG) -> Path:
    """A finished run with these records."""
    directory = RunDirectory.create(base, config)
    for record in records:
        await directory.append(record)
    directory.finish({"total": len(records)}, "summary\n")
    directory.close()
    return directory.path


def tasks(path: Path) -> list[str]:
    return [record.task for record in read_records(path)]


def resume_elsewhere(path: Path) -> str:
    """What becomes of a resume in another process."""
    script = """if True:
        import sys
        from pathlib import Path
        from touchstone.errors import InputError
        from touchstone.runs.directory import RunDirectory
        try:
            RunDirectory.resume(Path(sys.argv[1]), {})
            print("resumed")
        except InputError as error:
            print(error)
    """
    return subprocess.run([sys.executable, "-c", script, path], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


texts = st.text(st.characters(codec="utf-8"), max_size=20)
steps = st.lists(
    st.one_of(
        st.builds(
            ModelStep,
            st.builds(Reply, texts, st.tuples(st.builds(ToolCall, texts, texts, texts))),
            texts,
            st.floats(0, 9),
        ),
        st.builds(
            ToolStep, st.builds(ToolCall, texts, texts, texts), st.builds(Observation, texts, st.booleans()), st.floats(0, 9)
        ),
        st.builds(NoteStep, texts),
    ),
    max_size=4,
)
any_record = st.builds(
    a_record,
    texts,
    st.sampled_from(list(Outcome)),
    reason=texts,
    evidence=st.dictionaries(texts, st.one_of(st.none(), st.integers(-(2**53), 2**53), texts, st.lists(texts, max_size=2))),
    metrics=st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False)),
    usage=st.builds(Usage, st.integers(0, 9), cost=st.one_of(st.none(), st.floats(0, 9))),
    brief=st.one_of(st.none(), st.builds(Brief, texts, texts)),
    steps=steps,
)


@settings(max_examples=30)
@given(st.lists(any_record, max_size=5, unique_by=lambda record: record.task))
def test_records_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, given_records: list[Record]) -> None:
    async def main() -> None:
        path = await make(tmp_path_factory.mktemp("r"), a_record("first", epoch=9), *given_records)
        assert list(read_records(path))[1:] == given_records

    asyncio.run(main())


async def test_a_run_has_its_five_files_and_latest_points_to_it(tmp_path: Path) -> None:
    path = await make(tmp_path / "deep" / "er", a_record())
    assert sorted(file.name for file in path.iterdir()) == [
        "config.json",
        "overall.json",
        "runs.jsonl",
        "seal.json",
        "summary.txt",
    ]
    assert (tmp_path / "deep" / "er" / "latest").resolve() == path
    assert path.name.startswith("run-")
    assert read_config(path) == {**CONFIG, "identity": {**IDENTITY, "code": code_digest()}, "seal": MARK}
    assert json.loads((path / "overall.json").read_text()) == {"total": 1}


async def test_runs_made_in_the_same_second_have_their_own_directories(tmp_path: Path) -> None:
    paths = {await make(tmp_path, a_record(str(number))) for number in range(5)}
    assert len(paths) == 5
    assert sorted(tasks(path)[0] for path in paths) == list("01234")


async def test_parallel_appends_are_all_kept_once(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, CONFIG)
    await asyncio.gather(*(directory.append(a_record(str(number), reason="x" * number)) for number in range(100)))
    assert sorted(map(int, tasks(directory.path))) == list(range(100))
    directory.close()


async def test_records_that_end_together_share_their_way_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = RunDirectory.create(tmp_path, CONFIG)
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(file), fsync(file))[1])
    await asyncio.gather(*(directory.append(a_record(str(number))) for number in range(100)))
    assert len(synced) == 1
    assert len(tasks(directory.path)) == 100
    directory.close()


async def test_after_a_shared_write_the_next_one_waits_for_further_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("touchstone.runs.directory._SECONDS_TO_GATHER", 0.5)  # enough on any machine
    directory = RunDirectory.create(tmp_path, CONFIG)
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(file), fsync(file))[1])
    await asyncio.gather(*(directory.append(a_record(name)) for name in ("1", "2")))
    third = asyncio.create_task(directory.append(a_record("3"), playing=1))
    for _ in range(5):
        await asyncio.sleep(0)
    await asyncio.gather(third, directory.append(a_record("4")))
    assert len(synced) == 2
    assert len(tasks(directory.path)) == 4
    directory.close()


async def test_nobody_waits_for_records_of_episodes_that_there_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("touchstone.runs.directory._SECONDS_TO_GATHER", 3600)
    directory = RunDirectory.create(tmp_path, CONFIG)
    await asyncio.gather(*(directory.append(a_record(name)) for name in ("1", "2")))
    await asyncio.wait_for(directory.append(a_record("3"), playing=0), 60)
    assert len(tasks(directory.path)) == 3
    directory.close()


async def test_a_record_is_on_the_disk_when_append_returns(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, CONFIG)

    async def append(number: int) -> None:
        await asyncio.sleep(number % 7 / 1000)
        await directory.append(a_record(str(number)))
        assert str(number) in tasks(directory.path)

    await asyncio.gather(*map(append, range(50)))
    directory.close()


async def test_an_abandoned_append_still_reaches_the_disk(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, CONFIG)
    waiting = [asyncio.create_task(directory.append(a_record(str(number)))) for number in range(20)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await directory.settle()
    assert sorted(map(int, tasks(directory.path))) == list(range(20))
    directory.close()


async def test_a_run_without_a_record_leaves_nothing_behind(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "out", CONFIG)
    directory.finish({}, "")
    directory.close()
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("base", ["file", "file/below"])
def test_a_base_that_cannot_be_is_refused(tmp_path: Path, base: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot create a run directory in "):
        RunDirectory.create(tmp_path / base, CONFIG)


class TestResume:
    async def test_it_keeps_what_is_done_and_drops_errors(self, tmp_path: Path) -> None:
        path = await make(
            tmp_path,
            a_record("1"),
            a_record("2", Outcome.error),
            a_record("3", Outcome.failed),
            a_record("4", Outcome.unscorable),
            a_record("5", Outcome.limit),
            a_record("6", Outcome.skipped),
        )
        directory = RunDirectory.resume(path, IDENTITY)
        assert tasks(path) == ["1", "3", "4", "5", "6"]
        await directory.append(a_record("2"))
        directory.close()
        assert tasks(path) == ["1", "3", "4", "5", "6", "2"]

    @pytest.mark.parametrize("cut", [1, 2, 50])
    async def test_a_torn_last_line_is_cut_off(self, tmp_path: Path, cut: int) -> None:
        path = await make(tmp_path, a_record("1"), a_record("2"))
        file = path / "runs.jsonl"
        file.write_bytes(file.read_bytes()[:-cut])
        assert tasks(path) == ["1"]
        directory = RunDirectory.resume(path, IDENTITY)
        assert file.read_bytes().count(b"\n") == 1
        await directory.append(a_record("2"))
        directory.close()
        assert tasks(path) == ["1", "2"]

    async def test_every_place_to_tear_a_file_gives_whole_records(self, tmp_path: Path) -> None:
        path = await make(tmp_path, *(a_record(str(number)) for number in range(3)))
        whole = (path / "runs.jsonl").read_bytes()
        for size in range(len(whole)):
            (path / "runs.jsonl").write_bytes(whole[:size])
            assert tasks(path) == list("012")[: whole[:size].count(b"\n")]

    @pytest.mark.parametrize("broken", [b"{]\n", b"\n", b"{}\n", b"\x00\x00\n", b'{"task": "1"\n', b'"\xff"\n'])
    async def test_a_broken_line_in_the_middle_is_refused_and_nothing_changes(self, tmp_path: Path, broken: bytes) -> None:
        path = await make(tmp_path, a_record("1", Outcome.error), a_record("2"))
        first, second = (path / "runs.jsonl").read_bytes().splitlines(keepends=True)
        (path / "runs.jsonl").write_bytes(first + broken + second)
        before = {file.name: file.read_bytes() for file in path.iterdir()}
        with pytest.raises(InputError) as caught:
            RunDirectory.resume(path, IDENTITY)
        assert str(caught.value).startswith(f"{path / 'runs.jsonl'}: line 2 is not a record of Touchstone: ")
        assert "\n" not in str(caught.value)
        assert {file.name: file.read_bytes() for file in path.iterdir()} == before

    @pytest.mark.parametrize(
        ("changed", "words"),
        [
            ({"metric": "multiset"}, "metric was 'ex' and is now 'multiset'"),
            ({"databases": {"shop": "abc", "zoo": "new"}}, "databases.zoo was 'def' and is now 'new'"),
            ({"databases": {"shop": "abc", "zoo": None}}, "databases.zoo was 'def' and is now None"),
            ({"evidence": False}, "evidence was None and is now False"),
        ],
    )
    async def test_what_would_not_be_comparable_is_refused_by_name(
        self, tmp_path: Path, changed: dict[str, Any], words: str
    ) -> None:
        path = await make(tmp_path, a_record())
        with pytest.raises(InputError) as caught:
            RunDirectory.resume(path, {**IDENTITY, **changed})
        assert str(caught.value) == f"{path}: cannot resume, the records would not be comparable: {words}"

    async def test_a_second_writer_is_refused(self, tmp_path: Path) -> None:
        path = await make(tmp_path, a_record(), a_record("2", Outcome.error), config={})
        directory = RunDirectory.resume(path, {})
        assert resume_elsewhere(path) == f"{path}: another process is writing to this run"
        directory.close()
        assert resume_elsewhere(path) == "resumed"

    async def test_a_run_that_was_killed_before_its_first_record_can_be_resumed(self, tmp_path: Path) -> None:
        path = await make(tmp_path, a_record())
        for name in ("runs.jsonl", "overall.json", "summary.txt"):
            (path / name).unlink()
        directory = RunDirectory.resume(path, IDENTITY)
        await directory.append(a_record("9"))
        directory.close()
        assert tasks(path) == ["9"]

    async def test_a_resumed_run_is_never_removed(self, tmp_path: Path) -> None:
        """Its records were errors, dropped to be tried again; if that fails too, the run is still there to resume."""
        path = await make(tmp_path, a_record("1", Outcome.error))
        RunDirectory.resume(path, IDENTITY).close()
        assert read_config(path)["title"] == "t"
        RunDirectory.resume(path, IDENTITY).close()

    @pytest.mark.parametrize("content", ["", "{", "[]", '"x"'])
    def test_a_broken_configuration_is_refused(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "config.json").write_text(content)
        with pytest.raises(InputError, match=r"config\.json: "):
            RunDirectory.resume(tmp_path, IDENTITY)

    def test_what_is_no_run_directory_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for path in (tmp_path, tmp_path / "absent", tmp_path / "file"):
            with pytest.raises(InputError) as caught:
                RunDirectory.resume(path, IDENTITY)
            assert str(caught.value) == f"{path}: not a run directory (it has no config.json)"


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    replace_file(file, b"one")
    replace_file(file, b"two")
    assert file.read_bytes() == b"two"
    with pytest.raises(OSError, match="Is a directory"):
        replace_file(tmp_path, b"three")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
