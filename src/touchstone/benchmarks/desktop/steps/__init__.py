"""The set-up steps of Spider2-V under their published names, and running them in order.

A step changes the guest or a cloud account before the agent starts; an evaluator's `postconfig` uses the same steps afterwards.
Parameters are checked first and never changed, so a task can be set up twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from ....errors import TouchstoneError, WorkerFailure
from ..evaluation_context import EvaluationContext
from ..registry import STEPS
from ..setup import KIND
from ..tasks import SetupStep
from . import core, dbt, google, snowflake, web

__all__ = ["STEPS", "core", "dbt", "google", "run_steps", "snowflake", "web"]


async def run_steps(steps: Sequence[SetupStep], evaluation: EvaluationContext) -> None:
    """One after the other. A step that cannot be done is our failure, not the agent's."""
    for step in steps:
        STEPS.refuse(step.type, step.parameters)
    for number, step in enumerate(steps, 1):
        started, problem = time.monotonic(), ""
        try:
            await STEPS.find(step.type)(evaluation, **step.parameters)
        except TouchstoneError as error:
            problem = str(error)
            raise
        except Exception as error:  # browsers, cloud clients and the network have no common root
            problem = f"set-up step {number} ({step.type}) failed: {type(error).__name__}: {error}"
            raise WorkerFailure(f"{problem}{evaluation.log.hint()}", kind=KIND) from error
        finally:
            evaluation.log.end_step(step.type, time.monotonic() - started, problem)
