"""The environment server over the wire: sessions, leases, limits, several processes, and both contracts."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.support.command import touchstone
from tests.support.worlds import ENDLESS, ROWS, World, make_world, row

from .conftest import Serve, Served

GOLD = ROWS[0]["SQL"]


def until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.05)
    return True


def answer(text: str, key: str = "10") -> dict[str, Any]:
    """A row with a response, as NeMo Gym has it verified."""
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {
        "responses_create_params": {"input": []},
        "verifier_metadata": {"task": key},
        "response": {"id": "r", "output": [message]},
    }


def test_an_episode_over_a_websocket(serve: Serve) -> None:
    served = serve()
    player = served.play()
    begun = player.ask("reset", task="10")
    assert begun["type"] == "observation"
    assert begun["data"]["reward"] is None
    assert "Which items are dear?" in begun["data"]["observation"]["text"]
    assert [tool["function"]["name"] for tool in begun["data"]["observation"]["tools"]] == ["execute_sql", "submit_sql"]
    seen = player.step("execute_sql", "SELECT 41 + 1")
    assert "42" in seen["observation"]["text"]
    assert (seen["reward"], seen["done"]) == (0.0, False)
    assert player.ask("state")["data"] | {"episode_id": ""} == {
        "episode_id": "",
        "step_count": 1,
        "task": "10",
        "done": False,
        "reward": 0.0,
    }
    end = player.step("submit_sql", GOLD)
    assert (end["reward"], end["done"], end["observation"]["outcome"]) == (1.0, True, "passed")
    assert GOLD not in json.dumps(end)  # the policy sees what the client sees
    assert "dear" not in json.dumps(end)
    assert player.ask("step", tool="execute_sql", arguments={})["data"]["code"] == "EXECUTION_ERROR"
    assert player.ask("reset", task="12")["data"]["observation"]["task"] == "12"
    assert player.ask("step", answer="```sql\nSELECT name FROM animal WHERE legs = 4\n```")["data"]["reward"] == 1.0
    assert served.metric('episodes_total{outcome="passed"}') == 2
    assert served.metric("reward_sum") == 2


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "INVALID_JSON"),
        ("[1]", "INVALID_JSON"),
        ('{"type": "verdict"}', "UNKNOWN_TYPE"),
        ('{"type": "reset", "data": [1]}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": "x"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"task": "nowhere"}}', "EXECUTION_ERROR"),
        ('{"type": "step", "data": {"verdict": 1}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"tool": "submit_sql", "arguments": {"sql": "SELECT 1"}}}', "EXECUTION_ERROR"),
        ("[" * 100_000, "INVALID_JSON"),
    ],
)
def test_what_cannot_be_carried_out_is_answered_and_the_session_goes_on(served_once: Served, message: str, code: str) -> None:
    player = served_once.play()
    player.connection.send(message)
    answered = player.receive()
    assert (answered["type"], answered["data"]["code"]) == ("error", code)
    assert player.ask("reset")["type"] == "observation"


def test_the_same_seed_gives_the_same_tasks(served_once: Served) -> None:
    player = served_once.play()

    def tasks() -> list[str]:
        seeds = [7, None, None, None]
        return [
            player.ask("reset", **({} if seed is None else {"seed": seed}))["data"]["observation"]["task"] for seed in seeds
        ]

    assert tasks() == tasks()


def test_one_session_too_many_is_refused_with_a_clear_status(serve: Serve) -> None:
    served = serve("--max-sessions", "1")
    first = served.play()
    first.ask("reset")
    second = served.play()
    refused = second.receive()
    assert refused["data"] | {"message": ""} == {
        "message": "",
        "code": "CAPACITY_REACHED",
        "active_sessions": 1,
        "max_sessions": 1,
    }
    with pytest.raises(ConnectionClosed):
        second.connection.recv(timeout=60)
    answered = served.http().post("/seed_session", json={"task": "10"})
    assert (answered.status_code, answered.headers["retry-after"]) == (503, "1")
    first.send("close")
    assert until(lambda: served.metric("sessions_active") == 0)
    assert served.play().ask("reset")["type"] == "observation"
    assert served.metric("sessions_refused_total") == 2


def test_a_client_that_vanishes_frees_its_slot_and_takes_its_query_along(serve: Serve) -> None:
    served = serve("--max-sessions", "3", "--sql-timeout", "10000")
    for _ in range(3):
        player = served.play()
        player.ask("reset")
        player.send("step", tool="execute_sql", arguments={"sql": ENDLESS})
        player.cut()
    assert until(lambda: served.metric("sessions_active") == 0)
    assert until(lambda: not any(_field(pid, 0) == "R" for pid in _descendants(served.process.pid)))


def test_a_client_that_vanishes_during_a_request_frees_its_slot_and_takes_its_query_along(serve: Serve) -> None:
    served = serve("--sql-timeout", "10000", "--processes", "2")
    for _ in range(4):  # some of them through the process that has not the session
        name = served.http().post("/seed_session", json={"task": "10"}).cookies["touchstone_session"]
        created = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {"task": "10"}}
        other = served.http().post("/mcp", json=created).json()["result"]["session_id"]
        params = {"session_id": other, "name": "execute_sql", "arguments": {"sql": ENDLESS}}
        for path, body in [
            ("/execute_sql", {"sql": ENDLESS}),
            ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}),
        ]:
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(served.address + path, json=body, cookies={"touchstone_session": name}, timeout=0.3)
    verified = answer(f"```sql\n{ENDLESS}\n```")
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(served.address + "/verify", json=verified, timeout=0.3)
    assert until(lambda: served.metric("sessions_active") == 0)
    assert until(lambda: not any(_field(pid, 0) == "R" for pid in _descendants(served.process.pid)))


def _descendants(root: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def _field(pid: int, place: int) -> str:
    """Of /proc/<pid>/stat, behind the name: the state, the parent, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[place]
    except OSError:
        return ""


def test_a_lease_of_which_nothing_is_heard_runs_out(serve: Serve) -> None:
    served = serve("--idle", "1")
    client = served.http()
    assert client.post("/seed_session", json={"task": "10"}).status_code == 200
    player = served.play()
    player.ask("reset")
    assert until(lambda: served.metric("sessions_active") == 0)
    assert player.receive()["data"]["code"] == "SESSION_ERROR"
    gone = client.post("/execute_sql", json={"sql": "SELECT 1"})
    assert (gone.status_code, "lease ran out" in gone.text) == (410, True)
    assert served.metric("sessions_expired_total") == 2


def test_a_server_that_is_told_to_stop_lets_sessions_finish(serve: Serve) -> None:
    served = serve("--drain", "60")
    player = served.play()
    player.ask("reset", task="10")
    served.process.send_signal(signal.SIGTERM)
    assert until(lambda: served.http().get("/health").status_code == 503)
    assert served.play().receive()["data"]["message"] == "the server is draining: it takes no new sessions"
    assert player.step("submit_sql", GOLD)["reward"] == 1.0
    player.send("close")
    assert served.process.wait(60) == 0


def test_several_processes_share_a_port_sessions_and_limits(serve: Serve) -> None:
    many = 32  # the kernel deals connections out by chance: that all reach one process must be out of the question
    served = serve("--processes", "2", "--max-sessions", str(many))
    clients = [served.http() for _ in range(many)]
    for client in clients:
        assert client.post("/seed_session", json={"task": "10"}).status_code == 200
    assert served.http().post("/seed_session", json={"task": "10"}).status_code == 503
    assert served.metric("sessions_active") == many
    names = [client.cookies["touchstone_session"] for client in clients]
    assert {name.partition(".")[0] for name in names} == {"0", "1"}
    for name in names:  # by new connections, which reach either process
        for _ in range(4):
            seen = httpx.post(f"{served.address}/execute_sql", json={"sql": "SELECT 7"}, cookies={"touchstone_session": name})
            assert "7" in seen.text
    for client in clients:
        assert client.post("/verify", json=answer(f"```sql\n{GOLD}\n```")).json()["reward"] == 1.0
    assert served.metric("sessions_active") == 0


def test_a_process_that_dies_is_started_again(serve: Serve) -> None:
    served = serve("--processes", "2")

    def children() -> list[int]:
        return [pid for pid in _descendants(served.process.pid) if _field(pid, 1) == str(served.process.pid)]

    for _ in range(2):  # also one that has only just begun
        assert until(lambda: len(children()) == 2)
        killed = children()[0]
        os.kill(killed, signal.SIGKILL)
        assert until(lambda gone=killed: gone not in children() and len(children()) == 2)
    players = [served.play() for _ in range(8)]
    assert all(player.ask("reset")["type"] == "observation" for player in players)


def test_nemo_gyms_rollout(served_once: Served) -> None:
    client = served_once.http()
    assert client.post("/seed_session", json={"verifier_metadata": {"task": "10"}}).status_code == 200
    seen = client.post("/execute_sql", json={"sql": "SELECT count(*) FROM item"})
    assert "4" in seen.text
    assert client.post("/submit_sql", json={"sql": GOLD}).text == "Submitted."
    verified = client.post("/verify", json=answer("I have submitted it.")).json()
    assert (verified["reward"], verified["outcome"], verified["mask_sample"]) == (1.0, "passed", False)
    assert verified["response"]["id"] == "r"
    assert client.post("/verify", json=answer("again")).status_code == 410


def test_every_answer_of_a_tool_says_the_cookie_again(served_once: Served) -> None:
    """NeMo Gym's agents have no jar: they send on the cookies of the last answer."""
    cookies = httpx.post(f"{served_once.address}/seed_session", json={"task": "10"}).cookies
    calls = [("execute_sql", {"sql": "SELECT 6 * 7"}, 200), ("nothing", {}, 200), ("submit_sql", {"sql": GOLD}, 200)]
    for tool, arguments, status in [*calls, ("execute_sql", {"sql": "SELECT 1"}, 422)]:
        answered = httpx.post(f"{served_once.address}/{tool}", json=arguments, cookies=cookies)
        assert answered.status_code == status
        cookies = answered.cookies
    assert httpx.post(f"{served_once.address}/verify", json=answer("Done."), cookies=cookies).json()["reward"] == 1.0
    assert httpx.get(f"{served_once.address}/reverify_mode").json() == "stateless"


@pytest.mark.parametrize(
    ("text", "reward"),
    [(f"```sql\n{GOLD}\n```", 1.0), (f"<think>hm</think> {GOLD}", 1.0), ("SELECT 1", 0.0), ("I do not know.", 0.0), ("", 0.0)],
)
def test_a_response_is_verified_without_a_session(served_once: Served, text: str, reward: float) -> None:
    given = answer(text) | {"reward": 1.0, "mask_sample": True, "SQL": "SELECT 1"}
    verified = served_once.http().post("/verify", json=given).json()
    assert (verified["reward"], verified["mask_sample"]) == (reward, False)


def test_a_submission_by_a_call_counts_as_an_answer(served_once: Served) -> None:
    given = answer("Done.")
    call = {"type": "function_call", "name": "submit_sql", "arguments": json.dumps({"sql": GOLD}), "call_id": "1"}
    given["response"]["output"].insert(0, call)
    assert served_once.http().post("/verify", json=given).json()["reward"] == 1.0


def test_a_gold_that_fails_or_is_empty_pays_nobody(tmp_path: Path, serve: Serve) -> None:
    rows = [
        row(1, "shop", "broken?", "SELECT nothing FROM nowhere"),
        row(2, "shop", "empty?", "SELECT name FROM item WHERE price > 1000"),
        row(3, "shop", "null?", "SELECT stock FROM item WHERE id = 2"),
    ]
    world = make_world(tmp_path / "bad", rows)
    client = serve(tasks=world.tasks, databases=world.databases).http()
    for key, sql, why in [
        ("1", "not SQL at all", "unscorable"),
        ("1", "SELECT 1", "unscorable"),
        ("2", "SELECT 1 WHERE 0", "empty_gold"),
        ("3", "SELECT NULL", "empty_gold"),
    ]:
        verified = client.post("/verify", json=answer(f"```sql\n{sql}\n```", key)).json()
        assert (verified["reward"], verified["mask_sample"], verified["failure_kind"]) == (0.0, True, f"touchstone:{why}")


def test_metrics_are_aggregated_by_task_without_masked_samples(served_once: Served) -> None:
    sent = [
        {"_ng_task_index": 0, "reward": 1.0},
        {"_ng_task_index": 0, "reward": 0.0},
        {"_ng_task_index": 1, "reward": 0.0},
        {"_ng_task_index": 1, "reward": 1.0, "mask_sample": True},
    ]
    found = served_once.http().post("/aggregate_metrics", json={"verify_responses": sent}).json()
    assert found["key_metrics"] == {"mean/reward": pytest.approx(1 / 3), "pass@any": 0.5}
    assert [group["mean/reward"] for group in found["group_level_metrics"]] == [0.5, 0.0]
    assert found["agent_metrics"]["masked"] == 1


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/verify", b"{", 422),
        ("/verify", b"{}", 422),
        ("/verify", json.dumps({"response": {}}).encode(), 422),
        ("/seed_session", b"{}", 422),
        ("/seed_session", b'{"task": "none"}', 422),
        ("/aggregate_metrics", b'{"verify_responses": [1]}', 422),
        ("/nothing", b"{}", 404),
        ("/verify", b"[" * 200_000, 422),
    ],
)
def test_a_bad_request_is_told_in_a_line(served_once: Served, path: str, body: bytes, status: int) -> None:
    answered = served_once.http().post(path, content=body)
    assert answered.status_code == status
    assert answered.json()["detail"]
    assert until(lambda: served_once.metric("sessions_active") == 0)


def test_mcp_over_http(served_once: Served) -> None:
    client = served_once.http()

    def rpc(method: str, **params: Any) -> dict[str, Any]:
        return client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()

    assert rpc("initialize")["result"]["serverInfo"]["name"] == "touchstone"
    assert [tool["name"] for tool in rpc("tools/list")["result"]["tools"]] == ["execute_sql", "submit_sql"]
    name = rpc("openenv/session/create", task="10")["result"]["session_id"]
    called = rpc("tools/call", session_id=name, name="submit_sql", arguments={"sql": GOLD})["result"]
    assert (called["reward"], called["done"], called["isError"]) == (1.0, True, False)
    assert rpc("openenv/session/close", session_id=name)["result"]["closed"]
    assert rpc("tools/call", session_id=name, name="execute_sql")["error"]["code"] == -32602
    assert rpc("tools/call", name="execute_sql")["error"]["code"] == -32602
    assert rpc("nothing", session_id=rpc("openenv/session/create")["result"]["session_id"])["error"]["code"] == -32601


def test_what_is_no_request_is_answered_in_json_rpc(served_once: Served) -> None:
    client = served_once.http()
    for body in ({}, {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "params": [1]}):
        answered = client.post("/mcp", json=body)
        assert (answered.status_code, answered.json()["jsonrpc"], answered.json()["error"]["code"]) == (200, "2.0", -32600)
    assert client.post("/mcp", json={"jsonrpc": "2.0", "method": "ping"}).json()["result"] == {}
    assert client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202


def _created(served: Served) -> str:
    created = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {"task": "10"}}
    return httpx.post(f"{served.address}/mcp", json=created, timeout=60).json()["result"]["session_id"]


def _called(served: Served, session: str, sql: str) -> dict[str, Any]:
    params = {"session_id": session, "name": "submit_sql", "arguments": {"sql": sql}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return httpx.post(f"{served.address}/mcp", json=request, timeout=60).json()


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_websocket_joins_a_session_that_was_begun_over_http(serve: Serve, processes: str) -> None:
    served = serve("--processes", processes)
    for _ in range(8):  # the kernel deals connections out by chance
        name = _created(served)
        player = served.play(name)
        assert player.ask("reset", task="12")["data"]["observation"]["task"] == "12"
        assert _called(served, name, "SELECT name FROM animal WHERE legs = 4")["result"]["reward"] == 1.0
        assert player.ask("state")["data"]["reward"] == 1.0
        player.send("close")
        with pytest.raises(ConnectionClosed):
            player.receive()
        again = served.play(name)
        assert again.ask("state")["data"]["task"] == "12"
        again.connection.close()
        third = served.play(name)  # at once
        assert third.ask("reset", task="10")["type"] == "observation"
        assert _called(served, name, GOLD)["result"]["reward"] == 1.0
    assert served.metric("sessions_active") == 8
    second = served.play(third.ask("state")["data"]["episode_id"])
    assert "already has an attached WebSocket" in second.receive()["data"]["message"]
    refused = served.play("0.nobody")
    assert "Unknown session_id" in refused.receive()["data"]["message"]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_session_ends_with_the_websocket_that_joined_it_if_that_vanishes(serve: Serve, processes: str) -> None:
    served = serve("--processes", processes, "--sql-timeout", "10000")
    for _ in range(8):
        player = served.play(_created(served))
        player.ask("reset", task="10")
        player.send("step", tool="execute_sql", arguments={"sql": ENDLESS})
        player.cut()
    assert until(lambda: served.metric("sessions_active") == 0)
    assert until(lambda: not any(_field(pid, 0) == "R" for pid in _descendants(served.process.pid)))


def test_what_the_environment_is(served_once: Served) -> None:
    client = served_once.http()
    assert client.get("/health").json() == {"status": "healthy"}
    assert client.get("/metadata").json()["name"] == "bird"
    schema = client.get("/schema").json()
    assert schema["action"]["properties"]["tool"]["enum"] == ["execute_sql", "submit_sql"]
    assert set(schema) == {"action", "observation", "state"}
    jsonschema.validate({"tool": "submit_sql", "arguments": {"sql": GOLD}}, schema["action"])
    jsonschema.validate({"answer": GOLD}, schema["action"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"tool": "submit_sql"}, schema["action"])
    openapi = client.get("/openapi.json").json()
    assert openapi["info"]["version"] == "1.0.0"
    assert {"/mcp", "/verify", "/seed_session", "/health"} <= set(openapi["paths"])


def test_a_foreign_host_is_refused(served_once: Served) -> None:
    assert served_once.http().get("/health", headers={"host": "evil.example"}).status_code == 421
    with pytest.raises(InvalidStatus):
        connect(served_once.address.replace("http", "ws") + "/ws", additional_headers={"Host": "evil.example"})


def test_half_a_frame_is_no_sign_of_life(serve: Serve) -> None:
    served = serve("--idle", "1")
    player = served.play()
    player.ask("reset", task="10")
    player.connection.socket.sendall(b"\x81\xfe\x01\x00abcd{")  # a frame of 256 bytes of which one comes
    assert until(lambda: served.metric("sessions_active") == 0)
    assert served.metric("sessions_expired_total") == 1


def test_half_a_handshake_takes_no_slot(served_once: Served) -> None:
    host, _, port = served_once.address.removeprefix("http://").partition(":")
    before = served_once.metric("sessions_total")
    with socket.create_connection((host, int(port))) as half:
        half.sendall(b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n")
        assert served_once.metric("sessions_total") == before
        assert served_once.play().ask("reset")["type"] == "observation"


def test_a_giant_frame_ends_its_own_session_only(served_once: Served) -> None:
    player, other = served_once.play(), served_once.play()
    other.ask("reset", task="10")
    player.ask("reset", task="10")
    before = served_once.metric("sessions_active")
    with contextlib.suppress(ConnectionClosed):  # it may be over before all of it is sent
        player.connection.send(json.dumps({"type": "step", "data": {"answer": "x" * (17 * 2**20)}}))
    with pytest.raises(ConnectionClosed):
        player.receive()
    assert other.step("submit_sql", GOLD)["reward"] == 1.0
    other.send("close")
    assert until(lambda: served_once.metric("sessions_active") <= before - 2)


@pytest.mark.parametrize("frame", [b"\xff\xfe", b"{}", b"\x00" * 100, json.dumps({"type": "reset"}).encode()])
def test_frames_of_bytes_are_read_as_text(served_once: Served, frame: bytes) -> None:
    player = served_once.play()
    player.connection.send(frame)
    assert player.receive()["type"] in ("error", "observation")
    assert player.ask("reset")["type"] == "observation"


def test_what_the_environment_is_can_be_asked_when_it_is_full(serve: Serve) -> None:
    served = serve("--max-sessions", "1")
    served.play().ask("reset")
    client = served.http()
    assert client.get("/schema").json()["action"]["properties"]["tool"]["enum"] == ["execute_sql", "submit_sql"]
    tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert len(client.post("/mcp", json=tools).json()["result"]["tools"]) == 2
    full = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create"}).json()
    assert full["error"]["message"] == "all 1 sessions are in use"


def test_a_session_of_a_process_that_died_is_gone(serve: Serve) -> None:
    served = serve("--processes", "2")
    time.sleep(2.5)  # one that dies at once is not started again
    names: list[str] = []
    for _ in range(8):
        answered = httpx.post(f"{served.address}/seed_session", json={"task": "10"}, timeout=60)
        names.append(answered.cookies["touchstone_session"])
    assert {name.partition(".")[0] for name in names} == {"0", "1"}
    first, _ = sorted(pid for pid in _descendants(served.process.pid) if _field(pid, 1) == str(served.process.pid))
    os.kill(first, signal.SIGKILL)

    def status(name: str) -> int:
        try:
            cookies = {"touchstone_session": name}
            return httpx.post(
                f"{served.address}/execute_sql", json={"sql": "SELECT 1"}, cookies=cookies, timeout=60
            ).status_code
        except httpx.TransportError:  # it was on its way to the one that died
            return 0

    assert until(lambda: [status(name) for name in names] == [410 if name.startswith("0.") else 200 for name in names])
    assert until(lambda: served.metric("sessions_active") == sum(name.startswith("1.") for name in names))


def test_over_long_answers_cost_the_agent(serve: Serve) -> None:
    player = serve("--max-steps", "3").play()
    player.ask("reset", task="10")
    seen = player.step("execute_sql", "SELECT 1 -- " + "x" * 2**21)
    assert "longer than" in seen["observation"]["text"]
    player.step("execute_sql", "SELECT 1")
    end = player.step("execute_sql", "SELECT 1")
    assert (end["done"], end["observation"]["outcome"], end["reward"]) == (True, "limit", 0.0)


def test_rows_hold_tasks_and_no_gold(world: World, tmp_path: Path) -> None:
    for form in ("nemo", "verl", "trl"):
        done = touchstone("env", "rows", "bird", world.tasks, world.databases, "--form", form, cwd=tmp_path)
        assert done.code == 0, done.err
        rows = [json.loads(line) for line in done.out.splitlines()]
        assert len(rows) == len(ROWS)
        assert not any(each["SQL"] in done.out for each in ROWS)
    first = json.loads(touchstone("env", "rows", "bird", world.tasks, world.databases, cwd=tmp_path).out.splitlines()[0])
    assert first["verifier_metadata"]["task"] == "10"
    assert [tool["name"] for tool in first["responses_create_params"]["tools"]] == ["execute_sql", "submit_sql"]


def test_proof_needs_small_databases(world: World, tmp_path: Path) -> None:
    done = touchstone("env", "serve", "bird", world.tasks, world.databases, "--port", "0", "--reward", "proof", cwd=tmp_path)
    assert (done.code, "--suite" in done.complaint) == (2, True)
