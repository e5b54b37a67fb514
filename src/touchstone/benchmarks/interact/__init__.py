"""BIRD-Interact: ambiguous requests on PostgreSQL or SQLite, a simulated user, a budget, and a follow-up."""

from __future__ import annotations

from .benchmark import Interact, InteractSettings
from .tasks import InteractTask, load_tasks, select

__all__ = ["Interact", "InteractSettings", "InteractTask", "load_tasks", "select"]
