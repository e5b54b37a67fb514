"""Spider2-lite's questions: three forms, one reading; and what is refused, in which words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.spider2.worlds import QUESTIONS, SQL, Entry, Spider2World, real_spider2, write_lines
from touchstone.benchmarks.spider2.convert import converted
from touchstone.benchmarks.spider2.tasks import Spider2Task, bare_task, load_tasks, platform_of
from touchstone.errors import InputError

OFFICIAL = QUESTIONS[1]
FLAT = {"instance_id": "local001", "db_id": "shop", "question": "Which items are dear?"}
CONVERTED = {
    "id": 1,
    "turns": [{"id": 1, "role": "user", "input": "Which items are dear?", "expected_output": None}],
    "metadata": {"instance_id": "local001", "database": "shop", "platform": "sqlite", "gold_sql_available": True},
    "gold_sql": "SELECT 1",
}


def write(path: Path, entries: Sequence[Any]) -> Path:
    """As a JSON array or as JSON Lines, by the name."""
    if path.suffix == ".jsonl":
        return write_lines(path, entries)
    path.write_text(json.dumps(entries))
    return path


def load_one(tmp_path: Path, entry: Any, gold_sql: Path | None = None) -> Spider2Task:
    (task,) = load_tasks(write(tmp_path / "q.json", [entry]), gold_sql)
    return task


def without(entry: Entry, *path: str) -> Entry:
    """A copy in which one field is missing."""
    name, *rest = path
    if rest:
        return {**entry, name: without(entry[name], *rest)}
    return {key: value for key, value in entry.items() if key != name}


class TestForms:
    @pytest.mark.parametrize("entry", [OFFICIAL, FLAT, CONVERTED], ids=["official", "flat", "converted"])
    def test_all_give_the_same_question(self, tmp_path: Path, entry: Entry) -> None:
        task = load_one(tmp_path, entry)
        assert (task.key, task.index, task.database, task.platform) == ("local001", 0, "shop", "sqlite")
        assert task.question == "Which items are dear?"
        assert task.facets == {"platform": "sqlite", "database": "shop"}
        assert task.digest == load_one(tmp_path, FLAT).digest
        assert task.entry == entry

    def test_a_converted_entry_says_whether_there_is_gold_sql(self, tmp_path: Path) -> None:
        task = load_one(tmp_path, CONVERTED)
        assert (task.gold_sql, task.gold_sql_available) == ("SELECT 1", True)
        unsaid = load_one(tmp_path, without(CONVERTED, "metadata", "gold_sql_available"))
        assert (unsaid.gold_sql, unsaid.gold_sql_available) == ("SELECT 1", False)

    def test_of_other_entries_the_gold_folder_says_it(self, tmp_path: Path) -> None:
        (tmp_path / "local001.sql").write_text("\nSELECT 2\n")
        for entry in (OFFICIAL, FLAT):
            task = load_one(tmp_path, entry, tmp_path)
            assert (task.gold_sql, task.gold_sql_available) == ("SELECT 2", True)
        assert not load_one(tmp_path, {**FLAT, "instance_id": "local002"}, tmp_path).gold_sql_available
        assert not load_one(tmp_path, FLAT).gold_sql_available

    def test_a_flat_entry_can_hold_gold_sql_and_say_whether_it_counts(self, tmp_path: Path) -> None:
        task = load_one(tmp_path, {**FLAT, "gold_sql": "SELECT 3"}, tmp_path)
        assert (task.gold_sql, task.gold_sql_available) == ("SELECT 3", True)
        assert not load_one(tmp_path, {**FLAT, "gold_sql": "SELECT 3", "gold_sql_available": False}).gold_sql_available

    def test_a_document_is_known_by_its_name(self, tmp_path: Path) -> None:
        assert load_one(tmp_path, {**FLAT, "external_knowledge": "legs.md"}).knowledge == "legs.md"
        assert load_one(tmp_path, OFFICIAL).knowledge is None
        assert load_one(tmp_path, CONVERTED).knowledge is None

    def test_json_and_json_lines_give_the_same_questions(self, tmp_path: Path) -> None:
        entries = [*QUESTIONS[:1], CONVERTED, {**FLAT, "instance_id": "local009"}]
        lines, array = write(tmp_path / "q.jsonl", entries), write(tmp_path / "q.json", entries)
        assert load_tasks(lines) == load_tasks(array)
        array.write_bytes(b"\xef\xbb\xbf" + array.read_bytes())
        assert load_tasks(lines) == load_tasks(array)

    def test_the_digest_changes_with_the_question_and_the_database(self, tmp_path: Path) -> None:
        digests = {
            load_one(tmp_path, {**FLAT, **change}).digest
            for change in ({}, {"question": "Which?"}, {"db_id": "zoo"}, {"instance_id": "local002"}, {"remark": "x"})
        }
        assert len(digests) == 4


@pytest.mark.parametrize(
    ("instance_id", "platform"),
    [("local001", "sqlite"), ("bq001", "bigquery"), ("ga001", "bigquery"), ("sf_bq001", "snowflake"), ("sf001", "snowflake")],
)
def test_the_prefix_of_the_id_says_the_platform(instance_id: str, platform: str) -> None:
    assert platform_of(instance_id) == platform
    assert bare_task(instance_id, 3).platform == platform


def test_a_question_of_ones_own_is_local(tmp_path: Path) -> None:
    assert load_one(tmp_path, {**FLAT, "instance_id": "sales-17"}).platform == "sqlite"


def test_a_platform_in_the_entry_counts_more(tmp_path: Path) -> None:
    metadata = {**CONVERTED["metadata"], "platform": "bigquery"}
    assert load_one(tmp_path, {**CONVERTED, "metadata": metadata}).platform == "bigquery"
    metadata["platform"] = None
    assert load_one(tmp_path, {**CONVERTED, "metadata": metadata}).platform == "sqlite"


def with_metadata(**more: Any) -> Entry:
    return {**CONVERTED, "metadata": {**CONVERTED["metadata"], **more}}


class TestRefusals:
    @pytest.mark.parametrize(
        ("broken", "complaint"),
        [
            (None, "Expected 'object', got 'null'"),
            ("Which?", "Expected 'object', got 'str'"),
            ([], "Expected 'object', got 'array'"),
            ({}, "missing field 'instance_id'"),
            (without(FLAT, "question"), "missing field 'question'"),
            (without(FLAT, "db_id"), "missing field 'db_id' (or 'db')"),
            ({**FLAT, "db_id": None}, "missing field 'db_id' (or 'db')"),
            ({**FLAT, "db_id": 5}, "field 'db_id': Expected 'str | null', got 'int'"),
            ({**FLAT, "instance_id": 5}, "field 'instance_id': Expected 'str', got 'int'"),
            ({**FLAT, "question": None}, "field 'question': Expected 'str', got 'null'"),
            ({**FLAT, "gold_sql": 1}, "field 'gold_sql': Expected 'str | null', got 'int'"),
            ({**FLAT, "gold_sql_available": "yes"}, "field 'gold_sql_available': Expected 'bool | null', got 'str'"),
            ({**FLAT, "external_knowledge": []}, "field 'external_knowledge': Expected 'str | null', got 'array'"),
            ({**OFFICIAL, "db": 5}, "field 'db': Expected 'str | null', got 'int'"),
            ({**FLAT, "instance_id": ""}, "field 'instance_id': '' cannot be the name of a file"),
            ({**FLAT, "instance_id": "../a"}, "field 'instance_id': '../a' cannot be the name of a file"),
            ({**FLAT, "instance_id": "/tmp/a"}, "field 'instance_id': '/tmp/a' cannot be the name of a file"),
            (without(CONVERTED, "metadata"), "missing field 'metadata'"),
            (without(CONVERTED, "metadata", "instance_id"), "field 'metadata': missing field 'instance_id'"),
            (without(CONVERTED, "metadata", "database"), "field 'metadata': missing field 'database'"),
            (with_metadata(database=1), "field 'metadata.database': Expected 'str', got 'int'"),
            (with_metadata(platform=1), "field 'metadata.platform': Expected 'str | null', got 'int'"),
            (with_metadata(gold_sql_available="true"), "field 'metadata.gold_sql_available': Expected 'bool', got 'str'"),
            ({**CONVERTED, "metadata": []}, "field 'metadata': Expected 'object', got 'array'"),
            ({**CONVERTED, "turns": []}, "field 'turns': expected at least one turn"),
            ({**CONVERTED, "turns": None}, "field 'turns': Expected 'array', got 'null'"),
            ({**CONVERTED, "turns": [{}]}, "field 'turns[0]': missing field 'input'"),
            ({**CONVERTED, "turns": [{"input": 5}]}, "field 'turns[0].input': Expected 'str', got 'int'"),
            ({**CONVERTED, "gold_sql": 5}, "field 'gold_sql': Expected 'str | null', got 'int'"),
        ],
    )
    @pytest.mark.parametrize("name", ["q.json", "q.jsonl"])
    def test_a_broken_entry_is_named_by_file_row_and_field(
        self, tmp_path: Path, name: str, broken: Any, complaint: str
    ) -> None:
        file = write(tmp_path / name, [{**FLAT, "instance_id": "local000"}, broken])
        with pytest.raises(InputError) as caught:
            load_tasks(file)
        assert str(caught.value) == f"{file}: row 2: {complaint}"

    @pytest.mark.parametrize(
        ("name", "content", "complaint"),
        [
            ("q.json", b"[]", "there are no entries in this file"),
            ("q.jsonl", b"\n\n", "there are no entries in this file"),
            ("q.json", b"", "not valid JSON: Input data was truncated"),
            ("q.json", b"{}", "expected a JSON array of tasks, found dict"),
            ("q.jsonl", b"{}\n{", "row 1: missing field 'instance_id'"),
            ("q.jsonl", b"\n{", "row 2: not valid JSON: Input data was truncated"),
            ("q.json", b"instance_id,question\n", "not valid JSON: "),
        ],
    )
    def test_a_broken_file(self, tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError) as caught:
            load_tasks(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: {complaint}")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            load_tasks(tmp_path / "no.json")
        assert str(caught.value) == f"{tmp_path / 'no.json'}: cannot read the task file: No such file or directory"

    @pytest.mark.parametrize("second", [FLAT, CONVERTED])
    def test_an_id_that_occurs_twice(self, tmp_path: Path, second: Entry) -> None:
        file = write(tmp_path / "q.json", [OFFICIAL, {**FLAT, "instance_id": "local002"}, second])
        with pytest.raises(InputError) as caught:
            load_tasks(file)
        assert str(caught.value) == f"{file}: instance_id local001 occurs twice"


class TestConvert:
    def test_exactly_the_documented_format(self, spider2: Spider2World) -> None:
        entries = converted(spider2.load())
        assert entries[0] == {
            "id": 1,
            "turns": [{"id": 1, "role": "user", "input": "Which items are dear?", "expected_output": None}],
            "metadata": {
                "source": "spider2-lite",
                "instance_id": "local001",
                "platform": "sqlite",
                "database": "shop",
                "gold_sql_available": True,
            },
            "gold_sql": SQL["local001"],
        }
        assert list(entries[0]) == ["id", "turns", "metadata", "gold_sql"]
        assert entries[3]["metadata"]["gold_sql_available"] is False
        assert entries[3]["gold_sql"] == ""

    def test_only_local_questions_in_the_order_of_the_file(self, spider2: Spider2World) -> None:
        entries = converted(spider2.load())
        assert [entry["id"] for entry in entries] == [1, 2, 3, 4, 5]
        assert [entry["metadata"]["instance_id"] for entry in entries] == list(SQL)

    def test_what_it_makes_is_read_as_the_same_questions(self, tmp_path: Path, spider2: Spider2World) -> None:
        again = load_tasks(write(tmp_path / "c.json", converted(spider2.load())))
        local = [task for task in spider2.load() if task.platform == "sqlite"]
        assert [task.digest for task in again] == [task.digest for task in local]
        assert [task.gold_sql for task in again] == [task.gold_sql for task in local]


class TestRealData:
    def test_the_official_file_loads(self) -> None:
        tasks = load_tasks(real_spider2() / "spider2-lite.jsonl")
        assert len(tasks) == 547
        assert Counter(task.platform for task in tasks) == {"sqlite": 135, "bigquery": 205, "snowflake": 207}

    def test_converted_it_has_135_questions_24_of_them_with_gold_sql(self) -> None:
        root = real_spider2()
        entries = converted(load_tasks(root / "spider2-lite.jsonl", root / "evaluation_suite" / "gold" / "sql"))
        available = [entry for entry in entries if entry["metadata"]["gold_sql_available"]]
        assert (len(entries), len(available)) == (135, 24)
        assert all(entry["gold_sql"] for entry in available)
        assert not any(entry["gold_sql"] for entry in entries if entry not in available)
        assert [entry["id"] for entry in entries] == list(range(1, 136))
