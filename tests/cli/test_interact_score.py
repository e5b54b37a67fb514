"""`touchstone score interact`: what was submitted before, by us or by the original harnesses, judged as in a live run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import ACTIVE, COUNTED, TOTALS, VIEW, make_dataset, management_task, query_task
from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, tool_call
from tests.support.command import overall, records, run_directory

WRONG = "SELECT 'it''s wrong'"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


def write_lines(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def predicted(task: str, *phases: Any) -> dict[str, Any]:
    return {"instance_id": task} | {f"phase_{number}": sql for number, sql in enumerate(phases, 1)}


def verdicts(cli: Cli, dataset: Path, predictions: Path, *options: str | Path) -> dict[str, Any]:
    done = cli("score", "interact", predictions, "--dataset", dataset, "--json", "v.json", "-o", "scored", *options)
    assert done.code == 0, done.err
    return json.loads(Path("v.json").read_text())


def rewards(found: dict[str, Any]) -> dict[str, float]:
    return {task: verdict["reward"] for task, verdict in found.items()}


def test_predictions_are_judged_phase_by_phase(cli: Cli, dataset: Path) -> None:
    file = write_lines(Path("p.jsonl"), predicted("shop_1", ACTIVE, WRONG), predicted("shop_M_1", [VIEW], COUNTED))
    found = verdicts(cli, dataset, file)
    assert found["shop_M_1"]["outcome"] == "passed"
    assert {name: found["shop_1"][name] for name in ("phase_1", "phase_2", "reward", "outcome")} == {
        "phase_1": True,
        "phase_2": False,
        "reward": 0.7,
        "outcome": "failed",
    }
    run = run_directory(Path("scored"))
    assert overall(run)["metrics"]["phase_1"] == 1
    assert json.loads((run / "config.json").read_text())["identity"]["agent"] == "replay"


def test_what_is_meant_for_the_follow_up_is_no_second_try_at_the_request(cli: Cli, dataset: Path) -> None:
    file = write_lines(Path("p.jsonl"), predicted("shop_1", WRONG, ACTIVE), predicted("shop_M_1", None, VIEW))
    found = verdicts(cli, dataset, file)
    assert rewards(found) == {"shop_1": 0, "shop_M_1": 0}
    assert found["shop_M_1"]["reason"] == "nothing was submitted"
    first = next(record for record in records(run_directory(Path("scored"))) if record["task"] == "shop_1")
    assert [each["sql"] for each in first["evidence"]["submissions"]] == [WRONG]


def test_the_rules_can_be_chosen(cli: Cli, tmp_path: Path) -> None:
    """Twice the same row: another result by our comparison, the same by the official one."""
    dataset = make_dataset(tmp_path / "data", query_task())
    file = write_lines(Path("p.jsonl"), predicted("shop_1", f"{ACTIVE} UNION ALL {ACTIVE}", TOTALS))
    assert rewards(verdicts(cli, dataset, file)) == {"shop_1": 0}
    assert rewards(verdicts(cli, dataset, file, "--compat", "batch")) == {"shop_1": 1}


def batch_turn(action: str, reward: float = 0.0, to: str = "User") -> dict[str, Any]:
    return {"turn": 1, "phase": 2, "interaction_object": to, "action": action, "observation": "…", "reward": reward}


def test_results_of_the_batch_harness(cli: Cli, dataset: Path) -> None:
    """It logs the submission that passes phase 1 as one of phase 2; its rewards tell the phases apart."""
    history = [
        batch_turn("get_schema()", to="Environment"),
        batch_turn("ask('What is active?')"),
        batch_turn(f"submit({WRONG!r})"),
        batch_turn(f"submit({ACTIVE!r})", 0.7),
        batch_turn(f"submit({WRONG})"),
        batch_turn(f'submit("""{TOTALS}""")', 0.3),
    ]
    row = {"idx": 0, "original_data": {"instance_id": "shop_1"}, "interaction_history": history, "phase1_completed": True}
    file = write_lines(Path("results.jsonl"), row)
    assert rewards(verdicts(cli, dataset, file, "--compat", "batch")) == {"shop_1": 1}
    (record,) = records(run_directory(Path("scored")))
    tried = [(each["phase"], each["sql"], each["passed"]) for each in record["evidence"]["submissions"]]
    assert tried == [(1, WRONG, False), (1, ACTIVE, True), (2, WRONG, False), (2, TOTALS, True)]


def adk_step(sql: str, result: str) -> dict[str, Any]:
    return {"type": "tool", "tool": "submit_sql", "args": {"sql": sql}, "result": result, "cost": 3.0}


def test_results_of_the_service_based_harness(cli: Cli, dataset: Path) -> None:
    """In a conversation a phase is worth less after a failed try."""
    steps = [
        {"type": "tool", "tool": "ask_user", "args": {"question": "Which?"}, "result": "Those."},
        adk_step(WRONG, "SQL failed Phase 1."),
        adk_step(ACTIVE, "Phase 1 correct! (Reward: 0.5). Moving to Phase 2."),
        adk_step(TOTALS, "Phase 2 correct! (Reward: 0.3). Task finished."),
    ]
    results = [{"task_id": "shop_1", "instance_id": "shop_1", "tool_trajectory": steps}]
    file = Path("results.json")
    file.write_text(json.dumps({"mode": "c-interact", "metrics": {}, "results": results}))
    assert rewards(verdicts(cli, dataset, file)) == {"shop_1": 0.8}
    assert rewards(verdicts(cli, dataset, file, "--mode", "agentic")) == {"shop_1": 1}


def test_results_of_the_conversational_scripts(cli: Cli, dataset: Path) -> None:
    """Any of the four files stands for all; who the user was is not known, so the title names none."""
    kinds = {"": WRONG, "_debug": ACTIVE, "_fu": WRONG, "_fu_debug": TOTALS}
    files = [
        write_lines(Path(f"sql_results{kind}.jsonl"), {"instance_id": "shop_1", "pred_sqls": [sql]})
        for kind, sql in kinds.items()
    ]
    assert [rewards(verdicts(cli, dataset, file, "--compat", "conv")) for file in (files[0], files[3])] == [{"shop_1": 0.7}] * 2
    title = json.loads((Path("scored") / "latest" / "config.json").read_text())["title"]
    assert title == "BIRD-Interact, conversational: sql_results_fu_debug.jsonl, rules conv"
    files[0].unlink()
    refused = cli("score", "interact", files[2], "--dataset", dataset)
    assert (refused.code, "expected sql_results.jsonl beside it" in refused.err) == (2, True)


def test_a_run_of_ours_gets_the_same_verdicts_again(cli: Cli, dataset: Path) -> None:
    assert cli("interact", dataset, "--agent", "oracle", "-o", "first").code == 0
    first = {record["task"]: record["score"] for record in records(run_directory(Path("first")))}
    assert rewards(verdicts(cli, dataset, Path("first/latest"))) == first == {"shop_1": 1, "shop_M_1": 1}


def test_a_run_without_gold_is_scored_when_the_gold_is_there(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    withheld = make_dataset(tmp_path / "public", query_task(sol_sql=[]))
    whole = make_dataset(tmp_path / "whole", query_task(), management_task())

    def model(request: JSON) -> Answer:
        return tool_call("submit", {"sql": ACTIVE})

    with ChatServer(model) as server:
        cli("interact", withheld, "--model", "m", "--user-model", "scripted", "--base-url", server.url, "-o", "first")
    (record,) = records(run_directory(Path("first")))
    assert record["outcome"] == "unscorable"
    found = verdicts(cli, whole, Path("first/latest"))
    assert (found["shop_1"]["phase_1"], found["shop_1"]["reward"], len(found)) == (True, 0.7, 1)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([predicted("shop_9", ACTIVE)], "row 1: instance_id 'shop_9' is not in the dataset"),
        ([predicted("shop_1", ACTIVE)] * 2, "row 2: instance_id 'shop_1' occurs twice"),
        ([predicted("shop_1", ACTIVE)], "1 of 2 tasks have no prediction, the first is shop_M_1 (--allow-missing"),
        ([{"instance_id": "shop_1", "sql": ACTIVE}], "row 1: missing field 'phase_1'"),
        ([predicted("shop_1", 3)], "row 1: field 'phase_1': Expected 'str | array | null', got 'int'"),
        ([{"interaction_history": []}], "row 1: missing field 'original_data'"),
        ([[]], "row 1: Expected 'object', got 'array'"),
        ([], "there are no predictions in this file"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(cli: Cli, dataset: Path, rows: list[Any], complaint: str) -> None:
    done = cli("score", "interact", write_lines(Path("p.jsonl"), *rows), "--dataset", dataset)
    assert done.code == 2
    assert complaint in done.complaint
    assert not Path("results").exists()


def test_files_of_no_known_format_are_refused(cli: Cli, dataset: Path) -> None:
    Path("r.json").write_text('{"mode": "a-interact"}')
    assert (
        "expected the tasks that were played in 'results'" in cli("score", "interact", "r.json", "--dataset", dataset).complaint
    )
    assert "no such" in cli("score", "interact", "none.jsonl", "--dataset", dataset).complaint.lower()
    assert "expected predictions or results as .jsonl" in cli("score", "interact", "p.csv", "--dataset", dataset).complaint


def test_tasks_without_a_prediction_can_count_as_failed(cli: Cli, dataset: Path) -> None:
    file = write_lines(Path("p.jsonl"), predicted("shop_1", ACTIVE, TOTALS))
    assert rewards(verdicts(cli, dataset, file, "--allow-missing")) == {"shop_1": 1, "shop_M_1": 0}
