from __future__ import annotations

from typing import Any

import pytest

from touchstone.benchmarks.desktop.metrics.sheets.formulas import NotUnderstood, holds

pytest.importorskip("openpyxl")
VALUES: dict[str, list[Any]] = {"A1": [3.0], "B1": ["Paris"], "C1": [None], "D1:D4": [1.0, 4.0, 4.0, "x"], "E1": [True]}


def lookup(reference: str) -> list[Any]:
    return VALUES[reference.replace("$", "")]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("A1=3", True),
        ("A1<>3", False),
        ("$A$1>=2+1", True),
        ("A1*2-1=5", True),
        ("2^3^2=64", True),
        ("-A1<0", True),
        ("50%=0.5", True),
        ("(A1+1)*2=8", True),
        ('B1="paris"', True),
        ('B1&"!"="Paris!"', True),
        ("C1=0", True),
        ("ISBLANK(C1)", True),
        ("B1>99", True),
        ("MAX(D1:D4)=4", True),
        ("SUM(D1:D4,A1)=12", True),
        ("AVERAGE(D1:D4)=3", True),
        ("COUNT(D1:D4)=3", True),
        ("COUNTA(D1:D4)=4", True),
        ("COUNTIF(D1:D4,4)>1", True),
        ('COUNTIF(D1:D4,">1")=2', True),
        ('COUNTIF(D1:D4,"x")=1', True),
        ("LARGE(D1:D4,3)=1", True),
        ('AND(A1=3,B1="Paris",E1)', True),
        ("OR(A1=4,NOT(E1))", False),
        ("IF(A1>2,TRUE,FALSE)", True),
        ("MOD(A1,2)=1", True),
        ("ISODD(A1)", True),
        ('LEFT(B1,2)="Pa"', True),
        ("WEEKDAY(45432,2)=1", True),
        ("A1/0=1", False),
        ("B1*2=1", False),
    ],
)
def test_conditions(formula: str, expected: bool) -> None:
    assert holds(formula, lookup) is expected


@pytest.mark.parametrize("formula", ["NOSUCH(A1)", "A1=3)", "{1,2}=1"])
def test_what_is_not_understood_is_neither_true_nor_false(formula: str) -> None:
    with pytest.raises(NotUnderstood):
        holds(formula, lookup)
