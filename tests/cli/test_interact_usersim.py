"""`touchstone interact usersim`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli
from tests.support.chat_server import ChatServer, text


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
    assert (found["unanswerable"]["right choice"]["value"], found["unanswerable"]["right answer"]["value"]) == (1, 1)
    assert "calls" in done.out


def test_a_model_without_stages_that_says_sql(cli: Cli) -> None:
    with ChatServer([text("<s>SELECT name FROM bases WHERE altitude_m > 5</s>")]) as server:
        options = ["--user-model", "some", "--user-base-url", server.url, "--user-sim", "vanilla", "--limit", "2"]
        done = cli("interact", "usersim", "demo", *options, "-o", "trial.json")
    assert done.code == 0, done.err
    found = figures(Path("trial.json"))["all"]
    assert found["right choice"]["n"] == 0
    assert (found["leaks"]["value"], found["right answer"]["value"]) == (1, 0)


def test_it_needs_a_user_and_a_place_to_write(cli: Cli) -> None:
    nobody = cli("interact", "usersim", "demo")
    assert nobody.code != 0
    assert "--user-model: name the model to try, or scripted" in nobody.err
    nowhere = cli("interact", "usersim", "demo", "--user-model", "scripted", "--json", "no/such/file.json")
    assert nowhere.code != 0
    assert "there is no directory no/such" in nowhere.err
