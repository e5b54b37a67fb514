"""`touchstone interact` as a user runs it: on SQLite, with the oracle, with models for the agent and the user, and again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, VIEW, make_dataset, management_task, query_task, write_tasks
from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, failure, text, tool_call
from tests.support.command import overall, records, run_directory, start, times_recorded
from touchstone.addresses import without_secrets
from touchstone.benchmarks.interact.databases import own_server
from touchstone.engines.postgres.config import server_at
from touchstone.errors import InputError


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


def config(run: Path) -> dict[str, Any]:
    return json.loads((run / "config.json").read_text())


class Models:
    """One server for both models: asks once, then submits wrongly, then what is right; the user is recognised by its name."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: JSON) -> Answer:
        if request["model"] == "user":
            self.asked.append(str(request["messages"][-1]["content"]))
            return text('<s>labeled("active customers")</s>' if len(self.asked) == 1 else "<s>two purchases or more</s>")
        said = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if not said:
            return tool_call("ask", {"question": "What is an active customer?"})
        if "follow-up" in said[-1]:
            return tool_call("submit", {"sql": TOTALS})
        return tool_call("submit", {"sql": ACTIVE if "not correct" in said[-1] else "SELECT 1"})


def test_the_oracle_earns_every_reward(cli: Cli, dataset: Path) -> None:
    done = cli("interact", dataset, "--agent", "oracle", "-p", "2", "-o", "out")
    assert done.code == 0, done.err
    run = run_directory(Path("out"))
    assert [(record["score"], record["outcome"]) for record in records(run)] == [(1.0, "passed")] * 2
    assert overall(run)["metrics"]["phase_2"] == 1
    identity = config(run)["identity"]
    assert (identity["mode"], identity["compat"], identity["patience"]) == ("agentic", "strict", 6)
    assert identity["user"] == {"model": "scripted"}
    assert "BIRD-Interact, agentic: agent oracle" in done.out


def test_an_agent_and_a_user_that_are_models_are_accounted_for_apart(
    cli: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    models = Models()
    with ChatServer(models) as server:
        options = ["--model", "agent", "--user_model", "user", "--base-url", server.url, "--task", "shop_1", "-o", "out"]
        done = cli("interact", dataset, *options)
    assert done.code == 0, done.err
    (record,) = records(run_directory(Path("out")))
    assert (record["outcome"], record["score"]) == ("passed", 1.0)
    assert record["usage"]["calls"] == 4
    assert record["usage_by"]["user"]["calls"] == 2
    assert record["metrics"]["coins"] == 11
    answer = next(step for step in record["steps"] if step["type"] == "tool")["observation"]
    assert answer["text"].startswith("two purchases or more\n")
    assert answer["details"]["user"]["about"] == "active customers"
    assert not any("SELECT c.name, sum" in asked for asked in models.asked)
    assert "The user:         2, " in done.out


def test_one_task_is_shown_as_it_is_played(cli: Cli, dataset: Path) -> None:
    done = cli("interact", dataset, "--agent", "oracle", "--task", "shop_M_1", "-v", "-o", "out")
    assert "     request │ " in done.err.splitlines()[0]
    lines = [line.strip() for line in done.err.splitlines()]
    assert f"action │ submit {VIEW}" in lines
    assert "judge │ All tests passed." in lines
    assert any(line.startswith("observation │ Your SQL is correct. The task goes on") for line in lines)


def test_a_run_is_replayed_from_its_records(cli: Cli, dataset: Path) -> None:
    assert cli("interact", dataset, "--agent", "oracle", "-o", "first").code == 0
    done = cli("interact", dataset, "--agent", "replay", "--predictions", "first/latest", "-o", "second")
    assert done.code == 0
    assert overall(run_directory(Path("second")))["score"] == 1
    assert "--predictions: the replay agent needs" in cli("interact", dataset, "--agent", "replay").complaint


def test_the_flags_of_the_published_scripts_work(cli: Cli, dataset: Path) -> None:
    old = "--user_patience_budget 10 --max_turns 7 --agent_model m --user_model scripted --user_sim_prompt_version v1"
    old += " --num_threads 2 --output_path out --start_index 1 --limit 1 --log_level INFO"
    done = cli("interact", "--data_path", dataset / "bird_interact_data.jsonl", "--agent", "oracle", *old.split())
    assert done.code == 0, done.err
    assert "without effect here: --log_level" in done.err
    run = run_directory(Path("out"))
    assert [record["task"] for record in records(run)] == ["shop_M_1"]
    assert config(run)["identity"]["patience"] == 10
    assert records(run)[0]["evidence"]["budget"] == 18


def test_prices_and_the_starting_budget_can_be_changed(cli: Cli, dataset: Path) -> None:
    Path("prices.json").write_text('{"submit": 1, "per_ambiguity": 0}')
    options = ["--prices", "prices.json", "--start-budget", "20", "--patience", "0"]
    assert cli("interact", dataset, "--agent", "oracle", "--task", "shop_1", "-o", "out", *options).code == 0
    (record,) = records(run_directory(Path("out")))
    assert (record["evidence"]["budget"], record["metrics"]["coins"]) == (20, 2)


def test_a_run_that_ends_in_errors_is_resumed_without_repeating_anything(
    cli: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    broken = True

    def user_down(request: JSON) -> Answer:
        if request["model"] == "user" and broken:
            return failure(400, "the user is ill")
        if request["model"] == "user":
            return text("unanswerable()")
        said = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if "large purchases" in str(request["messages"][1]["content"]):
            return tool_call("submit", {"sql": "SELECT count(*) FROM big" if said else VIEW})
        if not said:
            return tool_call("ask", {"question": "Which?"})
        return tool_call("submit", {"sql": TOTALS if "follow-up" in said[-1] else ACTIVE})

    with ChatServer(user_down) as server:
        options = ["--model", "agent", "--user-model", "user", "--base-url", server.url, "-o", "out"]
        first = cli("interact", dataset, *options)
        run = run_directory(Path("out"))
        outcomes = {record["task"]: record["outcome"] for record in records(run)}
        broken = False
        second = cli("interact", "--resume", run, "--base-url", server.url)
    assert outcomes.get("shop_1", "error") == "error", first.err
    assert second.code == 0, second.err
    assert {record["task"]: record["outcome"] for record in records(run)} == {"shop_1": "passed", "shop_M_1": "passed"}
    assert set(times_recorded(run).values()) == {1}


def test_a_sweep_plays_every_level_and_the_reference_and_plots_them(cli: Cli, dataset: Path) -> None:
    done = cli("interact", "sweep", dataset, "--patience", "0,6", "--agent", "oracle", "-o", "sweeps")
    assert done.code == 0, done.err
    (sweep,) = Path("sweeps").iterdir()
    scaling = json.loads((sweep / "scaling.json").read_text())
    levels = [(level["patience"], level["passed"]["value"], level["passed"]["n"]) for level in scaling["levels"]]
    assert levels == [(0, 1, 2), (6, 1, 2), (None, 1, 2)]
    assert [step["what"] for step in scaling["steps"]] == ["patience 0 to patience 6", "patience 6 to unambiguous"]
    assert "both phases +0.0" in done.out
    assert r"patience 6 & 2 & 100.0" in (sweep / "scaling.tex").read_text()
    assert (sweep / "scaling.png").read_bytes().startswith(b"\x89PNG")
    assert "unambiguous, single turn" in (sweep / "scaling.svg").read_text()
    assert config(sweep / "patience-0" / "latest")["identity"]["patience"] == 0
    assert config(sweep / "unambiguous" / "latest")["identity"]["mode"] == "single"
    again = cli("interact", "sweep", "--resume", sweep)
    assert again.code == 0, again.err
    both = cli("compare", sweep, sweep)
    assert both.code == 0, both.err
    assert f"agent oracle, user scripted, rules strict, {sweep.name} (2), patience 6 to unambiguous" in both.out
    shown = cli("interact", "report", sweep / "patience-6" / "latest", "-o", "paper")
    assert shown.code == 0, shown.err
    names = {path.name for path in Path("paper").iterdir()}
    assert names >= {"report.csv", "report.tex", "report.json", "curve-coins.png", "curve-coins.svg", "curve-turns.svg"}
    assert cli("interact", "report", sweep, sweep / "patience-6" / "latest").code != 0
    of_folder = cli("interact", "report", sweep / "patience-6")
    assert of_folder.out.splitlines() == shown.out.splitlines()[: len(of_folder.out.splitlines())]
    assert cli("interact", "report", sweep.parent).out.startswith("agent oracle")
    assert "no run of BIRD-Interact is in it" in cli("interact", "report", "paper").complaint
    assert again.out.count("(2 done before)") == 3


def test_combine_merges_and_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    public, truth = tmp_path / "public.jsonl", tmp_path / "gt.jsonl"
    public.write_text("\n".join(json.dumps(query_task(instance_id=f"shop_{n}", sol_sql=[])) for n in (1, 2)))
    truth.write_text(json.dumps({"instance_id": "shop_1", "sol_sql": [ACTIVE], "test_cases": []}))
    before = public.read_bytes()
    refused = cli("interact", "combine", public, truth, public)
    assert refused.code == 2
    assert "shop_2" in refused.complaint
    assert public.read_bytes() == before
    done = cli("interact", "combine", public, truth, public, "--allow-missing")
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in public.read_text().splitlines()]
    assert [row["sol_sql"] for row in rows] == [[ACTIVE], []]
    assert "2 tasks, 1 with ground truth" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "interact needs DATASET, a dataset's name such as demo, or --resume RUN_DIR"),
        (["nowhere"], "nowhere: there is no such dataset directory"),
        (["data", "--task", "x"], "--task x: not in the task file"),
        (["data", "--patience", "-1"], "--patience -1: expected a number of at least 0"),
        (["data", "--prices", "nowhere.json"], "--prices nowhere.json: No such file"),
        (["data", "--user-prompt", "nowhere", "--user-model", "local"], "nowhere"),
        (["data", "--engine", "postgres", "--agent", "oracle"], "--dumps: data has no databases"),
        (["data", "--agent", "oracle", "--database-url", "x://a:secret@b"], "--database-url: expected an address such as"),
        (["data", "--mode", "other"], "--mode"),
        (["data", "--agent", "nobody"], "nobody"),
        (["sweep", "data", "--patience", "a,b"], "--patience a,b: expected numbers of 0 or more, separated by commas"),
        (["sweep"], "interact sweep needs DATASET, a dataset's name such as demo, or --resume SWEEP_DIR"),
        (["load", "nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_told_in_one_line(cli: Cli, dataset: Path, arguments: list[str], said: str) -> None:
    done = cli("interact", *arguments)
    assert done.code == 2
    assert said in done.complaint
    assert "secret" not in done.err
    assert "Traceback" not in done.err


def test_a_dataset_whose_databases_are_all_missing_is_refused_before_it_is_played(cli: Cli, dataset: Path) -> None:
    write_tasks(dataset, management_task())
    (dataset / "shop" / "shop_template.sqlite").unlink()
    done = cli("interact", dataset, "--engine", "sqlite", "--agent", "oracle")
    assert done.code == 2
    assert "none of the 1 databases is here" in done.complaint


@pytest.mark.parametrize("url", ["mysql://h", "postgresql://", "host", "postgresql://h:99999", "postgresql://h?port=x"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"^database_url: "):
        server_at(url)


def test_an_address_keeps_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "from-env")
    server = server_at("postgresql://me:p%40ss@db.example:6000/?sslmode=require")
    assert (server.host, server.port, server.user, server.password) == ("db.example", 6000, "me", "p@ss")
    assert server.options == {"sslmode": "require"}
    assert server_at("postgresql://me@db.example").password == "from-env"
    socket = server_at("postgresql://me@%2Frun%2FMine:7/")
    assert (socket.host, socket.port) == ("/run/Mine", 7)
    server = server_at("postgresql:///any?host=/run&port=7&user=me&password=secret&dbname=any&sslmode=disable")
    assert (server.host, server.port, server.user, server.password) == ("/run", 7, "me", "secret")
    assert server.options == {"sslmode": "disable"}


def test_a_person_plays_through_the_terminal(dataset: Path, tmp_path: Path) -> None:
    process = start("interact", dataset, "--agent", "human", "--task", "shop_1", "-o", "out", cwd=tmp_path, stdin=True)
    moves = (
        f"ask what is an active customer?\n\nexecute SELECT count(*) AS n FROM customer;\nsubmit {ACTIVE};\nsubmit {TOTALS};\n"
    )
    out, err = process.communicate(moves, timeout=180)
    assert process.returncode == 0, err
    assert "Who are our active customers?" in out
    assert "bird-coins left]" in out
    (record,) = records(run_directory(tmp_path / "out"))
    assert (record["outcome"], record["score"]) == ("passed", 1.0)


def test_a_run_is_not_resumed_on_other_texts(cli: Cli, dataset: Path) -> None:
    assert cli("interact", dataset, "--agent", "oracle", "-o", "out").code == 0
    knowledge = dataset / "shop" / "shop_kb.jsonl"
    knowledge.write_text(knowledge.read_text().replace("gold or none", "silver"))
    done = cli("interact", "--resume", run_directory(Path("out")))
    assert done.code == 2
    assert "texts" in done.complaint


def test_the_same_task_at_once_is_played_apart(cli: Cli, dataset: Path) -> None:
    options = ["--task", "shop_M_1", "--epochs", "6", "-p", "6", "-o", "out"]
    assert cli("interact", dataset, "--agent", "oracle", *options).code == 0
    run = run_directory(Path("out"))
    assert [record["score"] for record in records(run)] == [1.0] * 6
    assert overall(run)["score"] == 1


def test_a_partial_reward_counts_as_it_is(cli: Cli, dataset: Path) -> None:
    write_tasks(dataset, query_task(follow_up={"query": "?", "sol_sql": ["SELECT 1"]}), query_task(instance_id="shop_2"))
    moves = Path("moves")
    assert cli("interact", dataset, "--agent", "oracle", "-o", moves).code == 0
    write_tasks(dataset, query_task(follow_up={"query": "?", "sol_sql": ["SELECT 2"]}), query_task(instance_id="shop_2"))
    done = cli("interact", dataset, "--agent", "replay", "--predictions", moves / "latest", "-o", "out")
    found = overall(run_directory(Path("out")))
    assert found["score"] == pytest.approx(0.85)
    assert (found["overall"]["passed"], found["overall"]["total"]) == (1, 2)
    assert "Mean score:       0.8500  (normalised: 85.00)" in done.out


def test_a_recording_has_no_user(cli: Cli, dataset: Path) -> None:
    assert cli("interact", dataset, "--agent", "oracle", "-o", "out").code == 0
    done = cli("interact", dataset, "--model", "recorded:out/latest")
    assert done.code == 2
    assert "--user-model: expected another model: a recording" in done.complaint


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_version_of_the_user_prompt_reaches_the_user(
    cli: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    models = Models()
    with ChatServer(models) as server:
        options = ["--model", "agent", "--user-model", "user", "--base-url", server.url, "--task", "shop_1", "-o", "out"]
        assert cli("interact", dataset, *options, "--user_sim_prompt_version", version).code == 0
    assert config(run_directory(Path("out")))["identity"]["user"]["prompts"] == version
    assert ("<think>" in str(models.asked)) == (version == "v2")


def test_host_and_port_of_the_published_scripts_name_the_published_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGUSER", raising=False)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    address = own_server(None, "box", 5433)
    assert address is not None
    server = server_at(address)
    assert (server.host, server.port, server.user, server.password) == ("box", 5433, "root", "123123")
    assert own_server(None) is None


def test_the_user_of_a_database_server_is_kept_and_the_password_is_not() -> None:
    assert without_secrets("postgresql://alice:s3cret@h:5432/?sslmode=require&password=x") == (
        "postgresql://alice@h:5432/?sslmode=require&"
    )
    assert without_secrets("https://token@host/x") == "https://host/x"
