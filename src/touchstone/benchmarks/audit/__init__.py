"""Checking a benchmark before blaming an agent: findings about its tasks, and the list of those to leave out."""

from .findings import (
    KINDS,
    SEVERITIES,
    AuditFinding,
    Exclusions,
    Kind,
    Severity,
    audit_finding,
    excluded,
    exclusions,
    remaining,
)

__all__ = [
    "KINDS",
    "SEVERITIES",
    "AuditFinding",
    "Exclusions",
    "Kind",
    "Severity",
    "audit_finding",
    "excluded",
    "exclusions",
    "remaining",
]
