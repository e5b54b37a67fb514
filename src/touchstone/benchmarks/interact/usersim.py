"""`touchstone interact usersim`: a user model on trial. Imported when it is called."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ...cli.terminal import say
from ...errors import InputError, Unscorable
from ...options import Count, Opt, OptionError, Options
from ...protocols import RUN, Opening
from ...reports.estimates import Estimate, estimate_of, percent
from ...runs.directory import replace_file
from ...types import Usage
from .catalogue import Catalogue
from .config import InteractConfig
from .episode_databases import sqlite_file
from .user.trial import Trial, TrialQuestion, questions, try_user
from .user.view import CHOICES

_MEASURES = ("right choice", "safe answer", "leaks", "refusals", "faults")


class UsersimOptions(Options, frozen=True):
    """How a trial is held."""

    parallel: Annotated[Count, Opt(names=("-p",), group=RUN)] = 4
    """How many questions at once."""
    json: Annotated[Path | None, Opt(names=("--output", "-o"), target=True, group=RUN)] = None
    """Write the figures and every question with its answer to this file."""


def usersim(config: InteractConfig, options: UsersimOptions) -> int:
    """Test a user model with questions whose right answer follows from the annotations."""
    if config.user_model is None:
        raise OptionError("user_model", None, "name the model to try, or scripted")
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise OptionError("json", options.json, f"there is no directory {options.json.parent}")
    asked = _questions(config)
    identity, trials = asyncio.run(_tried(config, asked, options.parallel))
    figures = table(trials)
    usage = sum((trial.usage for trial in trials), Usage())
    print(as_text(config.user_model, identity, figures, usage) + leaks_as_text(trials, identity.get("on_leak")), end="")
    if options.json is not None:
        content = {"user": identity, "figures": figures, "usage": usage, "trials": trials}
        try:
            replace_file(options.json, msgspec.json.format(msgspec.json.encode(content)))
        except OSError as error:
            raise InputError(f"--json {options.json}: {error.strerror}") from None
    return 0


def table(trials: Sequence[Trial]) -> dict[str, dict[str, Estimate]]:
    """By the kind of question, each share over the questions of that kind, clustered by task."""
    groups = {"all": list(trials)} | {kind: [trial for trial in trials if trial.expected == kind] for kind in CHOICES}
    return {name: _measured(members) for name, members in groups.items() if members}


def _measured(trials: Sequence[Trial]) -> dict[str, Estimate]:
    values: dict[str, list[tuple[str, float | None]]] = {
        "right choice": [(trial.task, trial.stage_1) for trial in trials],
        "safe answer": [(trial.task, trial.stage_2) for trial in trials],
        "leaks": [(trial.task, bool(trial.answer.leaks or trial.answer.withheld)) for trial in trials],
        "refusals": [(trial.task, trial.refused) for trial in trials],
        "faults": [(trial.task, bool(trial.answer.faults)) for trial in trials],
    }
    return {
        name: estimate_of([(task, float(value)) for task, value in pairs if value is not None])
        for name, pairs in values.items()
    }


def as_text(name: str, identity: dict[str, Any], figures: dict[str, dict[str, Estimate]], usage: Usage) -> str:
    mode = f", {identity['mode']}" if "mode" in identity else ""
    lines = [f"The simulated user {name}{mode}, in percent with 95% intervals:"]
    lines.append("  " + f"{'questions':<14}{'n':>6}" + "".join(f"{measure:>24}" for measure in _MEASURES))
    for kind, measures in figures.items():
        cells = "".join(f"{percent(measures[measure]):>24}" for measure in _MEASURES)
        lines.append(f"  {kind:<14}{measures['safe answer'].n:>6}{cells}")
    if usage.calls:
        cost = "unknown" if usage.cost is None else f"${usage.cost:,.4f}"
        lines.append(f"{usage.calls:,} calls, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, cost {cost}")
    return "\n".join(lines) + "\n"


def leaks_as_text(trials: Sequence[Trial], on_leak: str | None) -> str:
    """What was given away, and what became of those answers."""
    leaking = [trial for trial in trials if trial.answer.leaks or trial.answer.withheld]
    if not leaking:
        return ""
    passed_on = sum(bool(trial.answer.leaks) for trial in leaking)
    refused = sum(trial.refused for trial in leaking)
    asked = f" (--on-leak {on_leak})" if on_leak else ""
    what = Counter(leak for trial in leaking for leak in {*trial.answer.leaks, *trial.answer.withheld})
    return (
        f"{len(leaking)} answers gave away too much: {passed_on} passed on, {len(leaking) - passed_on - refused} put in other "
        f"words, {refused} refused{asked}\n"
        f"most often: {', '.join(f'{leak} ({number})' for leak, number in sorted(what.items(), key=_by_number)[:5])}\n"
    )


def _by_number(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def _questions(config: InteractConfig) -> list[TrialQuestion]:
    trial_questions: list[TrialQuestion] = []
    texts: dict[str, Catalogue] = {}
    without = 0
    for task in config.chosen(say):
        try:
            if task.database not in texts:
                texts[task.database] = Catalogue(config.directory, task.database)
        except Unscorable as reason:
            raise InputError(str(reason)) from None
        without += not task.phases[0].gold
        dialect = "sqlite" if sqlite_file(config.directory, task).is_file() else "postgres"
        trial_questions += questions(task, texts[task.database], dialect)
    if without:
        say(f"{without} tasks have no gold here: no questions about its clauses, and no leaks of it can be found")
    return trial_questions


async def _tried(config: InteractConfig, asked: Sequence[TrialQuestion], parallel: int) -> tuple[dict[str, Any], list[Trial]]:
    async with AsyncExitStack() as stack:
        user = config.user(Opening(stack=stack, say=say, parallel=parallel))
        staged = config.user_sim != "vanilla"
        return user.identity(), [trial async for trial in try_user(user, asked, parallel, staged=staged)]
