"""Reading, writing and the official verdict beside pandas itself.

The recorded verdicts of the official suite were made with pandas 2.2, and that is what is reproduced to the last bit. Later
versions read long numbers differently: -18.069556547667695 and -18.059556547667693 match there, and do not in pandas 3. With
them only what has not changed is tried.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.benchmarks.spider2.comparison import CsvError, official, official_any, read_csv, strict, to_csv
from touchstone.types import Table

from . import strategies as some

pandas = pytest.importorskip("pandas", reason="pandas, which the official suite uses, is not installed")
parsers = importlib.import_module("pandas._libs.parsers")

SAME_VERSION = pandas.__version__.startswith("2.2.")
WORDS = some.wild_words if SAME_VERSION else some.tame_words
DTYPES = {"int": "int64", "uint": "uint64", "float": "float64", "bool": "bool", "words": "object", "mixed": "object"}
same_version = pytest.mark.skipif(not SAME_VERSION, reason=f"pandas {pandas.__version__} reads this differently from 2.2")
many = settings(max_examples=400, deadline=None)


pytestmark = pytest.mark.filterwarnings("ignore::Warning")  # pandas warns of mixed types, which are meant


def theirs(data: bytes) -> Any:
    """Types and values per column, or an error."""
    try:
        frame = pandas.read_csv(BytesIO(data))
    except (ValueError, UnicodeDecodeError) as error:  # all errors of pandas' reader are ValueErrors
        return type(error).__name__
    columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
    return [(str(column.dtype).replace("str", "object"), [shown(value) for value in column.tolist()]) for column in columns]


def ours(data: bytes, buffer: int = 2**20) -> Any:
    try:
        table = read_csv(data, buffer)
    except CsvError:
        return "error"
    return [(DTYPES[column.kind], [shown(value) for value in column.listed.values]) for column in table.columns]


def shown(value: Any) -> Any:
    if isinstance(value, (bytes, str)):
        return value.decode() if isinstance(value, bytes) else value
    return None if value is None or value != value else (type(value).__name__, repr(value))


def assert_read_alike(data: bytes, buffer: int = 2**20) -> None:
    expected, got = theirs(data), ours(data, buffer)
    if isinstance(expected, str):
        assert got == "error", expected
    else:
        assert got == expected


@many
@given(some.csv_files(WORDS))
def test_files_are_read_like_pandas(text: str) -> None:
    assert_read_alike(text.encode())


@same_version
@many
@given(some.csv_files(some.tame_words), st.sampled_from([4, 8, 16]))
def test_types_are_guessed_per_block(text: str, buffer: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsers, "DEFAULT_BUFFER_HEURISTIC", buffer)
        assert_read_alike(text.encode(), buffer)


def test_blocks_end_where_they_end_in_pandas() -> None:
    numbers = "".join(f"{number},{number},x\n" for number in range(300_000))
    assert_read_alike(f"a,b,c\n{numbers}text,1.5,1\n".encode())


@same_version
@pytest.mark.parametrize(
    "data", [b"", b"\n \n", b"a\n", b"a,b", b"\xff\n", b"a\n\xe9\n", b"a\rb\r1\r", b"a\nx\0y\n\0\n", b',"a\n']
)
def test_odd_files_are_read_like_pandas(data: bytes) -> None:
    assert_read_alike(data)


integers = st.integers(-(2**63), 2**63 - 1)  # SQLite has no larger ones
cells = st.one_of(
    st.none(),
    integers,
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    st.binary(max_size=3),
)


@many
@given(st.data())
def test_results_are_written_like_pandas(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 3))
    kind = st.sampled_from([cells, st.integers(0, 9), st.none() | integers, st.floats(0, 1)])
    kinds = [data.draw(kind) for _ in range(width)]
    rows = data.draw(st.lists(st.tuples(*kinds), max_size=6))
    assert to_csv(Table(tuple("abc"[:width]), rows)) == written_by_pandas(rows, width)


def test_results_are_written_in_chunks_of_500_rows() -> None:
    rows = [(number, "x") for number in range(700)] + [(None, "y")]
    text = to_csv(Table(("a", "b"), rows))
    assert text == written_by_pandas(rows, 2)
    assert "499,x\n500.0,x\n" in text


def written_by_pandas(rows: list[tuple[Any, ...]], width: int) -> str:
    names, file = list("abc"[:width]), StringIO()
    for start in range(0, max(1, len(rows)), 500):
        frame = pandas.DataFrame.from_records(rows[start : start + 500], columns=names, coerce_float=True)
        frame.to_csv(file, index=False, header=start == 0)
    return file.getvalue()


@pytest.fixture(scope="module")
def plain() -> Iterator[ModuleType]:
    """The plain pandas loop that speed is measured against."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[4] / "perf")
        yield importlib.import_module("spider2_compare")


def by_plain_loop(plain: ModuleType, case: Any) -> bool:
    frames = [plain.plain_read(gold) for gold in case.golds]
    return plain.plain_judge(plain.plain_read(case.prediction), frames, case)


@st.composite
def pairs_of_files(draw: st.DrawFn) -> tuple[str, str]:
    """Gold and prediction, mostly made of the same words."""
    words = st.sampled_from(draw(st.lists(WORDS, min_size=1, max_size=4)))
    gold, other = draw(some.grids(words, 4)), draw(some.grids(words, 4))
    if draw(st.booleans()):
        other = draw(st.permutations(gold))
    return some.csv_text(gold, len(gold[0]) if gold else 1), some.csv_text(other, len(other[0]) if other else 1)


conditions = st.one_of(
    st.none(),
    st.lists(st.integers(-2, 3), max_size=3),
    st.lists(st.lists(st.integers(-1, 2), max_size=2), max_size=3),
    st.just([None]),
)


@many
@given(pairs_of_files(), pairs_of_files(), conditions, st.booleans(), st.booleans())
def test_the_verdict_is_that_of_a_plain_loop(
    plain: ModuleType, pair: tuple[str, str], second: tuple[str, str], condition_cols: Any, ignore_order: bool, single: bool
) -> None:
    golds = [pair[0].encode()] if single else [second[0].encode(), pair[0].encode()]
    case = plain.Case(pair[1].encode(), golds, single, condition_cols, ignore_order)
    expected = by_plain_loop(plain, case)
    predicted, tables = read_csv(pair[1]), [read_csv(gold) for gold in golds]
    if single:
        assert official(predicted, tables[0], condition_cols, ignore_order).matched == expected
    else:
        assert official_any(predicted, tables, condition_cols, ignore_order).matched == expected


@same_version
@many
@given(some.grids(some.tame_words, 7), st.data())
def test_the_verdict_on_files_of_several_blocks(plain: ModuleType, gold: list[list[str]], data: st.DataObject) -> None:
    texts = [some.csv_text(rows, len(gold[0]) if gold else 1) for rows in (data.draw(st.permutations(gold)), gold)]
    case = plain.Case(texts[0].encode(), [texts[1].encode()], True, [], True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsers, "DEFAULT_BUFFER_HEURISTIC", 8)
        expected = by_plain_loop(plain, case)
    predicted, table = (read_csv(text, buffer=8) for text in texts)
    assert official(predicted, table, [], True).matched == expected
    assert strict(predicted, table, [], True).matched


@same_version
@given(st.lists(st.floats(-20, 20) | st.sampled_from([0.0, -0.0, 10.0, 1e16, 1e-5]), min_size=1, max_size=5), st.data())
@many
def test_the_verdict_on_numbers_that_are_close(plain: ModuleType, gold: list[float], data: st.DataObject) -> None:
    steps = st.sampled_from([0.0, 0.005, -0.005, 0.01, -0.01, 0.02, 1e-15])
    other = [value + data.draw(steps) for value in data.draw(st.permutations(gold))]
    texts = ["a\n" + "".join(f"{value!r}\n" for value in values) for values in (other, gold)]
    for ignore_order in (True, False):
        case = plain.Case(texts[0].encode(), [texts[1].encode()], True, [], ignore_order)
        assert official(read_csv(texts[0]), read_csv(texts[1]), [], ignore_order).matched == by_plain_loop(plain, case)
