"""Reading CSV files: what pandas makes of words, as far as it surprises."""

from __future__ import annotations

from typing import Any

import pytest

from touchstone.benchmarks.spider2.comparison import CsvError, read_csv


def column(*words: str) -> tuple[str, list[Any]]:
    """Kind and values of one column."""
    found = read_csv("a,b\n" + "".join(f"{word},x\n" for word in words)).columns[0]
    return found.kind, [None if value is None or value != value else value for value in found.listed.values]


@pytest.mark.parametrize(
    ("words", "kind", "values"),
    [
        (["1", "2"], "int", [1, 2]),
        (["007", " 5", "+5", "5 "], "int", [7, 5, 5, 5]),
        (["1", ""], "float", [1.0, None]),
        (["1", "NA", "None", "null"], "float", [1.0, None, None, None]),
        (["1.50", "2", ".5", "5."], "float", [1.5, 2.0, 0.5, 5.0]),
        (["1e3", "1E-2"], "float", [1000.0, 0.01]),
        (["inf", "-Infinity", "+INF"], "float", [float("inf"), float("-inf"), float("inf")]),
        (["", "NaN"], "float", [None, None]),
        (["True", "false", "TRUE"], "bool", [True, False, True]),
        (["True", ""], "mixed", [True, None]),
        (["True", "1"], "words", [b"True", b"1"]),
        (["5", "x", ""], "words", [b"5", b"x", None]),
        (["1_000", "0x10", "12.5%", "2020-01-01"], "words", [b"1_000", b"0x10", b"12.5%", b"2020-01-01"]),
        (["18446744073709551615", "1"], "uint", [2**64 - 1, 1]),
        (["18446744073709551615", "", "NA"], "words", [b"18446744073709551615", b"", b"NA"]),
        (["18446744073709551615", "-1"], "words", [b"18446744073709551615", b"-1"]),
        (["18446744073709551616", "NA"], "words", [b"18446744073709551616", None]),
        (["99999999999999999999", "1.5"], "words", [b"99999999999999999999", b"1.5"]),
        (["1.5", "99999999999999999999"], "float", [1.5, 1.0000000000000002e20]),
        (["-9223372036854775808", ""], "float", [None, None]),
        (["1e309"], "words", [b"1e309"]),
        (["é", "日本"], "words", ["é".encode(), "日本".encode()]),
    ],
)
def test_types(words: list[str], kind: str, values: list[Any]) -> None:
    assert column(*words) == (kind, values)


def test_floats_have_the_bits_of_pandas() -> None:
    """Which reads 17 digits, leading zeros included, and rounds more than once."""
    assert column("0.12345678901234567")[1] == [0.1234567890123456]
    assert column("3.14159265358979323846")[1] == [3.1415926535897927]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,b\n1,x\n2,y\n", [[1, 2], [b"x", b"y"]]),
        ("a,b\r\n1,x\r\n\r\n2,y", [[1, 2], [b"x", b"y"]]),
        ("a\r1\r2\r", [[1, 2]]),
        ("\ufeffa,b\n1,2\n", [[1], [2]]),
        ("\n \t\na\n\n5\n  \n6\n", [[5, 6]]),
        ('a\n"x,y"\n"say ""no"""\n"two\nlines"\n', [[b"x,y", b'say "no"', b"two\nlines"]]),
        ('a\nx"y"\n"x"y\n', [[b'x"y"', b"xy"]]),
        ('"a,b",c\n"1",2\n', [[1], [2]]),
        ("a,b,c\n1\n2,3\n", [[1, 2], [None, 3.0], [None, None]]),
        ("a,b\n9,1,2\n9,3,4\n", [[1, 3], [2, 4]]),
        ("a,b\n1,2,\n", [[2], [None]]),
        ("a,a,\n1,2,3\n", [[1], [2], [3]]),
        ("a,b\n", [[], []]),
        ('a\n""\n1\n', [[None, 1.0]]),
    ],
)
def test_files(text: str, columns: list[list[Any]]) -> None:
    table = read_csv(text)
    assert [[None if value != value else value for value in column.listed.values] for column in table.columns] == columns
    assert table.rows == len(columns[0])


def test_names_are_kept_as_they_are() -> None:
    assert read_csv('x,x,,"a, b"\n').names == ("x", "x", "", "a, b")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "No columns to parse from file"),
        (b"\n \n", "No columns to parse from file"),
        (b"a,b\n1,2\n1,2,3\n", "Expected 2 fields in line 3, saw 3"),
        (b"a,b\n1,2,3\n1,2,3,4\n", "Expected 3 fields in line 3, saw 4"),
        (b'a\n"1\n', "EOF inside string"),
        (b"a\n\xff\n", "can't decode byte 0xff"),
    ],
)
def test_files_that_cannot_be_read(data: bytes, message: str) -> None:
    with pytest.raises(CsvError, match=message):
        read_csv(data)


def test_blocks_keep_their_types() -> None:
    """A buffer of 8 fields makes blocks of two lines in a file of two columns."""
    table = read_csv("a,b\n1,1\n2,2\nx,1.5\n3,\n", buffer=8)
    assert [list(column.values)[:3] for column in table.columns] == [[1, 2, b"x"], [1.0, 2.0, 1.5]]
    assert [column.kind for column in table.columns] == ["mixed", "float"]


def test_truth_values_beside_numbers_of_other_blocks_become_numbers() -> None:
    column = read_csv("a,b\nTrue,1\nFalse,1\n5,1\n6,1\n", buffer=8).columns[0]
    assert (column.kind, list(column.values)) == ("mixed", [1, 0, 5, 6])


@pytest.mark.parametrize(
    "word", ["9.9999999999999999", "99.99999999999999", "10.000000000000002", "99999999.99999999", "1e16", "-0", "9.5"]
)
def test_floats_of_several_blocks_that_may_print_differently_are_read_exactly(word: str) -> None:
    lines = "".join(f"{line},0.5\n" for line in ("0.25", "1.75", word, "0.5"))
    several, one = read_csv(f"a,b\n{lines}", buffer=8), read_csv(f"a,b\n{lines}")
    assert repr(several.columns[0].values[2]) == repr(one.columns[0].values[2])


def test_long_floats_of_several_blocks_have_the_bits_of_pandas_too() -> None:
    words = ["0.12345678901234567", "3.14159265358979323846", "0.5", "0.25"]
    table = read_csv("a,b\n" + "".join(f"{word},0\n" for word in words), buffer=8)
    assert list(table.columns[0].values) == [0.1234567890123456, 3.1415926535897927, 0.5, 0.25]


def test_words_are_kept_in_all_blocks_if_they_are_in_one() -> None:
    column = read_csv("i,a\n1,007,1\n1,008,1\n1,9.50,1\n1,10,1\n", buffer=12).columns[0]
    assert column.written == [b"007", b"008", b"9.50", b"10"]
    assert not column.is_number
