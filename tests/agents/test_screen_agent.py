"""The screen agent: what its model is shown, what is done with its replies, and what it is told when they fail."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.benchmarks.desktop.playing import SAVED, World, observed
from tests.support.chat_server import ChatServer, failure, text
from tests.support.playing import notes
from tests.support.scripted_model import ScriptedModel, call, calls, says
from touchstone.agents.screen import ScreenAgent
from touchstone.agents.tools import ToolAgent
from touchstone.errors import ModelRejected
from touchstone.models import recorded
from touchstone.models.openai import OpenAIConfig
from touchstone.runs.directory import encoded
from touchstone.runs.episode_runner import play
from touchstone.types import ModelStep, Outcome, ToolStep

Make = Callable[..., World]


@pytest_asyncio.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[World] = []

    def build(*forms: dict[str, Any], **options: Any) -> World:
        made.append(World(tmp_path / f"world-{len(made)}", *forms, **options))
        return made[-1]

    yield build
    for world in made:
        await world.benchmark.close()


def code(*blocks: str, word: str = "") -> Any:
    return says("I think.\n" + "\n".join(f"```python\n{block}\n```" for block in blocks) + f"\n{word}")


def pictures(message: dict[str, Any]) -> list[bytes]:
    parts = message["content"] if isinstance(message["content"], list) else []
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [b64decode(url.removeprefix("data:image/png;base64,"), validate=True) for url in urls]


def words(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


async def test_it_looks_acts_and_says_done(make: Make) -> None:
    world = make()
    record, model = await world.screen([code(SAVED, word="WAIT"), says("All is well.\n\nDONE")])
    assert (record.outcome, record.evidence["ended"]) == (Outcome.passed, "done")
    assert [step.call.name for step in record.steps if isinstance(step, ToolStep)] == ["look", "pyautogui", "wait", "done"]
    first, second = model.asked
    assert [message["role"] for message in first] == ["system", "user"]
    assert "three backticks" not in first[0]["content"]
    assert "```python" in first[0]["content"]
    assert "You have 5 steps." in first[0]["content"]
    assert words(first[1]) == "# The task\nDo it.\n\nThe screen now:"
    assert pictures(first[1])[0] == (world.run / record.steps[0].observation.details["screenshot"]).read_bytes()  # type: ignore[union-attr]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]
    assert second[2]["content"].startswith("I think.")
    assert pictures(second[1]) == pictures(first[1])
    assert pictures(second[3]) != pictures(first[1])
    assert model.offered == [[], []]


async def test_only_the_last_turns_are_shown(make: Make) -> None:
    record, model = await make().screen([code(f"pyautogui.write('{number}')") for number in range(6)], steps=6, history=2)
    last = model.asked[-1]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert words(last[1]).startswith("# The task\nDo it.")
    assert "# The task" not in words(last[3]) + words(last[5])
    assert "write('3')" in last[2]["content"]
    assert sum(len(pictures(message)) for message in last) == 3
    assert record.outcome is Outcome.failed


async def test_the_record_says_how_many_pictures_were_sent_and_how_large_they_were(make: Make) -> None:
    record, model = await make().screen([code(f"pyautogui.write('{number}')") for number in range(4)], steps=4, history=2)
    steps = [step for step in record.steps if isinstance(step, ModelStep)]
    assert [step.pictures for step in steps] == [1, 2, 3, 3]
    for step, asked in zip(steps, model.asked, strict=True):
        sent = [part["image_url"]["url"] for message in asked[1:] for part in message["content"] if isinstance(part, dict)
                and part["type"] == "image_url"]  # fmt: skip
        assert step.picture_bytes == sum(map(len, sent)) > 0


async def test_each_picture_may_be_sent_once(make: Make) -> None:
    answers = [code(f"pyautogui.write('{number}')") for number in range(4)]
    record, model = await make().screen(answers, steps=4, history=2, pictures=1)
    assert [step.pictures for step in record.steps if isinstance(step, ModelStep)] == [1, 1, 1, 1]
    last = model.asked[-1]
    assert [len(pictures(message)) for message in last[1:]] == [0, 0, 0, 0, 1]
    assert words(last[1]) == "# The task\nDo it.\n\n(You were shown the screen.)"
    _, model = await make().screen(answers, steps=4, history=2, pictures=2)
    assert [len(pictures(message)) for message in model.asked[-1][1:]] == [0, 0, 1, 0, 1]


async def test_without_history_the_task_stands_before_the_screen(make: Make) -> None:
    _, model = await make().screen([code("1"), code("2")], steps=2, history=0)
    assert [message["role"] for message in model.asked[1]] == ["system", "user"]
    assert words(model.asked[1][1]).startswith("# The task\nDo it.")


async def test_used_up_steps_are_judged_as_they_stand(make: Make) -> None:
    record, _ = await make().screen([code(SAVED)] * 2, steps=2)
    assert record.outcome is Outcome.failed  # the text was typed twice
    record, _ = await make().screen([code(SAVED), code("1")], steps=2)
    assert (record.outcome, record.evidence["ended"]) == (Outcome.passed, "steps")
    assert notes(record) == ["All 2 steps are used up. The work is judged as it stands."]


async def test_it_is_told_which_actions_failed_and_how(make: Make) -> None:
    world = make(observation="screenshot_a11y_tree")
    record, model = await world.screen([code("x = 1", "1/0", "undefined"), code("1"), says("DONE")])
    told = words(model.asked[1][-1])
    assert told.startswith("What went wrong with your last answer:\nAction 2 of 3 failed. The action failed (return code 1).")
    assert "ZeroDivisionError" in told
    assert "Action 3 of 3 failed." in told
    assert "Action 1" not in told
    assert told.count("TAG\tNAME") == 1
    assert told.index("NameError") < told.index("The screen now:\nTAG\tNAME")
    assert "went wrong" not in words(model.asked[2][-1])
    assert notes(record)[0] == told.partition("\n\nThe screen now:")[0]


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (says(""), "It was empty."),
        (says("I would click on it."), "Give a block between lines of three backticks"),
        (says("```python\npyautogui.click(", finish="length"), "A block has no end"),
        (says("Let me thi", finish="length"), "It was cut off at its length limit."),
        (says("```bash\nls\n```"), "A block marked 'bash' was not carried out: only Python is."),
    ],
)
async def test_a_reply_without_a_move_costs_a_step_and_is_answered(make: Make, reply: Any, complaint: str) -> None:
    record, model = await make().screen([reply, code(SAVED, word="DONE")])
    assert record.outcome is Outcome.passed
    assert complaint in notes(record)[0]
    assert notes(record)[0] in words(model.asked[1][-1])
    assert pictures(model.asked[1][-1]) == pictures(model.asked[0][-1])


async def test_actions_as_json(make: Make) -> None:
    typing = '```json\n{"action_type": "TYPING", "text": "a,b\\n1,2\\n"}\n```'
    click = '```json\n[{"action_type": "CLICK", "x": 60, "y": 135}, {"action_type": "DONE"}]\n```'
    wrong = '```json\n{"action_type": "CLICK", "x": 9999, "y": 1}\n{"action_type": "JUMP"}\n```'
    record, model = await make(action_space="computer_13").screen([says(wrong), says(typing), says(click)])
    assert record.outcome is Outcome.passed
    told = words(model.asked[1][-1])
    assert "Action 1 of 2 failed. Nothing was done: CLICK: x = 9999" in told
    assert "Action 2 of 2 failed. The arguments of act could not be read" in told
    assert '"action_type"' in model.asked[0][0]["content"]


async def test_a_tree_alone_needs_no_pictures(make: Make) -> None:
    _, model = await make(observation="a11y_tree").screen([says("DONE")])
    assert isinstance(model.asked[0][1]["content"], str)
    assert "push-button\tSave" in model.asked[0][1]["content"]


async def test_pictures_go_through_a_service_and_records_stay_small(make: Make, tmp_path: Path) -> None:
    world = make()
    with ChatServer([text(code(SAVED).text), text("DONE")]) as server:
        model = OpenAIConfig(model="some-model", base_url=server.url).build()
        record = await world.play(ScreenAgent(model, 5, 3))
        await model.close()
    assert record.outcome is Outcome.passed
    assert pictures(server.requests[0]["messages"][1])[0].startswith(b"\x89PNG")  # type: ignore[arg-type]
    assert len(server.requests[1]["messages"]) == 4
    line = encoded(record)
    assert len(line) < 20_000
    (world.run / "runs.jsonl").write_bytes(line + b"\n")
    again = recorded.RecordedConfig(model=f"recorded:{world.run}").build()
    world.desktops[0].changing = True  # other pictures, the same conversation
    repeated = await world.play(ScreenAgent(again, 5, 3))
    assert repeated.outcome is Outcome.passed
    replies = [[step.reply.text for step in each.steps if isinstance(step, ModelStep)] for each in (record, repeated)]
    assert replies[0] == replies[1]


@pytest.mark.parametrize(
    "answer",
    [
        failure(400, "Invalid content type. image_url is only supported by certain models."),
        failure(400, "gpt-x is not a multimodal model"),
        failure(500, "image input is not supported - hint: you may need to provide the mmproj"),
        failure(404, "No endpoints found that support image input"),
        failure(400, "At most 0 image(s) may be provided in one prompt."),
    ],
)
async def test_a_model_that_cannot_see_is_named_as_such(make: Make, answer: Any) -> None:
    world = make()
    with ChatServer([answer]) as server:
        model = OpenAIConfig(model="blind", base_url=server.url, model_retries=0).build()
        record, ended = await play(world.benchmark, ScreenAgent(model, 5, 3), world.benchmark.tasks()[0])
        await model.close()
    assert isinstance(ended, ModelRejected)
    assert record.reason.startswith("blind: it takes no pictures; use a model with vision, or --observation a11y_tree")


async def test_function_calling_sees_pictures_too(make: Make) -> None:
    world = make()
    model = ScriptedModel([calls(call("look", {})), *[calls(call("pyautogui", {"code": "1"}))] * 3, calls(call("done", {}))])
    record = await world.play(ToolAgent(model, 9, history=1))
    assert record.evidence["ended"] == "done"
    second, last = model.asked[1], model.asked[-1]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool", "user"]
    assert words(second[-1]) == "What you see now:"
    assert len(pictures(second[-1])) == 1
    assert [len(pictures(message)) for message in last if message["role"] == "user"] == [0, 0, 0, 1, 1]
    assert observed(record)[0] == "The screen as it is now."


async def test_function_calling_may_be_judged_unfinished(make: Make) -> None:
    world = make()
    model = ScriptedModel([calls(call("pyautogui", {"code": SAVED}))])
    assert (await world.play(ToolAgent(model, 1, judge_unfinished=True))).outcome is Outcome.passed
    model = ScriptedModel([calls(call("pyautogui", {"code": SAVED}))])
    assert (await world.play(ToolAgent(model, 1))).outcome is Outcome.limit


def test_pictures_do_not_change_what_was_asked() -> None:
    from touchstone.agents.model_turns import as_user
    from touchstone.models import request_digest

    assert request_digest([as_user("a", [b"1"])], ()) == request_digest([as_user("a", [b"2"])], ())
    assert request_digest([as_user("a", [b"1"])], ()) != request_digest([as_user("b", [b"1"])], ())
    assert request_digest([as_user("a", [b"1"])], ()) != request_digest([as_user("a", [])], ())
