"""A desktop in the sandbox: how long it takes to be clean again, to be looked at, and to be acted on.

An action is run by a worker that is already there; beside it, in the same run, the original's way: a new `python -c` that
imports pyautogui for each action. The accessibility tree is read with a terminal and with a sheet of LibreOffice Calc on the
screen. Two desktops at once do the same as one, so that the cores of the machine show.

    python perf/desktop.py        # needs an image: touchstone desktop image build
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from xml.etree import ElementTree

from measuring import arguments, report

from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.providers import ProviderSettings, provider
from touchstone.benchmarks.desktop.tasks import demo
from touchstone.errors import InputError, Skipped

RESETS, LOOKS, ACTIONS = 7, 15, 25
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
        return found
    finally:
        await asyncio.gather(one.stop(), two.stop())


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
    report("desktop", found, [["what", "one desktop", "two at once", "a new Python for each action"], *rows], options.json)


def action(what: str, name: str, found: dict[str, float], together: str) -> list[str]:
    ours, afresh_ = found[f"{name}_ms"], found[f"{name}_afresh_ms"]
    return [what, ms(ours), together, f"{ms(afresh_)} ({afresh_ / ours:.0f}x)"]


def ms(value: float) -> str:
    return f"{value:,.0f} ms"


if __name__ == "__main__":
    main()
