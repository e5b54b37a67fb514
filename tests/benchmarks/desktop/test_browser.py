"""Steps and getters in a real browser, on local pages that have the forms of the applications."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.support.ports import port_to_come_back_to
from touchstone.benchmarks.desktop.browser import browser
from touchstone.benchmarks.desktop.desktop import CONTROLLER_PORT
from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.getters import RESULTS
from touchstone.benchmarks.desktop.steps import run_steps
from touchstone.benchmarks.desktop.tasks import SetupStep
from touchstone.errors import WorkerFailure

from .support import LocalGuest, make_dataset, make_scene
from .web_pages import Pages, tree

pytest.importorskip("playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.asyncio(loop_scope="module"),
]
LISTENING = 9222
SIGN_IN = """<title>Sign in</title><form action="/welcome"><input id="username" name="u"><input id="password" name="p">
<input type="submit" value="Sign In"></form>"""
WELCOME = '<title>Superset</title><a href="/superset/welcome/" rel="home">Home</a>'
DAGSTER = """<title>Dagster</title><script>setTimeout(() => { for (const label of ["Skip", "Dismiss", "Close"]) {
const button = document.body.appendChild(document.createElement("button")); button.textContent = label;
button.onclick = () => { document.title += `, ${label}` } } }, 1500)</script><body></body>"""
"""Its pop-ups come after the page, as Dagster's do."""
ASSETS = """<title>Assets</title><a href="/assets" onclick="return false">Assets</a><button>Reload definitions</button>
<label for="checkbox-1"><input type="checkbox" id="checkbox-1">All</label><input type="checkbox"><input type="checkbox">
<button onclick="setTimeout(() => { document.body.innerHTML += '<span>Materialized</span>'.repeat(2) }, 2000)">
Materialize selected</button>"""
"""Two assets, made in two seconds."""
AIRBYTE = """<title>Airbyte</title><form action="/home"><input name="email"><input name="organizationName">
<button type="submit">Go</button></form>"""
QUESTION = """<title>Question</title>
<button aria-label="View the SQL" onclick="document.getElementById('d').hidden=false">SQL</button>
<div role="dialog" id="d" hidden><div><p>SQL</p><div>SELECT  "A"
FROM T</div></div></div>"""


RESTLESS = """<title>Restless</title><script>const turn = Number(location.search.slice(1))
onload = () => { if (turn < 200) setTimeout(() => location.replace(`/restless?${turn + 1}`)) }</script>
<p>Here</p>"""
"""Goes on to itself two hundred times, once it has loaded."""


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        served.pages |= {"/": SIGN_IN, "/welcome": WELCOME, "/dagster": DAGSTER, "/airbyte": AIRBYTE, "/question": QUESTION}
        served.pages |= {"/lineage": ASSETS, "/restless": RESTLESS}
        served.pages["/home"] = '<title>Airbyte</title><a aria-label="Homepage">Home</a>'
        yield served


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluation(tmp_path_factory: pytest.TempPathFactory, pages: Pages) -> AsyncIterator[EvaluationContext]:
    """A guest whose browser was started by the published step."""
    directory = tmp_path_factory.mktemp("browser")
    port = port_to_come_back_to()
    guest = LocalGuest(directory / "guest", {LISTENING: f"http://127.0.0.1:{port}", CONTROLLER_PORT: pages.address})
    flags = "--headless=new --no-sandbox --disable-gpu --no-first-run --user-data-dir=$HOME/profile"
    guest.program("google-chrome", f'#!/bin/sh\nexec {CHROMIUM} {flags} "$@" about:blank\n')
    guest.program("socat", "#!/bin/sh\nexit 0\n")
    evaluation = make_scene(make_dataset(directory), directory, guest)
    start = SetupStep(
        "google_chrome_browser", {"debugging_port": port, "urls": [f"{pages.address}/welcome"], "full_screen": True}
    )
    await run_steps([start], evaluation)
    yield evaluation
    await guest.close()


async def run(evaluation: EvaluationContext, type: str, **parameters: Any) -> None:
    await run_steps([SetupStep(type, parameters)], evaluation)


async def get(evaluation: EvaluationContext, type: str, **parameters: Any) -> Any:
    return await RESULTS.find(type)(evaluation, **parameters)


async def test_tabs(evaluation: EvaluationContext, pages: Pages) -> None:
    """The step replaced the blank tab by its address; other steps open and close."""
    assert await get(evaluation, "superset_localhost_page", url=f"{pages.address}/welcome") == "Find superset home page succeed"
    await run(evaluation, "chrome_open_tabs", urls_to_open=[f"{pages.address}/home"])
    assert "succeed" in await get(evaluation, "airbyte_localhost_page", url=pages.address)
    await run(evaluation, "chrome_close_tabs", urls_to_close=[f"{pages.address}/home"])
    assert "failed" in await get(evaluation, "airbyte_localhost_page", url=pages.address)


@pytest.mark.parametrize("step", ["superset_webui_init", "astro_webui_init"])
async def test_signing_in(evaluation: EvaluationContext, pages: Pages, step: str) -> None:
    pages.requests.clear()
    actions = {} if step.startswith("superset") else {"actions": [{"type": "login", "username": "admin", "password": "admin"}]}
    await run(evaluation, step, url=f"{pages.address}/?{step}", **actions)
    assert "/welcome?u=admin&p=admin" in [request.path for request in pages.requests]


async def test_first_forms(evaluation: EvaluationContext, pages: Pages) -> None:
    pages.requests.clear()
    login = {"type": "login", "email": "anonym@gmail.com", "company": "ANONYM"}
    await run(evaluation, "airbyte_webui_init", url=f"{pages.address}/airbyte", actions=[login])
    assert "/home?email=anonym%40gmail.com&organizationName=ANONYM" in [request.path for request in pages.requests]
    with pytest.raises(Exception, match="unknown action 'logon'"):
        await run(evaluation, "airbyte_webui_init", url=f"{pages.address}/airbyte", actions=[{"type": "logon"}])


async def test_dialogs_are_closed(evaluation: EvaluationContext, pages: Pages) -> None:
    await run(evaluation, "dagster_webui_init", url=f"{pages.address}/dagster", actions=[{"type": "close_popups"}])
    async with browser(evaluation, LISTENING) as context:
        titles = [await page.title() for page in context.pages if page.url.endswith("/dagster")]
    assert titles == ["Dagster, Skip, Dismiss, Close"]
    await run(evaluation, "astro_refresh_page")


async def test_a_server_that_is_slow_to_start_is_waited_for(evaluation: EvaluationContext) -> None:
    """It hangs up on the first twelve: more than the ten tries of the original, which ends too soon on a busy machine."""
    calls = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        if await reader.read(1):  # a browser also opens connections that it may need later
            calls += 1
        if calls > 12:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n<title>Started</title>")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        await run(evaluation, "dagster_webui_init", url=url)
        async with browser(evaluation, LISTENING) as context:
            [page] = [page for page in context.pages if page.url == url]
            assert await page.title() == "Started"


async def test_assets_may_take_longer_than_on_the_published_machine(evaluation: EvaluationContext, pages: Pages) -> None:
    made = {"type": "materialize_assets", "timeout": 500}
    await run(evaluation, "dagster_webui_init", url=f"{pages.address}/lineage", actions=[made])
    async with browser(evaluation, LISTENING) as context:
        [page] = [page for page in context.pages if page.url.endswith("/lineage")]
        assert await page.locator("span", has_text="Materialized").count() == 2


async def test_the_page_in_the_address_bar(evaluation: EvaluationContext, pages: Pages) -> None:
    pages.json["/accessibility"] = {"AT": tree(f"{pages.address.removeprefix('http://')}/dagster")}
    assert await get(evaluation, "active_url_from_accessTree", goto_prefix="http://") == f"{pages.address}/dagster"
    info = await get(evaluation, "active_tab_info", goto_prefix="http://")
    assert (info["title"], info["url"]) == ("Dagster", f"{pages.address}/dagster")
    assert "Skip" in info["content"]


async def test_a_page_that_goes_on_by_itself_is_read_when_it_rests(evaluation: EvaluationContext, pages: Pages) -> None:
    """JupyterLab does so in a second tab; the address is the one that the agent left open."""
    pages.json["/accessibility"] = {"AT": tree(f"{pages.address.removeprefix('http://')}/restless")}
    info = await get(evaluation, "active_tab_info", goto_prefix="http://")
    assert (info["title"], info["url"].partition("?")[0]) == ("Restless", f"{pages.address}/restless")
    assert "Here" in info["content"]


async def test_a_page_that_cannot_be_loaded_is_nothing(evaluation: EvaluationContext, pages: Pages) -> None:
    """As in the original: what the agent left open is judged, and that is a 0, no error of ours."""
    pages.json["/accessibility"] = {"AT": tree("127.0.0.1:1/gone")}
    assert await get(evaluation, "active_tab_info", goto_prefix="http://") is None
    (evaluation.dataset.root / "eval.sh").write_text("echo http://127.0.0.1:1/gone\n")
    script = {"src": "evaluation_examples/eval.sh", "dest": "/home/user/eval.sh"}
    assert "failed" in await get(evaluation, "html_check", **script, css_paths=["a"])


async def test_scripts_that_print_addresses(evaluation: EvaluationContext, pages: Pages) -> None:
    script = evaluation.dataset.root / "eval.sh"
    script.write_text(f"echo {pages.address}/welcome\n")
    given = {"src": "evaluation_examples/eval.sh", "dest": "/home/user/eval.sh"}
    checked = await get(evaluation, "html_check", **given, css_paths=["a[rel='home']"])
    assert checked == "a[rel='home'] check succeed"
    pages.json["/accessibility"] = {"AT": tree("localhost:8080/dags/x?run=a%3Ab")}
    script.write_text("echo x,a:b,missing\n")
    said = await get(evaluation, "validate_correct_url", **given, goto_prefix="http://")
    assert said == "x check succeed; a:b check succeed; missing check failed"


async def test_a_page_is_judged_when_its_server_has_answered(
    evaluation: EvaluationContext, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes: what is drawn from an answer comes late on a busy machine."""
    monkeypatch.setattr("touchstone.benchmarks.desktop.getters.web.VISIBLE", 1_000)
    pages.pages["/drawn"] = "<body><script>fetch('/rows').then(() => { document.body.innerHTML = '<b>drawn</b>' })</script>"
    pages.json["/rows"], pages.slow["/rows"] = [], 3.0
    (evaluation.dataset.root / "eval.sh").write_text(f"echo {pages.address}/drawn\n")
    script = {"src": "evaluation_examples/eval.sh", "dest": "/home/user/eval.sh"}
    assert await get(evaluation, "html_check", **script, css_paths=["b"]) == "b check succeed"


async def test_a_page_that_does_not_load_is_no_failure(evaluation: EvaluationContext) -> None:
    await run(evaluation, "chrome_open_tabs", urls_to_open=["http://127.0.0.1:1/"])
    assert "127.0.0.1:1" in evaluation.log.steps[-1].commands[0].command


async def test_a_page_that_is_not_there_is_our_failure(evaluation: EvaluationContext) -> None:
    with pytest.raises(WorkerFailure, match="Snowflake is not open in the guest's browser"):
        await run(evaluation, "snowflake_delete_folder", folder_name="x")


async def test_a_question_in_words_of_sql(evaluation: EvaluationContext, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    question = f"{pages.address}/question"  # other tests have left pages of the same address open
    monkeypatch.setattr("touchstone.benchmarks.desktop.getters.web.METABASE", question)
    await run(evaluation, "chrome_open_tabs", urls_to_open=[question])
    assert await get(evaluation, "metabase_question_sql") == 'select "a" from t'
