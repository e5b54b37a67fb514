"""What a prompt says of a database, read with the tools that every agent has.

    ddl      CREATE TABLE statements: tables, columns, types
    full     primary and foreign keys, and what columns mean, too
    values   three rows of each table too, and the values of text columns that occur in the question

The catalogue is asked with the tool that runs SQL, page by page, since an observation shows a hundred rows. Where there is a
tool that tells the schema itself, as where each look costs something, that is called instead. Meanings come from
comments in the database, from the benchmark (the description files beside a database) or from a tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..protocols import Stage
from ..types import Observation, ToolCall

SchemaForm = Literal["ddl", "full", "values"]
Meanings = Mapping[str, Mapping[str, str]]
"""Of columns, by table and column."""

_PAGE, _MOST_PAGES = 100, 100
_SAMPLES, _VALUES_OF_A_COLUMN, _MOST_VALUES = 3, 5, 30
_COLUMNS_PER_QUERY = 20
_COLUMNS = {  # schema ("" for the usual one), table, column, type, whether it is of the primary key, comment
    "sqlite": """
SELECT '' AS s, m.name AS t, c.name, c.type, c.pk > 0, '' FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY m.name, c.cid""",
    "duckdb": """
SELECT CASE WHEN schema_name = current_schema() THEN '' ELSE schema_name END AS s, table_name, column_name, data_type, 0,
comment
FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() ORDER BY 1, table_name, column_index""",
    "postgres": """
SELECT CASE WHEN n.nspname = current_schema() THEN '' ELSE n.nspname END AS s, r.relname, a.attname,
format_type(a.atttypid, a.atttypmod), 0, col_description(r.oid, a.attnum)
FROM pg_attribute AS a JOIN pg_class AS r ON r.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
WHERE r.relkind IN ('r', 'v', 'm', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname <> 'information_schema'
AND n.nspname NOT LIKE 'pg!_%' ESCAPE '!' AND has_column_privilege(r.oid, a.attnum, 'SELECT')
ORDER BY 1, r.relname, a.attnum""",
    "mysql": """
SELECT '' AS s, table_name, column_name, column_type, column_key = 'PRI', column_comment
FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position""",
    "bigquery": """
SELECT '' AS s, table_name, column_name, data_type, 0, '' FROM INFORMATION_SCHEMA.COLUMNS
ORDER BY table_name, ordinal_position""",
    "": """
SELECT CASE WHEN table_schema = current_schema() THEN '' ELSE table_schema END AS s, table_name, column_name, data_type, 0, ''
FROM information_schema.columns WHERE lower(table_schema) NOT IN ('information_schema', 'pg_catalog')
ORDER BY 1, table_name, ordinal_position""",
}
_KEYS = {
    "sqlite": "SELECT m.name || '.' || k.\"from\" || ' REFERENCES ' || k.\"table\" || coalesce('.' || k.\"to\", '') AS line "
    "FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS k WHERE m.type = 'table' ORDER BY 1",
    "duckdb": "SELECT table_name || ': ' || constraint_text AS line FROM duckdb_constraints() "
    "WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY 1",
    "mysql": "SELECT concat(table_name, '.', column_name, ' REFERENCES ', referenced_table_name, '.', referenced_column_name) "
    "AS line FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL "
    "ORDER BY 1",
    "postgres": "SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) AS line FROM pg_constraint "
    "WHERE contype IN ('p', 'f') AND connamespace <> 'pg_catalog'::regnamespace ORDER BY 1",
}
_TEXT_TYPE = re.compile(r"char|text|string|clob|enum|varying|\A\Z", re.IGNORECASE)
_CAST = {"mysql": "CHAR", "bigquery": "STRING"}
_POSITION = {"postgres": "strpos", "bigquery": "strpos"}
_BACKSLASH_ESCAPES = {"mysql", "bigquery", "snowflake"}
_RESERVED = frozenset(
    """all and as asc between by case cast check column constraint create cross default delete desc distinct drop else end
    except exists false for foreign from full grant group having in index inner insert intersect into is join key left like
    limit not null offset on or order outer primary references right select set table then to true union unique update user
    using values when where window with""".split()
)
_MUST_SUBMIT = "must be a submission"


class SqlTools:
    """The tools of a stage that take SQL, whatever they are called."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._calls = 0
        self._spent = False
        names = [tool.name for tool in stage.tools if tool.arguments.__struct_fields__ == ("sql",)]
        self.submits = next((name for name in names if name.startswith("submit")), None)
        self.executes = next((name for name in names if not name.startswith("submit")), None)
        self._lookups = {tool.name for tool in stage.tools if not tool.arguments.__struct_fields__}

    async def execute(self, sql: str) -> Observation:
        assert self.executes is not None
        if self._spent:  # where looking costs something, nothing is left for it
            return Observation("There is nothing left to look with.", error=True)
        return await self._call(self.executes, {"sql": sql})

    async def submit(self, sql: str) -> Observation:
        assert self.submits is not None
        return await self._call(self.submits, {"sql": sql})

    async def look_up(self, *names: str) -> str:
        """What these tools tell, as far as they are there."""
        texts = [await self._call(name, {}) for name in names if name in self._lookups and not self._spent]
        return "\n\n".join(each.text for each in texts if not each.error)

    async def rows(self, sql: str) -> list[list[str | None]]:
        """All rows of a query; none if it cannot be run."""
        rows: list[list[str | None]] = []
        for _ in range(_MOST_PAGES):
            shown = await self.execute(f"{sql} LIMIT {_PAGE} OFFSET {len(rows)}")
            page = cells(shown)
            rows += page
            cut = str(shown.details.get("table", {}).get("count", "")).startswith("(the first")
            if not page or (len(page) < _PAGE and not cut):
                break
        return rows

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> Observation:
        self._calls += 1
        seen = await self._stage.call(ToolCall(f"{tool}-{self._calls}", tool, json.dumps(arguments)))
        self._spent = self._spent or _MUST_SUBMIT in seen.text
        return seen


def cells(shown: Observation) -> list[list[str | None]]:
    """The rows that an observation shows; empty after an error."""
    return [] if shown.error else shown.details.get("table", {}).get("rows", [])


@dataclass(frozen=True)
class DatabaseText:
    """A database in words, and the columns that hold texts."""

    text: str
    text_columns: Sequence[tuple[str, str]] = ()
    """Table, as it is written in SQL, and column."""


async def database_text(tools: SqlTools, dialect: str, form: SchemaForm, meanings: Meanings) -> DatabaseText:
    tables: dict[str, list[list[str | None]]] = {}
    for row in await tools.rows(_COLUMNS.get(dialect, _COLUMNS[""])):
        schema, table = row[0] or "", row[1] or ""
        name = quoted(table, dialect) if not schema else f"{quoted(schema, dialect)}.{quoted(table, dialect)}"
        tables.setdefault(name, []).append(row)
    parts = [_statement(name, columns, dialect, form, meanings) for name, columns in tables.items()]
    if form != "ddl" and dialect in _KEYS and (keys := await tools.rows(_KEYS[dialect])):
        parts.append("Keys:\n" + "\n".join(str(row[0]) for row in keys))
    if form == "values":
        for name in tables:
            shown = await tools.execute(f"SELECT * FROM {name} LIMIT {_SAMPLES}")
            parts += [f"Some rows of {name}:\n{shown.text}"] if cells(shown) else []
    texts = [(name, str(row[2])) for name, rows in tables.items() for row in rows if _TEXT_TYPE.search(row[3] or "")]
    return DatabaseText("\n\n".join(parts), texts)


async def matching_values(tools: SqlTools, dialect: str, columns: Sequence[tuple[str, str]], question: str) -> str:
    """Values of text columns that occur in the question as words, a line each."""
    lines: list[str] = []
    for some in _several(columns):
        query = "\nUNION ALL ".join(_search(number, *column, dialect, question) for number, column in enumerate(some))
        for where, value in cells(await tools.execute(query)):
            whole_words = re.compile(rf"(?<!\w){re.escape(str(value))}(?!\w)", re.IGNORECASE)
            if whole_words.search(question) and len(lines) < _MOST_VALUES:
                lines.append(f"{where}: {value}")
    return "Values that occur in the question:\n" + "\n".join(lines) if lines else ""


def quoted(name: str, dialect: str) -> str:
    """As SQL needs it: in quotes if it is not a plain name, or if the system would take it for another."""
    folded = name == (name.upper() if dialect == "snowflake" else name.lower()) or dialect not in ("postgres", "snowflake")
    if re.fullmatch(r"[A-Za-z_]\w*", name) and name.lower() not in _RESERVED and folded:
        return name
    mark = "`" if dialect in ("mysql", "bigquery") else '"'
    return mark + name.replace(mark, 2 * mark) + mark


def _statement(name: str, columns: Sequence[Sequence[str | None]], dialect: str, form: SchemaForm, meanings: Meanings) -> str:
    table = str(columns[0][1]).casefold()
    by_column = {
        column.casefold(): meaning
        for described, of_columns in meanings.items()
        if described.casefold() == table
        for column, meaning in of_columns.items()
    }
    keys = [str(row[2]) for row in columns if row[4] in ("1", "True")] if form != "ddl" else []
    lines: list[tuple[str, str]] = []
    for _, _, column, kind, _, comment in columns:
        words = [quoted(str(column), dialect), kind or "", "PRIMARY KEY" if keys == [column] else ""]
        meaning = "" if form == "ddl" else comment or by_column.get(str(column).casefold(), "")
        meaning = " ".join(meaning.replace("\\n", " ").split())
        lines.append((" ".join(word for word in words if word), f"  -- {meaning}" if meaning else ""))
    if len(keys) > 1:
        lines.append((f"PRIMARY KEY ({', '.join(quoted(key, dialect) for key in keys)})", ""))
    texts = [f"  {line}{',' if number < len(lines) else ''}{comment}" for number, (line, comment) in enumerate(lines, 1)]
    return f"CREATE TABLE {name} (\n" + "\n".join(texts) + "\n);"


def _search(number: int, table: str, column: str, dialect: str, question: str) -> str:
    value = f"CAST({quoted(column, dialect)} AS {_CAST.get(dialect, 'VARCHAR' if dialect != 'sqlite' else 'TEXT')})"
    if dialect == "snowflake":
        occurs = f"contains({_literal(question.lower(), dialect)}, lower({value}))"
    else:
        occurs = f"{_POSITION.get(dialect, 'instr')}({_literal(question.lower(), dialect)}, lower({value})) > 0"
    where = _literal(f"{table}.{quoted(column, dialect)}", dialect)
    return (
        f"SELECT {where} AS place, v{number}.v FROM (SELECT DISTINCT {value} AS v FROM {table} "
        f"WHERE length({value}) BETWEEN 3 AND 80 AND {occurs} ORDER BY 1 LIMIT {_VALUES_OF_A_COLUMN}) AS v{number}"
    )


def _literal(text: str, dialect: str) -> str:
    text = text.replace("\\", "\\\\") if dialect in _BACKSLASH_ESCAPES else text
    text = text.replace("\0", "").replace("'", "\\'" if dialect == "bigquery" else "''")
    return f"'{text}'" if dialect != "bigquery" else f"'{text}'".replace("\n", "\\n")


def _several(columns: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    for start in range(0, len(columns), _COLUMNS_PER_QUERY):
        yield columns[start : start + _COLUMNS_PER_QUERY]
