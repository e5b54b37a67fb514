"""A desktop in the sandbox: how long it takes to be clean again, to be looked at, and to be acted on.

An action is run by a worker that is already there; beside it, in the same run, the original's way: a new `python -c` that
imports pyautogui for each action. The accessibility tree is read with a terminal and with a sheet of LibreOffice Calc on the
screen. Two desktops at once do the same as one, so that the cores of the machine show.

How long a task waits for its set-up is measured twice: cold, and with the set-up made ahead on a spare desktop while somebody
plays for as long as the cold one took. The tasks are the demo's of Calc, and two of the tests' that do what published set-up
scripts of Superset and Airflow do; a task whose layers are not built is left out.

    python perf/desktop.py        # needs an image: touchstone desktop image build superset airflow postgresql
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from measuring import arguments, report

from touchstone.benchmarks.desktop.accounts import Accounts
from touchstone.benchmarks.desktop.benchmark import DesktopBenchmark
from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.episode import DesktopEpisode
from touchstone.benchmarks.desktop.providers import ProviderSettings, provider
from touchstone.benchmarks.desktop.settings import DesktopSettings
from touchstone.benchmarks.desktop.tasks import Dataset, DesktopTask, demo, load_tasks
from touchstone.errors import InputError, Skipped

sys.path.append(str(Path(__file__).parents[1]))
from tests.benchmarks.desktop.sandbox.service_tasks import write_tasks

RESETS, LOOKS, ACTIONS, SETUPS = 7, 15, 25, 3
SERVICES = ("superset", "airflow")
MOVE = "pyautogui.moveTo(500, 500)"
TYPE = "pyautogui.write('select 1;')"
TRIES = 120

Action = Callable[[], Awaitable[object]]


async def median(action: Action, rounds: int) -> float:
    """Milliseconds of one action; the first is not counted."""
    taken: list[float] = []
    await action()
    for _ in range(rounds):
        started = time.perf_counter()
        await action()
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


async def until_seen(desktop: Desktop, word: str) -> None:
    for _ in range(TRIES):
        if word in await desktop.accessibility():
            return
        await asyncio.sleep(0.5)
    raise SystemExit(f"'{word}' has not appeared on the desktop")


def afresh(desktop: Desktop, code: str) -> Action:
    """The original's way."""
    words = ["python", "-c", f"import pyautogui, time; pyautogui.FAILSAFE = False; {code}"]
    return lambda: desktop.execute(words)


async def nodes(desktop: Desktop) -> int:
    return sum(1 for _ in ElementTree.fromstring(await desktop.accessibility()).iter())


async def with_terminal(desktop: Desktop) -> dict[str, float]:
    await desktop.reset(["terminal"])
    await desktop.launch(["gnome-terminal", "--maximize"])
    await until_seen(desktop, "user@")
    return {
        "screenshot_ms": await median(desktop.screenshot, LOOKS),
        "tree_terminal_ms": await median(desktop.accessibility, LOOKS),
        "tree_terminal_nodes": await nodes(desktop),
        "move_ms": await median(lambda: desktop.act(MOVE), ACTIONS),
        "move_afresh_ms": await median(afresh(desktop, MOVE), ACTIONS),
        "type_ms": await median(lambda: desktop.act(TYPE), ACTIONS),
        "type_afresh_ms": await median(afresh(desktop, TYPE), ACTIONS),
    }


async def with_calc(desktop: Desktop) -> dict[str, float]:
    await desktop.reset(["excel"])
    book = next(path for path in sorted(demo().rglob("Takings.xlsx")))
    await desktop.put(Path(book), "/home/user/Takings.xlsx")
    started = time.perf_counter()
    await desktop.launch(["xdg-open", "/home/user/Takings.xlsx"])
    await until_seen(desktop, "Heron Quay")
    opened = time.perf_counter() - started
    return {
        "calc_opens_s": opened,
        "screenshot_calc_ms": await median(desktop.screenshot, LOOKS),
        "tree_calc_ms": await median(desktop.accessibility, LOOKS),
        "tree_calc_nodes": await nodes(desktop),
    }


async def at_once(one: Desktop, two: Desktop) -> dict[str, float]:
    """Both at the same time, for each of them."""

    async def both(what: Callable[[Desktop], Awaitable[object]]) -> None:
        await asyncio.gather(what(one), what(two))

    return {
        "reset_at_once_ms": await median(lambda: both(lambda desktop: desktop.reset()), RESETS),
        "screenshot_at_once_ms": await median(lambda: both(lambda desktop: desktop.screenshot()), LOOKS),
        "move_at_once_ms": await median(lambda: both(lambda desktop: desktop.act(MOVE)), ACTIONS),
    }


async def set_up(task: DesktopTask, dataset: Dataset) -> tuple[float, float]:
    """Seconds that the task waits for its set-up: cold, and made ahead; medians."""
    make, settings = provider("sandbox", ProviderSettings()), DesktopSettings(video=False, ahead=1)
    cold: list[float] = []
    ahead: list[float] = []
    for _ in range(SETUPS):
        benchmark = DesktopBenchmark([task], dataset, Accounts(dataset.root / "settings"), make, settings=settings)
        benchmark.expect([task, task])
        try:
            for waited, pause in ((cold, 1.0), (ahead, 0.0)):
                async with benchmark.open(task) as episode:
                    assert isinstance(episode, DesktopEpisode)
                    waited.append(episode.partial_score().evidence["setup"]["waited"])
                    await asyncio.sleep(pause * waited[-1])
        finally:
            await benchmark.close()
    return statistics.median(cold), statistics.median(ahead)


def set_up_tasks(folder: Path) -> Iterator[tuple[str, DesktopTask, Dataset]]:
    for name, dataset in (("excel", Dataset(demo())), *((name, Dataset(write_tasks(folder / name))) for name in SERVICES)):
        yield name, next(task for task in load_tasks(dataset) if task.facets["domain"] == name), dataset


async def set_ups() -> dict[str, float]:
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, task, dataset in set_up_tasks(Path(folder)):
            try:
                found[f"set_up_{name}_cold_s"], found[f"set_up_{name}_ahead_s"] = await set_up(task, dataset)
            except Skipped as why:
                print(f"{name} is left out: {why}")
    return found


async def measure() -> dict[str, float]:
    make = provider("sandbox", ProviderSettings())
    one, two = make(), make()
    try:
        await one.start()
        found = {"reset_ms": await median(one.reset, RESETS)}
        found |= await with_terminal(one)
        found |= await with_calc(one)
        await two.start()
        found |= await at_once(one, two)
    finally:
        await asyncio.gather(one.stop(), two.stop())
    return found | await set_ups()


def main() -> None:
    options = arguments(__doc__).parse_args()
    try:
        found = asyncio.run(measure())
    except (InputError, Skipped) as error:
        raise SystemExit(f"not measured: {error}") from None
    rows = [
        ["reset to a clean desktop", ms(found["reset_ms"]), ms(found["reset_at_once_ms"]) + " for both", ""],
        ["screenshot", ms(found["screenshot_ms"]), ms(found["screenshot_at_once_ms"]) + " for both", ""],
        ["screenshot of Calc", ms(found["screenshot_calc_ms"]), "", ""],
        [f"tree, terminal ({found['tree_terminal_nodes']:.0f} nodes)", ms(found["tree_terminal_ms"]), "", ""],
        [f"tree, Calc ({found['tree_calc_nodes']:.0f} nodes)", ms(found["tree_calc_ms"]), "", ""],
        ["Calc opens a workbook", f"{found['calc_opens_s']:.1f} s", "", ""],
        action("move the mouse", "move", found, ms(found["move_at_once_ms"]) + " for both"),
        action("type nine keys", "type", found, ""),
    ]
    for name in ("excel", *SERVICES):
        if (cold := found.get(f"set_up_{name}_cold_s")) is not None:
            ahead = found[f"set_up_{name}_ahead_s"]
            print(f"set-up, {name}: {cold:.1f} s cold, {ahead:.1f} s ahead ({ahead / cold:.2f} of it)")
    report("desktop", found, [["what", "one desktop", "two at once", "a new Python for each action"], *rows], options.json)


def action(what: str, name: str, found: dict[str, float], together: str) -> list[str]:
    ours, afresh_ = found[f"{name}_ms"], found[f"{name}_afresh_ms"]
    return [what, ms(ours), together, f"{ms(afresh_)} ({afresh_ / ours:.0f}x)"]


def ms(value: float) -> str:
    return f"{value:,.0f} ms"


if __name__ == "__main__":
    main()
