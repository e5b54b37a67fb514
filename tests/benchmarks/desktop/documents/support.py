"""A small warehouse of pages, and how tests index and read it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.documents import embedding
from touchstone.benchmarks.desktop.documents.index import open_all
from touchstone.benchmarks.desktop.documents.index_builder import Indexed, Indexer
from touchstone.benchmarks.desktop.documents.warehouse import shelves

PAGES = {
    "docs.getdbt.com/incremental.html": (
        "<html><head><title>Incremental models</title></head><body><nav>Home Pricing</nav><h1>Incremental models</h1>"
        "<p>An incremental model inserts only new rows into the table of the warehouse.</p></body></html>"
    ),
    "docs.getdbt.com/seeds.md": "# Seeds\n\nA seed is a CSV file that dbt loads with the command dbt seed.\n",
    "docs.getdbt.com/snapshots.txt": "Snapshots record how the rows of a mutable table changed over time.\n",
    "jupyter/kernels.html": "<title>Kernels</title><p>Restart the kernel and run all cells of the notebook again.</p>",
    "jupyter/export.md": "---\ntitle: Exporting\n---\nA notebook can be exported as HTML or as a script.\n",
}

with_model = pytest.mark.skipif(embedding.folder() is None, reason=f"the embedding model is not installed: {embedding.INSTALL}")


def make_warehouse(root: Path) -> Path:
    for name, text in PAGES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def index(root: Path, out: Path, given: Sequence[str] = (), *, model: str = "") -> dict[str, Indexed]:
    """What was done, by application."""
    indexer = Indexer(root, out, model=model, progress=lambda what, done, total: None)
    return {done.application: done for done in asyncio.run(indexer.run(shelves(root, given)[0]))}


def titles(out: Path, application: str) -> dict[str, str]:
    return {document.path: document.title for document in open_all(out)[application].documents()}


def text_of(out: Path, application: str) -> str:
    return "\n".join(text for document in open_all(out)[application].documents() for text in document.chunks)
