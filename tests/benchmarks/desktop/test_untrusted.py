from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from touchstone.benchmarks.desktop import untrusted
from touchstone.benchmarks.desktop.metrics.table import compare_table
from touchstone.benchmarks.desktop.untrusted import Unreadable, read_text, refuse_hostile_workbook

openpyxl: Any = pytest.importorskip("openpyxl")
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'


def workbook(path: Path, **parts: str) -> Path:
    openpyxl.Workbook().save(path)
    with ZipFile(path, "a", ZIP_DEFLATED) as opened:
        for name, text in parts.items():
            opened.writestr(name.replace("__", "/") + ".xml", text)
    return path


def test_an_ordinary_workbook_is_let_through(tmp_path: Path) -> None:
    refuse_hostile_workbook(workbook(tmp_path / "a.xlsx"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(tmp_path: Path, encoding: str) -> None:
    path = workbook(tmp_path / "a.xlsx")
    with ZipFile(path, "a") as opened:
        opened.writestr("xl/worksheets/sheet9.xml", BOMB.encode(encoding))
    with pytest.raises(Unreadable, match="declares a document type"):
        compare_table(path, path, rules=[])


def test_what_unpacks_too_far_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", xl__big="0" * 3_000_000)
    with pytest.raises(Unreadable, match="unpacks to more than 200 times its size"):
        compare_table(path, path, rules=[])


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "a.xlsx")
    monkeypatch.setattr(untrusted, "MOST_PARTS", 3)
    with pytest.raises(Unreadable, match="more than 3 parts"):
        refuse_hostile_workbook(path)
    monkeypatch.undo()
    monkeypatch.setattr(untrusted, "LARGEST_ARCHIVE", 100)
    with pytest.raises(Unreadable, match="unpacks to more than"):
        refuse_hostile_workbook(path)
    monkeypatch.setattr(untrusted, "LARGEST_TEXT", 3)
    (tmp_path / "a.txt").write_text("four")
    with pytest.raises(Unreadable, match="is larger than"):
        read_text(tmp_path / "a.txt")


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="is not a file"):
        read_text(tmp_path)
    with pytest.raises(Unreadable, match="cannot be read: No such file"):
        read_text(tmp_path / "none")
