"""An episode in the terms of the `mcp` package: its tools, and its brief as instructions, as a prompt and as a resource.

Importing this takes about a second, so it is done only when something is served.
"""

from __future__ import annotations

import logging
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from ... import __version__
from ...models.schemas import arguments_schema
from ...values import Brief, Tool
from ..pictures import encoded
from .episode import Served, brief_text

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
