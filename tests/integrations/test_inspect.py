"""Benchmarks as Inspect tasks, with Inspect's own mock model and its real command, and runs as Inspect logs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

import touchstone
from tests.support.command import SCRIPTS, environment
from tests.support.data import shared_data
from tests.support.worlds import ROWS, World, make_world, row
from touchstone.errors import InputError
from touchstone.integrations.inspect import episodes, export
from touchstone.integrations.inspect.tasks import benchmark, bird, interact

pytestmark = pytest.mark.long

GOLD = {str(each["question_id"]): str(each["SQL"]) for each in ROWS}


def call(tool: str, **arguments: Any) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", tool, arguments)


def say(text: str) -> ModelOutput:
    return ModelOutput.from_content("mockllm/model", text)


def play(task: Task, outputs: Sequence[ModelOutput], directory: Path, **options: Any) -> EvalLog:
    for output in outputs:
        output.usage = ModelUsage(input_tokens=7, output_tokens=3)  # else it is counted, with a table from the network
    model = get_model("mockllm/model", custom_outputs=list(outputs))
    (log,) = eval(task, model=model, log_dir=str(directory), display="none", max_samples=1, **options)
    return log


def samples(log: EvalLog) -> dict[str, EvalSample]:
    return {str(sample.id): sample for sample in log.samples or []}


def metric(log: EvalLog, scorer: str, name: str) -> float:
    assert log.results is not None
    assert [score.name for score in log.results.scores] == ["passed", "score"]
    return next(score for score in log.results.scores if score.name == scorer).metrics[name].value


@pytest.fixture
def task(world: World) -> Task:
    return bird(tasks=str(world.tasks), databases=str(world.databases))


def test_a_model_plays_our_tools_and_is_judged_by_our_verdict(task: Task, tmp_path: Path) -> None:
    outputs = [
        call("execute_sql", sql="SELECT name FROM nowhere"),
        say("I am thinking."),
        call("submit_sql", sql=GOLD["10"]),
        call("submit_sql", sql="SELECT 1"),
    ]
    log = play(task, outputs, tmp_path, sample_id=["10", "11"])
    assert log.status == "success", log.error
    first, second = samples(log)["10"], samples(log)["11"]
    assert [message.role for message in first.messages] == [
        *("system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool")
    ]
    failed = first.messages[3]
    assert isinstance(failed, ChatMessageTool)
    assert failed.error is not None
    assert "no such table: nowhere" in failed.error.message
    assert "did not call a tool" in first.messages[5].text
    assert "Which items are dear?" in first.messages[1].text
    assert first.metadata["difficulty"] == "simple"
    assert first.scores is not None
    assert second.scores is not None
    assert (first.scores["passed"].value, second.scores["passed"].value) == (1.0, 0.0)
    assert first.scores["passed"].answer == GOLD["10"]
    assert "expected 4" in (second.scores["passed"].explanation or "")
    assert (metric(log, "passed", "accuracy"), metric(log, "passed", "stderr"), metric(log, "score", "mean")) == (0.5, 0.5, 0.5)


def test_the_reference_is_nowhere_before_the_verdict(task: Task) -> None:
    for sample in task.dataset:
        assert GOLD[str(sample.id)] not in json.dumps(sample.model_dump(mode="json"))


def test_turns_run_out(world: World, tmp_path: Path) -> None:
    task = bird(tasks=str(world.tasks), databases=str(world.databases), max_turns=2)
    log = play(task, [say("hm")] * 2, tmp_path, sample_id="10")
    scores = samples(log)["10"].scores
    assert scores is not None
    assert scores["passed"].metadata is not None
    assert (scores["passed"].value, scores["passed"].metadata["outcome"]) == (0.0, "limit")


def test_a_broken_call_is_answered(task: Task, tmp_path: Path) -> None:
    outputs = [call("execute_sql", query=1), call("nothing"), call("submit_sql", sql=GOLD["10"])]
    log = play(task, outputs, tmp_path, sample_id="10")
    tools = [message for message in samples(log)["10"].messages if isinstance(message, ChatMessageTool)]
    assert [message.error is not None for message in tools] == [True, True, False]
    assert metric(log, "passed", "accuracy") == 1.0


def test_what_cannot_be_judged_is_left_out_of_the_accuracy(tmp_path: Path) -> None:
    rows = [ROWS[0], row(1, "shop", "?", "SELECT nothing"), row(2, "absent", "?", "SELECT 1")]
    world = make_world(tmp_path / "odd", rows)
    task = bird(tasks=str(world.tasks), databases=str(world.databases))
    log = play(task, [call("submit_sql", sql=GOLD["10"]), call("submit_sql", sql="SELECT 1")], tmp_path / "logs")
    assert log.status == "success", log.error
    scores = {key: (sample.scores or {})["passed"] for key, sample in samples(log).items()}
    assert [scores[key].reason for key in ("10", "1", "2")] == [None, "unscorable", "unscorable"]
    assert "absent" in (scores["2"].explanation or "")
    assert metric(log, "passed", "accuracy") == 1.0


def test_any_solver_can_play(world: World, tmp_path: Path) -> None:
    """Inspect's own loop: it goes on after the submission, which changes nothing any more."""

    task = bird(tasks=str(world.tasks), databases=str(world.databases))
    outputs = [call("submit_sql", sql=GOLD["10"]), call("submit_sql", sql="SELECT 1"), say("done")]
    log = play(task, outputs, tmp_path, sample_id="10", solver=generate(tool_calls="loop"))
    assert metric(log, "passed", "accuracy") == 1.0
    assert samples(log)["10"].messages[-2].text == episodes.OVER


def test_nothing_stays_open(task: Task, tmp_path: Path) -> None:
    for _ in range(2):
        log = play(task, [call("submit_sql", sql=GOLD["10"])], tmp_path, sample_id="10")
        assert log.status == "success", "a second evaluation, in a new event loop, works as the first"
        assert not episodes._samples
        assert not episodes._shared


def test_a_dialogue_with_the_simulated_user(tmp_path: Path) -> None:
    """On real data, whose gold is withheld: it can be asked about, and not judged."""
    data = shared_data("mini-interact")
    first = touchstone.interact(data, limit=1).chosen()[0]
    outputs = [call("ask", question="What do you mean?"), call("submit", sql="SELECT 1")]
    log = play(interact(dataset=str(data), max_turns=2), outputs, tmp_path, sample_id=first.key)
    assert log.status == "success", log.error
    sample = samples(log)[first.key]
    asked = next(message for message in sample.messages if isinstance(message, ChatMessageTool))
    assert (asked.function, asked.error) == ("ask", None)
    assert asked.text
    assert (sample.scores or {})["passed"].reason == "unscorable"


def test_a_benchmark_of_another_package_is_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from touchstone.plugins import installed

    add_entry_point(tmp_path / "site", "touchstone.benchmarks", "sums = examples.own_benchmark:SumsConfig")
    monkeypatch.syspath_prepend(tmp_path / "site")
    installed.cache_clear()
    try:
        log = play(benchmark("sums", count=2), [call("submit", value="1"), call("submit", value="1")], tmp_path / "logs")
    finally:
        installed.cache_clear()
    assert metric(log, "passed", "accuracy") == 0.5


def add_entry_point(site: Path, group: str, line: str) -> None:
    metadata = site / "added-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{line}\n")


COUNTING = """
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

class Counting(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        assert [tool.name for tool in tools] == ["execute_sql", "submit_sql"]
        output = ModelOutput.for_tool_call("counting", "submit_sql", {"sql": "SELECT COUNT(*) FROM item"})
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
        return output

@modelapi(name="counting")
def counting():
    return Counting
"""


def test_the_command_finds_the_tasks_by_name(world: World, tmp_path: Path) -> None:
    """As a user types it; the model, which counts items whatever it is asked, comes from a package too."""
    site = tmp_path / "site"
    add_entry_point(site, "inspect_ai", "touchstone = touchstone.integrations.inspect.tasks\ncounting = counting_model")
    (site / "counting_model.py").write_text(COUNTING)
    data = ["-T", f"tasks={world.tasks}", "-T", f"databases={world.databases}", "-T", "database=shop"]
    done = subprocess.run(
        [SCRIPTS / "inspect", "eval", "touchstone/bird", *data, "--model", "counting/any", "--display", "plain"],
        cwd=tmp_path,
        env=environment(tmp_path / "cache", {"PYTHONPATH": str(site), "HOME": str(tmp_path)}),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    (file,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(file))
    assert (log.status, log.eval.task, len(log.samples or [])) == ("success", "touchstone/bird", 3)
    assert metric(log, "passed", "accuracy") == pytest.approx(1 / 3)
    assert log.stats.model_usage["counting/any"].total_tokens == 30
    assert "hooks enabled" not in done.stdout


@pytest.mark.parametrize("given", [{"tasks": "nowhere.json", "databases": "."}, {"colour": "blue"}])
def test_a_mistake_is_told_as_inspect_tells_its_own(given: dict[str, str]) -> None:
    with pytest.raises(PrerequisiteError, match=r"touchstone: .*(cannot read the task file|colour)"):
        bird(**given)  # pyright: ignore


# Logs


@pytest.fixture
def run(world: World, tmp_path: Path) -> Path:
    def agent(question: str) -> str | None:
        if question.startswith("How many legs"):
            raise OSError("the agent is ill")
        right = {str(each["question"]): str(each["SQL"]) for each in ROWS}
        return right[question] if "mean" in question or "dear" in question else "SELECT nonsense"

    source = touchstone.bird(world.tasks, world.databases)
    found = touchstone.run(source, agent, output=tmp_path / "runs", epochs=2, max_consecutive_errors=0).directory
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_a_run_becomes_a_log_that_inspect_reads(run: Path, tmp_path: Path, name: str) -> None:
    log = read_eval_log(str(export(run, tmp_path / name)))
    assert (log.status, log.eval.task, log.eval.model) == ("success", "touchstone/bird", "agent")
    assert len(log.samples or []) == 12
    first = samples(log)["10"]
    assert [message.role for message in first.messages] == ["system", "user", "assistant", "tool"]
    assert first.messages[2].tool_calls[0].arguments == {"sql": GOLD["10"]}  # pyright: ignore
    assert first.target == GOLD["10"]
    ours = touchstone.read(run)
    assert metric(log, "passed", "accuracy") == pytest.approx(ours.accuracy)
    ill = samples(log)["14"]
    assert ill.error is not None
    assert "the agent is ill" in ill.error.message
    assert "agent is ill" in ill.error.traceback


def test_a_models_run_keeps_its_conversation_and_usage(world: World, tmp_path: Path) -> None:
    from tests.support.scripted_model import ScriptedModel, calls, submit
    from tests.support.scripted_model import call as call_ours

    model = ScriptedModel([calls(call_ours("execute_sql", '{"sql": ')), calls(submit(GOLD["10"]))])
    source = touchstone.bird(world.tasks, world.databases, limit=1)
    found = touchstone.run(source, "tools", model=model, output=tmp_path / "runs")
    assert found.directory is not None
    target = tmp_path / "logs"
    target.mkdir()
    log = read_eval_log(str(export(found.directory, target)))
    sample = samples(log)["10"]
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    broken = sample.messages[2].tool_calls[0]  # pyright: ignore
    assert broken.parse_error == 'not a JSON object: {"sql": '
    assert sample.output.stop_reason == "tool_calls"
    record = found.records[0]
    assert sample.model_usage[model.name].output_tokens == record.usage.output_tokens
    assert sample.total_time == record.seconds


def test_what_is_no_run_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run directory"):
        export(tmp_path / "nothing", tmp_path / "log.eval")
    with pytest.raises(InputError, match=r"\.eval or \.json"):
        export(run, tmp_path / "log.txt")
    (run / "runs.jsonl").write_text("")
    with pytest.raises(InputError, match="no records"):
        export(run, tmp_path / "log.eval")


def test_the_command_exports(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from touchstone.cli.export import app

    assert app(["inspect", str(run), str(tmp_path / "log.json")], result_action="return_value") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'log.json'}\n"
    assert len(read_eval_log(str(tmp_path / "log.json")).samples or []) == 12
