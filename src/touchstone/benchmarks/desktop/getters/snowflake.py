"""Tables, users, functions and logs of a Snowflake account, and the worksheets in its web interface."""

from __future__ import annotations

import asyncio
import json
from asyncio import to_thread
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..browser import PORT, browser, find_page
from ..clouds import SNOWFLAKE, identifier, snowflake_cursor, write_rows
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..registry import RESULTS

T = TypeVar("T")
SITE = "https://app.snowflake.com"
LINKS = 'div[role="rowgroup"] > div > div:nth-child(1) > a'


@RESULTS
async def snowflake_execution_result(
    evaluation: EvaluationContext,
    *,
    sql_command: str = "",
    sql_script: str = "",
    include_header: bool = True,
    return_string: bool = True,
    dest: str = "",
    settings_file: str = SNOWFLAKE,
) -> str | Path | None:
    """The result of one statement: as a file if `dest` says so, else as lines of comma-separated cells."""
    sql = evaluation.dataset.resolve(sql_script).read_text() if sql_script else sql_command

    def work(cursor: Any) -> Any:
        rows, header = _run(cursor, sql), _header(cursor) if include_header else []
        if dest:
            return write_rows(evaluation.cached(dest), rows, header)
        table = ([header] if header else []) + [list(row) for row in rows]
        return "\n".join(",".join(map(str, row)) for row in table) if return_string else str(table)

    return await _with_cursor(evaluation, settings_file, work)


@RESULTS
async def snowflake_table_to_csv(
    evaluation: EvaluationContext,
    *,
    database: str,
    table: str,
    dest: str = "",
    schema: str = "PUBLIC",
    include_header: bool = True,
    settings_file: str = SNOWFLAKE,
) -> Path | None:
    """A whole table as CSV."""

    def work(cursor: Any) -> Path:
        rows = _run(cursor, f"SELECT * FROM {identifier(table)}")
        return write_rows(evaluation.cached(dest or f"{table}.csv"), rows, _header(cursor) if include_header else [])

    return await _with_cursor(evaluation, settings_file, work, database=database, schema=schema)


@RESULTS
async def snowflake_database_schema_to_csv(
    evaluation: EvaluationContext,
    *,
    database: str | list[str],
    dest: str,
    schema: str | list[str] = "PUBLIC",
    include_type: bool = False,
    settings_file: str = SNOWFLAKE,
) -> Path | None:
    """The columns of one or several databases as CSV."""
    databases = [database] if isinstance(database, str) else database
    schemas = [schema] * len(databases) if isinstance(schema, str) else schema
    columns = "TABLE_CATALOG, TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME" + (", DATA_TYPE" if include_type else "")
    header = ["database", "schema", "table", "column"] + (["type"] if include_type else [])

    def work(cursor: Any) -> Path:
        rows: list[Any] = []
        for name, part in zip(databases, schemas, strict=True):
            source = f"{identifier(name)}.INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = %s"
            rows += _run(cursor, f"SELECT {columns} FROM {source} ORDER BY 1, 2, 3, 4", (part,))
        return write_rows(evaluation.cached(dest), rows, header)

    return await _with_cursor(evaluation, settings_file, work)


@RESULTS
async def snowflake_user_info(
    evaluation: EvaluationContext, *, username: str, settings_file: str = SNOWFLAKE
) -> dict[str, Any] | None:
    """A user's properties in upper case, and its roles."""

    def work(cursor: Any) -> dict[str, Any]:
        rows = _run(cursor, f"DESC USER {identifier(username)}")
        properties: dict[str, Any] = {row[0].upper(): str(row[1]) for row in rows if row[0].upper() != "PASSWORD"}
        properties["ROLE"] = ["PUBLIC"] + [str(row[1]) for row in _run(cursor, f"SHOW GRANTS TO USER {identifier(username)}")]
        return properties

    return await _with_cursor(evaluation, settings_file, work)


@RESULTS
async def snowflake_function_result(
    evaluation: EvaluationContext,
    *,
    database: str,
    table: str,
    function: str,
    schema: str = "PUBLIC",
    settings_file: str = SNOWFLAKE,
) -> Any:
    """What a function returns, with its log going to the event table."""

    def work(cursor: Any) -> Any:
        _run(cursor, f"ALTER ACCOUNT SET EVENT_TABLE = {identifier(database)}.public.{identifier(table)}")
        _run(cursor, "ALTER SESSION SET LOG_LEVEL = INFO")
        return _run(cursor, f"SELECT {identifier(function)}()")[0][0]

    return await _with_cursor(evaluation, settings_file, work, database=database, schema=schema)


@RESULTS
async def snowflake_log_message(
    evaluation: EvaluationContext,
    *,
    database: str,
    table: str,
    logger: str,
    schema: str = "PUBLIC",
    settings_file: str = SNOWFLAKE,
) -> dict[str, str] | None:
    """Severity and text of the first message of a logger. Messages take minutes to arrive: three looks, a minute apart.

    Without the table there is nothing to wait for.
    """
    query = (
        "SELECT RECORD['severity_text'], VALUE "
        f"FROM {identifier(database)}.public.{identifier(table)} WHERE RECORD_TYPE = 'LOG' AND SCOPE['name']::STRING = %s"
    )
    for trial in range(3):
        rows = await _with_cursor(
            evaluation, settings_file, lambda cursor: _run(cursor, query, (logger,)), database=database, schema=schema
        )
        if rows is None:
            return None
        if rows:
            return {"severity": _plain(rows[0][0]), "message": _plain(rows[0][1])}
        await asyncio.sleep(60 if trial < 2 else 0)
    return None


@RESULTS
async def snowflake_worksheet_sql(evaluation: EvaluationContext, *, listening_port: int = PORT) -> str | None:
    """The text of the worksheet that is open."""
    async with browser(evaluation, listening_port) as context:
        page = find_page(context, SITE)
        return None if page is None else (await page.locator('div[aria-label="worksheet"]').inner_text()).strip()


@RESULTS
async def snowflake_worksheet_sql_result(
    evaluation: EvaluationContext,
    *,
    worksheet: str,
    database: str,
    schema: str,
    dest: str,
    listening_port: int = PORT,
    settings_file: str = SNOWFLAKE,
) -> Path | None:
    """The result of the last statement of a named worksheet, if it is set to this database and schema."""
    async with browser(evaluation, listening_port) as context:
        tab = f'div[data-action-name="worksheet-tab"][aria-label="{worksheet}"]'
        pages = [page for page in context.pages if await page.locator(tab).count()]
        if not pages:
            return None
        chosen = await pages[0].locator('div[role="button"][data-testid="databaseAndSchemaSelector"]').inner_text()
        text = await pages[0].locator('div[aria-label="worksheet"]').inner_text()
    if chosen != f"{database}.{schema}":
        return None
    statements = [part for part in text.replace("\n", " ").split(";") if part.strip()]

    def work(cursor: Any) -> Path:
        return write_rows(evaluation.cached(dest), _run(cursor, statements[-1]), _header(cursor))

    return await _with_cursor(evaluation, settings_file, work, database=database, schema=schema) if statements else None


@RESULTS
async def snowflake_worksheet_names_in_folder(
    evaluation: EvaluationContext, *, folder_name: str, listening_port: int = PORT
) -> list[str] | None:
    """The names of the worksheets in a folder; None if there is no such folder."""
    async with browser(evaluation, listening_port) as context:
        page = await context.new_page()
        await page.goto(SITE, wait_until="load")
        await page.locator('div[role="rowgroup"]').wait_for(timeout=60_000)
        folder = page.locator(f'{LINKS}[aria-label="{folder_name}"]')
        if not await folder.count():
            return None
        await folder.first.click()
        await page.locator('div[role="rowgroup"]').wait_for(timeout=60_000)
        names = [await link.get_attribute("aria-label") for link in await page.locator(LINKS).all()]
        await page.close()
        return [name for name in names if name]


async def _with_cursor(evaluation: EvaluationContext, settings_file: str, work: Callable[[Any], T], **more: Any) -> T | None:
    """None when Snowflake refuses the statement: what the agent should have made is not there."""

    def connected() -> T | None:
        with snowflake_cursor(evaluation.accounts, settings_file, **more) as cursor:
            try:
                return work(cursor)
            except need("snowflake.connector.errors", "desktop-snowflake").ProgrammingError:
                return None

    return await to_thread(connected)


def _run(cursor: Any, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
    return cursor.execute(sql, values).fetchall() if values else cursor.execute(sql).fetchall()


def _plain(variant: Any) -> str:
    """The connector gives values of no fixed type as JSON."""
    text = str(variant)
    return str(json.loads(text)) if text.startswith('"') else text


def _header(cursor: Any) -> list[str]:
    return [column.name for column in cursor.description]
