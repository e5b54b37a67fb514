from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.evaluate import evaluate
from touchstone.benchmarks.desktop.tasks import load_task
from touchstone.errors import Skipped, Unscorable, WorkerFailure
from touchstone.types import Outcome, Verdict

from .support import ABSTRACT, LocalGuest, make_dataset, make_scene, task_form

FILE = {"type": "vm_file", "path": "/home/user/out.csv", "dest": "out.csv"}
GOLD = {"type": "local_file", "path": f"evaluation_examples/examples/jupyter/{ABSTRACT}/gold.csv", "dest": "gold.csv"}
SCRIPT = {
    "type": "vm_script_output",
    "src": f"evaluation_examples/examples/jupyter/{ABSTRACT}/eval.sh",
    "dest": "/home/user/eval.sh",
}
SUCCEED = {"type": "rule", "rules": {"include": ["succeed"], "exclude": ["failed"]}}


async def judge(
    tmp_path: Path, evaluator: dict[str, Any], files: dict[str, str], guest: LocalGuest | None = None, **more: Any
) -> Verdict:
    dataset = make_dataset(tmp_path, task_form(evaluator=evaluator))
    (dataset.root / f"examples/jupyter/{ABSTRACT}/eval.sh").write_text('echo "run $(cat state.txt)"\n')
    result = tmp_path / "result"
    result.mkdir(exist_ok=True)
    for name, text in files.items():
        (result / name).parent.mkdir(parents=True, exist_ok=True)
        (result / name).write_text(text)
    evaluation = make_scene(dataset, tmp_path, guest, None if guest else result)
    task = load_task(dataset.root / f"examples/jupyter/{ABSTRACT}/{ABSTRACT}.json")
    return await evaluate(task, evaluation, **more)


CSV = {"func": "compare_csv", "result": FILE, "expected": GOLD}
GOOD = "a,b\n1,2\n"


@pytest.mark.parametrize("place", ["out.csv", "home/user/out.csv"])
async def test_files_lie_as_in_the_guest_or_by_name(tmp_path: Path, place: str) -> None:
    assert (await judge(tmp_path, CSV, {place: GOOD})).outcome is Outcome.passed
    verdict = await judge(tmp_path, CSV, {place: "a,b\n1,3\n"})
    assert (verdict.outcome, verdict.score) == (Outcome.failed, 0.0)
    assert verdict.reason == "compare_csv: line 2: expected '1,2', found '1,3'"


async def test_a_missing_result_is_zero(tmp_path: Path) -> None:
    verdict = await judge(tmp_path, CSV, {})
    assert (verdict.score, verdict.reason) == (0.0, "compare_csv: there is no result file")


async def test_a_missing_reference_is_unscorable(tmp_path: Path) -> None:
    expected = {**GOLD, "path": "evaluation_examples/none.csv"}
    with pytest.raises(Unscorable, match=r"none.csv: the reference is not in the dataset"):
        await judge(tmp_path, {**CSV, "expected": expected}, {"out.csv": GOOD})


async def test_a_broken_result_is_zero_and_a_broken_reference_unscorable(tmp_path: Path) -> None:
    evaluator = {"func": "compare_json_file", "result": {**FILE, "path": "/home/user/x.json"}, "expected": GOLD}
    with pytest.raises(Unscorable, match="the reference cannot be read"):
        await judge(tmp_path, evaluator, {"x.json": "{}"})
    verdict = await judge(tmp_path, evaluator, {"x.json": "{"})
    assert "the result cannot be read: x.json: is not valid JSON" in verdict.reason


async def test_results_that_are_not_files_can_be_given_as_text(tmp_path: Path) -> None:
    evaluator = {"func": "check_include_exclude", "result": SCRIPT, "expected": SUCCEED}
    for name in ("result.txt", "result_0.txt"):
        assert (await judge(tmp_path / name, evaluator, {name: "run succeed"})).score == 1
    assert (await judge(tmp_path, evaluator, {"result.txt": "run failed"})).score == 0
    with pytest.raises(Skipped, match=r"vm_script_output needs a running desktop.*result_0.txt"):
        await judge(tmp_path / "none", evaluator, {})


async def test_results_of_cloud_getters_can_be_given_as_files_or_json(tmp_path: Path) -> None:
    table = {"type": "snowflake_table_to_csv", "database": "D", "table": "T", "dest": "menu.csv"}
    evaluator = {"func": "compare_csv", "result": table, "expected": GOLD}
    assert (await judge(tmp_path / "a", evaluator, {"menu.csv": GOOD})).score == 1
    with pytest.raises(Skipped, match=r"needs an account: settings/snowflake/settings.json: the file does not exist"):
        await judge(tmp_path / "b", evaluator, {})
    names = {"type": "snowflake_worksheet_names_in_folder", "folder_name": "F"}
    matching = {"func": "literal_match", "result": names, "expected": {"type": "list", "list": ["a", "b"]}}
    matching["options"] = {"type": "list", "ignore_order": True}
    assert (await judge(tmp_path / "c", matching, {"result.json": '["b", "a"]'})).score == 1


async def test_a_file_that_is_called_result_is_a_file(tmp_path: Path) -> None:
    result = {"type": "vm_file", "path": "/home/user/Desktop/result.txt", "dest": "result.txt"}
    evaluator = {"func": "compare_text_file", "result": result, "expected": GOLD, "options": {"ignore_blanks": True}}
    assert (await judge(tmp_path, evaluator, {"result.txt": GOOD})).score == 1


async def test_words_about_a_file_are_words(tmp_path: Path) -> None:
    result = {"type": "workarena_task_result", "path": "/home/user/answer.txt", "dest": "answer.txt"}
    evaluator = {"func": "check_include_exclude", "result": result, "expected": SUCCEED}
    assert (await judge(tmp_path, evaluator, {"answer.txt": "42", "result.txt": "succeed"})).score == 1


BOTH = {"func": ["diff_text_file", "compare_csv"], "result": [FILE, FILE], "expected": [GOLD, GOLD]}


@pytest.mark.parametrize(
    ("conj", "text", "score", "judged"),
    [
        ("and", GOOD, 1.0, 2),
        ("and", "a,b\n1,3\n", 0.0, 2),
        ("and", "x\ny\n", 0.0, 2),
        ("or", GOOD, 1.0, 1),
        ("or", "a,b\n1,3\n", 0.5, 2),
        ("or", "x\ny\n", 0.0, 2),
    ],
)
async def test_conjunctions(tmp_path: Path, conj: str, text: str, score: float, judged: int) -> None:
    verdict = await judge(tmp_path, {**BOTH, "conj": conj}, {"out.csv": text})
    assert verdict.score == score
    assert len(verdict.evidence["checks"]) == judged


async def test_a_partial_score_stands_beside_the_official_one(tmp_path: Path) -> None:
    """The first check that fails ends the official score; the others are made for the partial one all the same."""
    other = {"type": "vm_file", "path": "/home/user/other.csv", "dest": "other.csv"}
    evaluator = {"func": ["compare_csv", "compare_csv"], "result": [other, FILE], "expected": [GOLD, GOLD]}
    verdict = await judge(tmp_path, evaluator, {"out.csv": GOOD, "other.csv": "wrong"})
    assert (verdict.score, verdict.metrics["partial"]) == (0.0, 0.5)
    assert verdict.reason.startswith("compare_csv: expected 2 lines")
    broken = {**evaluator, "expected": [GOLD, {**GOLD, "path": "evaluation_examples/none.csv"}]}
    assert (await judge(tmp_path, broken, {"out.csv": GOOD, "other.csv": "wrong"})).metrics["partial"] == 0.0
    assert "partial" not in (await judge(tmp_path, CSV, {"out.csv": GOOD})).metrics


async def test_a_script_that_was_stopped_says_nothing(tmp_path: Path, guest: LocalGuest) -> None:
    """Whatever it had printed: the words that pass come before the end of its time."""
    (guest.home / "state.txt").write_text("succeed")
    evaluator = {"func": "check_include_exclude", "result": SCRIPT, "expected": SUCCEED}
    assert (await judge(tmp_path, evaluator, {}, guest)).score == 1
    guest.late = True
    with pytest.raises(WorkerFailure, match=r"the evaluation was stopped after 300 s \(--eval-timeout\)"):
        await judge(tmp_path, evaluator, {}, guest)


async def test_the_mean_of_fractions(tmp_path: Path) -> None:
    evaluator = {**BOTH, "func": ["diff_text_file", "check_file_existence"], "expected": [GOLD, {}]}
    verdict = await judge(tmp_path, evaluator, {"out.csv": "a,b\n1,3\n"})
    assert (verdict.outcome, verdict.score) == (Outcome.failed, 0.75)
    assert verdict.reason == "diff_text_file: 0.500 of the lines agree"


async def test_giving_up(tmp_path: Path) -> None:
    assert (await judge(tmp_path, CSV, {"out.csv": GOOD}, gave_up=True)).score == 0
    infeasible = {"func": "infeasible", "result": {}, "expected": {}}
    assert (await judge(tmp_path, infeasible, {}, gave_up=True)).score == 1
    assert (await judge(tmp_path, infeasible, {})).score == 0


async def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    gold = tmp_path / f"evaluation_examples/examples/jupyter/{ABSTRACT}/gold.csv"
    (tmp_path / "result" / "out.csv").symlink_to(gold)
    assert (await judge(tmp_path, CSV, {})).reason == "compare_csv: there is no result file"


async def test_the_reference_is_never_taken_from_the_result_by_its_name(tmp_path: Path) -> None:
    reference = {"type": "vm_file", "path": "/home/user/gold/out.csv", "dest": "golden_out.csv"}
    with pytest.raises(Unscorable, match="the reference is not in the guest"):
        await judge(tmp_path, {**CSV, "expected": reference}, {"out.csv": GOOD})
    assert (await judge(tmp_path, {**CSV, "expected": reference}, {"out.csv": GOOD, "golden_out.csv": GOOD})).score == 1


async def test_a_guest_that_does_not_answer_is_our_failure(tmp_path: Path, guest: LocalGuest) -> None:
    result = {"type": "active_url_from_accessTree"}
    guest.ports[5000] = "http://127.0.0.1:1"
    with pytest.raises(WorkerFailure, match="result getter active_url_from_accessTree failed: ConnectError"):
        await judge(tmp_path, {"func": "check_include_exclude", "result": result, "expected": SUCCEED}, {}, guest)


async def test_with_a_guest_everything_is_fetched_and_run(tmp_path: Path, guest: LocalGuest) -> None:
    """The set-up after the agent, a script, and a file, in one evaluator."""
    make = {
        "type": "execute",
        "parameters": {"command": "echo succeed > state.txt; printf 'a,b\\n1,2\\n' > out.csv", "shell": True},
    }
    evaluator = {
        "postconfig": [make, {"type": "sleep", "parameters": {"seconds": 0.01}}],
        "func": ["check_include_exclude", "compare_csv"],
        "result": [SCRIPT, FILE],
        "expected": [SUCCEED, GOLD],
    }
    assert (await judge(tmp_path, evaluator, {}, guest)).score == 1
    evaluator["postconfig"] = []
    (guest.home / "state.txt").write_text("failed")
    assert (await judge(tmp_path, evaluator, {}, guest)).score == 0
