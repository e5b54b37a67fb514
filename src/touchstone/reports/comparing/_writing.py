"""How numbers and texts are written on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def points(difference: float) -> str:
    return f"{_no_minus_zero(100 * difference, 1):+.1f}"


def signed(difference: float) -> str:
    return f"{_no_minus_zero(difference, 4):+.4f}"


def p_value(p: float | None) -> str:
    if p is None:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def one_line(text: str, longest: int = 200) -> str:
    """Models write what they like, also what would move the cursor: only printable characters pass."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    plain = " ".join(plain.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"


def grid(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Columns as wide as they must be; those in `right` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if position in right else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _no_minus_zero(value: float, digits: int) -> float:
    return round(value, digits) + 0.0
