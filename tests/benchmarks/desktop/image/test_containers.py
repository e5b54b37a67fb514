"""The stand-ins for docker and astro, on a home and with servers of our own in place of Superset and Airflow."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.image.recipes import HERE

STANDINS = HERE / "standins"


class Guest:
    """What the stand-ins take for the desktop."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.variables = {
            **os.environ,
            "STANDINS_LIBRARY": str(STANDINS),
            "STANDINS_FOLDER": str(folder / "running"),
            "STANDINS_HOME": str(self.home),
            "STANDINS_AIRFLOW": str(folder / "airflow"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def call(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(STANDINS / words[0]), *words[1:]]
        return subprocess.run(command, env=self.variables, capture_output=True, text=True, check=False, cwd=cwd or self.home)

    def serve(self, name: str) -> None:
        """A server that runs for long and says one word."""
        self._with_services(
            f"services.start('{name}', ['bash', '-c', 'echo begun; sleep 600'], dict(os.environ), services.HOME)"
        )

    def stop(self, name: str) -> None:
        self._with_services(f"services.stop('{name}')")

    def _with_services(self, script: str) -> None:
        start = "import os, sys; sys.path.insert(0, os.environ['STANDINS_LIBRARY']); import services; "
        subprocess.run([sys.executable, "-c", start + script], env=self.variables, check=True)


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    made = Guest(tmp_path)
    for folder in (".astro", "projects/superset", "project", "anaconda3/envs/superset/bin"):
        (made.home / folder).mkdir(parents=True)
    yield made
    for name in ("superset_app", "airflow_scheduler"):
        made.stop(name)


def names(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.split()[-1] for line in done.stdout.splitlines()[1:]]


def test_containers_are_listed_while_their_server_runs(guest: Guest) -> None:
    assert names(guest.call("docker", "ps")) == []
    guest.serve("superset_app")
    assert names(guest.call("docker", "ps", "-a")) == [
        *("superset_app", "superset_db", "superset_cache", "superset_worker", "superset_worker_beat"),
    ]
    assert guest.call("docker", "ps", "--format", "{{.Names}}", "--filter", "name=db").stdout == "superset_db\n"
    [identity] = guest.call("docker", "ps", "-q", "--filter", "name=app").stdout.split()
    assert guest.call("docker", "exec", identity, "echo", "here").stdout == "here\n"
    guest.stop("superset_app")
    assert names(guest.call("docker", "ps")) == []


def test_a_command_in_a_container_has_the_applications_settings(guest: Guest) -> None:
    guest.serve("superset_app")
    script = 'echo "$FLASK_APP $OWN"; pwd'
    done = guest.call("docker", "exec", "-it", "-e", "OWN=value", "superset_app", "bash", "-c", script)
    assert done.stdout == f"superset value\n{guest.home}/projects/superset\n"
    assert guest.call("docker", "exec", "superset_app", "bash", "-c", "exit 7").returncode == 7
    missing = guest.call("docker", "exec", "postgres", "true")
    assert missing.returncode == 1
    assert "no such container: postgres" in missing.stderr


def test_files_are_copied_out_of_and_into_containers(guest: Guest) -> None:
    guest.serve("superset_app")
    (guest.home / "inside.txt").write_text("content")
    done = guest.call("docker", "cp", f"superset_app:{guest.home}/inside.txt", str(guest.home / "project"))
    assert done.returncode == 0
    assert (guest.home / "project/inside.txt").read_text() == "content"
    assert guest.call("docker", "cp", "superset_app:/nothing/here", ".").returncode == 1
    assert guest.call("docker", "cp", "other:/etc/hosts", ".").returncode == 1


def test_what_a_container_printed_can_be_read(guest: Guest) -> None:
    guest.serve("superset_app")
    while not (done := guest.call("docker", "logs", "superset_app")).stdout:
        assert done.returncode == 0
    assert done.stdout == "begun\n"


def test_the_table_of_containers_has_the_columns_of_docker(guest: Guest) -> None:
    guest.serve("superset_app")
    head, *rows = guest.call("docker", "ps").stdout.splitlines()
    assert re.split(r"\s{2,}", head) == ["CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES"]
    fields = re.split(r"\s{2,}", rows[1])
    assert (fields[1], fields[5], fields[6]) == ("postgres:16-alpine", "5432/tcp", "superset_db")
    assert re.fullmatch(r"Up \d+ seconds?", fields[4])
    [found] = json.loads(guest.call("docker", "inspect", "superset_db").stdout)
    assert (found["Name"], found["State"]["Running"]) == ("/superset_db", True)
    assert "my-astro" in guest.call("docker", "images").stdout


def test_compose_wants_its_file(guest: Guest) -> None:
    done = guest.call("docker", "compose", "-f", "docker-compose-image-tag.yml", "up", "-d")
    assert done.returncode == 14
    assert "no configuration file provided" in done.stderr


def test_compose_down_ends_the_server(guest: Guest) -> None:
    (guest.home / "projects/superset/docker-compose.yml").touch()
    guest.serve("superset_app")
    done = guest.call("docker", "compose", "down", cwd=guest.home / "projects/superset")
    assert "Container superset_app  Stopped" in done.stdout
    assert names(guest.call("docker", "ps")) == []


def test_what_needs_an_engine_says_so(guest: Guest) -> None:
    for words in (["run", "hello-world"], ["build", "."], ["pull", "postgres"]):
        done = guest.call("docker", *words)
        assert done.returncode == 1
        assert "needs a Docker engine" in done.stderr
    assert "stand-in" in guest.call("docker", "--version").stdout


def test_a_project_of_astro(guest: Guest) -> None:
    project = guest.home / "project"
    assert "this is not an Astro project directory" in guest.call("astro", "dev", "start", cwd=project).stderr
    (project / "requirements.txt").write_text("mine")
    assert guest.call("astro", "dev", "init", cwd=project).returncode == 0
    assert {path.name for path in project.iterdir()} >= {".astro", "dags", "include", "plugins", "tests", "Dockerfile"}
    assert (project / "requirements.txt").read_text() == "mine"
    assert "Airflow is not on this desktop" in guest.call("astro", "dev", "start", cwd=project).stderr


SERVER = """import http.server, sys
print(*sys.argv[1:], flush=True)
port = int(sys.argv[sys.argv.index("--bind") + 1].rpartition(":")[2])
http.server.HTTPServer(("127.0.0.1", port), type("Any", (http.server.BaseHTTPRequestHandler,), {
    "do_GET": lambda self: (self.send_response(200), self.end_headers())})).serve_forever()
"""


def test_a_project_of_astro_is_started_by_its_servers(guest: Guest) -> None:
    """Airflow's own programs are played by small ones. Settings that name nothing are not worth a start of Python."""
    project, programs = guest.home / "project", guest.home / "anaconda3/envs/airflow/bin"
    programs.mkdir(parents=True)
    asked = guest.home / "asked"
    played = {"gunicorn": f"#!{sys.executable}\n{SERVER}", "airflow": '#!/bin/sh\necho "$1"\nexec sleep 600\n'}
    for name, text in {**played, "python": f'#!/bin/sh\necho "$3" >> {asked}\n'}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    guest.call("astro", "dev", "init", cwd=project)
    guest.call("astro", "config", "set", "webserver.port", port, cwd=project)
    try:
        started = guest.call("astro", "dev", "start", cwd=project)
        assert started.returncode == 0, started.stderr
        assert f"Airflow Webserver: http://localhost:{port}" in started.stdout
        states = [line.split()[1] for line in guest.call("astro", "dev", "ps", cwd=project).stdout.splitlines()[1:]]
        assert states == ["running", "running", "running", "exited"]  # there is no PostgreSQL here
        logs = guest.call("astro", "dev", "logs", cwd=project).stdout
        assert f"--bind 0.0.0.0:{port} airflow.www.app:cached_app()" in logs
        assert {"scheduler", "triggerer"} <= set(logs.split())
        assert not asked.exists()
        (project / "airflow_settings.yaml").write_text(
            "airflow:\n  variables:\n    - variable_name: day\n      variable_value: 1\n"
        )
        assert guest.call("astro", "dev", "restart", cwd=project).returncode == 0
        assert asked.read_text() == f"{project}/airflow_settings.yaml\n"
    finally:
        guest.call("astro", "dev", "stop", cwd=project)


def test_settings_of_astro(guest: Guest) -> None:
    project = guest.home / "project"
    guest.call("astro", "dev", "init", cwd=project)
    for port in ("8002", "8003"):
        assert guest.call("astro", "config", "set", "webserver.port", port, cwd=project).returncode == 0
        assert guest.call("astro", "config", "get", "webserver.port", cwd=project).stdout == f"webserver.port: {port}\n"
    assert (project / ".astro/config.yaml").read_text() == "project:\n  name: project\nwebserver:\n  port: 8003\n"


def test_containers_of_a_project_are_seen_by_docker(guest: Guest) -> None:
    project = guest.home / "project"
    guest.call("astro", "dev", "init", cwd=project)
    (project / ".env").write_text("# own\nOWN=from the file\n")
    guest.call("astro", "config", "set", "webserver.port", "8002", cwd=project)
    guest.call("astro", "dev", "run", "version", cwd=project)
    assert (Path(guest.variables["STANDINS_AIRFLOW"]) / "dags/exampledag.py").samefile(project / "dags/exampledag.py")
    guest.serve("airflow_webserver")
    [line] = [line for line in guest.call("docker", "ps").stdout.splitlines() if "8002" in line]
    assert "project/airflow:latest" in line
    assert "127.0.0.1:8002->8080/tcp" in line
    guest.stop("airflow_webserver")
    guest.serve("airflow_postgres")
    assert names(guest.call("docker", "ps")) == []
    guest.serve("airflow_scheduler")
    assert names(guest.call("docker", "ps")) == ["project-scheduler-1", "project-postgres-1"]
    done = guest.call("docker", "exec", "project-scheduler-1", "bash", "-c", 'echo "$OWN"; echo "$AIRFLOW__CORE__DAGS_FOLDER"')
    assert done.stdout == f"from the file\n{guest.variables['STANDINS_AIRFLOW']}/dags\n"
    states = guest.call("astro", "dev", "ps", cwd=project).stdout
    assert [line.split()[1] for line in states.splitlines()[1:]] == ["running", "exited", "exited", "running"]
