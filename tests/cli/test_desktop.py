"""`touchstone desktop` as a user runs it."""

from __future__ import annotations

import json
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from tests.benchmarks.desktop.support import ABSTRACT, VERBOSE, make_dataset, task_form
from tests.support.command import Done, touchstone
from touchstone.cli import main


def desktop(*arguments: str | Path, cwd: Path) -> Done:
    """In this process, which is quicker than one of its own."""
    out, err = StringIO(), StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = main(["desktop", *map(str, arguments)])
    return Done(code, out.getvalue(), err.getvalue())


def test_check_says_for_each_task_whether_it_can_run(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    (tmp_path / f"evaluation_examples/examples/jupyter/{VERBOSE}/gold.csv").unlink()
    done = touchstone("desktop", "check", "--have", "jupyter", "--json", "report.jsonl", cwd=tmp_path)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == f"runs       {ABSTRACT}  jupyter"
    assert lines[1].startswith(
        f"file       {VERBOSE}  jupyter     file: evaluation_examples/examples/jupyter/{VERBOSE}/gold.csv"
    )
    table = {line.split()[0]: line.split()[1:] for line in lines[3:] if line}
    assert table["application"] == ["tasks", "run", "account", "software", "network", "file", "app"]
    assert table["jupyter"] == table["all"] == ["2", "1", "0", "0", "0", "1", "0"]
    assert len([name for name in table if name not in ("application", "all", "1", "runs")]) == 21
    assert lines[-2] == "runs 1, file 1"
    assert lines[-1].startswith("1 of 2 tasks can run here; 2 can be judged from files alone")
    entries = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    assert [(entry["task"], entry["runs"]) for entry in entries] == [(ABSTRACT, True), (VERBOSE, False)]


def test_check_selects(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    done = desktop("check", tmp_path, "--verbose", "--have", "jupyter", cwd=tmp_path)
    assert [line.split()[1] for line in done.out.splitlines()[:1]] == [VERBOSE]
    assert desktop("check", tmp_path, "--brief", "--split", "one", cwd=tmp_path).out.startswith("application")
    assert desktop("check", tmp_path, "--domain", "exel", cwd=tmp_path).complaint == (
        "touchstone: --domain exel: no task has it; expected jupyter"
    )


def test_check_tells_all_mistakes_and_exits_2(tmp_path: Path) -> None:
    make_dataset(tmp_path, task_form(config=[{"type": "lunch", "parameters": {}}]), task_form(VERBOSE, "nobody"))
    broken = tmp_path / "evaluation_examples/examples/excel/x/x.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    done = desktop("check", cwd=tmp_path)
    assert done.code == 2
    assert "x.json: not valid JSON" in done.err
    assert "field 'config[0]' (lunch): unknown set-up step 'lunch'; did you mean 'launch'?" in done.err
    assert "field 'counterpart': there is no task nobody" in done.err
    assert "Traceback" not in done.err


def test_a_list_that_does_not_fit_the_tags_is_a_warning(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path)
    (dataset.root / "test_account.json").write_text(json.dumps({"jupyter": [ABSTRACT]}))
    done = desktop("check", cwd=tmp_path)
    assert done.code == 0
    assert f"warning: test_account.json lists {ABSTRACT}, which does not belong there by its tags" in done.err


def test_of_a_part_of_the_dataset_the_lists_get_one_line_each(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path)
    listed = {"jupyter": [ABSTRACT, VERBOSE], "excel": [f"absent-{number}" for number in range(5)]}
    (dataset.root / "test_all.json").write_text(json.dumps(listed))
    warnings = [line for line in desktop("check", cwd=tmp_path).err.splitlines() if "test_all.json" in line]
    assert warnings == ["touchstone: warning: test_all.json lists 5 tasks that are not here: absent-0, absent-1, absent-2, …"]


def test_evaluate_judges_given_files(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    result = tmp_path / "result"
    result.mkdir()
    (result / "out.csv").write_text("a,b\n1,2\n")
    done = desktop("evaluate", ABSTRACT, "--result", result, cwd=tmp_path)
    assert (done.code, done.out) == (0, "passed 1: compare_csv: 2 equal lines\n")
    (result / "out.csv").write_text("a,b\n")
    task = tmp_path / f"evaluation_examples/examples/jupyter/{ABSTRACT}/{ABSTRACT}.json"
    done = desktop("evaluate", task, "--result", result, "--json", cwd=tmp_path / "result")
    assert (done.code, json.loads(done.out)["outcome"]) == (0, "failed")


def test_evaluate_says_why_it_cannot_judge(tmp_path: Path) -> None:
    command = {"type": "vm_command_line", "command": ["ls"]}
    evaluator = {"func": "exact_match", "result": command, "expected": {"type": "rule", "rules": {"expected": "x"}}}
    make_dataset(tmp_path, task_form(evaluator=evaluator), task_form(VERBOSE, ABSTRACT))
    (tmp_path / f"evaluation_examples/examples/jupyter/{VERBOSE}/gold.csv").unlink()
    done = desktop("evaluate", ABSTRACT, "--result", tmp_path, cwd=tmp_path)
    assert done.code == 3
    assert done.out.startswith("skipped: vm_command_line needs a running desktop, and there is none; give what it would return")
    (tmp_path / "out.csv").touch()
    done = desktop("evaluate", VERBOSE, "--result", tmp_path, cwd=tmp_path)
    assert (done.code, done.out.split(":")[0]) == (3, "unscorable")


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    for arguments, said in [
        (["evaluate", "nobody", "--result", "."], "there is no task nobody"),
        (["evaluate", ABSTRACT, "--result", "none"], "--result none: no such directory"),
        (["evaluate", "x.json", "--result", "."], "expected a file examples/<domain>/<id>/<id>.json"),
        (["check", "none"], "none: no such directory; expected the published evaluation_examples"),
        (["check", "--have", "word"], "--have word: unknown application"),
        (["accounts", "check", "none"], "make it with 'touchstone desktop accounts init'"),
    ]:
        done = desktop(*arguments, cwd=tmp_path)
        assert done.code == 2
        assert said in done.complaint
        assert "Traceback" not in done.err


def test_accounts_are_written_and_checked_without_showing_secrets(tmp_path: Path) -> None:
    done = desktop("accounts", "init", "settings", cwd=tmp_path)
    assert done.out.count("written") == 7
    path = tmp_path / "settings/snowflake/settings.json"
    path.write_text(json.dumps({"account": "https://a.snowflakecomputing.com", "user": "me", "password": "hunter2"}))
    assert desktop("accounts", "init", "settings", cwd=tmp_path).out.count("kept") == 7
    done = desktop("accounts", "check", "settings", cwd=tmp_path)
    assert "ready    snowflake/settings.json      3 fields filled in" in done.out
    assert "missing  dbt_cloud/settings.json      not filled in: email, password, account_id, token, cloud_host" in done.out
    assert "hunter2" not in done.out + done.err
