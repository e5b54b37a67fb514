"""`touchstone run BENCHMARK` and `touchstone BENCHMARK`: commands made from the structs of a benchmark, an agent and a model.

Which options a command has depends on the agent and the model that are named; they are looked up before anything is parsed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any, cast

from cyclopts import App

from ..errors import InputError
from ..options import Opt, Options, field_names, fields, key
from ..plugins import agent_config, agent_type, available, benchmark_type, model_type, structs_with
from ..protocols import RUN, WHO, AgentConfig, BenchmarkConfig, ModelConfig
from ..runs.config import RunConfig, RunOptions, stored_options
from ..runs.records import read_config
from .struct_command import (
    FunctionCommand,
    StoredOptions,
    StructCommand,
    imported,
    located,
    named_benchmark,
    options_of_file,
    structs_of,
    typed_value,
)
from .terminal import play


class Invocation(Options, frozen=True, kw_only=True):
    """What only the command line has."""

    agent: Annotated[str | None, Opt(group=WHO)] = None
    """The agent: tools (function calling), react (plain text), direct, vote or repair (the schema in one prompt), oracle,
    replay, http (a service), human, command, nothing, or a Python function (path/to/file.py:function). Each has its own
    options: --agent NAME --help."""
    resume: Annotated[Path | None, Opt(names=("-r",), group=RUN)] = None
    """Continue this run directory, or the run at this address, with its own options."""
    config: Annotated[Path | None, Opt(group=RUN)] = None
    """A TOML file of options, such as the config.toml of a run; options on the command line override it."""


class RunCommand(StructCommand):
    """Plays a benchmark."""

    def __init__(
        self, benchmark: type[BenchmarkConfig], words: Sequence[str], argv: Sequence[str], defaults: Mapping[str, Any]
    ) -> None:
        self.benchmark = benchmark
        stored = self._stored_options(argv, " ".join(words))
        stored = replace(stored, values=benchmark.translated_options(stored.values))
        defaults = {"agent": benchmark.agent, **benchmark.defaults, **defaults}
        self.agent_name = str(typed_value(argv, "--agent") or stored.values.get("agent") or defaults["agent"])
        self.agent = agent_type(self.agent_name)
        self._model_name = self._named_model(argv, stored, defaults)
        self.model: type[ModelConfig] | None = model_type(self._model_name) if self.agent.needs_model else None
        super().__init__(
            words,
            argv,
            (benchmark, Invocation, self.agent, *((self.model,) if self.model else ()), RunOptions),
            help=(benchmark.__doc__ or "")
            + (f" The default agent is {own}." if (own := defaults["agent"]) != benchmark.agent else ""),
            defaults=defaults,
            synonyms=benchmark.synonyms,
            taken_names=benchmark.taken_names,
            renamed=benchmark.run_names.get(words[-1]) if words[0] == benchmark.name else None,
            stored=stored,
        )

    def explain(self, option: str) -> str:
        meant = {key(name): key(field) for field, names in self.synonyms.items() for name in names}
        name = meant.get(key(option), key(option))
        owners = [agent for agent in available("agents") if _find(agent_type(agent), name)]
        if owners:
            spelled = _find(agent_type(owners[0]), name)
            return f"--{spelled} is for --agent {' or '.join(owners)}, not {self.agent_name}"
        for provider in available("models"):
            if spelled := _find(model_type(f"{provider}:"), name):
                if self.model is None:
                    return f"--{spelled} has no effect with --agent {self.agent_name}, which asks no model"
                return f"--{spelled} is not for models of '{self.model.provider}'"
        return super().explain(option)

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        resume = typed.get("resume")
        self.refuse_no_data(self.benchmark, values, ", or --resume RUN_DIR")
        config = self.config(values)
        if "system_prompt" in typed and not self.agent.reads_instructions:
            raise InputError(f"--system-prompt has no effect with --agent {self.agent_name}, which reads no instructions")
        return play(config, command=self.words.removeprefix("run "), resume=resume)

    def config(self, values: Mapping[str, Any]) -> RunConfig:
        own = {name: value for name, value in values.items() if name in {field.name for field in fields(self.agent)}}
        return RunConfig(
            benchmark=self.made(self.benchmark, values),
            agent=agent_config(self.agent_name, self.benchmark, **own),
            model=self.made(self.model, {"model": self._model_name, **values}) if self.model else None,
            run=self.made(RunOptions, values),
        )

    def _stored_options(self, argv: Sequence[str], words: str) -> StoredOptions:
        resume, config = typed_value(argv, "--resume", "-r"), typed_value(argv, "--config")
        if resume is not None and config is not None:
            raise InputError("--config and --resume exclude each other: a resumed run keeps its own options")
        name = self.benchmark.name
        ours = {name, *(f"{name} {word}" for word in self.benchmark.run_words if word)}
        if resume is not None:
            config_json = read_config(Path(resume))
            command = str(config_json.get("command", ""))
            if command.removeprefix("run ") not in ours:
                raise InputError(f"{resume}: a run of 'touchstone {command}' cannot be resumed with 'touchstone {words}'")
            as_typed = config_json.get("format", 1) == 1
            return StoredOptions(stored_options(config_json), f"{resume}/config.json", resumed=True, as_typed=as_typed)
        if config is None:
            return StoredOptions({})
        values, folder = options_of_file(Path(config)), Path(config).parent
        meant = str(values.pop("touchstone", words))
        if meant.removeprefix("run ") not in ours:
            raise InputError(f"{config}: these are options of 'touchstone {meant}', not of 'touchstone {words}'")
        if isinstance(agent := values.get("agent"), str) and ".py:" in agent:
            values["agent"] = located(agent.rpartition(":")[0], folder) + ":" + agent.rpartition(":")[2]
        return StoredOptions(values, config, folder=folder, as_typed=meant != name)

    def _named_model(self, argv: Sequence[str], stored: StoredOptions, defaults: Mapping[str, Any]) -> str:
        names = ("--model", "-m", *self.benchmark.synonyms.get("model", ()))
        named = typed_value(argv, *names) or stored.values.get("model")
        default = defaults.get("model") or next(field.default for field in fields(ModelConfig) if field.name == "model")
        return str(named or (os.environ.get("OPENAI_MODEL") if not stored.resumed else None) or default)


def command(argv: Sequence[str]) -> StructCommand | None:
    """`touchstone run NAME`; None if no benchmark is named."""
    name = named_benchmark(argv)
    return RunCommand(benchmark_type(name), ["run", name], argv, {}) if name else None


def translated(argv: list[str]) -> list[str]:
    """Flags of an original's scripts, as ours."""
    return [argv[0], *benchmark_type(argv[0]).translated(argv[1:])]


def own_command(name: str, argv: list[str]) -> StructCommand | None:
    """What `touchstone NAME …` calls, if it is made from structs."""
    benchmark = benchmark_type(name)
    word = argv[1] if len(argv) > 1 else ""
    if word in benchmark.run_words and word:
        return RunCommand(benchmark, [name, word], argv, benchmark.run_words[word])
    for several in (" ".join(argv[1:3]), word):
        if several in benchmark.commands:
            target = imported(benchmark.commands[several])
            words = [name, *several.split()]
            if isinstance(target, type) and issubclass(target, StructCommand):
                return cast("Callable[..., StructCommand]", target)(words, argv)
            return FunctionCommand(words, argv, cast(Any, target)) if structs_of(target) else None
    return RunCommand(benchmark, [name], argv, benchmark.run_words[""]) if "" in benchmark.run_words else None


def own_app(name: str, called: StructCommand | None, *, everything: bool = False) -> App:
    """All commands of `touchstone NAME`; `called` is the one that will be, if it is made from structs."""
    benchmark = benchmark_type(name)
    app = App(name=name, help=benchmark.__doc__ or "")
    for word, defaults in benchmark.run_words.items():
        words = [name, word] if word else [name]
        mine = called if called and called.words == " ".join(words) else RunCommand(benchmark, words, [], defaults)
        function = mine.function(everything=everything)
        app.command(function, name=word) if word else app.default(function)
    groups: dict[str, App] = {}
    listed = called is None or (called.words == name and not {"--help", "-h"}.isdisjoint(called.argv))
    for words, target in benchmark.commands.items():
        group, _, word = words.rpartition(" ")
        if group and group not in groups:
            within = ", ".join(each.rpartition(" ")[2] for each in benchmark.commands if each.startswith(f"{group} "))
            app.command(groups.setdefault(group, App(name=group, help=f"Commands: {within}.")))
        if called and called.words == f"{name} {words}":
            groups.get(group, app).command(called.function(everything=everything), name=word)
        else:  # what they do is imported only where it is shown
            text = (getdoc(imported(target)) or "").partition("\n")[0] if listed else None
            groups.get(group, app).command(target, name=word, help=text)
    return app


def shared_command(argv: Sequence[str]) -> StructCommand | None:
    """What a benchmark adds to a command of ours, `touchstone audit suspects` for example."""
    words = argv[:2]
    for benchmark in structs_with("benchmarks", "shared_commands"):
        if target := benchmark.shared_commands.get(" ".join(words)):
            return _shared(words, argv, target)
    return None


def word_app(word: str, text: str) -> App:
    """All that may follow one of the words whose commands are made from structs: for its help, and for completion."""
    module = import_module(f"touchstone.cli.{word}")
    app = App(name=word, help=text)
    for within, help in getattr(module, "WORDS", {}).items():
        app.command(_of_benchmarks(App(name=within, help=help.format("a benchmark")), [word, within], module.command))
    if alone := module.command([word]):  # no benchmark stands behind it
        app.default(alone.function())
        return app
    for benchmark in structs_with("benchmarks", "shared_commands"):
        for words, target in benchmark.shared_commands.items():
            if words.partition(" ")[0] == word:
                app.command(_shared(words.split(), [], target).function(), name=words.partition(" ")[2])
    return _of_benchmarks(app, [word], module.command)


def _of_benchmarks(app: App, words: list[str], command: Callable[[Sequence[str]], StructCommand | None]) -> App:
    """With a command for each benchmark. One that cannot be loaded, or cannot do it, says so when it is called."""
    for name in available("benchmarks"):
        with suppress(InputError):
            if made := command([*words, name]):
                app.command(made.function(), name=name)
    return app


def _shared(words: Sequence[str], argv: Sequence[str], target: str) -> StructCommand:
    """A function of the benchmark's struct and of the command's own options: only these may stand without their names."""
    function = imported(target)
    benchmark, options = structs_of(function) or (None, None)
    return FunctionCommand(words, argv, function, positional=options, needs_data=benchmark)


def _find(struct: type[AgentConfig] | type[ModelConfig], name: str) -> str | None:
    """The option's own name, if the struct has it under this one."""
    names = field_names(struct)
    field = names.get(name) or names.get(name.removeprefix("no-"))
    return key(field.name) if field else None
