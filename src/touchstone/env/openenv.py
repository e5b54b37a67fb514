"""OpenEnv's contract: sessions over a WebSocket (reset, step, state, close), what the environment is, and MCP over HTTP.

A connection is a session's lease. While a call runs the connection is read on, so that a client that vanishes takes its query
with it. A connection can also join a session that was begun over HTTP (`/ws?session_id=…`), which outlives a goodbye. An action
is {"tool": …, "arguments": …}, OpenEnv's own call_tool and list_tools, or {"answer": text}, which hands in what the text
answers and ends the episode.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.websockets import WebSocket, WebSocketDisconnect

from .. import __version__
from ..api.gym import call_of
from ..errors import InputError
from ..models.wire import arguments_schema
from ..types import Tool
from .peers import GOODBYES
from .sessions import EnvSession, EnvStep, Full, Sessions

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_TRY_LATER = 1013
_SECONDS_FOR_A_GOODBYE = 5.0
LONGEST_NAME = 200
"""Characters of an episode's or a session's name of the client's choice."""
OBSERVATION = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What the agent sees: the request, or the result of its call."},
        "task": {"type": "string"},
        "steps": {"type": "integer"},
        "error": {"type": "boolean", "description": "Whether the call failed."},
        "instructions": {"type": "string", "description": "At a reset: what the agent is told before the request."},
        "tools": {"type": "array", "description": "At a reset: the tools, as functions of the OpenAI API and as tools of MCP."},
        "outcome": {"type": "string", "description": "At the end: passed, failed, limit, error, unscorable or skipped."},
        "usable": {"type": "boolean", "description": "At the end: whether the reward says something about the agent."},
        "pictures": {"type": "array", "description": "Of the screen, if there is one: PNG files in base64."},
    },
    "required": ["text", "task"],
}
STATE = {
    "type": "object",
    "properties": {
        "episode_id": {"type": ["string", "null"]},
        "step_count": {"type": "integer"},
        "task": {"type": ["string", "null"]},
        "done": {"type": "boolean"},
        "reward": {"type": "number", "description": "All that the episode has paid so far."},
    },
}


class RefusedMessage(Exception):
    """A message that cannot be carried out: a code of OpenEnv's, and why."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.data = {"message": message, "code": code, **more}


class OpenEnvConnection:
    """One client's WebSocket, which is its lease."""

    def __init__(self, sessions: Sessions, socket: WebSocket, joined: str | None = None) -> None:
        """`joined` names a session that was begun over HTTP."""
        self._sessions = sessions
        self._socket = socket
        self._joined = joined
        self._episode_id: str | None = None
        self._inbox: asyncio.Queue[str | bytes | None] = asyncio.Queue(1)

    async def serve(self) -> None:
        with suppress(WebSocketDisconnect):  # whom we would tell is gone
            await self._socket.accept()
            try:
                session = await self._session()
            except InputError as error:
                await self._say("error", {"message": str(error), "code": "SESSION_ERROR"})
                await self._socket.close()
                return
            except Full as full:
                counts = {"active_sessions": full.active, "max_sessions": full.most}
                await self._say("error", {"message": str(full), "code": "CAPACITY_REACHED", **counts})
                await self._socket.close(_TRY_LATER, str(full))
                return
            await self._lease(session)

    async def _session(self) -> EnvSession:
        """Raises Full; and InputError if the session to join is unknown, or another WebSocket plays it and does not go: one
        that has said goodbye may not be all gone when its client comes back."""
        session = self._sessions.leased.get(self._joined) if self._joined else self._sessions.lease()
        if session is None:
            raise InputError(f"Unknown session_id: {str(self._joined)[:LONGEST_NAME]}")
        try:
            async with asyncio.timeout(_SECONDS_FOR_A_GOODBYE):
                while not session.detached.is_set():  # of several who wait, the first takes it
                    await session.detached.wait()
        except TimeoutError:
            raise InputError(f"Session {session.name} already has an attached WebSocket") from None
        session.detached.clear()
        return session

    async def _lease(self, session: EnvSession) -> None:
        reading = asyncio.create_task(self._read())
        conversation = asyncio.create_task(self._converse(session))
        session.expired = conversation.cancel
        stays = False
        try:
            await asyncio.wait({reading, conversation}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():  # the client is gone, and what it asked for with it
                stays = self._joined is not None and reading.result() in GOODBYES
            elif conversation.cancelled():
                with suppress(TimeoutError):  # of one who does not read either
                    async with asyncio.timeout(_SECONDS_FOR_A_GOODBYE):
                        await self._say("error", {"message": "nothing was heard: the lease ran out", "code": "SESSION_ERROR"})
                        await self._socket.close()
            elif (error := conversation.exception()) is not None:
                raise error
            else:
                stays = self._joined is not None
        finally:
            for task in (reading, conversation):
                task.cancel()
            await asyncio.gather(reading, conversation, return_exceptions=True)
            if stays:
                session.detach()
            else:
                await self._sessions.release(session)

    async def _read(self) -> int:
        """Until the client is gone: with which code. At most one message waits; then the client does."""
        while (message := await self._socket.receive())["type"] == "websocket.receive":
            text = message.get("text")
            await self._inbox.put(message.get("bytes") if text is None else text)
        return message.get("code", 0)

    async def _converse(self, session: EnvSession) -> None:
        while await self._answer(session, await self._inbox.get()):
            pass
        await self._socket.close()

    async def _answer(self, session: EnvSession, text: str | bytes | None) -> bool:
        """False when the client has said goodbye."""
        try:
            try:
                message = _decode(text or b"")
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                raise RefusedMessage("INVALID_JSON", f"Invalid JSON: {error}") from None
            kind = message.get("type")
            data: Any = message.get("data") or {}
            if not isinstance(data, dict):
                raise RefusedMessage("VALIDATION_ERROR", "data: expected an object")
            fields = cast("dict[str, Any]", data)
            if kind == "close":
                return False
            if kind == "reset":
                await self._say("observation", await self._reset(session, fields))
            elif kind == "step":
                await self._say("observation", await self._step(session, fields))
            elif kind == "state":
                await self._say("state", state_of(session, self._episode_id))
            elif kind == "mcp":
                await self._say("mcp", await answer_rpc(self._sessions, fields, session))
            else:
                raise RefusedMessage("UNKNOWN_TYPE", f"Unknown message type: {str(kind)[:100]}")
        except RefusedMessage as refused:
            await self._say("error", refused.data)
        except InputError as error:
            await self._say("error", {"message": str(error), "code": "EXECUTION_ERROR"})
        return True

    async def _reset(self, session: EnvSession, fields: dict[str, Any]) -> dict[str, Any]:
        seed, task, name = fields.get("seed"), fields.get("task"), fields.get("episode_id")
        if not isinstance(seed, int | None) or not isinstance(name, str | None) or len(name or "") > LONGEST_NAME:
            raise RefusedMessage(
                "VALIDATION_ERROR", "reset takes task (text), seed (a whole number) and episode_id (a short text)"
            )
        self._episode_id = name
        seen = observation_of(await session.reset(task, seed=seed))
        begun = seen["observation"]
        if "tools" in begun:  # OpenEnv's MCP client takes what has tools for nothing but a list of these
            begun["tools"] = [function | _described(tool) for function, tool in zip(begun["tools"], session.tools, strict=True)]
            seen["metadata"] = {field: begun[field] for field in ("text", "task", "instructions")}
        return seen

    async def _step(self, session: EnvSession, fields: dict[str, Any]) -> dict[str, Any]:
        action: Any = fields.get("action", fields)
        if not isinstance(action, dict):
            raise RefusedMessage("VALIDATION_ERROR", "an action is an object")
        wanted = cast("dict[str, Any]", action)
        if wanted.get("type") == "list_tools":
            tools = [_described(tool) for tool in tools_of(self._sessions, session)]
            return {"observation": {"tools": tools}, "reward": None, "done": False}
        if isinstance(answer := wanted.get("answer"), str):
            return observation_of(await session.answer(answer))
        name = wanted.get("tool_name", wanted.get("tool", wanted.get("name")))
        if not isinstance(name, str):
            raise RefusedMessage("VALIDATION_ERROR", 'an action is {"tool": name, "arguments": {…}} or {"answer": text}')
        step = await session.step(call_of((name, wanted.get("arguments", {})), 0))
        seen = observation_of(step)
        if wanted.get("type") == "call_tool":
            seen["observation"] |= {"tool_name": name, "result": step.text}
            seen["observation"].pop("error")  # OpenEnv's is for calls that could not be made
            seen["metadata"] = step.info  # all that its MCP client keeps beside the result
        return seen

    async def _say(self, kind: str, data: Any) -> None:
        await self._socket.send({"type": "websocket.send", "text": _encode({"type": kind, "data": data}).decode()})


def tools_of(sessions: Sessions, session: EnvSession | None = None) -> Sequence[Tool]:
    """Those of the episode under way; before the first, those of the first task."""
    return session.tools if session is not None and session.tools else sessions.tools


def observation_of(step: EnvStep) -> dict[str, Any]:
    """Nothing of the verdict but its outcome: the policy sees what the client sees."""
    begun = "instructions" in step.info
    seen = {"text": step.text, **step.info} | ({"pictures": _base64(step)} if step.pictures else {})
    return {"observation": seen, "reward": None if begun else step.reward, "done": step.done}


def _base64(step: EnvStep) -> list[str]:
    return [b64encode(picture).decode() for picture in step.pictures]


def state_of(session: EnvSession, episode_id: str | None = None) -> dict[str, Any]:
    last = session.last
    task = last.info["task"] if last else None
    steps = last.info.get("steps", 0) if last else 0
    return {
        "episode_id": episode_id or session.name,
        "step_count": steps,
        "task": task,
        "done": bool(last and last.done),
        "reward": session.total,
    }


def _described(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": arguments_schema(tool)}


def schema(sessions: Sessions) -> dict[str, Any]:
    tools = tools_of(sessions)
    calls: list[dict[str, Any]] = [
        {"properties": {"tool": {"const": tool.name}, "arguments": arguments_schema(tool)}, "required": ["tool", "arguments"]}
        for tool in tools
    ]
    action: dict[str, Any] = {
        "type": "object",
        "properties": {
            "tool": {"enum": [tool.name for tool in tools]},
            "arguments": {"type": "object"},
            "answer": {"type": "string", "description": "Hands in what a text answers, and ends the episode."},
        },
        "oneOf": [*calls, {"required": ["answer"]}],
    }
    return {"action": action, "observation": OBSERVATION, "state": STATE}


def openapi(routes: Sequence[Route], label: str) -> dict[str, Any]:
    """The routes, as OpenEnv's validator looks for them. The version is that of OpenEnv's API."""
    answers = {"responses": {"200": {"description": "OK"}}}
    paths = {route.path: {method.lower(): answers for method in sorted(route.methods or ())} for route in routes}
    return {"openapi": "3.1.0", "info": {"title": f"Touchstone: {label}", "version": "1.0.0"}, "paths": paths}


def metadata(sessions: Sessions, label: str) -> dict[str, Any]:
    return {
        "name": sessions.benchmark.name,
        "description": f"{label}: {len(sessions.tasks)} tasks, rewarded by {sessions.rewards.reward}",
        "version": __version__,
        "author": "Touchstone",
        "readme_content": None,
        "documentation_url": None,
    }


# MCP over HTTP, without state but for sessions by their names. An episode begins with the session, or with a `reset` of a task.


async def answer_rpc(sessions: Sessions, request: dict[str, Any], own: EnvSession | None = None) -> dict[str, Any]:
    """A JSON-RPC request's response; `own` is the session of the connection that it came over."""
    number = request.get("id")
    params: Any = request.get("params") or {}
    try:
        if request.get("jsonrpc") != "2.0" or not isinstance(params, dict):
            raise _RpcError(-32600, "expected a JSON-RPC 2.0 request whose params are an object")
        result = await _rpc(sessions, str(request.get("method")), cast("dict[str, Any]", params), own)
    except _RpcError as error:
        return {"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": str(error)}}
    except (InputError, Full) as error:
        return {"jsonrpc": "2.0", "id": number, "error": {"code": -32000, "message": str(error)}}
    return {"jsonrpc": "2.0", "id": number, "result": result}


class _RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


async def _rpc(sessions: Sessions, method: str, params: dict[str, Any], own: EnvSession | None) -> Any:
    if method == "initialize":
        about = {"name": "touchstone", "version": __version__}
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": about,
        }
    if method == "ping":
        return {}
    if method == "openenv/session/create":
        own = own or await sessions.begun(params.get("task"))
        return {"session_id": own.name}
    name = params.get("session_id")
    session = own if name is None else sessions.leased.get(str(name))
    if name is not None and session is None:
        raise _RpcError(-32602, f"Unknown session_id: {str(name)[:100]}")
    if method == "tools/list":
        return {"tools": [{**_described(tool), "inputSchema": arguments_schema(tool)} for tool in tools_of(sessions, session)]}
    if session is None:
        raise _RpcError(-32602, "this needs a session_id: create one with openenv/session/create")
    if method == "openenv/session/close":
        await sessions.release(session)
        return {"session_id": session.name, "closed": True}
    if method == "tools/call":
        if not isinstance(tool := params.get("name"), str):
            raise _RpcError(-32602, "name: expected the name of a tool")
        step = await session.step(call_of((tool, params.get("arguments") or {}), 0))
        content = [{"type": "text", "text": step.text}]
        content += [{"type": "image", "data": picture, "mimeType": "image/png"} for picture in _base64(step)]
        return {
            "content": content,
            "isError": bool(step.info["error"]),
            "data": step.text,
            "reward": step.reward,
            "done": step.done,
        }
    raise _RpcError(-32601, f"there is no method {method[:100]}")


def is_notification(request: dict[str, Any]) -> bool:
    """What MCP wants no answer to. OpenEnv's requests may lack an id, and are answered."""
    return "id" not in request and str(request.get("method")).startswith("notifications/")


def session_named_in(body: dict[str, Any]) -> str | None:
    params = body.get("params")
    name = cast("dict[str, Any]", params).get("session_id") if isinstance(params, dict) else None
    return name if isinstance(name, str) else None


async def body_of(request: Request) -> dict[str, Any]:
    """Raises InputError."""
    try:
        return _decode(await request.body() or b"{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InputError(f"the body is not a JSON object: {error}") from None


def as_json(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(_encode(content), status, headers, "application/json")
