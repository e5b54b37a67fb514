"""The page docs/ci.md, typed: its workflow parses and its steps run, and so does every command, with a model of our own."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat_server import JSON, Answer, ChatServer, tool_call
from tests.support.command import environment
from touchstone.benchmarks.sql.config import DEMO

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()


def test_the_page_is_typed(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    steps: list[dict[str, Any]] = yaml.safe_load(block[1])["jobs"]["evaluate"]["steps"]
    pushed, compared = (
        [
            step["run"]
            for step in steps
            if "run" in step and other not in step.get("if", "") and "pip install" not in step["run"]
        ]
        for other in ("pull_request", "push")
    )
    assert len(pushed) == len(compared) == 3
    typed = "\n".join(re.findall(r"^    (\S.*(?:\n {8}\S.*)*)$", PAGE.replace(block[0], ""), re.MULTILINE))
    assert typed.count("touchstone ") == 9
    for name in ("questions.csv", "shop.sqlite"):
        shutil.copyfile(DEMO / name, tmp_path / name.replace("sqlite", "duckdb"))  # known by its first bytes
    script = "\n".join(
        [
            "set -eo pipefail",
            'touchstone() { "$PYTHON" -m touchstone "$@"; }',
            "touchstone new my-eval --questions questions.csv --database shop.duckdb",
            *pushed,
            *compared,
            "rm -r new",
            typed,
        ]
    )
    golds = {row["question"]: row["sql"] for row in csv.DictReader((DEMO / "questions.csv").open())}

    def answer(request: JSON) -> Answer:
        asked = str(request["messages"])
        return tool_call("submit_sql", {"sql": next(sql for question, sql in golds.items() if question in asked)})

    with ChatServer(answer) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-none", "MODEL": "m"}
        files = {"PYTHON": sys.executable, "GITHUB_STEP_SUMMARY": str(tmp_path / "step.md")}
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=environment(tmp_path / "cache", model | files),
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    assert {"junit.xml", "summary.md", "verdicts.json", "runs.csv", "report.html", "logs", "history.json", "step.md"} <= {
        path.name for path in tmp_path.iterdir()
    }
    assert "100.0%" in (tmp_path / "step.md").read_text()
