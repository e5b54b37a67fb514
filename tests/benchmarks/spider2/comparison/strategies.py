"""CSV files and results for property tests: small, and full of words that a reader can take for several things."""

from __future__ import annotations

from hypothesis import strategies as st

TAME = """
    0 1 -1 2 10 007 +5 1.5 -2.25 1e3 1E-3 .5 5. inf -inf Infinity +INF nan NaN NA None null NULL N/A n/a <NA> #N/A -nan
    True False TRUE true T yes 0.1 -0 -0.0 0.0 00.5 1_000 0x10 12.5% 2020-01-01 abc é 日本 1.#IND --5 +- 1..5 - + . 1e 1e+ ٣
    1.01 1.005 2 2.009 100000
""".split()
SPACED = ["", "", " ", " 5", "5 ", "\t", "\v5\f", " -0", "a b", " inf", " NA", "\u00a05", "x,y", 'say "no"', "two\nlines"]
WILD = """
    9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615
    18446744073709551616 99999999999999999999 -99999999999999999999 99999999999999999999.5 1e308 1e309 -1e400 4e-324 1e-400
    0e400 0.30000000000000004 0.12345678901234567 0.98765432109876543 9.999999999999998 9.9999999999999999 10.000000000000002
    9007199254740993 9007199254740993.0 123456789012345678 1234567890123456789.5 0.000012345678901234567 1.7976931348623159e308
    12345678901234567.8 1e22 1e23 1.5e300 3.14159265358979323846264338327950288 36047003300 36047003301 1e16
    10000000000000000 15
""".split()

tame_words = st.sampled_from(TAME + SPACED)
wild_words = st.one_of(
    st.sampled_from(TAME + SPACED + WILD),
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 1000).map(repr),
    st.integers(-(2**66), 2**66).map(str),
    st.decimals(-1000, 1000, allow_nan=False, places=20).map(str),
    st.text('ab01.,-+eE" \t\n', max_size=5),
)


@st.composite
def columns(draw: st.DrawFn, rows: int, words: st.SearchStrategy[str]) -> list[str]:
    """Often of few different words, so that columns of one type are common."""
    pool = draw(st.one_of(st.none(), st.lists(words, min_size=1, max_size=3)))
    return draw(st.lists(words if pool is None else st.sampled_from(pool), min_size=rows, max_size=rows))


@st.composite
def grids(draw: st.DrawFn, words: st.SearchStrategy[str], most: int = 6) -> list[list[str]]:
    """Rows of words."""
    rows = draw(st.integers(0, most))
    drawn = draw(st.lists(columns(rows, words), min_size=1, max_size=4))
    return [list(row) for row in zip(*drawn, strict=True)] or [[]] * 0


def quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"' if any(c in word for c in ',"\r\n') else word


def csv_text(grid: list[list[str]], width: int, line_end: str = "\n") -> str:
    names = [f"c{place}" for place in range(width)]
    return "".join((",".join(map(quoted, row)) or '""') + line_end for row in (names, *grid))


@st.composite
def csv_files(draw: st.DrawFn, words: st.SearchStrategy[str]) -> str:
    """Mostly regular, sometimes with a short, a long, or a blank line, without a last line end, or with a quote too many."""
    grid = draw(grids(words))
    lines = csv_text(grid, len(grid[0]) if grid else draw(st.integers(1, 3)), "\0").split("\0")[:-1]
    change = draw(st.sampled_from(["", "", "", "short", "long", "blank", "quote"]))
    place = draw(st.integers(0, len(lines) - 1))
    if change == "short":
        lines[place] = lines[place].rpartition(",")[0]
    elif change == "long":
        lines[place] += draw(st.sampled_from([",", ",5", ",x,y"]))
    elif change == "blank":
        lines.insert(place, draw(st.sampled_from(["", " ", " \t"])))
    elif change == "quote":
        lines[place] = '"' + lines[place]
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    text = end.join(lines) + draw(st.sampled_from([end, end, ""]))
    return draw(st.sampled_from(["", "", "", "\ufeff"])) + text
