"""One column of a large CSV file as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .array_cells import ArrayCells
from .array_vectors import ArrayVector
from .column import Cells, CsvColumn
from .lanes import Array, WordLanes, joined_words, np
from .vectors import Vector

_EXACT = 2**53


@dataclass(frozen=True, eq=False, repr=False)
class ArrayColumn(CsvColumn):
    missing: Array | None = None
    """Which words are missing."""
    whole: bool = False
    """Floats only because some are missing: nothing is written but integers."""

    @cached_property
    def vector(self) -> Vector:
        return ArrayVector(self.values, self.kind, self.missing)

    @cached_property
    def float_vector(self) -> Vector:
        return self.vector if self.kind == "float" else ArrayVector(self.values.astype(np.float64), "float", None)

    @cached_property
    def numbers(self) -> Cells | None:
        if self.kind == "words":
            return None
        gaps = np.isnan(self.values) if self.kind == "float" else None
        gaps = gaps if gaps is not None and gaps.any() else None
        if self.written is None:
            return ArrayCells(self.values, gaps)
        if self.kind == "int":
            return ArrayCells(self.values, None)
        integers = np.where(gaps, 0, self.values).astype(np.int64)
        if self.whole and (np.abs(integers) <= _EXACT).all():
            return ArrayCells(integers, gaps)
        return super().numbers

    @cached_property
    def words(self) -> Cells | None:
        if self.written is None:
            return None
        gaps = self.written.lanes[0] == 0
        return ArrayCells(self.written, gaps if gaps.any() else None)

    @cached_property
    def listed(self) -> CsvColumn:
        values = self.values.tolist()
        if self.kind != "words":
            return CsvColumn(self.kind, values, None if self.written is None else self.written.tolist())
        if self.missing is None:
            return CsvColumn("words", values, values)
        return CsvColumn("words", [None if gap else word for word, gap in zip(values, self.missing, strict=True)], values)


def together(blocks: Sequence[ArrayColumn], written: WordLanes | None) -> ArrayColumn:
    """The blocks of one column, either all words or all numbers."""
    kinds = {block.kind for block in blocks}
    if kinds == {"words"}:
        words = joined_words([block.values for block in blocks])
        gaps = [np.zeros(len(block.values), bool) if block.missing is None else block.missing for block in blocks]
        missing = np.concatenate(gaps)
        return ArrayColumn("words", words, words, missing if missing.any() else None)
    values = np.concatenate([block.values for block in blocks])
    if written is None and blocks[0].written is not None:
        written = joined_words([block.written for block in blocks])
    return ArrayColumn(blocks[0].kind if len(kinds) == 1 else "float", values, written, None, _whole(blocks))


def _whole(blocks: Sequence[ArrayColumn]) -> bool:
    return all(block.whole or block.kind == "int" for block in blocks) and not any(
        block.kind == "int" and block.written is not None for block in blocks
    )
