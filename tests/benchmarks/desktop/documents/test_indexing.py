"""Folders become indexes: what is in them, what is read again, and what bad files do to them."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from tests.benchmarks.desktop.documents.support import index, make_warehouse, text_of, titles
from touchstone.benchmarks.desktop.documents.index import open_all
from touchstone.benchmarks.desktop.documents.warehouse import shelves
from touchstone.errors import InputError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_warehouse(tmp_path / "warehouse")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "index"


def test_one_index_for_each_application(root: Path, out: Path) -> None:
    done = index(root, out)
    assert {name: (entry.documents, entry.read, entry.problems) for name, entry in done.items()} == {
        "dbt": (3, 3, []),
        "jupyter": (2, 2, []),
    }
    assert titles(out, "dbt") == {
        "docs.getdbt.com/incremental.html": "Incremental models",
        "docs.getdbt.com/seeds.md": "Seeds",
        "docs.getdbt.com/snapshots.txt": "snapshots",
    }
    assert titles(out, "jupyter") == {"jupyter/kernels.html": "Kernels", "jupyter/export.md": "Exporting"}
    assert "Pricing" not in text_of(out, "dbt")


def test_only_what_changed_is_read_again(root: Path, out: Path) -> None:
    index(root, out)
    before = (out / "jupyter.sqlite").stat().st_ino
    assert [(entry.read, entry.written) for entry in index(root, out).values()] == [(0, False), (0, False)]
    (root / "docs.getdbt.com/seeds.md").write_text("# Seeds\n\nRewritten.")
    (root / "docs.getdbt.com/snapshots.txt").unlink()
    (root / "docs.getdbt.com/new").mkdir()
    (root / "docs.getdbt.com/new/page.txt").write_text("A new page.")
    done = index(root, out)
    assert (done["dbt"].read, done["dbt"].gone, done["dbt"].documents) == (2, 1, 3)
    assert not done["jupyter"].written
    assert (out / "jupyter.sqlite").stat().st_ino == before
    text = text_of(out, "dbt")
    assert "Rewritten" in text
    assert "A new page" in text
    assert "Snapshots" not in text


def test_an_index_that_was_kept_up_to_date_is_the_same_as_a_new_one(root: Path, out: Path, tmp_path: Path) -> None:
    index(root, out)
    (root / "jupyter/export.md").write_text("Changed.")
    index(root, out)
    index(root, tmp_path / "fresh")
    for name in ("dbt", "jupyter"):
        assert (out / f"{name}.sqlite").read_bytes() == (tmp_path / f"fresh/{name}.sqlite").read_bytes()


def test_titles_of_the_crawl_come_first(root: Path, out: Path) -> None:
    index(root, out)
    names = {"docs.getdbt.com/seeds.html": "Add  seeds", "docs.getdbt.com/snapshots.txt": "Add snapshots"}
    (root / "webpage_title.json").write_text(json.dumps(names))
    (root / "jupyter/webpage_title.json").write_text(json.dumps({"export.md": "Export"}))
    assert [entry.read for entry in index(root, out).values()] == [2, 1]
    assert titles(out, "dbt")["docs.getdbt.com/seeds.md"] == "Add seeds"
    assert titles(out, "dbt")["docs.getdbt.com/snapshots.txt"] == "Add snapshots"
    assert titles(out, "jupyter")["jupyter/export.md"] == "Export"


def test_titles_that_cannot_be_read_are_told(root: Path, out: Path) -> None:
    (root / "webpage_title.json").write_text('["no table"]')
    problems = index(root, out)["dbt"].problems
    assert len(problems) == 1
    assert problems[0].startswith("webpage_title.json: no titles are taken from it")
    assert titles(out, "dbt")["docs.getdbt.com/seeds.md"] == "Seeds"


def test_bad_files_are_told_and_left_out(root: Path, out: Path, tmp_path: Path) -> None:
    folder = root / "jupyter"
    (folder / "binary.html").write_bytes(b"\x7fELF\0\0\0")
    (folder / "blank.md").write_text(" \n")
    os.mkfifo(folder / "pipe.html")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.txt").write_text("the secret of another folder")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "dangling.txt").symlink_to(tmp_path / "none.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "deep.html").write_text("<div>" * 3_000 + "deep text")
    Path(os.fsdecode(os.fsencode(folder) + b"/na\xffme.txt")).write_text("a page with a strange name")
    done = index(root, out)["jupyter"]
    assert done.problems == ["jupyter/binary.html: not a text file", "jupyter/blank.md: there is no text in it"]
    assert set(titles(out, "jupyter")) == {
        *("jupyter/kernels.html", "jupyter/export.md", "jupyter/deep.html", "jupyter/na\ufffdme.txt")
    }
    assert "secret" not in text_of(out, "jupyter")
    assert index(root, out)["jupyter"].read == 0


def test_folders_of_applications(root: Path) -> None:
    for name in ("notes", "docs.Astronomer.io", ".git", "www.metabase.com"):
        (root / name).mkdir()
    found, strange = shelves(root, ["dbt_cloud=docs.getdbt.com", "metabase=notes"])
    assert {shelf.application: [folder.name for folder in shelf.folders] for shelf in found} == {
        "airflow": ["docs.Astronomer.io"],
        "dbt": ["docs.getdbt.com"],
        "dbt_cloud": ["docs.getdbt.com"],
        "jupyter": ["jupyter"],
        "metabase": ["notes", "www.metabase.com"],
    }
    assert strange == []
    assert shelves(root)[1] == ["notes"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("dbt", "--app dbt: expected NAME=FOLDER"),
        ("dbtt=jupyter", "unknown application dbtt"),
        ("dbt=none", "there is no folder"),
        ("dbt=..", "is not in"),
    ],
)
def test_folders_that_are_refused(root: Path, given: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        shelves(root, [given])


def test_an_emptied_folder_leaves_the_old_index(root: Path, out: Path) -> None:
    index(root, out)
    for path in (root / "jupyter").iterdir():
        path.unlink()
    done = index(root, out)["jupyter"]
    assert (done.documents, done.written) == (0, False)
    assert open_all(out)["jupyter"].size[0] == 2


def test_a_damaged_index_is_told_by_readers_and_made_anew(root: Path, out: Path) -> None:
    index(root, out)
    (out / "dbt.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 500)
    with pytest.raises(InputError, match=r"dbt\.sqlite: not a whole index"):
        open_all(out)
    assert index(root, out)["dbt"].read == 3
    assert open_all(out)["dbt"].size[0] == 3


def test_one_process_at_a_time(root: Path, out: Path) -> None:
    index(root, out)
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process is indexing here"):
            index(root, out)


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such directory; make it with 'touchstone desktop documents index'"):
        open_all(tmp_path / "none")
    with pytest.raises(InputError, match="there is no index here"):
        open_all(tmp_path)
