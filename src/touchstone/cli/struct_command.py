"""A command of the command line, made from structs of options.

What is typed counts more than the file of `--config` or the resumed run, that more than a variable of the environment, that
more than a default.
"""

from __future__ import annotations

import inspect
import os
import sys
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_origin, get_type_hints

from cyclopts import Group, Parameter

from ..errors import InputError
from ..options import Field, OptionError, Options, checked, field_names, fields, from_text, key
from ..protocols import JUDGING, RUN, TASKS, WHO

_ORDER = (TASKS, WHO, JUDGING, RUN)
S = TypeVar("S", bound=Options)


@dataclass(frozen=True)
class StoredOptions:
    """Options of a file or of a resumed run."""

    values: Mapping[str, Any]
    """By their names, without dashes in front."""
    source: str | None = None
    """The file that they are in."""
    resumed: bool = False
    """They are those of a run, for which environment variables do not count."""
    folder: Path | None = None
    """What relative paths are relative to; None if there are none."""
    as_typed: bool = False
    """By the names that this very command has for them, where it has others than the structs."""


class StructCommand:
    """One command. `call` is given the values of its options; `made` makes the structs of them."""

    def __init__(
        self,
        words: Sequence[str],
        argv: Sequence[str],
        structs: Sequence[type[Options]],
        *,
        help: str = "",
        positional: type[Options] | None = None,
        defaults: Mapping[str, Any] | None = None,
        synonyms: Mapping[str, tuple[str, ...]] | None = None,
        taken_names: Collection[str] = (),
        renamed: Mapping[str, str] | None = None,
        stored: StoredOptions | None = None,
    ) -> None:
        """Where two structs have an option of one name, the later one's is the command's, and both get its value. Where a later
        option has the name of another as a further one (`--agent direct --schema full`), it is the later one's. `positional` is
        the only struct whose options may stand without their names, if it is given."""
        self.words = " ".join(words)
        self.argv = argv
        self.structs = tuple(structs)
        self.help = help
        self.defaults = dict(defaults or {})
        self.synonyms = dict(synonyms or {})
        self.taken_names = taken_names
        self.renamed = dict(renamed or {})
        self.stored = stored or StoredOptions({})
        self._positional = positional

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        raise NotImplementedError

    def made(self, struct: type[S], values: Mapping[str, Any]) -> S:
        names = {field.name for field in fields(struct)}
        return struct(**{name: value for name, value in values.items() if name in names})

    @cached_property
    def options(self) -> dict[str, Field]:
        """Every option of the command, by its field's name."""
        return {field.name: field for struct in self.structs for field in fields(struct) if not field.opt.internal}

    def function(self, *, everything: bool = False) -> Callable[..., int]:
        """What cyclopts calls; `everything` shows all options in the help."""
        parameters = [self._parameter(field, everything) for field in self.options.values() if self._own_names(field)]
        parameters.sort(key=lambda parameter: parameter.kind)
        signature = inspect.Signature(parameters)

        def call(*positional: Any, **named: Any) -> int:
            return self._call(signature.bind(*positional, **named).arguments)

        call.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
        hidden = any(field.opt.advanced for field in self.options.values()) and not everything
        call.__doc__ = self.help + (f"\n\nMore options: touchstone {self.words} --help-all" if hidden else "")
        return call

    def explain(self, option: str) -> str:
        """Why an option is not one of this command's."""
        return f"Unknown option: {option}"

    def _parameter(self, field: Field, everything: bool) -> inspect.Parameter:
        opt = field.opt
        names = self._own_names(field)
        default = self.defaults.get(field.name, inspect.Parameter.empty if field.required else field.default)
        flag = field.plain_type is bool
        positional = opt.positional and self._positional in (None, field.owner)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if positional else inspect.Parameter.KEYWORD_ONLY
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

    def _call(self, typed: Mapping[str, Any]) -> int:
        stored = self._stored_values()
        environment = {} if self.stored.resumed else self._environment()
        defaults = {name: value for name, value in self.defaults.items() if name in self.options}
        values = {**defaults, **environment, **stored, **typed}
        try:
            return self.call(values, typed)
        except OptionError as error:
            if error.option in typed or error.option not in {**stored, **environment}:
                raise OptionError(self._name_typed(error.option), error.value, error.why) from None
            raise InputError(error.spelled(self.stored.source if error.option in stored else "the environment")) from None

    def _name_typed(self, option: str) -> str:
        """The name that the option was typed with, where it has several, else its own."""
        if option not in self.options:
            return option
        typed = {word.partition("=")[0] for word in self.argv if word.startswith("--")}
        names = self._names(self.options[option])
        return key(next((name for name in names if name in typed), names[0]))

    def _names(self, field: Field) -> list[str]:
        """On the command line."""
        renamed = self.renamed.get(field.name)
        return [renamed] if renamed else [*field.names, *self.synonyms.get(field.name, ())]

    def _own_names(self, field: Field) -> list[str]:
        """Those that no later option has taken."""
        following = list(self.options.values())
        following = following[following.index(field) + 1 :]
        taken = {name for each in following for name in self._names(each)} | set(self.taken_names)
        return [name for name in self._names(field) if name not in taken]

    def _stored_values(self) -> dict[str, Any]:
        """Of the file or the resumed run: what belongs to this command."""
        known = {name: field for struct in self.structs for name, field in field_names(struct).items()}
        known |= {key(name): field for field in self.options.values() for name in self.synonyms.get(field.name, ())}
        renamed = {key(option): self.options[name] for name, option in self.renamed.items()} if self.stored.as_typed else {}
        values: dict[str, Any] = {}
        for name, value in self.stored.values.items():
            if field := renamed.get(key(name)) or known.get(key(name)):
                own = self.options.get(name.replace("-", "_"), field)  # before another that has its name as a further one
                field = own if key(name) not in renamed and _fits(own, value) else field
                values[field.name] = self._located(field, value)
            elif self.explain(name).startswith("Unknown"):
                raise InputError(f"{self.stored.source}: {name}: there is no such option")
        return values

    def _located(self, field: Field, value: Any) -> Any:
        """Paths of a file are relative to it."""
        folder = self.stored.folder
        if folder is None or not field.is_path:
            return value
        if isinstance(value, list):
            return [located(each, folder, field.opt.target) for each in cast("list[Any]", value)]
        return located(value, folder, field.opt.target)

    def _environment(self) -> dict[str, Any]:
        return {
            field.name: from_text(field, [value])
            for field in self.options.values()
            if field.opt.env and (value := os.environ.get(field.opt.env))
        }

    def refuse_no_data(self, struct: type[Options], values: Mapping[str, Any], else_: str = "") -> None:
        """A benchmark that is given no data would be the demo: on the command line that is more likely a mistake."""
        data = [field for field in fields(struct) if field.opt.positional]
        if data and not any(values.get(field.name) for field in data):
            bare = self._positional in (None, struct)
            names = " and ".join(field.name.upper() if bare else field.names[0] for field in data)
            raise InputError(f"{self.words} needs {names}, a dataset's name such as demo{else_}")


class FunctionCommand(StructCommand):
    """A function whose parameters are structs of options."""

    def __init__(
        self,
        words: Sequence[str],
        argv: Sequence[str],
        function: Callable[..., int],
        *,
        needs_data: type[Options] | None = None,
        **more: Any,
    ) -> None:
        self._needs_data = needs_data
        kinds = cast("Sequence[type[Options]]", structs_of(function))
        super().__init__(words, argv, kinds, help=inspect.getdoc(function) or "", **more)
        self._function = function

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        if self._needs_data:
            self.refuse_no_data(self._needs_data, values)
        return self._function(*(self.made(struct, values) for struct in self.structs)) or 0


def named_benchmark(argv: Sequence[str]) -> str | None:
    """What stands behind the command's word."""
    return argv[1] if len(argv) > 1 and not argv[1].startswith("-") else None


def structs_of(function: Any) -> list[type[Options]] | None:
    """The structs that a function takes; None if it takes something else."""
    if not inspect.isfunction(function):
        return None
    kinds = [kind for name, kind in get_type_hints(function).items() if name != "return"]
    return kinds if kinds and all(isinstance(kind, type) and issubclass(kind, Options) for kind in kinds) else None


def imported(target: str) -> Any:
    """What "module:name" names."""
    module, _, name = target.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"{target} cannot be loaded: {error}") from None


def typed_value(argv: Sequence[str], *names: str) -> str | None:
    """What stands behind an option, before anything is parsed."""
    argv = argv[: argv.index("--")] if "--" in argv else argv
    values = [value for option, value in pairwise(argv) if option in names]
    values += [word.partition("=")[2] for word in argv if word.partition("=")[0] in names and "=" in word]
    return values[-1] if values else None


def options_of_file(path: Path) -> dict[str, Any]:
    """The options of a TOML file, by name, as `--config` takes them:

        touchstone = "sql"               # which command the options are for; may be left out
        tasks = "mini_dev_sqlite.json"
        task = ["17", "23"]              # what can be repeated is a list
        evidence = false                 # as --no-evidence

    Names are those of the command line without the dashes in front, paths are relative to the file: see `located`.
    """
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--config {path}: {error.strerror}") from None
    except UnicodeError:
        raise InputError(f"--config {path}: not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"--config {path}: not valid TOML: {error}") from None
    for name, value in options.items():
        if name in ("config", "resume"):
            raise InputError(f"--config {path}: {name} cannot be in the file itself")
        if name.startswith("no-"):
            raise InputError(f"--config {path}: {name}: write {name.removeprefix('no-')} = false")
        if isinstance(value, dict):
            raise InputError(f"--config {path}: [{name}]: expected options without sections")
    return options


def located(value: Any, folder: Path, target: bool = False) -> Any:
    """A path of a file in this folder. A dataset's name, `:memory:` and an address are left as they are; so is what is found
    from the working directory alone, as files of older versions have it."""
    if not isinstance(value, str) or "://" in value or value.startswith(":") or Path(value).is_absolute():
        return value
    beside = folder / value
    if target or beside.exists() or ("/" in value and not Path(value).exists()):
        return str(beside)
    if Path(value).exists() and not beside.exists():
        notice = f"{value}: taken from the current directory, since {folder} has none; paths in a file are relative to the file"
        print(f"touchstone: {notice}", file=sys.stderr)
    return value


def _fits(field: Field, value: Any) -> bool:
    try:
        checked(field, value)
    except OptionError:
        return False
    return True


def _converter(field: Field) -> Callable[[Any, Sequence[Any]], Any]:
    """Conversion is ours, so that a wrong value is refused in the same words everywhere, by the name that was typed."""

    def converted(_: Any, tokens: Sequence[Any]) -> Any:
        try:
            return checked(field, from_text(field, [token.value for token in tokens]))
        except OptionError as error:
            typed = tokens[0].keyword or ""
            raise OptionError(key(typed) if typed.startswith("--") else field.name, error.value, error.why) from None

    return converted
