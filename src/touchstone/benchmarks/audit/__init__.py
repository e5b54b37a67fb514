"""What a benchmark is worth here, before an agent is blamed: findings about its tasks, and the list of those to leave out."""

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
