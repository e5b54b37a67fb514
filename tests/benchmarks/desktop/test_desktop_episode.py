"""Episodes on a desktop: what the agent sees, what is kept, and what becomes of them however they end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from tests.support.scripted_model import call
from touchstone.agents.scripted import Oracle, ScriptedAgent
from touchstone.benchmarks.desktop.documents.search import FromContexts
from touchstone.benchmarks.desktop.solutions import PIECE
from touchstone.protocols import Stage
from touchstone.runs.episode_runner import play
from touchstone.types import ON_SCREEN, Observation, Outcome, Record, ToolStep

from .drawn import HEIGHT, WIDTH
from .playing import SAVED, World, observed
from .support import ABSTRACT, VERBOSE, task_form

Make = Callable[..., World]
DONE, FAIL, LOOK = call("done", {}), call("fail", {}), call("look", {})


@pytest_asyncio.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[World] = []

    def build(*forms: dict[str, Any], **options: Any) -> World:
        made.append(World(tmp_path / f"world-{len(made)}", *forms, **options))
        return made[-1]

    yield build
    for world in made:
        await world.benchmark.close()
        assert all(not desktop.base.exists() for desktop in world.desktops)


def code(text: str) -> Any:
    return call("pyautogui", {"code": text})


def details(record: Record) -> list[dict[str, Any]]:
    return [step.observation.details for step in record.steps if isinstance(step, ToolStep)]


class Watcher:
    """Plays calls and keeps what it sees."""

    def __init__(self, *calls: Any) -> None:
        self._calls = calls
        self.seen: list[Observation] = []

    async def play(self, stage: Stage) -> None:
        for each in self._calls:
            self.seen.append(await stage.call(each))


async def test_work_is_judged_and_files_are_kept(make: Make) -> None:
    world = make()
    record = await world.calls(LOOK, code(SAVED), DONE)
    assert (record.outcome, record.score) == (Outcome.passed, 1.0)
    folder = f"episodes/{ABSTRACT}"
    assert record.evidence["episode"] == folder
    assert record.evidence["video"] == f"{folder}/video.mp4"
    assert record.evidence["ended"] == "done"
    assert record.evidence["desktop"]["provider"] == "drawn"
    assert details(record)[1] == {"before": f"{folder}/001.png", "screenshot": f"{folder}/002.png", "returncode": 0}
    kept = sorted(path.name for path in (world.run / folder).iterdir())
    assert kept == ["000.png", "001.png", "002.png", "003.png", "setup.json", "video.mp4"]
    assert all((world.run / shot).read_bytes()[:4] == b"\x89PNG" for shot in (each["screenshot"] for each in details(record)))
    assert b"PNG" not in msgspec.json.encode(record)
    assert len(msgspec.json.encode(record)) < 20_000


async def test_nothing_done_scores_0(make: Make) -> None:
    record = await make().calls(DONE)
    assert (record.outcome, record.score, record.evidence["kind"]) == (Outcome.failed, 0.0, "compare_csv")


async def test_who_stops_without_a_word_is_judged_as_it_stands(make: Make) -> None:
    record = await make().calls(code(SAVED))
    assert (record.outcome, record.evidence["ended"]) == (Outcome.passed, "steps")


async def test_giving_up_scores_0_even_if_the_work_is_right(make: Make) -> None:
    record = await make().calls(code(SAVED), FAIL, DONE)
    assert (record.outcome, record.score, record.evidence["ended"]) == (Outcome.failed, 0.0, "fail")
    assert record.evidence["kind"] == "gave_up"


async def test_a_task_that_cannot_be_done_is_passed_by_giving_up(make: Make) -> None:
    form = task_form(evaluator={"func": "infeasible", "result": {}, "expected": {}})
    world = make(form)
    assert (await world.calls(FAIL)).outcome is Outcome.passed
    assert (await world.calls(DONE)).outcome is Outcome.failed


async def test_execution_is_told_as_it_was(make: Make) -> None:
    world = make()
    record = await world.calls(code("print('hello'); 1/0"), code("print('fine')"), code("import sys; sys.exit(3)"))
    first, second, third = observed(record)
    assert first.startswith("The action failed (return code 1).\nOutput:\nhello\nError output:\n")
    assert "ZeroDivisionError" in first
    assert second == "The action was executed without an error.\nOutput:\nfine"
    assert third == "The action failed (return code 3)."
    assert [step.observation.error for step in record.steps if isinstance(step, ToolStep)] == [True, False, True]


async def test_long_output_is_cut_in_the_middle(make: Make) -> None:
    (said,) = observed(await make().calls(code("print('a' * 9_000 + 'end')")))
    assert len(said) < 5_000
    assert said.endswith("aend")
    assert "5,003 characters left out" in said


@pytest.mark.parametrize(
    ("space", "pictures", "table"),
    [("screenshot", 1, False), ("a11y_tree", 0, True), ("screenshot_a11y_tree", 1, True), ("som", 1, True)],
)
async def test_observation_spaces(make: Make, space: str, pictures: int, table: bool) -> None:
    world = make(observation=space)
    watcher = Watcher(LOOK)
    record = await world.play(watcher)
    (seen,) = watcher.seen
    assert len(seen.pictures) == pictures
    assert (ON_SCREEN in seen.text) is table
    assert ("push-button\tSave\t(20, 120)\t(80, 30)\t''" in seen.text) is table
    (kept,) = details(record)
    assert ("accessibility" in kept) is table
    assert ("marked" in kept) is (space == "som")
    if space == "som":
        assert "INDEX\tTAG" in seen.text
        assert (world.run / kept["marked"]).read_bytes() == seen.pictures[0]
        assert "Blank" not in seen.text
    if table:
        assert "<desktop-frame" in (world.run / kept["accessibility"]).read_text()


async def test_boxes_can_be_named_in_code(make: Make) -> None:
    world = make(observation="som")
    record = await world.calls(LOOK, code("pyautogui.write('a,b\\n1,2\\n index_1'[:8]); pyautogui.click(index_1)"), DONE)
    assert record.outcome is Outcome.passed
    wrong = await world.calls(LOOK, code("pyautogui.click(index_9)"), code("index_9 = (1, 1)\npyautogui.click(index_9)"))
    assert observed(wrong)[1].startswith(
        "Nothing was done: There is no box 9 on the screen you last saw: the boxes are 0 to 1."
    )
    assert world.desktops[0].state["clicks"] == [[1, 1, "left", 1]]
    assert observed(wrong)[2].startswith("The action was executed")


async def test_without_boxes_the_names_are_the_codes_own(make: Make) -> None:
    record = await make().calls(code("index_1"))
    assert "NameError" in observed(record)[0]


async def test_actions_of_computer_13(make: Make) -> None:
    world = make(action_space="computer_13")
    record = await world.calls(
        call("act", {"action_type": "TYPING", "text": "a,b\n1,2\n"}),
        call("act", {"action_type": "CLICK", "parameters": {"x": 60, "y": 135}}),
        call("act", {"action_type": "CLICK", "x": 60_000, "y": 1}),
        call("act", {"action_type": "HOP"}),
        DONE,
    )
    assert record.outcome is Outcome.passed
    said = observed(record)
    assert said[2] == f"Nothing was done: CLICK: x = 60000 is not on the screen, which is {WIDTH} x {HEIGHT}."
    assert "could not be read" in said[3]


async def test_waiting_and_the_end(make: Make) -> None:
    record = await make().calls(call("wait", {"seconds": 0.01}), call("wait", {"seconds": 1000}), DONE, LOOK)
    assert observed(record)[0] == "Waited for 0.01 seconds."
    assert "could not be read" in observed(record)[1]
    assert len(observed(record)) == 3


async def test_the_screen_may_come_to_rest_before_the_first_look(make: Make) -> None:
    world = make(settle=0.5)
    assert (await world.calls(code(SAVED), DONE)).outcome is Outcome.passed


async def test_desktops_are_used_again_and_are_clean(make: Make) -> None:
    world = make()
    assert (await world.calls(code(SAVED), DONE)).outcome is Outcome.passed
    assert (await world.calls(DONE)).outcome is Outcome.failed
    (desktop,) = world.desktops
    assert desktop.log == ["start", "reset"]
    assert (world.run / f"episodes/{ABSTRACT}-2/video.mp4").exists()


async def test_episodes_at_once_have_desktops_of_their_own(make: Make) -> None:
    world = make()
    both = await asyncio.gather(world.calls(code(SAVED), DONE), world.calls(code("time.sleep(0.5)"), DONE, task=1))
    assert [record.outcome for record in both] == [Outcome.passed, Outcome.failed]
    assert len(world.desktops) == 2


async def test_a_desktop_that_is_gone_is_an_error_and_is_replaced(make: Make) -> None:
    world = make()

    class Killer:
        async def play(self, stage: Stage) -> None:
            world.desktops[0].lost = True
            await stage.call(code("print(1)"))

    record = await world.play(Killer())
    assert (record.outcome, record.reason) == (Outcome.error, "the desktop is gone")
    assert world.desktops[0].log[-1] == "stop"
    assert (await world.calls(code(SAVED), DONE)).outcome is Outcome.passed


async def test_a_desktop_that_is_gone_before_the_verdict_is_no_0(make: Make) -> None:
    world = make()

    class Killer:
        async def play(self, stage: Stage) -> None:
            await stage.call(DONE)
            world.desktops[0].lost = True

    record = await world.play(Killer())
    assert (record.outcome, record.reason) == (Outcome.error, "the desktop is gone")


async def test_a_set_up_that_fails_is_an_error(make: Make) -> None:
    step = {"type": "copyfile_from_host_to_guest", "parameters": {"src": "evaluation_examples/no", "dest": "/home/user/no"}}
    missing = await make(task_form(config=[step])).calls(DONE)
    assert (missing.outcome, missing.reason) == (Outcome.skipped, "file: evaluation_examples/no")
    world = make(task_form(config=[{"type": "launch", "parameters": {"command": ["/no/such/program"]}}]))
    record = await world.calls(DONE)
    assert record.outcome is Outcome.error
    assert record.reason.startswith("set-up step 1 (launch) failed: FileNotFoundError")
    assert record.evidence["kind"] == "set-up"
    [step] = record.evidence["setup"]["steps"]
    assert (step["step"], step["problem"]) == ("launch", record.reason)


async def test_what_cannot_run_here_is_skipped_with_the_reason(make: Make) -> None:
    account = task_form(tags=["abstract", "gui", "account"], related_apps=["jupyter", "bigquery"])
    other = task_form(VERBOSE, ABSTRACT, related_apps=["airbyte"])
    world = make(account, other)
    first, second = await world.calls(DONE), await world.calls(DONE, task=1)
    assert first.outcome is second.outcome is Outcome.skipped
    assert first.reason.startswith("account: settings/google/gcp_config.json: ")
    assert "network: the service of its account" in first.reason
    assert second.reason == "the image has no airbyte"


async def test_time_runs_out(make: Make) -> None:
    world = make(task_timeout=0.5)
    record = await world.calls(code("time.sleep(30)"), DONE)
    assert (record.outcome, record.reason) == (Outcome.limit, "not finished within 0.5 s")
    assert record.evidence["kind"] == "time"
    assert record.evidence["video"].endswith("video.mp4")
    assert (await make().calls(code(SAVED), DONE)).outcome is Outcome.passed


async def test_the_clock_stops_for_the_verdict(make: Make) -> None:
    form = task_form()
    form["evaluator"]["postconfig"] = [{"type": "sleep", "parameters": {"seconds": 3.5}}]
    record = await make(form, task_timeout=3).calls(DONE)
    assert record.outcome is Outcome.failed


async def test_the_oracle_writes_gold_files(make: Make) -> None:
    world = make()
    script = {task.key: world.benchmark.solution(task) for task in world.benchmark.tasks()}.get
    for number in (0, 1):
        record = await world.play(Oracle(script), number)
        assert (record.outcome, record.evidence["ended"]) == (Outcome.passed, "done")


async def test_large_gold_is_written_in_pieces(make: Make) -> None:
    world = make()
    gold = "a,b\n" + "1,2\n" * (PIECE // 2)
    task = world.benchmark.tasks()[0]
    (task.folder / "gold.csv").write_text(gold)
    calls = world.benchmark.solution(task)
    assert len(calls) == 4
    assert all(len(each.arguments) < 65_000 for each in calls)
    assert (await world.play(Oracle(lambda _: calls))).outcome is Outcome.passed


async def test_a_solution_beside_the_task_is_played_instead(make: Make) -> None:
    world = make()
    task = world.benchmark.tasks()[0]
    (task.folder / "solution.py").write_text(
        "pyautogui.write('a,b\\n1,2\\n')\n# ---\n\nfor _ in [1]:\n    pyautogui.click(60, 135)\n"
    )
    calls = world.benchmark.solution(task)
    assert [json.loads(each.arguments).get("code") for each in calls] == [
        "pyautogui.write('a,b\\n1,2\\n')\n",
        "\nfor _ in [1]:\n    pyautogui.click(60, 135)\n",
        None,
    ]
    assert (await world.play(Oracle(lambda _: calls))).outcome is Outcome.passed


async def test_there_is_no_oracle_for_other_evaluators(make: Make) -> None:
    rule = {
        "func": "exact_match",
        "result": {"type": "vm_command_line", "command": "id"},
        "expected": {"type": "rule", "rules": {}},
    }
    world = make(task_form(evaluator=rule))
    assert world.benchmark.solution(world.benchmark.tasks()[0]) == ()


async def test_what_the_agent_is_told(make: Make) -> None:
    world = make(observation="som")
    record = await world.calls(DONE)
    assert record.brief is not None
    assert f"{WIDTH} pixels wide and {HEIGHT} high" in record.brief.instructions
    assert "`password`" in record.brief.instructions
    assert "index_N" in record.brief.instructions
    assert record.brief.request == "Do it."


async def test_retrieved_documents_are_in_the_brief(make: Make) -> None:
    world = make(retriever=FromContexts("context.txt"))
    (world.benchmark.tasks()[0].folder / "context.txt").write_text("Documentation Source:\na\nRead the manual.\n")
    first, second = await world.calls(DONE), await world.calls(DONE, task=1)
    assert first.brief
    assert second.brief
    assert first.brief.request.startswith("Do it.\n\n# Documents that may help\nDocumentation Source:")
    assert second.brief.request.startswith("Do it.\nStep by step")
    assert first.brief.fields["context"] == first.evidence["retrieval"]["found"] == "1 passages from context.txt"
    assert second.brief.fields["context"] == "the task has no context file context.txt"
    assert (await world.benchmark.identity())["retrieval"]["file"] == "context.txt"


async def test_identity_changes_with_the_files_and_the_options(make: Make) -> None:
    world = make()
    before = await world.benchmark.identity()
    assert before == await world.benchmark.identity()
    assert before["desktop"]["provider"] == "drawn"
    (world.benchmark.tasks()[0].folder / "gold.csv").write_text("other")
    assert (await world.benchmark.identity())["files"] != before["files"]
    assert (await make(observation="som").benchmark.identity())["instructions"] != before["instructions"]
    assert len(world.desktops) == 1


async def test_without_a_run_directory_nothing_is_kept(make: Make) -> None:
    world = make()
    world.benchmark.artefacts = None
    record, _ = await play(world.benchmark, ScriptedAgent(lambda _: [code(SAVED), DONE]), world.benchmark.tasks()[0])
    assert record.outcome is Outcome.passed
    assert "video" not in record.evidence
    assert list(world.run.iterdir()) == []
