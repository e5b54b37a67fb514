"""The file of remembered results: right or silent, bounded, shared by processes."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.engines import cache as caches
from touchstone.engines.cache import Cache, default_path, key

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


def test_what_was_put_is_got_by_another(tmp_path: Path) -> None:
    first, second = Cache(tmp_path / "deep" / "er" / "c.sqlite"), Cache(tmp_path / "deep" / "er" / "c.sqlite")
    first.put(b"k", b"v")
    assert second.get(b"k") == b"v"
    second.put(b"k", b"w")
    assert (first.get(b"k"), first.get(b"other")) == (b"w", None)
    for cache in (first, second):
        cache.close()
    assert Cache(tmp_path / "deep" / "er" / "c.sqlite").get(b"k") == b"w"


def test_without_a_path_nothing_is_kept() -> None:
    cache = Cache(None)
    cache.put(b"k", b"v")
    assert cache.get(b"k") is None
    cache.close()


def test_a_closed_cache_is_silent(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    cache.put(b"k", b"v")
    cache.close()
    cache.close()
    cache.put(b"l", b"v")
    assert cache.get(b"k") is None


def test_very_large_entries_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "LARGEST_ENTRY", 10)
    cache = Cache(tmp_path / "c.sqlite")
    cache.put(b"small", bytes(10))
    cache.put(b"large", bytes(11))
    assert (cache.get(b"small"), cache.get(b"large")) == (bytes(10), None)


def test_a_file_that_has_grown_too_large_starts_afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.sqlite"
    first = Cache(path)
    first.put(b"k", bytes(100_000))
    first.close()
    monkeypatch.setattr(caches, "LARGEST_FILE", 50_000)
    second = Cache(path)
    assert second.get(b"k") is None
    second.put(b"l", b"v")
    assert second.get(b"l") == b"v"


def test_a_cache_that_others_have_locked_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_SECONDS_FOR_A_LOCK", 0.1)
    path = tmp_path / "c.sqlite"
    first = Cache(path)
    first.put(b"k", b"v")
    first.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("INSERT INTO entries (key, value) VALUES ('l', 'w')")
        second = Cache(path)
        second.put(b"m", b"x")
        assert (second.get(b"k"), second.get(b"m")) == (None, None)
        second.close()
        other.execute("COMMIT")
    third = Cache(path)
    assert (third.get(b"k"), third.get(b"m")) == (b"v", None)


@given(st.lists(plain, max_size=3), st.lists(plain, max_size=3))
def test_keys_are_equal_just_when_their_parts_are(first: list[object], second: list[object]) -> None:
    assert (key(*first) == key(*second)) == (repr(first) == repr(second))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TOUCHSTONE_CACHE": "/a"}, "/a/results-2.sqlite"),
        ({"TOUCHSTONE_CACHE": "", "XDG_CACHE_HOME": "/b"}, "/b/touchstone/results-2.sqlite"),
        ({"TOUCHSTONE_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/c"}, "/c/.cache/touchstone/results-2.sqlite"),
    ],
)
def test_where_it_lives(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: str) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert default_path() == Path(expected)


def test_what_is_gathered_is_known_at_once_and_written_together(tmp_path: Path) -> None:
    first, second = Cache(tmp_path / "c.sqlite", gather=3600), Cache(tmp_path / "c.sqlite")
    first.put(b"a", b"1")  # nothing was written lately
    statements: list[str] = []
    assert first._connection is not None  # pyright: ignore[reportPrivateUsage]
    first._connection.set_trace_callback(statements.append)  # pyright: ignore[reportPrivateUsage]
    for letter in (b"b", b"c", b"d"):
        first.put(letter, letter)
    assert [first.get(letter) for letter in (b"a", b"b", b"c", b"d")] == [b"1", b"b", b"c", b"d"]
    assert [second.get(letter) for letter in (b"a", b"b")] == [b"1", None]
    first.close()
    assert [second.get(letter) for letter in (b"a", b"b", b"c", b"d")] == [b"1", b"b", b"c", b"d"]
    assert sum(statement.startswith("COMMIT") for statement in statements) == 1


def test_much_is_not_gathered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_GATHERED", 10)
    first, second = Cache(tmp_path / "c.sqlite", gather=3600), Cache(tmp_path / "c.sqlite")
    for letter in (b"a", b"b", b"c"):
        first.put(letter, bytes(6))
    assert [second.get(letter) for letter in (b"a", b"b", b"c")] == [bytes(6), bytes(6), bytes(6)]


def test_what_cannot_be_written_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_SECONDS_FOR_A_LOCK", 0.1)
    path = tmp_path / "c.sqlite"
    cache = Cache(path, gather=3600)
    cache.put(b"a", b"1")
    cache.put(b"b", b"2")
    cache.put(b"c", b"3")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        cache.close()
    again = Cache(path)
    assert [again.get(letter) for letter in (b"a", b"b", b"c")] == [b"1", None, None]
    again.put(b"d", b"4")
    assert again.get(b"d") == b"4"


@given(entries=st.lists(st.tuples(st.binary(min_size=1, max_size=1), st.binary(min_size=1, max_size=9)), max_size=20))
def test_a_new_cache_knows_what_was_put_and_so_does_the_next(entries: list[tuple[bytes, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.sqlite")
        cache, plain = Cache(path), {}
        for name, value in entries:
            assert cache.get(name) == plain.get(name)
            cache.put(name, value)
            plain[name] = value
            assert cache.get(name) == value
        assert {name: cache.get(name) for name in plain} == plain
        cache.close()
        again = Cache(path)
        assert {name: again.get(name) for name in plain} == plain
        again.close()
