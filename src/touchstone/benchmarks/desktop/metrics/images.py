"""Metrics on pictures: structural similarity, green histograms, identity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..extras import need
from ..registry import metric
from ..untrusted import MetricResult, Unreadable, refuse_large, verdict

SIMILAR, ALIKE = 0.98, 0.91
MOST_PIXELS = 40_000_000
_FORMATS = ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP"]
"""Those that are decoded here: for others, such as EPS, a program would be started."""
_WINDOW = 7
_LANCZOS, _BILINEAR = 1, 2


@metric()
def compare_images(result: Path, expected: Path) -> MetricResult:
    """Grey, at the smaller one's size: structural similarity above 0.98."""
    result_picture, expected_picture = _open(result, "L"), _open(expected, "L")
    size = min(result_picture.size, expected_picture.size)
    similarity = structural_similarity(
        _array(result_picture.resize(size, _LANCZOS)), _array(expected_picture.resize(size, _LANCZOS))
    )
    return _compared(similarity > SIMILAR, f"structural similarity {similarity:.4f}", f"above {SIMILAR}")


@metric()
def compare_metabase_images(result: Path, expected: Path) -> MetricResult:
    """Correlation of the green histograms, at the smaller width, above 0.91."""
    alike = green_correlation(result, expected)
    return _compared(alike > ALIKE, f"histogram correlation {alike:.4f}", f"above {ALIKE}")


@metric()
def compare_jupyterlab_images(result: Path, expected: Path) -> MetricResult:
    """Correlation of the green histograms, at the smaller width, of exactly 1."""
    alike = green_correlation(result, expected)
    return _compared(alike == 1.0, f"histogram correlation {alike:.6f}", "exactly 1")


@metric()
def compare_image_list(result: Path | Sequence[Path], expected: Path | Sequence[Path]) -> MetricResult:
    """Pixel by pixel identical."""
    result_paths, expected_paths = _paths(result), _paths(expected)
    if len(result_paths) != len(expected_paths):
        return MetricResult(0.0, f"expected {len(expected_paths)} pictures, found {len(result_paths)}")
    for mine, gold in zip(result_paths, expected_paths, strict=True):
        first, second = _open(mine, "RGB"), _open(gold, "RGB")
        if first.size != second.size or first.tobytes() != second.tobytes():
            return MetricResult(0.0, f"{mine.name} differs from the expected picture")
    return MetricResult(1.0, "identical pixels")


def structural_similarity(first: Any, second: Any) -> float:
    """The mean over all windows of 7 x 7 pixels, with sample covariance, for bytes."""
    if min(first.shape) < _WINDOW:
        return 1.0 if (first == second).all() else 0.0
    samples = _WINDOW**2
    scale = samples / (samples - 1)
    mean_x, mean_y = _window_means(first), _window_means(second)
    var_x = scale * (_window_means(first * first) - mean_x * mean_x)
    var_y = scale * (_window_means(second * second) - mean_y * mean_y)
    cov = scale * (_window_means(first * second) - mean_x * mean_y)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mean_x * mean_y + c1) * (2 * cov + c2)
    return float((top / ((mean_x**2 + mean_y**2 + c1) * (var_x + var_y + c2))).mean())


def green_correlation(result: Path, expected: Path) -> float:
    """Of histograms with 256 bins. The wider picture is shrunk to the other's width, its shape kept."""
    numpy = need("numpy")
    first, second = _open(result, "RGB"), _open(expected, "RGB")
    if first.size > second.size:
        first = _to_width(first, second.width)
    else:
        second = _to_width(second, first.width)
    x, y = (numpy.bincount(_array(image.getchannel("G")).astype(int).ravel(), minlength=256) for image in (first, second))
    if (x * y.sum() == y * x.sum()).all():
        return 1.0  # without the rounding of a division: "exactly 1" must mean equal
    x, y = x - x.mean(), y - y.mean()
    spread = float(numpy.sqrt((x * x).sum() * (y * y).sum()))
    return min(float((x * y).sum()) / spread, 1.0 - 1e-12) if spread else 0.0


def _window_means(image: Any) -> Any:
    numpy = need("numpy")
    sums = numpy.zeros((image.shape[0] + 1, image.shape[1] + 1))
    sums[1:, 1:] = image.cumsum(0).cumsum(1)
    n = _WINDOW
    return (sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]) / n**2


def _to_width(image: Any, width: int) -> Any:
    return image if image.width == width else image.resize((width, max(1, image.height * width // image.width)), _BILINEAR)


def _array(image: Any) -> Any:
    return need("numpy").asarray(image, dtype="float64")


def _open(path: Path, mode: str) -> Any:
    """Decoded, if it is not too large to be."""
    image_module = need("PIL.Image")
    refuse_large(path)
    try:
        with image_module.open(path, formats=_FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise Unreadable(path, f"has more than {MOST_PIXELS:,} pixels")
            return image.convert(mode)
    except (OSError, ValueError, SyntaxError, image_module.DecompressionBombError) as error:
        raise Unreadable(path, f"is not a readable picture: {error}") from None


def _paths(value: Path | Sequence[Path]) -> list[Path]:
    return [value] if isinstance(value, Path) else list(value)


def _compared(passed: bool, measured: str, threshold: str) -> MetricResult:
    return verdict(passed, f"{measured}; expected {threshold}", measured)
