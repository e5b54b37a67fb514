"""An episode in the terms of the `mcp` package: its tools, and its brief as instructions, as a prompt and as a resource.

Importing this takes about a second, so it is done only when something is served.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, MutableMapping
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

from .. import __version__
from ..models.wire import arguments_schema
from ..sockets import listen
from ..types import Brief, Tool
from .model_turns import encoded
from .served import Served, brief_text

PROMPT = "task"
URI = "touchstone://brief"

logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what a client does wrong is told to the client


def build_server(served: Served) -> Server[Any]:
    """A server for one episode, over any transport."""
    stage = served.stage
    handlers = Handlers(served, [_tool(tool) for tool in stage.tools], stage.brief)
    return Server(
        "touchstone",
        version=__version__,
        instructions=brief_text(stage.brief),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_list_resources=handlers.list_resources,
        on_read_resource=handlers.read_resource,
    )


class Handlers:
    """What is answered to each kind of request."""

    def __init__(self, served: Served, tools: list[types.Tool], brief: Brief) -> None:
        self._served = served
        self._tools = tools
        self._text = brief_text(brief)

    async def list_tools(self, _: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(self, _: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        observation = await self._served.call(params.name, params.arguments)
        content: list[types.ContentBlock] = [_text(observation.text), *map(_picture, observation.pictures)]
        return types.CallToolResult(content=content, is_error=observation.error)

    async def list_prompts(self, _: Any, __: Any) -> types.ListPromptsResult:
        prompt = types.Prompt(name=PROMPT, description="The task to solve with the tools.")
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(self, _: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt '{params.name}'")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=_text(self._text))])

    async def list_resources(self, _: Any, __: Any) -> types.ListResourcesResult:
        brief = types.Resource(name="brief", uri=URI, mime_type="text/plain", description="The task to solve with the tools.")
        return types.ListResourcesResult(resources=[brief])

    async def read_resource(self, _: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) != URI:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource '{params.uri}'")
        content = types.TextResourceContents(uri=URI, mime_type="text/plain", text=self._text)
        return types.ReadResourceResult(contents=[content])


def _tool(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=arguments_schema(tool))


def _picture(picture: bytes) -> types.ImageContent:
    return types.ImageContent(type="image", data=encoded(picture), mime_type="image/png")


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


# One HTTP server on this machine for all episodes of a run, each behind a path that cannot be guessed.
#
# It listens on 127.0.0.1 only, and on a Unix socket for programs that are kept from the network. Sessions are not needed:
# each request is answered by itself, so that a shell script with curl can play too. Who wants to be told of goodbyes gets
# sessions, which clients of older protocols close; those of the newest have none.


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Handler = Callable[[Scope, Receive, Send], Awaitable[None]]

_SECONDS_TO_END = 1
_HERE = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=["127.0.0.1:*", "localhost:*"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*"],
)
_GONE = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"there is no task here, or it is over"}}'


class _Quiet(uvicorn.Server):
    """Leaves signals to the run."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class McpGateway:
    """Where clients come in."""

    def __init__(self, port: int = 0, path: Path | None = None) -> None:
        self._sockets = [listen("127.0.0.1", port)]
        self.port: int = self._sockets[0].getsockname()[1]
        if path is not None:
            self._sockets.append(_listen_at(path))
        self._handlers: dict[str, Handler] = {}
        config = uvicorn.Config(
            self._answer,
            interface="asgi3",
            log_level="critical",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=_SECONDS_TO_END,
        )
        self._server = _Quiet(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=self._sockets))

    @contextlib.asynccontextmanager
    async def open(self, served: Served, goodbye: Callable[[], None] | None = None) -> AsyncGenerator[str]:
        """The address at which this episode can be played."""
        manager = StreamableHTTPSessionManager(
            app=build_server(served), json_response=True, stateless=goodbye is None, security_settings=_HERE
        )
        token = secrets.token_urlsafe(24)

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            await manager.handle_request(scope, receive, send)
            if goodbye is not None and scope["method"] == "DELETE":
                goodbye()

        async with manager.run():
            self._handlers[token] = handle
            try:
                yield f"http://127.0.0.1:{self.port}/{token}/mcp"
            finally:
                del self._handlers[token]

    async def close(self) -> None:
        self._server.should_exit = True
        await self._serving
        for each in self._sockets:
            each.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = scope["path"].strip("/").removesuffix("/mcp")
        handler = self._handlers.get(token)
        if handler is not None:
            await handler(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 404, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": _GONE})


def _listen_at(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen(128)
    return listening
