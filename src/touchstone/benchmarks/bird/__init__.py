"""BIRD and mini-dev: text-to-SQL on SQLite, judged by the rows a query returns."""

from .benchmark import Bird
from .config import BirdConfig
from .tasks import BirdTask, load_tasks, select

__all__ = ["Bird", "BirdConfig", "BirdTask", "load_tasks", "select"]
