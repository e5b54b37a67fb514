"""BIRD-Interact: ambiguous requests on PostgreSQL or SQLite, a simulated user, a budget, and a follow-up."""

from __future__ import annotations

from .benchmark import Interact, Settings
from .tasks import InteractTask, load_tasks, select

__all__ = ["Interact", "InteractTask", "Settings", "load_tasks", "select"]
