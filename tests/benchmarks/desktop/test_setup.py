"""What a set-up did, and whether what it should have made is there: with real shells."""

from __future__ import annotations

from pathlib import Path

import pytest

from touchstone.benchmarks.desktop import setup
from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.setup import Probe, SetupLog, probes, traced
from touchstone.benchmarks.desktop.steps import run_steps
from touchstone.benchmarks.desktop.tasks import SetupStep
from touchstone.errors import WorkerFailure

from .support import LocalGuest, make_dataset, make_scene

SCRIPT = """exec 1>/dev/null
exec 2>/dev/null
NAME=shop
mkdir -p $NAME
cp missing.zip $NAME/
for n in 1 2 3; do
    grep -q nothing /etc/hostname
done
echo "two
lines"
"""


@pytest.fixture
def evaluation(tmp_path: Path, guest: LocalGuest) -> EvaluationContext:
    made = make_scene(make_dataset(tmp_path), tmp_path, guest)
    (made.dataset.root / "init.sh").write_text(SCRIPT)
    return made


async def set_up(evaluation: EvaluationContext) -> None:
    where = {"src": "evaluation_examples/init.sh", "dest": "/home/user/init.sh"}
    await run_steps([SetupStep("script_and_execute", where)], evaluation)


async def test_a_script_that_throws_its_output_away_is_recorded(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    await set_up(evaluation)
    [step] = evaluation.log.steps
    by_command = {command.command: command for command in step.commands}
    assert by_command["mkdir -p shop"].returncode == 0
    assert (by_command["cp missing.zip shop/"].returncode, by_command["cp missing.zip shop/"].line) == (1, 5)
    assert by_command["grep -q nothing /etc/hostname"].returncode == 1
    assert any("two" in command and "lines" in command for command in by_command)
    assert (guest.home / "shop").is_dir()
    assert not list(guest.home.glob("init.sh*"))
    assert evaluation.log.facts()["steps"][0]["step"] == "script_and_execute"
    assert "cp missing.zip shop/ (exit 1)" in evaluation.log.hint()
    assert "grep" not in evaluation.log.hint()


async def test_what_a_script_starts_knows_nothing_of_the_trace(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    """A terminal that a script had opened greeted the agent with an error about the trace's descriptor."""
    (evaluation.dataset.root / "init.sh").write_text("env > shown\nbash -c 'echo hello' 2> complaints\n")
    await set_up(evaluation)
    assert "BASH_" not in (guest.home / "shown").read_text()
    assert (guest.home / "complaints").read_text() == ""


async def test_what_does_not_come_is_an_error_of_the_set_up(
    evaluation: EvaluationContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "PATIENCE", 0.5)
    await set_up(evaluation)
    evaluation.log.expect(Probe("a file 'there'", "test -e there"))
    with pytest.raises(WorkerFailure, match=r"did not make what the task needs: a file 'there'; failed in it: cp") as failed:
        await evaluation.log.probe(evaluation.guest)
    assert failed.value.kind == "set-up"
    assert evaluation.log.facts()["probes"][0]["passed"] is False


async def test_a_probe_waits(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    await guest.launch(["sh", "-c", "sleep 0.7; touch there"])
    evaluation.log.expect(Probe("a file 'there'", "test -e there"))
    await evaluation.log.probe(evaluation.guest)
    assert evaluation.log.probes[0].passed


async def test_a_script_that_is_stopped_is_an_error_of_the_set_up(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    guest.late = True
    with pytest.raises(WorkerFailure, match="was stopped after 300 s") as failed:
        await set_up(evaluation)
    assert failed.value.kind == "set-up"


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("docker compose -f docker-compose-image-tag.yml up --detach", ["Superset at port 8088"]),
        ("docker compose logs", []),
        ("astro dev start --no-browser", ["Airflow with a healthy scheduler", "a DAG that Airflow lists"]),
        ("dagster dev -p 3000", ["Dagster at port 3000"]),
        ("code /home/user/shop", ["a window of Visual Studio Code"]),
        ("gnome-terminal --maximize", ["a terminal"]),
        ("sudo -S mysql", ["MySQL's server"]),
        ("sudo -S -u postgres createdb shop", ["a PostgreSQL database 'shop'"]),
        ("bash -c conda activate jupyter && jupyter lab", ["JupyterLab at port 8888"]),
        ("cd /home/user/projects/shop", ["a folder /home/user/projects/shop"]),
        ("echo 'astro dev start'", []),
    ],
)
def test_commands_say_what_they_leave_behind(command: str, what: list[str]) -> None:
    found = probes([command, command])
    assert [probe.what for probe in found] == what
    assert all("{" not in probe.command.replace("{ curl", "").replace("${port", "") for probe in found)


def test_a_trace_that_is_no_trace_has_no_commands() -> None:
    assert not list(traced(""))
    assert not list(traced("+ ls\nfile\n"))
    log = SetupLog()
    log.note_trace("nonsense")
    assert not log.facts()["steps"]
