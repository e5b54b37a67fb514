"""The picture in the README: what `touchstone score bird` prints for a real prediction file, as an SVG.

python tools/make_picture.py PREDICTIONS DATA DATABASES
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

TARGET = Path(__file__).parent.parent / "docs" / "images" / "score.svg"
LINES = 46


def main() -> None:
    predictions, data, databases = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory:
        command = ["touchstone", "score", "bird", str(predictions), "--data", str(data), "--databases", str(databases)]
        for name in ("california_schools", "student_club", "superhero", "toxicology"):
            command += ["--database", name]
        output = subprocess.run([*command, "-o", directory], check=True, capture_output=True, text=True).stdout
    shown = [line for line in output.splitlines() if not line.startswith("Run directory")]
    console = Console(record=True, width=76, file=StringIO())
    console.print(Text(f"$ touchstone score bird {predictions.name} --data {data.name} --databases {databases.name}\n", "bold"))
    console.print("\n".join(shown[:LINES]), markup=False, highlight=True)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    svg = console.export_svg(title="touchstone")
    TARGET.write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL))  # which would be fetched from the network


if __name__ == "__main__":
    main()
