"""Metrics on what Snowflake's getters gave."""

from __future__ import annotations

from typing import Any

from ..clouds import SNOWFLAKE, snowflake_cursor
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..registry import metric
from ..untrusted import MetricResult, shown, verdict

ROLE, PASSWORD = "ROLE", "PASSWORD"


@metric("user")
def is_snowflake_user_created(
    result: dict[str, Any], expected: dict[str, Any], evaluation: EvaluationContext, settings_file: str = SNOWFLAKE
) -> MetricResult:
    """The user has all expected properties and roles, and a connection can be made with the expected password."""
    wanted = {key.upper(): str(value) for key, value in expected.items() if key.upper() not in (ROLE, PASSWORD)}
    unequal = [key for key, value in wanted.items() if result.get(key) != value]
    if unequal:
        return MetricResult(0.0, f"{unequal[0]}: expected {shown(wanted[unequal[0]])}, found {shown(result.get(unequal[0]))}")
    roles: Any = expected.get(ROLE, [])
    absent = [role for role in ([roles] if isinstance(roles, str) else roles) if role not in result.get(ROLE, [])]
    if absent:
        return MetricResult(0.0, f"the role {shown(absent[0])} is not granted")
    if PASSWORD in expected and not _connects(evaluation, settings_file, result.get("LOGIN_NAME"), expected[PASSWORD]):
        return MetricResult(0.0, "no connection could be made with the expected password")
    return MetricResult(1.0, "as expected")


@metric("log message")
def check_snowflake_log_message(result: dict[str, str], expected: dict[str, str]) -> MetricResult:
    """Severity and message are equal."""
    unequal = [key for key in ("severity", "message") if result.get(key) != expected.get(key)]
    return verdict(not unequal, f"expected {shown(expected)}, found {shown(result)}")


def _connects(evaluation: EvaluationContext, settings_file: str, user: Any, password: str) -> bool:
    """Snowflake shows no passwords: trying is the only way."""
    evaluation.accounts.load(settings_file)
    errors = need("snowflake.connector.errors", "desktop-snowflake")
    try:
        with snowflake_cursor(evaluation.accounts, settings_file, user=user, password=password):
            return True
    except errors.DatabaseError:
        return False
