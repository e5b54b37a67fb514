"""The frame of every page, and what a page must know of where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ... import __version__
from ...values import Outcome
from .html import Child, Html, h

POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'"
"""Nothing from elsewhere, and no script or style in the page itself: the last line of defence should an escape be forgotten."""
_FROM_DISK = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:; media-src 'self' file:; "
    "base-uri 'none'"
)


@dataclass(frozen=True)
class View:
    """How pages are made."""

    hide_gold: bool = False
    exported: bool = False
    """As files: nothing is live, and only what was written can be linked to."""
    pairs: frozenset[tuple[str, str]] | None = None
    """The comparisons there are, by the names of the runs; None for all."""

    def pair(self, first: str, second: str) -> str | None:
        """Where two runs are compared, if they are."""
        if self.pairs is None or (first, second) in self.pairs:
            return f"compare/{first}/{second}"
        return f"compare/{second}/{first}" if (second, first) in self.pairs else None


def page(title: str, crumbs: Sequence[tuple[str, str | None]], *content: Child, depth: int, view: View, **live: Any) -> Html:
    """`depth` is how far below the first page this one is; `live` becomes data attributes of its main part."""
    root = "../" * depth
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=_FROM_DISK) if view.exported else None,
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("title", f"{title} · Touchstone"),
        h("link", rel="stylesheet", href=f"{root}static/style.css"),
        h("link", rel="icon", href=f"{root}static/icon.svg", type="image/svg+xml"),
        h("script", src=f"{root}static/view.js", defer=True),
    )
    body = h(
        "body",
        h("a", "Skip to the content", href="#content", class_="skip"),
        h("header", h("nav", _crumbs(crumbs), aria_label="Where you are"), _about(view)),
        h("main", *content, id="content", tabindex="-1", **live),
    )
    return Html(f"<!doctype html>\n{h('html', head, body, lang='en')}")


def _crumbs(crumbs: Sequence[tuple[str, str | None]]) -> Html:
    return h("ol", [h("li", h("a", words, href=target) if target else h("b", words)) for words, target in crumbs])


def _about(view: View) -> Html:
    hidden = h("span", "references hidden", class_="chip") if view.hide_gold else None
    keys = h("button", "?", type="button", id="help", title="Keys", aria_label="Keys", hidden=True)
    return h("p", hidden, f"Touchstone {__version__}", keys, class_="about")


def data(name: str, value: Any) -> Html:
    """Values for the script, in an element that is never run; no text in it can end the element."""
    encoded = msgspec.json.encode(value).decode()
    for char in "<>&\u2028\u2029":
        encoded = encoded.replace(char, f"\\u{ord(char):04x}")
    return h("script", Html(encoded), type="application/json", id=name)


def badge(outcome: Outcome | str) -> Html:
    name = str(outcome)
    return h("span", name, class_=f"badge {name if name in Outcome.__members__ else ''}".strip())


def facts(pairs: Sequence[tuple[str, Child]]) -> Html:
    """Names with their values; those without one are left out."""
    shown = [(name, value) for name, value in pairs if value]
    return h("dl", [h("div", h("dt", name), h("dd", value)) for name, value in shown], class_="facts")


def notice(words: Child, kind: str = "note") -> Html:
    return h("p", words, class_=f"notice {kind}", role="status")
