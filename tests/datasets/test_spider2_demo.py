"""The demo in Spider2-lite's layout is what its script makes of the BIRD demo."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from touchstone.benchmarks.spider2.golden import Golden
from touchstone.benchmarks.spider2.tasks import load_tasks
from touchstone.datasets import spider2_demo

SCRIPT = Path(__file__).parents[2] / "tools" / "make_demo_spider2.py"


def test_the_script_writes_what_is_shipped(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_demo_spider2", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.write(tmp_path)
    shipped = spider2_demo()[0].parent
    files = sorted(path.relative_to(shipped) for path in shipped.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert all((shipped / file).read_bytes() == (tmp_path / file).read_bytes() for file in files)


def test_every_question_has_gold_sql_and_a_golden_result() -> None:
    questions, gold, _ = spider2_demo()
    golden = Golden(gold)
    tasks = load_tasks(questions, golden.sql)
    assert len(tasks) == 30
    assert all(task.gold_sql_available and golden.has(task.key) for task in tasks)
