"""A SQLite database in a terminal: a query whose rows go to a CSV file."""

from __future__ import annotations

from random import Random

from demo_desktop.model import Task, copied, gold, left, script, terminal, text

ROUTES = ("Alder Point", "Birch Island", "Cormorant Bay", "Dunlin Head", "Eider Sound", "Fulmar Reach")
DATABASE = "/home/user/ferries.db"
RESULT = "/home/user/busiest.csv"
BUSIEST = 3
QUERY = (
    f"SELECT route, sum(passengers) AS passengers FROM crossings GROUP BY route ORDER BY sum(passengers) DESC LIMIT {BUSIEST}"
)


def files(rng: Random) -> dict[str, bytes]:
    crossings = [(number, rng.choice(ROUTES), rng.randint(5, 300)) for number in range(1, 81)]
    totals = {route: sum(many for _, other, many in crossings if other == route) for route in ROUTES}
    ranked = sorted(totals.items(), key=lambda total: -total[1])
    rows = "".join(f"INSERT INTO crossings VALUES ({number}, '{route}', {many});\n" for number, route, many in crossings)
    table = "CREATE TABLE crossings (crossing_id INTEGER PRIMARY KEY, route TEXT, passengers INTEGER);\n"
    busiest = "".join(f'"{route}",{many}\n' for route, many in ranked[:BUSIEST])
    return {
        "ferries.sql": f"BEGIN;\n{table}{rows}COMMIT;\n".encode(),
        "init.sh": INIT.encode(),
        "busiest.csv": f"route,passengers\n{busiest}".encode(),
    }


INIT = text(f"""
    #!/bin/bash
    rm -f {DATABASE}
    sqlite3 {DATABASE} < /home/user/ferries.sql
    rm -f /home/user/ferries.sql
""")
SOLUTION = f"""
# A terminal is open at home.
import subprocess

for _ in range(60):
    if subprocess.run(["wmctrl", "-x", "-a", "gnome-terminal"]).returncode == 0:
        break
    time.sleep(0.5)
else:
    raise SystemExit("there is no terminal after half a minute")
time.sleep(1)
pyautogui.click(960, 600)
pyautogui.write("sqlite3 -header -csv ferries.db\\n", interval=0.02)
time.sleep(1)
# ---
pyautogui.write(".once busiest.csv\\n", interval=0.02)
pyautogui.write({QUERY!r} + ";\\n", interval=0.02)
time.sleep(1)
# ---
pyautogui.write(".quit\\ncat busiest.csv\\n", interval=0.02)
time.sleep(1)
"""

TASK = Task(
    name="crossings",
    domain="terminal",
    instruction=f"The SQLite database {DATABASE} has a table of crossings. Write the {BUSIEST} routes with the most passengers "
    f"to {RESULT}: a header with route and passengers, then the routes and their numbers of passengers, most first, as sqlite3 "
    "writes CSV.",
    tutorial=text(f"""
        To write the file with sqlite3:
        1. In the terminal, type "sqlite3 -header -csv ferries.db" and press Enter.
        2. Type ".once busiest.csv" and press Enter, so that the next result goes to the file.
        3. Type "{QUERY};" and press Enter.
        4. Type ".quit" and press Enter.
    """),
    category="data_analysis_and_visualization",
    interface="cli",
    actions=4,
    apps=("terminal", "sqlite3"),
    config=(copied("ferries.sql", "/home/user/ferries.sql"), script("init.sh"), terminal("/home/user")),
    evaluator={
        "func": "compare_csv",
        "result": left(RESULT),
        "expected": gold("busiest.csv"),
        "options": {"strict": False},
    },
    solution=text(SOLUTION),
    files=files,
)
