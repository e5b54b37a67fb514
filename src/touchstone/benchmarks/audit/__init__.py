"""Checking a benchmark before blaming an agent: findings about its tasks, and the list of those to leave out."""

from .findings import KINDS, AuditFinding, Kind, audit_finding, excluded, remaining

__all__ = ["KINDS", "AuditFinding", "Kind", "audit_finding", "excluded", "remaining"]
