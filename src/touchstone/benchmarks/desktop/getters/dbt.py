"""What dbt Cloud says about the account's first project, as words with spaces between them; "None" where there is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..clouds import DBT_CLOUD, DbtCloud
from ..evaluation_context import EvaluationContext
from ..registry import RESULTS

NOTHING = "None"


@RESULTS
async def dbt_project_info(
    evaluation: EvaluationContext, *, fields: Sequence[str] = (), setting_file: str = DBT_CLOUD, settings_file: str = ""
) -> str:
    """`name`, `connection_type`. Task files spell it `setting_file`."""
    projects = await DbtCloud(evaluation.accounts, settings_file or setting_file).projects()
    if not projects:
        return NOTHING
    connection: dict[str, Any] = projects[0].get("connection") or {}
    known: dict[str, Any] = {"name": projects[0].get("name"), "connection_type": connection.get("type")}
    return " ".join(str(known.get(field)) for field in fields)


@RESULTS
async def dbt_environment_info(
    evaluation: EvaluationContext,
    *,
    name: str = "New Environment",
    fields: Sequence[str] = (),
    setting_file: str = DBT_CLOUD,
    settings_file: str = "",
) -> str:
    """Fields of a named environment."""
    environments = await DbtCloud(evaluation.accounts, settings_file or setting_file).environments()
    words = [str(item.get(field)) for item in environments if item["name"] == name for field in fields]
    return " ".join(words) or NOTHING


@RESULTS
async def dbt_job_info(
    evaluation: EvaluationContext,
    *,
    name: str = "New Job",
    prev_name: str = "New Job",
    fields: Sequence[str] = (),
    setting_file: str = DBT_CLOUD,
    settings_file: str = "",
) -> str:
    """Fields of a named job: `time_…` of its schedule, its trigger by another job, or any other."""
    jobs = await DbtCloud(evaluation.accounts, settings_file or setting_file).jobs()
    return job_words(jobs, name, prev_name, fields)


def job_words(jobs: Sequence[dict[str, Any]], name: str, prev_name: str, fields: Sequence[str]) -> str:
    job = next((job for job in jobs if job["name"] == name), None)
    if job is None:
        return NOTHING
    previous = next((other["id"] for other in jobs if other["name"] == prev_name), None)
    return " ".join(_word(job, field, previous) for field in fields)


def _word(job: dict[str, Any], field: str, previous: int | None) -> str:
    if field.startswith("time_"):
        return str(job["schedule"]["time"].get(field.removeprefix("time_")))
    if field != "job_completion_trigger_condition":
        return str(job.get(field))
    trigger = job.get(field)
    if trigger is None:
        return NOTHING
    condition = trigger["condition"]
    matched = previous is not None and condition["job_id"] == previous
    return " ".join(["matched" if matched else "mismatched", *map(str, condition["statuses"])])
