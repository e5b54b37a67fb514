"""`touchstone desktop run`: an agent plays Spider2-V's tasks on a desktop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..addresses import address_of
from ..benchmarks.desktop.accounts import Accounts
from ..benchmarks.desktop.benchmark import DesktopBenchmark
from ..benchmarks.desktop.dataset import Dataset
from ..benchmarks.desktop.selecting import select as select_tasks
from ..benchmarks.desktop.settings import Settings
from ..benchmarks.desktop.tasks import load_tasks
from ..failures import InputError
from ..runs.run import Plan
from ..values import ToolCall
from .building import ScreenSettings, Script, build_player, read_instructions, recorded_calls
from .command_options import CommandOptions, command_settings
from .conduct import Conduct, conduct, exit_code, safe_name
from .desktop import EXAMPLES, DesktopSelect
from .desktop_documents import DocumentOptions, retriever
from .desktop_options import DesktopPlay, DesktopRun, ProviderOptions, ScreenOptions
from .options import SELECT, Arguments, as_arguments
from .progress import one_line

if TYPE_CHECKING:
    from ..benchmarks.desktop.guests import Desktop


def run(
    dataset: Path = EXAMPLES,
    *,
    select: DesktopSelect = DesktopSelect(),
    limit: Annotated[int | None, Parameter(name=["--limit", "-n"], group=SELECT)] = None,
    play: DesktopPlay = DesktopPlay(),
    screen: ScreenOptions = ScreenOptions(),
    desktop: ProviderOptions = ProviderOptions(),
    documents: DocumentOptions = DocumentOptions(),
    run: DesktopRun = DesktopRun(),
    command: CommandOptions = CommandOptions(),
) -> int:
    """Play desktop tasks with an agent, and score it.

    Parameters
    ----------
    dataset
        The published evaluation_examples, or another dataset in its form.
    limit
        Play at most this many tasks, after all filters.
    """
    _refuse_odd(play, screen, desktop, run)
    _refuse_impossible(play, screen, desktop, run)
    source = Dataset(dataset)
    known = load_tasks(source)
    chosen = select_tasks(known, select.selection(), source)[:limit]
    benchmark = DesktopBenchmark(
        chosen,
        source,
        Accounts(desktop.settings or source.root / "settings"),
        _maker(desktop),
        known=known,
        settings=Settings(
            observation=screen.observation,
            action_space=screen.action_space,
            sleep_after_action=screen.sleep_after_action,
            settle=screen.settle,
            a11y_max_tokens=screen.a11y_max_tokens,
            task_timeout=screen.task_timeout,
            eval_timeout=screen.eval_timeout,
            video=desktop.video,
            network=desktop.network,
            offline_web=desktop.offline_web,
        ),
        told=read_instructions(play.system_prompt),
        retriever=retriever(documents),
    )
    arguments = as_arguments(select, play, screen, desktop, documents, run, command, dataset=dataset, limit=limit)
    return asyncio.run(_play(benchmark, source, arguments, play, screen, run, command))


async def _play(
    benchmark: DesktopBenchmark,
    source: Dataset,
    arguments: Arguments,
    play: DesktopPlay,
    screen: ScreenOptions,
    run: DesktopRun,
    command: CommandOptions,
) -> int:
    human = play.agent == "human"
    async with AsyncExitStack() as stack:
        stack.push_async_callback(benchmark.close)
        scripts = {"solution": lambda: _references(benchmark), "predictions": lambda: recorded_calls(play.predictions)}
        hidden = (source.root, run.output or Path("results"), run.resume, play.predictions)
        player = build_player(
            play,
            None,
            run.parallel,
            stack,
            scripts,
            command=command_settings(command, hidden),
            screen=ScreenSettings(screen.history),
        )
        plan = Plan(
            title=f"Spider2-V: {player.title}, sees {screen.observation}, acts by {screen.action_space}",
            benchmark=benchmark,
            agent=player.agent,
            epochs=play.epochs,
            parallel=1 if human else run.parallel,
            max_consecutive_errors=run.max_consecutive_errors,
        )
        how = Conduct(
            command="desktop run",
            arguments=arguments,
            identity={**await benchmark.identity(), **player.identity},
            base=run.output or Path("results", f"{safe_name(player.name)}-desktop"),
            resume=run.resume,
            describe=one_line if run.each else None,
            live=not human,
            begun=lambda path: setattr(benchmark, "artefacts", path),
        )
        return exit_code(*await conduct(plan, how))


def _references(benchmark: DesktopBenchmark) -> Script:
    """Each is read when it is played: gold files can be large."""
    tasks = {task.key: task for task in benchmark.tasks()}

    def script(key: str) -> Sequence[ToolCall]:
        return benchmark.solution(tasks[key])

    return script


def _maker(given: ProviderOptions) -> Callable[[], Desktop]:
    from ..benchmarks.desktop.providers import ProviderSettings, provider

    settings = ProviderSettings(
        address=given.address, reset_command=given.reset_command, network=given.network, offline_web=given.offline_web
    )
    module, colon, name = given.provider.partition(":")
    if not colon:
        return provider(given.provider, settings)
    try:
        make: Any = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"--provider {given.provider}: {error}") from None
    return make(settings)


def _refuse_odd(play: DesktopPlay, screen: ScreenOptions, desktop: ProviderOptions, run: DesktopRun) -> None:
    if play.epochs < 1 or run.parallel < 1 or play.max_turns < 1 or screen.a11y_max_tokens < 1:
        raise InputError("--epochs, --parallel, --max-steps and --a11y-max-tokens must be positive")
    if not 0 < screen.task_timeout < inf:
        raise InputError("--task-timeout must be positive")
    if not 0 <= screen.sleep_after_action < inf or not 0 <= screen.settle < inf or screen.history < 0:
        raise InputError("--sleep-after-action, --settle and --history must be 0 or more")
    if desktop.provider != "remote" and (desktop.address or desktop.reset_command):
        raise InputError("--address and --reset-command are for --provider remote")
    if desktop.provider == "remote" and not desktop.address:
        raise InputError("--provider remote needs --address: the controller of a running desktop")


def _refuse_impossible(play: DesktopPlay, screen: ScreenOptions, desktop: ProviderOptions, run: DesktopRun) -> None:
    by_code = screen.action_space == "pyautogui"
    if screen.observation == "som" and not by_code:
        raise InputError("--observation som is for --action-space pyautogui: the numbers of boxes stand in code")
    if play.agent in ("oracle", "human") and not by_code:
        raise InputError(f"--agent {play.agent} plays with --action-space pyautogui")
    if desktop.provider == "remote" and run.parallel > 1:
        raise InputError("--provider remote has one desktop: use --parallel 1")
    for place in (run.output, run.resume):
        if place is not None and address_of(place):
            raise InputError(f"{place}: pictures and videos are only written to a directory on this machine")
