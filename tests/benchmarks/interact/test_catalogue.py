"""Looking up schema, column meanings and knowledge: forgiving about case, blind to what a task hides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.data import shared_data
from touchstone.benchmarks.interact.catalogue import Catalogue
from touchstone.errors import InputError, Unscorable

ENTRIES = [
    {"id": 0, "knowledge": "Busy Station", "description": "d0", "definition": "more than 9 trips", "type": "domain_knowledge"},
    {"id": 1, "knowledge": "Load (L)", "description": "d1", "definition": "trips / docks", "children_knowledge": [0]},
]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "bikes").mkdir()
    (tmp_path / "bikes" / "bikes_schema.txt").write_text("CREATE TABLE trip (id int);\n")
    meanings = {
        "bike|Trip|StartedAt": "when it began",
        "bikes|Dock|Info": {"column_meaning": "JSONB", "fields_meaning": {"é": "ü"}},
    }
    (tmp_path / "bikes" / "bikes_column_meaning_base.json").write_text(json.dumps(meanings))
    (tmp_path / "bikes" / "bikes_kb.jsonl").write_text("\n".join(map(json.dumps, ENTRIES)) + "\n")
    return tmp_path


def test_a_column_is_found_whatever_its_case_and_whatever_the_key_calls_the_database(directory: Path) -> None:
    texts = Catalogue(directory, "bikes")
    assert texts.column_meaning("trip", "STARTEDAT") == "when it began"
    assert texts.column_meaning(' "Trip" ', "startedat") == "when it began"
    assert texts.column_meaning("trip", "ended") is None


def test_nested_meanings_are_json_and_not_python(directory: Path) -> None:
    meaning = Catalogue(directory, "bikes").column_meaning("dock", "info")
    assert json.loads(meaning or "") == {"column_meaning": "JSONB", "fields_meaning": {"é": "ü"}}
    assert "é" in (meaning or "")


def test_hidden_knowledge_is_in_no_lookup(directory: Path) -> None:
    texts = Catalogue(directory, "bikes")
    assert json.loads(texts.names({1})) == ["Busy Station"]
    assert texts.definition("Load (L)", {1}) is None
    assert [entry["id"] for entry in json.loads(texts.definitions({1}))] == [0]
    assert json.loads(texts.names(())) == ["Busy Station", "Load (L)"]


def test_knowledge_is_found_by_name_forgiving_case_and_blanks_and_shown_without_its_inner_fields(directory: Path) -> None:
    found = json.loads(Catalogue(directory, "bikes").definition("  load  (l)", ()) or "")
    assert found == {"id": 1, "knowledge": "Load (L)", "description": "d1", "definition": "trips / docks"}


def test_a_missing_file_makes_tasks_unscorable_and_a_broken_one_is_an_input_error(directory: Path) -> None:
    with pytest.raises(Unscorable, match=r"trains_schema\.txt cannot be read"):
        Catalogue(directory, "trains")
    (directory / "bikes" / "bikes_kb.jsonl").write_text('{"id": 0, "knowledge": "x"}\n{"id": "one"}\n')
    with pytest.raises(InputError, match=r"bikes_kb\.jsonl: row 2"):
        Catalogue(directory, "bikes")


def test_every_published_database_can_be_looked_up() -> None:
    mini = shared_data("mini-interact")
    names = sorted({json.loads(line)["selected_database"] for line in (mini / "mini_interact.jsonl").open()})
    assert len(names) == 26
    for name in names:
        texts = Catalogue(mini, name)
        assert "CREATE TABLE" in texts.schema
        assert len(json.loads(texts.names(()))) >= 30
        key = next(iter(json.loads(texts.all_column_meanings())))
        assert texts.column_meaning(*key.split("|")[-2:])
