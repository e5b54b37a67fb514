"""A dbt project on DuckDB: a model that lists the wrong rows, to mend and to run."""

from __future__ import annotations

from random import Random

from demo_desktop.archives import archive
from demo_desktop.model import HERE, Task, copied, script, terminal, text

PROJECT = "/home/user/projects/ferries"
ROUTES = ("alder", "birch", "cormorant", "dunlin")
LATE = 10
"""Minutes."""
WRONG = f"select crossing_id, route, delay from {{{{ ref('crossings') }}}} where delay < {LATE} order by crossing_id\n"
RIGHT = f"select crossing_id, route, delay from {{{{ ref('crossings') }}}} where delay > {LATE} order by crossing_id"


def files(rng: Random) -> dict[str, bytes]:
    crossings = [(number, rng.choice(ROUTES), rng.choice((0, 2, 5, LATE, 14, 25, 40))) for number in range(1, 31)]
    late = [crossing for crossing in crossings if crossing[2] > LATE]
    project = {
        "dbt_project.yml": text("""
            name: ferries
            version: "1.0"
            config-version: 2
            profile: ferries
            model-paths: ["models"]
            seed-paths: ["seeds"]
            models:
              ferries:
                +materialized: table
        """),
        "profiles.yml": text("""
            ferries:
              target: dev
              outputs:
                dev:
                  type: duckdb
                  path: ferries.duckdb
                  threads: 1
        """),
        "seeds/crossings.csv": "crossing_id,route,delay\n" + "".join(f"{a},{b},{c}\n" for a, b, c in crossings),
        "models/late_crossings.sql": WRONG,
    }
    return {
        "ferries.zip": archive({f"ferries/{name}": content for name, content in project.items()}),
        "init.sh": INIT.encode(),
        "eval.sh": EVAL.replace("LATE_CROSSINGS", repr(late)).encode(),
    }


INIT = text(f"""
    #!/bin/bash
    mkdir -p {PROJECT.rpartition("/")[0]}
    cd {PROJECT.rpartition("/")[0]}
    unzip -q -o /home/user/ferries.zip
    rm -f /home/user/ferries.zip
    source /home/user/anaconda3/etc/profile.d/conda.sh
    conda activate dbt
    cd ferries
    dbt seed >/dev/null
""")
EVAL = text(f"""
    #!/bin/bash
    source /home/user/anaconda3/etc/profile.d/conda.sh
    conda activate dbt
    python - <<'END'
    import duckdb

    expected = LATE_CROSSINGS
    try:
        database = duckdb.connect("{PROJECT}/ferries.duckdb", read_only=True)
        found = database.execute("select crossing_id, route, delay from late_crossings order by 1").fetchall()
    except duckdb.Error as error:
        print("late_crossings failed:", str(error).splitlines()[0])
    else:
        print("late_crossings succeed" if found == expected else f"late_crossings failed: it has {{len(found)}} rows")
    END
""")
SOLUTION = f"""
# A terminal is open in the project.
import subprocess

for _ in range(60):
    if subprocess.run(["wmctrl", "-x", "-a", "gnome-terminal"]).returncode == 0:
        break
    time.sleep(0.5)
else:
    raise SystemExit("there is no terminal after half a minute")
time.sleep(1)
pyautogui.click(960, 600)
pyautogui.write("conda activate dbt\\n", interval=0.02)
time.sleep(1)
# ---
# The model, written anew.
pyautogui.write("cat > models/late_crossings.sql\\n", interval=0.02)
time.sleep(0.5)
pyautogui.write({(RIGHT + chr(10))!r}, interval=0.02)
pyautogui.hotkey("ctrl", "d")
time.sleep(0.5)
# ---
# Until dbt has said that it is done.
pyautogui.write("dbt run && touch /tmp/ran\\n", interval=0.02)
from pathlib import Path

for _ in range(160):
    if Path("/tmp/ran").exists():
        break
    time.sleep(0.5)
else:
    raise SystemExit("dbt has not finished")
time.sleep(1)
"""

TASK = Task(
    name="delays",
    domain="dbt",
    instruction="The model late_crossings of the dbt project in the open terminal should have the crossings that were more "
    f"than {LATE} minutes late, but it has the others. Mend it and run dbt, so that the table in ferries.duckdb is right.",
    tutorial=text(f"""
        To mend and run the model:
        1. In the terminal, type "conda activate dbt" and press Enter.
        2. Type "gedit models/late_crossings.sql" and press Enter.
        3. In the editor, replace "delay < {LATE}" by "delay > {LATE}", press Ctrl+S and close the editor.
        4. In the terminal, type "dbt run" and press Enter. Wait until it says "Completed successfully".
    """),
    category="data_transformation",
    interface="cli",
    actions=6,
    apps=("dbt", "terminal"),
    config=(copied("ferries.zip", "/home/user/ferries.zip"), script("init.sh"), terminal(PROJECT)),
    evaluator={
        "func": "check_include_exclude",
        "result": {"type": "vm_script_output", "src": HERE + "eval.sh", "dest": "/home/user/eval.sh"},
        "expected": {
            "type": "rule",
            "rules": {"include": ["late_crossings succeed"], "exclude": ["failed"]},
        },
    },
    solution=text(SOLUTION),
    files=files,
)
