from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.metrics.structured import check_yaml_file, compare_json_file
from touchstone.benchmarks.desktop.tasks import DesktopTask, checks
from touchstone.benchmarks.desktop.untrusted import Unreadable
from touchstone.errors import Unscorable

SCHEMA = """
version: 2
models:
  - name: customers
    description: One record per customer
    columns:
      - name: customer_id
        description: Primary key
        tests: [unique, not_null]
  - name: orders
    description: ""
"""


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (["match", ["version"], 2], 1),
        (["match", ["version"], 3], 0),
        (["in", ["models", 0, "name"], ["customers", "x"]], 1),
        (["in", ["models", 1, "name"], ["customers"]], 0),
        (["contain", ["models", ["name", "customers"], "columns", ["name", "customer_id"], "description"], "Primary"], 1),
        (["contain", ["models", ["name", "customers"], "columns", 0, "tests"], "unique"], 1),
        (["not_null", ["models", ["name", "customers"], "description"], ""], 1),
        (["not_null", ["models", ["name", "orders"], "description"], ""], 0),
        (["not_null", ["models", ["name", "nobody"], "description"], ""], 0),
        (["match", ["models", 9], 1], 0),
        (["match", ["version", "deeper"], 1], 0),
    ],
)
def test_yaml_rules(tmp_path: Path, rule: list[Any], expected: float) -> None:
    (tmp_path / "schema.yml").write_text(SCHEMA)
    assert check_yaml_file(tmp_path / "schema.yml", [rule]).score == expected


def test_the_published_rules_of_profiles(tmp_path: Path, published_tasks: list[DesktopTask]) -> None:
    rules = next(
        check.expected["rules"]
        for task in published_tasks
        for check in checks(task.form.evaluator)
        if check.result["type"] == "dbt_profiles"
    )
    output = "{type: duckdb, path: /home/user/jaffle_shop.duckdb}"
    (tmp_path / "profiles.yml").write_text(f"jaffle_shop:\n  outputs:\n    dev: {output}\n    prod: {output}\n")
    assert check_yaml_file(tmp_path / "profiles.yml", rules).score == 1
    (tmp_path / "profiles.yml").write_text(f"jaffle_shop:\n  outputs:\n    dev: {output}\n")
    assert check_yaml_file(tmp_path / "profiles.yml", rules).score == 0


def test_yaml_that_cannot_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("a: [1")
    with pytest.raises(Unreadable, match=r"x.yml: is not valid YAML"):
        check_yaml_file(path, [])
    path.write_text("a: !!python/object/apply:os.system [true]")
    with pytest.raises(Unreadable):
        check_yaml_file(path, [])
    path.write_text("a: 1")
    with pytest.raises(Unscorable, match="unknown operation 'equals'"):
        check_yaml_file(path, [["equals", ["a"], 1]])


def test_a_small_file_that_stands_for_a_huge_one_is_told_in_a_few_words(tmp_path: Path) -> None:
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30)]
    (tmp_path / "x.yml").write_text("\n".join(["l0: &l0 [x, x]", *levels]))
    judged = check_yaml_file(tmp_path / "x.yml", [["match", ["l29"], 1]])
    assert judged.score == 0
    assert len(judged.reason) < 500


def test_json(tmp_path: Path) -> None:
    gold, mine = tmp_path / "gold.json", tmp_path / "mine.json"
    gold.write_text(json.dumps({"a": [1, 2.0], "b": None}))
    mine.write_text('{"b": null,\n "a": [1.0, 2]}')
    assert compare_json_file(mine, gold).score == 1
    mine.write_text('{"b": null, "a": [2, 1]}')
    assert compare_json_file(mine, gold).score == 0
    mine.write_text("[" * 200_000)
    with pytest.raises(Unreadable, match=r"mine.json: is not valid JSON"):
        compare_json_file(mine, gold)
