"""The gold folder: which files a result is compared with, which columns count, and what is wrong with a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.spider2.worlds import CONDITIONS, Spider2World, real_spider2, write_lines
from touchstone.benchmarks.spider2.golden import Golden, Reference
from touchstone.errors import InputError, Unscorable


def golden(world: Spider2World, *conditions: dict[str, Any]) -> Golden:
    """The folder, with these lines of metadata after the ordinary ones."""
    write_lines(world.gold / "spider2lite_eval.jsonl", [*CONDITIONS, *conditions])
    return Golden(world.gold)


def names(reference: Reference) -> list[str]:
    return [Path(file.path).name for file in reference.files]


class TestFiles:
    def test_a_single_one(self, spider2: Spider2World) -> None:
        reference = Golden(spider2.gold).reference("local001")
        assert (names(reference), reference.lettered) == (["local001.csv"], False)

    def test_variants_in_the_order_of_their_letters(self, spider2: Spider2World) -> None:
        spider2.result("local002_z.csv", "n\n1\n")
        spider2.result("local002_d.csv", "n\n2\n")
        reference = Golden(spider2.gold).reference("local002")
        assert names(reference) == ["local002_a.csv", "local002_b.csv", "local002_d.csv", "local002_z.csv"]
        assert reference.lettered

    def test_a_single_one_counts_more_than_variants(self, spider2: Spider2World) -> None:
        spider2.result("local002.csv", "n\n4\n")
        reference = Golden(spider2.gold).reference("local002")
        assert (names(reference), reference.lettered) == (["local002.csv"], False)

    def test_one_variant_is_lettered_too(self, spider2: Spider2World) -> None:
        (spider2.gold / "exec_result" / "local002_b.csv").unlink()
        assert Golden(spider2.gold).reference("local002").lettered

    @pytest.mark.parametrize(
        "name", ["local001_aa.csv", "local001_A.csv", "local001_1.csv", ".csv", "local001.txt", "local0.csv"]
    )
    def test_other_files_are_none_of_its(self, spider2: Spider2World, name: str) -> None:
        spider2.result(name, "n\n4\n")
        assert names(Golden(spider2.gold).reference("local001")) == ["local001.csv"]

    def test_the_digest_is_of_the_content(self, spider2: Spider2World) -> None:
        def digest() -> str:
            return Golden(spider2.gold).reference("local001").files[0].digest

        before = digest()
        spider2.result("local001.csv", "name\napple\n")
        assert digest() != before

    def test_none_makes_a_question_unscorable(self, spider2: Spider2World) -> None:
        found = Golden(spider2.gold)
        assert not found.has("bq001")
        assert "bq001" not in found.ids
        with pytest.raises(Unscorable) as caught:
            found.reference("bq001")
        assert str(caught.value) == "no gold result: exec_result/bq001.csv is missing"
        assert caught.value.kind == "gold_missing"

    def test_one_that_cannot_be_read_makes_its_question_unscorable(self, spider2: Spider2World) -> None:
        (spider2.gold / "exec_result" / "local001.csv").unlink()
        (spider2.gold / "exec_result" / "local001.csv").mkdir()
        with pytest.raises(Unscorable) as caught:
            Golden(spider2.gold).reference("local001")
        assert str(caught.value) == "the gold result local001.csv cannot be read: Is a directory"
        assert caught.value.kind == "gold_unreadable"


class TestConditions:
    @pytest.mark.parametrize(
        ("given", "columns"),
        [([], []), (None, []), ([0], [0]), ([1, -1], [1, -1]), ([[0], []], [[0], []])],
    )
    def test_they_are_kept_as_they_are_written(self, spider2: Spider2World, given: Any, columns: Any) -> None:
        found = golden(spider2, {"instance_id": "local003", "condition_cols": given, "ignore_order": False})
        assert found.reference("local003").condition_cols == columns
        assert found.reference("local003").ignore_order is False

    def test_without_a_line_all_columns_count_and_order_does_not(self, spider2: Spider2World) -> None:
        spider2.result("local900.csv", "n\n4\n")
        reference = Golden(spider2.gold).reference("local900")
        assert (reference.condition_cols, reference.ignore_order) == ([], True)

    @pytest.mark.parametrize(
        ("columns", "file", "column", "width"),
        [
            ([2], "local003.csv", 2, 2),
            ([0, 1, 7], "local003.csv", 7, 2),
            ([-3], "local003.csv", -3, 2),
            ([[0, 5]], "local003.csv", 5, 2),
            ([2], "local002_a.csv", 2, 2),
            ([[2], [1]], "local002_a.csv", 2, 2),
        ],
    )
    def test_a_column_that_no_file_has_is_named(
        self, spider2: Spider2World, columns: Any, file: str, column: int, width: int
    ) -> None:
        instance_id = file[:8]
        found = golden(spider2, {"instance_id": instance_id, "condition_cols": columns})
        with pytest.raises(Unscorable) as caught:
            found.check_columns(instance_id)
        what = f"column {column} is not in {file}, which has {width}"
        assert str(caught.value) == f"{found.metadata.name}: {instance_id}: field 'condition_cols': {what}"

    @pytest.mark.parametrize(
        ("instance_id", "columns"),
        [
            ("local003", [0, 1]),
            ("local003", [-2]),
            ("local003", []),
            ("local002", [[0, 1], [0]]),
            ("local002", [1]),
            ("local002", [[2], [0]]),
            ("local002", [[1]]),
            ("local002", [[1], []]),
            ("local002", [[0], [0], [9]]),
            ("bq001", [4]),
        ],
    )
    def test_columns_that_some_file_has_are_fine(self, spider2: Spider2World, instance_id: str, columns: Any) -> None:
        golden(spider2, {"instance_id": instance_id, "condition_cols": columns}).check_columns(instance_id)

    def test_a_file_that_cannot_be_read_is_not_the_fault_of_the_metadata(self, spider2: Spider2World) -> None:
        (spider2.gold / "exec_result" / "local003.csv").unlink()
        (spider2.gold / "exec_result" / "local003.csv").mkdir()
        spider2.result("local001.csv", b"")
        spider2.result("local005.csv", b'"' + b"x" * 200_000)
        for instance_id in ("local001", "local003", "local005"):
            golden(spider2, {"instance_id": instance_id, "condition_cols": [3]}).check_columns(instance_id)


class TestTheFolder:
    @pytest.mark.parametrize("missing", ["", "exec_result"])
    def test_one_without_results_is_none(self, tmp_path: Path, missing: str) -> None:
        folder = tmp_path / "gold"
        if missing:
            folder.mkdir()
        with pytest.raises(InputError) as caught:
            Golden(folder)
        assert str(caught.value) == f"{folder}: not a gold folder (it has no exec_result/)"

    def test_one_without_metadata(self, spider2: Spider2World) -> None:
        (spider2.gold / "spider2lite_eval.jsonl").unlink()
        with pytest.raises(InputError, match=r"spider2lite_eval\.jsonl: .*No such file or directory$"):
            Golden(spider2.gold)

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ({}, "missing field 'instance_id'"),
            ({"instance_id": 1}, "field 'instance_id': Expected 'str', got 'int'"),
            ({"instance_id": "a", "condition_cols": "0"}, "field 'condition_cols': Expected 'array | null', got 'str'"),
            ({"instance_id": "a", "condition_cols": ["0"]}, "field 'condition_cols[0]': Expected 'int | array', got 'str'"),
            ({"instance_id": "a", "condition_cols": [0.5]}, "field 'condition_cols[0]': Expected 'int | array', got 'float'"),
            ({"instance_id": "a", "condition_cols": [[[0]]]}, "field 'condition_cols[0][0]': Expected 'int', got 'array'"),
            (
                {"instance_id": "a", "condition_cols": [1, [0]]},
                "field 'condition_cols': expected numbers or lists of numbers, found both",
            ),
            ({"instance_id": "a", "ignore_order": "no"}, "field 'ignore_order': Expected 'bool', got 'str'"),
            ([], "Expected 'object', got 'array'"),
        ],
    )
    def test_a_broken_line_of_metadata_is_named(self, spider2: Spider2World, line: Any, complaint: str) -> None:
        """Without the id of a question the whole file is wrong, with one only that question."""
        named = isinstance(line, dict) and isinstance(line.get("instance_id"), str)
        where = "spider2lite_eval.jsonl" if named else spider2.gold / "spider2lite_eval.jsonl"
        with pytest.raises(Unscorable if named else InputError) as caught:
            golden(spider2, line).reference("a")
        assert str(caught.value) == f"{where}: row {len(CONDITIONS) + 1}: {complaint}"

    def test_an_id_that_ends_like_a_variant_finds_its_own_file(self, spider2: Spider2World) -> None:
        spider2.result("mine_a.csv", "n\n1\n")
        spider2.result("mine_b.csv", "n\n2\n")
        found = golden(spider2, {"instance_id": "mine_a"})
        assert [path.name for path in found.files("mine_a")] == ["mine_a.csv"]
        assert [path.name for path in found.files("mine")] == ["mine_b.csv"], "mine_a is known to be a question of its own"
        assert [path.name for path in found.files("mine_b")] == ["mine_b.csv"]
        assert found.reference("mine_a").lettered is False
        assert [path.name for path in found.files("local002")] == ["local002_a.csv", "local002_b.csv"]
        assert not found.has("mine_c")

    def test_the_real_one(self) -> None:
        found = Golden(real_spider2() / "evaluation_suite" / "gold")
        references = {instance_id: found.reference(instance_id) for instance_id in found.ids}
        assert len(references) == 135
        assert sum(len(reference.files) for reference in references.values()) == 328
        for instance_id in references:
            found.check_columns(instance_id)
