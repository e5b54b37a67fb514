"""`touchstone demo`: the whole job on small datasets that ship with the package, without a key or a network."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..api.run import configured
from ..benchmarks.bird.config import BirdConfig
from ..benchmarks.interact.config import InteractConfig
from ..benchmarks.spider2.config import Spider2Config
from ..datasets import bird_demo, spider2_demo
from ..distribution import pip_install
from ..errors import InputError
from .terminal import play

_EASY = ("101", "102", "201", "202", "203", "301", "302", "303")
_DIALOGUE = "seed_vault_4"


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("results", "demo"),
    local: bool = True,
) -> int:
    """Watch agents play small text-to-SQL benchmarks: the oracle, a real model that runs on this machine, a service.

    Parameters
    ----------
    output
        Where to create the run directories.
    local
        Play with the local model too.
    """
    local = local and _has_local_model()
    steps = [_oracle, *([_local_model] if local else [])]
    if _has("The HTTP services", "serve", "fastapi", "uvicorn"):
        steps += [_service_of_the_oracle, *([_service_of_the_local_model] if local else [])]
    if _has_postgres():
        steps += [_dialogue_with_the_oracle, *([_dialogue_with_the_local_model] if local else [])]
    for number, step in enumerate(steps, 1):
        print(f"\n{number}. {' '.join((step.__doc__ or '').split())}\n", flush=True)
        if code := step(output):
            return code
    _say_what_next(output)
    return 0


def _oracle(output: Path) -> int:
    """The oracle plays the reference of every task. It must pass them all: this checks the whole pipeline."""
    return play(configured(BirdConfig(), "oracle", output=output / "oracle", parallel=4))


def _local_model(output: Path) -> int:
    """A small language model plays the easiest tasks, in process and on one core. At 135 million parameters it rarely finds
    the answer; what you see is a real model that calls tools, reads observations, errs and is told why."""
    easy = BirdConfig(task=_EASY, schema=True)
    return play(configured(easy, "tools", model="local", max_turns=4, output=output / "local", verbose=True))


def _service_of_the_oracle(output: Path) -> int:
    """The oracle answers as an HTTP service on a free port, and is evaluated like any text-to-SQL API: the SQL that comes
    back is run, and the results are compared with golden CSV files."""
    with _serving("--agent", "oracle", "--data", str(_questions_with_gold(output))) as url:
        return _evaluate(url, output, "oracle", None)


def _service_of_the_local_model(output: Path) -> int:
    """The same with the local model behind the service, on two questions."""
    with _serving("--model", "local", "--max-turns", "3", "--schema") as url:
        return _evaluate(url, output, "local", 2)


def _dialogue_with_the_oracle(output: Path) -> int:
    """Ambiguous requests on a private PostgreSQL server: the oracle submits the gold of the request and of its follow-up, and
    the hidden tests of the dataset judge what it did to the database. It must earn every reward."""
    return play(configured(InteractConfig(), "oracle", output=output / "interact-oracle", parallel=4))


def _dialogue_with_the_local_model(output: Path) -> int:
    """The local model plays one of these tasks with a simulated user: it may ask, submits, and has one attempt to debug.
    You see the dialogue as it happens."""
    dialogue = InteractConfig(task=(_DIALOGUE,), mode="conversational", user_model="scripted")
    return play(configured(dialogue, "tools", model="local", max_turns=4, output=output / "interact-local", verbose=True))


def _evaluate(url: str, output: Path, name: str, limit: int | None) -> int:
    evaluated = Spider2Config(
        limit=limit, results=output / f"api-{name}-csv", report=output / f"api-{name}.json", minimal_request=True
    )
    return play(configured(evaluated, "http", api_url=url, parallel=4, output=output / f"api-{name}"))


@contextmanager
def _serving(*options: str) -> Generator[str]:
    """A service in a process of its own, as a user would start it; gives its address."""
    databases = str(bird_demo()[1])
    command = [sys.executable, "-m", "touchstone", "serve", "--databases", databases, "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if " answers at " not in line:
            raise InputError("the service could not be started")
        print(line, end="", flush=True)
        yield line.partition(" answers at ")[2].split()[0]
    finally:
        process.terminate()
        process.wait()


def _questions_with_gold(output: Path) -> Path:
    """The service is asked the questions of the Spider2 demo, so its oracle needs the gold under those words."""
    import msgspec

    from ..benchmarks.spider2.tasks import load_tasks

    questions, gold, _ = spider2_demo()
    tasks = load_tasks(questions, gold / "sql")
    rows = [{"question_id": t.key, "db_id": t.database, "question": t.question, "SQL": t.gold_sql} for t in tasks]
    target = output / "questions-with-gold.json"
    target.write_bytes(msgspec.json.encode(rows))
    return target


def _has_local_model() -> bool:
    from ..plugins import model_config

    try:
        model_config("local").build()
    except InputError as error:
        print(f"The local model is left out: {error}")
        return False
    return True


def _has(what: str, extra: str, *modules: str) -> bool:
    missing = any(find_spec(module) is None for module in modules)
    if missing:
        print(f"{what} are left out: they need {pip_install(extra)}")
    return not missing


def _has_postgres() -> bool:
    if not _has("The dialogues", "interact", "psycopg", "psycopg2"):
        return False
    from ..engines.postgres import binaries

    try:
        binaries.find()
    except InputError as error:
        print(f"The dialogues are left out: {error}")
        return False
    return True


def _say_what_next(output: Path) -> None:
    oracle = shlex.quote(str(output / "oracle" / "latest"))
    program = "touchstone" if shutil.which("touchstone") else shlex.quote(sys.argv[0])
    print(f"""
What to try next:
  These runs in the browser:
    {program} view {shlex.quote(str(output))}
  Your own model on these tasks (OPENAI_API_KEY, or --base-url for a server of your own):
    {program} bird demo --model gpt-5-mini
  Predictions you have already, scored without a model:
    {program} score bird {oracle} --data demo
  An ambiguous request, played by you:
    {program} interact demo --agent human --task {_DIALOGUE}
  Work on a real desktop, by mouse and keyboard (its image is built first: about 3 GB, ten minutes):
    {program} desktop demo --build
  The real BIRD data (docs/bird.md says where it is), or your own text-to-SQL service (docs/spider2.md):
    {program} bird mini_dev_sqlite.json dev_databases --model gpt-5-mini --parallel 8""")
