"""Runs a checkout of BIRD-Interact's own evaluators and ours on generated cases, and prints where they disagree.

    python tools/differential_interact.py --original PATH_OF_CHECKOUT --cases 5000 --seed 1

The checkout (of github.com/bird-bench/BIRD-Interact) is used as it is, in a process of its own for each evaluator; only its way
to reset a database, three programs for each submission, is replaced by a quick one. Cases come from a grammar: columns of many
types under functions, casts and rewritings for queries; statements and test functions for management tasks. Disagreements that
docs/interact.md names are counted apart. Ends with 1 if there are others.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter
from pathlib import Path
from typing import Any, Literal, cast

import differential_interact_cases as grammar
import psycopg
import psycopg2

from touchstone.benchmarks.interact.grader import Examiner
from touchstone.benchmarks.interact.rules import RULES, Compat
from touchstone.benchmarks.interact.tasks import InteractTask, load_tasks
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.engines.sqlite.database import SqliteEpisodeDatabase
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import Unscorable
from touchstone.protocols import Limits

Evaluator = Literal["batch", "adk", "conv", "mini"]
SHARES: dict[Evaluator, float] = {"batch": 0.5, "adk": 0.2, "conv": 0.2, "mini": 0.1}
LIMITS = Limits(seconds=60)  # as the originals, and as --sql-timeout by default
DATABASE = "generated"
Case = dict[str, Any]


# Ours.


def as_task(case: Case, directory: Path) -> InteractTask:
    file = directory / "bird_interact_data.jsonl"
    row = {
        "instance_id": case["id"],
        "selected_database": DATABASE,
        "amb_user_query": "?",
        "user_query_ambiguity": {},
        "sol_sql": case["gold"],
        "test_cases": case["tests"],
        "category": case["category"],
        "conditions": case["conditions"],
    }
    file.write_text(json.dumps(row))
    return load_tasks(file)[0]


async def ours(cases: list[Case], server: PostgresServer, sqlite_file: Path, directory: Path) -> dict[str, tuple[bool, str]]:
    postgres, sqlite = PostgresEngine(server), SqliteEngine(workers=2)
    gate = asyncio.Semaphore(2)

    async def judged(case: Case) -> tuple[str, tuple[bool, str]]:
        mini = case["evaluator"] == "mini"
        compat: Compat = "batch" if mini else case["evaluator"]
        task = as_task(case, directory)
        async with gate:
            world = SqliteEpisodeDatabase(sqlite, sqlite_file) if mini else postgres.world(DATABASE, case["id"])
            try:
                finding = await Examiner(task, RULES[compat], world, LIMITS).submit(case["predicted"])
                return case["id"], (finding.passed, finding.reason)
            except Unscorable as reason:
                return case["id"], (False, f"unscorable: {reason}")
            finally:
                await world.close()

    try:
        return dict(await asyncio.gather(*map(judged, cases)))
    finally:
        await postgres.close()
        await sqlite.close()


# The originals, each in a process of its own.


def theirs(
    original: Path, evaluator: Evaluator, cases: list[Case], server: PostgresServer, directory: Path
) -> dict[str, tuple[bool, str]]:
    given = {"cases": cases, "host": server.host, "port": server.port, "user": server.user, "dir": str(directory)}
    command = [sys.executable, __file__, "--original", str(original), "--as", evaluator]
    answer = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(f"the original evaluator {evaluator} failed:\n{answer.stderr[-3000:]}")
    return {key: (passed, message) for key, passed, message in json.loads(answer.stdout.splitlines()[-1])}


class OriginalDatabase:
    """Made anew from its template before a case if the one before may have written."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._administrator = psycopg2.connect(host=given["host"], port=given["port"], user=given["user"], dbname="postgres")
        self._administrator.autocommit = True
        self.reads = False
        self._clean = False

    def reset(self, *_: Any) -> None:
        if not (self.reads and self._clean):
            cursor = self._administrator.cursor()
            cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
            cursor.execute(f"CREATE DATABASE {DATABASE} TEMPLATE {DATABASE}_template")
        self._clean = self.reads


def record(case: Case) -> dict[str, Any]:
    return {
        "instance_id": case["id"],
        "selected_database": DATABASE,
        "sol_sql": case["gold"],
        "test_cases": case["tests"],
        "category": case["category"],
        "conditions": case["conditions"],
        "preprocess_sql": [],
        "clean_up_sqls": [],
    }


def run_original(original: Path, evaluator: Evaluator) -> None:
    given = json.load(sys.stdin)
    verdicts: list[tuple[str, bool, str]] = []
    with contextlib.redirect_stdout(io.StringIO()):
        judge = {"batch": _batch, "adk": _adk, "conv": _conv, "mini": _mini}[evaluator](original, given)
        verdicts += [(case["id"], *judge(case)) for case in given["cases"]]
    print(json.dumps(verdicts))


def _module(*path: str) -> Any:
    for name in path[:-1]:
        sys.path.insert(0, name)
    return __import__(path[-1], fromlist=["*"])


def _without_its_imports(root: Path) -> None:
    """The package of the environments imports clients of models, which no evaluator needs."""
    package = types.ModuleType("src.envs")
    package.__path__ = [str(root / "src" / "envs")]
    sys.modules["src.envs"] = package


def _batch(original: Path, given: dict[str, Any]) -> Any:
    root = original / "bird_interact_agent"
    _without_its_imports(root)
    config = _module(str(root), "src.config.db_config")
    config.set_global_db_config(host=given["host"], port=given["port"], user=given["user"], password="")
    handler = _module(str(root / "batch_run_bird_interact"), "action_handler")
    status = _module("sample_status")
    database = OriginalDatabase(given)
    handler.reset_and_restore_database = database.reset

    def judge(case: Case) -> tuple[bool, str]:
        database.reads = case["reads"]
        sample = status.SampleStatus(idx=0, original_data=record(case))
        said, _, passed, _, _ = handler.execute_submit_action(case["predicted"], sample, given["dir"])
        return passed, said

    return judge


def _mini(original: Path, given: dict[str, Any]) -> Any:
    root = original / "mini_interact" / "knowledge_based" / "mini_interact_agent"
    _without_its_imports(root)
    handler = _module(str(root), str(root / "batch_run_bird_interact"), "action_handler_sqlite")
    status = _module("sample_status")

    def judge(case: Case) -> tuple[bool, str]:
        sample = status.SampleStatus(idx=0, original_data=record(case))
        said, _, passed, _, _ = handler.execute_submit_action(case["predicted"], sample, given["dir"])
        return passed, said

    return judge


def _adk(original: Path, given: dict[str, Any]) -> Any:
    os.environ |= {"PG_HOST": given["host"], "PG_PORT": str(given["port"]), "PG_USER": given["user"], "PG_PASSWORD": ""}
    server = _module(str(original / "BIRD-Interact-ADK"), "db_environment.server")
    database = OriginalDatabase(given)

    def reset(*_: Any) -> None:
        server.close_pool(DATABASE)
        database.reset()

    server.reset_task_db = reset
    server.create_task_db = lambda *_, **__: DATABASE

    def judge(case: Case) -> tuple[bool, str]:
        database.reads = case["reads"]
        said = server._submit_sql_sync(case["id"], case["predicted"], record(case), {}, {})
        return said.passed, said.message

    return judge


def _conv(original: Path, given: dict[str, Any]) -> Any:
    evaluator = _module(str(original / "evaluation" / "src"), "eval_bird_interact_batch")
    tools = _module("postgresql_utils")
    tools.DEFAULT_DB_CONFIG.update(host=given["host"], port=given["port"], user=given["user"], password="", minconn=1)
    database = OriginalDatabase(given)
    file = Path(given["dir"]) / "conv.jsonl"

    def reset(*_: Any) -> None:
        tools.close_postgresql_pool(DATABASE)
        database.reset()

    evaluator.reset_and_restore_database = reset

    def judge(case: Case) -> tuple[bool, str]:
        database.reads = case["reads"]
        file.write_text(json.dumps({**record(case), "pred_sqls": [case["predicted"]]}))
        evaluator.batch_eval(str(file))
        said = json.loads(file.with_name("conv_output_with_status.jsonl").read_text())
        return said["status"] == "success", said["error_msg"]

    return judge


# Both.


def make_databases(server: PostgresServer, directory: Path) -> Path:
    for database, sql in (("postgres", f"CREATE DATABASE {DATABASE}_template"), (f"{DATABASE}_template", grammar.POSTGRES)):
        with psycopg.connect(server.conninfo(database), autocommit=True) as connection:
            connection.execute(sql.encode())
    folder = directory / DATABASE
    folder.mkdir()
    file = folder / f"{DATABASE}_template.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(grammar.SQLITE)
    return file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--original", type=Path, required=True, help="a checkout of bird-bench/BIRD-Interact")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(SHARES), help="one evaluator")
    parser.add_argument("--as", dest="evaluator", choices=list(SHARES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    original = options.original.resolve()
    if options.evaluator:
        run_original(original, options.evaluator)
        return 0
    shares = {options.only: 1.0} if options.only else SHARES
    chance = random.Random(options.seed)
    aggregate: Counter[str] = Counter()
    with started() as server, tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        sqlite_file = make_databases(server, directory)
        for evaluator, share in shares.items():
            begun = time.monotonic()
            cases = grammar.generate(chance, cast("Evaluator", evaluator), round(options.cases * share))
            original_verdicts = theirs(original, cast("Evaluator", evaluator), cases, server, directory)
            our_verdicts = asyncio.run(ours(cases, server, sqlite_file, directory))
            for case in cases:
                _compare(case, original_verdicts[case["id"]], our_verdicts[case["id"]], aggregate)
            passed = sum(verdict[0] for verdict in original_verdicts.values())
            print(
                f"{evaluator}: {len(cases)} cases, {passed} passed by the original, {time.monotonic() - begun:.0f} s",
                flush=True,
            )
    print(dict(aggregate))
    return int(aggregate["disagreements"] > 0)


def _compare(case: Case, original: tuple[bool, str], ours: tuple[bool, str], aggregate: Counter[str]) -> None:
    aggregate["cases"] += 1
    if original[0] == ours[0]:
        return
    if named := grammar.named_difference(case):
        aggregate[f"named: {named}"] += 1
        return
    aggregate["disagreements"] += 1
    shown = {key: case[key] for key in ("id", "predicted", "gold", "conditions", "tests")}
    print(f"\n{case['evaluator']}: original {original}, ours {ours}\n{json.dumps(shown, indent=1)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
