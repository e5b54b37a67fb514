"""The page at /docs: the service's own description as a page that loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
    "td,th{text-align:left;padding:.2rem 1rem .2rem 0}"
)


def page(described: Mapping[str, Any]) -> str:
    """From an OpenAPI description."""
    about: Mapping[str, Any] = described["info"]
    head = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(about['title'])}</title><style>{_STYLE}</style>"
    )
    body = f"<h1>{escape(about['title'])} {escape(about['version'])}</h1><p>{escape(about['description'])}</p>"
    rest = "<p>In full, for programs: <a href='openapi.json'>openapi.json</a></p>"
    return head + body + "".join(_operations(described)) + rest


def _operations(described: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>"
            yield f"<p>{escape(operation.get('description', ''))}</p>"
            yield from _fields("Send", operation.get("requestBody"), described)
            yield from _fields("Get", operation["responses"].get("200"), described)


def _fields(what: str, content: Mapping[str, Any] | None, described: Mapping[str, Any]) -> Iterator[str]:
    kinds: Mapping[str, Any] = content["content"] if content else {}
    schema: Any = kinds.get("application/json", {}).get("schema", {})
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if not name:
        return
    found: Mapping[str, Any] = described["components"]["schemas"][name]
    required: list[str] = found.get("required", [])
    yield f"<h3>{what}, as JSON</h3><table>"
    for field, about in found["properties"].items():
        needed = ("required" if field in required else "optional") if what == "Send" else ""
        yield f"<tr><th><code>{escape(field)}</code><td>{needed}<td>{escape(about.get('description', ''))}"
    yield "</table>"
