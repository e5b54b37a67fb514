"""A tool as the JSON schema that a model is shown.

msgspec describes a struct by references into `$defs`; not every service and no small grammar converter follows
them, so they are written out in place. Titles only repeat Python names and cost tokens: they are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import msgspec

from ..values import Tool

Schema = dict[str, Any]
_PREFIX = "#/$defs/"


@lru_cache(maxsize=256)
def tool_schema(tool: Tool) -> Schema:
    """OpenAI's function form. The result is shared: read it, do not change it."""
    parameters = arguments_schema(tool)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def arguments_schema(tool: Tool) -> Schema:
    """The schema of the tool's arguments: an object without references."""
    schema = msgspec.json.schema(tool.arguments)
    parameters = cast(Schema, _inlined(schema, schema.get("$defs", {}), ()))
    parameters.pop("description", None)  # the tool's own says it
    return parameters


def _inlined(node: Any, definitions: Schema, inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, definitions, inside) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    schema = cast(Schema, node)
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix(_PREFIX)
        if name in inside:
            raise TypeError(f"the arguments of a tool cannot contain themselves: {name}")
        return _inlined(definitions[name], definitions, (*inside, name))
    return {key: _part(key, value, definitions, inside) for key, value in schema.items() if key not in ("title", "$defs")}


def _part(key: str, value: Any, definitions: Schema, inside: tuple[str, ...]) -> Any:
    """A field may be called `title` too: names of properties are not keywords."""
    if key == "properties":
        return {name: _inlined(schema, definitions, inside) for name, schema in value.items()}
    return value if key in ("default", "enum", "const", "examples") else _inlined(value, definitions, inside)
