"""Whatever a service does, in one run: every question has its own outcome and reason, and the run goes on."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.spider2.worlds import CONDITIONS, RESULTS, SQL, make_spider2, question
from tests.support.command import Done, records, run_directory, touchstone
from tests.support.sql_service import (
    JSON,
    Answer,
    SqlService,
    failing,
    hang,
    html,
    large,
    reset,
    says,
    slow,
    sql,
    trickle,
)
from tests.support.worlds import ENDLESS

GOLD = SQL["local001"]
NO_SQL = "there is no SQL at 'sql' in the service's answer"


@dataclass(frozen=True)
class Case:
    answers: list[Answer]
    outcome: str
    kind: str | None
    reason: str
    requests: int = 1


CASES: dict[str, Case] = {
    "right": Case([sql(GOLD)], "passed", "same", "All 3 rows match"),
    "slow": Case([slow(sql(GOLD), 0.3)], "passed", "same", "All 3 rows match"),
    "fenced": Case([sql(f"```sql\n{GOLD};\n```")], "passed", "same", "All 3 rows match"),
    "commented": Case([sql(f"-- the dear ones\n{GOLD}; -- so")], "passed", "same", "All 3 rows match"),
    "busy": Case([failing(429, after=1), sql(GOLD)], "passed", "same", "All 3 rows match", 2),
    "shaky": Case([failing(500, after=0), reset(), sql(GOLD)], "passed", "same", "All 3 rows match", 3),
    "down": Case([failing(500, after=0)], "error", "api_status", "the service answered with status 500: ", 3),
    "refuses": Case([failing(404)], "error", "api_status", 'the service answered with status 404: {"detail": "out of order"}'),
    "hangs": Case([hang()], "error", "api_timeout", "no answer within 5 seconds", 3),
    "trickles": Case([trickle()], "error", "api_timeout", "no answer within 5 seconds", 3),
    "hangs up": Case([reset()], "error", "api_refused", "nothing usable answers at http://127.0.0.1:", 3),
    "web page": Case([html()], "failed", "api_not_json", "the service's answer is not a JSON object: <html>"),
    "number": Case([says(42)], "failed", "api_not_json", "the service's answer is not a JSON object: 42"),
    "array": Case([says([GOLD])], "failed", "no_sql", NO_SQL),
    "no sql": Case([says({"query": GOLD})], "failed", "no_sql", NO_SQL),
    "null": Case([sql(None, error="no beam fits")], "failed", "no_sql", f"{NO_SQL}; it says: no beam fits"),
    "placeholder": Case([sql("sql placeholder")], "failed", "no_sql", NO_SQL),
    "50 MB": Case([large(50)], "failed", "api_too_large", "the service's answer is larger than 16 MB"),
    "bad SQL": Case([sql("SELECT colour FROM item")], "failed", "error", "The SQL cannot be run: no such column: colour"),
    "writes": Case([sql("DELETE FROM item")], "failed", "error", "The SQL cannot be run: This statement would change the "),
    "never ends": Case(
        [sql(ENDLESS)], "failed", "error", "The SQL cannot be run: The query was stopped at its limit of 70,000,000 steps"
    ),
    "wrong": Case([sql("SELECT name FROM item")], "failed", "row_count", "Expected 3 rows"),
    "no database": Case([], "unscorable", "database", "database missing: ", 0),
    "no gold": Case([], "unscorable", "gold_missing", "no gold result: exec_result/", 0),
    "broken gold": Case([sql(GOLD)], "unscorable", "gold_unreadable", "a gold result cannot be read: "),
}
IDS = {name: f"local{number:03}" for number, name in enumerate(CASES, 1)}


def script(asked: Counter[str]) -> Any:
    """Each question has answers of its own, the last of which is repeated."""

    def answer(request: JSON) -> Answer:
        name = request["question"]
        asked[name] += 1
        answers = CASES[name].answers
        return answers[min(asked[name], len(answers)) - 1]

    return answer


@dataclass(frozen=True)
class Evaluated:
    done: Done
    directory: Path
    asked: Counter[str]

    def load(self, name: str) -> Any:
        return json.loads((self.directory / name).read_text())


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    directory = tmp_path_factory.mktemp("failures")
    databases = {"no database": "nowhere"}
    rows = [question(IDS[name], databases.get(name, "shop"), name) | {"gold_sql": GOLD} for name in CASES]
    world = make_spider2(directory / "spider2", rows, CONDITIONS[:1])
    for file in (world.gold / "exec_result").iterdir():
        file.unlink()
    for name in CASES:
        if name != "no gold":
            world.result(f"{IDS[name]}.csv", "a,b\n1,2\n3,4,5\n" if name == "broken gold" else RESULTS["local001.csv"])
    asked: Counter[str] = Counter()
    with SqlService(script(asked)) as service:
        done = touchstone(
            *("spider2", "api", "--input", world.questions, *world.options, "--api-url", service.url, "-v"),
            *("--output", "out.json", "--results", "csv", "--runs", "runs", "--parallel", "25"),
            *("--api-timeout", "5", "--sql-timeout", "1", "--max-consecutive-errors", "0"),
            cwd=directory,
        )
    return Evaluated(done, directory, asked)


def test_every_question_has_its_own_outcome(evaluated: Evaluated) -> None:
    found = {record["task"]: record for record in records(run_directory(evaluated.directory / "runs"))}
    assert {key: (record["outcome"], record["evidence"].get("kind")) for key, record in found.items()} == {
        IDS[name]: (case.outcome, case.kind) for name, case in CASES.items()
    }
    for name, case in CASES.items():
        assert found[IDS[name]]["reason"].startswith(case.reason), name
        assert f"{case.outcome:<10} {IDS[name]}" in evaluated.done.err
    assert {name: evaluated.asked[name] for name in CASES} == {name: case.requests for name, case in CASES.items()}


def test_the_results_say_the_same(evaluated: Evaluated) -> None:
    entries = {entry["instance_id"]: entry for entry in evaluated.load("out.json")}
    assert list(entries) == list(IDS.values())
    for name, case in CASES.items():
        entry = entries[IDS[name]]
        executed = case.kind in ("same", "row_count", "gold_unreadable")
        assert entry["reason"].startswith(case.reason)
        assert (entry["outcome"], entry["execution_success"]) == (case.outcome, executed), name
        assert entry["gold_comparison"]["matches_any_gold"] is (case.outcome == "passed")
        assert (evaluated.directory / "csv" / f"{IDS[name]}.csv").is_file() is executed
        assert executed or entry["execution_result"] == {"error": entry["reason"]}


def test_the_run_ends_well_and_its_counters_add_up(evaluated: Evaluated) -> None:
    assert evaluated.done.code == 0
    assert "Traceback" not in evaluated.done.err
    found = evaluated.load("out_statistics.json")
    assert found["total"] == len(CASES) == found["api_success"] + found["api_failed"] + found["not_asked"]
    assert found["api_success"] == found["exec_success"] + found["exec_failed"]
    assert (found["comparison_correct"], found["comparison_incorrect"], found["comparison_impossible"]) == (6, 1, 1)
    assert found["exec_success"] == 8
    assert (found["exec_failed"], found["api_failed"], found["not_asked"]) == (3, 12, 2)
    assert (found["gold_found"], found["gold_not_found"]) == (len(CASES) - 2, 2)
    assert found["api_failures"] == {
        "api_refused": 1,
        "api_timeout": 2,
        "api_status": 2,
        "api_not_json": 2,
        "api_too_large": 1,
        "no_sql": 4,
    }
    assert found["outcomes"] == {"passed": 6, "failed": 11, "limit": 0, "error": 5, "unscorable": 3, "skipped": 0}
    assert found["scorable"] == len(CASES) - 3


def test_a_question_of_50_mb_does_not_grow_the_record(evaluated: Evaluated) -> None:
    run = run_directory(evaluated.directory / "runs")
    assert (run / "runs.jsonl").stat().st_size < 500_000
    assert (evaluated.directory / "out.json").stat().st_size < 200_000
