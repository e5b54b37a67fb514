"""`touchstone desktop run` as a user runs it, on drawn desktops."""

from __future__ import annotations

import json
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.desktop.drawn import DrawnDesktop
from tests.benchmarks.desktop.playing import SAVED
from tests.benchmarks.desktop.support import ABSTRACT, VERBOSE, make_dataset, task_form
from tests.support.chat_server import ChatServer, failure, text
from tests.support.command import Done, overall, records, run_directory
from touchstone.cli import main

DRAWN = ("--provider", "tests.benchmarks.desktop.drawn:provider", "--sleep-after-action", "0", "--settle", "0")
MODEL = ("--model", "some-model", "--base-url")


def command(*arguments: str | Path, cwd: Path) -> Done:
    out, err = StringIO(), StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = main(list(map(str, arguments)))
    return Done(code, out.getvalue(), err.getvalue())


def desktop_run(*arguments: str | Path, cwd: Path) -> Done:
    return command("desktop", "run", *arguments, cwd=cwd)


def reply(code: str = SAVED, word: str = "DONE") -> Any:
    return text(f"```python\n{code}\n```\n{word}")


def test_a_model_plays_and_the_run_has_everything(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    with ChatServer([reply()]) as server:
        done = desktop_run(tmp_path, *DRAWN, *MODEL, server.url, "--output", "out", "-v", cwd=tmp_path)
    assert done.code == 0, done.err
    run = run_directory(tmp_path / "out")
    assert [record["outcome"] for record in records(run)] == ["passed", "passed"]
    numbers = overall(run)
    assert set(numbers) >= {"by_domain", "by_instruction", "by_account", "by_difficulty"}
    assert "Accuracy:         100.0%" in done.out
    assert "By instruction:" in done.out
    config = json.loads((run / "config.json").read_text())
    assert config["command"] == "desktop run"
    assert config["identity"]["desktop"]["provider"] == "drawn"
    assert (config["identity"]["max_turns"], config["identity"]["history"]) == (15, 3)
    assert sorted(path.name for path in (run / "episodes").iterdir()) == [ABSTRACT, VERBOSE]
    assert (run / records(run)[0]["evidence"]["video"]).is_file()


def test_a_run_is_resumed_with_its_options(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    with ChatServer([reply(), failure(400, "broken")]) as server:
        more = ("--max-steps", "4", "--history", "1", "--observation", "som", "--no-video")
        first = desktop_run(tmp_path, *DRAWN, *MODEL, server.url, "--output", "out", *more, cwd=tmp_path)
    run = run_directory(tmp_path / "out")
    assert [record["outcome"] for record in records(run)] == ["passed", "error"], first.err
    with ChatServer([reply()]) as server:
        done = desktop_run("--resume", run, "--base-url", server.url, cwd=tmp_path)
        assert done.code == 0, done.err
        assert len(server.requests) == 1
    assert [record["outcome"] for record in records(run)] == ["passed", "passed"]
    assert "boxes" in server.requests[0]["messages"][0]["content"] or "red box" in server.requests[0]["messages"][0]["content"]
    assert (run / f"episodes/{VERBOSE}-2").is_dir()
    assert not list(run.rglob("video.mp4"))
    again = desktop_run("--resume", run, "--observation", "screenshot", cwd=tmp_path)
    assert again.code == 2
    assert "cannot resume" in again.complaint


def test_the_oracle_and_its_replay(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    done = desktop_run(tmp_path, *DRAWN, "--agent", "oracle", "--output", "gold", "--parallel", "2", cwd=tmp_path)
    assert done.code == 0, done.err
    gold = run_directory(tmp_path / "gold")
    assert overall(gold)["overall"]["passed"] == 2
    replay = ("--agent", "replay", "--predictions", gold, "--output", "again")
    assert desktop_run(tmp_path, *DRAWN, *replay, cwd=tmp_path).code == 0
    calls = [
        [[s["call"] for s in each["steps"]] for each in records(run_directory(tmp_path / name))] for name in ("gold", "again")
    ]
    assert sorted(map(str, calls[0])) == sorted(map(str, calls[1]))
    assert overall(run_directory(tmp_path / "again"))["overall"]["passed"] == 2


def test_what_cannot_run_is_counted_as_skipped(tmp_path: Path) -> None:
    make_dataset(tmp_path, task_form(), task_form(VERBOSE, ABSTRACT, related_apps=["airbyte"]))
    done = desktop_run(tmp_path, *DRAWN, "--agent", "oracle", "--output", "out", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "Skipped:          1  (not counted: cannot be run here)" in done.out
    assert "1 × the image has no airbyte" in done.out


def test_tasks_can_be_selected(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    chosen = ("--agent", "oracle", "--output", "out", "--verbose")
    assert desktop_run(tmp_path, *DRAWN, *chosen, cwd=tmp_path).code == 0
    assert [record["task"] for record in records(run_directory(tmp_path / "out"))] == [VERBOSE]
    assert desktop_run(tmp_path, *DRAWN, "--agent", "oracle", "--output", "one", "-n", "1", cwd=tmp_path).code == 0
    assert [record["task"] for record in records(run_directory(tmp_path / "one"))] == [ABSTRACT]


def test_a_blind_model_stops_the_run_and_leaves_nothing(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    blind = failure(400, "image_url is only supported by certain models.")
    with ChatServer([blind]) as server:
        done = desktop_run(tmp_path, *DRAWN, *MODEL, server.url, "--output", "out", cwd=tmp_path)
    assert done.code == 1
    assert "it takes no pictures; use a model with vision, or --observation a11y_tree" in done.complaint
    assert list((tmp_path / "out").iterdir()) == []


def test_desktops_are_stopped_however_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[Path] = []
    stop = DrawnDesktop.stop

    async def noted(self: DrawnDesktop) -> None:
        await stop(self)
        stopped.append(self.base)

    monkeypatch.setattr(DrawnDesktop, "stop", noted)
    make_dataset(tmp_path)
    desktop_run(tmp_path, *DRAWN, "--agent", "oracle", "--output", "out", "--parallel", "2", cwd=tmp_path)
    assert len(set(stopped)) == 2
    assert not any(base.exists() for base in stopped)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--observation", "som", "--action-space", "computer_13"), "--observation som: only with the action space pyautogui"),
        (
            ("--agent", "oracle", "--action-space", "computer_13"),
            "--action-space computer_13: the agent oracle plays with pyautogui",
        ),
        (("--provider", "remote"), "--address: the provider remote needs it"),
        (("--address", "http://x:5000"), "--address http://x:5000: only for the provider remote, not sandbox"),
        (
            ("--provider", "remote", "--address", "http://x:5000", "--parallel", "2"),
            "--parallel 2: the provider remote has one desktop",
        ),
        (("--max-steps", "0"), "--max-steps 0: expected a positive whole number"),
        (("--history", "-1"), "--history -1: expected a whole number of at least 0"),
        (("--provider", "nowhere:make"), "--provider nowhere:make: No module named 'nowhere'"),
        (("--provider", "cloud"), "--provider cloud: expected one of sandbox, docker, remote"),
        (("--agent", "replay", *DRAWN), "--predictions: the replay agent needs a prediction file or a run directory"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path: Path, arguments: tuple[str, ...], complaint: str) -> None:
    make_dataset(tmp_path)
    done = desktop_run(tmp_path, *arguments, cwd=tmp_path)
    assert done.code == 2
    assert complaint in done.complaint
    assert not (tmp_path / "results").exists()


def test_the_same_again_from_its_own_file(tmp_path: Path) -> None:
    """`verbose` in it is the run's, as it is beside `instruction` in any file."""
    make_dataset(tmp_path)
    first = ("--agent", "oracle", "--verbose", "-v", "--output", "first")
    assert desktop_run(tmp_path, *DRAWN, *first, cwd=tmp_path).code == 0
    options = run_directory(tmp_path / "first") / "config.toml"
    done = command("run", "desktop", "--config", options, "--output", "second", cwd=tmp_path)
    assert done.code == 0, done.err
    for name in ("first", "second"):
        assert [record["task"] for record in records(run_directory(tmp_path / name))] == [VERBOSE]
    assert f"passed     {VERBOSE}" in done.err


def test_a_file_has_the_words_of_the_command_line(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    (tmp_path / "own.toml").write_text('agent = "oracle"\nabstract = true\neach = true\nmax-steps = 3\nsettle = 0\n')
    done = desktop_run(tmp_path, *DRAWN[:4], "--config", "own.toml", "--output", "out", cwd=tmp_path)
    assert done.code == 0, done.err
    assert f"passed     {ABSTRACT}" in done.err
    assert VERBOSE not in done.err
    (tmp_path / "own.toml").write_text("settle = -1\n")
    refused = desktop_run(tmp_path, *DRAWN[:4], "--config", "own.toml", cwd=tmp_path)
    assert refused.complaint == "touchstone: own.toml: settle = -1: expected a number of at least 0"


def test_a_run_of_an_earlier_version_is_resumed(tmp_path: Path) -> None:
    """Its configuration is in format 1, where --each and the form of the instructions had other names."""
    make_dataset(tmp_path)
    with ChatServer([failure(400, "broken")]) as server:
        desktop_run(tmp_path, *DRAWN, *MODEL, server.url, "--output", "out", "--verbose", cwd=tmp_path)
    run = run_directory(tmp_path / "out")
    now = json.loads((run / "config.json").read_text())
    kept = {name: now[name] for name in ("title", "identity", "versions", "planned", "seal")}
    choice = {"abstract": False, "verbose": True, "exclude-account": False, "split": None, "domain": [], "task": []}
    drawn = {"provider": DRAWN[1], "sleep-after-action": 0.0, "settle": 0.0, "video": True, "rag": "off"}
    played = {"agent": "screen", "model": "some-model", "max-turns": 15, "history": 3, "each": True, "confine": True}
    arguments = {"dataset": str(tmp_path), **choice, **drawn, **played}
    (run / "config.json").write_text(json.dumps({"format": 1, "command": "desktop run", "arguments": arguments, **kept}))
    with ChatServer([reply()]) as server:
        done = desktop_run("--resume", run, "--base-url", server.url, cwd=tmp_path)
    assert done.code == 0, done.err
    assert [(record["task"], record["outcome"]) for record in records(run)] == [(VERBOSE, "passed")]
    assert f"passed     {VERBOSE}" in done.err


def test_files_that_agents_left_are_scored_without_a_desktop(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    (tmp_path / "left" / ABSTRACT).mkdir(parents=True)
    (tmp_path / "left" / ABSTRACT / "out.csv").write_text("a,b\n1,2\n")
    refused = command("score", "desktop", "left", "--dataset", tmp_path, cwd=tmp_path)
    assert refused.code == 2
    assert f"1 of the 2 chosen tasks have none, the first is {VERBOSE}" in refused.complaint
    done = command("score", "desktop", "left", "--dataset", tmp_path, "--allow-missing", "-o", "out", cwd=tmp_path)
    assert done.code == 0, done.err
    assert {record["task"]: record["outcome"] for record in records(run_directory(tmp_path / "out"))} == {
        ABSTRACT: "passed",
        VERBOSE: "failed",
    }
    assert "1 × compare csv" in done.out


def test_a_run_is_scored_by_playing_it_again(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    assert desktop_run(tmp_path, *DRAWN, "--agent", "oracle", "--output", "gold", "-n", "1", cwd=tmp_path).code == 0
    gold = run_directory(tmp_path / "gold")
    done = command("score", "desktop", gold, "--dataset", tmp_path, *DRAWN, "-o", "out", cwd=tmp_path)
    assert done.code == 0, done.err
    (record,) = records(run_directory(tmp_path / "out"))
    assert (record["task"], record["outcome"]) == (ABSTRACT, "passed")


def test_an_audit_judges_the_gold_and_nothing_at_all(tmp_path: Path) -> None:
    empty_is_right = {"func": "check_file_existence", "result": {"type": "vm_file", "path": "/home/user/out.csv", "dest": "o"}}
    expected = {"type": "local_file", "path": f"evaluation_examples/examples/jupyter/{VERBOSE}/gold.csv", "dest": "gold.csv"}
    wrong = {**empty_is_right, "func": "compare_json_file", "expected": expected}
    dataset = make_dataset(tmp_path, task_form(), task_form(VERBOSE, ABSTRACT, evaluator=wrong))
    done = command("audit", "desktop", tmp_path, "--json", "report.json", cwd=tmp_path)
    assert done.code == 0, done.err
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["ceiling"]["passed"], report["ceiling"]["total"]) == (1, 2)
    assert [(each["task"], each["kind"]) for each in report["findings"]] == [(VERBOSE, "oracle_fails")]
    (dataset.root / f"examples/jupyter/{ABSTRACT}/gold.csv").unlink()
    assert "a file that the task names is not in the dataset" in command("audit", "desktop", tmp_path, cwd=tmp_path).out


def test_the_help_fits_on_two_screens(tmp_path: Path) -> None:
    shown = desktop_run("--help", cwd=tmp_path).out
    assert len(shown.splitlines()) < 90
    assert "--rag-topk" not in shown
    assert "--rag-topk" in desktop_run("--help-all", cwd=tmp_path).out
