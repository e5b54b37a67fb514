"""Servers that stand-ins start in the background: which there are, whether they run, and how they are started and ended.

Each is a process group with a file that holds its process id and one that takes what it prints, in FOLDER.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

FOLDER = Path(os.environ.get("STANDINS_FOLDER", "/tmp/.standins"))
HOME = Path(os.environ.get("STANDINS_HOME", "/home/user"))
ENVIRONMENTS = HOME / "anaconda3/envs"
METADATA = HOME / ".astro/airflow"
"""Airflow's configuration, and the database server that is a container of its own there."""
PROJECT = HOME / ".astro/project"
INSIDE = Path(os.environ.get("STANDINS_AIRFLOW", "/usr/local/airflow"))
"""What astro's containers have there: the project's files, and a virtual environment dbt_venv."""

SERVER_PROGRAMS = Path("/usr/lib/postgresql/15/bin")
DATABASES = {
    "superset_db": {"PGHOST": str(HOME / ".superset/run"), "PGUSER": "superset"},
    "airflow_postgres": {"PGHOST": str(METADATA / "run"), "PGUSER": "airflow"},
}
"""How programs in the containers of these servers reach them."""


def start_database(name: str) -> None:
    """An application's own PostgreSQL. Returns when it takes connections."""
    socket = Path(DATABASES[name]["PGHOST"])
    if not socket.is_dir():
        return
    listens = [] if name == "superset_db" else ["-c", "listen_addresses="]  # localhost is the machine's own server's
    start(name, [str(SERVER_PROGRAMS / "postgres"), "-D", str(socket.with_name("db")), *listens], dict(os.environ))
    deadline = time.monotonic() + 300
    while subprocess.call([str(SERVER_PROGRAMS / "pg_isready"), "-q", "-h", str(socket)]) and time.monotonic() < deadline:
        time.sleep(0.1)


def superset_variables() -> dict[str, str]:
    settings = {"SUPERSET_CONFIG_PATH": str(HOME / ".superset/superset_config.py"), "FLASK_APP": "superset"}
    return os.environ | settings | {"PATH": f"{ENVIRONMENTS}/superset/bin:{os.environ['PATH']}"}


def airflow_project() -> str:
    """The name that astro gives to the images and containers of the running project."""
    return airflow_setting("project.name") or (PROJECT.resolve().name if PROJECT.exists() else "project")


def airflow_setting(name: str, folder: Path = PROJECT) -> str | None:
    """From a project's .astro/config.yaml, which has sections of plain values."""
    section, _, key = name.partition(".")
    inside_it = False
    path = folder / ".astro/config.yaml"
    for line in path.read_text().splitlines() if path.exists() else []:
        if not line.startswith((" ", "\t")):
            inside_it = line.strip() == f"{section}:"
        elif inside_it and line.strip().startswith(f"{key}:"):
            return line.partition(":")[2].strip().strip("\"'")
    return None


def airflow_variables() -> dict[str, str]:
    """As in the containers of astro; a project's .env file counts more."""
    settings = {
        "AIRFLOW_HOME": str(INSIDE),
        "AIRFLOW_CONFIG": str(METADATA / "airflow.cfg"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"postgresql://airflow@/airflow?host={METADATA}/run",
        "AIRFLOW__CORE__DAGS_FOLDER": str(INSIDE / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(INSIDE / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__PARALLELISM": "4",  # each is a process from the start; astro has 32
        "AIRFLOW__CORE__TEST_CONNECTION": "Enabled",
        "AIRFLOW__API__AUTH_BACKENDS": "airflow.api.auth.backend.basic_auth,airflow.api.auth.backend.session",
        "AIRFLOW__SCHEDULER__DAG_DIR_LIST_INTERVAL": "5",
        "AIRFLOW__SCHEDULER__MIN_FILE_PROCESS_INTERVAL": "5",
        "AIRFLOW__WEBSERVER__EXPOSE_CONFIG": "True",
        "AIRFLOW__WEBSERVER__RBAC": "True",
        "AIRFLOW__WEBSERVER__WORKERS": "1",
        "AIRFLOW__WEBSERVER__SHOW_TRIGGER_FORM_IF_NO_PARAMS": "False",
        "PYTHONPATH": str(INSIDE),
    }
    own = PROJECT / ".env"
    if own.is_file():
        pairs = (line.partition("=") for line in own.read_text().splitlines() if "=" in line and not line.startswith("#"))
        settings |= {name.strip(): value.strip() for name, _, value in pairs}
    return os.environ | settings | {"PATH": f"{ENVIRONMENTS}/airflow/bin:{os.environ['PATH']}"}


def running(name: str) -> int | None:
    """Its process id."""
    try:
        process = int((FOLDER / f"{name}.pid").read_text())
        os.killpg(process, 0)
    except (OSError, ValueError):
        return None
    return process


def started(name: str) -> float | None:
    """When it was started, in seconds since 1970."""
    file = FOLDER / f"{name}.pid"
    return file.stat().st_mtime if file.exists() else None


def start(name: str, command: list[str], variables: dict[str, str], folder: Path = HOME) -> None:
    if running(name):
        return
    FOLDER.mkdir(exist_ok=True)
    with log(name).open("ab") as output:
        process = subprocess.Popen(
            command, env=variables, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    (FOLDER / f"{name}.pid").write_text(str(process.pid))


def stop(name: str) -> None:
    process = running(name)
    if process:
        os.killpg(process, signal.SIGTERM)
        deadline = time.monotonic() + 15
        while running(name) and time.monotonic() < deadline:
            time.sleep(0.1)
        if running(name):
            os.killpg(process, signal.SIGKILL)
    (FOLDER / f"{name}.pid").unlink(missing_ok=True)


def log(name: str) -> Path:
    return FOLDER / f"{name}.log"


def answers(url: str, seconds: float) -> bool:
    """Whether a server gives a page within this time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False
