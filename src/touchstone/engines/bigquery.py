"""BigQuery: a dataset that is only read. Before a statement runs, a dry run says what it is and how much it would read.

Anything but a SELECT is refused by the service's own word for it. What one statement, and all of a run, may read is limited:
`bigquery://project/dataset?maximum_bytes_billed=…&total_bytes_billed=…&location=…`. Credentials are the client's usual ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import import_module
from threading import Lock
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from ..errors import DatabaseFailure, InputError, SqlError
from ..protocols import EngineConfig, Opening
from ..types import Limits, Table
from .cloud import CloudEngine, limited, open_cloud
from .messages import no_statement, out_of_time
from .mysql.statements import is_blank, split

PER_STATEMENT, PER_RUN = 10 * 2**30, 2**40
_SECONDS_TO_RETRY = 30.0
_WRITES = ("bigquery.tables.updateData", "bigquery.tables.delete", "bigquery.tables.update")
_SELECT = re.compile(r"(?:[\s(;]+|--[^\n]*|#[^\n]*|/\*.*?\*/)*(?:select|with)\b", re.IGNORECASE | re.DOTALL)
"""Emulators may run what they are only asked about, so nothing else is even asked about."""
_OPTIONS = ("location", "maximum_bytes_billed", "total_bytes_billed")


class BigqueryConfig(EngineConfig, frozen=True, kw_only=True):
    """BigQuery datasets, which are only read: bigquery://project/dataset."""

    name: ClassVar[str] = "bigquery"
    schemes: ClassVar[tuple[str, ...]] = ("bigquery",)

    async def open(self, opening: Opening) -> CloudEngine:
        return await open_cloud(self, opening, BigqueryClient, "BigQuery", "google.cloud.bigquery", "google-cloud-bigquery")


class BigqueryClient:
    dialect = "bigquery"

    def __init__(self, url: str) -> None:
        bigquery, retry = _module("cloud.bigquery"), _module("api_core.retry")
        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        dataset = parts.path.strip("/")
        if not parts.netloc or not dataset or "/" in dataset:
            raise InputError("--database-url: expected bigquery://project/dataset")
        if unknown := set(options) - set(_OPTIONS):
            raise InputError(f"--database-url: there is no option '{sorted(unknown)[0]}'; there are: {', '.join(_OPTIONS)}")
        self._most = _bytes(options, "maximum_bytes_billed", PER_STATEMENT)
        self._left = _bytes(options, "total_bytes_billed", PER_RUN)
        self._counting = Lock()
        errors = (_module("api_core.exceptions").GoogleAPIError, _module("auth.exceptions").GoogleAuthError, OSError)
        self._errors: Any = errors
        self._bigquery: Any = bigquery
        self._retry: Any = retry.Retry(deadline=_SECONDS_TO_RETRY)
        self._dataset = f"{parts.netloc}.{dataset}"
        more: dict[str, Any] = {"location": options.get("location")}
        self._emulated = "BIGQUERY_EMULATOR_HOST" in os.environ
        if emulator := os.environ.get("BIGQUERY_EMULATOR_HOST"):  # the name that the client of Go and the emulators know
            anonymous = _module("auth.credentials").AnonymousCredentials()
            more |= {"credentials": anonymous, "client_options": {"api_endpoint": emulator}}
        try:
            self._client: Any = bigquery.Client(project=parts.netloc, **more)
        except self._errors as error:
            raise InputError(f"--database-url: BigQuery cannot be reached: {_words(error)}") from None

    def refuse_writer(self) -> None:
        """Raises InputError if these credentials could change the dataset's first table."""
        try:
            table = next(iter(self._client.list_tables(self._dataset, max_results=1, retry=self._retry)), None)
            if table is None:
                raise InputError(f"--database-url: the dataset {self._dataset} has no table")
            rights = self._client.test_iam_permissions(table.reference, _WRITES, retry=self._retry).get("permissions", ())
        except self._errors as error:
            if self._emulated and getattr(error, "code", None) in (404, 405, 501):
                return  # an emulator that knows no rights
            raise InputError(f"--database-url: {self._dataset} cannot be read: {_words(error)}") from None
        if rights:
            raise InputError(
                f"--database-url: these credentials have {', '.join(rights)}: a live dataset is used by credentials that "
                "can only read it: the roles BigQuery Data Viewer and BigQuery Job User"
            )

    def run(self, sql: str, limits: Limits) -> Table:
        if not sql.strip():
            raise no_statement()
        if not _SELECT.match(sql) or sum(not is_blank(each) for each in split(sql)) > 1:
            raise SqlError("write", "This dataset can only be read, by one SELECT at a time.")
        self._refuse(self._job(sql, limits, dry_run=True))
        job = self._job(sql, limits, maximum_bytes_billed=self._most, job_timeout_ms=round(1000 * limits.seconds))
        try:
            rows = job.result(timeout=limits.seconds + 10, retry=self._retry, job_retry=None, page_size=1_000)
            return limited(tuple(field.name for field in rows.schema), (row.values() for row in rows), limits)
        except (TimeoutError, *self._errors) as error:
            raise self._explained(error, limits) from None
        finally:
            with self._counting:
                self._left -= job.total_bytes_billed or 0

    def _refuse(self, plan: Any) -> None:
        if plan.statement_type != "SELECT":
            raise SqlError(
                "write", f"This dataset can only be read: one SELECT at a time, not {plan.statement_type or 'this'}."
            )
        refuse_costly(plan.total_bytes_processed or 0, self._most, self._left)

    def _job(self, sql: str, limits: Limits, **how: Any) -> Any:
        config = self._bigquery.QueryJobConfig(default_dataset=self._dataset, use_query_cache=not how.get("dry_run"), **how)
        try:
            return self._client.query(sql, job_config=config, retry=self._retry, job_retry=None, timeout=limits.seconds + 10)
        except self._errors as error:
            raise self._explained(error, limits) from None

    def _explained(self, error: Exception, limits: Limits) -> SqlError:
        exceptions = _module("api_core.exceptions")
        text = _words(error)
        if isinstance(error, TimeoutError) or "timeout" in text.lower() or "timed out" in text.lower():
            return out_of_time(limits)
        if "bytes billed" in text.lower():
            return SqlError("bytes", text)
        if isinstance(error, exceptions.Forbidden):
            return SqlError("refused", text)
        if isinstance(error, exceptions.ClientError):
            return SqlError("sql", text)
        raise DatabaseFailure(f"BigQuery failed: {text}")

    def contents(self) -> list[Any]:
        tables: list[Any] = []
        try:
            for item in self._client.list_tables(self._dataset, retry=self._retry):
                table = self._client.get_table(item.reference, retry=self._retry)
                tables.append([table.table_id, [[field.name, field.field_type, field.mode] for field in table.schema]])
        except self._errors as error:
            raise DatabaseFailure(f"BigQuery failed: {_words(error)}") from None
        return sorted(tables)

    def close(self) -> None:
        self._client.close()


def refuse_costly(estimate: int, most: int, left: int) -> None:
    """Raises SqlError for a statement that reads too much, DatabaseFailure if the run has nothing left to spend."""
    if estimate > most:
        raise SqlError("bytes", f"The query would read {estimate / 2**30:,.1f} GB; at most {most / 2**30:,.1f} GB are allowed.")
    if estimate > left:
        raise DatabaseFailure("the limit of bytes for the whole run (total_bytes_billed) is used up")


def _module(name: str) -> Any:
    """Of Google's packages, which have few types and are not always here."""
    return import_module(f"google.{name}")


def _bytes(options: Mapping[str, str], name: str, default: int) -> int:
    value = options.get(name, str(default))
    if not value.isdecimal() or int(value) < 1:
        raise InputError(f"--database-url: {name}={value}: expected a number of bytes")
    return int(value)


def _words(error: BaseException) -> str:
    return " ".join(str(getattr(error, "message", "") or error).split())
