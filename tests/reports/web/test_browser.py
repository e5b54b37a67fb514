"""The pages in real Chromium, on real runs: by mouse and by keyboard, wide and narrow, light and dark, from the disk."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.reports.web.conftest import Open
from tests.reports.web.runs import HOSTILE, KEY, run_of, write_run
from tests.reports.web.test_pages import hostile_record
from tests.reports.web.test_server import serving
from tests.support.chat_players import Held
from tests.support.chat_server import ChatServer
from tests.support.command import finish, start
from tests.support.records import a_record
from tests.support.worlds import World
from tests.workers.processes import children
from touchstone.reports.web.export import export
from touchstone.reports.web.library import Library
from touchstone.reports.web.server import ViewerServer
from touchstone.reports.web.site import Site
from touchstone.runs.labels import label_run
from touchstone.types import Brief, ModelStep, Outcome, Reply

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect
CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [pytest.mark.long, pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium")]

PATIENCE = 45_000
"""Milliseconds for what a page must come to: a click, a key and a new page are done when they are done."""
Page = Any
New = Callable[..., Page]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new(browser: Any) -> Iterator[New]:
    """A page; what it complains of or loads from elsewhere fails the test."""
    faults: list[str] = []
    contexts: list[Any] = []

    def page(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        page.on(
            "request",
            lambda made: (
                faults.append(made.url) if not made.url.startswith(("http://127.0.0.1:", "file://", "about:")) else None
            ),
        )
        return page

    yield page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def server(results: Path, site: Open) -> Iterator[ViewerServer]:
    with serving(ViewerServer(site(results), "127.0.0.1", 0)) as server:
        yield server


def ready(page: Page) -> None:
    """The page's script has run to its end: it listens to clicks and keys."""
    page.wait_for_selector("#help", state="visible")


def lists(page: Page, *names: str, in_order: bool = False) -> None:
    """The list comes to show exactly these."""
    expect(page.locator("#found")).to_have_text(re.compile(rf"^{len(names)} of "))
    expect(page.locator(".tasks .name")).to_have_count(len(names))
    found = page.locator(".tasks .name").all_inner_texts()
    assert (found if in_order else sorted(found)) == list(names)


def shows(page: Page, selector: str, words: str) -> None:
    expect(page.locator(selector).first).to_contain_text(words)


def has(page: Page, selector: str, count: int) -> None:
    expect(page.locator(selector)).to_have_count(count)


def test_a_reader_clicks_from_the_runs_to_an_answer_and_back(server: ViewerServer, new: New) -> None:
    page = new()
    page.goto(server.url)
    has(page, ".runs tbody tr", 3)
    page.click("text=bad/run-")
    shows(page, ".headline", "50.0%")
    ready(page)
    lists(page, "10", "11", "12", "13", "14", "15")

    page.click(".outcomes button:has-text('failed')")
    lists(page, "10", "13", "14")
    page.select_option("label:has-text('difficulty') select", "challenging")
    lists(page, "13")
    page.click("#clear")
    page.click(".bars button:has-text('zoo')")
    lists(page, "12", "14", "15")
    page.click(".bars button:has-text('rounding')")
    lists(page, "13")
    page.click("#clear")
    page.fill("#text", "LEGS four")
    lists(page, "12")
    page.fill("#text", "no such thing")
    lists(page)
    expect(page.locator("#found")).to_have_text("0 of 6 shown")
    page.click("#clear")
    page.click(".outcomes button:has-text('failed')")
    lists(page, "10", "13", "14")

    order = page.locator(".tasks .name").all_inner_texts()
    page.click(f".tasks a >> text='{order[0]}'")
    expect(page.locator("h1")).to_have_text(order[0])
    ready(page)
    has(page, "#verdict pre.sql", 2)
    has(page, "#turn-prev", 0)
    page.click("#turn-next")
    expect(page.locator("h1")).to_have_text(order[1])
    ready(page)
    page.click("header nav a >> text=bad/run-")
    lists(page, *order, in_order=True)  # the filter is still there


def test_an_episode_shows_what_differs_and_the_dialogue(server: ViewerServer, new: New) -> None:
    page = new()
    page.goto(server.url)
    page.click("text=bad/run-")
    page.click(".tasks a >> text='13'")
    expect(page.locator("#verdict td.new")).to_have_text("2.1")
    expect(page.locator("#verdict td.gone")).to_have_text("2.0625")
    has(page, "#dialogue table.cells tbody tr", 4)
    expect(page.locator("#dialogue .sql-keyword").nth(2)).to_be_visible()
    page.click("summary:has-text('Instructions')")
    page.wait_for_selector("text=How you are judged", state="visible")

    page.goto(server.url)
    page.click("text=talk/run-")
    page.click(".tasks a")
    has(page, "svg.coins circle", 5)
    shows(page, ".seen.spoken", "Whoever bought two things")
    page.click("summary:has-text('The simulated user chose')")
    page.wait_for_selector("text=stage 1", state="visible")


def test_two_runs_are_compared_in_one_click(server: ViewerServer, new: New) -> None:
    page = new()
    page.goto(server.url)
    expect(page.locator("#compare")).to_be_disabled()
    for name in ("good", "bad"):
        page.check(f".runs tr:has-text('{name}/run-') .mark")
    page.click("#compare")
    shows(page, ".blocks .card:first-child a", "bad/")
    ready(page)
    lists(page, "10", "13", in_order=True)  # A alone is right nowhere, so the list begins with B
    page.click("text=A right, B wrong")
    shows(page, "#list", "No task matches this filter.")
    page.click("text=B right, A wrong")
    lists(page, "10", "13", in_order=True)
    page.click(".tasks a >> text='13'")
    shows(page, ".half >> nth=0", "rounding")
    shows(page, ".half >> nth=1", "Identical")
    left, right = halves(page)
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"] + 1
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"innerWidth === {PHONE['width']}")
    left, right = halves(page)
    assert left["y"] + left["height"] <= right["y"] + 1


def test_runs_are_sorted_searched_and_tagged(results: Path, tmp_path: Path, site: Open, new: New) -> None:
    for name, outcome in (("low", Outcome.failed), ("high", Outcome.passed)):
        run = write_run(tmp_path / name / "run", a_record("1", outcome), title=f"with {name}")
        label_run(run, ["paper", name], note=f"A note on {name}")
    write_run(tmp_path / "none" / "run", title="with nothing")
    with serving(ViewerServer(site(tmp_path), "127.0.0.1", 0)) as server:
        page = new()
        page.goto(server.url)
        ready(page)

        def order(*labels: str) -> None:
            expect(page.locator(".runs tbody tr:not([hidden]) .c-run a")).to_have_text([f"{label}/run" for label in labels])

        page.click(".sorter:has-text('Score')")
        order("high", "low", "none")
        expect(page.locator("th.c-score")).to_have_attribute("aria-sort", "descending")
        page.click(".sorter:has-text('Score')")
        order("low", "high", "none")  # what has no score comes last either way
        expect(page.locator("th.c-score")).to_have_attribute("aria-sort", "ascending")
        page.click(".sorter:has-text('Run')")
        order("high", "low", "none")
        page.reload()
        order("high", "low", "none")
        page.fill("#text", "NOTE low")
        order("low")
        expect(page.locator("#found")).to_have_text("1 of 3 runs")
        page.click("#clear")
        page.click(".tag:has-text('high')")
        order("high")
        assert "tag=high" in page.url
        page.select_option("label:has-text('Tag') select", "paper")
        order("low", "high")
        page.set_viewport_size(PHONE)
        page.select_option("label:has-text('Sort by') select", "Score:down")
        order("high", "low")


def test_three_runs_are_a_matrix_of_tasks(tmp_path: Path, site: Open, new: New) -> None:
    passed, failed = Outcome.passed, Outcome.failed
    for name, outcomes in (("a", (passed, failed, passed)), ("b", (passed, passed, Outcome.skipped)), ("c", (passed, failed))):
        records = [a_record(str(place), outcome, index=place) for place, outcome in enumerate(outcomes)]
        write_run(tmp_path / "runs" / name / "run", *records)
    export(Library([tmp_path / "runs"]), tmp_path / "folder")
    with serving(ViewerServer(site(tmp_path / "runs"), "127.0.0.1", 0)) as server:
        page = new()
        for start in (server.url, (tmp_path / "folder" / "index.html").as_uri()):
            page.goto(start)
            ready(page)
            for mark in page.locator(".mark").all():
                mark.check()
            expect(page.locator("#compare")).to_have_text("Compare 3 runs")
            page.click("#compare")
            expect(page.locator("h1")).to_have_text("Comparison of 3 runs")
            ready(page)
            expect(page.locator(".by-runs tbody tr")).to_have_count(3)
            cells = [row.locator("td").all_inner_texts() for row in page.locator(".by-runs tbody tr").all()]
            assert cells == [["✓", "✓", "✓"], ["✗", "✓", "✗"], ["·", "–", "✓"]]  # the newest first: c, b, a
            page.click("text=some differ")
            expect(page.locator(".by-runs tbody th")).to_have_text(["1"])
            page.click(".by-runs tbody td a >> nth=1")
            expect(page.locator("h1")).to_have_text("1")
            expect(page.locator("header nav")).to_contain_text("b/run")


def test_tasks_are_above_the_fold(server: ViewerServer, new: New) -> None:
    page = new(viewport={"width": 1280, "height": 800})
    for run in server.site.library.runs():
        page.goto(f"{server.url}runs/{run.name}/index.html")
        ready(page)
        page.wait_for_load_state("load")
        bottoms = page.evaluate(
            "[...document.querySelectorAll('.tasks > li')].map((row) => row.getBoundingClientRect().bottom)"
        )
        assert sum(bottom < 800 for bottom in bottoms) >= min(4, len(bottoms)), (run.label, bottoms)
        assert page.evaluate("document.querySelector('#breakdown').getBoundingClientRect().top") < 400


def test_markdown_is_rendered_and_shown_as_written_at_a_click(tmp_path: Path, site: Open, new: New) -> None:
    said = "# Plan\n\n**Look** at `item`, see [docs](https://example.org/) and [this](javascript:window.hurt=1)"
    write_run(tmp_path / "x" / "run", a_record("1", steps=[ModelStep(Reply(said), "x", 1.0)]))
    with serving(ViewerServer(site(tmp_path), "127.0.0.1", 0)) as server:
        page = new()
        page.goto(f"{server.url}runs/x.run/t-1~0.html")
        ready(page)
        expect(page.locator(".markdown strong")).to_have_text("Look")
        assert page.locator(".markdown a").evaluate_all("(links) => links.map((link) => link.href)") == ["https://example.org/"]
        expect(page.locator(".prose.raw")).to_be_hidden()
        page.click("text=As written")
        expect(page.locator(".prose.raw")).to_have_text(said)
        expect(page.locator(".markdown")).to_be_hidden()
        page.reload()
        expect(page.locator(".prose.raw")).to_be_visible()  # it stays so from task to task


def test_a_long_list_comes_in_pieces(tmp_path: Path, site: Open, new: New) -> None:
    """The page of a run has the same size whatever the run's length; filters work on all of it once it is there."""
    run = write_run(tmp_path / "long" / "run", *(a_record(f"task_{number}") for number in range(12_000)))
    over = site(tmp_path)
    short = write_run(tmp_path / "short" / "run", *(a_record(f"task_{number}") for number in range(2_100)))
    pages = [len(site(each).answer(f"runs/{each.parent.name}.run/index.html", {}).body) for each in (run, short)]
    assert abs(pages[0] - pages[1]) < 5_000
    with serving(ViewerServer(over, "127.0.0.1", 0)) as server:
        page = new()
        page.goto(f"{server.url}runs/long.run/index.html")
        expect(page.locator("#found")).to_have_text("12,000 of 12,000 shown")
        page.fill("#text", "task_11999")
        lists(page, "task_11999")


def halves(page: Page) -> list[dict[str, float]]:
    """Where the two transcripts are, in one look, once the style sheet is there."""
    page.wait_for_load_state("load")
    return page.evaluate("[...document.querySelectorAll('.half')].map((half) => half.getBoundingClientRect().toJSON())")


def test_the_keyboard_is_enough(server: ViewerServer, new: New) -> None:
    page = new()
    page.goto(server.url)
    ready(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("j")
    while not page.evaluate("document.activeElement.textContent").startswith("bad/"):
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tasks")
    ready(page)
    page.keyboard.press("/")
    page.keyboard.type("mean price")
    page.keyboard.press("Escape")
    lists(page, "13")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("13")
    page.wait_for_selector("#verdict")
    ready(page)
    page.keyboard.press("u")
    page.wait_for_selector(".tasks")
    ready(page)
    lists(page, "13")
    page.keyboard.press("?")
    page.wait_for_selector("dialog >> text=to the text filter")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}])
def test_every_page_fits_and_can_be_read(server: ViewerServer, new: New, scheme: str, size: dict[str, int]) -> None:
    page = new(color_scheme=scheme, viewport=size)
    names = {run.label.split("/")[0]: run.name for run in server.site.library.runs()}
    for path in (
        "",
        f"runs/{names['bad']}/index.html",
        f"runs/{names['bad']}/t-10~0.html",
        f"runs/{names['talk']}/t-shop_1~0.html",
        f"compare/{names['good']}/{names['bad']}/index.html",
        f"compare/{names['good']}/{names['bad']}/t-13~0.html",
    ):
        page.goto(server.url + path)
        ready(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(CONTRAST) == [], path


CONTRAST = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, place) => sum + v * [.2126, .7152, .0722][place], 0);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const [r, g, b, a] = numbers(getComputedStyle(each).backgroundColor);
      if (a !== 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("svg, script, noscript, :disabled") || !element.checkVisibility()) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(`${element.className} ${element.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""
"""Texts whose contrast is below what WCAG asks for (AA)."""


def test_the_folder_works_from_the_disk(results: Path, tmp_path: Path, new: New) -> None:
    export(Library([results]), tmp_path / "a folder")
    page = new()
    page.goto((tmp_path / "a folder" / "index.html").as_uri())
    for name in ("good", "bad"):
        page.check(f".runs tr:has-text('{name}/run-') .mark")
    page.click("#compare")
    page.click("text=B right, A wrong")
    page.click(".tasks a >> text='10'")
    has(page, ".half", 2)
    page.click("header nav a >> text=Runs")
    page.click("text=bad/run-")
    page.click(".bars button:has-text('rounding')")
    page.click(".tasks a >> text='13'")
    expect(page.locator("#verdict td.gone")).to_have_text("2.0625")
    expect(page.locator("td.gone")).to_have_css("font-weight", "600")


def test_hostile_records_do_nothing(tmp_path: Path, site: Open, new: New) -> None:
    for run in ("a", "b"):
        write_run(tmp_path / f"{HOSTILE.replace('/', '|')}" / run, hostile_record(HOSTILE), hostile_record("2"), title=HOSTILE)
    with serving(ViewerServer(site(tmp_path), "127.0.0.1", 0)) as server:
        page = new()
        page.route("**/files/**", lambda route: route.fulfill(status=200, content_type="image/png", body=b""))
        first, second = (run.name for run in server.site.library.runs())
        page.goto(f"{server.url}runs/{first}/index.html")
        lists(page, HOSTILE, "2", in_order=True)
        page.click(".tasks a >> nth=0")
        expect(page.locator("h1")).to_have_text(HOSTILE)
        page.goto(f"{server.url}compare/{first}/{second}/index.html")
        page.click("text=both wrong")
        page.click(".tasks a >> nth=0")
        has(page, ".half", 2)
        ready(page)
        assert page.evaluate("window.hurt") is None
        assert page.locator("img[src=x]").count() == 0


def test_a_run_is_followed_while_it_goes(tmp_path: Path, world: World, site: Open, new: New) -> None:
    held = Held(quick=2)
    with ChatServer(held) as chat:
        options = ("--model", "m", "--base-url", chat.url, "-o", "out")
        process = start("bird", *world.arguments, *options, cwd=tmp_path, env=KEY)
        try:
            held.wait_for(1)
            with serving(ViewerServer(site(tmp_path / "out"), "127.0.0.1", 0)) as server:
                page = new()
                page.goto(server.url)
                page.click(".runs a")
                shows(page, ".notice.live", "live: 2 of 6 done")
                has(page, ".tasks .name", 2)
                held.release()
                assert finish(process).code == 0
                has(page, ".tasks .name", 6)
                has(page, ".notice.live", 0)
                shows(page, ".headline", "6 of n = 6")
        finally:
            held.release()
            process.kill()
            process.communicate()


def test_two_thousand_episodes_open_at_once(tmp_path: Path, site: Open, new: New) -> None:
    """With transcripts of 34 kB each: 68 MB in all."""
    steps = [ModelStep(Reply("word " * 6_800), "x", 1.0)]
    outcomes = (Outcome.passed, Outcome.failed)
    run = write_run(
        tmp_path / "big" / "run",
        *(
            a_record(
                f"task_{number}", outcomes[number % 2], steps=steps, brief=Brief("", "", {"question": f"What is {number}?"})
            )
            for number in range(2_000)
        ),
    )
    assert (run / "runs.jsonl").stat().st_size > 65e6
    page = new()
    for _ in range(5):
        seconds, size = opened(page, site(tmp_path))
        assert size < 1e6
        if seconds < 2:
            return
    pytest.fail(f"the last of five tries took {seconds:.1f} s of CPU")


def opened(page: Page, site: Site) -> tuple[float, int]:
    """The work of showing a run that nobody has looked at until its list is there, and how much is sent for it.

    In seconds of CPU, the browser's included: whoever else is at work on this machine does not count.
    """
    loaded: list[int] = []
    page.on("response", lambda answer: loaded.append(len(answer.body())))
    with serving(ViewerServer(site, "127.0.0.1", 0)) as server:
        began = spent_here()
        page.goto(f"{server.url}runs/big.run/index.html")
        page.wait_for_selector(".tasks")
        spent = spent_here() - began
        expect(page.locator("#found")).to_have_text("2,000 of 2,000 shown")
        page.fill("#text", "task_1999")
        lists(page, "task_1999")
        page.goto("about:blank")
    return spent, sum(loaded)


def spent_here() -> float:
    """Seconds of CPU of this process and all that it has started."""
    spent = 0
    family = [os.getpid()]
    for process in family:
        family += children(process)
        with suppress(OSError):  # it has ended
            spent += sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return spent / os.sysconf("SC_CLK_TCK")


def test_the_runs_of_a_results_directory_are_those_of_its_parts(results: Path, server: ViewerServer) -> None:
    labels = [run.label for run in server.site.library.runs()]
    assert sorted(labels) == sorted(str(run_of(results, name).relative_to(results)) for name in ("good", "bad", "talk"))
