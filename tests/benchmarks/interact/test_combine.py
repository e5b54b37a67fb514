"""Combining the public tasks with their ground truth: what is taken over, what stays, and that a mistake writes nothing."""

from __future__ import annotations

import json
import os
import re
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.benchmarks.interact.combine import Combined, combine
from touchstone.errors import InputError

Row = dict[str, Any]
EMPTY: Row = {"sol_sql": [], "external_knowledge": [], "test_cases": []}
FULL: Row = {"sol_sql": ["SELECT 1"], "external_knowledge": [3], "test_cases": ["def test_case(): ..."]}


def task(key: str, **more: Any) -> Row:
    return {"instance_id": key, "amb_user_query": f"Zähle {key} 😀", **EMPTY, "category": "Query", **more}


def truth(key: str, **more: Any) -> Row:
    return {**FULL, "instance_id": key, "query": "not taken over", **more}


def write(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def read(path: Path) -> list[Row]:
    text = path.read_text()
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


class Files:
    """The two inputs and the output, in a directory that must hold nothing else in the end."""

    def __init__(self, directory: Path) -> None:
        self.public, self.gt, self.out = (directory / name for name in ("public.jsonl", "gt.jsonl", "out.jsonl"))

    def combine(self, public: list[Row], gt: list[Row], *, allow_missing: bool = False) -> Combined:
        write(self.public, public)
        write(self.gt, gt)
        return combine(self.public, self.gt, self.out, allow_missing=allow_missing)

    def refused(self, words: str, *, allow_missing: bool = False) -> None:
        """It is refused in these words, and nothing is written."""
        before = {path.name: path.read_bytes() for path in self.out.parent.iterdir()}
        with pytest.raises(InputError, match=re.escape(words)):
            combine(self.public, self.gt, self.out, allow_missing=allow_missing)
        assert {path.name: path.read_bytes() for path in self.out.parent.iterdir()} == before


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


class TestWhatIsWritten:
    def test_the_truth_by_id_and_all_else_as_it_was(self, files: Files) -> None:
        done = files.combine([task("a_1"), task("b_M_2")], [truth("b_M_2", sol_sql=["SELECT 2"]), truth("a_1")])
        assert done == Combined(2, 2, [], [])
        assert read(files.out) == [task("a_1", **FULL), task("b_M_2", **{**FULL, "sol_sql": ["SELECT 2"]})]
        assert [list(row) for row in read(files.out)] == [list(task("x"))] * 2
        assert "Zähle a_1 😀" in files.out.read_text()
        assert sorted(path.name for path in files.out.parent.iterdir()) == ["gt.jsonl", "out.jsonl", "public.jsonl"]

    def test_what_the_truth_lacks_becomes_empty(self, files: Files) -> None:
        files.combine([task("a", sol_sql=["old"], test_cases=["old"])], [{"instance_id": "a", "test_cases": None}])
        assert read(files.out) == [task("a")]

    def test_keys_that_the_public_row_lacks_are_added(self, files: Files) -> None:
        files.combine([{"instance_id": "a"}], [truth("a")])
        assert read(files.out) == [{"instance_id": "a", **FULL}]

    @pytest.mark.parametrize(
        ("public", "gt", "combined"),
        [
            ({"query": "and then?", **EMPTY}, {**FULL, "query": "another"}, {"query": "and then?", **FULL}),
            ({"query": "and then?"}, {}, {"query": "and then?", **EMPTY}),
            (None, FULL, FULL),
            ({"query": "and then?"}, None, {"query": "and then?"}),
            ({"query": "and then?"}, "text", {"query": "and then?"}),
        ],
    )
    def test_the_follow_up(self, files: Files, public: Row | None, gt: Row | str | None, combined: Row) -> None:
        files.combine([task("a", follow_up=public)], [truth("a", follow_up=gt)])
        assert read(files.out)[0]["follow_up"] == combined

    def test_a_follow_up_is_made_only_if_the_truth_has_one(self, files: Files) -> None:
        files.combine([task("a"), task("b")], [truth("a", follow_up=FULL), truth("b")])
        assert read(files.out) == [task("a", **FULL, follow_up=FULL), task("b", **FULL)]

    def test_numbers_and_texts_stay_as_they_were_written(self, files: Files) -> None:
        odd = b'{"x": 1.10, "instance_id": "a", "n": 12345678901234567890123, "e": 1e999, "t": "\\u00e9\\/"}'
        files.public.write_bytes(b"\xef\xbb\xbf" + odd + b"\r\n\n \n" + odd.replace(b'"a"', b'"b"'))
        write(files.gt, [truth("a")])
        combine(files.public, files.gt, files.out, allow_missing=True)
        first, second = files.out.read_bytes().splitlines()
        for written in (b"1.10", b"12345678901234567890123", b"1e999", rb'"\u00e9\/"'):
            assert written in first
        assert second == odd.replace(b'"a"', b'"b"')

    @settings(max_examples=20, deadline=None)  # every file goes to the disk
    @given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip), unique=True, max_size=6), st.randoms())
    def test_any_ids_in_any_order(self, tmp_path_factory: pytest.TempPathFactory, ids: list[str], random: Any) -> None:
        shuffled = random.sample(ids, len(ids))
        files = Files(tmp_path_factory.mktemp("any"))
        done = files.combine([task(key) for key in ids], [truth(key, sol_sql=[key]) for key in shuffled])
        assert (done.written, [row["sol_sql"] for row in read(files.out)]) == (len(ids), [[key] for key in ids])


class TestMissingAndUnknown:
    PUBLIC = (task("a"), task("b"), task("c"))
    GT = (truth("b"), truth("x"))

    def test_both_are_listed(self, files: Files) -> None:
        write(files.public, [*self.PUBLIC])
        write(files.gt, [*self.GT])
        files.refused(
            f"instance_ids of {files.public} not in {files.gt}: a, c; instance_ids of {files.gt} not in {files.public}: x"
        )

    @pytest.mark.parametrize(("count", "end"), [(20, "t19"), (21, "t19, … (21 in all)")])
    def test_at_most_twenty_are_shown(self, files: Files, count: int, end: str) -> None:
        write(files.public, [task(f"t{number}") for number in range(count)])
        write(files.gt, [])
        with pytest.raises(InputError) as caught:
            combine(files.public, files.gt, files.out, allow_missing=False)
        assert str(caught.value).endswith(f": t0, {', '.join(f't{n}' for n in range(1, 19))}, {end}")

    def test_they_can_be_allowed(self, files: Files) -> None:
        done = files.combine([*self.PUBLIC], [*self.GT], allow_missing=True)
        assert done == Combined(3, 1, ["a", "c"], ["x"])
        assert read(files.out) == [task("a"), task("b", **FULL), task("c")]


class TestMistakes:
    @pytest.mark.parametrize("which", ["public", "gt"])
    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ('{"instance_id": "b"', "row 3: not valid JSON: "),
            ("[]", "row 3: expected a JSON object"),
            ("7", "row 3: expected a JSON object"),
            ('{"id": "b"}', "row 3: there is no instance_id"),
            ('{"instance_id": 5}', "row 3: the instance_id must be a string"),
            ('{"instance_id": " "}', "row 3: the instance_id must be a string"),
            ('{"instance_id": "a"}', "row 3: the instance_id 'a' is that of row 1 too"),
            ('{"instance_id": "\udcff"}', "row 3: not valid JSON: "),
            ('{"a":' * 5000, "row 3: not valid JSON: "),
        ],
    )
    def test_a_bad_row_is_named(self, files: Files, which: str, line: str, words: str) -> None:
        write(files.public, [task("a")])
        write(files.gt, [truth("a")])
        bad: Path = getattr(files, which)
        bad.write_bytes(bad.read_bytes() + b"\n" + line.encode(errors="surrogateescape") + b"\n")
        files.refused(f"{bad}: {words}", allow_missing=True)

    def test_a_follow_up_of_another_kind(self, files: Files) -> None:
        write(files.public, [task("a", follow_up=["and then?"])])
        write(files.gt, [truth("a", follow_up=FULL)])
        files.refused(f"{files.public}: row 1: follow_up: expected a JSON object")

    def test_files_that_are_not_there(self, files: Files) -> None:
        files.refused(f"{files.public}: cannot be read: No such file or directory")
        write(files.public, [])
        files.refused(f"{files.gt}: cannot be read: No such file or directory")

    @pytest.mark.parametrize(
        ("place", "words"),
        [
            ("no/such/out.jsonl", "no/such: there is no such directory"),
            (".", "not an ordinary file"),
            ("gt.jsonl/x", "Not a directory"),
        ],
    )
    def test_a_place_that_cannot_be_written(self, files: Files, place: str, words: str) -> None:
        write(files.public, [task("a")])
        write(files.gt, [truth("a")])
        with pytest.raises(InputError, match=re.escape(words)):
            combine(files.public, files.gt, files.out.parent / place, allow_missing=False)


class TestWhereItIsWritten:
    @pytest.mark.parametrize("pick", [lambda files: files.public, lambda files: files.gt])
    def test_over_an_input(self, files: Files, pick: Callable[[Files], Path]) -> None:
        files.out = pick(files)
        files.combine([task("a")], [truth("a")])
        assert read(files.out) == [task("a", **FULL)]

    def test_a_refusal_leaves_an_input_alone(self, files: Files) -> None:
        files.out = write(files.public, [task("a")])
        write(files.gt, [])
        files.refused("instance_ids of")

    def test_the_mode_and_a_link_stay(self, files: Files) -> None:
        real = write(files.out.with_name("real.jsonl"), [])
        real.chmod(0o604)
        files.out.symlink_to(real.name)
        files.combine([task("a")], [truth("a")])
        assert files.out.is_symlink()
        assert read(real) == [task("a", **FULL)]
        assert real.stat().st_mode & 0o777 == 0o604

    def test_a_new_file_is_as_open_as_any(self, files: Files) -> None:
        files.combine([task("a")], [truth("a")])
        assert files.out.stat().st_mode == files.public.stat().st_mode

    def test_a_disk_that_is_full_costs_nothing(self, files: Files) -> None:
        files.combine([task("a")], [truth("a")])
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
        try:
            files.refused("cannot be written: File too large")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_directory_without_permission(self, files: Files) -> None:
        write(files.public, [task("a")])
        write(files.gt, [truth("a")])
        files.out.parent.chmod(0o500)
        files.refused("cannot be written: Permission denied")
