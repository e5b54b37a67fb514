"""`touchstone desktop demo` without an image; with one it is played in `make test-desktop`."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import touchstone


def test_it_says_what_it_would_do_and_how_to_get_the_image(tmp_path: Path) -> None:
    done = touchstone("desktop", "demo", cwd=tmp_path, env={"TOUCHSTONE_IMAGES": str(tmp_path / "images")})
    assert done.code == 3
    assert all(domain in done.out for domain in ("dbt", "excel", "jupyter", "terminal"))
    assert "touchstone desktop image build dbt jupyter" in done.complaint
    assert "--build" in done.complaint
    assert not (tmp_path / "results").exists()
