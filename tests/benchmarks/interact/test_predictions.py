"""Reading what others submitted: samples of the service-based harness, and actions as the batch harness read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.data import shared_data
from touchstone.benchmarks.interact.predictions import by_phase, load_submissions


@pytest.mark.parametrize(("name", "mode"), [("a", "agentic"), ("c", "conversational")])
def test_the_published_samples_are_read(name: str, mode: str) -> None:
    path = shared_data("adk-samples") / f"{name}_interact_samples.json"
    samples: list[dict[str, Any]] = json.loads(path.read_text())["samples"]
    found = load_submissions(path, dict.fromkeys((sample["instance_id"] for sample in samples), ""))
    assert (found.mode, found.is_run) == (mode, True)
    for sample in samples:
        submitted = [step["args"]["sql"] for step in sample["tool_trajectory"] if step["tool"] == "submit_sql"]
        phases = found.by_task[sample["instance_id"]]
        assert [sql for phase in phases for sql in phase] == submitted
        if sample["instance_id"] != "alien_8" or name != "c":  # this one was accepted twice in phase 1
            assert len(phases) - 1 == sample["phase1_passed"] + sample["phase2_passed"]


@pytest.mark.parametrize(
    ("action", "sql"),
    [
        ("submit(SELECT (1))", "SELECT (1)"),
        ("submit('SELECT 1')", "SELECT 1"),
        ("submit(\"SELECT 'a'\")", "SELECT 'a'"),
        ("submit('''SELECT\n1''')", "SELECT\n1"),
        ("submit('it''s')", "its"),
        ("submit('SELECT 'a'')", "SELECT 'a'"),
        ("submit('SELECT \\'a\\'')", "SELECT 'a'"),
        ("submit()", ""),
    ],
)
def test_actions_are_read_as_the_batch_harness_reads_them(tmp_path: Path, action: str, sql: str) -> None:
    turn = {"interaction_object": "User", "action": action, "reward": None}
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps({"original_data": {"instance_id": "a_1"}, "interaction_history": [turn]}))
    assert load_submissions(file, {"a_1": ""}).by_task == {"a_1": ((sql,),)}


def test_an_accepted_submission_ends_its_phase() -> None:
    assert by_phase([("a", False), ("b", True), ("c", False)]) == (("a", "b"), ("c",))
    assert by_phase([]) == ((),)
