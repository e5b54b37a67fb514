"""What changes how a desktop task is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .observations import Space

ActionSpace = Literal["pyautogui", "computer_13"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    observation: Space = "screenshot"
    action_space: ActionSpace = "pyautogui"
    sleep_after_action: float = 0.5
    """Seconds between an action and the look at what it did."""
    a11y_max_tokens: int = 5_000
    """Where the text of the accessibility tree is cut."""
    task_timeout: float = 1_800.0
    """Seconds for a task, from the end of its set-up to the end of the agent's work."""
    settle: float = 5.0
    """Seconds between the set-up and the first look, and as many again if the screen is not at rest then."""
    video: bool = True
    network: bool = False
