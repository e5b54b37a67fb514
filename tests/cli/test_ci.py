"""What a CI service needs of a run: an exit code by its score, files, limits of what it may spend, free repetitions."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.chat_players import knowing
from tests.support.chat_server import ChatServer, Script, refusal
from tests.support.command import Done, overall, records, run_directory
from tests.support.worlds import ROWS, World

KNOWN = {str(row["question_id"]): row["SQL"] for row in ROWS}
HOSTILE = "SELECT '</failure>\x07]]> | `<b>'"
PRICES = '[models."some/model"]\ninput = 1000.0\noutput = 1000.0\n'


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


@pytest.fixture
def half_right(tmp_path: Path) -> Path:
    path = tmp_path / "half.json"
    path.write_text(json.dumps({key: sql if key < "13" else HOSTILE for key, sql in KNOWN.items()}))
    return path


def score(cli: Cli, world: World, predictions: Path, *options: str | Path) -> Done:
    return cli("score", "bird", predictions, "--data", world.tasks, "--databases", world.databases, "-o", "out", *options)


def play(cli: Cli, world: World, script: Script, *options: str | Path) -> tuple[Done, int]:
    """And how often the model was asked."""
    with ChatServer(script) as server:
        done = cli("bird", *world.arguments, "-m", "some/model", "--base-url", server.url, "-o", "out", *options)
    return done, len(server.requests)


@pytest.mark.parametrize(("least", "code"), [("0.5", 0), ("0.51", 1), ("0", 0), ("1", 1)])
def test_fail_under_sets_the_exit_code(cli: Cli, world: World, half_right: Path, least: str, code: int) -> None:
    done = score(cli, world, half_right, "--fail-under", least)
    assert done.code == code
    assert ("accuracy 0.5000 is under --fail-under" in done.complaint) is bool(code)


def test_a_run_in_which_nothing_counts_is_under_any_threshold(cli: Cli, world: World, half_right: Path) -> None:
    (world.databases / "zoo" / "zoo.sqlite").write_bytes(b"not a database" * 100)
    done = score(cli, world, half_right, "--fail-under", "0", "--database", "zoo")
    assert (done.code, "no task was counted" in done.complaint) == (1, True)


@pytest.mark.parametrize("least", ["60", "-0.1", "nan"])
def test_a_threshold_that_is_no_share_is_refused(cli: Cli, world: World, half_right: Path, least: str) -> None:
    done = score(cli, world, half_right, f"--fail-under={least}")
    assert (done.code, done.complaint) == (2, f"touchstone: --fail-under {least}: expected a number from 0 to 1")


def test_the_files_hold_every_task_whatever_was_written_in_it(cli: Cli, tmp_path: Path, world: World, half_right: Path) -> None:
    (world.databases / "zoo" / "zoo.sqlite").unlink()
    files = ("--junit", "junit.xml", "--markdown", "summary.md", "--json", "verdicts.json")
    assert score(cli, world, half_right, *files, "--fail-under", "0.9").code == 1
    suite = ET.parse(tmp_path / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "1", "errors": "0", "skipped": "3"}
    cases = {case.get("name"): [each.tag for each in case] for case in suite.findall("testcase")}
    zoo = {key: ["skipped"] for key in ("12", "14", "15")}
    assert cases == {"10": [], "11": [], "13": ["failure"], **zoo}
    summary = (tmp_path / "summary.md").read_text()
    assert "66.7%" in summary
    assert "is under --fail-under 0.9" in summary
    assert "<b>" not in re.sub(r"\\.", "", summary)
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert {key: verdict["outcome"] for key, verdict in verdicts.items()} == {
        "10": "passed",
        "11": "passed",
        "13": "failed",
        **dict.fromkeys(["12", "14", "15"], "unscorable"),
    }


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--json"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(
    cli: Cli, tmp_path: Path, world: World, option: str
) -> None:
    done, asked = play(cli, world, knowing(), option, "nowhere/file")
    assert (done.code, asked, (tmp_path / "out").exists()) == (2, 0, False)
    assert done.complaint == f"touchstone: {option} nowhere/file: expected the name of a file in a directory that exists"


def test_json_of_several_epochs_lists_the_attempts(cli: Cli, tmp_path: Path, world: World) -> None:
    done, _ = play(cli, world, knowing(), "--epochs", "2", "--limit", "1", "--json", "v.json", "--junit", "j.xml")
    assert done.code == 0
    assert [verdict["outcome"] for verdict in json.loads((tmp_path / "v.json").read_text())["10"]] == ["passed"] * 2
    names = [case.get("name") for case in ET.parse(tmp_path / "j.xml").iter("testcase")]
    assert names == ["10", "10 (attempt 2)"]


def test_tokens_run_out_and_a_higher_limit_goes_on(cli: Cli, tmp_path: Path, world: World) -> None:
    done, asked = play(cli, world, knowing(), "--max-tokens-total", "440")
    assert (done.code, asked) == (1, 4), "two tasks of two replies of 110 tokens each"
    assert "the run was stopped: --max-tokens-total 440 is used up (440 tokens); continue with --resume" in done.complaint
    run = run_directory(tmp_path / "out")
    with ChatServer(knowing()) as server:
        again = cli("bird", "--resume", run, "--base-url", server.url)
        assert (again.code, server.requests) == (1, [])
        assert cli("bird", "--resume", run, "--base-url", server.url, "--max-tokens-total", "9999").code == 0
    assert (len(server.requests), overall(run)["overall"]["passed"]) == (8, 6)


def test_the_cost_runs_out(cli: Cli, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    monkeypatch.setenv("TOUCHSTONE_PRICES", str(tmp_path / "prices.toml"))
    done, asked = play(cli, world, knowing(), "--max-cost", "0.3")
    assert (done.code, asked) == (1, 4), "a reply costs 11 cents"
    assert "--max-cost 0.3 is used up ($0.4400)" in done.complaint


def test_a_limit_of_cost_without_a_price_stops_at_once(cli: Cli, world: World) -> None:
    done, asked = play(cli, world, knowing(), "--max-cost", "0.3")
    assert (done.code, asked) == (1, 2)
    assert "--max-cost 0.3 cannot be kept: the price of a model call is not known" in done.complaint


def test_what_suffices_for_all_tasks_stops_nothing(cli: Cli, world: World) -> None:
    assert play(cli, world, knowing(), "--max-tokens-total", str(6 * 220))[0].code == 0


def test_the_same_run_again_is_free_and_says_so(cli: Cli, tmp_path: Path, world: World) -> None:
    with ChatServer(knowing()) as server:
        command = ("bird", *world.arguments, "-m", "some/model", "--base-url", server.url, "--reply-cache", "replies")
        assert cli(*command, "-o", "first").code == 0
        asked = len(server.requests)
        done = cli(*command, "-o", "second")
        assert (done.code, len(server.requests), asked) == (0, 12, 12)
        assert "Model calls:      12 (12 from the reply cache, free), 0 tokens in, 0 out" in done.out
        assert "Cost:             $0.0000" in done.out
        assert cli(*command, "-o", "third", "--temperature", "0.5").code == 0
        assert len(server.requests) == 24, "another temperature is another request"
    runs = [run_directory(tmp_path / name) for name in ("first", "second")]
    assert _conversation(runs[0]) == _conversation(runs[1])
    assert json.loads((runs[1] / "config.json").read_text())["identity"]["reply_cache"] is True


def test_attempts_are_samples_of_their_own(cli: Cli, world: World) -> None:
    options = ("--reply-cache", "replies", "--limit", "1")
    assert play(cli, world, knowing(), *options, "--epochs", "2")[1] == 4


def test_failures_and_refusals_are_asked_again(cli: Cli, tmp_path: Path, world: World) -> None:
    with ChatServer([refusal()]) as server:
        command = ("bird", *world.arguments, "-m", "some/model", "--base-url", server.url, "--reply-cache", "replies")
        assert cli(*command, "-o", "out", "--limit", "1").code == 0
        assert cli(*command, "-o", "out", "--limit", "1").code == 0
    assert len(server.requests) == 2
    assert not [path for path in (tmp_path / "replies").rglob("*") if path.is_file()]


def test_a_broken_file_of_the_cache_is_replaced(cli: Cli, tmp_path: Path, world: World) -> None:
    with ChatServer(knowing()) as server:
        command = ("bird", *world.arguments, "-m", "some/model", "--base-url", server.url, "--reply-cache", "replies")
        assert cli(*command, "-o", "out").code == 0
        for path in (tmp_path / "replies").rglob("*.json"):
            path.write_bytes(path.read_bytes()[:20])
        assert cli(*command, "-o", "out").code == 0
        assert len(server.requests) == 24
        assert cli(*command, "-o", "out").code == 0
        assert len(server.requests) == 24


def test_a_cache_that_cannot_be_made_is_refused(cli: Cli, tmp_path: Path, world: World) -> None:
    (tmp_path / "file").write_text("")
    done, asked = play(cli, world, knowing(), "--reply-cache", "file/cache")
    assert (done.code, asked) == (2, 0)
    assert done.complaint.startswith("touchstone: --reply-cache file/cache: cannot be made")


def _conversation(run: Path) -> Any:
    """By task: what the model said."""

    def said(record: dict[str, Any]) -> list[Any]:
        return [step["reply"]["calls"] for step in record["steps"] if step["type"] == "model"]

    return {record["task"]: said(record) for record in records(run)}
