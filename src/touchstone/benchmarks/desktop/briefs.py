"""What an agent of a desktop task is told before its first move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...types import Brief
from .config import DesktopConfig
from .tasks import DesktopTask

if TYPE_CHECKING:
    from .documents.search import Retrieval

_SEEN = {
    "screenshot": "You see the screen as a picture.",
    "a11y_tree": "You see the screen as a list of what can be used on it, made from its accessibility tree. {table}",
    "screenshot_a11y_tree": (
        "You see the screen as a picture, and as a list of what can be used on it, made from its accessibility tree. {table}"
    ),
    "som": (
        "You see the screen as a picture in which everything that can be used has a red box with a number at its lower left "
        "corner, and as a list of the same things, which begins with their numbers. {table} In your code, index_N stands for "
        "the centre of box N of the screen that you saw last, such as pyautogui.click(index_3). The numbers change with "
        "every look."
    ),
}
_TABLE = (
    "The columns, parted by tabs, are TAG (what it is), NAME, POSITION (x, y of its upper left corner), SIZE (width, height) "
    "and TEXT. The middle of a thing is its position plus half its size."
)
_DONE_BY = {
    "pyautogui": (
        "You act by Python code that works the mouse and the keyboard with pyautogui; pyautogui and time are imported already. "
        "Each piece of code runs by itself: variables do not live on to the next. pyautogui.locateCenterOnScreen and "
        "pyautogui.screenshot are of no use here."
    ),
    "computer_13": (
        "You act by single actions of the mouse and the keyboard: MOVE_TO, CLICK, MOUSE_DOWN, MOUSE_UP, RIGHT_CLICK, "
        "DOUBLE_CLICK, DRAG_TO, SCROLL, TYPING, PRESS, KEY_DOWN, KEY_UP and HOTKEY. Places are given by x and y in pixels, "
        "from the upper left corner of the screen."
    ),
}
_INSTRUCTIONS = """\
You work on a Linux desktop with data-engineering software, for a person who has asked you for something. The screen is \
{width} pixels wide and {height} high.

# What you see
{seen}

# What you do
{done_by} You can also wait, look again, say that the task is done, or say that it cannot be done.

# What you should know
- You are the user `user`, with the home folder /home/user. The password, also for sudo, is `password`.
- Look closely at where things are: a click that misses does nothing, or something else.
- After an action you are told whether it was carried out, and you see the screen again. Whether it had the wished effect, \
only the screen says.
- Windows and pages need time to open. Wait if something is still loading.
- Do what was asked for and no more. Leave what is already open as it is, unless the task is about it.
- Save your work where the task says: what is only on the screen may not count.
- In a terminal, end each command with the Enter key, and see that it has ended before you give the next.
- Where keyboard shortcuts or a terminal are surer than the mouse, use them.
- Nobody answers questions. Decide for yourself, and go on until the task is done.
- When all is done, say so. If the task cannot be done at all, say that instead.
"""
_CONTEXT = "\n\n# Documents that may help\n{context}"


def instructions(config: DesktopConfig, screen: tuple[int, int]) -> str:
    seen = _SEEN[config.observation].format(table=_TABLE)
    return _INSTRUCTIONS.format(width=screen[0], height=screen[1], seen=seen, done_by=_DONE_BY[config.action_space])


def brief(task: DesktopTask, guidance: str, passages: Retrieval | None) -> Brief:
    """`found`: documents were looked for; that there are none is said too."""
    fields = {"question": task.form.instruction, "apps": ", ".join(task.form.related_apps)}
    if passages is None:
        return Brief(guidance, task.form.instruction, fields)
    context = _CONTEXT.format(context=passages.text) if passages.text else ""
    return Brief(guidance, task.form.instruction + context, {**fields, "context": passages.reason})
