"""`touchstone run BENCHMARK`, and short names such as `touchstone bird`: commands made from structs of options.

The options of a command are those of the benchmark, of the agent that is named, of the model that the agent needs, and of the
run. What is typed counts more than the file of `--config` or the resumed run, that more than a variable of the environment.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, get_origin

from cyclopts import App, Group, Parameter

from ..failures import InputError
from ..options import Field, Opt, OptionError, Options, checked, field_names, fields, from_text, key
from ..plugins import agent_config, agent_type, available, benchmark_type, model_type
from ..protocols import JUDGING, RUN, TASKS, WHO, AgentConfig, ModelConfig
from ..runs.config import RunConfig, RunOptions, stored_options
from ..runs.reading import read_config
from .configured import arguments_of_file, config_option
from .terminal import play

_ORDER = (TASKS, WHO, JUDGING, RUN)


class Invocation(Options, frozen=True, kw_only=True):
    """What only the command line has."""

    agent: Annotated[str | None, Opt(group=WHO)] = None
    """Who plays: tools (function calling), react (plain text), oracle (the reference), replay (--predictions),
    http (--api-url), human, command (--command), nothing, or a Python function (path/to/file.py:function). Each has options
    of its own: see --agent NAME --help."""
    resume: Annotated[Path | None, Opt(names=("-r",), group=RUN)] = None
    """Go on with this run directory, or the run at this address, with the options it had."""
    config: Annotated[Path | None, Opt(group=RUN)] = None
    """A TOML file of options, such as the config.toml of a run; what is given on the command line counts more."""


@dataclass(frozen=True)
class Said:
    """Options that were said before anything was typed, and where."""

    values: Mapping[str, Any]
    """By their names, without dashes in front."""
    place: str | None = None


class BenchmarkCommand:
    """One command: which options it has depends on the agent and the model that are named."""

    def __init__(self, benchmark: str, words: Sequence[str], argv: Sequence[str]) -> None:
        self.words = " ".join(words)
        self.argv = argv
        self.benchmark = benchmark_type(benchmark)
        self.said = self._said()
        self.agent_name = str(_typed(argv, "--agent") or self.said.values.get("agent") or self.benchmark.agent)
        self.agent = agent_type(self.agent_name)
        self.model: type[ModelConfig] | None = model_type(self._model_name()) if self.agent.needs_model else None

    @cached_property
    def structs(self) -> tuple[type[Options], ...]:
        return (self.benchmark, Invocation, self.agent, *((self.model,) if self.model else ()), RunOptions)

    @cached_property
    def options(self) -> dict[str, Field]:
        """Every option of the command, by its field's name."""
        return {field.name: field for struct in self.structs for field in fields(struct) if not field.opt.internal}

    def function(self, *, everything: bool = False) -> Callable[..., int]:
        """What cyclopts calls; `everything` shows all options in the help."""
        parameters = [self._parameter(field, everything) for field in self.options.values()]
        parameters.sort(key=lambda parameter: parameter.kind)
        signature = inspect.Signature(parameters)

        def call(*given: Any, **named: Any) -> int:
            return self._run(signature.bind(*given, **named).arguments)

        call.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
        more = "" if everything else f"\n\nMore options: touchstone {self.words} --help-all"
        call.__doc__ = (self.benchmark.__doc__ or "") + more
        return call

    def explain(self, option: str) -> str:
        """Why an option is not one of this command's."""
        name = key(option)
        owners = [agent for agent in available("agents") if _find(agent_type(agent), name)]
        if owners:
            spelled = _find(agent_type(owners[0]), name)
            return f"--{spelled} is for --agent {' or '.join(owners)}, not {self.agent_name}"
        for provider in available("models"):
            if spelled := _find(model_type(f"{provider}:"), name):
                if self.model is None:
                    return f"--{spelled} has no effect with --agent {self.agent_name}, which asks no model"
                return f"--{spelled} is not for models of '{self.model.provider}'"
        return f"Unknown option: {option}"

    def _said(self) -> Said:
        resume, config = _typed(self.argv, "--resume", "-r"), config_option(self.argv)
        if resume is not None and config is not None:
            raise InputError("--config and --resume exclude each other: a resumed run goes on with the options it had")
        if resume is not None:
            stored = read_config(Path(resume))
            command = str(stored.get("command", "")).removeprefix("run ")
            if command != self.benchmark.name:
                was = f"a run of 'touchstone {stored.get('command', '')}'"
                raise InputError(f"{resume}: {was} cannot be resumed with 'touchstone {self.words}'")
            return Said(stored_options(stored), f"{resume}/config.json")
        if config is None:
            return Said({})
        values = arguments_of_file(Path(config))
        meant = str(values.pop("touchstone", self.words))
        if meant.removeprefix("run ") != self.benchmark.name:
            raise InputError(f"{config}: these are options of 'touchstone {meant}', not of 'touchstone {self.words}'")
        return Said(values, config)

    def _model_name(self) -> str:
        names = ("--model", "-m", *self.benchmark.synonyms.get("model", ()))
        said = _typed(self.argv, *names) or self.said.values.get("model")
        default = next(field.default for field in fields(ModelConfig) if field.name == "model")
        return str(said or (os.environ.get("OPENAI_MODEL") if not self._resumed else None) or default)

    @property
    def _resumed(self) -> bool:
        return _typed(self.argv, "--resume", "-r") is not None

    def _parameter(self, field: Field, everything: bool) -> inspect.Parameter:
        opt = field.opt
        names = [*field.names, *self.benchmark.synonyms.get(field.name, ())]
        default = self.benchmark.agent if field.name == "agent" else self._default(field)
        flag = field.plain_type is bool
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if opt.positional else inspect.Parameter.KEYWORD_ONLY
        more: dict[str, Any] = {} if flag else {"converter": _converter(field)}
        if get_origin(field.plain_type) is dict:
            more |= {"accepts_keys": False, "n_tokens": 1}
        if opt.group:
            more["group"] = Group(opt.group, sort_key=_ORDER.index(opt.group) + 1 if opt.group in _ORDER else 9)
        if field.repeatable or (flag and default is False):
            more["negative"] = ""
        text = field.doc + (f" [env: {opt.env}]" if opt.env else "")
        parameter = Parameter(name=names, help=text, show=everything or not opt.advanced, **more)
        annotation = Annotated[field.plain_type | None if default is None else field.plain_type, parameter]
        return inspect.Parameter(field.name, kind, default=default, annotation=annotation)

    def _default(self, field: Field) -> Any:
        return self.benchmark.defaults.get(field.name, field.default)

    def _run(self, typed: Mapping[str, Any]) -> int:
        stored = self._stored()
        environment = {} if self._resumed else self._environment()
        values = {**environment, **stored, **typed}
        resume = typed.get("resume")
        self._refuse_nothing(values, resume)
        try:
            config = self._config(values)
            return self._play(config, resume)
        except OptionError as error:
            if error.option in typed or error.option not in {**stored, **environment}:
                raise
            place = self.said.place if error.option in stored else "the environment"
            raise InputError(error.spelled(place)) from None

    def _play(self, config: RunConfig, resume: Path | None) -> int:
        if "system_prompt" in self.options and not self.agent.reads_instructions and _typed(self.argv, "--system-prompt"):
            raise InputError(f"--system-prompt has no effect with --agent {self.agent_name}, which reads no instructions")
        return play(config, resume=resume)

    def _config(self, values: Mapping[str, Any]) -> RunConfig:
        def own(struct: type[Options]) -> dict[str, Any]:
            names = {field.name for field in fields(struct)}
            return {name: value for name, value in values.items() if name in names}

        defaults = {field.name: self._default(field) for field in fields(RunOptions) if field.name in self.benchmark.defaults}
        return RunConfig(
            benchmark=self.benchmark(**own(self.benchmark)),
            agent=agent_config(self.agent_name, self.benchmark, **own(self.agent)),
            model=self.model(**{"model": self._model_name(), **own(self.model)}) if self.model else None,
            run=RunOptions(**{**defaults, **own(RunOptions)}),
        )

    def _stored(self) -> dict[str, Any]:
        """Of the file or the resumed run: what belongs to this command. Options of other agents are passed over."""
        known = {name: field for struct in self.structs for name, field in field_names(struct).items()}
        found: dict[str, Any] = {}
        for name, value in self.said.values.items():
            if field := known.get(key(name)):
                found[field.name] = value
            elif name != "agent" and self.explain(name).startswith("Unknown"):
                raise InputError(f"{self.said.place}: {name}: there is no such option")
        return found

    def _environment(self) -> dict[str, Any]:
        return {
            field.name: from_text(field, [value])
            for field in self.options.values()
            if field.opt.env and (value := os.environ.get(field.opt.env))
        }

    def _refuse_nothing(self, values: Mapping[str, Any], resume: Path | None) -> None:
        data = [field.name for field in self.options.values() if field.opt.positional]
        if data and not any(values.get(name) for name in data):
            names = " and ".join(name.upper() for name in data)
            raise InputError(f"{self.words} needs {names}, a dataset's name such as demo, or --resume RUN_DIR")


def _converter(field: Field) -> Callable[[Any, Sequence[Any]], Any]:
    """Conversion is ours, so that a wrong value is refused in the same words everywhere."""
    return lambda _, tokens: checked(field, from_text(field, [token.value for token in tokens]))


def _typed(argv: Sequence[str], *names: str) -> str | None:
    """What stands behind an option, before anything is parsed."""
    argv = argv[: argv.index("--")] if "--" in argv else argv
    found = [value for option, value in pairwise(argv) if option in names]
    found += [word.partition("=")[2] for word in argv if word.partition("=")[0] in names and "=" in word]
    return found[-1] if found else None


def _find(struct: type[AgentConfig] | type[ModelConfig], name: str) -> str | None:
    """The option's own name, if the struct has it under this one."""
    names = field_names(struct)
    field = names.get(name) or names.get(name.removeprefix("no-"))
    return key(field.name) if field else None


def __getattr__(name: str) -> Any:
    """`app`: every benchmark that can be run by name, for `touchstone run --help`; or one of them."""
    if name in available("benchmarks"):
        return BenchmarkCommand(name, [name], []).function()
    if name != "app":
        raise AttributeError(name)
    app = App(name="run", help="Play any benchmark with any agent, and score it.")
    for each in available("benchmarks"):
        with suppress(InputError):  # one that cannot be loaded says so when it is called
            app.command(BenchmarkCommand(each, ["run", each], []).function(), name=each)
    return app
