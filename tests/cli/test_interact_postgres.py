"""`touchstone interact` on PostgreSQL: the demo dataset from its dumps to its rewards, and a server that dies in the middle."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, tool_call
from tests.support.command import finish, overall, records, run_directory, start, times_recorded
from touchstone.datasets import interact_demo
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started

KEY = {"OPENAI_API_KEY": "sk-none"}


@pytest.fixture(scope="module", autouse=True)
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dumps are loaded once for all tests here."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _cached(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(shared_cache))


def tasks() -> dict[str, dict[str, Any]]:
    lines = (interact_demo() / "bird_interact_data.jsonl").read_text().splitlines()
    return {row["instance_id"]: row for row in map(json.loads, lines)}


def test_the_oracle_earns_every_reward_of_the_demo(cli: Cli) -> None:
    done = cli("interact", interact_demo(), "--agent", "oracle", "-p", "4", "-o", "out")
    assert done.code == 0, done.err
    run = run_directory(Path("out"))
    assert {record["task"]: record["score"] for record in records(run)} == dict.fromkeys(tasks(), 1.0)
    assert overall(run)["overall"]["accuracy"] == 1
    assert "PostgreSQL" in (run / "summary.txt").read_text()
    assert "by_category" in overall(run)


@pytest.mark.parametrize("compat", ["batch", "adk", "conv"])
def test_the_gold_passes_under_every_set_of_rules(cli: Cli, compat: str) -> None:
    done = cli("interact", interact_demo(), "--agent", "oracle", "-p", "4", "-o", "out", "--compat", compat)
    assert done.code == 0, done.err
    expected = dict.fromkeys(tasks(), 1.0)
    if compat == "conv":  # goes by the id, and so compares the results of a follow-up that has none
        expected["mountain_rescue_5"] = 0.7
    assert {record["task"]: record["score"] for record in records(run_directory(Path("out")))} == expected


def test_sessions_begin_in_the_time_zone_that_was_asked_for(cli: Cli, tmp_path: Path) -> None:
    """The published server's, for queries and in the session of hidden tests."""
    head = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n    "
    test = f"{head}assert execute_queries(['SHOW TimeZone'], db_name, conn)[0] == [('Asia/Hong_Kong',)]"
    common = {"selected_database": "seed_vault", "amb_user_query": "?", "user_query_ambiguity": {}}
    query = {"instance_id": "q_1", "sol_sql": ["SELECT '2024-01-02'::date"], "category": "Query"}
    managed = {"instance_id": "q_M_1", "sol_sql": ["SELECT 1"], "test_cases": [test], "category": "Management"}
    dataset = Path(shutil.copytree(interact_demo(), tmp_path / "data"))
    (dataset / "bird_interact_data.jsonl").write_text("\n".join(json.dumps(common | row) for row in (query, managed)))
    sql = {"q_1": "SELECT '2024-01-01 18:00+00'::timestamptz::date", "q_M_1": "SELECT 1"}
    lines = [json.dumps({"instance_id": key, "phase_1": text}) for key, text in sql.items()]
    Path("p.jsonl").write_text("\n".join(lines))
    scored = ["score", "interact", "p.jsonl", "--dataset", dataset]
    assert cli(*scored, "--time-zone", "Asia/Hong_Kong", "-o", "there").code == 0
    assert {record["outcome"] for record in records(run_directory(Path("there")))} == {"passed"}
    assert json.loads((run_directory(Path("there")) / "config.json").read_text())["identity"]["time_zone"] == "Asia/Hong_Kong"
    assert cli(*scored, "-o", "here").code == 0
    assert {record["outcome"] for record in records(run_directory(Path("here")))} == {"failed"}
    assert 'invalid value for parameter "TimeZone": "Mars"' in cli(*scored, "--time-zone", "Mars").complaint
    assert "expected a time zone" in cli(*scored, "--time-zone", "UTC -c x").complaint


def test_doing_nothing_earns_nothing(cli: Cli, tmp_path: Path) -> None:
    idle = tmp_path / "idle"
    idle.mkdir()
    lines = []
    for number, task in enumerate(tasks()):
        step = {"type": "tool", "seconds": 0, "call": {"id": "1", "name": "submit", "arguments": '{"sql": "SELECT 1"}'}}
        record = {"task": task, "index": number, "epoch": 0, "digest": "", "facets": {}, "outcome": "failed", "score": 0}
        record |= {"reason": "", "metrics": {}, "evidence": {}, "usage": {}, "started": "", "seconds": 0}
        lines.append(json.dumps(record | {"steps": [step | {"observation": {"text": ""}}]}))
    (idle / "runs.jsonl").write_text("\n".join(lines) + "\n")
    done = cli("interact", interact_demo(), "--agent", "replay", "--predictions", idle, "-p", "4", "-o", "out")
    assert done.code == 0, done.err
    assert {record["outcome"] for record in records(run_directory(Path("out")))} == {"failed"}


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    with started() as server:
        yield server


def test_dumps_are_loaded_into_a_server_of_the_users_and_played_there(cli: Cli, own_server: PostgresServer) -> None:
    url = f"postgresql://{own_server.user}@/?host={own_server.host}".replace("@/", f"@localhost:{own_server.port}/")
    loaded = cli("interact", "load", interact_demo() / "postgre_table_dumps", "--database-url", url)
    assert loaded.code == 0, loaded.err
    assert "mountain_rescue: 6 tables" in loaded.out
    done = cli("interact", interact_demo(), "--agent", "oracle", "--database-url", url, "--task", "seed_vault_M_1", "-o", "out")
    assert done.code == 0, done.err
    (record,) = records(run_directory(Path("out")))
    assert record["score"] == 1


def test_loading_ahead_says_what_there_is_and_names_what_is_broken(cli: Cli, tmp_path: Path) -> None:
    good = cli("interact", "load", interact_demo() / "postgre_table_dumps")
    assert good.code == 0, good.err
    assert "seed_vault: 7 tables" in good.out
    broken = tmp_path / "dumps" / "zoo_template"
    broken.mkdir(parents=True)
    (broken / "cage.sql").write_text("CREATE TABLE public.cage (id int);\nINSERT INTO public.cage VALUES ('x');\n")
    bad = cli("interact", "load", tmp_path / "dumps")
    assert bad.code == 2
    assert "cage.sql" in bad.out
    assert "1 of 1 databases are not complete: zoo" in bad.complaint


def test_a_database_that_did_not_load_makes_its_tasks_unscorable_with_the_reason(cli: Cli, tmp_path: Path) -> None:
    import shutil

    dataset = tmp_path / "demo"
    shutil.copytree(interact_demo(), dataset)
    table = dataset / "postgre_table_dumps" / "seed_vault_template" / "accessions.sql"
    table.write_text(table.read_text().replace("COPY public.accessions", "COPY public.nowhere", 1))
    done = cli("interact", dataset, "--agent", "oracle", "-p", "4", "-o", "out", "--category", "Query")
    assert done.code == 0, done.err
    outcomes = {(record["facets"]["database"], record["outcome"]) for record in records(run_directory(Path("out")))}
    assert outcomes == {("mountain_rescue", "passed"), ("seed_vault", "unscorable")}
    reason = next(record["reason"] for record in records(run_directory(Path("out"))) if record["outcome"] == "unscorable")
    assert "accessions" in reason


class Held:
    """Explores, then waits for the test before it submits the gold."""

    def __init__(self) -> None:
        self.waiting = threading.Semaphore(0)
        self.go_on = threading.Event()

    def __call__(self, request: JSON) -> Answer:
        said = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if not said:
            return tool_call("execute", {"sql": "SELECT 1"})
        if len(said) == 1:
            self.waiting.release()
            self.go_on.wait(180)
        asked = request["messages"][1]["content"].split("\n")[0]
        row = next(row for row in tasks().values() if row["amb_user_query"].split("\n")[0] == asked)
        return tool_call("submit", {"sql": (row["follow_up"] if "follow-up" in said[-1] else row)["sol_sql"][0]})


def test_a_server_that_dies_in_the_middle_costs_the_episodes_in_flight_which_are_played_on_resume(
    tmp_path: Path, shared_cache: Path
) -> None:
    chosen = ["mountain_rescue_1", "mountain_rescue_3", "seed_vault_1"]
    held = Held()
    env = {**KEY, "TOUCHSTONE_POSTGRES_DIR": str(tmp_path), "TOUCHSTONE_CACHE": str(shared_cache)}
    with ChatServer(held) as server:
        options = ["--model", "m", "--user-model", "scripted", "--base-url", server.url, "-p", "3", "-o", "out"]
        selected = [option for task in chosen for option in ("--task", task)]
        process = start("interact", interact_demo(), *options, *selected, cwd=tmp_path, env=env)
        for _ in chosen:
            assert held.waiting.acquire(timeout=120)
        os.kill(_postmaster(tmp_path), signal.SIGKILL)
        held.go_on.set()
        first = finish(process)
        run = run_directory(tmp_path / "out")
        outcomes = {record["outcome"] for record in records(run)}
        second = finish(start("interact", "--resume", run, "--base-url", server.url, cwd=tmp_path, env=env))
    assert outcomes <= {"error"}, first.err
    assert "Traceback" not in first.err
    assert second.code == 0, second.err
    assert {record["task"]: record["outcome"] for record in records(run)} == dict.fromkeys(chosen, "passed")
    assert set(times_recorded(run).values()) == {1}
    assert not list(tmp_path.glob("touchstone-pg-*"))


def _postmaster(directory: Path) -> int:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        for file in directory.glob("**/postmaster.pid"):
            lines = file.read_text().splitlines()
            if len(lines) > 7 and lines[7].strip() == "ready":
                return int(lines[0])
        time.sleep(0.05)
    raise AssertionError("no server was started")
