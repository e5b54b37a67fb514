"""Options of `touchstone interact`. The flag names of the published scripts work too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from .options import JUDGE, PLAY, RUN, SELECT, JudgeOptions, PlayOptions, RunOptions

_INTERACT = Group("The interaction", sort_key=2)
_DATABASES = Group("Databases", sort_key=3)
_OLD = Group("Accepted for old scripts, without effect", sort_key=9)


@Parameter(name="*", group=SELECT)
@dataclass(frozen=True, kw_only=True)
class InteractSelect:
    limit: Annotated[int | None, Parameter(name=["--limit", "-n"])] = None
    """Play at most this many tasks, after all filters; -1 for all."""
    offset: Annotated[int, Parameter(name=["--offset", "--start_index"])] = 0
    """Leave out this many tasks first."""
    category: str | None = None
    """Only Query or Management tasks."""
    database: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only tasks on this database (repeatable)."""
    task: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Only the task with this instance_id (repeatable); with -v a single one is shown as it is played."""
    exclude_audit: Path | None = None
    """Leave out the tasks that this list of touchstone audit names."""


@Parameter(name="*", group=PLAY)
@dataclass(frozen=True, kw_only=True)
class InteractPlay(PlayOptions):
    model: Annotated[str, Parameter(name=["--model", "-m", "--agent_model"], env_var="OPENAI_MODEL")] = "gpt-5-mini"
    """A model name at an OpenAI-compatible endpoint, litellm/<provider>/<model>, local, or recorded:<run directory>."""
    agent: str = "tools"
    """tools (function calling), react (thought, object, action as text), oracle (the gold), replay (--predictions), human,
    command (--command)."""
    max_turns: Annotated[int, Parameter(name=["--max-turns", "--max_turns"])] = 60
    """How many replies the model has for one task."""
    predictions: Path | None = None
    """What the replay agent plays: a run directory, whose calls are made again."""


@Parameter(name="*", group=_INTERACT)
@dataclass(frozen=True, kw_only=True)
class SweptOptions:
    """All but the patience."""

    mode: Literal["agentic", "conversational", "single"] = "agentic"
    """agentic (tools and a budget), conversational (questions, then SQL), single (the clear request, one submission)."""
    compat: Literal["strict", "batch", "adk", "conv"] = "strict"
    """The rules where the published implementations disagree: ours, or one of theirs."""
    start_budget: float | None = None
    """Coins before ambiguities and patience are added; 6 by default."""
    prices: Path | None = None
    """A JSON file that overrides what actions cost and what a task starts with."""
    user_model: Annotated[str | None, Parameter(name=["--user-model", "--user_model"])] = None
    """Who answers questions: a model, named as for --model, or scripted (from the annotations alone). By default the agent's
    model, and scripted for an agent without one."""
    user_base_url: str | None = None
    """The endpoint of the user's model, if it is not the agent's."""
    user_prompt: Annotated[str | None, Parameter(name=["--user-prompt", "--user_sim_prompt_version"])] = None
    """v1, v2, or a directory with prompts of your own; v2 by default (v1 with --compat conv)."""
    user_sim: Annotated[
        Literal["guarded", "faithful", "vanilla", "encoder_decoder"], Parameter(name=["--user-sim", "--user_sim_mode"])
    ] = "guarded"
    """What the user's model is told: guarded (ours: when it answers, only the chosen piece), faithful (everything at both
    stages, as published; the published scripts call it encoder_decoder), vanilla (everything, without stages)."""
    on_leak: Literal["flag", "retry", "refuse"] | None = None
    """An answer that gives away more than was asked: pass it on with a note, ask once more and then refuse, or refuse. By
    default retry for a guarded user, and flag for the others, as published."""


@Parameter(name="*", group=_INTERACT)
@dataclass(frozen=True, kw_only=True)
class InteractionOptions(SweptOptions):
    patience: Annotated[float | None, Parameter(name=["--patience", "--user_patience_budget"])] = None
    """Added to the budget: 6 coins by default (published levels: 0, 6, 10, 14); in conversations 3 turns (0, 3, 5, 7)."""


@Parameter(name="*", group=_DATABASES)
@dataclass(frozen=True, kw_only=True)
class DatabaseOptions:
    engine: Literal["auto", "postgres", "sqlite"] = "auto"
    """auto takes SQLite if the dataset has SQLite files."""
    dumps: Path | None = None
    """The published per-table dumps; by default postgre_table_dumps in the dataset or beside it. Loaded once, then kept."""
    database_url: Annotated[str | None, Parameter(env_var="TOUCHSTONE_DATABASE_URL")] = None
    """A PostgreSQL server of yours with <db>_template databases: postgresql://user@host:port. By default a private one is
    started for the run and removed afterwards."""
    db_host: Annotated[str | None, Parameter(name=["--db-host", "--db_host"])] = None
    """The host of such a server; user and password come from PGUSER and PGPASSWORD, else they are the published image's."""
    db_port: Annotated[int | None, Parameter(name=["--db-port", "--db_port"])] = None
    """Its port."""


@Parameter(name="*", group=JUDGE)
@dataclass(frozen=True, kw_only=True)
class InteractJudge(JudgeOptions):
    sql_timeout: float = 60.0
    """Seconds for each statement (CPU time on SQLite, wall-clock time on PostgreSQL)."""


@Parameter(name="*", group=RUN)
@dataclass(frozen=True, kw_only=True)
class InteractRun(RunOptions):
    parallel: Annotated[int, Parameter(name=["--parallel", "-p", "--num_threads", "--concurrency"])] = 1
    """How many episodes at once."""
    output: Annotated[Path | None, Parameter(name=["--output", "-o", "--output_path", "--log_dir"])] = None
    """Where run directories are made; by default results/<model>-interact/."""


@Parameter(name="*", group=_OLD)
@dataclass(frozen=True, kw_only=True)
class OldOptions:
    user_num_threads: Annotated[int | None, Parameter(name="--user_num_threads", show=False)] = None
    agent_output_path: Annotated[str | None, Parameter(name="--agent_output_path", show=False)] = None
    user_output_path: Annotated[str | None, Parameter(name="--user_output_path", show=False)] = None
    log_level: Annotated[str | None, Parameter(name="--log_level", show=False)] = None
    log_file: Annotated[str | None, Parameter(name="--log_file", show=False)] = None
    start_actual_index: Annotated[int | None, Parameter(name="--start_actual_index", show=False)] = None
    env: Annotated[str | None, Parameter(name="--env", show=False)] = None
    mini_interact: Annotated[bool | None, Parameter(name="--mini_interact", negative="", show=False)] = None
    debug_mode: Annotated[bool | None, Parameter(name="--debug_mode", negative="", show=False)] = None
