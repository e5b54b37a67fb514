"""Files of questions: every format gives the same tasks, and what is wrong is said with its row and column."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from touchstone.benchmarks.sql.questions import SqlTask, load_questions
from touchstone.errors import InputError

ROWS: list[dict[str, Any]] = [
    {"id": "a", "Question": "How many?", "SQL": "SELECT 1", "Hint": "all", "Tags": "x, y", "order": "yes", "tolerance": "1%"},
    {"id": "b", "Question": "Which?", "SQL": "SELECT 'ü;'", "Hint": "", "Tags": "", "order": "", "tolerance": ""},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix in (".jsonl", ".ndjson"):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".yaml":
        path.write_text(pytest.importorskip("yaml").safe_dump({"questions": rows}, allow_unicode=True), encoding="utf-8")
    elif path.suffix == ".parquet":
        source = write(path.with_suffix(".json"), rows)
        pytest.importorskip("duckdb").sql(f"COPY (SELECT * FROM read_json('{source}')) TO '{path}' (FORMAT parquet)")
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        book.active.append(list(rows[0]))
        for row in rows:
            book.active.append(list(row.values()))
        book.save(path)
    return path


def load(path: Path, **named: str) -> list[SqlTask]:
    return load_questions(path, named, "shop")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".yaml", ".parquet", ".xlsx"])
def test_every_format_gives_the_same_tasks(tmp_path: Path, suffix: str) -> None:
    first, second = load(write(tmp_path / f"q{suffix}", ROWS))
    assert (first.key, first.question, first.golds, first.evidence) == ("a", "How many?", ("SELECT 1",), "all")
    assert (first.order, first.tolerance, first.facets) == (True, "1%", {"database": "shop", "tags": "x, y"})
    assert (second.golds, second.order, second.tolerance, second.evidence) == (("SELECT 'ü;'",), False, "", "")


def test_columns_with_other_names_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "q.csv", [{"Frage": "Wie viele?", "Abfrage": "SELECT 1"}])
    with pytest.raises(InputError, match=r"no column holds the questions; there are: Frage, Abfrage"):
        load(path)
    assert load(path, question="Frage", sql="Abfrage")[0].golds == ("SELECT 1",)
    with pytest.raises(InputError, match=r"no such column; there are: Frage, Abfrage"):
        load(path, question="Fragen", sql="Abfrage")


def test_several_golds_are_accepted(tmp_path: Path) -> None:
    rows = [{"question": "q", "sql": "SELECT 1", "sql_2": "SELECT 2", "sql 3": ""}]
    assert load(write(tmp_path / "q.csv", rows))[0].golds == ("SELECT 1", "SELECT 2")
    listed = [{"question": "q", "gold": ["SELECT 1", "SELECT 2"]}]
    assert load(write(tmp_path / "q.json", listed))[0].golds == ("SELECT 1", "SELECT 2")


def test_expected_rows_are_inline_or_a_file(tmp_path: Path) -> None:
    write(tmp_path / "right.csv", [{"name": "Ada", "n": "1"}])
    rows = [
        {"question": "q", "expected": "right.csv"},
        {"question": "q", "expected": '[["Ada", 1]]'},
        {"question": "q", "expected": '[{"name": "Ada", "n": 1}]'},
        {"question": "q", "expected": '[{"name": "Ada", "n": 1}, {"n": 2, "name": "Eve"}]'},
        {"question": "q", "expected": "7"},
    ]
    found = [task.expected for task in load(write(tmp_path / "q.csv", rows))]
    named = [("Ada", 1), ("Eve", 2)]
    assert [each.rows for each in found if each] == [[("Ada", "1")], [("Ada", 1)], [("Ada", 1)], named, [("7",)]]


WRONG = {
    "question,sql\n,SELECT 1\n": r"row 2: the question \(question\) is empty",
    "question,sql\nq,\n": "row 2: there is neither gold SQL nor expected rows",
    "question,sql\nq,SELECT 1,2\n": "row 2: 3 cells, expected 2",
    "question,answer_key\nq,1\n": "no column holds gold SQL or expected rows",
    "id,question,sql\n1,q,SELECT 1\n1,r,SELECT 2\n": "row 3: the id '1' is also in row 2",
    "question,sql,order\nq,SELECT 1,perhaps\n": "row 2: order: expected true or false, found 'perhaps'",
    "question,sql,tolerance\nq,SELECT 1,much\n": "row 2: tolerance: expected a number",
    'question,expected\nq,"[[1], [1, 2]]"\n': "row 2: the expected rows are not all of one width",
    "question,expected\nq,nowhere.csv\n": "row 2: the file of expected rows: .*nowhere.csv: cannot be read",
    "question,sql,sql\nq,SELECT 1,SELECT 2\n": "two columns are named 'sql'",
    "question,sql,tolerance\nq,SELECT 1,inf\n": "row 2: tolerance: expected a number such as 0.01, or 1%, found 'inf'",
    "question,sql,tolerance\nq,SELECT 1,nan%\n": "row 2: tolerance: expected a number",
    'question,expected\nq,"[{""a"": 1}, {""b"": 1}]"\n': "row 2: the expected rows do not all have the same columns",
    'question,expected\nq,"[{""a"": 1}, [1]]"\n': "row 2: the expected rows do not all have the same columns",
    "question,sql\n": "there are no questions",
    "": "the file is empty",
}


@pytest.mark.parametrize(("text", "complaint"), WRONG.items())
def test_what_is_wrong_is_said_with_its_row(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "q.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint):
        load(path)


@pytest.mark.parametrize("name", ["q.txt", "q.parquet", "q.xlsx", "q.yaml", "q.json"])
def test_a_file_that_is_something_else_is_refused_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{: no")
    with pytest.raises(InputError) as caught:
        load(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


SHEET = """<?xml version="1.0" encoding="UTF-8"?><office:document-content
xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table>
<table:table-row><table:table-cell><text:p>id</text:p></table:table-cell><table:table-cell><text:p>question</text:p>
</table:table-cell><table:table-cell><text:p>sql</text:p></table:table-cell><table:table-cell><text:p>order</text:p>
</table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="float" office:value="7"/>
<table:table-cell office:value-type="string"><text:p>How many<text:s text:c="2"/><text:span>there</text:span>?</text:p>
<text:p>All.</text:p></table:table-cell><table:table-cell><text:p>SELECT 1</text:p></table:table-cell>
<table:table-cell office:value-type="boolean" office:boolean-value="true"/></table:table-row>
<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/>
</table:table-row>
</table:table></office:spreadsheet></office:body></office:document-content>"""


def test_an_open_document_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "q.ods"
    with ZipFile(path, "w") as archive:
        archive.writestr("content.xml", SHEET)
    (task,) = load_questions(path, {}, "shop")
    assert (task.key, task.question, task.golds, task.order) == ("7", "How many  there?\nAll.", ("SELECT 1",), True)
    path.write_bytes(b"PK")
    with pytest.raises(InputError, match="not a spreadsheet"):
        load_questions(path, {}, "shop")


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        (
            "<table:table-row><table:table-cell office",
            '<table:table-row table:number-rows-repeated="9999999999"><table:table-cell office',
            "more than 1,048,576 rows",
        ),
        ('office:value="7"', 'office:value="seven"', "could not convert"),
        ('repeated="16384"', 'repeated="many"', "invalid literal"),
    ],
)
def test_an_open_document_spreadsheet_that_no_program_writes(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    with ZipFile(tmp_path / "q.ods", "w") as archive:
        archive.writestr("content.xml", SHEET.replace(right, wrong))
    with pytest.raises(InputError, match=f"not a spreadsheet: .*{complaint}"):
        load_questions(tmp_path / "q.ods", {}, "shop")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_as_other_programs_write_it(tmp_path: Path, delimiter: str, encoding: str) -> None:
    lines = ["question~sql~hint", '"How many; or,\r\nso|\t?"~SELECT 1~naïve', "Why?~SELECT 2~"]
    path = tmp_path / "q.csv"
    path.write_bytes("\r\n".join(lines).replace("~", delimiter).encode(encoding))
    first, second = load_questions(path, {}, "shop")
    assert (first.question, first.evidence, second.golds) == ("How many; or,\r\nso|\t?", "naïve", ("SELECT 2",))


def test_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_bytes("question,sql\nWhy?,SELECT 1\nnaïve?,SELECT 2\n".encode("cp1252"))
    with pytest.raises(InputError, match="line 3: expected text in UTF-8"):
        load_questions(tmp_path / "q.csv", {}, "shop")


def test_json_with_a_heading_and_lines_with_a_line_separator(tmp_path: Path) -> None:
    row = {"question": "a\u2028b", "sql": "SELECT 1"}
    (tmp_path / "q.json").write_text(json.dumps({"version": 1, "questions": [row]}))
    (tmp_path / "q.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n")
    for name in ("q.json", "q.jsonl"):
        assert [task.question for task in load_questions(tmp_path / name, {}, "shop")] == ["a\u2028b"]
