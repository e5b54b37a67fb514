"""BIRD-Interact's options, and what can be done with them: play, score submissions, audit the gold."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec.structs import force_setattr

from ...datasets import fetched_file, interact_demo
from ...distribution import pip_install, refuse_without
from ...engines.today import checked_day
from ...errors import InputError
from ...options import NotNegative, Opt, OptionError, Positive, WholeNumber, fields
from ...plugins import agent_config, model_config, model_type
from ...protocols import JUDGING, TASKS, WHO, Check, Hints, ModelConfig, Move, Opening, ScoreOptions, Scoring
from ...types import Limits, Outcome, Record, Task
from ..audit import remaining
from ..audit.audited import Audited, AuditOptions
from ..sql_episode import read_instructions
from ..task_file import Selection
from .rules import RULES, Compat, Mode, Prices, read_prices
from .tasks import Category, InteractTask, data_file, load_tasks, select
from .user.prompts import VERSIONS, UserMode

if TYPE_CHECKING:
    from ...datasets.catalogue import Dataset
    from ...reports.estimates import RunSection
    from ..data_check import Found
    from .benchmark import Interact, InteractSettings
    from .predictions import Submissions
    from .user.view import User

C = TypeVar("C", bound="InteractConfig")

INTERACTION, DATABASES = "The interaction", "Databases"
SCRIPTED = "scripted"
_SHARED = ("base_url", "service_tier", "model_timeout", "model_retries")
"""Options of the agent's model that hold for the user's too, unless it has its own. How a model samples is its own affair."""


class InteractSelection(Selection, frozen=True, kw_only=True):
    """Options that choose among the tasks."""

    limit: Annotated[int | None, Opt(names=("-n",), group=TASKS)] = None
    """At most this many tasks, after all other filters; -1 for all."""
    offset: Annotated[WholeNumber, Opt(names=("--start_index",), group=TASKS)] = 0
    """Skip this many tasks first."""
    category: Annotated[Category | None, Opt(group=TASKS)] = None
    """Only tasks of this category."""
    task: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only the task with this instance_id (repeatable); with -v, a single task is shown as it is played."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.limit == -1:  # as the published scripts say "all"
            force_setattr(self, "limit", None)
        elif self.limit is not None and self.limit < 1:
            raise OptionError("limit", self.limit, "expected a positive whole number, or -1 for all tasks")


class InteractConfig(InteractSelection, frozen=True):
    """Play BIRD-Interact: ambiguous requests, a simulated user, a budget and a follow-up."""

    name: ClassVar[str] = "interact"
    label: ClassVar[str] = "BIRD-Interact"
    defaults: ClassVar[Mapping[str, Any]] = {"max_turns": 60}
    commands: ClassVar[Mapping[str, str]] = {
        word: f"touchstone.benchmarks.interact.commands:{name}"
        for word, name in (
            ("combine", "combine"),
            ("load", "load"),
            ("sweep", "Sweep"),
            ("export", "export"),
            ("report", "report"),
        )
    } | {"usersim": "touchstone.benchmarks.interact.usersim:usersim"}
    synonyms: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "model": ("--agent_model",),
        "max_turns": ("--max_turns",),
        "parallel": ("--num_threads", "--concurrency"),
        "output": ("--output_path", "--log_dir", "--base_output_dir"),
    }

    dataset: Annotated[Path | None, Opt(names=("--data_path", "--data"), positional=True)] = None
    """The directory of Lite, Full or mini-interact as published, ground truth merged in (see combine); or its task file. Or a
    dataset's name: demo, or one that is fetched."""
    task_file: Annotated[str | None, Opt(group=TASKS, advanced=True)] = None
    """The name of the task file in that directory, if it is not the published one."""

    mode: Annotated[Mode | None, Opt(group=INTERACTION)] = None
    """agentic (tools and a budget; the default), conversational (questions, then SQL), single (the clear request, one
    submission). Existing results are scored in the mode in which they were made."""
    compat: Annotated[Compat, Opt(group=INTERACTION)] = "strict"
    """Which rules apply where the published implementations disagree: ours (strict), or one of theirs."""
    patience: Annotated[NotNegative | None, Opt(names=("--user_patience_budget",), group=INTERACTION)] = None
    """Added to the budget: 6 coins by default (published levels: 0, 6, 10, 14); in conversations 3 turns (0, 3, 5, 7)."""
    start_budget: Annotated[NotNegative | None, Opt(group=INTERACTION, advanced=True)] = None
    """Coins before ambiguities and patience are added; 6 by default."""
    prices: Annotated[Path | None, Opt(group=INTERACTION, advanced=True)] = None
    """A JSON file that overrides what actions cost and what a task starts with."""
    user_model: Annotated[str | None, Opt(names=("--user_model",), group=INTERACTION)] = None
    """Who answers questions: a model, named as for --model, or scripted (from the annotations alone). By default the agent's
    model, and scripted for an agent without one."""
    user_base_url: Annotated[str | None, Opt(group=INTERACTION, advanced=True)] = None
    """The endpoint of the user's model, if it is not the agent's."""
    user_service_tier: Annotated[str | None, Opt(group=INTERACTION, advanced=True)] = None
    """The service tier of the user's model, if it is not the agent's."""
    user_sim: Annotated[
        Literal["guarded", "faithful", "vanilla", "encoder_decoder"], Opt(names=("--user_sim_mode",), group=INTERACTION)
    ] = "guarded"
    """What the user's model is told: guarded (ours: when it answers, only the chosen piece), faithful (everything at both
    stages, as published; the published scripts call it encoder_decoder), vanilla (everything, without stages)."""
    user_prompt: Annotated[str | None, Opt(names=("--user_sim_prompt_version",), group=INTERACTION, advanced=True)] = None
    """v1, v2, or a directory with prompts of your own; v2 by default (v1 with --compat conv)."""
    user_prompt_folder: Annotated[Path | None, Opt(group=INTERACTION, advanced=True)] = None
    """That directory, if --user-prompt names none."""
    on_leak: Annotated[Literal["flag", "retry", "refuse"] | None, Opt(group=INTERACTION)] = None
    """What to do with an answer that gives away too much: pass it on with a note (flag), ask once more and then refuse
    (retry), or refuse. By default retry with --user-sim guarded, else flag, as published."""
    system_prompt: Annotated[Path | None, Opt(group=WHO, advanced=True)] = None
    """A file with instructions that replace the built-in ones."""

    engine: Annotated[Literal["auto", "postgres", "sqlite"], Opt(group=DATABASES)] = "auto"
    """auto takes SQLite if the dataset has SQLite files."""
    dumps: Annotated[Path | None, Opt(group=DATABASES)] = None
    """The published per-table dumps; by default postgre_table_dumps in the dataset or beside it. Loaded once, then kept."""
    database_url: Annotated[str | None, Opt(env="TOUCHSTONE_DATABASE_URL", group=DATABASES)] = None
    """A PostgreSQL server of yours with <db>_template databases: postgresql://user@host:port. By default a private one is
    started for the run and removed afterwards."""
    db_host: Annotated[str | None, Opt(names=("--db_host",), group=DATABASES, advanced=True)] = None
    """The host of such a server; user and password come from PGUSER and PGPASSWORD, else from the published image."""
    db_port: Annotated[int | None, Opt(names=("--db_port",), group=DATABASES, advanced=True)] = None
    """Its port."""

    sql_timeout: Annotated[Positive, Opt(group=JUDGING)] = 60.0
    """Seconds for each statement: 70 million steps each on SQLite, the clock on PostgreSQL."""
    proof: Annotated[bool, Opt(group=JUDGING)] = False
    """For each query that is right, look for a small database on which it differs from the gold. The database system of the
    dataset is asked, so on PostgreSQL it takes longer."""
    today: Annotated[str | None, Opt(group=JUDGING)] = None
    """The date that SQL and hidden tests see as today, such as 2025-02-19, for gold queries that depend on it."""
    locale: Annotated[str | None, Opt(group=DATABASES, advanced=True)] = None
    """The sort order of the private PostgreSQL server: a system locale (C, en_US.utf8) or an ICU locale (icu:en-US). By
    default that of the published server: en_US.utf8, else icu:en-US; the run says which."""
    time_zone: Annotated[str | None, Opt(group=DATABASES, advanced=True)] = None
    """The time zone of PostgreSQL sessions. The published server's is Asia/Hong_Kong, the private one's UTC."""
    cache: Annotated[bool, Opt(group=JUDGING, advanced=True)] = True
    """Reuse cached results of earlier runs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_day(self.today)
        if self.time_zone is not None and not re.fullmatch(r"[\w+/-]+", self.time_zone):
            raise OptionError("time_zone", self.time_zone, "expected a time zone such as Asia/Hong_Kong")
        dataset = _named(self.dataset)
        if dataset.is_file():  # its databases are beside it: what is hidden or shipped is the directory
            force_setattr(self, "task_file", dataset.name)
            dataset = dataset.parent
        force_setattr(self, "dataset", dataset)
        if self.user_prompt is not None and self.user_prompt not in VERSIONS:
            force_setattr(self, "user_prompt_folder", Path(self.user_prompt))
            force_setattr(self, "user_prompt", None)

    @property
    def directory(self) -> Path:
        assert self.dataset is not None
        return self.dataset

    @property
    def file(self) -> Path:
        """The task file."""
        return data_file(self.directory / self.task_file if self.task_file else self.directory)

    def hints(self) -> Hints:
        return Hints(text_protocol="tags")

    def chosen(self, say: Callable[[str], None] = lambda _: None) -> list[InteractTask]:
        """The tasks to play."""
        return select(
            remaining(load_tasks(self.file), self.exclude_audit, benchmark=self.name, say=say),
            category=self.category,
            databases=self.database,
            ids=self.task,
            offset=self.offset,
            limit=self.limit,
        )

    @classmethod
    def translated(cls, argv: list[str]) -> list[str]:
        from .published_flags import as_ours

        return as_ours(argv)

    async def open(self, opening: Opening) -> Interact:
        from .benchmark import Interact
        from .databases import open_databases

        tasks, settings, user = self.chosen(opening.say), self.settings(), self.user(opening)
        instructions = read_instructions(self.system_prompt)
        databases = await open_databases(self, tasks, opening)
        benchmark = Interact(tasks, self.directory, databases, user, settings=settings, instructions=instructions)
        if withheld := benchmark.withheld_in_words():
            opening.say(withheld)
        return benchmark

    def scoring(self, options: ScoreOptions) -> Scoring:
        """Results cover what was played; a prediction file must cover what is scored."""
        path = options.predictions
        assert path is not None
        tasks, submissions = [task.key for task in self.chosen()], self.submissions(path)
        missing = [key for key in tasks if key not in submissions.by_task]
        chosen: dict[str, Any] = {}
        if submissions.changed:
            warn(
                f"{submissions.changed} of {len(submissions.by_task)} tasks are not as the run found them: "
                "they are judged as they are now"
            )
        if missing and not options.allow_missing:
            if not submissions.is_run:
                raise InputError(
                    f"{path}: {len(missing)} of {len(tasks)} tasks have no prediction, the first is {missing[0]} "
                    "(--allow-missing counts them as failed)"
                )
            if len(missing) == len(tasks):
                raise InputError(f"{path}: none of the chosen tasks was played")
            why = "they are left out (--allow-missing counts them as failed)"
            warn(f"{len(missing)} of {len(tasks)} tasks were not played; {why}")
            chosen = {"task": [key for key in tasks if key in submissions.by_task], "offset": 0, "limit": None}
        scored = self.changed(ScoredConfig, mode=self.mode or submissions.mode, **chosen)
        return Scoring(benchmark=scored, agent=agent_config("replay", predictions=path, allow_missing=True))

    def submissions(self, path: Path) -> Submissions:
        from .predictions import load_submissions

        return load_submissions(path, {task.key: task.digest for task in load_tasks(self.file)})

    def verdict(self, record: Record) -> dict[str, Any]:
        """Phases are null where nothing could be judged: that is not a failure."""
        judged = record.outcome in (Outcome.passed, Outcome.failed)
        phases = {name: bool(value) for name, value in record.metrics.items() if name in ("phase_1", "phase_2")}
        values: dict[str, Any] = phases if judged else {"phase_1": None, "phase_2": None}
        return {**values, "reward": record.score if judged else None, "outcome": record.outcome, "reason": record.reason}

    async def audit(self, opening: Opening, options: AuditOptions) -> Audited:
        from .audit import audit

        benchmark = await self.open(opening)
        with opening.counting("tasks looked at") as watch:
            limits = Limits(seconds=self.sql_timeout)
            tasks, databases = benchmark.tasks(), benchmark.databases
            findings = await audit(tasks, self.file, databases, limits=limits, parallel=options.parallel, watch=watch)
        title = f"{self.label}: audit of {self.file.name}"
        return Audited(title=title, benchmark=benchmark, findings=findings, metrics="phase_")

    @classmethod
    def check_data(cls, dataset: Dataset, file: Path, found: Found, deep: bool) -> None:
        from .data_check import check_data

        check_data(dataset, file, found, deep)

    @classmethod
    def checks(cls) -> Iterator[Check]:
        from ...sandbox.sandboxed_call import confinement

        missing = confinement()
        yield Check(not missing, "hidden tests", "; ".join(missing) or "confined by Landlock and seccomp")
        plots = find_spec("matplotlib") is not None
        yield Check(plots, "plots", "touchstone interact sweep" if plots else pip_install("plot"))

    @classmethod
    def run_section(cls, counted: Sequence[Record]) -> RunSection | None:
        from .report_tables import run_section

        return run_section(counted)

    @classmethod
    def compared(cls, directories: Sequence[Path]) -> str | None:
        """Sweeps are compared level by level."""
        from .sweep import is_sweep, load_sweeps, steps, sweep_text

        if not all(map(is_sweep, directories)):
            return None
        sweeps = load_sweeps(directories)
        return sweep_text(sweeps, steps(sweeps))

    def changed(self, kind: type[C], **options: Any) -> C:
        """The same with other options, as this kind of struct."""
        return kind(**{field.name: getattr(self, field.name) for field in fields(InteractConfig)} | options)

    def settings(self) -> InteractSettings:
        """How episodes are played and judged."""
        from .benchmark import InteractSettings

        if self.proof:
            refuse_without("sqlglot", "--proof", "proof")
        prices = read_prices(self.prices) if self.prices else Prices()
        if self.start_budget is not None:
            prices = msgspec.structs.replace(prices, start_budget=self.start_budget)
        return InteractSettings(
            mode=self.mode or "agentic",
            compat=self.compat,
            patience=self.patience,
            prices=prices,
            exploring=Limits(seconds=self.sql_timeout, rows=10_000, cut_rows=True),
            judging=Limits(seconds=self.sql_timeout),
            proof=self.proof,
        )

    def user(self, opening: Opening) -> User:
        """The simulated user: a model like any other, or a script."""
        from .user.prompts import load_prompts
        from .user.scripted import ScriptedUser
        from .user.simulated import SimulatedUser

        mode: UserMode = "faithful" if self.user_sim == "encoder_decoder" else self.user_sim
        prompts = load_prompts(self.user_prompt_folder or self.user_prompt or RULES[self.compat].user_prompt, mode)
        config = self._user_config(opening.model)
        if config is None or self.mode == "single":
            return ScriptedUser()
        model = opening.shared(config.build(opening.parallel), config)
        if config is not opening.model:  # that one is the caller's
            opening.stack.push_async_callback(model.close)
        return SimulatedUser(model, prompts, on_leak=self.on_leak)

    def _user_config(self, agents: ModelConfig | None) -> ModelConfig | None:
        """The model that plays the user; None stands for the script."""
        if self.user_model == SCRIPTED or (self.user_model is None and agents is None):
            return None
        if self.user_model is None and agents and agents.provider == "python":  # an object that asks for no options
            return agents
        name = self.user_model or (agents.model if agents else "")
        kind = model_type(name)
        if kind.provider == "recorded":
            raise OptionError("user_model", self.user_model, "expected another model: a recording has the agent's replies only")
        own = {"base_url": self.user_base_url, "service_tier": self.user_service_tier}
        known = {field.name for field in fields(kind)}
        shared = {option: getattr(agents, option, None) for option in _SHARED}
        options = {option: own.get(option) or shared[option] for option in _SHARED}
        return model_config(
            name, **{option: value for option, value in options.items() if option in known and value is not None}
        )


class ScoredConfig(InteractConfig, frozen=True):
    """What was submitted elsewhere, judged anew."""

    def settings(self) -> InteractSettings:
        """What was submitted has been paid for."""
        settings = super().settings()
        return replace(settings, prices=msgspec.structs.replace(settings.prices, submit=0.0), scored=True)

    def predictions(self, path: Path, tasks: Sequence[Task], *, allow_missing: bool = False) -> Mapping[str, Sequence[Move]]:
        """By task: for each phase the attempts at it, of which the next is made if one is not accepted."""
        from .predictions import calls

        return {key: calls(phases) for key, phases in self.submissions(path).by_task.items()}


class SweepConfig(InteractConfig, frozen=True):
    """Play the tasks once for each level of patience, and plot how success grows with interaction."""

    name: ClassVar[str] = "interact sweep"

    patience: Annotated[str | None, Opt(names=("--user_patience_budget",), group=INTERACTION)] = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """The levels, separated by commas; by default 0,6,10,14, and 0,3,5,7 in conversations."""
    reference: Annotated[bool, Opt(group=INTERACTION)] = True
    """Also play the unambiguous requests in a single turn, as the reference line."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode == "single":
            raise OptionError("mode", self.mode, "it has no patience to vary; it is the reference of the other modes")
        self._levels()

    def runs(self) -> dict[str, InteractConfig]:
        """By the folder that each has in the sweep's."""
        runs = {f"patience-{level:g}": self.changed(InteractConfig, patience=level) for level in self._levels()}
        if self.reference and any(task.has_clear_query for task in load_tasks(self.file)):
            runs["unambiguous"] = self.changed(InteractConfig, patience=None, mode="single")
        return runs

    def _levels(self) -> list[float]:
        text = self.patience or ("0,3,5,7" if self.mode == "conversational" else "0,6,10,14")
        try:
            levels = [float(part) for part in text.split(",") if part.strip()]
        except ValueError:
            levels = []
        if not levels or not all(0 <= level < inf for level in levels):
            raise OptionError("patience", text, "expected numbers of 0 or more, separated by commas")
        return sorted(set(levels))


def _named(dataset: Path | None) -> Path:
    """A directory or file as it is; else a dataset's name may be meant."""
    if dataset is None or (str(dataset) == "demo" and not dataset.exists()):
        return interact_demo()
    return dataset if dataset.exists() else fetched_file("interact", str(dataset)) or dataset


def warn(text: str) -> None:
    print(f"touchstone: {text}", file=sys.stderr, flush=True)
