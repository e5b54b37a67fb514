"""kill -9 while indexing: readers see the old index or the new one, and the next start finishes the work."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.desktop.documents.support import index, text_of, with_model
from tests.support.command import finish, start
from touchstone.benchmarks.desktop.documents import embedding
from touchstone.benchmarks.desktop.documents.index import open_all

PAGES = 150


def write_pages(root: Path, word: str, count: int = PAGES, length: int = 200) -> None:
    (root / "dbt").mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (root / f"dbt/{number}.txt").write_text(f"page{number} " + " ".join(f"{word}{number}of{n}" for n in range(length)))


@pytest.mark.parametrize(("sign", "delay"), [(".lock", 0.1), ("dbt.sqlite.new", 0.02)], ids=["reading", "writing"])
def test_a_kill_leaves_the_old_index_or_the_new_one(tmp_path: Path, sign: str, delay: float) -> None:
    root, out = tmp_path / "warehouse", tmp_path / "index"
    write_pages(root, "old")
    index(root, out)
    write_pages(root, "new")
    killed = 0
    for attempt in range(3):
        (out / sign).unlink(missing_ok=True)
        process = start("desktop", "documents", "index", root, "--out", out, "--embeddings", "none", cwd=tmp_path)
        while process.poll() is None and not (out / sign).exists():
            time.sleep(0.001)
        time.sleep(attempt * delay)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        finish(process)
        text = text_of(out, "dbt")
        assert ("old" in text) != ("new" in text)
        assert all(f"page{number} " in text for number in range(PAGES))
    assert killed
    (root / "dbt/0.txt").write_text("page0 newest")
    index(root, out)
    assert "old" not in text_of(out, "dbt")
    assert {path.name for path in out.iterdir()} == {"dbt.sqlite", ".lock"}


@with_model
def test_embeddings_that_were_made_before_a_kill_are_kept(tmp_path: Path) -> None:
    root, out = tmp_path / "warehouse", tmp_path / "index"
    write_pages(root, "old", 2, 20)
    index(root, out, model=embedding.NAME)
    write_pages(root, "new", 40, 20)
    process = start("desktop", "documents", "index", root, "--out", out, "--embeddings", "minilm", cwd=tmp_path)
    while kept(out / "dbt.vectors") < 8:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    finish(process)
    before = kept(out / "dbt.vectors")
    assert 8 <= before < 40
    assert open_all(out)["dbt"].size[0] == 2
    assert "new" not in text_of(out, "dbt")
    with closing(sqlite3.connect(out / "dbt.vectors")) as file:  # a mark that only what is kept can have
        file.execute("UPDATE kept SET vectors = ?", [b"\0" * 2 * embedding.WIDTH])
        file.commit()
    index(root, out, model=embedding.NAME)
    assert sum(not any(blob) for blob in open_all(out)["dbt"].vectors()) == before
    assert not (out / "dbt.vectors").exists()


def kept(path: Path) -> int:
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as file:
        try:
            return file.execute("SELECT count(*) FROM kept").fetchone()[0]
        except sqlite3.OperationalError:  # the file is there before its table
            return 0
