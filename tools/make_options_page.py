"""Writes docs/options.md: every option of every benchmark, agent, model and of a run, from their structs.

python tools/make_options_page.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from touchstone.options import Field, Options, expected, fields
from touchstone.plugins import agent_type, available, benchmark_type, model_type
from touchstone.runs.config import RunOptions

PAGE = Path(__file__).parents[1] / "docs" / "options.md"
HEAD = """# All options

Generated from the code by `tools/make_options_page.py`: change the text under a field there, and run it again.

Each option is a flag on the command line (`--sql-timeout 5`), a key in a `--config` file (`sql-timeout = 5`) and a
keyword argument in Python (`sql_timeout=5`). `touchstone schema BENCHMARK` prints them as a JSON schema.
"""


def page() -> str:
    parts = [HEAD, _section("The run", RunOptions)]
    parts += [_section(f"Benchmark `{name}`", benchmark_type(name)) for name in _names("benchmarks")]
    parts += [_section(f"Agent `{name}`", agent_type(name)) for name in _names("agents")]
    parts += [_section(f"Model `{name}`", model_type(f"{name}:")) for name in _names("models")]
    return "\n".join(parts)


def _names(kind: Any) -> list[str]:
    """Ours, in the order of the list; others may be installed here."""
    return [name for name in available(kind) if available(kind)[name].value.startswith("touchstone.")]


def _section(title: str, struct: type[Options]) -> str:
    told = [field for field in fields(struct) if not field.opt.internal]
    if not told:
        return f"## {title}\n\nNo options.\n"
    return f"## {title}\n\n" + "".join(_entry(field) for field in told)


def _entry(field: Field) -> str:
    names = ", ".join(f"`{name}`" for name in field.names)
    default = field.default
    shown = "" if default in (None, False, (), "") else f"; default `{_plain(default)}`"
    env = f"; variable `{field.opt.env}`" if field.opt.env else ""
    return _wrapped(f"- {names} ({expected(field.type)}{shown}{env}): {field.doc}") + "\n"


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _wrapped(text: str) -> str:
    """In lines under 120 characters."""
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + 1 > 118:
            lines.append(line)
            line = " "
        line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


if __name__ == "__main__":
    PAGE.write_text(page())
