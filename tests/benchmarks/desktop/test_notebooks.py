from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.metrics import METRICS
from touchstone.benchmarks.desktop.untrusted import Unreadable


def code(source: str, count: int | None = 1, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "execution_count": count, "outputs": list(outputs), "metadata": {}}


def printed(text: Any) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(text: Any, count: int = 1) -> dict[str, Any]:
    data = {"text/plain": text, "image/png": f"pixels{count}"}
    return {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}


def notebook(path: Path, *cells: dict[str, Any], **more: Any) -> Path:
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}))
    return path


def score(metric: str, *arguments: Any) -> float:
    return METRICS.find(metric)(*arguments).score


TEXT = {"cell_type": "markdown", "source": "# Title", "metadata": {}}


@pytest.mark.parametrize(
    ("mine", "expected"),
    [
        ([printed("a\nb\n"), shown("42")], 1),
        ([printed(["a\n", "b\n"]), shown(["42"], 7)], 1),
        ([printed("a\n"), shown("42")], 0),
        ([printed("a\nb\n"), shown("43")], 0),
        ([shown("42"), printed("a\nb\n")], 0),
        ([printed("a\nb\n")], 0),
        ([printed("Requirement already satisfied: x"), printed("a\nb\n"), shown("42")], 1),
        ([{"output_type": "stream", "name": "stderr", "text": "warning"}, printed("a\nb\n"), shown("42")], 1),
    ],
)
def test_outputs(tmp_path: Path, mine: list[dict[str, Any]], expected: float) -> None:
    gold = notebook(tmp_path / "gold.ipynb", TEXT, code("f()", 1, printed("a\nb\n"), shown("42")))
    result = notebook(tmp_path / "mine.ipynb", TEXT, code("g()", 5, *mine))
    assert score("compare_notebook_outputs", result, gold) == expected


def test_cells(tmp_path: Path) -> None:
    gold = notebook(tmp_path / "gold.ipynb", TEXT, code("a\nb"))
    assert score("compare_notebook_cells", notebook(tmp_path / "1.ipynb", TEXT, code(["a\n", "b"], None)), gold) == 1
    assert score("compare_notebook_cells", notebook(tmp_path / "2.ipynb", TEXT, code("a\nc")), gold) == 0
    assert score("compare_notebook_cells", notebook(tmp_path / "3.ipynb", TEXT), gold) == 0
    assert score("compare_notebook_cells", notebook(tmp_path / "4.ipynb", TEXT, {**TEXT, "source": "a\nb"}), gold) == 0


def test_whole_files(tmp_path: Path) -> None:
    gold = notebook(tmp_path / "gold.ipynb", code("a"))
    assert score("compare_ipynb_files", notebook(tmp_path / "1.ipynb", code("a"), metadata={"x": 1}), gold) == 1
    assert score("compare_ipynb_files", notebook(tmp_path / "2.ipynb", code("a", 2)), gold) == 0
    (tmp_path / "3.ipynb").write_text("{}")
    assert score("compare_ipynb_files", tmp_path / "3.ipynb", gold) == 0


def test_what_was_run(tmp_path: Path) -> None:
    path = notebook(tmp_path / "mine.ipynb", TEXT, code("a", 1), code("b", None))
    assert score("is_jupyter_cell_executed", path, {"expected": [2]}) == 1
    assert score("is_jupyter_cell_executed", path, {"expected": []}) == 0
    assert score("are_jupyter_outputs_cleared", path, {"expected": [1]}) == 1
    assert score("are_jupyter_outputs_cleared", path, {"expected": []}) == 0
    assert score("is_jupyter_cell_executed", None, {"expected": []}) == 0


@pytest.mark.parametrize("text", ["[]", '{"cells": []}', '{"cells": [1], "nbformat": 4}', '{"cells": {}, "nbformat": 4}'])
def test_files_that_are_no_notebooks(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(text)
    with pytest.raises(Unreadable):
        score("compare_notebook_cells", path, notebook(tmp_path / "gold.ipynb"))
