"""The gold is found in whatever form it lies about, and nothing else is."""

from __future__ import annotations

import bz2
import gzip
import html
import json
import lzma
import os
import pickle
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.agents import gold_search
from touchstone.agents.gold_search import LONGEST, SHORTEST, Patterns, letters, search
from touchstone.protocols import Gold

SQL = "SELECT T1.name,\n       COUNT(*)\nFROM item AS T1\nWHERE T1.label = 'é \"dear\"' AND T1.price > 1.05\nGROUP BY T1.name"
GOLD = Gold((SQL,))


def write_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (n INTEGER, gold TEXT)")
        connection.execute("INSERT INTO t VALUES (1, ?)", [SQL])


def write_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deep/dev.json", json.dumps([{"SQL": SQL}]))


FORMS: dict[str, Callable[[Path], object]] = {
    "dev_gold.sql": lambda path: path.write_text(f"{SQL}\tshop\n"),
    "one_line.sql": lambda path: path.write_text(" ".join(SQL.split())),
    "lower.txt": lambda path: path.write_text(SQL.lower()),
    "dev.json": lambda path: path.write_text(json.dumps([{"SQL": SQL}], indent=2)),
    "plain.json": lambda path: path.write_text(json.dumps({"SQL": SQL}, ensure_ascii=False)),
    "twice.jsonl": lambda path: path.write_text(json.dumps({"body": json.dumps({"SQL": SQL})})),
    "answers.py": lambda path: path.write_text(f"GOLD = {SQL!r}\n"),
    "report.html": lambda path: path.write_text(f"<pre>{html.escape(SQL)}</pre>"),
    "results.csv": lambda path: path.write_text('id,sql\n1,"' + SQL.replace('"', '""') + '"\n'),
    "windows.sql": lambda path: path.write_bytes(SQL.replace("\n", "\r\n").encode("utf-16")),
    "examples.pkl": lambda path: path.write_bytes(pickle.dumps([SQL])),
    "notes.sqlite": write_sqlite,
    "dev.zip": write_zip,
    "dev.json.gz": lambda path: path.write_bytes(gzip.compress(SQL.encode())),
    "dev.json.bz2": lambda path: path.write_bytes(bz2.compress(SQL.encode())),
    "dev.json.xz": lambda path: path.write_bytes(lzma.compress(SQL.encode())),
}


@pytest.mark.parametrize("name", FORMS)
def test_it_is_found_in_every_form(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "some" / "where"
    folder.mkdir(parents=True)
    (tmp_path / "other.sql").write_text("SELECT T1.name FROM item AS T1")
    FORMS[name](folder / name)
    assert search(GOLD, (), [tmp_path]).hit == str(folder / name)


def test_a_copy_of_a_gold_file_is_known_by_its_content(tmp_path: Path) -> None:
    golden, copy = tmp_path / "gold.png", tmp_path / "visible" / "picture.bin"
    golden.write_bytes(os.urandom(5000))
    copy.parent.mkdir()
    copy.write_bytes(golden.read_bytes())
    assert search(Gold((), (golden,)), (), [copy.parent]).hit == str(copy)
    copy.write_bytes(os.urandom(5000))
    assert search(Gold((), (golden,)), (), [copy.parent]).hit is None


def test_it_is_found_on_the_command_line() -> None:
    assert search(GOLD, ["agent.py", json.dumps([SQL])], []).hit == "the command line"


def test_what_is_hidden_or_linked_is_not_looked_at(tmp_path: Path) -> None:
    hidden, seen = tmp_path / "program" / "data", tmp_path / "elsewhere"
    for folder in (hidden, seen):
        folder.mkdir(parents=True)
        (folder / "dev.sql").write_text(SQL)
    (tmp_path / "program" / "link").symlink_to(seen)
    (tmp_path / "program" / "file.sql").symlink_to(seen / "dev.sql")
    assert search(GOLD, (), [tmp_path / "program"], [hidden]).hit is None
    assert search(GOLD, (), [tmp_path / "program"]).hit == str(hidden / "dev.sql")


def test_short_and_empty_gold_and_damaged_archives_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "short.sql").write_text("SELECT COUNT(*) FROM item")
    (tmp_path / "broken.gz").write_bytes(gzip.compress(SQL.encode())[:-30])
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04" + os.urandom(100))
    found = search(Gold(("SELECT COUNT(*) FROM item", "")), (), [tmp_path])
    assert (found.hit, found.files) == (None, 3)


def test_files_that_did_not_hold_it_are_remembered_until_they_change(tmp_path: Path) -> None:
    memory, folder = tmp_path / "memory", tmp_path / "program"
    folder.mkdir()
    (folder / "a.txt").write_text("x" * 1000)
    assert search(GOLD, (), [folder], memory=memory).bytes == 1000
    again = search(GOLD, (), [folder], memory=memory)
    assert (again.files, again.bytes) == (1, 0)
    assert search(Gold(("SELECT something_else FROM a_table_of_ours",)), (), [folder], memory=memory).bytes == 1000
    (folder / "a.txt").write_text(SQL)
    assert search(GOLD, (), [folder], memory=memory).hit == str(folder / "a.txt")
    assert search(GOLD, (), [folder], memory=memory).hit == str(folder / "a.txt")


def test_it_is_found_across_the_pieces_that_a_file_is_read_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gold_search, "_CHUNK", 64)
    for before in range(64):
        (tmp_path / "large.json").write_text("," * before + json.dumps(SQL) + "," * 200)
        assert search(GOLD, (), [tmp_path]).hit is not None, before


words = st.text("abcdef ,.()'\n", min_size=0, max_size=60)


@given(st.lists(words, max_size=5), words, words, st.integers(0, 4))
def test_exactly_the_texts_that_are_there_are_found(texts: list[str], before: str, after: str, chosen: int) -> None:
    """Against the obvious way: each text by itself."""
    data = letters(f"{before}{texts[chosen] if chosen < len(texts) else ''}{after}".encode())
    plain = [letters(text.encode())[:LONGEST] for text in texts]
    expected = any(len(text) >= SHORTEST and text in data for text in plain)
    assert Patterns(texts).occur_in(data) == expected
