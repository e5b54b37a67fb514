"""`touchstone interact`: BIRD-Interact with any agent, a simulated user and a budget."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter

from ..benchmarks.audit import remaining
from ..benchmarks.interact.benchmark import Interact, Settings
from ..benchmarks.interact.rules import RULES, Prices, read_prices
from ..benchmarks.interact.tasks import InteractTask, data_file, load_tasks, select
from ..benchmarks.interact.user.building import SCRIPTED, build_user, check_prompts
from ..benchmarks.interact.user.prompts import VERSIONS, UserMode
from ..benchmarks.interact.user.situation import User
from ..failures import InputError
from ..plugins import agent_type
from ..protocols import Limits
from ..runs.run import Plan
from .building import build_model, build_player, read_instructions, recorded_calls, refuse_odd_numbers, solutions
from .command_options import CommandOptions, command_settings
from .conduct import Conduct, conduct, exit_code, safe_name, say
from .dialogue import show, show_request
from .interact_databases import open_worlds
from .interact_options import (
    DatabaseOptions,
    InteractionOptions,
    InteractJudge,
    InteractPlay,
    InteractRun,
    InteractSelect,
    OldOptions,
)
from .options import as_arguments
from .progress import one_line

app = App(name="interact", help="BIRD-Interact: ambiguous requests, a simulated user, a budget and a follow-up.")


@dataclass(frozen=True, kw_only=True)
class Request:
    """All that one run is made of."""

    dataset: Path
    selected: InteractSelect
    play: InteractPlay
    interaction: InteractionOptions
    databases: DatabaseOptions
    judged: InteractJudge
    run: InteractRun
    command: CommandOptions = CommandOptions()


@app.default
def interact(
    dataset: Annotated[Path | None, Parameter(name=["--dataset", "--data_path", "--data"])] = None,
    *,
    selected: InteractSelect = InteractSelect(),
    play: InteractPlay = InteractPlay(),
    interaction: InteractionOptions = InteractionOptions(),
    databases: DatabaseOptions = DatabaseOptions(),
    judged: InteractJudge = InteractJudge(),
    run: InteractRun = InteractRun(),
    command: CommandOptions = CommandOptions(),
    old: OldOptions = OldOptions(),
) -> int:
    """Play BIRD-Interact tasks with an agent, and score it.

    Parameters
    ----------
    dataset
        The directory of Lite, Full or mini-interact as published, ground truth merged in (see combine); or its task file.
    """
    if dataset is None:
        raise InputError("interact needs DATASET_DIR, or --resume RUN_DIR")
    _tell_without_effect(old)
    request = Request(
        dataset=dataset,
        selected=selected,
        play=play,
        interaction=interaction,
        databases=databases,
        judged=judged,
        run=run,
        command=command,
    )
    return asyncio.run(play_all([request]))


async def play_all(requests: Sequence[Request]) -> int:
    """One run after the other, on the same databases. Ends with the first that does not end well."""
    first = requests[0]
    refuse_odd_numbers(first.play, first.judged, first.run)
    file = data_file(first.dataset)
    chosen = choose(load_tasks(file), first.selected)
    settings = [settings_of(request) for request in requests]
    instructions = read_instructions(first.play.system_prompt)
    async with AsyncExitStack() as stack:
        user = _user(first, stack)
        worlds = await open_worlds(file.parent, chosen, first.databases, first.judged, stack)
        for request, setting in zip(requests, settings, strict=True):
            benchmark = Interact(chosen, file.parent, worlds, user, settings=setting, instructions=instructions)
            if request is first:
                tell_withheld(benchmark)
            async with AsyncExitStack() as own:
                if code := await _play(request, benchmark, worlds.versions, own):
                    return code
    return 0


async def _play(request: Request, benchmark: Interact, versions: Mapping[str, str], stack: AsyncExitStack) -> int:
    play, run, interaction = request.play, request.run, request.interaction
    scripts = {"solution": lambda: solutions(benchmark), "predictions": lambda: recorded_calls(play.predictions)}
    folder = data_file(request.dataset).parent
    hidden = (folder, request.databases.dumps, run.output or Path("results"), run.resume, play.predictions)
    settings = command_settings(request.command, hidden)
    used = () if _user_name(request) == SCRIPTED else ("--base-url", "--service-tier")
    player = build_player(play, None, run.parallel, stack, scripts, protocol="tags", command=settings, used=used)
    tasks = benchmark.tasks()
    human = play.agent == "human"
    shown = run.verbose and len(tasks) * play.epochs == 1 and not human
    identity = await benchmark.identity()
    title = f"BIRD-Interact, {interaction.mode}: {player.title}{_user_in_words(identity)}, rules {interaction.compat}"
    plan = Plan(
        title=title + scorable_in_words(benchmark),
        benchmark=benchmark,
        agent=player.agent,
        epochs=play.epochs,
        parallel=1 if human else run.parallel,
        max_consecutive_errors=run.max_consecutive_errors,
        watch=show if shown else None,
        versions=versions,
    )
    how = Conduct(
        command="interact",
        arguments=arguments_of(request),
        identity={**identity, **player.identity},
        base=run.output or Path("results", f"{safe_name(player.name)}-interact"),
        resume=run.resume,
        describe=one_line if run.verbose else None,
        live=not (human or shown),
        begun=lambda _: _show_request(benchmark) if shown else None,
        facts={"scorable": benchmark.scorable()},
    )
    return exit_code(*await conduct(plan, how))


def scorable_in_words(benchmark: Interact) -> str:
    """For the title of a run; nothing if all of it can be scored."""
    scorable, total = benchmark.scorable(), len(benchmark.tasks())
    return "" if scorable == total else f", {scorable} of {total} tasks can be scored"


def tell_withheld(benchmark: Interact) -> None:
    """Before anything is played: a run of hours may be worth nothing without the ground truth."""
    scorable, total = benchmark.scorable(), len(benchmark.tasks())
    if scorable < total:
        say(
            f"{total} tasks can be played, {scorable} can be scored: the gold of {total - scorable} is withheld "
            "(merge it in with 'touchstone interact combine')"
        )


def _show_request(benchmark: Interact) -> None:
    (task,) = benchmark.tasks()
    if task.phases:
        show_request(benchmark.request(task), benchmark.budget_in_words(task))


def _user_in_words(identity: Mapping[str, Any]) -> str:
    return f", user {identity['user']['model']}, patience {identity['patience']:g}" if identity["user"] else ""


def arguments_of(request: Request) -> dict[str, Any]:
    groups = [getattr(request, field.name) for field in fields(request) if field.name != "dataset"]
    arguments = as_arguments(*groups, dataset=request.dataset)
    prompts = request.interaction.user_prompt
    if prompts is not None and prompts not in VERSIONS:
        arguments["user-prompt"] = arguments.given["user-prompt"] = str(Path(prompts).absolute())
    return arguments


def settings_of(request: Request) -> Settings:
    given = request.interaction
    prices = read_prices(given.prices) if given.prices else Prices()
    if given.start_budget is not None:
        prices = msgspec.structs.replace(prices, start_budget=given.start_budget)
    for option, value in (("--patience", given.patience), ("--start-budget", given.start_budget)):
        if value is not None and not 0 <= value < inf:
            raise InputError(f"{option} {value:g}: expected 0 or more")
    seconds = request.judged.sql_timeout
    return Settings(
        mode=given.mode,
        compat=given.compat,
        patience=given.patience,
        prices=prices,
        exploring=Limits(seconds=seconds, rows=10_000, cut_rows=True),
        judging=Limits(seconds=seconds),
    )


def _user(request: Request, stack: AsyncExitStack) -> User:
    """The simulated user: a model like any other, or a script."""
    given = request.interaction
    name = _user_name(request)
    prompts = given.user_prompt or RULES[given.compat].user_prompt
    mode: UserMode = "faithful" if given.user_sim == "encoder_decoder" else given.user_sim
    check_prompts(prompts, mode)
    if name == SCRIPTED:
        return build_user(SCRIPTED)
    if name.startswith("recorded"):
        raise InputError("a recording holds the replies of the agent's model only; name the user's with --user-model")
    url = given.user_base_url or request.play.base_url
    model = build_model(name, request.run.parallel, base_url=url, service_tier=request.play.service_tier)
    stack.push_async_callback(model.close)
    return build_user(model, prompts, mode=mode, on_leak=given.on_leak)


def _user_name(request: Request) -> str:
    needs_model = agent_type(request.play.agent).needs_model
    return request.interaction.user_model or (request.play.model if needs_model else SCRIPTED)


def choose(tasks: Sequence[InteractTask], selected: InteractSelect) -> list[InteractTask]:
    return select(
        remaining(tasks, selected.exclude_audit, benchmark="interact", say=say),
        category=selected.category,
        databases=selected.database,
        ids=selected.task,
        offset=selected.offset,
        limit=None if selected.limit == -1 else selected.limit,  # as the published scripts say "all"
    )


def _tell_without_effect(old: OldOptions) -> None:
    given = [f"--{field.name}" for field in fields(old) if getattr(old, field.name) is not None]
    if given:
        print(f"touchstone: without effect here: {', '.join(given)}", file=sys.stderr)
