"""`touchstone interact usersim`: a user model on trial. Imported when it is called."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from ...cli.terminal import say
from ...errors import EpisodeFailure, InputError, Unscorable, os_errors_as
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
    continued: Annotated[bool, Opt(names=("--continue",), group=RUN)] = False
    """Keep the answers in the file that --json names, of a trial that was interrupted, and ask the rest."""


class _Kept(Struct):
    """The file of a trial."""

    user: dict[str, Any]
    trials: list[Trial]


def usersim(config: InteractConfig, options: UsersimOptions) -> int:
    """Test a user model with questions whose right answer follows from the annotations."""
    if config.user_model is None:
        raise OptionError("user_model", None, "name the model to try, or scripted")
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise OptionError("json", options.json, f"there is no directory {options.json.parent}")
    if options.continued and options.json is None:
        raise OptionError("continued", None, "name the file of the trial with --json")
    asked = _questions(config)
    kept = _kept(options.json) if options.continued and options.json else None
    identity: dict[str, Any] = {}
    trials: list[Trial] = []
    try:
        asyncio.run(_try(config, asked, options.parallel, kept, identity, trials))
    except (EpisodeFailure, KeyboardInterrupt) as stop:
        if not trials:
            raise
        say(f"{str(stop) or 'interrupted'}: {len(trials):,} of {len(asked):,} questions were answered")
        _report(config.user_model, identity, trials, options.json)
        return 130 if isinstance(stop, KeyboardInterrupt) else 1
    _report(config.user_model, identity, trials, options.json)
    return 0


def _report(name: str, identity: dict[str, Any], trials: Sequence[Trial], file: Path | None) -> None:
    figures = table(trials)
    usage = sum((trial.usage for trial in trials), Usage())
    print(as_text(name, identity, figures, usage) + leaks_as_text(trials, identity.get("on_leak")), end="")
    if file is not None:
        content = {"user": identity, "figures": figures, "usage": usage, "trials": trials}
        with os_errors_as(InputError, f"--json {file}"):
            replace_file(file, msgspec.json.format(msgspec.json.encode(content)))


def _kept(file: Path) -> _Kept:
    with os_errors_as(InputError, f"--json {file}"):
        content = file.read_bytes()
    try:
        return msgspec.json.decode(content, type=_Kept)
    except msgspec.MsgspecError as error:
        raise InputError(f"--json {file}: this is no trial: {error}") from None


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


async def _try(
    config: InteractConfig,
    asked: Sequence[TrialQuestion],
    parallel: int,
    kept: _Kept | None,
    identity: dict[str, Any],
    trials: list[Trial],
) -> None:
    """Fills in who answers, and what became of the questions, as far as it comes."""
    async with AsyncExitStack() as stack:
        user = config.user(Opening(stack=stack, say=say, parallel=parallel))
        identity.update(user.identity())
        if kept and kept.user != identity:
            raise InputError("--continue: the trial in the file was held with another user model, mode, prompt or --on-leak")
        earlier: dict[tuple[str, str], list[Trial]] = {}
        for trial in kept.trials if kept else ():
            earlier.setdefault((trial.task, trial.question), []).append(trial)
        left: list[TrialQuestion] = []
        for question in asked:
            same = earlier.get((question.task, question.text))
            if same:
                trials.append(same.pop(0))
            else:
                left.append(question)
        async for trial in try_user(user, left, parallel, staged=config.user_sim != "vanilla"):
            trials.append(trial)  # noqa: PERF401 one by one: what came before an interruption is kept
