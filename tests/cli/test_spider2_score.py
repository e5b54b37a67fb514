"""`touchstone score spider2`: a folder in the official submission format, judged without a model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.spider2.worlds import CONDITIONS, RESULTS, SQL, Spider2World, make_spider2, real_spider2, write_lines
from tests.cli.conftest import Cli
from tests.support.command import Done, overall, records, run_directory
from touchstone.benchmarks.spider2.golden import Golden

SCRAMBLED = "name,legs\nheron,4\nnewt,2\nadder,0\nvole,4\n"
"""Right for the official comparison, wrong row by row."""
KEYS = ("official", "strict", "outcome")
CSV: Mapping[str, str] = {
    "local001": RESULTS["local001.csv"],
    "local002": RESULTS["local002_b.csv"],
    "local003": RESULTS["local003.csv"],
    "local004": RESULTS["local004.csv"],
    "local005": RESULTS["local005.csv"],
}


@pytest.fixture
def spider2(tmp_path: Path) -> Spider2World:
    return make_spider2(tmp_path / "spider2")


def hand_in(directory: Path, sql: Mapping[str, str] | None = None, csv: Mapping[str, str] | None = None) -> Path:
    folder = directory / "mine"
    folder.mkdir()
    for suffix, files in ((".sql", sql or {}), (".csv", csv or {})):
        for name, text in files.items():
            (folder / f"{name}{suffix}").write_text(text)
    return folder


def score(cli: Cli, world: Spider2World, folder: Path | str, *options: str | Path) -> Done:
    return cli("score", "spider2", folder, *world.options, "--json", "v.json", "-o", "out", *options)


def verdicts(tmp_path: Path) -> dict[str, Any]:
    return json.loads((tmp_path / "v.json").read_text())


def outcomes(tmp_path: Path) -> dict[str, str]:
    return {key: verdict["outcome"] for key, verdict in verdicts(tmp_path).items()}


MIXED = ({"local001": SQL["local001"]}, {key: CSV[key] for key in list(CSV)[1:]})


class TestKinds:
    @pytest.mark.parametrize(
        ("compat", "sql", "csv"),
        [("strict", SQL, {}), ("strict", {}, CSV), ("strict", *MIXED), ("official", *MIXED)],
        ids=["sql", "csv", "mixed", "official"],
    )
    def test_what_is_right_passes(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path, sql: dict[str, str], csv: dict[str, str], compat: str
    ) -> None:
        done = score(cli, spider2, hand_in(tmp_path, sql, csv), "--compat", compat)
        assert done.code == 0
        assert outcomes(tmp_path) == dict.fromkeys(SQL, "passed")
        assert done.out.endswith(f"Official score: 5 of 5; the correct ids are in {tmp_path / 'mine-ids.csv'}\n")

    def test_results_of_sql_are_kept_as_csv(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        score(cli, spider2, hand_in(tmp_path, {"local001": SQL["local001"]}, {"local003": CSV["local003"]}))
        assert [path.name for path in (tmp_path / "mine_csv").iterdir()] == ["local001.csv"]
        assert (tmp_path / "mine_csv" / "local001.csv").read_text() == RESULTS["local001.csv"]

    def test_results_need_no_databases_and_no_questions(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        gold = tmp_path / "elsewhere" / "gold"
        shutil.copytree(spider2.gold, gold)
        done = cli("score", "spider2", hand_in(tmp_path, csv=CSV), "--gold", gold, "-o", "out", "--json", "v.json")
        assert done.code == 0
        assert outcomes(tmp_path) == dict.fromkeys(CSV, "passed")

    def test_a_folder_can_be_where_one_is(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(hand_in(tmp_path, csv=CSV))
        done = cli("score", "spider2", ".", "--gold", spider2.gold, "-o", tmp_path / "out")
        assert done.code == 0
        assert (tmp_path / "mine-ids.csv").is_file()
        assert "Spider2-lite: mine, strict comparison" in done.out


class TestFiles:
    WRONG: Mapping[str, str] = {**CSV, "local001": "name\napple\n", "local003": SCRAMBLED}

    def test_the_official_list_of_correct_ids(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        done = score(cli, spider2, hand_in(tmp_path, csv=self.WRONG))
        assert (tmp_path / "mine-ids.csv").read_text() == ("instance_id\nsf_local002\nsf_local003\nsf_local004\nsf_local005\n")
        assert "Official score: 4 of 5; " in done.out

    @pytest.mark.parametrize(("compat", "outcome"), [("strict", "failed"), ("official", "passed")])
    def test_json_has_both_verdicts(self, cli: Cli, spider2: Spider2World, tmp_path: Path, compat: str, outcome: str) -> None:
        score(cli, spider2, hand_in(tmp_path, csv=self.WRONG), "--compat", compat)
        found = verdicts(tmp_path)
        assert found.keys() == CSV.keys()
        assert {name: found["local002"][name] for name in KEYS} == {"official": True, "strict": True, "outcome": "passed"}
        assert {name: found["local001"][name] for name in KEYS} == {"official": False, "strict": False, "outcome": "failed"}
        assert all(verdict.keys() == {*KEYS, "reason"} and verdict["reason"] for verdict in found.values())
        assert "3 rows" in found["local001"]["reason"]
        scrambled = found["local003"]
        assert (scrambled["official"], scrambled["strict"], scrambled["outcome"]) == (True, False, outcome)
        assert scrambled["reason"].endswith(" (The official comparison accepts it.)")

    def test_the_run_directory_is_an_ordinary_one(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        folder = hand_in(tmp_path, csv=self.WRONG)
        assert cli("score", "spider2", folder, *spider2.options).code == 0
        run = run_directory(tmp_path / "results" / "mine-spider2")
        assert overall(run)["overall"]["passed"] == 3
        assert {record["task"] for record in records(run)} == set(CSV)
        config = json.loads((run / "config.json").read_text())
        assert (config["command"], config["agent"]["predictions"]) == ("score spider2", str(folder))

    def test_verbose_says_every_outcome(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        done = score(cli, spider2, hand_in(tmp_path, csv=self.WRONG), "-v")
        assert "failed     local001  shop  Expected 3 rows" in done.err


class TestWhatIsMissing:
    def test_questions_without_a_submission_are_left_out_and_said(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path
    ) -> None:
        done = score(cli, spider2, hand_in(tmp_path, csv={"local001": CSV["local001"]}))
        assert outcomes(tmp_path) == {"local001": "passed"}
        assert done.err.splitlines()[0] == (
            "touchstone: 4 questions have a gold result and no submission; they are left out (--all counts them as failed)"
        )

    @pytest.mark.parametrize("kind", ["sql", "csv"])
    def test_with_all_they_count_as_failed(self, cli: Cli, spider2: Spider2World, tmp_path: Path, kind: str) -> None:
        (spider2.databases / "zoo" / "zoo.sqlite").unlink()
        folder = hand_in(tmp_path, **{kind: {"local001": {"sql": SQL, "csv": CSV}[kind]["local001"]}})
        done = score(cli, spider2, folder, "--all")
        assert done.code == 0
        assert outcomes(tmp_path) == {"local001": "passed"} | dict.fromkeys(list(SQL)[1:], "failed")
        assert verdicts(tmp_path)["local003"] == {
            "official": False,
            "strict": False,
            "outcome": "failed",
            "reason": "nothing was submitted",
        }
        assert "Official score: 1 of 5; " in done.out

    def test_with_all_results_alone_need_no_databases(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        gold = tmp_path / "elsewhere" / "gold"
        shutil.copytree(spider2.gold, gold)
        folder = hand_in(tmp_path, csv={"local001": CSV["local001"]})
        done = cli("score", "spider2", folder, "--gold", gold, "-o", "out", "--json", "v.json", "--all")
        assert done.code == 0
        assert outcomes(tmp_path) == {"local001": "passed"} | dict.fromkeys(list(SQL)[1:], "failed")

    def test_a_question_that_nobody_knows_is_unscorable(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        score(cli, spider2, hand_in(tmp_path, {"local099": "SELECT 1", "nonsense": "SELECT 1"}, {"local098": "a\n1\n"}))
        for key in ("local098", "local099", "nonsense"):
            assert verdicts(tmp_path)[key] == {
                "official": None,
                "strict": None,
                "outcome": "unscorable",
                "reason": f"no gold result: exec_result/{key}.csv is missing",
            }

    def test_a_database_that_is_missing_makes_its_sql_unscorable_and_not_its_results(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path
    ) -> None:
        (spider2.databases / "zoo" / "zoo.sqlite").unlink()
        score(cli, spider2, hand_in(tmp_path, {"local003": SQL["local003"]}, {"local004": CSV["local004"]}))
        assert outcomes(tmp_path) == {"local003": "unscorable", "local004": "passed"}

    def test_sql_for_another_platform_is_skipped_and_results_are_scored(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path
    ) -> None:
        spider2.result("bq001.csv", "n\n7\n")
        spider2.result("sf001.csv", "n\n8\n")
        score(cli, spider2, hand_in(tmp_path, {"bq001": "SELECT 7"}, {"sf001": "n\n8\n"}))
        assert outcomes(tmp_path) == {"bq001": "skipped", "sf001": "passed"}
        assert verdicts(tmp_path)["bq001"]["reason"] == "needs bigquery"
        assert (tmp_path / "mine-ids.csv").read_text() == "instance_id\nsf001\n"

    @pytest.mark.parametrize("content", ["", "a,b\n1,2\n3,4,5\n"])
    def test_a_result_that_is_no_csv_fails(self, cli: Cli, spider2: Spider2World, tmp_path: Path, content: str) -> None:
        score(cli, spider2, hand_in(tmp_path, csv={"local001": content}))
        verdict = verdicts(tmp_path)["local001"]
        assert (verdict["official"], verdict["strict"], verdict["outcome"]) == (False, False, "failed")
        assert verdict["reason"].startswith("the result cannot be read as CSV: ")

    def test_a_golden_result_that_is_no_csv_is_unscorable(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        spider2.result("local001.csv", "")
        score(cli, spider2, hand_in(tmp_path, csv=CSV))
        assert outcomes(tmp_path) == {**dict.fromkeys(CSV, "passed"), "local001": "unscorable"}


class TestMistakes:
    def refused(self, cli: Cli, tmp_path: Path, *arguments: str | Path) -> str:
        done = cli("score", "spider2", *arguments, "-o", "out")
        assert (done.code, done.out) == (2, "")
        assert not (tmp_path / "out").exists()
        assert not list(tmp_path.glob("mine-ids.csv"))
        (line,) = [line for line in done.err.splitlines() if "no submission" not in line]
        return line.removeprefix("touchstone: ")

    def test_a_folder_that_is_not_there_or_empty(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        gold = ("--gold", spider2.gold)
        assert self.refused(cli, tmp_path, "no", *gold) == "no: there is no such folder of .sql or .csv files"
        folder = hand_in(tmp_path)
        assert self.refused(cli, tmp_path, folder, *gold) == f"{folder}: there is no .sql and no .csv file in this folder"

    def test_sql_without_the_questions(self, cli: Cli, spider2: Spider2World, tmp_path: Path) -> None:
        gold = tmp_path / "elsewhere" / "gold"
        shutil.copytree(spider2.gold, gold)
        folder = hand_in(tmp_path, SQL)
        options = ("--gold", gold, "--databases", spider2.databases)
        complaint = "to run .sql files the databases of the questions must be known: give spider2-lite.jsonl with --data"
        assert self.refused(cli, tmp_path, folder, *options) == complaint
        assert cli("score", "spider2", folder, *options, "--data", spider2.questions).code == 0

    def test_questions_beside_the_gold_folder_are_found_from_anywhere(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(spider2.databases)
        folder = hand_in(tmp_path, SQL)
        done = cli("score", "spider2", folder, "--gold", "../evaluation_suite/gold", "--databases", ".", "-o", tmp_path / "out")
        assert done.code == 0, done.err

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            (["--gold", "nowhere"], "nowhere: not a gold folder (it has no exec_result/)"),
            (["--databases", "nowhere"], "nowhere: there is no such directory of databases"),
            (["--data", "no.jsonl"], "--data no.jsonl: there is no such file, and no dataset of this name"),
            (["--json", "no/v.json"], "--json no/v.json: expected the name of a file in a directory that exists"),
            (["-p", "0"], "--parallel 0: expected a positive whole number"),
            (["--sql-timeout", "inf"], "--sql-timeout inf: expected a positive number"),
        ],
    )
    def test_an_option(self, cli: Cli, spider2: Spider2World, tmp_path: Path, options: list[str], complaint: str) -> None:
        given = {"--gold": str(spider2.gold), "--databases": str(spider2.databases), options[0]: options[1]}
        arguments = [part for pair in given.items() for part in pair]
        assert self.refused(cli, tmp_path, hand_in(tmp_path, SQL), *arguments) == complaint

    def test_a_column_that_is_not_there_costs_its_question_in_strict_mode_only(
        self, cli: Cli, spider2: Spider2World, tmp_path: Path
    ) -> None:
        metadata = spider2.gold / "spider2lite_eval.jsonl"
        write_lines(metadata, [*CONDITIONS, {"instance_id": "local003", "condition_cols": [2]}])
        folder = hand_in(tmp_path, csv=CSV)
        done = score(cli, spider2, folder)
        assert (done.code, outcomes(tmp_path)) == (0, {**dict.fromkeys(CSV, "passed"), "local003": "unscorable"})
        assert "spider2lite_eval.jsonl: local003: field 'condition_cols': column 2 is not in local003.csv" in done.out
        assert score(cli, spider2, folder, "--compat", "official").code == 0
        assert outcomes(tmp_path) == {**dict.fromkeys(CSV, "passed"), "local003": "failed"}


class TestRealData:
    @pytest.mark.parametrize("compat", ["strict", "official"])
    def test_every_golden_result_passes_as_it_is(self, cli: Cli, tmp_path: Path, compat: str) -> None:
        gold = real_spider2() / "evaluation_suite" / "gold"
        golden = Golden(gold)
        folder = hand_in(tmp_path)
        for instance_id in golden.ids:
            shutil.copyfile(golden.reference(instance_id).files[-1].path, folder / f"{instance_id}.csv")
        done = cli("score", "spider2", folder, "--gold", gold, "-o", "out", "--json", "v.json", "--compat", compat)
        assert done.code == 0
        found = verdicts(tmp_path)
        assert len(found) == 135
        assert {key: verdict for key, verdict in found.items() if not (verdict["official"] and verdict["strict"])} == {}
        assert {verdict["outcome"] for verdict in found.values()} == {"passed"}
        assert len((tmp_path / "mine-ids.csv").read_text().splitlines()) == 136
