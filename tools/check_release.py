"""Checks that a tag, the version and the changelog agree, and that nothing is uncommitted: `check_release.py v1.2.3`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """What is wrong, a sentence each."""
    found: list[str] = []
    source = (root / "src" / "touchstone" / "__init__.py").read_text()
    version = next(iter(re.findall(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)), "?")
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, the version v{version}")
    headings = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not any(re.fullmatch(rf"{re.escape(tag.removeprefix('v'))} \(\d{{4}}-\d\d-\d\d\)", heading) for heading in headings):
        found.append(f"CHANGELOG.md has no heading '## {tag.removeprefix('v')} (YYYY-MM-DD)'")
    if headings[:1] == ["Unreleased"] and _entries_below_unreleased(root):
        found.append("CHANGELOG.md still has entries below 'Unreleased'")
    if subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True).stdout:
        found.append("the tree has uncommitted changes")
    return found


def _entries_below_unreleased(root: Path) -> bool:
    section = (root / "CHANGELOG.md").read_text().partition("## Unreleased\n")[2].partition("\n## ")[0]
    return any(line.startswith("- ") for line in section.splitlines())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    complaints = problems(sys.argv[1])
    for complaint in complaints:
        print(f"check_release: {complaint}", file=sys.stderr)
    sys.exit(1 if complaints else 0)
