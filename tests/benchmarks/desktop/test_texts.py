from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.metrics import METRICS
from touchstone.benchmarks.desktop.metrics.texts import check_include_exclude, diff_text_file
from touchstone.benchmarks.desktop.untrusted import Unreadable


def score(metric: str, *arguments: Any, **options: Any) -> float:
    return METRICS.find(metric)(*arguments, **options).score


@pytest.mark.parametrize(
    ("result", "rules", "expected"),
    [
        ("run succeed", {"include": ["succeed"], "exclude": ["failed"]}, 1),
        ("succeed, then failed", {"include": ["succeed"], "exclude": ["failed"]}, 0),
        ("", {"include": ["succeed"]}, 0),
        (None, {"include": []}, 0),
        ("anything", {}, 1),
        (["text_generation"], {"include": ["text_generation"]}, 1),
    ],
)
def test_include_exclude(result: Any, rules: dict[str, list[str]], expected: float) -> None:
    assert score("check_include_exclude", result, rules) == expected


@given(st.text(), st.lists(st.text(min_size=1)), st.lists(st.text(min_size=1)))
def test_include_exclude_is_what_it_says(text: str, include: list[str], exclude: list[str]) -> None:
    passed = all(part in text for part in include) and not any(part in text for part in exclude)
    assert check_include_exclude(text, {"include": include, "exclude": exclude}).score == passed


def test_exact_match() -> None:
    assert score("exact_match", "metabase.db.mv.db\n", {"expected": "metabase.db.mv.db\n"}) == 1
    assert score("exact_match", "metabase.db.mv.db", {"expected": "metabase.db.mv.db\n"}) == 0
    assert score("exact_match", None, {"expected": ""}) == 0


@pytest.mark.parametrize(
    ("result", "options", "expected"),
    [
        (["b", "a"], {"type": "list", "ignore_order": True}, 1),
        (["b", "a"], {"type": "list"}, 0),
        (["B", "a"], {"type": "list", "ignore_order": True, "ignore_case": True}, 1),
        (["a"], {"type": "list", "ignore_order": True}, 0),
        ("ab", {"type": "list"}, 0),
        (None, {"type": "list"}, 0),
    ],
)
def test_literal_match_of_lists(result: Any, options: dict[str, Any], expected: float) -> None:
    assert score("literal_match", result, ["a", "b"], **options) == expected


def test_literal_match_of_texts() -> None:
    assert score("literal_match", "Ab", "aB", ignore_case=True) == 1
    assert score("literal_match", "Ab", "aB") == 0


def test_lists_without_an_item() -> None:
    assert score("is_not_in_list", ["a"], {"exclude": ["customer_orders"]}) == 1
    assert score("is_not_in_list", ["customer_orders"], {"exclude": ["customer_orders"]}) == 0
    assert score("is_not_in_list", None, {"exclude": ["x"]}) == 0


def test_addresses() -> None:
    rules = {"expected": ["http://localhost:1036", r"Voting_Model\.ipynb"]}
    assert score("is_expected_url_pattern_match", {"url": "http://localhost:1036/Voting_Model.ipynb"}, rules) == 1
    assert score("is_expected_url_pattern_match", "http://localhost:1036/Voting_ModelXipynb", rules) == 0
    assert score("is_expected_url_pattern_match", None, rules) == 0


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("a,b\n1,2\n", {}, 1),
        ("a,b\r\n1,2", {}, 1),
        ("1,2\na,b\n", {}, 0),
        ("1,2\na,b\n", {"ignore_order": True}, 1),
        ("A,B\n1,2\n", {"ignore_case": True}, 1),
        (" a,b \n1,2\n", {"strict": False}, 1),
        (" a,b \n1,2\n", {}, 0),
        ("a,b\n1,2.0\n", {}, 0),
        ("a,b\n1,2\n3,4\n", {}, 0),
    ],
)
def test_csv(tmp_path: Path, text: str, options: dict[str, Any], expected: float) -> None:
    (tmp_path / "gold.csv").write_text("a,b\n1,2\n")
    (tmp_path / "mine.csv").write_bytes(text.encode() + b"\xff" * 0)
    assert score("compare_csv", tmp_path / "mine.csv", tmp_path / "gold.csv", **options) == expected


def test_bytes_that_are_not_utf8_count(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("ab\n")
    (tmp_path / "mine.csv").write_bytes(b"a\xffb\n")
    assert score("compare_csv", tmp_path / "mine.csv", tmp_path / "gold.csv") == 0
    (tmp_path / "gold.csv").write_bytes(b"a\xffb\n")
    assert score("compare_csv", tmp_path / "mine.csv", tmp_path / "gold.csv") == 1


def test_texts(tmp_path: Path) -> None:
    gold, mine = tmp_path / "gold.txt", tmp_path / "mine.txt"
    gold.write_text("one two\nthree\n")
    mine.write_text("one\ttwo  three")
    assert score("compare_text_file", mine, gold) == 0
    assert score("compare_text_file", mine, gold, ignore_blanks=True) == 1
    mine.write_text("One two\nthree\n")
    assert score("compare_text_file", mine, gold) == 0
    assert score("compare_text_file", mine, gold, ignore_case=True) == 1
    assert score("compare_sql", mine, gold) == 0
    assert score("compare_sql", gold, gold) == 1


def test_the_share_of_equal_lines(tmp_path: Path) -> None:
    gold, mine = tmp_path / "gold.toml", tmp_path / "mine.toml"
    gold.write_text("a\nb\nc\nd\n")
    mine.write_text("a\nb\nx\nd\n")
    assert diff_text_file(mine, gold).score == 0.75
    assert diff_text_file(gold, gold).score == 1


def test_a_difference_of_too_many_lines_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("a\n" * 20_001)
    with pytest.raises(Unreadable, match="more than 20,000 lines"):
        diff_text_file(tmp_path / "mine.toml", tmp_path / "mine.toml")


@pytest.mark.parametrize("metric", ["compare_csv", "compare_sql", "compare_text_file", "diff_text_file", "compare_images"])
def test_no_file_is_zero_with_a_reason(tmp_path: Path, metric: str) -> None:
    judged = METRICS.find(metric)(None, tmp_path)
    assert (judged.score, judged.reason) == (0, "there is no result file")


def test_existence(tmp_path: Path) -> None:
    (tmp_path / "code.py").touch()
    assert score("check_file_existence", tmp_path / "code.py") == 1
    assert score("check_file_existence", tmp_path / "none.py") == 0
    assert score("check_file_existence", None) == 0
