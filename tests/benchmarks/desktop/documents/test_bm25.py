"""BM25 as computed by hand, and as its formula says on generated corpora."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.documents.bm25 import scores
from touchstone.benchmarks.desktop.documents.words import stem, words


class Chunks:
    """Postings of chunks that are lists of words."""

    def __init__(self, *chunks: Sequence[str]) -> None:
        self.counts = [Counter(chunk) for chunk in chunks]

    def lengths(self) -> array[int]:
        return array("I", [counts.total() for counts in self.counts])

    def postings(self, word: str) -> tuple[array[int], array[int]]:
        found = [(number, counts[word]) for number, counts in enumerate(self.counts) if counts[word]]
        return array("I", [number for number, _ in found]), array("I", [times for _, times in found])


def test_by_hand() -> None:
    found = scores(["rain"], [Chunks(["rain", "rain", "sun"], ["sun"], ["rain", "wind"])])
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))  # three chunks, two have it; the mean length is 2
    assert found == {
        (0, 0): pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))),
        (0, 2): pytest.approx(idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 2))),
    }
    assert found[0, 0] == pytest.approx(0.47 * 4.4 / 3.65, abs=1e-3)


word_lists = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8), min_size=1, max_size=8)


@given(word_lists, st.integers(0, 8), st.lists(st.sampled_from("abcdefg"), max_size=6))
def test_several_indexes_score_as_one(chunks: list[list[str]], cut: int, question: list[str]) -> None:
    """So that passages of several applications can be compared."""
    whole = scores(question, [Chunks(*chunks)])
    parts = scores(question, [Chunks(*chunks[:cut]), Chunks(*chunks[cut:])])
    apart = {
        (0, chunk) if number == 0 else (0, chunk + min(cut, len(chunks))): score for (number, chunk), score in parts.items()
    }
    assert apart == pytest.approx(whole)


@given(word_lists, st.lists(st.sampled_from("abcdefg"), max_size=6))
def test_just_the_chunks_that_share_a_word_have_a_score(chunks: list[list[str]], question: list[str]) -> None:
    found = scores(question, [Chunks(*chunks)])
    assert set(found) == {(0, number) for number, chunk in enumerate(chunks) if set(chunk) & set(question)}
    assert all(score > 0 for score in found.values())


def test_a_rare_word_says_more_than_a_common_one() -> None:
    found = scores(["common", "rare"], [Chunks(["common", "x"], ["common", "y"], ["common", "z"], ["rare", "x"])])
    assert max(found, key=lambda place: found[place]) == (0, 3)


def test_nothing_is_found_in_nothing() -> None:
    assert scores(["a"], []) == {} == scores([], [Chunks(["a"])]) == scores(["a"], [Chunks()])


def test_words() -> None:
    assert words("Run `dbt_project.yml` QUERIES, 漢字!") == ["run", "dbt", "project", "yml", "query", "漢", "字"]
    assert words("x" * 65 + " y") == ["y"]
    assert [stem(word) for word in ["connections", "class", "status", "sources", "dbs", "queries"]] == [
        *("connection", "class", "status", "source", "dbs", "query"),
    ]
