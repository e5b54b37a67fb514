"""The services that published scripts work with: `desktop selfcheck` finds tasks set up, judged, solved, and 0 untouched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import finish, records, run_directory, start
from touchstone.benchmarks.desktop.image import find
from touchstone.errors import InputError

from .service_tasks import write_tasks

pytestmark = pytest.mark.desktop
LAYERS = {"superset": ["superset"], "airflow": ["airflow", "postgresql"], "dagster": ["dagster"], "mysql": ["mysql"]}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tasks(tmp_path_factory.mktemp("services"))


@pytest.mark.parametrize("domain", LAYERS)
def test_a_service_is_set_up_judged_and_solved(domain: str, dataset: Path, images: dict[str, str], tmp_path: Path) -> None:
    try:
        find(LAYERS[domain])
    except InputError as error:
        pytest.skip(str(error))
    done = finish(start("desktop", "selfcheck", dataset, "--domain", domain, "-o", "runs", cwd=tmp_path, env=images), 600)
    assert done.code == 0, done.err + done.out
    [line] = [line for line in done.out.splitlines() if line.startswith(f"{domain} ")]
    assert line.split()[1:] == ["1", "0", "1", "1", "1", "1", "1", "0"]
    [untouched] = records(run_directory(tmp_path / "runs/nothing"))
    [solved] = records(run_directory(tmp_path / "runs/oracle"))
    assert (untouched["outcome"], solved["outcome"]) == ("failed", "passed")
    setup = untouched["evidence"]["setup"]
    assert all(probe["passed"] for probe in setup["probes"])
    assert setup["steps"][-1]["step"] == "script_and_execute"
    assert len(setup["steps"][-1]["commands"]) > 3
