"""The desktop's options: from Python, from a file, and as a run keeps them."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import touchstone
from touchstone.benchmarks.desktop.config import DesktopConfig
from touchstone.benchmarks.desktop.tasks import demo
from touchstone.errors import InputError
from touchstone.options import OptionError
from touchstone.protocols import Opening
from touchstone.runs.config import from_json

from .documents.support import make_warehouse
from .support import ABSTRACT, VERBOSE, make_dataset

DRAWN: dict[str, Any] = {
    "provider": "tests.benchmarks.desktop.drawn:provider",
    "sleep_after_action": 0,
    "settle": 0,
    "video": False,
}


def test_python_plays_it_by_its_name(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    benchmark = touchstone.benchmark("desktop", tmp_path, **DRAWN)
    results = touchstone.run(benchmark, "oracle", output=tmp_path / "out")
    assert [(record.task, record.outcome) for record in results] == [(ABSTRACT, "passed"), (VERBOSE, "passed")]
    assert results.directory
    assert (results.directory / "episodes" / ABSTRACT / "000.png").is_file()


def test_without_a_directory_nothing_is_kept(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    results = touchstone.run(DesktopConfig(tmp_path, limit=1, **DRAWN), "nothing")
    assert [record.outcome for record in results] == ["failed"]
    assert list(tmp_path.iterdir()) == [tmp_path / "evaluation_examples"]


def test_the_demo_has_a_name() -> None:
    assert DesktopConfig("demo").dataset == demo()
    assert DesktopConfig().dataset == demo()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"observation": "smell"}, "observation='smell': expected one of screenshot, a11y_tree"),
        ({"observation": "som", "action_space": "computer_13"}, "observation='som': only with the action space pyautogui"),
        ({"settle": -1}, "settle=-1: expected a number of at least 0"),
        ({"task_timeout": 0}, "task_timeout=0: expected a positive number"),
        ({"a11y_max_tokens": 0}, "a11y_max_tokens=0: expected a positive whole number"),
        ({"rag_topk": 0}, "rag_topk=0: expected a positive whole number"),
        ({"provider": "cloud"}, "provider='cloud': expected one of sandbox, docker, remote, or module:function"),
        ({"provider": "remote"}, "address: the provider remote needs it"),
        ({"address": "http://x:5000"}, "address='http://x:5000': only for the provider remote, not sandbox"),
    ],
)
def test_wrong_values_are_refused_when_they_are_given(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError) as refused:
        DesktopConfig(**options)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("options", "opening", "option"),
    [
        ({"action_space": "computer_13"}, {"agent": "oracle"}, "action_space"),
        ({"provider": "remote", "address": "http://x:5000"}, {"parallel": 2}, "parallel"),
        ({"provider": "nowhere:make"}, {}, "provider"),
        ({"system_prompt": "none.txt"}, {}, "system_prompt"),
    ],
)
async def test_what_cannot_be_opened_is_refused(
    tmp_path: Path, options: dict[str, Any], opening: dict[str, Any], option: str
) -> None:
    make_dataset(tmp_path)
    async with AsyncExitStack() as stack:
        with pytest.raises(OptionError) as refused:
            await DesktopConfig(tmp_path, **options).open(Opening(stack=stack, **opening))
    assert refused.value.option == option


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        ({"abstract": False, "verbose": True, "each": False}, {"instruction": "verbose", "each": False}),
        ({"abstract": True}, {"instruction": "abstract"}),
        ({"verbose": False}, {}),
        ({"instruction": "any", "verbose": True}, {"instruction": "any", "verbose": True}),
    ],
)
def test_an_old_file_chooses_tasks_by_verbose(stored: dict[str, Any], meant: dict[str, Any]) -> None:
    assert DesktopConfig.translated_options(stored) == meant


def test_passages_come_from_an_index_or_from_published_files(tmp_path: Path) -> None:
    from touchstone.benchmarks.desktop.documents.commands import IndexOptions, index

    make_warehouse(tmp_path / "warehouse")
    assert index(IndexOptions(directory=tmp_path / "warehouse", out=tmp_path / "index", embeddings="none")) == 0
    assert DesktopConfig().retriever() is None
    found = DesktopConfig(rag="index", rag_index=tmp_path / "index", rag_topk=2).retriever()
    assert found
    assert {"from": "index", "top": "2", "method": "bm25"}.items() <= found.facts().items()
    published = DesktopConfig(rag="context").retriever()
    assert published
    assert published.facts()["file"].startswith("retrieved_chunk_size_512_")
    with pytest.raises(InputError, match="no such directory"):
        DesktopConfig(rag="index", rag_index=tmp_path / "none").retriever()


def test_another_machine_is_sent_all_of_it(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    config = touchstone.configured(DesktopConfig(tmp_path, instruction="verbose", **DRAWN), "oracle", parallel=2)
    there = from_json(config.as_json(secrets=True))
    assert there == config.relocated(Path.absolute)
    assert set(there.paths(targets=False)) >= {tmp_path}
