"""The folder: every link leads somewhere inside it, nothing in it comes from elsewhere, references stay out if they are to."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.reports.web.runs import PIXEL, write_run
from tests.reports.web.test_pages import Tags, harmless
from tests.support.command import touchstone
from tests.support.records import a_record
from touchstone.errors import InputError
from touchstone.reports.web.export import export
from touchstone.reports.web.library import Library
from touchstone.types import Observation, Outcome, ToolCall, ToolStep


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def test_every_link_leads_somewhere(results: Path, tmp_path: Path) -> None:
    done = touchstone("view", results, "--export", "folder", cwd=tmp_path)
    assert done.code == 0, done.err
    folder = tmp_path / "folder"
    found = pages(folder)
    assert f"{len(found)} pages" in done.out
    assert len(found) == 2 + 3 + 13 + 1 + 2
    for file in found:
        html = file.read_text()
        harmless(html)
        for name, value in Tags(html).attributes:
            if name in ("href", "src") and value and not value.startswith("#"):
                assert (file.parent / unquote(value.partition("#")[0])).resolve().is_file(), (file, value)


def test_the_script_finds_the_pages_of_its_list(results: Path, tmp_path: Path) -> None:
    export(Library([results]), tmp_path / "folder")
    for file in (tmp_path / "folder" / "runs").rglob("index.html"):
        names = re.findall(r'\["(t-[^"]+)"', file.read_text())
        assert names
        assert all((file.parent / f"{name}.html").is_file() for name in names)


def test_references_stay_out_of_the_whole_folder(tmp_path: Path) -> None:
    evidence = {
        "gold": "SELECT secret",
        "kind": "different_rows",
        "missing_rows": [["secret"]],
        "prediction": "SELECT 1",
        "how": "secret",
    }
    call = ToolCall("c", "submit", '{"sql": "SELECT 1"}')
    details = {"finding": {"reason": "secret", "evidence": {"missing_rows": [["secret"]]}, "phase": 1}, "new_thing": "secret"}
    steps = [ToolStep(call, Observation("Your SQL is not correct.", details=details), 1.0)]
    failed = a_record("1", Outcome.failed, reason="expected 'secret', got 1", evidence=evidence, steps=steps)
    broken = a_record("2", Outcome.unscorable, reason="the gold SQL cannot be run: no table secret", evidence={"kind": "gold"})
    for run in ("a", "b"):
        write_run(tmp_path / "runs" / run, failed, broken)
    export(Library([tmp_path / "runs"]), tmp_path / "hidden", hide_gold=True)
    assert not [file for file in pages(tmp_path / "hidden") if "secret" in file.read_text()]
    export(Library([tmp_path / "runs"]), tmp_path / "open")
    assert len([file for file in pages(tmp_path / "open") if "secret" in file.read_text()]) > 4


def test_pictures_are_taken_along(tmp_path: Path) -> None:
    steps = [ToolStep(ToolCall("c", "click", "{}"), Observation("ok", details={"screenshot": "s/1.png"}), 1.0)]
    run = write_run(
        tmp_path / "x" / "run", a_record("1", steps=steps, evidence={"screenshots": ["../config.json", "../x.png"]})
    )
    (run / "s").mkdir()
    (run / "s" / "1.png").write_bytes(PIXEL)
    (run.parent / "x.png").write_bytes(PIXEL)
    export(Library([run]), tmp_path / "folder")
    assert [str(file.relative_to(tmp_path / "folder")) for file in (tmp_path / "folder").rglob("*.png")] == [
        "runs/x.run/files/s/1.png"
    ]


def test_a_folder_of_somebody_else_is_not_touched(results: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("my page")
    with pytest.raises(InputError, match="not empty"):
        export(Library([results]), tmp_path / "mine")
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["index.html"]


def test_an_export_is_replaced_as_a_whole(results: Path, tmp_path: Path) -> None:
    export(Library([results]), tmp_path / "folder")
    write_run(tmp_path / "x" / "run", a_record("1"))
    export(Library([tmp_path / "x"]), tmp_path / "folder")
    assert len(pages(tmp_path / "folder")) == 4


def test_a_folder_has_one_matrix_for_each_benchmark(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_run(tmp_path / "runs" / name / "run", a_record("1"))
    export(Library([tmp_path / "runs"]), tmp_path / "folder")
    file = tmp_path / "folder" / "compare" / "all-bird" / "index.html"
    for name, value in Tags(file.read_text()).attributes:
        if name in ("href", "src") and value and not value.startswith("#"):
            assert (file.parent / unquote(value)).resolve().is_file(), value
