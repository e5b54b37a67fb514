"""Functions as agents.

`async def agent(stage)` makes its own calls. A function that takes a question and returns SQL is wrapped by `answers`: what
it returns is handed in. It may be a plain function: it then runs in a thread, so that several are asked at once.

On the command line a function is named by its place, `path/to/file.py:function` or `package.module:function`; Python may hand
over the function itself, or any object with `play(stage)`.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, cast

import msgspec

from ..errors import InputError
from ..options import Opt, OptionError
from ..protocols import WHO, Agent, AgentConfig, AgentContext, Stage
from ..types import Brief, Tool, ToolCall

T = TypeVar("T")

Answering = Callable[..., str | None] | Callable[..., Awaitable[str | None]]


class FunctionAgent:
    """Plays by an `async def agent(stage)`."""

    def __init__(self, function: Callable[[Stage], Awaitable[Any]]) -> None:
        self._function = function
        self.name = name_of(function)

    async def play(self, stage: Stage) -> None:
        await self._function(stage)


class AnsweringAgent:
    """Hands in what a function answers."""

    def __init__(self, function: Answering, tool: str | None) -> None:
        self._function = function
        self._tool = tool
        self._parameters = _parameters(function)
        self.name = name_of(function)

    async def play(self, stage: Stage) -> None:
        arguments = _arguments(self._parameters, stage.brief)
        if is_coroutine_function(self._function):
            answer = await cast("Callable[..., Awaitable[Any]]", self._function)(**arguments)
        else:
            answer = await in_thread(cast("Callable[..., Any]", self._function), **arguments)
        if answer is None:
            return
        if not isinstance(answer, str):
            raise TypeError(f"{self.name} returned {type(answer).__name__}; expected text, or None for no answer")
        await stage.call(handing_in(stage.tools, answer, self._tool))


def answers(function: Answering, *, tool: str | None = None) -> AnsweringAgent:
    """An agent from a function that answers a question as a whole.

    Its parameters are filled by name from the brief: question, database, evidence, …, request (all of it as prose) and
    instructions; a single parameter of any other name gets the question. `tool` is the one that takes the answer; by default
    it is the one whose name begins with `submit`, or the only one.
    """
    return AnsweringAgent(function, tool)


def handing_in(tools: Any, answer: str, name: str | None = None) -> ToolCall:
    """The call that hands in an answer. Raises InputError if it is not clear which tool takes it."""
    offered: list[Tool] = list(tools)
    matching = [tool for tool in offered if tool.name == name] if name else [t for t in offered if t.name.startswith("submit")]
    if not matching and name is None and len(offered) == 1:
        matching = offered
    if len(matching) != 1 or len(matching[0].arguments.__struct_fields__) != 1:
        names = ", ".join(tool.name for tool in offered)
        raise InputError(
            f"more than one tool could take the answer; choose one that has one argument with tool=; there are: {names}"
        )
    (field,) = matching[0].arguments.__struct_encode_fields__
    return ToolCall("answer", matching[0].name, msgspec.json.encode({field: answer}).decode())


def is_coroutine_function(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def name_of(function: Any) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


def _parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    if not callable(function):
        raise InputError(f"expected a function as the agent, found {type(function).__name__}")
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:
        raise InputError(f"the parameters of {name_of(function)} cannot be read: wrap it in a function of your own") from None
    odd = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    return {name: each for name, each in parameters.items() if each.kind not in odd}


def _arguments(parameters: Mapping[str, inspect.Parameter], brief: Brief) -> dict[str, str]:
    offered = {"instructions": brief.instructions, "request": brief.request, **brief.fields}
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return offered
    required = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    if len(required) == 1 and required[0] not in offered:
        offered[required[0]] = brief.fields.get("question", brief.request)
    unknown = [name for name in required if name not in offered]
    if unknown or not parameters:
        what = f"a parameter '{unknown[0]}'" if unknown else "no parameters"
        raise InputError(f"the agent's function has {what}; it can have: {', '.join(offered)}")
    return {name: offered[name] for name in parameters if name in offered}


class FunctionConfig(AgentConfig, frozen=True, kw_only=True):
    """A Python function."""

    name: ClassVar[str] = "function"

    function: Annotated[str, Opt(group=WHO)] = ""
    """Where it is: path/to/file.py:function, or package.module:function. `--agent` takes the same."""
    player: Annotated[Any, Opt(internal=True)] = None
    """The function or agent itself, from Python."""

    def build(self, context: AgentContext) -> Agent:
        return as_agent(self.player if self.player is not None else loaded(self.function))

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        return {"agent": str(getattr(agent, "name", None) or type(agent).__name__)}


def as_agent(agent: Any) -> Agent:
    """An object with `play`, or a function made into one."""
    if hasattr(agent, "play"):
        return cast(Agent, agent)
    return FunctionAgent(agent) if is_coroutine_function(agent) else answers(agent)


def loaded(address: str) -> Any:
    """What stands at `file.py:name` or `module:name`. Raises InputError."""
    where, _, name = address.rpartition(":")
    try:
        if where.endswith(".py"):
            file = Path(where).resolve()
            spec = spec_from_file_location(file.stem, file)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            sys.modules.setdefault(file.stem, module)
            spec.loader.exec_module(module)
        else:
            module = import_module(where)
        return getattr(module, name)
    except (ImportError, AttributeError, OSError, SyntaxError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OptionError("agent", address, f"expected file.py:function or module:function: {reason}") from None


async def in_thread(function: Callable[..., T], **arguments: Any) -> T:
    """Its result, without stopping the event loop. The thread does not outlive the process if the function never ends."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # so that nobody's patience cancels it

    def work() -> None:
        try:
            future.set_result(function(**arguments))
        except StopIteration as stopped:  # a future cannot carry it
            future.set_exception(RuntimeError(f"the function raised StopIteration: {stopped}"))
        except BaseException as raised:
            future.set_exception(raised)

    threading.Thread(target=work, daemon=True).start()
    return await asyncio.wrap_future(future)
