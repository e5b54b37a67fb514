"""Golden results by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.spider2.audit import inspect
from touchstone.benchmarks.spider2.golden import GoldFile, Reference

WIDE = "name,legs\nheron,2\nnewt,4\nadder,0\n"


@pytest.fixture
def defects(tmp_path: Path) -> Any:
    def look(*texts: str | bytes, conditions: Any = (), ordered: bool = False, lettered: bool = True) -> dict[str, str]:
        files: list[GoldFile] = []
        for number, text in enumerate(texts):
            path = tmp_path / f"q_{chr(97 + number)}.csv"
            path.write_bytes(text.encode() if isinstance(text, str) else text)
            files.append(GoldFile(str(path), ""))
        found = inspect(Reference(tuple(files), list(conditions), not ordered, lettered))
        return {defect.kind: f"{defect.sentence}{' (severe)' * defect.severe}" for defect in found}

    return look


def test_nothing_to_say(defects: Any) -> None:
    assert defects("n\n1\n2\n") == {}
    assert defects(WIDE, ordered=True) == {}
    assert defects("n\n1.5\n", "n,m\n1.5,2\n") == {}  # further columns are allowed


def test_files_that_cannot_be_read_or_are_empty(defects: Any) -> None:
    assert "q_b.csv cannot be read" in defects("n\n1\n", b"n\n\xff\xfe\n")["golden_unreadable"]
    assert defects("n\n") == {"golden_empty": "q_a.csv has no rows"}


def test_columns_that_are_not_there(defects: Any) -> None:
    out = defects(WIDE, conditions=[5], lettered=False)
    assert out["columns_out_of_range"] == "column 5 is not in q_a.csv, which has 2 (severe)"
    assert "out-of-bounds" in out["official_rejects_gold"]
    some = defects(WIDE, "n\n1\n", conditions=[[1], [1]])
    assert some["columns_out_of_range"] == "column 1 is not in q_b.csv, which has 1"


def test_conditions_that_the_official_suite_reads_otherwise(defects: Any) -> None:
    assert "[0] is read by the official suite as [0, 1]" in defects(WIDE, conditions=[0])["conditions_misread"]
    assert "conditions_misread" not in defects(WIDE, conditions=[0, 1])
    assert "conditions_misread" not in defects(WIDE, conditions=[0], lettered=False)


def test_fewer_lists_than_results(defects: Any) -> None:
    out = defects("n\n1\n", "n\n2\n", conditions=[[0]])
    assert out["conditions_count"] == "condition_cols has 1 lists for 2 gold results"
    assert "q_b.csv itself is rejected by the official suite: list index out of range" in out["official_rejects_gold"]


def test_results_that_exclude_one_another(defects: Any) -> None:
    assert defects("n\n1\n", "n\n2\n", "n\n1\n")["variants_differ"].startswith("2 of 3 pairs")


def test_rows_that_are_not_compared_as_rows(defects: Any) -> None:
    assert "3 rows" in defects(WIDE)["scrambled_rows"]


def test_answers_that_a_constant_row_guesses(defects: Any) -> None:
    small, large, named = defects("n\n7\n"), defects("n\n1234\n"), defects("n,name\n7,heron\n")
    assert (small["constant_strict"], small["constant_official"]) == (
        "the constant row 0 … 16 is accepted",
        "the constant row 0 … 26,000 is accepted",
    )
    assert large == {"constant_official": "the constant row 0 … 26,000 is accepted"}
    assert named == {}
    assert "constant_strict" in defects("n,name\n7,heron\n", conditions=[[0]])
