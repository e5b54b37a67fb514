"""Ranking on a corpus that is made up, so that the right answer is known."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.benchmarks.desktop.documents.support import index, make_warehouse
from touchstone.benchmarks.desktop.documents.index import Index, chosen, open_all
from touchstone.benchmarks.desktop.documents.search import search

TOPICS = [f"topic{letter}{number}" for number in range(10) for letter in "abc"]
FILLER = "the of and to in a is that for it as was with be by on not he at this".split()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Index]:
    """Thirty pages in two applications, each of several chunks, with its topic in one of them only."""
    root, chance = tmp_path_factory.mktemp("corpus"), random.Random(7)
    for number, topic in enumerate(TOPICS):
        path = root / ("dbt" if number % 2 else "jupyter") / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        words = [chance.choice(FILLER) for _ in range(1500)]
        words[chance.randrange(1500)] = topic
        path.write_text(f"# Page {number}\n\n" + " ".join(words))
    index(root, root / "index")
    return list(open_all(root / "index").values())


@pytest.mark.parametrize("topic", TOPICS)
def test_the_page_with_the_topic_is_first(corpus: list[Index], topic: str) -> None:
    hits = search(f"What is that {topic} for?", corpus, 4, "bm25")
    assert topic in hits[0].text
    assert hits[0].title == f"Page {TOPICS.index(topic)}"
    assert len(hits) == 4
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_same_question_has_the_same_answer(corpus: list[Index]) -> None:
    assert search("the of and", corpus, 10, "bm25") == search("the of and", corpus, 10, "bm25")


def test_only_the_chosen_applications_are_searched(corpus: list[Index]) -> None:
    found = chosen({entry.application: entry for entry in corpus}, ["dbt", "excel", "dbt"])
    assert [entry.application for entry in found] == ["dbt"]
    assert {hit.application for hit in search("the of and", found, 50, "bm25")} == {"dbt"}


def test_words_that_occur_nowhere_find_nothing(corpus: list[Index]) -> None:
    assert search("xyzzy?", corpus, 4, "bm25") == []
    assert search("", corpus, 4, "bm25") == []


def test_a_text_under_several_addresses_is_given_once(tmp_path: Path) -> None:
    root = make_warehouse(tmp_path / "warehouse")
    seeds = (root / "docs.getdbt.com/seeds.md").read_text()
    (root / "docs.getdbt.com/seeds-copy.md").write_text(seeds)
    (root / "docs.getdbt.com/print.md").write_text(f"{seeds}\nAnd more of all kinds.")
    index(root, tmp_path / "index")
    hits = search("load a seed from a CSV file", list(open_all(tmp_path / "index").values()), 4, "bm25")
    assert sum("A seed is a CSV file" in hit.text for hit in hits) == 1


def test_a_title_counts(tmp_path: Path) -> None:
    root = make_warehouse(tmp_path / "warehouse")
    index(root, tmp_path / "index")
    hits = search("exporting", list(open_all(tmp_path / "index").values()), 1, "bm25")
    assert hits[0].path == "jupyter/export.md"
