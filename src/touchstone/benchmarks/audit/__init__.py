"""Checking a benchmark before blaming an agent: findings about its tasks, and the list of those to leave out."""

from .findings import KINDS, SEVERITIES, AuditFinding, Exclusions, Kind, Severity, excluded, exclusions, found, remaining

__all__ = [
    "KINDS",
    "SEVERITIES",
    "AuditFinding",
    "Exclusions",
    "Kind",
    "Severity",
    "excluded",
    "exclusions",
    "found",
    "remaining",
]
