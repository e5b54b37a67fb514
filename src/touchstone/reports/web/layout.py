"""The frame of every page, and what a page must know of where it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Union

import msgspec

from ... import __version__
from ...types import Outcome

# HTML from Python calls. Text is escaped unless it is `Html`, which only this module makes.


_ALONE = frozenset({"br", "hr", "img", "input", "link", "meta", "rect", "line", "circle", "polyline"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = Union[str, None, Iterable["Child"]]  # noqa: UP007 (an alias that names itself)
Attribute = str | int | float | bool | None

NOTHING = Html("")


def text(value: str) -> Html:
    """Escaped, and without the control characters that HTML cannot hold."""
    return Html(escape(visible(value)))


def visible(value: str) -> str:
    """With pictures of control characters in their place."""
    if value.isprintable():
        return value
    return "".join(char if char.isprintable() or char in "\n\t" or char > "\x9f" else _control(char) for char in value)


def h(tag: str, *children: Child, **attributes: Attribute) -> Html:
    """An element. `class_` is the attribute class, `data_x` is data-x; None and False leave an attribute out."""
    named = "".join(_attribute(name, value) for name, value in attributes.items() if value is not None and value is not False)
    if tag in _ALONE and not children:
        return Html(f"<{tag}{named}>" if tag in ("br", "hr", "img", "input", "link", "meta") else f"<{tag}{named}/>")
    return Html(f"<{tag}{named}>{join(*children)}</{tag}>")


def join(*children: Child) -> Html:
    return Html("".join(_parts(children)))


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str):
            yield text(child)
        elif child is not None:
            yield from _parts(child)


def _attribute(name: str, value: Attribute) -> str:
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(_number(value) if isinstance(value, float) else str(value))}"'


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _control(char: str) -> str:
    """Shown as the picture of a control character, so that nothing vanishes from what a model wrote."""
    return chr(0x2400 + ord(char)) if char < " " else "\ufffd"


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
    compared: Mapping[tuple[str, ...], str] | None = None
    """Where runs are compared, by their names, pairs first; None if any can be."""

    def pair(self, first: str, second: str) -> str | None:
        """Where two runs are compared, if they are."""
        if self.compared is None:
            return f"compare/{first}/{second}"
        return self.compared.get((first, second)) or self.compared.get((second, first))


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
    return h("div", words, class_=f"notice {kind}", role="status")


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Child]],
    class_: str = "wide",
    *,
    numbers: Collection[str] = (),
    headed: bool = False,
) -> Html:
    """Scrolls by itself where it is wide. `numbers` are the columns that are aligned to the right; with `headed` the first cell
    of a row names it. On a narrow screen a row may be a list, so a cell says what it is."""
    kinds = ["number" if name in numbers else None for name in columns]
    head = [h("th", name, scope="col", class_=kind) if name else h("td") for name, kind in zip(columns, kinds, strict=True)]

    def cell(position: int, content: Child) -> Html:
        if headed and position == 0:
            return h("th", content, scope="row")
        return h("td", content, class_=kinds[position], data_label=columns[position])

    body = [h("tr", [cell(position, content) for position, content in enumerate(row)]) for row in rows]
    return h("div", h("table", h("thead", h("tr", head)), h("tbody", body), class_=class_), class_="scroll", tabindex="0")


def bars(rows: Iterable[Sequence[Child]]) -> Html:
    """Names, each with a bar and with numbers."""
    body = [
        h("tr", h("th", name, scope="row"), h("td", bar), [h("td", number, class_="number") for number in numbers])
        for name, bar, *numbers in rows
    ]
    return h("table", h("tbody", body), class_="bars")


def filtered_list(what: str, listed: Mapping[str, Any]) -> Html:
    """What the script draws and filters, and what a browser without it says of that."""
    return join(
        h("div", id="filters", class_="filters js-only", role="search", aria_label="Tasks"),
        h("p", id="found", class_="dim", aria_live="polite"),
        h("div", id="list"),
        h("noscript", notice(f"The {what} is made by a script, which this browser does not run.")),
        data("tasks", listed),
    )


# SQL with its words coloured: a small tokenizer that never fails, whatever it is given.


_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>'(?:[^']|'')*(?:'|\Z)|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
      | (?P<name>"(?:[^"]|"")*"|`[^`]*`|\[[A-Za-z_][^\]\n]*\])
      | (?P<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)
      | (?P<word>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL,
)

_KEYWORDS = frozenset(
    """
    abort add after all alter and as asc before begin between by cascade case cast check collate column commit constraint
    create cross current cursor database default delete desc distinct drop each else end escape except exclude execute
    exists explain extract false fetch filter following for foreign from full function glob grant group having if ilike in
    index inner insert instead intersect interval into is isnull join key language lateral left like limit materialized
    natural no not notnull null nulls of offset on only or order outer over partition plpgsql pragma preceding primary
    procedure range recursive references regexp rename replace restrict return returning returns revoke right rollback row
    rows savepoint select set show similar some table temp temporary then to transaction trigger true truncate unbounded
    union unique update using vacuum values view virtual when where window with within without
    """.split()
)


def highlighted(sql: str) -> Html:
    """The text of a statement, its tokens in spans."""
    parts: list[Html | str] = []
    end = 0
    for token in _TOKEN.finditer(sql):
        if kind := _kind(sql, token):
            parts += [sql[end : token.start()], h("span", token.group(), class_=f"sql-{kind}")]
            end = token.end()
    return join(*parts, sql[end:])


def block(sql: str) -> Html:
    return h("pre", h("code", highlighted(sql)), class_="sql", tabindex="0")


def _kind(sql: str, token: re.Match[str]) -> str | None:
    kind = "text" if token.lastgroup == "tag" else token.lastgroup
    if kind != "word":
        return kind
    if token.group().casefold() in _KEYWORDS:
        return "keyword"
    return "function" if sql[token.end() : token.end() + 1] == "(" else None
