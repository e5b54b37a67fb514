"""Reading what others submitted: samples of the service-based harness, and actions as the batch harness read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.data import shared_data
from touchstone.benchmarks.interact.predictions import Submissions, by_phase, load_submissions
from touchstone.errors import InputError


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


def test_results_of_the_service_based_harness_in_all_its_forms(tmp_path: Path) -> None:
    """A task that ended with an error of the harness has its task_id alone; the script for conversations writes no mode."""
    step = {"tool": "submit_sql", "args": {"sql": "SELECT 1"}, "result": "SQL failed Phase 1."}
    played, broken = {"instance_id": "a", "tool_trajectory": [step]}, {"task_id": "b", "error": "?", "total_reward": 0}
    file, known = tmp_path / "results.json", {"a": "", "b": ""}

    def read(*rows: dict[str, Any], **more: str) -> Submissions:
        file.write_text(json.dumps({**more, "metrics": {}, "results": rows}))
        return load_submissions(file, known)

    assert read(played, broken).by_task == {"a": (("SELECT 1",),), "b": ((),)}
    assert read(played, broken).mode == "conversational"
    assert read(played, broken, mode="a-interact").mode == read({**played, "budget_used": 3.0}, broken).mode == "agentic"
    with pytest.raises(InputError, match="row 2: missing field 'instance_id'"):
        read(played, {"error": "?"})
    with pytest.raises(InputError, match="hold no SQL"):
        read({"task_id": "a", "instance_id": "a", "phase1_passed": True}, mode="oracle")


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
        ("submit({[1]: 2})", "{[1]: 2}"),
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


def conversational(folder: Path, **files: dict[str, str]) -> Path:
    for name, rows in files.items():
        lines = [json.dumps({"instance_id": key, "pred_sqls": [sql], "status": "failed"}) for key, sql in rows.items()]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    return folder / "sql_results.jsonl"


def test_results_of_the_conversational_scripts_are_read_with_their_other_files(tmp_path: Path) -> None:
    path = conversational(
        tmp_path,
        sql_results={"a": "SELECT 1", "b": "SELECT 2"},
        sql_results_debug_output_with_status={"a": "SELECT 1", "b": "SELECT 3"},
        sql_results_fu={"b": "SELECT 4"},
        sql_results_fu_debug={"b": "SELECT 5"},
    )
    known = {"a": "", "b": "", "c": ""}
    for name in ("sql_results.jsonl", "sql_results_fu.jsonl"):
        found = load_submissions(path.with_name(name), known)
        assert found.by_task == {"a": (("SELECT 1",), ()), "b": (("SELECT 2", "SELECT 3"), ("SELECT 4", "SELECT 5"))}
        assert (found.mode, found.is_run) == ("conversational", True)
    with pytest.raises(InputError, match=r"sql_results.jsonl: row 2: instance_id 'b' is not in the dataset"):
        load_submissions(path, {"a": ""})


def test_a_conversational_file_under_another_name_is_refused(tmp_path: Path) -> None:
    path = conversational(tmp_path, sql_results={"a": "SELECT 1"}).rename(tmp_path / "mine.jsonl")
    with pytest.raises(InputError, match=r"mine.jsonl: results .* expected sql_results.jsonl"):
        load_submissions(path, {"a": ""})
