"""What a fresh clone can check: verdicts of the original evaluators on our own demo data, recorded in this repository.

Predictions are the demo's gold queries and one-step changes of them, judged once by the published code of BIRD mini-dev
(commit 4d970a9) and Spider2-lite (commit e12c5f1). The tests beside this one compare many more, where the data is at hand.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.bird.tasks import load_tasks
from touchstone.benchmarks.spider2.comparison import official, read_csv
from touchstone.datasets import bird_demo, spider2_demo
from touchstone.engines.sqlite.engine import SqliteEngine

from .test_bird_verdicts import judge, scores

RECORDED = Path(__file__).parent / "recorded"


def lines(name: str) -> Iterator[dict[str, Any]]:
    with (RECORDED / name).open() as file:
        yield from map(json.loads, file)


async def test_bird_verdicts_equal_the_original(tmp_path: Path) -> None:
    task_file, databases = bird_demo()
    tasks = load_tasks(task_file)
    by_kind: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for case in lines("bird_demo.jsonl"):
        by_kind[case["kind"]][str(case["question_id"])] = case
    engine = SqliteEngine(cache=tmp_path / "cache.sqlite")
    differing: list[tuple[str, str]] = []
    compared = 0
    try:
        for kind, cases in by_kind.items():
            bird = Bird([task for task in tasks if task.key in cases], databases, engine)
            for key, record in (await judge(bird, {key: case["sql"] for key, case in cases.items()})).items():
                compared += 1
                ex, _, soft_f1 = scores(record)
                if (ex, soft_f1) != (float(cases[key]["ex"]), cases[key]["soft_f1"]):
                    differing.append((key, kind))
    finally:
        await engine.close()
    assert not differing
    assert compared == 357


def test_spider2_verdicts_equal_the_original() -> None:
    _, gold, _ = spider2_demo()
    conditions = {
        task["instance_id"]: task for task in map(json.loads, (gold / "spider2lite_eval.jsonl").read_text().splitlines())
    }
    differing: list[tuple[str, str]] = []
    compared = 0
    for case in lines("spider2_demo.jsonl"):
        compared += 1
        task = conditions[case["instance_id"]]
        golden = read_csv((gold / "exec_result" / f"{case['instance_id']}.csv").read_bytes())
        verdict = official(read_csv(case["csv"]), golden, task["condition_cols"], task["ignore_order"])
        if verdict.matched != bool(case["official"]):
            differing.append((case["instance_id"], case["kind"]))
    assert not differing
    assert compared == 295
