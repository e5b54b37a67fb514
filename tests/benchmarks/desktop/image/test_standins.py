"""The stand-ins for conda, systemctl, date, code, tail and public addresses, with a real shell, and programs of our own."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from touchstone.benchmarks.desktop.image.recipes import HERE
from touchstone.benchmarks.desktop.needed import OFFLINE_WEB

STANDINS = HERE / "standins"
Bash = Callable[[str], subprocess.CompletedProcess[str]]


def _loaded(name: str) -> Any:
    specification = spec_from_file_location(name.removesuffix(".py"), STANDINS / name)
    assert specification
    assert specification.loader
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def bash(tmp_path: Path) -> Bash:
    def run(script: str) -> subprocess.CompletedProcess[str]:
        settings = {"CONDA_ROOT": str(tmp_path / "conda"), "SYSTEMCTL_SCRIPTS": str(tmp_path / "init.d")}
        command = ["bash", "-c", script]
        return subprocess.run(
            command, env={**os.environ, **settings}, capture_output=True, text=True, check=False, cwd=tmp_path
        )

    return run


@pytest.fixture
def conda(tmp_path: Path, bash: Bash) -> Bash:
    for name in ("jupyter", "dbt"):
        _program(tmp_path / f"conda/envs/{name}/bin/python", f"echo python of {name}")
    return lambda script: bash(f". {STANDINS}/conda.sh\n{script}")


def test_an_activated_environment_comes_first_on_the_path(conda: Bash, tmp_path: Path) -> None:
    done = conda('conda activate jupyter; python; echo "$CONDA_DEFAULT_ENV $CONDA_PREFIX"')
    assert done.stdout == f"python of jupyter\njupyter {tmp_path}/conda/envs/jupyter\n"


def test_environments_replace_each_other_and_go_without_a_trace(conda: Bash) -> None:
    done = conda(
        'before="$PATH"; conda activate jupyter; conda activate dbt; python; conda deactivate;'
        'test "$PATH" = "$before" && echo same; echo "${CONDA_PREFIX-none} ${CONDA_DEFAULT_ENV-none}"'
    )
    assert done.stdout == "python of dbt\nsame\nnone none\n"


def test_the_prompt_names_the_environment(conda: Bash) -> None:
    done = conda('PS1=\'$ \'; conda activate dbt; echo "$PS1"; conda deactivate; echo "$PS1"')
    assert done.stdout == "(dbt) $ \n$ \n"


def test_an_environment_that_is_not_there_is_an_error(conda: Bash) -> None:
    done = conda("conda activate airflow; echo $?")
    assert done.stdout == "1\n"
    assert "EnvironmentNameNotFound: Could not find conda environment: airflow" in done.stderr


def test_environments_are_listed_and_run_in(conda: Bash, tmp_path: Path) -> None:
    listed = conda("conda env list").stdout
    assert [line.split()[0] for line in listed.splitlines() if not line.startswith("#")] == ["base", "dbt", "jupyter"]
    done = conda('conda run -n dbt python; echo "${CONDA_PREFIX-none}"')
    assert done.stdout == "python of dbt\nnone\n"


def test_conda_says_what_it_does_not_do(conda: Bash) -> None:
    done = conda("conda install numpy; echo $?")
    assert done.stdout == "1\n"
    assert "this stand-in has only activate" in done.stderr


@pytest.fixture
def systemctl(tmp_path: Path, bash: Bash) -> Bash:
    """With start scripts that only remember whether they were started."""
    script = 'case $1 in start|restart) touch "$0.on";; stop) rm -f "$0.on";; status) test -e "$0.on";; *) exit 2;; esac'
    for name in ("postgresql", "mariadb", "redis-server"):
        _program(tmp_path / "init.d" / name, script)
    return lambda words: bash(f"bash {STANDINS}/systemctl {words}")


@pytest.mark.parametrize("name", ["postgresql", "postgresql.service", "mysql", "mariadb", "mysqld", "redis", "redis-server"])
def test_services_are_started_and_stopped(systemctl: Bash, name: str) -> None:
    before = systemctl(f"is-active {name}")
    assert (before.stdout, before.returncode) == ("inactive\n", 3)
    assert systemctl(f"start {name}").returncode == 0
    after = systemctl(f"is-active {name}")
    assert (after.stdout, after.returncode) == ("active\n", 0)
    assert "Active: active (running)" in systemctl(f"status --no-pager {name}").stdout
    assert systemctl(f"stop {name}").returncode == 0
    status = systemctl(f"status {name}")
    assert "inactive (dead)" in status.stdout
    assert status.returncode == 3


def test_a_service_that_is_not_there_is_an_error(systemctl: Bash) -> None:
    done = systemctl("start airbyte")
    assert done.returncode == 5
    assert "Failed to start airbyte.service: Unit airbyte.service not found." in done.stderr
    assert systemctl("status airbyte").returncode == 4


def test_what_only_matters_at_boot_does_nothing(systemctl: Bash) -> None:
    assert systemctl("enable docker.service").returncode == 0
    assert systemctl("daemon-reload").returncode == 0
    assert systemctl("--user start postgresql").returncode == 1


def test_a_clock_that_was_set_goes_on_from_there(tmp_path: Path, bash: Bash) -> None:
    """The real date is asked with libfaketime's file taken into account, as it is in the guest."""
    files = f"DATE_OFFSET={tmp_path}/offset DATE_PRELOAD={tmp_path}/preload"
    assert bash(f'{files} bash {STANDINS}/date -s "+6 hours"').returncode == 0
    assert 21_595 <= int((tmp_path / "offset").read_text()) <= 21_605
    assert (tmp_path / "preload").exists()
    assert bash(f"{files} bash {STANDINS}/date +%Y").stdout == bash("/usr/bin/date +%Y").stdout
    bash(f"{files} bash {STANDINS}/timedatectl set-ntp true")
    assert not (tmp_path / "offset").exists()
    assert not (tmp_path / "preload").exists()


def test_a_clock_is_not_set_to_nonsense(tmp_path: Path, bash: Bash) -> None:
    files = f"DATE_OFFSET={tmp_path}/offset DATE_PRELOAD={tmp_path}/preload"
    assert bash(f"{files} bash {STANDINS}/date -s never").returncode == 1
    assert not (tmp_path / "offset").exists()


def test_check_knows_the_public_addresses_that_are_stood_in_for() -> None:
    text = (STANDINS / "web.py").read_text().partition("OFFLINE = {")[2].partition("}")[0]
    hosts = set(re.findall(r'"([\w.-]+)":', text))
    assert hosts - {"www.bing.com", "www.google.com"} == OFFLINE_WEB


@pytest.mark.parametrize(
    ("host", "path", "status", "found"),
    [
        ("pypi.org", "/pypi/dagster-proj", 404, "not here"),
        ("pypi.org", "/pypi/dagster_dbt/json", 200, "dagster-dbt"),
        ("hacker-news.firebaseio.com", "/v0/item/40000037.json", 200, '"type": "story"'),
        ("hacker-news.firebaseio.com", "/v0/item/1.json", 200, "null"),
        ("wttr.in", "/HongKong", 200, "HongKong"),
        ("www.thecocktaildb.com", "/api/json/v1/1/random.php", 200, "strInstructions"),
        ("elsewhere.example", "/", 404, "not here"),
    ],
)
def test_public_addresses(host: str, path: str, status: int, found: str) -> None:
    web = _loaded("web.py")
    answer = web.answer(host, path)
    assert answer[0] == status
    assert found in answer[2]
    assert web.answer(host, path) == answer


def test_airflow_lives_where_it_does_in_astros_containers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published DAGs find their dbt by AIRFLOW_HOME; the database stays where the image has made it ready."""
    monkeypatch.setenv("STANDINS_HOME", str(tmp_path))
    variables = _loaded("services.py").airflow_variables()
    assert variables["AIRFLOW_HOME"] == "/usr/local/airflow"
    assert (
        variables["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] == f"postgresql://airflow@/airflow?host={tmp_path}/.astro/airflow/run"
    )
    (tmp_path / ".astro/project").mkdir(parents=True)
    (tmp_path / ".astro/project/.env").write_text("# own\nAIRFLOW_HOME=/elsewhere\n")
    assert _loaded("services.py").airflow_variables()["AIRFLOW_HOME"] == "/elsewhere"


@pytest.mark.skipif(which("jq") is None, reason="jq, which the image has, is not on this machine")
def test_the_editor_has_a_browser_of_its_own_and_one_window(tmp_path: Path, bash: Bash) -> None:
    """Where it shared the browser's profile, a browser that was started later had no port for debugging."""
    programs, windows, opened = tmp_path / "bin", tmp_path / "windows", tmp_path / "opened"
    _program(programs / "google-chrome", f'echo "$@" >> {windows}')
    _program(programs / "curl", f'case "$*" in *healthz*) ;; *) [ -e {windows} ] && echo \'{{"socketPath": "/s"}}\' ;; esac')
    _program(programs / "setsid", 'exec "$@"')
    _program(tmp_path / "code-server", f'echo "$@" >> {opened}')
    (tmp_path / "project").mkdir()
    setting = f"export HOME={tmp_path} PATH={programs}:$PATH CODE_SERVER={tmp_path}/code-server"
    until_idle = "for call in .local/share/code-server/calls/[0-9]*; do flock $call true; done"
    done = bash(f"{setting}; bash {STANDINS}/code project; bash {STANDINS}/code -r project/one.py project/two.py; {until_idle}")
    assert done.returncode == 0, done.stderr
    [window] = windows.read_text().splitlines()
    assert f"--user-data-dir={tmp_path}/.config/code-window" in window
    assert window.endswith(f"/?folder={str(tmp_path).replace('/', '%2F')}%2Fproject")
    assert opened.read_text().splitlines() == [f"--reuse-window {tmp_path}/project/{name}.py" for name in ("one", "two")]


@pytest.mark.skipif(which("jq") is None, reason="jq, which the image has, is not on this machine")
def test_the_editor_returns_before_its_window_is_there_and_keeps_the_order(tmp_path: Path, bash: Bash) -> None:
    """A set-up script has a time limit, and a window takes minutes on a busy machine."""
    programs, windows, opened, go = tmp_path / "bin", tmp_path / "windows", tmp_path / "opened", tmp_path / "go"
    _program(programs / "google-chrome", f"until [ -e {go} ]; do sleep 0.05; done; touch {windows}")
    _program(programs / "curl", f'case "$*" in *healthz*) ;; *) [ -e {windows} ] && echo \'{{"socketPath": "/s"}}\' ;; esac')
    _program(programs / "setsid", 'exec "$@"')
    _program(tmp_path / "code-server", f'echo "$@" >> {opened}')
    (tmp_path / "project").mkdir()
    setting = f"export HOME={tmp_path} PATH={programs}:$PATH CODE_SERVER={tmp_path}/code-server"
    names = [f"{number}.py" for number in range(4)]
    calls = "; ".join(f"bash {STANDINS}/code {name}" for name in ("project", *(f"project/{name}" for name in names)))
    assert bash(f"{setting}; {calls}").returncode == 0
    assert not opened.exists()
    go.touch()
    bash("for call in .local/share/code-server/calls/[0-9]*; do flock $call true; done")
    assert opened.read_text().splitlines() == [f"--reuse-window {tmp_path}/project/{name}" for name in names]


def test_tail_says_what_came_just_before_it_is_ended(tmp_path: Path) -> None:
    """Dagster ends it right after a step's last line. As on an overlay file system, nobody tells coreutils' own of news."""
    log, polling = tmp_path / "log", tmp_path / "polling"
    _program(polling, 'exec tail ---disable-inotify "$@"')
    log.write_text("first\n")
    follow = ["bash", str(STANDINS / "tail"), "-F", "-c", "+0", str(log)]
    with subprocess.Popen(follow, stdout=subprocess.PIPE, text=True, env={**os.environ, "TAIL": str(polling)}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "first\n"
        with log.open("a") as file:
            file.write("last\n")
        process.terminate()
        assert process.stdout.read() == "last\n"


def test_tail_that_follows_nothing_is_coreutils_own(tmp_path: Path, bash: Bash) -> None:
    (tmp_path / "log").write_text("1\n2\n3\n")
    assert bash(f"bash {STANDINS}/tail -2 log").stdout == "2\n3\n"


def test_an_editor_that_is_not_there_says_so(tmp_path: Path, bash: Bash) -> None:
    done = bash(f"CODE_SERVER={tmp_path}/none bash {STANDINS}/code file")
    assert (done.returncode, done.stderr) == (127, "code: Visual Studio Code is not on this desktop\n")
