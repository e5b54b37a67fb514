"""Flags of the published BIRD-Interact scripts that are no options here: replaced by ours, left out, or refused by name.

What has the same meaning under another name is a name of an option in `config`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import inf
from pathlib import Path

from ...errors import InputError
from ...plugins import agent_type

_REFUSED = {
    "--budgets": "play the levels with 'touchstone interact sweep --patience 0,6,10,14'",
    "--agent_models": "give one --model a run",
    "--agent_model_provider": "name the provider with the model: --model litellm/PROVIDER/MODEL",
    "--user_model_provider": "name the provider with the model: --user-model litellm/PROVIDER/MODEL",
    "--kb_path": "the knowledge base is read from the dataset directory",
    "--use_encoder_decoder": "give --user-sim faithful",
    "--encoder-decoder": "give --user-sim faithful",
    "--human_mode": "give --agent human",
    "--debug": "give --agent oracle, which plays the gold",
    "--debug_sol_sql": "give --agent oracle, which plays the gold",
    "--debug_num": "give --limit",
    "--full": "all tasks are played unless --limit says otherwise",
    "--tasks": "name each with --task",
    "--model_name": "give --model, and --user-model for the user",
    **dict.fromkeys(
        "--prompt_path --result_path --source_path --response_path --user_resp_path --user_1_resp_path --sys_resp_path"
        " --follow_up_path --DB_schema_path --external_kg_path --turn_num --phase".split(),
        "the steps of a conversation are one command here: give --mode conversational",
    ),
    **dict.fromkeys(
        "--jsonl --jsonl_file --output_file --pg_password --db_path --skip --batch_size --logging".split(),
        "existing results are scored with 'touchstone score interact FILE --dataset DIR'",
    ),
}
_MODES = {"a-interact": "agentic", "c-interact": "conversational"}
_IDLE_WITH_VALUE = (
    "--user_num_threads",
    "--agent_output_path",
    "--user_output_path",
    "--log_level",
    "--log_file",
    "--start_actual_index",
    "--env",
)
_IDLE = ("--mini_interact", "--debug_mode")
_PARTS = ("--env_interact_budget", "--submit_budget")
_PART = 3.0
"""Each by default: together they are what a task starts with."""
_OUTPUT = ("--output", "-o", "--output_path", "--log_dir", "--base_output_dir")
_RESUME = ("--resume", "-r")
_OF_A_MODEL = {"--base-url": "--user-base-url", "--service-tier": "--user-service-tier"}


def as_ours(argv: Sequence[str]) -> list[str]:
    """The words of a command, with those of the published scripts in them replaced."""
    for word in argv:
        name = word.partition("=")[0]
        if name in _REFUSED:
            raise InputError(f"{name} of the published scripts is not supported: {_REFUSED[name]}")
    return _with_resume(_with_start_budget(_of_the_model(_without_idle(_with_mode(list(argv))))))


def _with_mode(argv: list[str]) -> list[str]:
    mode = _value(argv, ("--mode",))
    if mode == "oracle":
        raise InputError("--mode oracle of the published scripts is not supported: give --agent oracle, which plays the gold")
    return [*_without(argv, ("--mode",)), f"--mode={_MODES[mode]}"] if mode in _MODES else argv


def _without_idle(argv: list[str]) -> list[str]:
    idle = [name for word in argv if (name := word.partition("=")[0]) in (*_IDLE, *_IDLE_WITH_VALUE)]
    if idle:
        _say(f"without effect here: {', '.join(idle)}")
    return [word for word in _without(argv, _IDLE_WITH_VALUE) if word not in _IDLE]


def _of_the_model(argv: list[str]) -> list[str]:
    """Where the agent is no model, options of a model are the user's; the published scripts always give some."""
    agent = _value(argv, ("--agent",))
    if agent is None or agent_type(agent).needs_model:
        return argv
    argv = _without(argv, ("--agent_model", "--max_turns"))
    if _value(argv, ("--user-model", "--user_model")) in (None, "scripted"):
        return argv
    names = [word.partition("=")[0] for word in argv]
    return [_OF_A_MODEL.get(name, name) + word[len(name) :] for name, word in zip(names, argv, strict=True)]


def _with_start_budget(argv: list[str]) -> list[str]:
    parts = {name: value for name in _PARTS if (value := _value(argv, (name,))) is not None}
    if not parts:
        return argv
    if _value(argv, ("--start-budget",)) is not None:
        raise InputError(f"{next(iter(parts))} and --start-budget are the same coins: use one of them")
    total = sum(_coins(name, parts[name]) if name in parts else _PART for name in _PARTS)
    return [*_without(argv, _PARTS), f"--start-budget={total:g}"]


def _with_resume(argv: list[str]) -> list[str]:
    """--resume alone goes on with the latest run below --output; where there is none, a new one begins, as published."""
    at = next((position for position, word in enumerate(argv) if word in _RESUME and _is_bare(argv, position)), None)
    if at is None:
        return argv
    output = _value(argv, _OUTPUT)
    if argv[:1] == ["sweep"] or output is None:
        raise InputError(f"{argv[at]}: expected a run directory; without one, --output must say where the latest run is")
    latest = Path(output, "latest")
    if (latest / "config.json").is_file():
        return [*argv[:at], f"--resume={latest.resolve()}", *argv[at + 1 :]]
    _say(f"{argv[at]}: there is no run in {output}: a new one begins")
    return [*argv[:at], *argv[at + 1 :]]


def _is_bare(argv: Sequence[str], position: int) -> bool:
    return position + 1 == len(argv) or argv[position + 1].startswith("-")


def _value(argv: Sequence[str], names: Sequence[str]) -> str | None:
    for position, word in enumerate(argv):
        name, joined, value = word.partition("=")
        if name in names:
            return value if joined else argv[position + 1] if position + 1 < len(argv) else ""
    return None


def _without(argv: Sequence[str], names: Sequence[str]) -> list[str]:
    left: list[str] = []
    words = iter(argv)
    for word in words:
        name, joined, _ = word.partition("=")
        if name not in names:
            left.append(word)
        elif not joined:
            next(words, None)
    return left


def _coins(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < inf:
        raise InputError(f"{name} {text}: expected a number of 0 or more")
    return value


def _say(text: str) -> None:
    print(f"touchstone: {text}", file=sys.stderr, flush=True)
