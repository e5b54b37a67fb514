"""Markdown that a model wrote, as HTML that can do nothing.

HTML in it is text, pictures are their words, and only links to http(s) lead anywhere. Aligned cells get a class, because the
page's policy forbids styles; headings are paragraphs, because they are not those of the page.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from .layout import Html, h, highlighted, join, visible

LONGEST = 50_000
"""Characters; what is longer is shown as it is."""
_LINK = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_PLAIN = ("paragraph_open", "paragraph_close", "inline", "text", "softbreak", "text_special")
_ALIGNED = {"text-align:right": "right", "text-align:center": "centre"}
Environment = MutableMapping[str, Any]


def markdown(words: str) -> Html | None:
    """As HTML; None where there is nothing to render, so that the words are best shown as they are."""
    words = visible(words)
    if len(words) > LONGEST:
        return None
    tokens = _parser().parse(words)
    if all(token.type in _PLAIN and all(each.type in _PLAIN for each in token.children or ()) for token in tokens):
        return None
    return Html(_parser().renderer.render(tokens, _parser().options, {}))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """One is enough: it keeps nothing of what it parses, and a page is made at a time."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=_Renderer).enable(
        ["table", "strikethrough"]
    )
    parser.validateLink = lambda url: _LINK.match(url) is not None
    return parser


class _Renderer(RendererHTML):
    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return h("span", f"[picture: {tokens[idx].content}]", class_="dim")

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        opened = h("a", href=str(tokens[idx].attrGet("href") or ""), rel="noopener noreferrer nofollow")
        return opened.removesuffix("</a>")

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return f'<p class="heading {tokens[idx].tag}">'

    def heading_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return "</p>\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return '<div class="scroll" tabindex="0"><table class="cells">'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return _cell("th", tokens[idx])

    def td_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return _cell("td", tokens[idx])

    def ordered_list_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        start = str(tokens[idx].attrGet("start") or "")
        return h("ol", start=start if start.isdecimal() else None).removesuffix("</ol>")

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        token = tokens[idx]
        words = token.info.split()
        is_sql = bool(words) and words[0].lower() in ("sql", "sqlite", "postgresql", "postgres", "mysql", "duckdb")
        return _code(highlighted(token.content) if is_sql else join(token.content))

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Environment) -> str:
        return _code(join(tokens[idx].content))


def _code(content: Html) -> Html:
    return h("pre", h("code", content), class_="sql", tabindex="0")


def _cell(tag: str, token: Token) -> str:
    side = _ALIGNED.get(str(token.attrGet("style") or ""))
    return f'<{tag} class="{side}">' if side else f"<{tag}>"
