"""The parts of the demo dataset for desktops: a ferry company's papers, one module per task."""

from demo_desktop import crossings, delays, takings, tides
from demo_desktop.model import Task

TASKS: tuple[Task, ...] = (delays.TASK, takings.TASK, tides.TASK, crossings.TASK)
"""By domain."""
