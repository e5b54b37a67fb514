"""Spider2-V: data-engineering work on a desktop. Here are its tasks, set-up steps, getters, metrics and accounts.

The desktop itself is behind the protocol `Guest`. `evaluate.evaluate` judges a task in a `EvaluationContext`;
`steps.run_steps` sets one up.
"""

from .desktop import Execution, Guest
from .tasks import Dataset, DesktopTask, find_task, load_tasks

__all__ = ["Dataset", "DesktopTask", "Execution", "Guest", "find_task", "load_tasks"]
