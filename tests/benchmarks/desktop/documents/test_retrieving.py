"""What an agent is given for a task, and what is said when there is nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.desktop.documents.support import index, make_warehouse
from tests.benchmarks.desktop.support import task_form, write_task
from touchstone.benchmarks.desktop.documents.search import PUBLISHED, FromContexts, FromIndex
from touchstone.benchmarks.desktop.tasks import DesktopTask, load_task
from touchstone.errors import InputError


def make_task(root: Path, **changes: Any) -> DesktopTask:
    return load_task(write_task(root, task_form(**changes)))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    index(make_warehouse(tmp_path / "warehouse"), tmp_path / "index")
    return tmp_path / "index"


def test_passages_of_the_tasks_applications(tmp_path: Path, out: Path) -> None:
    task = make_task(
        tmp_path, instruction="Restart the kernel; load the CSV seed.", related_apps=["jupyter", "chromium", "dbt"]
    )
    found = FromIndex(out, top=2, choice="bm25").retrieve(task)
    assert found.text == (
        "[Passage 1 of 2]\nSource: docs.getdbt.com/seeds.md\nTitle: Seeds\nContent:\n"
        "# Seeds\n\nA seed is a CSV file that dbt loads with the command dbt seed.\n\n"
        "[Passage 2 of 2]\nSource: jupyter/kernels.html\nTitle: Kernels\nContent:\n"
        "Restart the kernel and run all cells of the notebook again."
    )
    assert found.reason == "2 passages about dbt, jupyter by bm25"
    assert found.sources == ("docs.getdbt.com/seeds.md", "jupyter/kernels.html")
    only = make_task(tmp_path, instruction="Restart the kernel; load the CSV seed.", related_apps=["jupyter"])
    assert "dbt" not in (FromIndex(out, choice="bm25").retrieve(only).text or "dbt")


def test_a_task_without_documents_says_so(tmp_path: Path, out: Path) -> None:
    retriever = FromIndex(out)
    found = retriever.retrieve(make_task(tmp_path, related_apps=["excel", "chromium"]))
    assert (found.text, found.reason) == (None, "no documents are indexed for excel, chromium")
    unlike = make_task(tmp_path, instruction="Xyzzy!", related_apps=["dbt"])
    found = FromIndex(out, choice="bm25").retrieve(unlike)
    assert (found.text, found.reason) == (None, "no passage about dbt fits the instruction")


def test_the_facts_name_the_content(tmp_path: Path, out: Path) -> None:
    first = FromIndex(out, choice="bm25").facts()
    assert first["method"] == "bm25"
    assert first["indexes"].startswith("dbt ")
    (tmp_path / "warehouse/jupyter/export.md").write_text("Changed.")
    index(tmp_path / "warehouse", out)
    assert FromIndex(out, choice="bm25").facts()["indexes"] != first["indexes"]


BLOCKS = "\n\n\n\n".join(
    f"Documentation Source:\nsite/{n}.txt\n\nDocumentation Title:\nPage {n}\n\nDocumentation Content:\ntext {n}"
    for n in range(4)
)


def test_a_published_context_is_cut_to_its_first_blocks(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task.folder / PUBLISHED).write_text(BLOCKS + "\n\n\n\n")
    assert FromContexts().retrieve(task).text == BLOCKS
    found = FromContexts(top=2).retrieve(task)
    assert found.text == BLOCKS.partition("\n\n\n\nDocumentation Source:\nsite/2.txt")[0]
    assert found.reason == f"2 passages from {PUBLISHED}"


def test_another_context_file(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task.folder / "own.md").write_text("Just read this.")
    assert FromContexts("own.md", top=1).retrieve(task).text == "Just read this."


@pytest.mark.parametrize(("content", "reason"), [(None, "the task has no context file"), (" \n", "the task's context file")])
def test_a_missing_or_empty_context_is_told(tmp_path: Path, content: str | None, reason: str) -> None:
    task = make_task(tmp_path)
    if content is not None:
        (task.folder / PUBLISHED).write_text(content)
    found = FromContexts().retrieve(task)
    assert found.text is None
    assert found.reason.startswith(reason)


def test_a_context_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task.folder / PUBLISHED).mkdir()
    assert FromContexts().retrieve(task).reason == f"the task's context file {PUBLISHED} cannot be read: Is a directory"


@pytest.mark.parametrize("name", ["../gold.csv", "/etc/passwd", "a/b.txt", ""])
def test_a_context_is_a_file_of_the_task(name: str) -> None:
    with pytest.raises(InputError, match="expected the name of a file"):
        FromContexts(name)


def test_an_index_that_is_replaced_during_a_run_goes_on_as_it_was(tmp_path: Path, out: Path) -> None:
    task = make_task(tmp_path, instruction="Restart the kernel.", related_apps=["jupyter"])
    retriever = FromIndex(out, choice="bm25")
    before = retriever.retrieve(task)
    for number in range(20):
        (tmp_path / f"warehouse/jupyter/a{number}.txt").write_text(f"The kernel {number}.")
    (tmp_path / "warehouse/jupyter/kernels.html").write_text("Nothing.")
    index(tmp_path / "warehouse", out)
    assert retriever.retrieve(task) == before
    assert FromIndex(out, choice="bm25").retrieve(task) != before
