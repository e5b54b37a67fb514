"""A notebook in JupyterLab: one cell to complete, all cells to run."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from demo_desktop.model import Task, copied, gold, left, step, text

HARBOURS = ("Alder Point", "Cormorant Bay", "Gannet Rock")
NOTEBOOK = "/home/user/Desktop/tides.ipynb"
READ = """import csv

with open("/home/user/Desktop/tides.csv", newline="") as file:
    readings = [(row["harbour"], float(row["height"])) for row in csv.DictReader(file)]
print(len(readings), "readings")"""
OPEN = "# highest: a dictionary with the greatest height of each harbour"
DONE = "highest = {name: max(height for other, height in readings if other == name) for name, _ in readings}"
SHOW = """for name in sorted(highest):
    print(f"{name}: {highest[name]:.2f} m")"""


def files(rng: Random) -> dict[str, bytes]:
    readings = [(rng.choice(HARBOURS), rng.randint(40, 640) / 100) for _ in range(60)]
    table = "harbour,height\n" + "".join(f"{name},{height:.2f}\n" for name, height in readings)
    highest = {name: max(height for other, height in readings if other == name) for name in HARBOURS}
    shown = "".join(f"{name}: {highest[name]:.2f} m\n" for name in sorted(highest))
    printed = [f"{len(readings)} readings\n", "", shown]
    return {
        "tides.csv": table.encode(),
        "tides.ipynb": notebook([READ, OPEN, SHOW], []),
        "tides_gold.ipynb": notebook([READ, DONE, SHOW], printed),
    }


def notebook(codes: list[str], printed: list[str]) -> bytes:
    """With what its cells printed, if they were run."""
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# Tides"]}
    cells = [title, *(_cell(number, code, printed) for number, code in enumerate(codes))]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(whole, indent=1) + "\n").encode()


def _cell(number: int, code: str, printed: list[str]) -> dict[str, Any]:
    said = printed[number] if printed else ""
    stream = {"name": "stdout", "output_type": "stream", "text": said.splitlines(keepends=True)}
    return {
        "cell_type": "code",
        "execution_count": number + 1 if printed else None,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": [stream] if said else [],
        "source": code.splitlines(keepends=True),
    }


SOLUTION = f"""
# JupyterLab starts a kernel when it shows the notebook.
import subprocess

for _ in range(160):
    if subprocess.run(["pgrep", "-f", "ipykernel_launcher"], capture_output=True).returncode == 0:
        break
    time.sleep(0.5)
else:
    raise SystemExit("JupyterLab has not opened the notebook")
time.sleep(4)
# ---
# Into the notebook, and out of editing: up to its first cell.
pyautogui.click(1200, 900)
pyautogui.press("escape")
pyautogui.press("k", presses=6, interval=0.1)
# ---
# Two cells down is the one to complete.
pyautogui.press("j", presses=2, interval=0.1)
pyautogui.press("enter")
pyautogui.hotkey("ctrl", "a")
pyautogui.write({DONE!r}, interval=0.02)
pyautogui.press("escape")
time.sleep(0.5)
# ---
# All cells from the first one; the last is run in place, since going on from it would add a cell.
pyautogui.press("k", presses=6, interval=0.1)
for _ in range(3):
    pyautogui.hotkey("shift", "enter")
    time.sleep(1)
pyautogui.hotkey("ctrl", "enter")
time.sleep(1)
# ---
# Saved until what the last cell prints is in the file: a kernel takes its time to start.
from pathlib import Path

for _ in range(30):
    pyautogui.hotkey("ctrl", "s")
    time.sleep(1.5)
    if '"Gannet Rock: ' in Path({NOTEBOOK!r}).read_text():
        break
else:
    raise SystemExit("the last cell has printed nothing")
"""

TASK = Task(
    name="tides",
    domain="jupyter",
    instruction="Complete the second code cell of the open notebook, so that `highest` is a dictionary with the greatest "
    "height of each harbour. Run all cells and save the notebook.",
    tutorial=text(f"""
        To complete and run the notebook in JupyterLab:
        1. Click the cell that begins with "# highest".
        2. Replace its content by:
        ```
        {DONE}
        ```
        3. In the menu "Run", click "Run All Cells", and wait until the heights are printed beneath the last cell.
        4. Press Ctrl+S to save the notebook.
    """),
    category="data_analysis_and_visualization",
    interface="cli+gui",
    actions=5,
    apps=("chromium", "jupyter"),
    config=(
        copied("tides.csv", "/home/user/Desktop/tides.csv"),
        copied("tides.ipynb", NOTEBOOK),
        step("google_chrome_browser", debugging_port=1337, listening_port=9222),
        step(
            "launch",
            command=[
                "bash",
                "-c",
                f"source /home/user/anaconda3/etc/profile.d/conda.sh && conda activate jupyter && jupyter lab {NOTEBOOK}",
            ],
        ),
    ),
    evaluator={
        "func": "compare_notebook_outputs",
        "result": left(NOTEBOOK),
        "expected": gold("tides_gold.ipynb"),
    },
    solution=text(SOLUTION),
    files=files,
)
