"""What a layer's digest depends on, what a layer stands on, and which layers applications need."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.image import layers_for, not_given, standins
from touchstone.benchmarks.desktop.image.recipes import ALWAYS, HERE, Recipe, digests, recipes, with_parents
from touchstone.benchmarks.desktop.tasks import APPS
from touchstone.errors import InputError

IDS = (100_000, 100_000)


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    file = tmp_path / "settings"
    file.write_text("one")
    return Recipe(name="tiny", about="", script="true", files={"settings": file})


def test_a_digest_follows_the_script_the_files_the_layers_below_and_the_owner(recipe: Recipe) -> None:
    first = recipe.digest(["a", "b"], IDS)
    assert recipe.digest(["a", "b"], IDS) == first
    others = {
        replace(recipe, script="false").digest(["a", "b"], IDS),
        replace(recipe, name="other").digest(["a", "b"], IDS),
        recipe.digest(["a", "c"], IDS),
        recipe.digest(["a", "b"], (200_000, 200_000)),
    }
    recipe.files["settings"].write_text("two")
    others.add(recipe.digest(["a", "b"], IDS))
    assert len(others) == 5
    assert first not in others


def test_what_a_layer_is_about_and_where_its_files_are_does_not_count(recipe: Recipe, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    moved.write_text("one")
    same = replace(recipe, about="other words", files={"settings": moved})
    assert same.digest([], IDS) == recipe.digest([], IDS)


def test_a_change_in_a_layer_changes_all_that_stand_on_it() -> None:
    known = dict(recipes())
    before = digests(known, IDS)
    known["desktop"] = replace(known["desktop"], script="other")
    after = digests(known, IDS)
    assert before["system"] == after["system"]
    assert all(before[name] != after[name] for name in known if name != "system")


def test_every_layer_comes_after_those_it_stands_on() -> None:
    seen: set[str] = set()
    for recipe in recipes().values():
        assert seen.issuperset(recipe.parents)
        seen.add(recipe.name)


def test_layers_come_with_all_that_they_stand_on() -> None:
    assert [recipe.name for recipe in with_parents(["dbt", "jupyter"], recipes())] == ["system", "desktop", "jupyter", "dbt"]
    with pytest.raises(InputError, match="jupiter: no such layer; expected one of system, desktop"):
        with_parents(["jupiter"], recipes())


@pytest.mark.parametrize("path", sorted([*HERE.glob("layers/*.sh"), HERE / "session.sh"]), ids=lambda path: path.name)
def test_scripts_are_sound(path: Path) -> None:
    assert subprocess.run(["bash", "-n", path], check=False).returncode == 0


def test_scripts_use_no_file_that_does_not_count() -> None:
    for recipe in recipes().values():
        for line in recipe.script.splitlines():
            if line.startswith(". ./"):
                assert line.removeprefix(". ./") in recipe.files, f"{recipe.name}: {line}"


@pytest.mark.parametrize(
    ("apps", "layers"),
    [
        (["excel", "terminal", "chromium", "sqlite3"], []),
        (["snowflake", "bigquery", "servicenow", "dbt_cloud", "hasura_cloud", "chromium"], []),
        (["jupyter", "chromium"], ["jupyter"]),
        (["dbt", "duckdb", "terminal", "vscode"], ["dbt", "vscode"]),
        (["superset", "docker", "postgresql"], ["postgresql", "superset"]),
        (["mysql", "dagster", "airflow", "metabase"], ["airflow", "dagster", "metabase", "mysql"]),
    ],
)
def test_layers_for_applications(apps: list[str], layers: list[str]) -> None:
    assert layers_for(apps) == layers


def test_every_application_is_known_and_every_layer_is_of_use() -> None:
    layers = {layer for app in APPS for layer in layers_for([app])} | set(ALWAYS)
    assert layers == set(recipes()) - {"airbyte"}


def test_what_no_layer_gives() -> None:
    assert set(not_given(APPS)) == {"airbyte"}
    assert set(not_given(["docker", "terminal"])) == {"docker"}
    assert not_given(["docker", "superset"]) == {}
    assert not_given(["excel", "snowflake"]) == {}


def test_every_stand_in_says_for_what() -> None:
    assert set(standins()) == {
        *("astro", "code", "conda.sh", "date", "docker", "google-chrome", "systemctl", "tail", "timedatectl", "web.py"),
    }
    for name, words in standins().items():
        text = (HERE / "standins" / name).read_text()
        assert words
        assert "Does:" in text or name == "google-chrome"
        assert "Does not:" in text
