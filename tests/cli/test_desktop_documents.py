"""`touchstone desktop documents` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.desktop.documents.support import make_warehouse, with_model
from tests.cli.test_desktop import desktop


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_warehouse(tmp_path / "warehouse")
    return tmp_path


def test_index_search_and_list(place: Path) -> None:
    (place / "warehouse/jupyter/binary.html").write_bytes(b"\0\0")
    (place / "warehouse/other").mkdir()
    done = desktop("documents", "index", "warehouse", "--embeddings", "none", cwd=place)
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "dbt           3 documents, 3 chunks: 3 read, 0 gone",
        "jupyter       2 documents, 2 chunks: 2 read, 0 gone, 1 left out",
        "documents-index: without embeddings: searched by words (BM25)",
    ]
    assert done.err.splitlines() == [
        "touchstone: warning: other: no application is known for this folder; give --app NAME=other",
        "touchstone: left out: jupyter/binary.html: not a text file",
    ]
    again = desktop("documents", "index", "warehouse", "--embeddings", "none", cwd=place)
    assert again.out.splitlines()[0] == "dbt           3 documents, 3 chunks: nothing changed"
    done = desktop("documents", "search", "restart the kernel", "--app", "jupyter", "--top", "1", cwd=place)
    assert done.out.startswith("[Passage 1 of 1]\nSource: jupyter/kernels.html\nTitle: Kernels\nContent:\nRestart the kernel")
    assert "1 passages by bm25: jupyter " in done.err
    assert desktop("documents", "search", "xyzzy", cwd=place).out == "no passage fits this question\n"
    lines = desktop("documents", "list", cwd=place).out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["dbt", "3", "3"], ["jupyter", "2", "2"]]


@with_model
def test_with_embeddings(place: Path) -> None:
    done = desktop("documents", "index", "warehouse", "--app", "dbt_cloud=docs.getdbt.com", "--out", "own", cwd=place)
    assert done.out.splitlines()[-1] == "own: with embeddings by all-MiniLM-L6-v2"
    done = desktop("documents", "search", "history of changes", "--app", "dbt_cloud", "--index", "own", "--top", "1", cwd=place)
    assert "Source: docs.getdbt.com/snapshots.txt" in done.out
    assert "by minilm: dbt_cloud 0." in done.err
    assert "all-MiniLM-L6-v2" in desktop("documents", "list", "own", cwd=place).out


def test_mistakes_are_one_line(place: Path) -> None:
    assert desktop("documents", "index", "warehouse", "--embeddings", "none", cwd=place).code == 0
    (place / "empty").mkdir()
    for arguments, complaint in [
        (["index", "none"], "none: no such directory"),
        (["index", "empty"], "empty: no folder of an application here"),
        (
            ["index", "warehouse", "--out", "warehouse/jupyter/export.md"],
            "warehouse/jupyter/export.md: the index cannot be written",
        ),
        (["index", "warehouse", "--app", "x=y"], "--app x=y: unknown application x"),
        (["search", "x", "--index", "none"], "none: no such directory; make it with"),
        (["search", "x", "--app", "excel"], "--app excel: no documents are indexed for it in documents-index; there are dbt"),
        (["search", "x", "--top", "0"], "--top 0: expected a positive whole number"),
        (["list", "empty"], "empty: there is no index here"),
    ]:
        done = desktop("documents", *arguments, cwd=place)
        assert (done.code, done.err.count("\n")) == (2, 1), arguments
        assert done.complaint.startswith(f"touchstone: {complaint}"), done.err
