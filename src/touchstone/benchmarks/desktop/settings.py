"""What changes how a desktop task is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .observations import Space

ActionSpace = Literal["pyautogui", "computer_13"]


@dataclass(frozen=True, kw_only=True)
class DesktopSettings:
    observation: Space = "screenshot"
    action_space: ActionSpace = "pyautogui"
    sleep_after_action: float = 0.5
    """Seconds between an action and the next observation."""
    a11y_max_tokens: int = 5_000
    """Where the text of the accessibility tree is cut."""
    task_timeout: float = 1_800.0
    """Seconds for a task, from the end of its set-up to the end of the agent's work."""
    eval_timeout: float = 300.0
    """Seconds for a script or command of the set-up or of the evaluation."""
    settle: float = 10.0
    """How many seconds at most the first observation waits for the screen to stop changing."""
    ahead: int = 0
    """How many tasks are set up while others are played."""
    video: bool = True
    network: bool = False
    offline_web: bool = False
