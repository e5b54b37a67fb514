"""Large results are read and compared as arrays, which must not change a verdict, nor a word of its reason.

Here files of a few lines go that way too, and everything is compared with the way without numpy.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("numpy", reason="numpy is not installed")

from touchstone.benchmarks.spider2.comparison import CsvTable, csv_table, official, read_csv, strict_any
from touchstone.benchmarks.spider2.comparison.array_column import ArrayColumn
from touchstone.benchmarks.spider2.comparison.array_vectors import ArrayVector
from touchstone.benchmarks.spider2.comparison.lanes import np

from . import strategies as some

many = settings(max_examples=200, deadline=None)
BUFFERS = st.sampled_from([2**20, 8, 16])


@contextmanager
def as_arrays() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_table, "LARGE", 0)
        yield


def both(text: str, buffer: int = 2**20) -> tuple[CsvTable, CsvTable]:
    """Read as arrays and without them."""
    with as_arrays():
        arrays = read_csv(text, buffer)
    return arrays, read_csv(text, buffer)


def shown(table: CsvTable) -> Any:
    columns = [column.listed for column in table.columns]
    return table.names, table.rows, [(column.kind, [repr(value) for value in column.values]) for column in columns]


def verdicts(predicted: CsvTable, gold: CsvTable, ignore_order: bool) -> Any:
    strictly = strict_any(predicted, [gold], [], ignore_order)
    return official(predicted, gold, [], ignore_order), strictly


@many
@given(some.grids(some.wild_words), BUFFERS)
def test_files_are_read_alike(grid: list[list[str]], buffer: int) -> None:
    arrays, lists = both(some.csv_text(grid, len(grid[0]) if grid else 1), buffer)
    assert shown(arrays) == shown(lists)


plain_columns = st.sampled_from(
    [
        st.integers(-30, 30).map(str),
        st.integers(-(2**62), 2**62).map(str),
        st.floats(-200, 200).map(repr),
        st.floats(0, 1e-3).map(repr),
        st.floats(1e14, 1e18).map(repr),
        st.sampled_from(["0.0", "-0.0", "9.995", "10.0", "10.005", "1e-05", "1.5"]),
        st.integers(0, 9).map(str) | st.just(""),
        st.floats(0, 9).map(repr) | st.just(""),
        st.integers(0, 99).map("{:05d}".format),
        st.text("abé", max_size=20),
        st.sampled_from(["cash", "card", "a transfer of money", "NA", ""]),
    ]
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A gold result, and the same in another order with some cells changed a little or exchanged."""
    rows = draw(st.integers(1, 12))
    kinds = draw(st.lists(plain_columns, min_size=1, max_size=4))
    columns = [draw(st.lists(kind, min_size=rows, max_size=rows)) for kind in kinds]
    gold = [list(row) for row in zip(*columns, strict=True)]
    other = [list(row) for row in draw(st.permutations(gold))]
    for _ in range(draw(st.integers(0, 3))):
        row, place = draw(st.integers(0, rows - 1)), draw(st.integers(0, len(kinds) - 1))
        other[row][place] = draw(st.sampled_from([moved(other[row][place]), draw(st.sampled_from(other))[place]]))
    if draw(st.booleans()):
        other = [row[::-1] for row in other]
    return some.csv_text(other, len(kinds)), some.csv_text(gold, len(kinds))


def moved(word: str) -> str:
    try:
        return repr(float(word) + 0.004) if "." in word else word
    except ValueError:
        return word


NEAR = (
    "c0,c1,c2,c3\n0,0,0,0.0\n0,0,0,0.0\n0,0,0,0.0\n0,0,0,0.0\n1,0,0,0.0078125\n0,0,0,0.0\n",
    "c0,c1,c2,c3\n0.0,0,0,0\n0.0,0,0,0\n0.0,0,0,0\n0.0,0,0,0\n0.0,0,0,0\n0.0078125,0,0,1\n",
)
"""Several ways to pair the columns, of which the sums choose one."""


@many
@example(NEAR, False, 2**20)
@given(pairs(), st.booleans(), BUFFERS)
def test_verdicts_and_reasons_are_the_same(pair: tuple[str, str], ignore_order: bool, buffer: int) -> None:
    predicted, gold = (both(text, buffer) for text in pair)
    expected = verdicts(predicted[1], gold[1], ignore_order)
    assert verdicts(predicted[0], gold[0], ignore_order) == expected
    assert verdicts(predicted[0], gold[1], ignore_order) == expected
    assert verdicts(predicted[1], gold[0], ignore_order) == expected


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e4, 1e4),
    st.floats(-1e-3, 1e-3),
    st.integers(-(10**6), 10**6).map(float),
    st.sampled_from([0.0, -0.0, 1e-4, 9.99e-05, 1e16, 2.0**53, 9007199254740994.0, 5e-05, 5.3]),
)


@many
@given(st.lists(numbers, max_size=80))
def test_numbers_are_sorted_as_they_print(values: list[float]) -> None:
    arranged = ArrayVector(np.array(values, np.float64), "float", None).by_print
    assert [repr(value) for value in arranged.tolist()] == sorted(map(repr, values))


@many
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200), max_size=80))
def test_integers_are_sorted_as_they_print(values: list[int]) -> None:
    arranged = ArrayVector(np.array(values, np.int64), "int", None).by_print
    assert arranged.tolist() == [float(value) for value in sorted(values, key=str)]


def test_what_prints_with_an_exponent_is_sorted_in() -> None:
    """Few of them among many others, so that they are put in one by one."""
    drawn = random.Random(1)
    values = [drawn.uniform(0, 20) for _ in range(2000)] + [5e-05, 5.3e-05, 1e-05, 1e17, 2.5e16, 9.99e-07]
    arranged = ArrayVector(np.array(values), "float", None).by_print
    assert arranged.tolist() == sorted(values, key=repr)


def large(rows: int = 30_000) -> list[str]:
    drawn = random.Random(2)
    return [
        f"{7 * row},{drawn.choice(['cash', 'card'])},Customer {drawn.randrange(99)},{drawn.random()!r}" for row in range(rows)
    ]


def test_large_files_take_this_way_by_themselves() -> None:
    lines = large()
    gold = read_csv("\n".join(["id,kind,name,share", *lines]))
    random.Random(3).shuffle(lines)
    predicted = read_csv("\n".join(["id,kind,name,share", *lines]))
    assert all(isinstance(column, ArrayColumn) for column in (*gold.columns, *predicted.columns))
    assert official(predicted, gold, [], True).matched
    assert strict_any(predicted, [gold], [], True).matched
    assert not official(predicted, gold, [], False).matched


def test_rows_without_a_key_are_compared_in_groups() -> None:
    lines = [line.partition(",")[2] for line in large()]
    mixed = [*lines[2:], lines[0].rpartition(",")[0] + "," + lines[1].rpartition(",")[2]]
    mixed.append(lines[1].rpartition(",")[0] + "," + lines[0].rpartition(",")[2])
    gold, same, other = (read_csv("\n".join(["kind,name,share", *some])) for some in (lines, lines[::-1], mixed))
    assert strict_any(same, [gold], [], True).matched
    difference = strict_any(other, [gold], [], True).difference
    assert difference.kind == "mixed_rows"
    assert lines[0].split(",")[1] in difference.sentence


def in_a_process(*lines: str) -> str:
    read = "from touchstone.benchmarks.spider2.comparison import read_csv"
    code = "\n".join(["import sys", *lines[:-1], read, lines[-1]])
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_small_files_do_without_numpy() -> None:
    assert in_a_process("read_csv('a\\n1\\n'); print('numpy' in sys.modules)") == "False"


def test_without_numpy_large_files_are_read_all_the_same() -> None:
    absent = "sys.modules['numpy'] = None"
    table = "table = read_csv('a,b\\n' + '1,x\\n' * 2**19)"
    assert in_a_process(absent, f"{table}; print(table.rows, type(table.columns[0]).__name__)") == f"{2**19} CsvColumn"


def nasty_cells(drawn: random.Random) -> Callable[[], str]:
    """Makes the words of a column."""
    return drawn.choice(
        [
            lambda: str(drawn.randrange(5)),
            lambda: str(drawn.randrange(-(2**62), 2**62)),
            lambda: repr(drawn.uniform(-200, 200)),
            lambda: drawn.choice(["0.0", "-0.0", "0.01", "-0.01", "1.0", "10.0", "9.995"]),
            lambda: drawn.choice(["", "0", "1", "10", "-1"]),
            lambda: drawn.choice(["", "0.0", "1.5", "-0.0"]),
            lambda: drawn.choice(["", "NA", "cash", "card", "a transfer of money", "cas"]),
            lambda: drawn.choice(["007", "7", "0"]),
            lambda: repr(drawn.uniform(1e14, 1e18)),
        ]
    )


def nasty_pair(drawn: random.Random) -> tuple[str, str]:
    """Many rows with a key, of which few are apart: a cell is changed, moved to another row or made a little larger."""
    rows, width = drawn.randrange(20, 120), drawn.randrange(1, 4)
    makers = [nasty_cells(drawn) for _ in range(width)]
    gold = [[str(7 * row), *[make() for make in makers]] for row in range(rows)]
    other = [list(row) for row in gold]
    drawn.shuffle(other)
    for _ in range(drawn.randrange(4)):
        row, place = drawn.randrange(rows), drawn.randrange(1, width + 1)
        change = drawn.randrange(4)
        if change == 0:
            partner = drawn.randrange(rows)
            other[row][place], other[partner][place] = other[partner][place], other[row][place]
        elif change == 1:
            other[row][place] = drawn.choice(["0", "-0.0", "", "NA", "1.5", makers[place - 1]()])
        elif change == 2:
            other[row][place] = moved(other[row][place])
        else:
            other[row][0] = drawn.choice(gold)[0]
    if drawn.random() < 0.3:
        other = [[*row[1:], row[0]] for row in other]
    return some.csv_text(other, width + 1), some.csv_text(gold, width + 1)


@pytest.mark.parametrize("seed", range(30))
def test_a_few_rows_apart_among_many_are_judged_alike(seed: int) -> None:
    """With a key that says which rows are partners, only what they do not agree in is sorted."""
    drawn = random.Random(seed)
    for _ in range(20):
        predicted, gold = (both(text) for text in nasty_pair(drawn))
        expected = verdicts(predicted[1], gold[1], ignore_order=True)
        for one, other in ((0, 0), (0, 1), (1, 0)):
            assert verdicts(predicted[one], gold[other], ignore_order=True) == expected
