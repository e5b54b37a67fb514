"""Options of `touchstone desktop run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from .options import PLAY, RUN, PlayOptions

_SCREEN = Group("What the agent sees and does", sort_key=2)
_DESKTOP = Group("The desktop", sort_key=3)


@Parameter(name="*", group=PLAY)
@dataclass(frozen=True, kw_only=True)
class DesktopPlay(PlayOptions):
    agent: str = "screen"
    """screen (pictures and text, answers with code), tools (function calling), oracle (the reference), nothing (no action),
    done and fail (say so at once), replay (an earlier run), human (you, in the browser), command (a program of yours)."""
    max_turns: Annotated[int, Parameter(name=["--max-steps", "--max-turns"])] = 15
    """How many replies the model has for one task; each may hold several actions. Then the work is judged as it stands."""
    predictions: Path | None = None
    """What the replay agent plays: a run directory, whose calls are made again."""


@Parameter(name="*", group=_SCREEN)
@dataclass(frozen=True, kw_only=True)
class ScreenOptions:
    observation: Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"] = "screenshot"
    """A picture of the screen, a list of what is on it (from the accessibility tree), both, or a picture with numbered boxes
    and the list (set of marks)."""
    action_space: Literal["pyautogui", "computer_13"] = "pyautogui"
    """Python code, or one of 13 kinds of actions as JSON."""
    history: int = 3
    """How many earlier turns, with what was seen in them, the model is shown."""
    sleep_after_action: float = 0.5
    """Seconds between an action and the look at what it did."""
    settle: float = 10.0
    """The most seconds that the first look waits for a screen at rest."""
    a11y_max_tokens: int = 5_000
    """Where the list is cut, in estimated tokens."""
    task_timeout: float = 1_800.0
    """Seconds for each task, from the end of its set-up until it is judged."""
    eval_timeout: float = 300.0
    """Seconds for each script or command of the set-up and of the evaluation; one that takes longer is an error, not a 0."""


@Parameter(name="*", group=_DESKTOP)
@dataclass(frozen=True, kw_only=True)
class ProviderOptions:
    provider: str = "sandbox"
    """Where desktops come from: sandbox, docker, remote (--address), or module:function of your own, which is given the
    settings and gives a maker of desktops."""
    address: str | None = None
    """The controller of a running desktop, such as http://host:5000 (with --provider remote)."""
    reset_command: str | None = None
    """A shell command that makes the remote desktop clean again, run here before each task."""
    network: Annotated[bool, Parameter(negative="")] = False
    """Let the desktop use the network; tasks that need it are skipped otherwise."""
    offline_web: Annotated[bool, Parameter(negative="")] = False
    """Without a network: let stand-ins on the desktop answer for a few public addresses that tasks read from."""
    settings: Path | None = None
    """The accounts' settings; by default those in the dataset."""
    video: bool = True
    """Record a video of each task."""


@Parameter(name="*", group=RUN)
@dataclass(frozen=True, kw_only=True)
class DesktopRun:
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = 1
    """How many tasks at once, each on a desktop of its own."""
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    """Where run directories are made; by default results/<model>-desktop/."""
    resume: Annotated[Path | None, Parameter(name=["--resume", "-r"])] = None
    """Go on with this run directory, with the options it had."""
    config: Path | None = None
    """A TOML file of options, such as the config.toml of a run; what is given on the command line counts more."""
    max_consecutive_errors: int = 5
    """Stop the run after this many infrastructure errors in a row; 0 never stops."""
    each: Annotated[bool, Parameter(name=["--each", "-v"], negative="")] = False
    """Print each task's outcome and reason as it ends."""
