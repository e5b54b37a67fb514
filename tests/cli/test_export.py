"""`touchstone export RUN… --to …`: each format is read back by whoever reads it."""

from __future__ import annotations

import csv
import json
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import run_directory
from tests.support.records import a_record
from tests.support.worlds import ROWS, World
from touchstone.runs.directory import encoded
from touchstone.types import Outcome, Usage

HOSTILE = "a & b_c <script>alert(1)</script> 50% | `x` \\ \"q\", 'z'\n#"


@pytest.fixture
def runs(cli: Cli, world: World, tmp_path: Path) -> tuple[Path, Path]:
    """All right, and one of six right with the database of two gone."""
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "first").code == 0
    (world.databases / "zoo" / "zoo.sqlite").unlink()
    (tmp_path / "p.json").write_text(json.dumps({"11": ROWS[1]["SQL"]}))
    options = ("--data", world.tasks, "--databases", world.databases, "--allow-missing", "-o", "second")
    assert cli("score", "bird", "p.json", *options).code == 0
    return run_directory(tmp_path / "first"), run_directory(tmp_path / "second")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run whose names and reasons are written by an enemy."""
    run = tmp_path / "hostile"
    run.mkdir()
    config = {"title": HOSTILE, "identity": {"benchmark": HOSTILE, "agent": HOSTILE, "model": HOSTILE}}
    (run / "config.json").write_text(json.dumps(config))
    facets = {"database": HOSTILE, "difficulty": "simple"}
    records = [
        a_record(HOSTILE, Outcome.failed, reason=HOSTILE, facets=facets, usage=Usage(calls=1, cost=None)),
        a_record("2", Outcome.error, score=None),
    ]
    (run / "runs.jsonl").write_bytes(b"".join(encoded(record) + b"\n" for record in records))
    return run


def test_csv_has_a_row_per_attempt_with_the_names_of_its_run(cli: Cli, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    done = cli("export", *runs, "--to", "csv", "-o", "all.csv")
    assert (done.code, done.out) == (0, "all.csv\n")
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {(row["run"], row["benchmark"], row["agent"]) for row in rows} == {
        (str(runs[0]), "bird", "oracle"),
        (str(runs[1]), "bird", "replay"),
    }
    second = {row["task"]: row for row in rows if row["agent"] == "replay"}
    assert (second["11"]["passed"], second["11"]["score"], second["10"]["passed"]) == ("true", "1.0", "false")
    assert (second["12"]["outcome"], second["12"]["passed"], second["12"]["score"]) == ("unscorable", "", "")
    assert {row["facet_database"] for row in rows} == {"shop", "zoo"}
    mean = [float(row["score"]) for row in second.values() if row["score"]]
    assert sum(mean) / len(mean) == pytest.approx(1 / 3), "a plain mean of the column is the accuracy"
    assert cli("export", *runs, "--to", "csv").out == (tmp_path / "all.csv").read_text()


def test_parquet_is_typed(cli: Cli, runs: tuple[Path, Path]) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert cli("export", *runs, "--to", "parquet", "-o", "all.parquet").code == 0
    with duckdb.connect() as connection:
        asked = "SELECT agent, count(*), count(score), avg(score), bool_or(passed), max(metric_ex), typeof(any_value(started))"
        found = connection.execute(f"{asked} FROM 'all.parquet' GROUP BY agent ORDER BY agent").fetchall()
    assert [row[:3] for row in found] == [("oracle", 6, 6), ("replay", 6, 3)]
    assert [row[3:6] for row in found] == [(1.0, True, 1.0), (pytest.approx(1 / 3), True, 1.0)]
    assert {row[6] for row in found} == {"TIMESTAMP WITH TIME ZONE"}


def test_tables_of_a_paper_have_intervals_and_say_what_is_the_same_once(cli: Cli, runs: tuple[Path, Path]) -> None:
    latex = cli("export", *runs, "--to", "latex").out
    assert "benchmark: bird" in latex
    assert "oracle & -- & 100.0 & 61.0--100.0 & 6 & 1.000 & 0.00 \\\\" in latex
    assert latex.count("\\\\") == 3
    markdown = cli("export", *runs, "--to", "markdown").out.splitlines()
    assert markdown[2] == "| bird | oracle | – | 100.0 | 61.0–100.0 | 6 | 1.000 | 0.00 |"
    assert [line.count("|") for line in markdown] == [9] * 4


class Page(HTMLParser):
    """What a browser makes of it: tags, and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href")]


def test_the_report_is_one_file_that_loads_nothing(cli: Cli, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    assert cli("export", *runs, "--to", "html", "-o", "r.html").code == 0
    text = (tmp_path / "r.html").read_text()
    page = Page(text)
    assert (page.loads, "script" in page.tags) == ([], False)
    assert page.tags.count("circle") == 2, "a point per run"
    assert "100.0%" in text
    assert "Tasks that no run passes" not in text
    assert "By difficulty" in text


def test_hostile_text_stays_text(cli: Cli, tmp_path: Path, hostile: Path) -> None:
    for format in ("html", "latex", "markdown", "csv"):
        assert cli("export", hostile, "--to", format, "-o", f"out.{format}").code == 0
    page = Page((tmp_path / "out.html").read_text())
    assert "script" not in page.tags
    latex = (tmp_path / "out.latex").read_text()
    cells = latex.split("\\midrule")[1].split("\\bottomrule")[0].replace(" & ", " ").replace("{}", "")
    assert not re.search(r"(?<!\\)[%#_$&{}]", cells)
    table = (tmp_path / "out.markdown").read_text().splitlines()
    assert len(table) == 3
    assert len(re.findall(r"(?<!\\)\|", table[2])) == 9
    with (tmp_path / "out.csv").open(newline="") as file:
        second, first = csv.DictReader(file)
    assert (first["reason"], first["model"], first["cost"], second["score"]) == (HOSTILE, HOSTILE, "", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--to", "csv"], "export needs a run directory"),
        (["nowhere", "--to", "csv"], "nowhere: not a run directory (it has no config.json)"),
        (["RUN", "--to", "csv", "-o", "no/such/file"], "--output no/such/file: expected the name of a file in a"),
        (["RUN", "--to", "excel"], "Invalid value"),
    ],
)
def test_mistakes(cli: Cli, hostile: Path, arguments: list[str], complaint: str) -> None:
    done = cli("export", *(str(hostile) if each == "RUN" else each for each in arguments))
    assert done.code == 2
    assert complaint in done.complaint
    assert "\n" not in done.err.strip()


def test_a_line_that_is_no_record_is_named(cli: Cli, hostile: Path) -> None:
    with (hostile / "runs.jsonl").open("a") as file:
        file.write("{}\n")
    done = cli("export", hostile, "--to", "csv", "-o", "x.csv")
    assert (done.code, "line 3 is not a record" in done.complaint) == (2, True)
    assert not Path("x.csv").exists()


# The tools themselves. MLflow and W&B want other versions of what Inspect and Ray bring: `make test-clouds` runs these tests in
# an environment of their own, and they are skipped elsewhere.


def test_inspect_reads_its_logs(cli: Cli, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    log = pytest.importorskip("inspect_ai.log")
    assert cli("export", *runs, "--to", "inspect", "-o", "logs").code == 0
    found = [log.read_eval_log(str(path)) for path in sorted((tmp_path / "logs").iterdir())]
    assert [len(each.samples) for each in found] == [6, 6]
    assert cli("export", *runs, "--to", "inspect", "-o", "one.eval").code == 2


def test_mlflow_reads_its_store(cli: Cli, tmp_path: Path, runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    assert cli("export", *runs, "--to", "mlflow", "-o", "store", "--project", "mine").code == 0
    client = mlflow.MlflowClient(tracking_uri=(tmp_path / "store").as_uri())
    experiment = client.get_experiment_by_name("mine").experiment_id
    found = {run.data.params["agent"]: run for run in client.search_runs([experiment])}
    assert {agent: run.data.metrics["accuracy"] for agent, run in found.items()} == {
        "oracle": 1.0,
        "replay": pytest.approx(1 / 3),
    }
    replayed = found["replay"]
    assert (replayed.data.metrics["n"], replayed.data.metrics["outcomes/unscorable"], replayed.info.status) == (
        3,
        3,
        "FINISHED",
    )
    names = {each.path for each in client.list_artifacts(replayed.info.run_id)}
    assert names == {"config.json", "overall.json", "summary.txt"}


def test_wandb_reads_its_runs(cli: Cli, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    pytest.importorskip("wandb")
    (tmp_path / "w").mkdir()
    done = cli("export", *runs, "--to", "wandb-offline", "-o", "w", "--project", "mine")
    assert done.code == 0
    folders = [Path(line) for line in done.out.splitlines()]
    logged = [_wandb_run(next(folder.glob("run-*.wandb"))) for folder in folders]
    assert [each["project"] for each in logged] == ["mine", "mine"]
    assert [each["agent"] for each in logged] == ["oracle", "replay"]
    assert [each["accuracy"] for each in logged] == [1.0, pytest.approx(1 / 3)]
    assert [each["by_database/shop"] for each in logged] == [1.0, pytest.approx(1 / 3)]
    assert [each["tasks/nrows"] for each in logged] == [6, 6]
    table = json.loads((folders[1] / "files" / logged[1]["tasks/path"]).read_text())
    assert table["columns"][:3] == ["task", "epoch", "outcome"]
    assert sorted(row[2] for row in table["data"]) == ["failed", "failed", "passed", *["unscorable"] * 3]
    listed = subprocess.run(
        [Path(sys.executable).with_name("wandb"), "sync", "--dry-run", "--yes", *folders], capture_output=True, text=True
    )
    assert (listed.returncode, all(folder.name in listed.stdout + listed.stderr for folder in folders)) == (0, True)


def _wandb_run(file: Path) -> dict[str, Any]:
    """What the file holds of a run. W&B's library no longer has a reader in Python; its messages it has."""
    from wandb.proto import wandb_internal_pb2 as messages

    held: dict[str, Any] = {}
    for data in _wandb_log(file.read_bytes()):
        record = messages.Record.FromString(data)
        if record.HasField("run"):
            held["project"] = record.run.project
            held |= {item.key: json.loads(item.value_json) for item in record.run.config.update}
        if record.HasField("history"):
            names = ((item.key or "/".join(item.nested_key), item.value_json) for item in record.history.item)
            held |= {name: json.loads(value) for name, value in names}
    return held


def _wandb_log(content: bytes) -> Iterator[bytes]:
    """The records of a LevelDB log in blocks of 32 KiB; a header of W&B's own takes the first seven bytes."""
    block, place, parts = 32 * 1024, 7, list[bytes]()
    assert content.startswith(b":W&B")
    while place + 7 <= len(content):
        if block - place % block < 7:
            place += block - place % block
            continue
        length, kind = struct.unpack_from("<HB", content, place + 4)
        parts.append(content[place + 7 : place + 7 + length])
        place += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield b"".join(parts)
            parts.clear()
