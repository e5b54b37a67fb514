"""Writes the list of docs/limits.md from the docstrings of `touchstone.budgets.Budgets`."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path

from touchstone import budgets

PAGE = Path(__file__).parents[1] / "docs" / "limits.md"
BEGIN, END = "<!-- made by tools/make_limits_page.py -->", "<!-- end -->"


def items() -> str:
    """One item per budget, with its value and what happens at it."""
    lines: list[str] = []
    body = ast.parse(inspect.getsource(budgets.Budgets)).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            assert isinstance(text, ast.Expr)
            words = " ".join(str(ast.literal_eval(text.value)).split())
            item = f"- `{field.target.id}` ({_shown(field.target.id)}): {words}"
            lines += textwrap.wrap(item, 118, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with the list as it is now."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n\n{items()}\n\n{END}", text)


def _shown(name: str) -> str:
    value = getattr(budgets.BUDGETS, name)
    if name == "seconds":
        return f"{value / 3600:g} hours"
    return budgets.in_words(value) if name.endswith("bytes") or name.startswith("bytes") else f"{value:,}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
