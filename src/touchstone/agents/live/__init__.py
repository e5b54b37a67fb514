"""A person plays a task that has a screen, in the browser: the screen is shown, mouse and keyboard are passed on.

agent     an episode after the other, for the one person there is
server    the page and its few requests, on this machine alone, behind a path that cannot be guessed
events    what the person did, as pyautogui code
page.*    what the browser shows
"""

from __future__ import annotations

from .agent import LiveAgent

__all__ = ["LiveAgent"]
