"""Chunks lose nothing, are never too long, and overlap by just as much as they should."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.documents.pages import TOKEN, count, split

texts = st.text(st.one_of(st.sampled_from("ab. \n\n,_漢字カナ한é😀\t"), st.characters()), max_size=400)
sizes = st.integers(4, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size // 2 - 1)))


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


@given(texts)
def test_every_sign_is_in_a_token(text: str) -> None:
    assert "".join(tokens(text)) == "".join(text.split())


@given(texts, sizes)
@example("word " * 100, (10, 3))
def test_chunks_are_pieces_of_the_text_that_overlap_and_lose_nothing(text: str, size: tuple[int, int]) -> None:
    most, overlap = size
    chunks = split(text, most, overlap)
    all_tokens, position = tokens(text), 0
    for chunk in chunks:
        own = tokens(chunk)
        assert chunk in text
        assert len(own) == count(chunk) <= most
        if position:
            position -= overlap
        assert all_tokens[position : position + len(own)] == own
        position += len(own)
    assert position == len(all_tokens)


@given(texts, sizes)
def test_a_chunk_is_cut_at_most_a_quarter_early(text: str, size: tuple[int, int]) -> None:
    most, overlap = size
    for chunk in split(text, most, overlap)[:-1]:
        assert count(chunk) >= most - most // 4


def test_a_chunk_ends_with_a_paragraph_if_it_can() -> None:
    text = "one two three. four five six.\nseven\n\neight nine ten eleven twelve. thirteen fourteen"
    assert split(text, 12, 0)[0].endswith("seven")
    text = "one two three four five six seven.\neight nine ten. eleven twelve thirteen fourteen"
    assert split(text, 10, 0)[0].endswith("seven.")
    text = "one two three four five six seven. eight nine ten eleven twelve thirteen fourteen"
    assert split(text, 10, 0)[0].endswith("seven.")


def test_the_published_size_and_overlap() -> None:
    words = [f"w{number}" for number in range(1000)]
    first, second = split(" ".join(words))
    assert (count(first), count(second)) == (512, 1000 - 512 + 20)
    assert first.split()[-20:] == second.split()[:20]


def test_long_words_and_east_asian_text_are_counted_in_pieces() -> None:
    assert count("documentation") == 2
    assert count("漢字かな") == 4
    assert count("dbt run --select 'a.b'") == 10


def test_an_overlap_that_would_stand_still_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        split("a b c", 10, 5)
