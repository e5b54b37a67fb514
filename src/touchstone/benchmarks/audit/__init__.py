"""What a benchmark is worth here, before an agent is blamed: findings about its tasks, and the list of those to leave out."""

from .exclusions import Exclusions, excluded, exclusions, remaining
from .findings import KINDS, SEVERITIES, Finding, Kind, Severity, found

__all__ = ["KINDS", "SEVERITIES", "Exclusions", "Finding", "Kind", "Severity", "excluded", "exclusions", "found", "remaining"]
