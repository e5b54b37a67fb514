from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reports.web.runs import make_runs
from touchstone.reports.web.layout import View
from touchstone.reports.web.library import Library
from touchstone.reports.web.site import Site

Open = Callable[..., Site]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real runs, made once. Tests only read them."""
    return make_runs(tmp_path_factory.mktemp("view"))


@pytest.fixture
def site() -> Open:
    def over(*paths: Path, hide_gold: bool = False) -> Site:
        return Site(Library(paths), View(hide_gold=hide_gold))

    return over


def page(site: Site, path: str) -> str:
    answer = site.answer(path, {})
    assert answer.status == 200, path
    return answer.body.decode()


def only_run(site: Site) -> str:
    (run,) = site.library.runs()
    return run.name
