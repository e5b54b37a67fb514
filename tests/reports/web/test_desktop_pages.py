"""Episodes on a desktop in the pages: screens, code, trees and videos, also in an exported folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tests.reports.web.conftest import Open
from tests.reports.web.runs import write_run
from tests.support.records import a_record
from touchstone.reports.web.export import export
from touchstone.reports.web.library import Library
from touchstone.types import ON_SCREEN, Observation, ToolCall, ToolStep

CODE = "for x in [1]:\n    pyautogui.write('a; b <c>')"
FOLDER = "episodes/task-1"


def step(number: int, **more: Any) -> ToolStep:
    details = {
        "before": f"{FOLDER}/{number - 1:03}.png",
        "screenshot": f"{FOLDER}/{number:03}.png",
        "accessibility": f"{FOLDER}/{number:03}.xml",
        "returncode": 0,
        **more,
    }
    call = ToolCall(f"c{number}", "pyautogui", msgspec.json.encode({"code": CODE}).decode())
    return ToolStep(call, Observation(f"It was done.{ON_SCREEN}TAG\tNAME\nentry\tA <b>", details=details), 1.0)


def played(directory: Path) -> Path:
    steps = [step(1), step(2, marked=f"{FOLDER}/002-marked.png")]
    record = a_record(
        "1", steps=steps, evidence={"video": f"{FOLDER}/video.mp4", "ended": "done", "checks": [{"reason": "gold"}]}
    )
    run = write_run(directory / "x" / "run", record)
    (run / FOLDER).mkdir(parents=True)
    for name in ("000.png", "001.png", "002.png", "001.xml", "002.xml", "002-marked.png", "video.mp4"):
        (run / FOLDER / name).write_bytes(b"<html><script>alert(1)</script></html>")
    return run


def shown(site: Any) -> str:
    return site.answer("runs/x.run/t-1~0.html", {}).body.decode()


def test_the_set_up_has_a_panel_of_its_own(tmp_path: Path, site: Open) -> None:
    commands = [{"command": "astro dev start <x>", "returncode": 0, "seconds": 21.5}, {"command": "grep x", "returncode": 1}]
    setup = {
        "steps": [{"step": "script_and_execute", "seconds": 22.0, "commands": commands}],
        "probes": [{"what": "Airflow with a healthy scheduler", "passed": True, "seconds": 0.5}],
    }
    write_run(tmp_path / "x" / "run", a_record("1", evidence={"setup": setup}))
    page = shown(site(tmp_path))
    panel = page.partition('id="setup"')[2].partition("</section>")[0]
    assert "1. script_and_execute" in panel
    assert "1 command with an exit code other than 0" in panel
    assert "<code>astro dev start &lt;x&gt;</code>" in panel
    assert "Airflow with a healthy scheduler" in panel
    write_run(tmp_path / "y" / "run", a_record("1", evidence={}))
    assert 'id="setup"' not in site(tmp_path).answer("runs/y.run/t-1~0.html", {}).body.decode()


def test_a_step_has_its_screen_its_code_and_its_tree(tmp_path: Path, site: Open) -> None:
    played(tmp_path)
    page = shown(site(tmp_path))
    strip = page.partition('class="film"')[2].partition("</div>")[0]
    assert [f"{number:03}.png" in strip for number in range(3)] == [True] * 3
    assert strip.count("<img") == 3
    assert '<pre class="code">for x in [1]:\n    pyautogui.write(&#x27;a; b &lt;c&gt;&#x27;)</pre>' in page
    assert "<summary>On the screen: 2 lines</summary><pre>TAG\tNAME\nentry\tA &lt;b&gt;</pre>" in page
    assert f'href="files/{FOLDER}/001.xml.txt"' in page
    assert f'href="files/{FOLDER}/002-marked.png"' in page
    assert f'<video src="files/{FOLDER}/video.mp4" controls preload="metadata"></video>' in page


def test_files_are_served_as_what_they_are_and_trees_never_as_pages(tmp_path: Path, site: Open) -> None:
    run = played(tmp_path)
    (run / FOLDER / "page.html").write_text("no")
    over = site(tmp_path)
    kinds = {
        name: over.answer(f"runs/x.run/files/{FOLDER}/{name}", {}).type for name in ("001.xml.txt", "video.mp4", "001.png")
    }
    assert kinds == {"001.xml.txt": "text/plain; charset=utf-8", "video.mp4": "video/mp4", "001.png": "image/png"}
    for name in ("001.xml", "001.png.txt", "page.html", "page.html.txt", "003.xml.txt"):
        assert over.answer(f"runs/x.run/files/{FOLDER}/{name}", {}).status == 404, name


def test_an_exported_folder_has_all_of_it(tmp_path: Path) -> None:
    export(Library([played(tmp_path)]), tmp_path / "folder")
    files = tmp_path / "folder" / "runs" / "x.run" / "files" / FOLDER
    assert sorted(path.name for path in files.iterdir()) == [
        "000.png",
        "001.png",
        "001.xml.txt",
        "002-marked.png",
        "002.png",
        "002.xml.txt",
        "video.mp4",
    ]


def test_without_references_the_screens_stay_and_the_checks_go(tmp_path: Path, site: Open) -> None:
    played(tmp_path)
    page = shown(site(tmp_path, hide_gold=True))
    assert "002-marked.png" in page
    assert "video.mp4" in page
    assert "gold" not in page.partition("<main")[2]
