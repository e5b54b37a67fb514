"""Packages come from wherever this machine takes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.image import registries


@pytest.fixture(autouse=True)
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """pip's configuration, which is ours alone."""
    config = tmp_path / "pip.conf"
    config.write_text("")
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    registries.pip_options.cache_clear()
    yield config
    registries.pip_options.cache_clear()


def test_indexes_of_pip_are_those_of_the_build(pip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip.write_text("[global]\nindex-url = https://packages.example/simple\n")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://more.example/simple https://most.example/simple")
    found = registries.registries()
    assert found.variables["UV_DEFAULT_INDEX"] == "https://packages.example/simple"
    assert found.variables["UV_INDEX"] == "https://more.example/simple https://most.example/simple"


def test_a_variable_counts_more_than_a_file(pip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip.write_text("[global]\nindex-url = https://packages.example/simple\n")
    monkeypatch.setenv("PIP_INDEX_URL", "https://other.example/simple")
    assert registries.registries().variables["UV_DEFAULT_INDEX"] == "https://other.example/simple"


def test_folders_are_shown_to_the_build_under_another_name(pip: Path, tmp_path: Path) -> None:
    for folder in ("index/simple", "wheels"):
        (tmp_path / folder).mkdir(parents=True)
    pip.write_text(f"[global]\nextra-index-url = file://{tmp_path}/index/simple\nfind-links = {tmp_path}/wheels\n")
    found = registries.registries()
    inside = {str(bind.host): bind.inside for bind in found.binds}
    assert found.variables["UV_INDEX"] == f"file://{inside[f'{tmp_path}/index']}/simple"
    assert found.variables["UV_FIND_LINKS"] == inside[f"{tmp_path}/wheels"]
    assert str(tmp_path) not in repr(found.variables)
    assert not any(bind.writable for bind in found.binds)


def test_certificates_and_proxies_come_along(pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "own.crt"
    bundle.write_text("")
    pip.write_text(f"[global]\ncert = {bundle}\n")
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    found = registries.registries()
    assert found.variables["https_proxy"] == "http://proxy.example:3128"
    place = next(bind.inside for bind in found.binds if bind.host == bundle)
    assert found.variables["SSL_CERT_FILE"] == place
