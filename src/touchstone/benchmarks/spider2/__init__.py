"""Spider2-lite: hard questions on local SQLite databases, judged by golden result files."""

from .benchmark import Spider2
from .golden import Golden
from .tasks import Spider2Task, load_tasks

__all__ = ["Golden", "Spider2", "Spider2Task", "load_tasks", "plugin"]

plugin = Spider2
