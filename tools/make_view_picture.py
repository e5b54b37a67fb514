"""Makes docs/images/view.png: a dialogue of the demo dataset in the viewer, as Chromium shows it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import touchstone
from touchstone.reports.web.export import export
from touchstone.reports.web.library import Library

TARGET = Path(__file__).parents[1] / "docs" / "images" / "view.png"
CHROMIUM = "/usr/bin/chromium"
TASK = "seed_vault_4"
URGENT = """SELECT DISTINCT s.institute, s.country
FROM shipments AS s
WHERE s.urgent AND s.purpose IN ('research', 'restoration')
  AND s.requested_on >= DATE '2023-{}-01' AND s.requested_on < DATE '2024-01-01'"""
WAIT = """SELECT s.country, AVG(s.shipped_on - s.requested_on) AS avg_days
FROM shipments AS s
GROUP BY s.country
ORDER BY avg_days"""
LOOK = """SELECT institute, country, purpose, urgent, requested_on
FROM shipments
ORDER BY requested_on DESC
LIMIT 4"""
MOVES = [
    ("execute", {"sql": LOOK}),
    ("submit", {"sql": URGENT.format("10")}),
    ("ask", {"question": "From which month on is it late 2023 for you?"}),
    ("submit", {"sql": URGENT.format("07")}),
    ("submit", {"sql": WAIT}),
]


async def curious(stage: touchstone.Stage) -> None:
    for number, (name, arguments) in enumerate(MOVES):
        await stage.call(touchstone.ToolCall(str(number), name, json.dumps(arguments)))
        if stage.finished:
            return


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        runs, pages = Path(scratch, "runs"), Path(scratch, "pages")
        touchstone.run(touchstone.interact(task=[TASK]), curious, output=runs)
        export(Library([runs]), pages)
        page_file = next(pages.glob(f"runs/*/t-{TASK}*.html"))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1120, "height": 1000})
            page.goto(page_file.as_uri())
            page.screenshot(path=TARGET, clip={"x": 0, "y": 0, "width": 1120, "height": 1240}, full_page=True)
            browser.close()
    print(TARGET)


if __name__ == "__main__":
    main()
