"""Options: the fields of a frozen struct, which every door to Touchstone reads.

A benchmark, an agent, a model and a run each have one struct. Its fields, with the texts under them, are the options and the
help of the command line, the keys of a TOML file, the JSON schema, the tables in the docs, the keyword arguments in Python,
what a node of a cluster is sent, and what config.json holds:

    class Replay(AgentConfig, frozen=True):
        predictions: Annotated[Path | None, Opt(group="Who plays")] = None
        \"\"\"What is played: a prediction file or a run directory.\"\"\"

Values are checked when a struct is made, whoever makes it: texts become paths where a path is meant, one value becomes a list
of one, and what is wrong is an `OptionError`, which each door tells in its own words. A path is known by its type: it is made
absolute when it is written down, hidden from programs under test, and shipped to other machines.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from .addresses import address_of, without_secrets
from .errors import InputError

T = TypeVar("T", bound="Options")

_WHOLE = re.compile(r"[+-]?\d[\d_]*")
Count = Annotated[int, Meta(gt=0)]
"""One or more."""
WholeNumber = Annotated[int, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


@dataclass(frozen=True, kw_only=True)
class Opt:
    """What a field is besides its type, default and text."""

    names: tuple[str, ...] = ()
    """More names on the command line and in files: "-n", "--database_dir"."""
    group: str = ""
    """The heading that it stands under in the help."""
    env: str | None = None
    """A variable of the environment that counts if nothing else is said."""
    positional: bool = False
    """On the command line it may stand without its name."""
    advanced: bool = False
    """Only `--help-all` shows it."""
    secret: Callable[[Any], bool] | None = None
    """Which values are never written down."""
    verbatim: bool = False
    """Written down as it is, although it looks like an address."""
    target: bool = False
    """A path where something goes: not shipped to other machines."""
    internal: bool = False
    """For Python alone: neither an option nor written down."""


class OptionError(InputError):
    """A value that an option cannot have. Its text is in Python's words; `spelled` tells it in those of another door."""

    def __init__(self, option: str, value: Any, why: str) -> None:
        super().__init__(f"{option}: {why}" if value is None else f"{option}={_quoted(value)}: {why}")
        self.option = option
        self.value = value
        self.why = why

    def spelled(self, file: str | None = None) -> str:
        """As the command line says it, or the TOML file of this name."""
        name = self.option.replace("_", "-")
        if file is not None:
            return f"{file}: {name}{'' if self.value is None else f' = {_quoted(self.value)}'}: {self.why}"
        return f"--{name}{'' if self.value is None else f' {_shown(self.value)}'}: {self.why}"


@dataclass(frozen=True)
class Field:
    """One option."""

    name: str
    type: Any
    """With its constraints."""
    default: Any
    opt: Opt
    owner: type[Options]
    required: bool = False
    """There is no default."""

    @property
    def plain_type(self) -> Any:
        """Without None and constraints."""
        return _plain_type(self.type)

    @property
    def names(self) -> tuple[str, ...]:
        """On the command line, its own first."""
        return (f"--{self.name.replace('_', '-')}", *self.opt.names)

    @property
    def is_path(self) -> bool:
        kind = self.plain_type
        return kind is Path or (get_origin(kind) is tuple and get_args(kind)[0] is Path)

    @property
    def repeatable(self) -> bool:
        return get_origin(self.plain_type) is tuple

    @property
    def doc(self) -> str:
        """The text under the field."""
        return next((text for each in self.owner.__mro__ if (text := _docs(each).get(self.name))), "")


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of one thing."""

    def __post_init__(self) -> None:
        for field in fields(type(self)):
            value = getattr(self, field.name)
            if value is not field.default and not field.opt.internal:
                force_setattr(self, field.name, checked(field, value))


@cache
def fields(kind: type[Options]) -> tuple[Field, ...]:
    return tuple(
        Field(info.name, info.type, None if info.required else _default(info), _opt(info.type), kind, info.required)
        for info in msgspec.structs.fields(kind)
    )


def field_names(kind: type[Options]) -> dict[str, Field]:
    """Each option under every name that it has, without dashes in front and with "-" for "_"."""
    return {key(name): field for field in fields(kind) for name in field.names if not field.opt.internal}


def key(name: str) -> str:
    return name.lstrip("-").replace("_", "-")


def checked(field: Field, value: Any) -> Any:
    """The value in the field's type. Raises OptionError."""
    if value is None and _is_optional(field.type):
        return None
    try:
        return msgspec.convert(_eased(field, value), field.type, dec_hook=_custom)
    except msgspec.ValidationError:
        one = field.repeatable and not (isinstance(value, list | tuple) and len(cast("Sequence[Any]", value)) != 1)
        kind = get_args(field.plain_type)[0] if one else field.type
        raise OptionError(field.name, value, f"expected {expected(kind)}") from None


def from_text(field: Field, texts: Sequence[str]) -> Any:
    """What was typed, as a value: a wrong one is left as it is, for `checked` to refuse."""
    kind = field.plain_type
    if get_origin(kind) is tuple:
        return tuple(_from_text(get_args(kind)[0], text) for text in texts)
    return _from_text(kind, texts[-1])


def plain(options: Options, *, secrets: bool = False) -> dict[str, Any]:
    """As it is written down: no defaults of None, no secrets, paths absolute."""
    values = {field: getattr(options, field.name) for field in fields(type(options)) if not field.opt.internal}
    return {
        field.name: _plain_value(kept, verbatim=secrets or field.opt.verbatim)
        for field, value in values.items()
        if (kept := value if secrets else _without_secrets(field, value)) is not None
    }


def paths(options: Options, *, targets: bool = True) -> Iterator[Path]:
    """The files and folders that the options name."""
    for field in fields(type(options)):
        if field.is_path and (targets or not field.opt.target):
            value = getattr(options, field.name)
            yield from cast("tuple[Path, ...]", value if isinstance(value, tuple) else () if value is None else (value,))


def relocated(options: T, move: Callable[[Path], Path]) -> T:
    """The same with other paths."""
    changed: dict[str, Any] = {}
    for field in fields(type(options)):
        value: Any = getattr(options, field.name)
        if field.is_path and value is not None:
            changed[field.name] = tuple(map(move, value)) if field.repeatable else move(value)
    return msgspec.structs.replace(options, **changed) if changed else options


def expected(kind: Any) -> str:
    """A type in words."""
    metas = [part for part in _metadata(kind) if isinstance(part, Meta)]
    kind = _plain_type(kind)
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return {str: "a list of strings", Path: "a list of paths"}.get(inner) or f"a list, each {expected(inner)}"
    if get_origin(kind) is dict or kind is dict:
        return "a JSON object"
    for meta in metas:
        if meta.gt == 0 and meta.le is not None:
            return f"a number above 0 and at most {meta.le}"
        if meta.gt == 0:
            return f"a positive {'whole ' if kind is int else ''}number"
        if meta.ge is not None and meta.le is not None:
            return f"a number from {meta.ge} to {meta.le}"
        if meta.ge is not None:
            return f"a {'whole ' if kind is int else ''}number of at least {meta.ge}"
    words: dict[Any, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "a string", Path: "a path"}
    return words.get(kind, getattr(kind, "__name__", str(kind)))


def _eased(field: Field, value: Any) -> Any:
    kind = field.plain_type
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        several = cast("Sequence[Any]", value if isinstance(value, list | tuple) else [value])
        return [str(each) if inner is str and type(each) is int else each for each in several]
    if isinstance(value, float) and not math.isfinite(value):  # which constraints let pass
        return str(value)
    return value


def _custom(kind: type, value: Any) -> Any:
    if kind is Path and (isinstance(value, str) or hasattr(value, "__fspath__")):
        return Path(value)
    if isinstance(value, kind):
        return value
    raise TypeError(kind)


def _from_text(kind: Any, text: str) -> Any:
    if kind is int:
        return int(text) if _WHOLE.fullmatch(text.strip()) else text
    if kind is float:
        try:
            return float(text)
        except ValueError:
            return text
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind is dict or get_origin(kind) is dict:
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError):
            return text
    return text


def _without_secrets(field: Field, value: Any) -> Any:
    is_secret = field.opt.secret
    if is_secret is None or value is None:
        return value
    if field.repeatable:
        return tuple(each for each in value if not is_secret(each))
    return None if is_secret(value) else value


def _plain_value(value: Any, *, verbatim: bool) -> Any:
    if isinstance(value, Path):
        return address_of(value) or str(value.absolute())
    if isinstance(value, tuple):
        return [_plain_value(each, verbatim=verbatim) for each in cast("tuple[Any, ...]", value)]
    if isinstance(value, str):
        return value if verbatim else without_secrets(value)
    return msgspec.to_builtins(value)


def _default(info: Any) -> Any:
    return info.default_factory() if info.default is msgspec.NODEFAULT else info.default


def _metadata(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Annotated:
        inner, *metadata = get_args(kind)
        return (*metadata, *_metadata(inner))
    if get_origin(kind) in (Union, UnionType):
        return tuple(part for each in get_args(kind) for part in _metadata(each))
    return ()


def _opt(kind: Any) -> Opt:
    return next((part for part in _metadata(kind) if isinstance(part, Opt)), Opt())


def _plain_type(kind: Any) -> Any:
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            (kind, *_) = [each for each in get_args(kind) if each is not NoneType]
        else:
            return kind


def _is_optional(kind: Any) -> bool:
    if get_origin(kind) is Annotated:
        return _is_optional(get_args(kind)[0])
    return get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)


@cache
def _docs(kind: type) -> Mapping[str, str]:
    """The texts under the fields of one class, from its source."""
    if not issubclass(kind, Options) or kind is Options:
        return {}
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, SyntaxError, TypeError):  # made without a file
        return {}
    texts: dict[str, str] = {}
    body = cast(ast.ClassDef, tree.body[0]).body
    for node, following in pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(following, ast.Expr):
            text = following.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                texts[node.target.id] = " ".join(text.value.split())
    return texts


def _quoted(value: Any) -> str:
    return repr(str(value) if isinstance(value, Path) else value)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return " ".join(map(_shown, cast("Sequence[Any]", value)))
    return str(value)
