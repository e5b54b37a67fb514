"""A workbook opened for comparison, and the way rules point at its sheets.

A selector is a position (in the result), `RI<n>` or `RN<name>` for the result, `EI<n>` or `EN<name>` for the expected book.
A sheet that is not there is None: wrong for the agent's book, unscorable for ours.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from .....failures import Unscorable
from ...extras import need
from ...judgement import Unreadable
from ...untrusted import refuse_hostile_workbook
from .charts import sparklines

MOST_CELLS = 4_000_000
"""Of the area from A1 to the last used cell: two far cells must not cost a machine's memory."""


class Book:
    def __init__(self, path: Path) -> None:
        self.path = path
        refuse_hostile_workbook(path)

    @cached_property
    def formulas(self) -> Any:
        """With formulas, styles, charts and pivot tables."""
        return self._load(data_only=False)

    @cached_property
    def values(self) -> Any:
        """With the values that the formulas had when it was saved."""
        return self._load(data_only=True)

    @property
    def names(self) -> list[str]:
        """From whichever form is loaded already: loading takes most of the time of a comparison."""
        opened = self.formulas if "formulas" in self.__dict__ else self.values
        return [sheet.title for sheet in opened.worksheets]

    def _load(self, *, data_only: bool) -> Any:
        openpyxl = need("openpyxl")
        try:
            with catch_warnings():
                simplefilter("ignore")  # about extensions that it does not keep, which is no matter here
                book = openpyxl.load_workbook(self.path, data_only=data_only)
        except Exception as error:  # a broken workbook makes openpyxl raise anything
            raise Unreadable(self.path, f"is not a readable workbook: {type(error).__name__}: {error}") from None
        for sheet in book.worksheets:
            if sheet.max_row * sheet.max_column > MOST_CELLS:
                raise Unreadable(self.path, f"sheet {sheet.title} spans more than {MOST_CELLS:,} cells")
        return book


class Pair:
    """The agent's book and ours."""

    def __init__(self, result: Path, expected: Path | None) -> None:
        self.result = Book(result)
        self._expected = None if expected is None else Book(expected)

    @property
    def expected(self) -> Book:
        if self._expected is None:
            raise Unscorable("compare_table: a rule points at the expected workbook, and there is none")
        return self._expected

    def sheet(self, selector: int | str, *, values: bool = False) -> Any | None:
        """The worksheet of a selector, or None if the agent's book has no such sheet."""
        book = self._book(selector)
        opened = book.values if values else book.formulas
        name = self._name(book, selector)
        if name is not None and name in book.names:
            return opened[name]
        if book is not self.result:
            raise Unscorable(f"{book.path.name}: the expected workbook has no sheet {selector!r}")
        return None

    def printed(self, selector: int | str) -> Path:
        """Where the application would have printed a sheet: <book>-<sheet>.csv beside the book."""
        book = self._book(selector)
        return book.path.with_name(f"{book.path.stem}-{self._name(book, selector)}.csv")

    def sparklines(self, selector: int | str) -> dict[str, str] | None:
        """The source of each sparkline of a sheet, by its cell; None if the agent's book has no such sheet."""
        sheet = self.sheet(selector)
        return None if sheet is None else sparklines(self._book(selector).path, sheet.title)

    def _book(self, selector: int | str) -> Book:
        return self.expected if isinstance(selector, str) and selector.startswith("E") else self.result

    def _name(self, book: Book, selector: int | str) -> str | None:
        text = f"RI{selector}" if isinstance(selector, int) else selector
        side, rest = text[:2], text[2:]
        if side in ("RN", "EN"):
            return rest
        if side not in ("RI", "EI") or not rest.isdigit():
            raise Unscorable(f"compare_table: {selector!r} does not select a sheet; expected a number, RI, RN, EI or EN")
        return book.names[int(rest)] if int(rest) < len(book.names) else None
