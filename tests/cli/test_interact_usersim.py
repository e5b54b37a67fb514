"""`touchstone interact usersim`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, Script, failure, text
from tests.support.command import Done


def figures(path: Path) -> dict[str, dict[str, Any]]:
    return json.loads(path.read_text())["figures"]


def test_the_scripted_user_on_trial(cli: Cli) -> None:
    done = cli("interact", "usersim", "demo", "--user-model", "scripted", "--json", "trial.json")
    assert done.code == 0, done.err
    found = figures(Path("trial.json"))
    assert found["labeled"]["right choice"]["value"] == 1
    assert found["all"]["leaks"]["value"] == 0
    assert "right choice" in done.out
    assert len(json.loads(Path("trial.json").read_text())["trials"]) == found["all"]["right choice"]["n"]


def test_a_model_that_refuses_everything(cli: Cli) -> None:
    with ChatServer([text("<s>unanswerable()</s>")]) as server:
        options = ["--user-model", "some", "--user-base-url", server.url, "--limit", "3", "-o", "trial.json"]
        done = cli("interact", "usersim", "demo", *options)
    assert done.code == 0, done.err
    found = figures(Path("trial.json"))
    assert (found["labeled"]["right choice"]["value"], found["labeled"]["refusals"]["value"]) == (0, 1)
    assert (found["unanswerable"]["right choice"]["value"], found["unanswerable"]["safe answer"]["value"]) == (1, 1)
    assert "calls" in done.out


def test_a_model_without_stages_that_says_sql(cli: Cli) -> None:
    with ChatServer([text("<s>SELECT name FROM bases WHERE altitude_m > 5</s>")]) as server:
        options = ["--user-model", "some", "--user-base-url", server.url, "--user-sim", "vanilla", "--limit", "2"]
        done = cli("interact", "usersim", "demo", *options, "-o", "trial.json")
    assert done.code == 0, done.err
    found = figures(Path("trial.json"))["all"]
    assert found["right choice"]["n"] == 0
    assert (found["leaks"]["value"], found["safe answer"]["value"]) == (1, 0)


def _leaking(request: JSON) -> Answer:
    """Says more than it was asked, and something else when it is told so."""
    last = str(request["messages"][-1]["content"])
    if "gives away" in last:
        return text("<s>Nothing more.</s>")
    return text("<s>labeled(1)</s>" if "unanswerable()" in last else "<s>To two decimals, by reached_at.</s>")


@pytest.mark.parametrize(
    ("on_leak", "became"),
    [
        ("flag", "passed on, 0 put in other words, 0 refused (--on-leak flag)"),
        ("retry", "put in other words, 0 refused (--on-leak retry)"),
        ("refuse", "refused (--on-leak refuse)"),
    ],
)
def test_the_terminal_says_what_became_of_leaks(cli: Cli, on_leak: str, became: str) -> None:
    with ChatServer(_leaking) as server:
        options = ["--user-model", "some", "--user-base-url", server.url, "--limit", "1", "--on-leak", on_leak]
        done = cli("interact", "usersim", "demo", *options)
    assert done.code == 0, done.err
    (line,) = (line for line in done.out.splitlines() if "gave away too much" in line)
    count = line.split()[0]
    assert int(count) > 1
    assert f"{count} {became}" in line
    assert f"most often: 2 decimals ({count})" in done.out


def test_a_trial_that_a_failure_ended_goes_on_where_it_stopped(cli: Cli) -> None:
    answered = 0

    def failing(request: JSON) -> Answer:
        nonlocal answered
        answered += 1
        return failure(401, "no credit") if answered > 12 else text("<s>unanswerable()</s>")

    def trial(script: Script, *options: str) -> Done:
        with ChatServer(script) as server:
            url = ["--user-base-url", server.url]
            done = cli("interact", "usersim", "demo", "--user-model", "some", *url, "--limit", "2", "-o", "t.json", *options)
            done_requests.append(len(server.requests))
        return done

    done_requests: list[int] = []
    stopped = trial(failing)
    kept = json.loads(Path("t.json").read_text())["trials"]
    assert stopped.code == 1
    assert 0 < len(kept) <= 12
    assert f"{len(kept)} of " in stopped.err
    whole = trial([text("<s>unanswerable()</s>")], "--continue")
    assert whole.code == 0, whole.err
    trials = json.loads(Path("t.json").read_text())["trials"]
    assert done_requests[1] == len(trials) - len(kept)
    assert len({(each["task"], each["question"]) for each in trials}) == figures(Path("t.json"))["all"]["faults"]["n"]
    other = trial([text("<s>unanswerable()</s>")], "--continue", "--on-leak", "flag")
    assert (other.code, done_requests[2]) == (2, 0)
    assert "another user model" in other.err


def test_it_needs_a_user_and_a_place_to_write(cli: Cli) -> None:
    nobody = cli("interact", "usersim", "demo")
    assert nobody.code != 0
    assert "--user-model: name the model to try, or scripted" in nobody.err
    nowhere = cli("interact", "usersim", "demo", "--user-model", "scripted", "--json", "no/such/file.json")
    assert nowhere.code != 0
    assert "there is no directory no/such" in nowhere.err
