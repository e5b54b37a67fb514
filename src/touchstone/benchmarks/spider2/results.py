"""The results file of `spider2 api` and its statistics, made from the records of a run.

The keys are those of the script that users know; what was wrong with its numbers is fixed: integers stay integers, columns of
the same name are kept apart, and the counters add up:

    total        = api_success + api_failed + not_asked
    api_success  = exec_success + exec_failed
    exec_success = comparison_correct + comparison_incorrect + comparison_impossible
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...errors import InputError, os_errors_as
from ...files import replace_file
from ...types import Outcome, Record, ServiceStep
from .golden import Golden
from .tasks import Spider2Task

_API_FAILURES = ("api_refused", "api_timeout", "api_status", "api_not_json", "api_too_large", "no_sql")
_COMPARISONS = {Outcome.passed: "comparison_correct", Outcome.failed: "comparison_incorrect"}


def write_report(file: Path, tasks: Sequence[Spider2Task], records: Iterable[Record], golden: Golden) -> str:
    """The results in the order of the questions, and the statistics beside them, which come back in words."""
    by_task = {record.task: record for record in records}
    played = [(task, by_task[task.key]) for task in tasks if task.key in by_task]
    files = {task.key: [path.name for path in golden.files(task.key)] for task, _ in played}
    numbers = statistics((record for _, record in played), golden.has)
    beside = file.with_name(f"{file.stem}_statistics.json")
    write_json(file, [result_entry(task, record, files[task.key]) for task, record in played])
    write_json(beside, numbers)
    return f"{statistics_text(numbers)}\nResults: {file}\nStatistics: {beside}"


def write_json(path: Path, value: Any) -> None:
    written(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def written(path: Path, content: bytes) -> None:
    """As a whole or not at all."""
    with os_errors_as(InputError, f"cannot write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)


def result_entry(task: Spider2Task, record: Record, gold_files: Sequence[str]) -> dict[str, Any]:
    """The original entry, and what became of it."""
    evidence = record.evidence
    exchange = next((step for step in record.steps if isinstance(step, ServiceStep)), None)
    executed = bool(evidence.get("executed"))
    return {
        **task.entry,
        "instance_id": task.key,
        "outcome": record.outcome,
        "reason": record.reason,
        "api_response": exchange.response if exchange else {"error": record.reason},
        "api_sql": evidence.get("prediction"),
        "execution_result": evidence.get("rows", []) if executed else {"error": record.reason},
        "execution_result_rows": evidence.get("predicted_rows") if executed else None,
        "execution_result_csv": f"{task.key}.csv" if executed else None,
        "execution_success": executed,
        "api_call_duration_seconds": exchange.seconds if exchange else evidence.get("service_seconds"),
        "gold_comparison": _comparison(record, gold_files),
    }


def _comparison(record: Record, gold_files: Sequence[str]) -> dict[str, Any]:
    evidence = record.evidence
    return {
        "gold_files_found": gold_files,
        "gold_files_compared": evidence.get("gold_files", []) if evidence.get("executed") else [],
        "matches_any_gold": record.outcome is Outcome.passed,
        "official": evidence.get("official"),
        "strict": evidence.get("strict"),
        "comparison_details": evidence.get("details", []),
    }


def statistics(records: Iterable[Record], has_gold: Callable[[str], bool]) -> dict[str, Any]:
    """`has_gold` says whether a question has a gold result."""
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(_counted(record, has_gold(record.task)))
        counts[f"outcome {record.outcome.value}"] += 1
    total = counts["total"]
    scorable = total - counts["outcome unscorable"] - counts["outcome skipped"]
    correct = counts["comparison_correct"]
    names = ("total", "api_success", "api_failed", "not_asked", "exec_success", "exec_failed")
    names += ("gold_found", "gold_not_found", "comparison_correct", "comparison_incorrect", "comparison_impossible")
    return {
        **{name: counts[name] for name in names},
        "api_success_rate": _percent(counts["api_success"], total),
        "exec_success_rate": _percent(counts["exec_success"], total),
        "gold_found_rate": _percent(counts["gold_found"], total),
        "accuracy": _percent(correct, total),
        "scorable": scorable,
        "accuracy_scorable": _percent(correct, scorable),
        "api_failures": {kind: counts[kind] for kind in _API_FAILURES if counts[kind]},
        "outcomes": {outcome.value: counts[f"outcome {outcome.value}"] for outcome in Outcome},
    }


def statistics_text(numbers: Mapping[str, Any]) -> str:
    """The console block."""
    rule = "=" * 60
    lines = [f"{name.replace('_', ' ').capitalize() + ':':<24}{value}" for name, value in numbers.items() if _plain(value)]
    return "\n".join([rule, "EVALUATION STATISTICS", rule, *lines, f"Overall Accuracy: {numbers['accuracy']:.2f}%", rule])


def _counted(record: Record, has_gold: bool) -> Sequence[str]:
    """The counters that one record adds to."""
    kind = str(record.evidence.get("kind", ""))
    gold = "gold_found" if has_gold and kind != "gold_unreadable" else "gold_not_found"
    if record.evidence.get("executed"):
        comparison = _COMPARISONS.get(record.outcome, "comparison_impossible")
        return ("total", "api_success", "exec_success", comparison, gold)
    if kind not in _API_FAILURES and any(isinstance(step, ServiceStep) for step in record.steps):
        return ("total", "api_success", "exec_failed", gold)
    if kind in _API_FAILURES or record.outcome is Outcome.error:
        return ("total", "api_failed", kind, gold)
    return ("total", "not_asked", gold)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _plain(value: Any) -> bool:
    return isinstance(value, int | float)
