"""Spider2-lite, BIRD-Interact and Spider2-V behind the same contracts: the same episodes, phases and verdicts as in a run."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import touchstone
from tests.benchmarks.desktop.playing import SAVED
from tests.benchmarks.desktop.support import ABSTRACT
from tests.benchmarks.desktop.support import make_dataset as make_desktop
from tests.benchmarks.interact.datasets import ACTIVE, COUNTED, TOTALS, VIEW, make_dataset, query_task
from tests.benchmarks.spider2.worlds import SQL, make_spider2
from tests.support.chat_server import ChatServer, text
from tests.support.command import touchstone as typed
from touchstone.datasets import interact_demo
from touchstone.env import RewardOptions, SyncBatchEnv
from touchstone.env.adapters import call_in

from .conftest import Served, start
from .test_adapters import played

Start = Callable[..., Served]


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as stack:
        yield lambda *words: start(stack, tmp_path / "cache", *words)


def response(*submissions: str, last: str = "") -> dict[str, Any]:
    """A response of NeMo Gym's model server: calls of the tool `submit`, then a text."""
    calls = [{"type": "function_call", "name": "submit", "arguments": json.dumps({"sql": sql})} for sql in submissions]
    return {"output": [*calls, {"type": "message", "role": "assistant", "content": last}]}


def test_spider2_over_a_websocket(serving: Start, tmp_path: Path) -> None:
    world = make_spider2(tmp_path / "spider2")
    served = serving("spider2", world.questions, world.databases, world.gold)
    player = served.play()
    assert "Which items are dear?" in player.ask("reset", task="local001")["data"]["observation"]["text"]
    assert "4" in player.step("execute_sql", "SELECT count(*) FROM item")["observation"]["text"]
    end = player.step("submit_sql", SQL["local001"])
    assert (end["reward"], end["done"], end["observation"]["outcome"]) == (1.0, True, "passed")
    player.ask("reset", task="local001")
    assert player.ask("step", answer=f"```sql\n{SQL['local002']}\n```")["data"]["reward"] == 0.0
    assert "quince" not in served.http().get("/schema").text


def test_a_golden_result_without_rows_pays_nobody(tmp_path: Path) -> None:
    world = make_spider2(tmp_path / "spider2")
    world.result("local001.csv", "name\n")
    with SyncBatchEnv(touchstone.spider2(world.questions, world.databases, world.gold)) as env:
        empty, right = env.score([("local001", "SELECT name FROM item WHERE 0"), ("local003", SQL["local003"])])
    assert (empty.reward, empty.usable, right.reward) == (0.0, False, 1.0)


def test_interact_pays_each_phase_as_it_is_passed(serving: Start, tmp_path: Path) -> None:
    served = serving("interact", make_dataset(tmp_path / "data"), "--reward", "score", "--user-model", "scripted")
    player = served.play()
    begun = player.ask("reset", task="shop_1")["data"]["observation"]
    assert "active customers" in begun["text"]
    assert {"ask", "execute", "submit"} <= {tool["function"]["name"] for tool in begun["tools"]}
    assert "two or more" not in json.dumps(begun)
    asked = player.step("ask", question="What does 'active customers' mean?")
    assert "count(*) >= 2" in asked["observation"]["text"] or "2" in asked["observation"]["text"]
    wrong = player.step("submit", "SELECT 1")
    assert (wrong["reward"], wrong["done"]) == (0.0, False)
    first = player.step("submit", ACTIVE)
    assert (first["reward"], first["done"]) == (0.7, False)
    assert "Give the total of each customer." in first["observation"]["text"]
    assert player.ask("state")["data"]["reward"] == 0.7
    second = player.step("submit", TOTALS)
    assert (second["reward"], second["done"]) == (pytest.approx(0.3), True)
    assert served.metric("reward_sum") == 1.0


def test_interact_pays_pass_or_fail_by_default(serving: Start, tmp_path: Path) -> None:
    player = serving("interact", make_dataset(tmp_path / "data")).play()
    player.ask("reset", task="shop_M_1")
    assert player.step("submit", VIEW)["reward"] == 0.0
    assert player.step("submit", COUNTED)["reward"] == 1.0


def test_the_users_model_is_configured_as_in_a_run(serving: Start, tmp_path: Path) -> None:
    replies = iter(["labeled(active customers)", "It means at least two purchases."])
    with ChatServer(lambda _: text(next(replies, "unanswerable()"))) as users:
        options = ["--user-model", "some-user", "--user-base-url", users.url, "--on-leak", "flag"]
        player = serving("interact", make_dataset(tmp_path / "data"), *options).play()
        player.ask("reset", task="shop_1")
        player.step("ask", question="Who is active?")
    assert users.requests
    assert users.requests[0]["model"] == "some-user"
    assert "Who is active?" in json.dumps(users.requests[0])


def test_a_user_whose_service_fails_spoils_the_sample_and_nothing_else(serving: Start, tmp_path: Path) -> None:
    options = ["--user-model", "some-user", "--user-base-url", "http://127.0.0.1:9/v1"]
    player = serving("interact", make_dataset(tmp_path / "data"), *options).play()
    player.ask("reset", task="shop_1")
    end = player.step("ask", question="Who is active?")
    assert (end["reward"], end["done"], end["observation"]["usable"], end["observation"]["outcome"]) == (
        0.0,
        True,
        False,
        "error",
    )
    assert player.ask("reset", task="shop_1")["type"] == "observation"


@pytest.mark.parametrize(
    ("submissions", "last", "reward"),
    [
        ((ACTIVE, TOTALS), "", 1.0),
        ((ACTIVE,), "I am done.", 0.7),
        ((ACTIVE,), f"```sql\n{TOTALS}\n```", 1.0),
        ((), f"```sql\n{ACTIVE}\n```", 0.7),
        ((TOTALS,), "", 0.0),
        ((), "", 0.0),
    ],
)
def test_a_whole_response_is_verified_phase_by_phase(
    interact_served: Served, submissions: tuple[str, ...], last: str, reward: float
) -> None:
    row = {"verifier_metadata": {"task": "shop_1"}, "response": response(*submissions, last=last)}
    verified = interact_served.http().post("/verify", json=row).json()
    assert (verified["reward"], verified["mask_sample"]) == (reward, False)


@pytest.mark.long
def test_openenvs_own_client_plays_both_phases(interact_served: Served, tmp_path: Path) -> None:
    assert played("openenv", "interact", interact_served.address, cache=tmp_path) == {
        "request": True,
        "told": False,
        "first": [0.7, False],
        "second": [0.3, True],
    }


def test_what_a_session_has_played_is_not_played_again(serving: Start, tmp_path: Path) -> None:
    """In a conversation a second try pays less."""
    client = serving("interact", make_dataset(tmp_path / "data"), "--reward", "score", "--mode", "conversational").http()
    client.post("/seed_session", json={"task": "shop_M_1"})
    assert "correct" in client.post("/submit", json={"sql": VIEW}).text
    played = response(VIEW, last=f"```sql\n{COUNTED}\n```")
    unreadable = {"type": "function_call", "name": "submit", "arguments": "{"}  # no agent can send this on
    played["output"] = [unreadable, *played["output"]]
    assert client.post("/verify", json={"response": played}).json()["reward"] == 1.0


@pytest.fixture(scope="module")
def interact_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("interact")
    with ExitStack() as stack:
        yield start(stack, folder / "cache", "interact", make_dataset(folder / "data"), "--reward", "score", "--drain", "0")


def test_a_request_whose_answer_is_empty_pays_nobody(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "data", query_task(sol_sql=["SELECT name FROM customer WHERE id > 100"]))
    with SyncBatchEnv(touchstone.interact(dataset), RewardOptions(reward="score")) as env:
        (step,) = env.reset(["shop_1"])
        (step,) = env.step([("submit", {"sql": "SELECT name FROM customer WHERE 0"})])
        assert (step.reward, step.done) == (0.0, False)
        (step,) = env.step([("submit", {"sql": TOTALS})])
        assert (step.reward, step.done, step.info["usable"], step.info["why"]) == (0.0, True, False, "empty_gold")


def test_episodes_of_interact_have_the_turns_of_a_run(tmp_path: Path) -> None:
    with SyncBatchEnv(touchstone.interact(make_dataset(tmp_path / "data"))) as env:
        assert env.max_steps == 60
    with SyncBatchEnv(touchstone.bird()) as env:
        assert env.max_steps == 20


def test_interact_on_postgresql(serving: Start) -> None:
    task = next(json.loads(line) for line in (interact_demo() / "bird_interact_data.jsonl").read_text().splitlines())
    served = serving("interact", "demo", "--reward", "score", "--user-model", "scripted")
    player = served.play()
    player.ask("reset", task=task["instance_id"])
    assert "bases" in player.step("execute", "SELECT table_name FROM information_schema.tables")["observation"]["text"]
    assert player.step("submit", task["sol_sql"][0])["reward"] == 0.7
    assert player.step("submit", task["follow_up"]["sol_sql"][0])["reward"] == pytest.approx(0.3)
    row = {"verifier_metadata": {"task": task["instance_id"]}, "response": response(*task["sol_sql"])}
    assert served.http().post("/verify", json=row).json()["reward"] == 0.7


def test_a_desktop_without_an_image_is_refused_in_a_line(tmp_path: Path) -> None:
    done = typed("env", "serve", "desktop", "demo", "--port", "0", cwd=tmp_path, env={"TOUCHSTONE_IMAGES": str(tmp_path)})
    assert done.code == 2
    assert "none of the 8 tasks can be played here" in done.complaint
    assert "desktop image build" in done.complaint


DRAWN = ("--provider", "tests.benchmarks.desktop.drawn:provider", "--sleep-after-action", "0", "--settle", "0")


def test_a_desktop_is_seen_worked_and_judged(serving: Start, tmp_path: Path) -> None:
    make_desktop(tmp_path / "tasks")
    player = serving("desktop", tmp_path / "tasks", "--task", ABSTRACT, "--max-steps", "2", *DRAWN).play()
    player.ask("reset")
    seen = player.step("look")["observation"]
    assert base64.b64decode(seen["pictures"][0]).startswith(b"\x89PNG")
    end = player.step("pyautogui", code=SAVED)  # the last step: the work is judged as it stands, as in a run
    assert (end["reward"], end["done"], end["observation"]["outcome"]) == (1.0, True, "passed")
    player.ask("reset")
    assert player.step("done")["reward"] == 0.0


@pytest.mark.desktop
def test_a_real_desktop_is_served(serving: Start) -> None:
    player = serving("desktop", "demo", "--limit", "1").play()
    player.ask("reset")
    assert base64.b64decode(player.step("look")["observation"]["pictures"][0]).startswith(b"\x89PNG")
    end = player.step("done")
    assert (end["reward"], end["done"], end["observation"]["outcome"]) == (0.0, True, "failed")


@pytest.mark.parametrize(
    ("said", "name", "arguments"),
    [
        ("<sql>SELECT 1</sql>", "execute", {"sql": "SELECT 1"}),
        ("<ask>Who is active?</ask>", "ask", {"question": "Who is active?"}),
        ("<get_schema></get_schema>", "get_schema", {}),
        ('<get_column_meaning>{"table_name": "t", "column_name": "c"}</get_column_meaning>', "get_column_meaning", None),
        ("<solution>SELECT 2</solution>", "submit", {"sql": "SELECT 2"}),
    ],
)
def test_actions_in_text_reach_every_tool(said: str, name: str, arguments: dict[str, str] | None) -> None:
    from touchstone.benchmarks.interact.tools import AGENTIC

    call = call_in(said, AGENTIC)
    assert call.name == name
    assert json.loads(call.arguments) == (arguments if arguments is not None else {"table_name": "t", "column_name": "c"})
