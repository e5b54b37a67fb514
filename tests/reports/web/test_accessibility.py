"""axe-core on every page, on a phone, a laptop and a wide screen, light and dark: no violation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.reports.web.conftest import Open
from tests.reports.web.runs import write_run
from tests.reports.web.test_browser import CHROMIUM, New, browser, new, ready
from tests.reports.web.test_server import serving
from tests.support.records import a_record
from touchstone.reports.web.server import ViewerServer
from touchstone.runs.labels import label_run
from touchstone.types import Brief, ModelStep, Observation, Outcome, Reply, ToolCall, ToolStep

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
pytestmark = [pytest.mark.long, pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium")]
__all__ = ["browser", "new"]

SAID = """# A plan

1. Look at `item`
2. Then **ask** [the docs](https://example.org/)

| a | b |
|---|--:|
| 1 | 2 |

```sql
SELECT 1 -- a query
```
"""
SIZES = [{"width": 390, "height": 844}, {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}]


@pytest.fixture
def everything(results: Path, tmp_path: Path, site: Open) -> Iterator[tuple[ViewerServer, dict[str, str]]]:
    """Real runs, and three with every outcome, Markdown, tags and a note; the address of each kind of page."""
    call = ToolStep(ToolCall("c", "execute_sql", '{"sql": "SELECT 1"}'), Observation("| a |\n| 1 |", error=True), 1.0)
    outcomes = list(Outcome)
    for place in range(3):
        records = [
            a_record(
                str(number),
                outcomes[(number * (place + 1)) % len(outcomes)],
                index=number,
                steps=[ModelStep(Reply(SAID), "x", 1.0), call],
                facets={"difficulty": ("simple", "hard")[number % 2]},
                brief=Brief("Do it", "A request", {"question": f"What is {number}?"}),
            )
            for number in range(8)
        ]
        run = write_run(tmp_path / "made" / str(place) / "run", *records)
        label_run(run, ["paper", f"seed-{place}"], note="Before the prompt was changed")
    write_run(tmp_path / "made" / "broken" / "run").joinpath("config.json").write_text("{")
    write_run(tmp_path / "made" / "begun" / "run")
    (tmp_path / "none").mkdir()
    over = site(results, tmp_path / "made")
    names = {run.label.removesuffix("/run").split("/run-")[0]: run.name for run in over.library.runs()}
    pages = {
        "runs": "index.html",
        "history": "history.html",
        "run": f"runs/{names['bad']}/index.html",
        "run with every outcome": f"runs/{names['1']}/index.html",
        "run that has begun": f"runs/{names['begun']}/index.html",
        "interaction": f"runs/{names['talk']}/index.html",
        "task": f"runs/{names['bad']}/t-13~0.html",
        "Markdown": f"runs/{names['1']}/t-1~0.html",
        "dialogue": f"runs/{names['talk']}/t-shop_1~0.html",
        "pair": f"compare/{names['good']}/{names['bad']}/index.html#all=",
        "pair of a task": f"compare/{names['good']}/{names['bad']}/t-13~0.html",
        "group": f"compare/{names['0']}/{names['1']}/{names['2']}/index.html",
        "not found": "runs/none/index.html",
    }
    with serving(ViewerServer(over, "127.0.0.1", 0)) as server:
        yield server, pages


@pytest.mark.parametrize(("size", "scheme"), list(product(SIZES, ["light", "dark"])))
def test_no_page_has_a_violation(
    everything: tuple[ViewerServer, dict[str, str]], browser: Any, size: dict[str, int], scheme: str
) -> None:
    server, pages = everything
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    found: list[str] = []
    for name, path in pages.items():
        page.goto(server.url + path)
        ready(page)
        for details in page.locator("details").all():
            details.evaluate("(element) => { element.open = true; }")
        for each in axe.Axe().run(page).response["violations"]:
            found += [
                f"{name}: {each['id']}: {node['html'][:150]}: {node['failureSummary'][:200]}" for node in each["nodes"][:3]
            ]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{name} is wider than the window")
    context.close()
    assert not found, "\n".join(found)


def test_an_empty_directory_has_none_either(tmp_path: Path, site: Open, new: New) -> None:
    (tmp_path / "none").mkdir()
    with serving(ViewerServer(site(tmp_path / "none"), "127.0.0.1", 0)) as server:
        page = new()
        page.goto(server.url)
        ready(page)
        assert axe.Axe().run(page).response["violations"] == []
