"""The packaged model is loaded without a network, cuts long texts into windows, and finds by meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.desktop.documents.support import index, make_warehouse, with_model
from touchstone.benchmarks.desktop.documents import embedding
from touchstone.benchmarks.desktop.documents.index import open_all
from touchstone.benchmarks.desktop.documents.search import method, search
from touchstone.errors import InputError

pytestmark = with_model

REFERENCE = {
    "How do I add a new data source in Superset?": [-0.041743, -0.11084, -0.055114, 0.034775, 0.020994],
    "Zürich café: naïve SELECT * FROM t; — 日本語 x_y": [0.016201, 0.049779, 0.110997, -0.027819, 0.036328],
    "": [-0.118838, 0.048299, -0.002548, -0.011011, 0.051951],
    "dbt run --select my_model+ --full-refresh": [0.002869, -0.101092, 0.019506, 0.075224, 0.022758],
}
"""The first numbers as sentence-transformers 6.2.0 with PyTorch 2.13.0 gives them."""


@pytest.mark.parametrize("text", REFERENCE)
def test_vectors_are_those_of_the_reference(text: str) -> None:
    rows = embedding.load().windows(text)
    assert rows.shape == (1, embedding.WIDTH)
    assert rows[0][:5].tolist() == pytest.approx(REFERENCE[text], abs=2e-6)
    assert float((rows[0] ** 2).sum()) == pytest.approx(1, abs=1e-5)


def test_a_long_text_has_several_windows_of_like_length_each_with_the_heading() -> None:
    model = embedding.load()
    words = [f"word {number}" for number in range(300)]
    assert model.windows(" ".join(words)).shape[0] == 3
    half = " ".join(words[:60])
    assert model.windows(half, "Title").tolist() == model.windows(f"Title {half}").tolist()


def test_a_heading_never_fills_a_window() -> None:
    assert embedding.load().windows("text", "heading " * 1000).shape[0] == 1


def test_like_meaning_is_near() -> None:
    model = embedding.load()
    question = model.vector("How can I remove a table?")
    near, far = model.vector("Deleting relations from the database"), model.vector("The weather in spring is mild")
    assert question @ near > question @ far + 0.2


def test_passages_are_found_by_meaning(tmp_path: Path) -> None:
    root, out = make_warehouse(tmp_path / "warehouse"), tmp_path / "index"
    assert index(root, out, model=embedding.NAME)["dbt"].written
    indexes = list(open_all(out).values())
    assert method("auto", indexes) == "minilm"
    hits = search("track history of modified records", indexes, 2, "minilm")
    assert hits[0].path == "docs.getdbt.com/snapshots.txt"
    assert hits[0].score > hits[1].score
    assert search("start the interpreter afresh and execute everything", indexes, 1, "minilm")[0].title == "Kernels"
    assert not index(root, out, model=embedding.NAME)["dbt"].written


def test_an_index_without_vectors_is_searched_by_words(tmp_path: Path) -> None:
    root, out = make_warehouse(tmp_path / "warehouse"), tmp_path / "index"
    index(root, out)
    indexes = open_all(out).values()
    assert method("auto", indexes) == "bm25"
    with pytest.raises(InputError, match="no embeddings are in the index of dbt, jupyter"):
        method("minilm", indexes)
