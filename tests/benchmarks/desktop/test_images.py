from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.metrics import METRICS, images
from touchstone.benchmarks.desktop.untrusted import Unreadable

pytest.importorskip("PIL")
numpy: Any = pytest.importorskip("numpy")


def draw(
    path: Path, bars: list[int], size: tuple[int, int] = (320, 200), colour: tuple[int, int, int] = (80, 140, 230)
) -> Path:
    """A bar chart."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    width = size[0] // len(bars)
    for number, height in enumerate(bars):
        pen.rectangle([number * width + 4, size[1] - height, (number + 1) * width - 4, size[1]], fill=colour)
    image.save(path)
    return path


def score(metric: str, *arguments: Any) -> float:
    return METRICS.find(metric)(*arguments).score


def test_the_same_chart(tmp_path: Path) -> None:
    gold = draw(tmp_path / "gold.png", [30, 80, 120])
    for metric in ("compare_images", "compare_metabase_images", "compare_jupyterlab_images", "compare_image_list"):
        assert score(metric, draw(tmp_path / "mine.png", [30, 80, 120]), gold) == 1


def test_another_chart(tmp_path: Path) -> None:
    gold = draw(tmp_path / "gold.png", [30, 80, 120])
    other = draw(tmp_path / "mine.png", [150, 20, 60], colour=(200, 30, 90))
    for metric in ("compare_images", "compare_metabase_images", "compare_jupyterlab_images", "compare_image_list"):
        assert score(metric, other, gold) == 0


def test_another_size_is_alike_but_not_equal(tmp_path: Path) -> None:
    gold, larger = draw(tmp_path / "gold.png", [30, 80, 120]), draw(tmp_path / "mine.png", [60, 160, 240], (640, 400))
    assert score("compare_metabase_images", larger, gold) == 1
    assert score("compare_metabase_images", gold, larger) == 1
    assert score("compare_image_list", larger, gold) == 0


def test_one_pixel_more_of_green_is_not_exactly_one(tmp_path: Path) -> None:
    from PIL import Image

    gold = draw(tmp_path / "gold.png", [30, 80, 120])
    with Image.open(gold) as image:
        image.putpixel((0, 0), (255, 254, 255))
        image.save(tmp_path / "mine.png")
    assert score("compare_jupyterlab_images", tmp_path / "mine.png", gold) == 0
    assert score("compare_metabase_images", tmp_path / "mine.png", gold) == 1
    assert score("compare_images", tmp_path / "mine.png", gold) == 1


def test_similarity_is_that_of_its_definition() -> None:
    """Window by window, with the plain formula."""
    random = numpy.random.default_rng(1)
    first = random.integers(0, 256, (12, 15)).astype(float)
    second = numpy.clip(first + random.normal(0, 20, first.shape), 0, 255)
    values: list[float] = []
    for row in range(12 - 6):
        for column in range(15 - 6):
            x, y = (a[row : row + 7, column : column + 7].ravel() for a in (first, second))
            (vx, c), (_, vy) = numpy.cov(x, y)
            c1, c2 = 6.5025, 58.5225
            top = (2 * x.mean() * y.mean() + c1) * (2 * c + c2)
            values.append(top / ((x.mean() ** 2 + y.mean() ** 2 + c1) * (vx + vy + c2)))
    assert images.structural_similarity(first, second) == pytest.approx(numpy.mean(values))


def test_lists_of_pictures(tmp_path: Path) -> None:
    gold = [draw(tmp_path / f"{n}.png", [n, 50]) for n in (20, 90)]
    assert score("compare_image_list", gold, gold) == 1
    assert score("compare_image_list", gold[::-1], gold) == 0
    assert score("compare_image_list", gold[:1], gold) == 0


def test_files_that_are_no_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = draw(tmp_path / "gold.png", [1, 2])
    (tmp_path / "mine.png").write_bytes(b"\x89PNG nothing")
    with pytest.raises(Unreadable, match=r"mine.png: is not a readable picture"):
        score("compare_images", tmp_path / "mine.png", gold)
    (tmp_path / "mine.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    with pytest.raises(Unreadable, match=r"mine.png: is not a readable picture"):
        score("compare_images", tmp_path / "mine.png", gold)
    monkeypatch.setattr(images, "MOST_PIXELS", 100)
    with pytest.raises(Unreadable, match="more than 100 pixels"):
        score("compare_images", gold, gold)
