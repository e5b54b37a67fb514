"""From options to a user."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ....failures import InputError
from ....protocols import Model
from .prompts import VERSIONS, Prompts, UserMode, load_prompts
from .scripted import ScriptedUser
from .simulated import OnLeak, SimulatedUser
from .situation import User

SCRIPTED = "scripted"


def check_prompts(prompts: str | Path, mode: UserMode = "guarded") -> None:
    """Raises InputError if there are no such prompts."""
    _loaded(prompts, mode)


def build_user(
    by: Model | Literal["scripted"],
    prompts: str | Path = "v2",
    retries: int = 2,
    *,
    mode: UserMode = "guarded",
    on_leak: OnLeak | None = None,
) -> User:
    """A user that a model plays, which stays the caller's to close; or the one that needs none.

    The prompts are a version's name, or a directory.
    """
    if isinstance(by, str):
        if by != SCRIPTED:
            raise InputError(f"there is no user '{by}': it is '{SCRIPTED}' or a model")
        return ScriptedUser()
    return SimulatedUser(by, _loaded(prompts, mode), retries, on_leak)


def _loaded(prompts: str | Path, mode: UserMode) -> Prompts:
    return load_prompts(prompts if prompts in VERSIONS else Path(prompts), mode)
