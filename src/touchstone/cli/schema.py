"""`touchstone schema BENCHMARK`: the JSON schema of a `--config` file, for editors and checkers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ..options import Field, key
from ..plugins import benchmark_type
from .run import RunCommand


def schema(benchmark: str, *, agent: str | None = None, model: str | None = None) -> int:
    """Print the JSON schema of a configuration file for --config: the options of a benchmark, an agent and a model.

    Parameters
    ----------
    benchmark
        The benchmark's name.
    agent
        The agent; by default the benchmark's. Its options are part of the schema.
    model
        The model, whose provider's options are part of the schema.
    """
    typed = [word for name, value in (("--agent", agent), ("--model", model)) if value for word in (name, value)]
    command = RunCommand(benchmark_type(benchmark), ["run", benchmark], typed, {})
    print(msgspec.json.format(msgspec.json.encode(configuration_schema(command)), indent=2).decode())
    return 0


def configuration_schema(command: RunCommand) -> dict[str, Any]:
    """Of the TOML file that `--config` takes. Every name that an option has is allowed."""
    names = {key(name): field for field in command.options.values() for name in field.names if name.startswith("--")}
    properties = {name: _property(field, command.defaults) for name, field in names.items() if name not in ("config", "resume")}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Options of touchstone run {command.benchmark.name} --agent {command.agent_name}",
        "type": "object",
        "properties": {"touchstone": {"type": "string", "description": "The command that the options are for."}} | properties,
        "additionalProperties": False,
    }


def _property(field: Field, defaults: dict[str, Any]) -> dict[str, Any]:
    schema = msgspec.json.schema(field.type, schema_hook=_path)
    schema.pop("default", None)
    default = defaults.get(field.name, field.default)
    with_default = {} if default is None else {"default": msgspec.to_builtins(default, enc_hook=str)}
    return {"description": field.doc, **schema, **with_default}


def _path(kind: type) -> dict[str, Any]:
    if kind is Path:
        return {"type": "string"}
    raise NotImplementedError
