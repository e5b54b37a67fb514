"""Replies kept in a folder, so that the same run again costs nothing.

    DIR/<2 digits>/<digest>.json      one reply

The digest is of all that an answer depends on: the model and its endpoint, the options that are sent, the whole conversation
with its pictures, the tools with their schemas. The task, the attempt and the number of the call are in it too, since an agent
that asks the same thing five times wants five samples, and so does a run of five epochs.

Only replies are kept: a failure, a refusal or a lost connection is asked again. A file is written beside its place and moved
there, so any number of processes can share a folder; of two that ask the same thing at once the last is kept.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError, os_errors_as
from ..files import replace_file
from ..options import plain
from ..protocols import Model, ModelConfig
from ..types import CallPosition, Message, Reply, Tool, Usage
from .wire import arguments_schema

_VERSION = 1
_NOT_SENT = ("model_timeout", "model_retries")
_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Reply).decode


class ReplyCache:
    """A folder of replies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with os_errors_as(InputError, f"--reply-cache {folder}: cannot be made"):
            folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(f"--reply-cache {folder}: cannot be written to")

    def read(self, digest: str) -> Reply | None:
        """None for one that is not there, or not whole."""
        try:
            return _decode(self._place(digest).read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeError):
            return None

    def write(self, digest: str, reply: Reply) -> None:
        """Raises OSError."""
        path = self._place(digest)
        path.parent.mkdir(exist_ok=True)
        replace_file(path, _encode(reply), durable=False)

    def _place(self, digest: str) -> Path:
        return self._folder / digest[:2] / f"{digest}.json"


class CachedModel:
    """A model whose replies are kept, and asked for only once."""

    def __init__(self, model: Model, config: ModelConfig, cache: ReplyCache) -> None:
        self.name = model.name
        self._model = model
        self._parameters = parameters(config)
        self._cache = cache

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        digest = reply_digest(self._parameters, messages, tools, position)
        kept = await asyncio.to_thread(self._cache.read, digest)
        if kept is not None:
            return msgspec.structs.replace(kept, usage=Usage(calls=1, reused=1))
        reply = await self._model.reply(messages, tools, position)
        if reply.finish != "refusal":
            with suppress(OSError):  # a full disk costs the cache, not the run
                await asyncio.to_thread(self._cache.write, digest, reply)
        return reply

    async def close(self) -> None:
        await self._model.close()


def parameters(config: ModelConfig) -> Mapping[str, Any]:
    """What is the same for all requests. Raises InputError for a model that has no configuration to know it by."""
    if config.provider == "python":
        raise InputError("--reply-cache needs a model by its name: replies of a Python object cannot be cached")
    fields = plain(config, secrets=True)
    endpoint = fields.get("base_url") or os.environ.get("OPENAI_BASE_URL")
    kept = {name: value for name, value in fields.items() if name not in _NOT_SENT}
    return {**kept, "provider": config.provider, "base_url": endpoint, "version": _VERSION}


def reply_digest(
    parameters: Mapping[str, Any], messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition
) -> str:
    offered = [(tool.name, tool.description, arguments_schema(tool)) for tool in tools]
    return blake2b(_encode((parameters, messages, offered, position)), digest_size=20).hexdigest()
