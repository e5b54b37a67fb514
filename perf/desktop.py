"""A desktop in the sandbox: how long it takes to be clean again, to be looked at, and to be acted on.

An action is run by a worker that is already there; beside it, in the same run, the original's way: a new `python -c` that
imports pyautogui for each action. The accessibility tree is read with a terminal and with a sheet of LibreOffice Calc on the
screen. Two desktops at once do the same as one, so that the cores of the machine show.

How long a task waits for its set-up is measured twice: cold, and with the set-up made ahead on a spare desktop while somebody
plays for as long as the cold one took. The wait ends when the screen has come to rest, so that the agent's first look costs a
screenshot. The tasks are the demo's of Calc, and two of the tests' that do what published scripts for Superset and Airflow
do; a task whose layers are not built is left out. Beside it stands the memory that such a desktop takes (what its processes do
not share, and what it has written), and what the budget of --parallel counts for it.

    python perf/desktop.py        # needs an image: touchstone desktop image build superset airflow postgresql
    python perf/desktop.py --only set-ups --rounds 1
"""

from __future__ import annotations

import asyncio
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from measuring import arguments, report

from touchstone.benchmarks.desktop.benchmark import DesktopBenchmark
from touchstone.benchmarks.desktop.config import DesktopConfig, Loaded
from touchstone.benchmarks.desktop.desktop import Desktop, megabytes
from touchstone.benchmarks.desktop.episode import DesktopEpisode
from touchstone.benchmarks.desktop.needed import applications
from touchstone.benchmarks.desktop.providers import ProviderSettings, provider
from touchstone.benchmarks.desktop.tasks import Dataset, DesktopTask, demo, load_tasks
from touchstone.errors import InputError, Skipped

sys.path.append(str(Path(__file__).parents[1]))
from tests.benchmarks.desktop.sandbox.service_tasks import write_tasks

RESETS, LOOKS, ACTIONS = 7, 15, 25
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


TICKS = """cat /proc/[0-9]*/stat | sed 's/.*) //' | awk '{ total += $12 + $13 + $14 + $15 } END { print 10 * total }'"""


async def processor(desktop: Desktop) -> float:
    """Milliseconds of the processor that all programs of the desktop have had, those that have ended included."""
    return float((await desktop.execute(TICKS, shell=True)).output)


async def with_calc(desktop: Desktop) -> dict[str, float]:
    await desktop.reset(["excel"])
    book = next(path for path in sorted(demo().rglob("Takings.xlsx")))
    await desktop.put(Path(book), "/home/user/Takings.xlsx")
    started = time.perf_counter()
    await desktop.launch(["xdg-open", "/home/user/Takings.xlsx"])
    await until_seen(desktop, "Heron Quay")
    opened = time.perf_counter() - started
    before = await processor(desktop)
    for _ in range(LOOKS):
        await desktop.accessibility()
    spent = (await processor(desktop) - before) / LOOKS
    return {
        "tree_calc_cpu_ms": spent,
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


MEMORY = """
cat /proc/[0-9]*/smaps_rollup 2> /dev/null | awk '/^Pss:/ { total += $2 } END { print total }'
df -k --output=used / /tmp /run /dev/shm | tail -n +2
"""


async def memory(desktop: Desktop) -> float:
    """Megabytes: shares of what its processes have mapped, and what was written."""
    done = await desktop.execute(f"echo password | sudo -S -p '' sh -c {shlex.quote(MEMORY)}", shell=True)
    return sum(map(int, done.output.split())) / 1024


async def set_up(name: str, task: DesktopTask, dataset: Dataset, rounds: int) -> dict[str, float]:
    """Seconds that the task waits for its set-up: cold, and made ahead; medians. Its memory, and what is counted for it."""
    make, config = provider("sandbox", ProviderSettings()), DesktopConfig(dataset.root, video=False, ahead=1)
    cold: list[float] = []
    ahead: list[float] = []
    rest: list[float] = []
    taken: list[float] = []
    for _ in range(rounds):
        benchmark = DesktopBenchmark(config, Loaded(dataset, [task], [task]), make)
        benchmark.expect([task, task])
        try:
            for waited, pause in ((cold, 1.0), (ahead, 0.0)):
                async with benchmark.open(task) as episode:
                    assert isinstance(episode, DesktopEpisode)
                    setup = episode.partial_score().evidence["setup"]
                    waited.append(setup["waited"])
                    rest.append(setup["rest"])
                    if pause:
                        taken.append(await memory(episode.desktop))
                    await asyncio.sleep(pause * waited[-1])
        finally:
            await benchmark.close()
    figures = {"cold_s": cold, "ahead_s": ahead, "rest_s": rest, "memory_mb": taken}
    medians = {f"set_up_{name}_{what}": statistics.median(values) for what, values in figures.items()}
    return medians | {f"set_up_{name}_budget_mb": megabytes(applications(task))}


def set_up_tasks(folder: Path) -> Iterator[tuple[str, DesktopTask, Dataset]]:
    for name, dataset in (("excel", Dataset(demo())), *((name, Dataset(write_tasks(folder / name))) for name in SERVICES)):
        yield name, next(task for task in load_tasks(dataset) if task.facets["domain"] == name), dataset


async def set_ups(rounds: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, task, dataset in set_up_tasks(Path(folder)):
            try:
                figures |= await set_up(name, task, dataset, rounds)
            except Skipped as why:
                print(f"{name} is left out: {why}")
    return figures


async def looks_and_actions() -> dict[str, float]:
    make = provider("sandbox", ProviderSettings())
    one, two = make(), make()
    try:
        await one.start()
        figures = {"reset_ms": await median(one.reset, RESETS)}
        figures |= await with_terminal(one)
        figures |= await with_calc(one)
        await two.start()
        return figures | await at_once(one, two)
    finally:
        await asyncio.gather(one.stop(), two.stop())


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=("looks", "set-ups"), help="one half of it")
    parser.add_argument("--rounds", type=int, default=3, help="how often each task is set up")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    try:
        if options.only != "set-ups":
            figures |= asyncio.run(looks_and_actions())
        if options.only != "looks":
            figures |= asyncio.run(set_ups(options.rounds))
    except (InputError, Skipped) as error:
        raise SystemExit(f"not measured: {error}") from None
    table = [*(look_rows(figures) if "reset_ms" in figures else []), *(set_up_rows(figures) if options.only != "looks" else [])]
    report("desktop", figures, table, options.json)


def look_rows(found: dict[str, float]) -> list[list[str]]:
    return [
        ["what", "one desktop", "two at once", "a new Python for each action"],
        ["reset to a clean desktop", ms(found["reset_ms"]), ms(found["reset_at_once_ms"]) + " for both", ""],
        ["screenshot", ms(found["screenshot_ms"]), ms(found["screenshot_at_once_ms"]) + " for both", ""],
        ["screenshot of Calc", ms(found["screenshot_calc_ms"]), "", ""],
        [f"tree, terminal ({found['tree_terminal_nodes']:.0f} nodes)", ms(found["tree_terminal_ms"]), "", ""],
        [f"tree, Calc ({found['tree_calc_nodes']:.0f} nodes)", ms(found["tree_calc_ms"]), "", ""],
        ["the same, CPU of all programs of the desktop", ms(found["tree_calc_cpu_ms"]), "", ""],
        ["Calc opens a workbook", f"{found['calc_opens_s']:.1f} s", "", ""],
        action("move the mouse", "move", found, ms(found["move_at_once_ms"]) + " for both"),
        action("type nine keys", "type", found, ""),
    ]


def set_up_rows(figures: dict[str, float]) -> list[list[str]]:
    rows = [["set-up", "cold", "ahead", "memory"]]
    for name in ("excel", *SERVICES):
        own = {
            what: figures.get(f"set_up_{name}_{what}", 0.0)
            for what in ("cold_s", "ahead_s", "rest_s", "memory_mb", "budget_mb")
        }
        if own["cold_s"]:
            cold = f"{own['cold_s']:.1f} s, of it {own['rest_s']:.1f} until the screen rests"
            rows.append([name, cold, f"{own['ahead_s']:.1f} s", f"{own['memory_mb']:.0f} MB (counted: {own['budget_mb']:.0f})"])
    return rows


def action(what: str, name: str, found: dict[str, float], together: str) -> list[str]:
    ours, afresh_ = found[f"{name}_ms"], found[f"{name}_afresh_ms"]
    return [what, ms(ours), together, f"{ms(afresh_)} ({afresh_ / ours:.0f}x)"]


def ms(value: float) -> str:
    return f"{value:,.0f} ms"


if __name__ == "__main__":
    main()
