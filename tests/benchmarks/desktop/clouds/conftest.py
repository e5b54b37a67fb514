from __future__ import annotations

from collections.abc import Iterator

import pytest

from .google_services import Google
from .internet import Internet, serving


@pytest.fixture(scope="session")
def internet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Internet]:
    """One for all: gRPC reads once in a process whom to trust."""
    with serving(Internet(tmp_path_factory.mktemp("internet"))) as internet, pytest.MonkeyPatch.context() as patch:
        internet.tell_clients(patch)
        yield internet


@pytest.fixture
def google(internet: Internet) -> Iterator[Google]:
    with serving(Google(internet)) as google:
        yield google
