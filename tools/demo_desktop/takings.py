"""A workbook in LibreOffice Calc: a computed column and a row of sums."""

from __future__ import annotations

from random import Random

from demo_desktop.archives import Cell, workbook
from demo_desktop.model import Task, copied, gold, left, saved, step, text

ROUTES = "Alder Point|Birch Island|Cormorant Bay|Dunlin Head|Eider Sound|Fulmar Reach|Gannet Rock|Heron Quay".split("|")
LAST = len(ROUTES) + 1
"""The row of the last route."""
BOOK = "/home/user/Takings.xlsx"


def files(rng: Random) -> dict[str, bytes]:
    rows: list[list[Cell]] = [["Route", "Sailings", "Passengers", "Fare"]]
    for route in ROUTES:
        sailings = rng.randint(20, 60)
        rows.append([route, sailings, sailings * rng.randint(40, 180), rng.randint(18, 75) / 4])
    done = [[*rows[0], "Takings"], *([*row, row[2] * row[3]] for row in rows[1:])]
    sums = [sum(row[column] for row in done[1:]) for column in (2, 4)]
    return {"Takings.xlsx": workbook(rows), "Takings_gold.xlsx": workbook([*done, ["Total", None, sums[0], None, sums[1]]])}


COLUMNS = {"A": 152, "C": 405, "E": 628}
"""Where they are on the screen, in a window that fills it."""


def click(cell: str) -> str:
    """With the mouse: arrow keys are lost while Calc is busy, and its box for names keeps the keyboard for a while."""
    return f"pyautogui.click({COLUMNS[cell[0]]}, {173 + 17 * int(cell[1:])})"


SOLUTION = f"""
# The window is there as soon as Calc has read the file.
import subprocess

for _ in range(120):
    if "Takings.xlsx" in subprocess.run(["wmctrl", "-l"], capture_output=True, text=True).stdout:
        break
    time.sleep(0.5)
else:
    raise SystemExit("Calc has no window after a minute")
subprocess.run(["wmctrl", "-a", "Takings.xlsx"])
time.sleep(2)
# ---
# The heading.
{click("E1")}
pyautogui.write("Takings\\n", interval=0.03)
time.sleep(0.5)
# ---
# The formula for all routes at once: with the range selected, Alt+Enter fills it.
{click("E2")}
pyautogui.keyDown("shift")
{click(f"E{LAST}")}
pyautogui.keyUp("shift")
pyautogui.write("=C2*D2", interval=0.03)
pyautogui.hotkey("alt", "enter")
time.sleep(0.5)
# ---
# The row of sums, below the last route.
{click(f"A{LAST + 1}")}
pyautogui.write("Total\\n", interval=0.03)
{click(f"C{LAST + 1}")}
pyautogui.write("=SUM(C2:C{LAST})\\n", interval=0.03)
{click(f"E{LAST + 1}")}
pyautogui.write("=SUM(E2:E{LAST})\\n", interval=0.03)
time.sleep(0.5)
# ---
pyautogui.hotkey("ctrl", "s")
time.sleep(2)
"""

TASK = Task(
    name="takings",
    domain="excel",
    instruction='In the open workbook, add a column "Takings" that has for every route the number of passengers times the '
    'fare. Beneath the last route add a row "Total" with the sums of the passengers and of the takings. Save the workbook.',
    tutorial=text(f"""
        To compute the takings and their sums in LibreOffice Calc:
        1. Click cell E1 and type "Takings".
        2. Click cell E2, type the formula "=C2*D2" and press Enter.
        3. Click cell E2 again and double-click the small square at its bottom right corner: the formula is filled to E{LAST}.
        4. Click cell A{LAST + 1} and type "Total".
        5. Click cell C{LAST + 1}, type "=SUM(C2:C{LAST})" and press Enter.
        6. Click cell E{LAST + 1}, type "=SUM(E2:E{LAST})" and press Enter.
        7. Press Ctrl+S to save the workbook in its own format.
    """),
    category="traditional_data_processing",
    interface="gui",
    actions=12,
    apps=("excel",),
    config=(copied("Takings.xlsx", BOOK), step("open", path=BOOK)),
    evaluator={
        "postconfig": saved("Takings.xlsx - LibreOffice Calc"),
        "func": "compare_table",
        "result": left(BOOK),
        "expected": gold("Takings_gold.xlsx"),
        "options": {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]},
    },
    solution=text(SOLUTION),
    files=files,
)
