"""`touchstone audit` as a user runs it: on made-up data, on the demo data, and on real data with its known defects."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import make_dataset
from tests.benchmarks.spider2.worlds import make_spider2, real_spider2
from tests.cli.conftest import Cli
from tests.support.data import shared_data
from tests.support.worlds import ROWS, make_world, row
from touchstone.benchmarks.audit import excluded, remaining
from touchstone.benchmarks.bird.tasks import load_tasks
from touchstone.datasets import bird_demo, interact_demo, spider2_demo

MISREAD = {"local026", "local062", "local078", "local128", "local130", "local279", "local335"}
"""One gold result, named with a letter, and a flat list of columns: the official suite uses only the first, or all for 0."""
READ_ALIKE = {"local152", "local193", "local272"}
"""The same, but the list begins with 0 and names all columns there are."""


def read(path: str) -> dict[str, Any]:
    return json.loads(Path(path).read_text())


def kinds(report: dict[str, Any], severity: str = "error") -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for finding in report["findings"]:
        if finding["severity"] == severity:
            found.setdefault(finding["kind"], set()).add(finding["task"])
    return found


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))


class TestBird:
    def test_the_ceiling_and_why_it_is_not_higher(self, cli: Cli, tmp_path: Path) -> None:
        world = make_world(tmp_path / "w", [*ROWS, row(16, "shop", "Bad?", "SELECT x"), row(17, "gone", "Gone?", "SELECT 1")])
        done = cli("audit", "bird", *world.arguments, "--json", "a.json", "--exclude", "x.json")
        assert done.code == 0, done.err
        assert "Ceiling:          100.0%  (95%: 61.0 to 100.0), n = 6" in done.out
        assert "1 database: gone (1)" in done.out
        assert "16: the gold cannot be run: no such column: x" in done.out
        report = read("a.json")
        assert report["not_passed"] == {"gold_fails": ["16"], "database_missing": ["17"]}
        assert (report["tasks"], report["tasks_with"]["error"]) == (8, 2)
        assert "x.json: 1 of 8 tasks to leave out" in done.out
        assert excluded(Path("x.json"), world.load(), benchmark="bird") == {"16"}
        played = cli("bird", *world.arguments, "--agent", "oracle", "--exclude-audit", "x.json", "-o", "out")
        assert played.code == 0, played.err
        assert "Total tasks:      7" in played.out

    def test_everything_on_demand(self, cli: Cli, tmp_path: Path) -> None:
        rows = [row(number, "shop", f"{number}?", "SELECT name FROM item LIMIT 2") for number in range(9)]
        world = make_world(tmp_path / "w", rows)
        assert "and 6 more" in cli("audit", "bird", *world.arguments).out
        everything = cli("audit", "bird", *world.arguments, "-v").out
        assert all(f"{number}: the gold gives another result" in everything for number in range(9))

    def test_warnings_can_be_excluded_too(self, cli: Cli, tmp_path: Path) -> None:
        world = make_world(tmp_path / "w", [*ROWS, row(16, "shop", "Any?", "SELECT name FROM item WHERE 0")])
        cli("audit", "bird", *world.arguments, "--exclude", "x.json", "--exclude-severity", "warning")
        assert excluded(Path("x.json")) == {"16"}

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (("--parallel", "0"), "--parallel 0: expected a positive whole number"),
            (("--json", "none/a.json"), "expected the name of a file in a directory that exists"),
            (("--exclude", "."), "expected the name of a file in a directory that exists"),
            (("--gold-file", "none.sql"), "--gold-file none.sql: cannot be read"),
            (("--task", "999"), "--task 999: not in the task file"),
        ],
    )
    def test_mistakes_take_one_line(self, cli: Cli, tmp_path: Path, arguments: tuple[str, ...], complaint: str) -> None:
        done = cli("audit", "bird", *make_world(tmp_path / "w").arguments, *arguments)
        assert done.code == 2
        assert complaint in done.complaint

    def test_the_demo_has_no_error(self, cli: Cli) -> None:
        done = cli("audit", "bird", *bird_demo())
        assert done.code == 0
        assert "Fair:             30 of 30 tasks have no error" in done.out

    def test_real_golds_that_are_not_deterministic(self, cli: Cli) -> None:
        root = shared_data("bird")
        tasks = root / "tasks" / "mini_dev_sqlite.json"
        some = ("--database", "superhero", "--database", "toxicology", "--database", "card_games")
        done = cli("audit", "bird", tasks, root / "dev_databases", "--json", "a.json", "--exclude", "x.json", *some)
        assert done.code == 0
        report = read("a.json")
        assert (report["ceiling"]["passed"], report["ceiling"]["total"]) == (92, 92)
        errors = kinds(report)
        assert len(errors.pop("database_missing")) == 52
        assert errors == {
            "ties_under_limit": {"212", "736", "766", "794"},
            "limit_without_order": {"751"},
        }
        assert len(remaining(load_tasks(tasks), Path("x.json"), benchmark="bird")) == 495


class TestSpider2:
    def test_made_up_defects(self, cli: Cli, tmp_path: Path) -> None:
        world = make_spider2(tmp_path / "w")
        world.result("local001.csv", "name\napple\n")
        (world.gold / "exec_result" / "local004.csv").unlink()
        world.result("local005.csv", "")
        done = cli("audit", "spider2", world.questions, *world.options, "--json", "a.json", "--documents", world.root)
        assert done.code == 0, done.err
        report = read("a.json")
        assert kinds(report) == {
            "gold_disagrees": {"local001"},
            "golden_missing": {"local004"},
            "golden_unreadable": {"local005"},
        }
        assert kinds(report, "warning") == {"document_missing": {"local004"}, "constant_strict": {"local002"}}
        assert report["left_out"] == {"on another platform, without a gold result": 1}
        assert report["ceiling_without_errors"]["passed"] == report["ceiling_without_errors"]["total"] == 2

    def test_columns_that_nothing_has_do_not_stop_it(self, cli: Cli, tmp_path: Path) -> None:
        conditions = [{"instance_id": "local001", "condition_cols": [7]}]
        world = make_spider2(tmp_path / "w", conditions=conditions)
        done = cli("audit", "spider2", world.questions, *world.options, "--json", "a.json")
        assert done.code == 0, done.err
        report = read("a.json")
        assert kinds(report)["columns_out_of_range"] == {"local001"}
        assert kinds(report, "warning")["metadata_missing"] == {"local002", "local003", "local004", "local005"}

    def test_the_demo_has_no_error(self, cli: Cli) -> None:
        questions, gold, databases = spider2_demo()
        done = cli("audit", "spider2", questions, "--gold", gold, "--databases", databases)
        assert "Fair:             30 of 30 tasks have no error" in done.out

    def test_the_known_defects_of_the_real_one(self, cli: Cli) -> None:
        root = real_spider2()
        gold = root / "evaluation_suite" / "gold"
        with_sql = [path.stem for path in (gold / "sql").glob("local*.sql")]
        chosen = {*with_sql, *MISREAD, *READ_ALIKE, "local275"} - {"local022"}  # which is sound, and takes seconds
        done = cli(
            *("audit", "spider2", root / "spider2-lite.jsonl", "--databases", root / "localdb", "--gold", gold),
            *("--json", "a.json", "--exclude", "x.json", "--sql-timeout", "2"),
            *(word for name in sorted(chosen) for word in ("--task", name)),
        )
        assert done.code == 0, done.err
        report = read("a.json")
        errors = kinds(report)
        assert {"local003", "local004"} < errors.pop("database_missing")
        assert errors == {
            "gold_disagrees": {"local023", "local066", "local131"},
            "gold_fails": {"local058", "local163"},
            "gold_times_out": {"local075"},
        }
        warnings = kinds(report, "warning")
        assert warnings["conditions_misread"] == MISREAD
        assert warnings["golden_empty"] == {"local275"}
        assert (report["ceiling"]["passed"], report["ceiling"]["total"]) == (7, 13)
        assert report["ceiling_without_errors"]["passed"] == report["ceiling_without_errors"]["total"] == 7
        assert excluded(Path("x.json")) == set().union(*errors.values())

    def test_mistakes_take_one_line(self, cli: Cli, tmp_path: Path) -> None:
        world = make_spider2(tmp_path / "w")
        done = cli("audit", "spider2", world.questions, *world.options, "--task", "local999")
        assert (done.code, done.complaint) == (2, f"touchstone: --task local999: not in {world.questions}")
        assert cli("audit", "spider2", world.questions, "--databases", world.databases, "--gold", tmp_path).code == 2


class TestInteract:
    def test_sound_tasks(self, cli: Cli, tmp_path: Path) -> None:
        done = cli("audit", "interact", make_dataset(tmp_path / "d"), "--json", "a.json")
        assert done.code == 0, done.err
        report = read("a.json")
        assert report["findings"] == []
        assert report["ceiling"]["passed"] == 2
        assert set(report["metrics"]) >= {"phase_1", "phase_2"}

    def test_on_postgres(self, cli: Cli, tmp_path: Path) -> None:
        shutil.copytree(interact_demo(), tmp_path / "d")
        file = tmp_path / "d" / "bird_interact_data.jsonl"
        sound, broken = list(map(json.loads, file.read_text().splitlines()))[:2]
        broken["sol_sql"] = ["SELECT mission_id FROM missions ORDER BY kind FETCH FIRST 2 ROWS ONLY"]
        broken["follow_up"] |= {"sol_sql": ["SELECT string_agg(base_name, ',') FROM bases"], "category": "Query"}
        file.write_text(f"{json.dumps(sound)}\n{json.dumps(broken)}\n")
        done = cli("audit", "interact", tmp_path / "d", "--json", "a.json")
        assert done.code == 0, done.err
        report = read("a.json")
        name = broken["instance_id"]
        assert kinds(report) == {"ties_under_limit": {name}, "storage_order": {name}}
        assert not any(kinds(report, severity).get("not_checked") for severity in ("warning", "note"))
        assert (report["ceiling"]["passed"], report["ceiling_without_errors"]["total"]) == (2, 1)
        assert "PostgreSQL" in report["versions"]

    def test_golds_that_are_withheld(self, cli: Cli) -> None:
        done = cli("audit", "interact", shared_data("mini-interact"), "--json", "a.json")
        assert done.code == 0, done.err
        assert "Ceiling:          –, n = 0" in done.out
        report = read("a.json")
        assert {kind: len(tasks) for kind, tasks in kinds(report).items()} == {"database_missing": 39, "gold_withheld": 300}
        assert kinds(report, "note")["repeated_question"] == {"disaster_9", "disaster_10"}
