"""Runs at an address: by a folder's address, and in an S3 service on this machine."""

from __future__ import annotations

import signal
from pathlib import Path

import msgspec
import pytest

from tests.reports.web.conftest import Open, only_run, page
from tests.reports.web.runs import write_run
from tests.runs.test_remote_results import BUCKET, Bucket, bucket
from tests.support.command import finish, start, touchstone
from tests.support.records import a_record
from touchstone.errors import InputError
from touchstone.reports.web.library import Library
from touchstone.runs.labels import label_run
from touchstone.types import Outcome

pytest.importorskip("fsspec", reason="fsspec is not installed")
__all__ = ["bucket"]


def test_runs_below_an_address_are_shown_and_followed(tmp_path: Path, site: Open) -> None:
    run = write_run(tmp_path / "far" / "x" / "run", a_record("1"))
    label_run(run, ["paper"])
    over = site(Path(f"file://{tmp_path}/far"))
    assert "x/run" in page(over, "index.html")
    assert "paper" in page(over, "index.html")
    shown = f"runs/{only_run(over)}/index.html"
    assert "1 of n = 1" in page(over, shown)
    with (run / "runs.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(a_record("2", Outcome.failed)) + b"\n")
    (copies,) = over.library._copies  # pyright: ignore[reportPrivateUsage]
    copies.refresh()
    assert "1 of n = 2" in page(over, shown)
    assert sorted(file.name for file in run.iterdir()) == ["config.json", "labels.json", "runs.jsonl"]


def test_an_address_of_one_run_and_one_of_nothing(tmp_path: Path, site: Open) -> None:
    run = write_run(tmp_path / "far" / "x" / "run", a_record("1"))
    assert site(Path(f"file://{run}")).library.runs()[0].label == "x/run"
    (tmp_path / "empty").mkdir()
    over = site(Path(f"file://{tmp_path}/empty"))
    assert f"There is no run in file://{tmp_path}/empty yet." in page(over, "index.html")
    with pytest.raises(InputError, match="nosuch://x/y"):
        Library([Path("nosuch://x/y")])


@pytest.mark.long
def test_a_bucket_is_opened_like_a_directory(bucket: Bucket, tmp_path: Path) -> None:
    run = write_run(tmp_path / "far" / "x" / "run", a_record("1"))
    system = bucket._system  # pyright: ignore[reportPrivateUsage]
    system.put(str(run), "runs/seen/x/run", recursive=True)
    done = touchstone("view", f"{BUCKET}/seen", "--export", "out", cwd=tmp_path, env=bucket.env)
    assert done.code == 0, done.err
    assert (tmp_path / "out" / "runs" / "x.run" / "t-1~0.html").is_file()
    process = start("view", f"{BUCKET}/nothing", "--port", "0", cwd=tmp_path, env=bucket.env)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"no run in {BUCKET}/nothing yet, waiting for one at http://")
    finally:
        process.send_signal(signal.SIGINT)
        assert finish(process).code == 0
