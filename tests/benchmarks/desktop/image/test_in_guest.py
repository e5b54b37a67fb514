"""The image from inside: accounts, environments, defaults, and applications that open without a question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from openpyxl import Workbook

from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.image import Store, find, layers_for
from touchstone.benchmarks.desktop.providers import ProviderSettings, provider
from touchstone.errors import InputError

pytestmark = [pytest.mark.desktop, pytest.mark.asyncio(loop_scope="module")]
APPS = ("chromium", "dbt", "excel", "jupyter", "sqlite3", "terminal")
PAUSE, TRIES = 0.2, 300


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desktop() -> AsyncIterator[Desktop]:
    try:
        find(layers_for(APPS))
        made = provider("sandbox", ProviderSettings())()
    except InputError as error:
        pytest.skip(f"no desktop here: {error}")
    await made.start(APPS)
    yield made
    await made.stop()


async def output(desktop: Desktop, script: str) -> str:
    done = await desktop.execute(["bash", "-c", script])
    assert done.returncode == 0, done.error
    return done.output.strip()


async def window(desktop: Desktop, part: str) -> str:
    """The line of a window whose title has this in it, when it is there."""
    for _ in range(TRIES):
        lines = (await desktop.execute(["wmctrl", "-lG"])).output.splitlines()
        if found := [line for line in lines if part in line]:
            return found[0]
        await asyncio.sleep(PAUSE)
    raise AssertionError(f"no window {part!r}: {lines}")


async def test_versions_of_what_was_installed_are_known() -> None:
    names = {layer.meta.name: layer.meta.versions for layer in Store().layers() if layer.current}
    assert names["jupyter"]["jupyterlab"] == "4.1.6"
    assert names["dbt"]["dbt-core"] == "1.7.13"
    assert names["desktop"]["pyautogui"] == "0.9.54"
    assert names["desktop"]["libreoffice-calc"]


async def test_the_user_has_a_password_and_may_become_root(desktop: Desktop) -> None:
    assert await output(desktop, "id -un; id -u; hostname") == "user\n1000\nubuntu"
    done = await desktop.execute(["bash", "-c", "echo password | sudo -S -p '' id -u"])
    assert (done.output.strip(), done.error.strip()) == ("0", "")
    assert (await desktop.execute(["bash", "-c", "echo wrong | sudo -S -k -p '' id -u"])).returncode == 1


async def test_the_home_belongs_to_the_user(desktop: Desktop) -> None:
    assert await output(desktop, "find /home/user -not -user user | head") == ""


async def test_environments_have_what_was_pinned(desktop: Desktop) -> None:
    conda = ". /home/user/anaconda3/etc/profile.d/conda.sh; "
    assert "1.7.13" in await output(desktop, conda + "conda activate dbt && dbt --version")
    assert "4.1.6" in await output(desktop, conda + "conda activate jupyter && jupyter lab --version")
    assert "42" in await output(desktop, "duckdb -csv -c 'select 42'")
    assert await output(desktop, "python -c 'import pyautogui, Xlib, gi, PIL; print(pyautogui.__version__)'") == "0.9.54"


async def test_dbt_builds_a_model(desktop: Desktop) -> None:
    script = """
        . /home/user/anaconda3/etc/profile.d/conda.sh && conda activate dbt && mkdir -p ~/shop/models && cd ~/shop
        printf 'name: shop\\nversion: 1.0.0\\nprofile: shop\\n' > dbt_project.yml
        printf 'shop:\\n  target: dev\\n  outputs:\\n    dev: {type: duckdb, path: shop.duckdb}\\n' > profiles.yml
        echo "{{ config(materialized='table') }} select 7 as seven" > models/one.sql
        dbt run > log.txt 2>&1 || { cat log.txt; exit 1; }
        duckdb -csv -noheader shop.duckdb 'select seven from one'
    """
    assert await output(desktop, script) == "7"


async def test_files_open_in_the_right_program(desktop: Desktop) -> None:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert await output(desktop, f"xdg-mime query default {kind}") == "libreoffice-calc.desktop"
    assert await output(desktop, "xdg-settings get default-web-browser") == "google-chrome.desktop"
    assert await output(desktop, "gsettings get org.gnome.desktop.interface toolkit-accessibility") == "true"


async def test_calc_opens_and_saves_a_workbook_without_a_question(desktop: Desktop, tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["a", "b"])  # type: ignore[union-attr]
    book.save(tmp_path / "book.xlsx")
    await desktop.put(tmp_path / "book.xlsx", "/home/user/book.xlsx")
    await desktop.launch(["xdg-open", "/home/user/book.xlsx"])
    for _ in range(TRIES):
        width = int((await window(desktop, "book.xlsx")).split()[4])
        if width > 1800:  # it fills the screen
            break
        await asyncio.sleep(PAUSE)
    assert width > 1800
    await output(
        desktop, "sleep 2; xdotool key Down; xdotool key Down; xdotool type 77; xdotool key Return; xdotool key ctrl+s"
    )
    cells = "unzip -p book.xlsx xl/worksheets/sheet1.xml | grep -c '<v>77</v>' || true"
    for _ in range(TRIES):
        if await output(desktop, f"cd; {cells}") == "1":
            break
        await asyncio.sleep(PAUSE)
    assert await output(desktop, f"cd; {cells}") == "1"
    titles = [line.split(None, 7)[-1] for line in (await output(desktop, "wmctrl -lG | grep -v panel")).splitlines()]
    assert titles == ["book.xlsx - LibreOffice Calc"]


async def test_chromium_starts_on_a_page_of_its_own_and_can_be_debugged(desktop: Desktop) -> None:
    await desktop.launch(["google-chrome", "--remote-debugging-port=1337"])
    await window(desktop, "Start page - Chromium")
    pages = await output(desktop, """curl -s localhost:1337/json | jq -r '.[] | select(.type == "page") | .title'""")
    assert pages == "Start page"


async def test_what_is_not_in_the_image_says_so(desktop: Desktop) -> None:
    for command, said in (
        ("astro dev start", "not an Astro project"),
        ("code .", "not on this desktop"),
        ("docker run x", "engine"),
    ):
        done = await desktop.execute(["bash", "-c", command])
        assert done.returncode != 0
        assert said in done.error
