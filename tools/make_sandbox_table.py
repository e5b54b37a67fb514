"""Writes the table of docs/sandbox.md from what the probes say here, as root and as an ordinary user.

python -m tools.make_sandbox_table          as root, to have both
"""

from __future__ import annotations

from pathlib import Path

from tests.sandbox.test_probes import OPEN, USERS, results

PAGE = Path(__file__).parent.parent / "docs" / "sandbox.md"
START, END = "<!-- made by tools/make_sandbox_table.py -->\n", "<!-- end -->\n"


def table() -> str:
    """A line for each group: how many of the attempts that work without a sandbox are stopped."""
    control = _merged("unconfined")
    levels = {level: _merged(level) for level in OPEN}
    groups = dict.fromkeys(name.partition(":")[0] for name in control)
    lines = [f"| attempts | {' | '.join(levels)} |", f"|{' --- |' * (len(levels) + 1)}"]
    for group in groups:
        names = [name for name, worked in control.items() if name.startswith(f"{group}:") and worked]
        stopped = [sum(not level[name] for name in names) for level in levels.values()]
        lines.append(f"| {group} ({len(names)}) | {' | '.join(map(str, stopped))} |")
    return "\n".join(lines) + "\n"


def _merged(level: str) -> dict[str, bool]:
    """What got through for anybody."""
    everyone = [results(level, user) for user in (USERS if level != "desktop" else USERS[:1])]
    return {name: any(each[name] for each in everyone) for name in everyone[0]}


if __name__ == "__main__":
    text = PAGE.read_text()
    before, _, rest = text.partition(START)
    PAGE.write_text(before + START + "\n" + table() + "\n" + END + rest.partition(END)[2])
